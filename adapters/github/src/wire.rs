//! Paths, lists and what several operations share.

use hapax_core::cell::Page;
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use jiff::Timestamp;
use serde::Deserialize;
use url::{Url, form_urlencoded};

/// Records on a page: the most that GitHub gives.
pub(crate) const PAGE_SIZE: &str = "100";

/// Where something of a repository is.
pub(crate) fn path(repository: &str, rest: &str) -> String {
    format!("/repos/{repository}/{rest}")
}

/// Whether this names a repository. It becomes part of a path, so nothing else may stand there.
///
/// # Errors
/// A sentence that says what a name looks like.
pub(crate) fn check_repository(repository: &str) -> Result<(), String> {
    match repository.split_once('/') {
        Some((owner, name)) if is_name(owner) && is_name(name) => Ok(()),
        _ => Err("repository: give owner and name, octocat/hello-world".to_owned()),
    }
}

/// Whether a text can stand in a path as the name of an owner, a repository or a workflow's file.
pub(crate) fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && text.len() < 100 && text.bytes().all(is_plain) && !text.bytes().all(|byte| byte == b'.')
}

/// The number that a person gives for an issue or pull request: `12`, or `octocat/hello-world#12` as in a receipt.
pub(crate) fn number(repository: &str, named: &str) -> Option<u64> {
    let number = named.strip_prefix(repository).map_or(Some(named), |rest| rest.strip_prefix('#'))?;
    number.parse().ok().filter(|number| *number > 0)
}

/// The id of an issue or pull request in a receipt: its number alone is one of many repositories'.
pub(crate) fn numbered(repository: &str, number: u64) -> String {
    format!("{repository}#{number}")
}

/// A time as GitHub takes it.
pub(crate) fn time(unix: i64) -> String {
    Timestamp::from_second(unix).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Seconds since 1970 of a time as GitHub writes it.
pub(crate) fn seconds(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(|time| time.as_second())
}

/// A read of a whole list.
pub(crate) fn list(path: String, filters: impl IntoIterator<Item = (&'static str, String)>) -> Request {
    let mut request = Request::get(path);
    request.query.extend(filters.into_iter().map(|(name, value)| (name.to_owned(), value)));
    request.query("per_page", PAGE_SIZE)
}

/// What `keep` keeps of this page, and the request for the next one.
///
/// # Errors
/// The address of the next page can't be used: to take this for the end would be a false absence.
pub(crate) fn page<T, R>(
    records: Vec<T>,
    response: &Response,
    first: &Request,
    keep: impl FnMut(T) -> Option<R>,
) -> Result<Page<R>, Fault> {
    let next = next_query(response)?.map(|query| Request { query, ..first.clone() });
    Ok(Page { hits: records.into_iter().filter_map(keep).collect(), next })
}

/// The query of the next page's address. The rest of the address is left out: it leads nowhere but to our own path.
fn next_query(response: &Response) -> Result<Option<Vec<(String, String)>>, Fault> {
    let Some(header) = response.header("link") else { return Ok(None) };
    let is_next = |link: &&str| link.split_once('>').is_some_and(|(_, params)| params.contains("rel=\"next\""));
    let Some(next) = header.split('<').find(is_next) else { return Ok(None) };
    let address = next.split('>').next().and_then(|address| Url::parse(address).ok());
    match address.as_ref().and_then(Url::query) {
        Some(query) => Ok(Some(form_urlencoded::parse(query.as_bytes()).into_owned().collect())),
        None => Err(Fault::Unread("a next page without a query".to_owned())),
    }
}

/// Whoever has an account.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct User {
    pub(crate) login: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linking(link: &str) -> Response {
        Response { status: 200, headers: vec![("link".to_owned(), link.to_owned())], body: Vec::new() }
    }

    #[test]
    fn client_next_page_stays_in_this_repository() {
        let first = list(path("octo/repo", "issues"), [("state", "all".to_owned())]);
        let link = "<https://api.github.com/repositories/1/issues?page=1>; rel=\"prev\", \
                    <https://evil.example/repositories/1/issues?state=all&per_page=100&page=3>; rel=\"next\", \
                    <https://api.github.com/repositories/1/issues?page=9>; rel=\"last\"";
        let read = page(vec![1, 2], &linking(link), &first, Some).expect("a page");
        assert_eq!(read.next.expect("a next page").target(), "/repos/octo/repo/issues?state=all&per_page=100&page=3");
        let last = "<https://api.github.com/repositories/1/issues?page=1>; rel=\"prev\"";
        assert!(page(vec![1], &linking(last), &first, Some).expect("the last page").next.is_none());
        assert!(page(vec![1], &Response::default(), &first, Some).expect("the only page").next.is_none());
        for bad in ["<https://api.github.com/repositories/1/issues>; rel=\"next\"", "<issues?page=2>; rel=\"next\""] {
            assert!(page(vec![1], &linking(bad), &first, Some).is_err(), "{bad}");
        }
    }

    #[test]
    fn repositories_are_owner_and_name() {
        for good in ["octocat/hello-world", "a/b.c_d"] {
            assert!(check_repository(good).is_ok(), "{good}");
        }
        for bad in ["", "octocat", "a/b/c", "../x", "a/..", "a/b?c", "a/b c", "https://github.com/a/b"] {
            assert!(check_repository(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_read_as_people_and_receipts_write_them() {
        assert_eq!(number("octo/repo", "12"), Some(12));
        assert_eq!(number("octo/repo", &numbered("octo/repo", 12)), Some(12));
        for bad in ["octo/other#12", "0", "-1", "12/../13", "octo/repo12", ""] {
            assert_eq!(number("octo/repo", bad), None, "{bad}");
        }
        assert_eq!(time(1_700_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(seconds("2023-11-14T22:13:20Z"), Some(1_700_000_000));
        assert_eq!(seconds("2023-11-14T22:13:20.123Z"), Some(1_700_000_000));
    }
}
