//! Cells that a person declares in TOML, for an API that no catalog has.
//!
//! A declaration says what the request is, what the provider promises about it, and where that is written; what it
//! leaves out counts as the worst case. The guarantee is derived from it by the core as from any cell.

mod arguments;
mod build;
mod cell;
pub mod declaration;
mod integration;
mod keep;
mod look;
mod problem;
mod request;
mod select;
mod spec;
mod template;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use declaration::Declaration;
pub use problem::Problem;

use problem::Page;

/// Reads a declaration; `file` is how problems name it.
///
/// # Errors
/// The first [`Problem`], with its line.
pub fn integration(file: &str, text: &str) -> Result<SharedIntegration, Problem> {
    let page = Page { file, text };
    let written: Declaration = toml::from_str(text).map_err(|error| {
        // An error without a place speaks of the whole file.
        let span = error.span().unwrap_or(0..0);
        page.problem(&span, error.message())
    })?;
    Ok(Arc::new(build::integration(page, &written)?))
}
