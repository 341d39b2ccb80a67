//! Cells that a person declares in TOML, for an API that no catalog has.
//!
//! A declaration says what the request is, what the provider promises about it, and where that is written; what it
//! leaves out counts as the worst case. The guarantee is derived from it by the core as from any cell.

mod advice;
mod arguments;
mod build;
mod cell;
pub mod declaration;
mod example;
mod integration;
mod keep;
mod look;
mod problem;
mod profile;
#[cfg(feature = "prove")]
pub mod prove;
mod request;
mod select;
mod spec;
#[cfg(feature = "standin")]
pub mod standin;
mod template;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use advice::Advice;
pub use declaration::Declaration;
pub use problem::Problem;

use integration::DeclaredIntegration;
use problem::Page;

/// A declaration that was read: a provider whose cells can be used.
#[derive(Clone)]
pub struct Declared {
    integration: Arc<DeclaredIntegration>,
    written: Arc<Declaration>,
    file: String,
    text: String,
}

impl Declared {
    /// Reads a declaration; `file` is how problems name it.
    ///
    /// # Errors
    /// The first [`Problem`], with its line.
    pub fn read(file: &str, text: &str) -> Result<Self, Problem> {
        let page = Page { file, text };
        let mut written: Declaration = toml::from_str(text).map_err(|error| {
            // An error without a place speaks of the whole file.
            let span = error.span().unwrap_or(0..0);
            page.problem(&span, error.message())
        })?;
        profile::fill(page, &mut written)?;
        let integration = Arc::new(build::integration(page, &written)?);
        Ok(Self { integration, written: Arc::new(written), file: file.to_owned(), text: text.to_owned() })
    }

    /// The provider, as the core uses it.
    pub fn integration(&self) -> SharedIntegration {
        self.integration.clone()
    }

    /// What is written.
    pub fn written(&self) -> &Declaration {
        &self.written
    }

    /// Everything that could still be said, and what its absence costs.
    pub fn advice(&self) -> Vec<Advice> {
        advice::of(self)
    }

    /// A problem at a place of the file.
    pub fn problem(&self, span: &std::ops::Range<usize>, what: impl Into<String>) -> Problem {
        self.page().problem(span, what)
    }

    pub(crate) fn page(&self) -> Page<'_> {
        Page { file: &self.file, text: &self.text }
    }
}

/// Name and file alone: arguments and examples may be personal.
impl std::fmt::Debug for Declared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Declared").field("name", &self.integration.name).field("file", &self.file).finish()
    }
}

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
