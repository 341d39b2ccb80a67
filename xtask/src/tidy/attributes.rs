//! Attributes that switch a check off, and leftovers.

use std::path::Path;

use crate::files::{Done, shown, texts};

/// What is never committed; spelled in parts, so that this file has none of it.
const LEFTOVERS: [(&str, &str); 6] = [
    (concat!("TO", "DO"), "do it, or open an issue"),
    (concat!("FIX", "ME"), "do it, or open an issue"),
    (concat!("to", "do!("), "do it"),
    (concat!("unimple", "mented!("), "do it"),
    (concat!("#[ign", "ore"), "assert today's behaviour and say why it is wrong"),
    (concat!("```ign", "ore"), "examples compile"),
];

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let mut findings = Vec::new();
    for (path, text) in texts(root, ".rs") {
        let name = shown(root, &path);
        findings.extend(faults(&text).into_iter().map(|(line, fault)| format!("{name}:{line}: {fault}")));
    }
    Ok(findings)
}

fn faults(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut above = "";
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate() {
        let mut add = |fault: String| found.push((index + 1, fault));
        // It runs after all, in a process of its own.
        let is_child = line.contains("= \"run in a child process");
        for (leftover, instead) in LEFTOVERS.iter().filter(|(leftover, _)| line.contains(leftover) && !is_child) {
            add(format!("`{leftover}`: {instead}"));
        }
        if line.starts_with(concat!("#![", "allow(")) {
            add("a crate-level `allow`; say it where it is needed, with a reason".to_owned());
        }
        let switch = [concat!("#[", "allow("), concat!("#[", "expect(")].iter().any(|open| line.starts_with(open));
        // A reason may stand on a later line of the same attribute.
        let whole = lines
            .iter()
            .skip(index)
            .take(6)
            .take_while(|part| !part.starts_with("fn "))
            .any(|part| part.contains("reason ="));
        if switch && !whole && !above.starts_with("//") {
            add("a lint is switched off without a reason; add `reason = \"...\"`".to_owned());
        }
        above = line;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::faults;

    #[test]
    fn a_switch_needs_a_reason() {
        let open = concat!("#[", "allow(x)]\nfn a() {}\n");
        assert_eq!(faults(open).len(), 1);
        assert_eq!(faults(&format!("// Because.\n{open}")).len(), 0);
        assert_eq!(faults(concat!("#[", "allow(x, reason = \"because\")]\nfn a() {}\n")).len(), 0);
        assert_eq!(faults(concat!("#![", "allow(x)]\n")).len(), 1);
    }

    #[test]
    fn leftovers_are_found() {
        assert_eq!(faults(concat!("// TO", "DO: later\n")).len(), 1);
    }
}
