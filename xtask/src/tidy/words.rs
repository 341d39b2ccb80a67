//! Words that promise too much, and texts that look like secrets.

use std::path::Path;

use crate::files::{Done, read, shown, walk};

/// Spelled in parts, so that this file has none of them.
const WORDS: [(&str, &str); 3] = [
    (concat!("exactly ", "once"), "say: effectively once where the provider lets us prove it, loud where it does not"),
    (concat!("exactly-", "once"), "say: effectively once where the provider lets us prove it, loud where it does not"),
    (concat!("-----BEGIN ", "PRIVATE KEY"), "no private keys; tests make their own"),
];

/// How live secrets begin; at least 16 letters and digits follow. Shorter ones are examples.
const SECRETS: [&str; 2] = ["sk_live_", "rk_live_"];

/// What holds text.
const ENDINGS: [&str; 9] = ["rs", "md", "toml", "json", "sh", "sql", "txt", "yml", "run"];

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let mut findings = Vec::new();
    for path in walk(root) {
        let is_text = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
            || path.file_name().is_some_and(|name| name == "run");
        let Ok(text) = (if is_text { read(&path) } else { continue }) else { continue };
        for (index, line) in text.lines().enumerate() {
            let lower = line.to_lowercase();
            for (word, instead) in WORDS.iter().filter(|(word, _)| lower.contains(&word.to_lowercase())) {
                findings.push(format!("{}:{}: `{word}`: {instead}", shown(root, &path), index + 1));
            }
            if has_secret(line) {
                let place = format!("{}:{}", shown(root, &path), index + 1);
                findings.push(format!("{place}: looks like a live secret"));
            }
        }
    }
    Ok(findings)
}

fn has_secret(line: &str) -> bool {
    let length = |rest: &str| rest.chars().take_while(|letter| letter.is_ascii_alphanumeric()).count();
    SECRETS.iter().any(|begin| line.split(begin).skip(1).any(|rest| length(rest) >= 16))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_prefix_alone_is_no_secret() {
        let begin = "sk_live_";
        assert!(!super::has_secret(&format!("Some(\"{begin}\")")));
        assert!(!super::has_secret(&format!("{begin}1")));
        assert!(super::has_secret(&format!("{begin}{}", "4eC39H".repeat(4))));
    }
}
