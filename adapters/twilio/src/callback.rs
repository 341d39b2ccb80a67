//! Our mark in the query of URLs that Twilio calls: what comes back with it names the operation.

use url::Url;

/// The name under which it stands there.
pub(crate) const MARK: &str = "hapax";

/// The URL with our mark in its query. What can't be parsed was refused by [`check`].
pub(crate) fn marked(url: &str, mark: &str) -> String {
    match Url::parse(url) {
        Ok(mut url) => {
            url.query_pairs_mut().append_pair(MARK, mark);
            url.into()
        }
        Err(_) => url.to_owned(),
    }
}

/// Whether Twilio can call it: absolute, http(s), and a host without underscores.
pub(crate) fn check(field: &str, url: &str) -> Result<(), String> {
    let parsed = Url::parse(url).map_err(|why| format!("{field}: no URL ({why})"))?;
    match (parsed.scheme(), parsed.host_str()) {
        ("http" | "https", Some(host)) if !host.contains('_') => Ok(()),
        ("http" | "https", _) => Err(format!("{field}: Twilio takes no underscores in the host")),
        (scheme, _) => Err(format!("{field}: http or https, not {scheme}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_beside_what_the_caller_says() {
        assert_eq!(marked("https://example.com/cb", "m1"), "https://example.com/cb?hapax=m1");
        assert_eq!(marked("https://example.com/cb?order=1#x", "m1"), "https://example.com/cb?order=1&hapax=m1#x");
        assert!(check("url", "https://example.com").is_ok());
        for bad in ["example.com/cb", "ftp://example.com", "https://my_host.example.com/"] {
            assert!(check("url", bad).is_err(), "{bad}");
        }
    }
}
