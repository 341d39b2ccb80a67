//! Finds test functions in source text.

/// Names of the functions in this text that carry a test attribute, each with its line.
pub(super) fn tests(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut is_test = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(name) = function(line) {
            if is_test {
                found.push((name.to_owned(), index + 1));
            }
            is_test = false;
        }
    }
    found
}

/// The name of the function that this line begins.
fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = line.strip_prefix("fn ")?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_functions_with_the_attribute_count() {
        let text =
            "fn a() {}\n#[test]\nfn b() {}\n#[tokio::test(flavor = \"x\")]\n#[expect(x)]\nasync fn c() {}\nfn d() {}";
        assert_eq!(super::tests(text), [("b".to_owned(), 3), ("c".to_owned(), 6)]);
    }
}
