//! The one place that prints.
#![expect(clippy::disallowed_macros, reason = "this module is the wrapper that clippy.toml sends everybody else to")]

/// A line for whoever ran the chore.
pub(crate) fn line(text: impl AsRef<str>) {
    println!("{}", text.as_ref());
}

/// Why it failed.
pub(crate) fn error(text: &str) {
    eprintln!("xtask: {text}");
}
