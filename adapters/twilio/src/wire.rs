//! Shapes that several operations share; only the fields that are read.

use hapax_core::cell::Page;
use hapax_core::transport::Request;
use jiff::fmt::rfc2822;
use serde::{Deserialize, Deserializer};
use url::{Url, form_urlencoded};

/// Where messages are; the account's SID is put in when the request is signed.
pub(crate) const MESSAGES: &str = "/2010-04-01/Accounts/{AccountSid}/Messages.json";
/// Where calls are.
pub(crate) const CALLS: &str = "/2010-04-01/Accounts/{AccountSid}/Calls.json";
/// Records on a page: a thousand with long texts would not fit into an answer.
const PAGE_SIZE: &str = "200";

/// A Message.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) sid: String,
    pub(crate) status: String,
    pub(crate) direction: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) num_media: Option<String>,
    pub(crate) messaging_service_sid: Option<String>,
    pub(crate) date_created: Option<String>,
    pub(crate) error_code: Option<i64>,
}

/// A Call.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CallRecord {
    pub(crate) sid: String,
    pub(crate) status: String,
    pub(crate) direction: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) date_created: Option<String>,
}

/// One page of a list.
#[derive(Debug, Deserialize)]
pub(crate) struct List<T> {
    #[serde(alias = "messages", alias = "calls")]
    records: Vec<T>,
    /// Null at the end. A page that doesn't say is unreadable: to take it for the end would be a
    /// false absence.
    #[serde(deserialize_with = "query_of")]
    next_page_uri: Option<Vec<(String, String)>>,
}

/// A read of a whole list.
pub(crate) fn list(path: &str, filters: impl IntoIterator<Item = (&'static str, String)>) -> Request {
    let mut request = Request::get(path);
    request.query.extend(filters.into_iter().map(|(name, value)| (name.to_owned(), value)));
    request.query("PageSize", PAGE_SIZE)
}

impl<T> List<T> {
    /// What `keep` keeps of this page, and the request for the next one. Of the address of the next
    /// page only the query is taken: it leads nowhere but to our own path.
    pub(crate) fn page<R>(self, first: &Request, keep: impl FnMut(T) -> Option<R>) -> Page<R> {
        let next = self.next_page_uri.map(|query| Request { query, ..first.clone() });
        Page { hits: self.records.into_iter().filter_map(keep).collect(), next }
    }
}

fn query_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<(String, String)>>, D::Error> {
    let Some(address) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let Some((_, query)) = address.split_once('?') else {
        return Err(serde::de::Error::custom("a next page without a query"));
    };
    Ok(Some(form_urlencoded::parse(query.as_bytes()).into_owned().collect()))
}

/// Seconds since 1970 of a time as Twilio writes it.
pub(crate) fn seconds(time: Option<&str>) -> Option<i64> {
    rfc2822::DateTimeParser::new().parse_timestamp(time?).ok().map(|time| time.as_second())
}

/// Whether a text is a SID with this prefix. SIDs become part of a path, so nothing else may stand
/// in them.
pub(crate) fn is_sid(text: &str, prefixes: &[&str]) -> bool {
    let rest = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.len() == 32 && rest.bytes().all(|letter| letter.is_ascii_hexdigit()))
}

/// Where a record is: the list's path with the SID in it.
pub(crate) fn record(list: &str, sid: &str) -> String {
    format!("{}/{sid}.json", list.trim_end_matches(".json"))
}

/// Whether a URL of media can be fetched.
pub(crate) fn is_web(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn client_page_without_a_next_is_an_error() {
        let read = |value| serde_json::from_value::<List<Message>>(value);
        assert!(read(json!({"messages": []})).is_err());
        assert!(read(json!({"messages": [], "next_page_uri": "/2010-04-01/Accounts/AC1/Messages.json"})).is_err());
        assert!(read(json!({"next_page_uri": null})).is_err());
        assert!(read(json!({"messages": [], "next_page_uri": null})).is_ok());
    }

    #[test]
    fn client_next_page_stays_on_this_account() {
        let next = "https://evil.example/2010-04-01/Accounts/AC9/Messages.json?To=%2B1415&Page=1&PageToken=PAMM1";
        let list: List<Message> =
            serde_json::from_value(json!({"messages": [], "next_page_uri": next})).expect("a page");
        let page = list.page(&self::list(MESSAGES, [("To", "+1415".to_owned())]), Some);
        assert_eq!(page.next.expect("a next page").target(), format!("{MESSAGES}?To=%2B1415&Page=1&PageToken=PAMM1"));
    }

    #[test]
    fn times_are_read_as_twilio_writes_them() {
        assert_eq!(seconds(Some("Thu, 30 Jul 2015 20:12:31 +0000")), Some(1_438_287_151));
        assert_eq!(seconds(Some("2015-07-30")), None);
        assert_eq!(seconds(None), None);
        assert!(is_sid(&format!("SM{}", "a".repeat(32)), &["SM", "MM"]));
        assert!(!is_sid("SM1/../x", &["SM"]));
    }
}
