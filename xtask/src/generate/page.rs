use std::path::Path;

use crate::files::{self, Done};

/// A generated file.
#[derive(Debug)]
pub(super) struct Page {
    /// From the root.
    pub(super) path: String,
    /// All of it.
    pub(super) text: String,
}

impl Page {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    pub(super) fn write(&self, root: &Path) -> Done {
        files::write(&root.join(&self.path), &self.text)
    }
}

/// The pages that aren't in the tree as they should be.
pub(super) fn stale<'a>(root: &Path, pages: &'a [Page]) -> Vec<&'a Page> {
    pages.iter().filter(|page| files::read(&root.join(&page.path)).ok().as_deref() != Some(&page.text)).collect()
}
