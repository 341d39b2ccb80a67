use std::path::Path;

use crate::files::{self, Done};

/// A generated file.
#[derive(Debug)]
pub(crate) struct Page {
    /// From the root.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    pub(crate) fn write(&self, root: &Path) -> Done {
        files::write(&root.join(&self.path), &self.text)
    }
}

/// The pages that aren't in the tree as they should be.
pub(crate) fn stale<'a>(root: &Path, pages: &'a [Page]) -> Vec<&'a Page> {
    pages.iter().filter(|page| files::read(&root.join(&page.path)).ok().as_deref() != Some(&page.text)).collect()
}
