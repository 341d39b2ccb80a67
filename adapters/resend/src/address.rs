//! How Resend reads and shows who a mail is from and for.

use hapax_core::mail_address::Mailbox;

/// As Resend reads it: `Jane <jane@example.org>`, the name in quotes where a mail header needs
/// them, so that a comma in it doesn't make two recipients.
pub(crate) fn written(mailbox: &Mailbox) -> String {
    let address = mailbox.address.as_str();
    let Some(name) = mailbox.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) else {
        return address.to_owned();
    };
    let is_plain = |letter: char| letter.is_alphanumeric() || " -_'!#$%&*+/=?^`{|}~".contains(letter);
    if name.chars().all(is_plain) {
        return format!("{name} <{address}>");
    }
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\" <{address}>")
}

/// The address in `Jane <jane@example.org>` or in what is one already, in a form that can be compared.
pub(crate) fn bare(written: &str) -> String {
    let inner = written.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or(written, |(inner, _)| inner);
    inner.trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> String {
        written(&Mailbox::named("jane@example.org".parse().expect("an address"), name))
    }

    #[test]
    fn send_names_are_quoted() {
        assert_eq!(named("Jané Novák"), "Jané Novák <jane@example.org>");
        assert_eq!(named("山田 太郎"), "山田 太郎 <jane@example.org>");
        assert_eq!(named("Doe, Jane"), "\"Doe, Jane\" <jane@example.org>");
        assert_eq!(named("Jane \"J\" \\ Doe"), "\"Jane \\\"J\\\" \\\\ Doe\" <jane@example.org>");
        assert_eq!(named("evil@example.org>"), "\"evil@example.org>\" <jane@example.org>");
        assert_eq!(named("  "), "jane@example.org");
    }

    #[test]
    fn addresses_are_compared_without_names() {
        assert_eq!(bare("\"Doe, <Jane>\" <Jane@Example.org>"), "jane@example.org");
        assert_eq!(bare("jane@example.org"), "jane@example.org");
    }
}
