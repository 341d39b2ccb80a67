/// The headers of a mail, its folded lines joined.
pub(super) fn of(mail: &str) -> Vec<(String, String)> {
    let mut heads: Vec<(String, String)> = Vec::new();
    for line in mail.lines().take_while(|line| !line.is_empty()) {
        match line.split_once(':') {
            Some((name, value)) if !line.starts_with([' ', '\t']) => {
                heads.push((name.to_owned(), value.trim().to_owned()));
            }
            _ => {
                if let Some((_, value)) = heads.last_mut() {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            }
        }
    }
    heads
}

/// The first header of this name.
pub(super) fn first<'a>(heads: &'a [(String, String)], name: &str) -> Option<&'a str> {
    heads.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The addresses of the people that a mail goes to.
pub(super) fn recipients(heads: &[(String, String)]) -> Vec<String> {
    ["To", "Cc", "Bcc"]
        .iter()
        .filter_map(|name| first(heads, name))
        .flat_map(|people| people.split(','))
        .map(|person| match person.rsplit_once('<') {
            Some((_, address)) => address.trim_end().trim_end_matches('>').to_owned(),
            None => person.trim().to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipients_are_the_addresses_of_all_three_headers() {
        let heads = of("To: \"J\" <j@example.com>,\r\n k@example.com\r\nBcc: <l@example.com>\r\n\r\nTo: body");
        assert_eq!(recipients(&heads), ["j@example.com", "k@example.com", "l@example.com"]);
    }
}
