//! What is read at run time and lives as long as the process.
//!
//! The core's facts are `'static`, so that a ladder written in Rust is data without allocation. A declaration is read
//! once and is a few kilobytes, so keeping it for good is the simplest thing that fits.

/// A text for good.
pub(crate) fn text(text: impl AsRef<str>) -> &'static str {
    Box::leak(text.as_ref().to_owned().into_boxed_str())
}

/// A list for good.
pub(crate) fn list<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

/// A value for good.
pub(crate) fn value<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
