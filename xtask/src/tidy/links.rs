//! Links between documents lead somewhere.

use std::path::Path;

use crate::files::{Done, shown, texts};

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let mut findings = Vec::new();
    for (path, text) in texts(root, ".md") {
        let folder = path.parent().unwrap_or(root);
        for target in targets(&text).filter(|target| !folder.join(target).exists()) {
            findings.push(format!("{}: a link leads to {target}, which isn't there", shown(root, &path)));
        }
    }
    Ok(findings)
}

/// What relative links of a document point at, without places inside a page.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let target = |rest| str::split(rest, [')', '#']).next();
    let is_relative = |target: &&str| !target.is_empty() && !target.contains("://") && !target.contains(' ');
    text.split("](").skip(1).filter_map(target).filter(is_relative)
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_relative_targets_count() {
        let text = "[a](b.md#c) [d](https://e) [f](#g) [h](../i)";
        assert_eq!(super::targets(text).collect::<Vec<_>>(), ["b.md", "../i"]);
    }
}
