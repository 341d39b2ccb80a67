//! Shapes that several operations share; only the fields that are read.

use hapax_core::cell::Page;
use hapax_core::transport::{Request, is_plain_segment};
use hapax_core::words::Fault;
use jiff::Timestamp;
use serde::Deserialize;

/// Where mails are.
pub(crate) const MAILS: &str = "/emails";
/// The tag that carries our mark.
pub(crate) const MARK: &str = "hapax";
/// Mails on a page: the most that Resend gives.
const PAGE_SIZE: &str = "100";

/// A mail as Resend stores it. In a list it has no tags.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Mail {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) to: Vec<String>,
    pub(crate) subject: Option<String>,
    pub(crate) created_at: Option<String>,
    pub(crate) scheduled_at: Option<String>,
    pub(crate) last_event: Option<String>,
    pub(crate) tags: Option<Vec<Tag>>,
}

/// A tag of a mail.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// One page of the list. One that doesn't say whether it goes on is unreadable: to take it for the
/// end would be a false absence.
#[derive(Debug, Deserialize)]
pub(crate) struct List {
    data: Vec<Mail>,
    has_more: bool,
}

impl Mail {
    /// The value of our tag; an error where the mail is shown without tags.
    pub(crate) fn mark(&self) -> Result<Option<&str>, NoTags> {
        let tags = self.tags.as_ref().ok_or(NoTags)?;
        Ok(tags.iter().find(|tag| tag.name == MARK).map(|tag| tag.value.as_str()))
    }

    /// What happened to it last. Webhooks name the same events with `email.` before them.
    pub(crate) fn event(&self) -> Option<&str> {
        self.last_event.as_deref().map(|event| event.strip_prefix("email.").unwrap_or(event))
    }

    /// Whether it was surely made before this second since 1970.
    fn is_older_than(&self, since: i64) -> bool {
        self.created_at.as_deref().and_then(seconds).is_some_and(|created| created < since)
    }
}

/// A mail that is shown without tags: nobody can say whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoTags;

/// The list of all mails, from its first page.
pub(crate) fn list() -> Request {
    Request::get(MAILS).query("limit", PAGE_SIZE)
}

/// One mail. Ids may come from callers, so they are checked before they become part of a path.
pub(crate) fn one(id: &str) -> Result<Request, Fault> {
    if is_id(id) { Ok(Request::get(format!("{MAILS}/{id}"))) } else { Err(no_id()) }
}

/// What is said of a text that is no id.
pub(crate) fn no_id() -> Fault {
    Fault::Unread("a mail is named by its id, such as 49a3999c-0ce1-4ea6-ab68-afcd6dc2e794".to_owned())
}

/// Whether a text is an id of Resend's: a UUID.
pub(crate) fn is_id(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    is_plain_segment(text)
        && lengths == [8, 4, 4, 4, 12]
        && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

impl List {
    /// Those of this page that `keep` keeps, made since `since`, and the request for the next page.
    /// The newest come first, so a page on which all are older is the last that matters.
    pub(crate) fn page(self, since: i64, keep: impl Fn(&Mail) -> bool) -> Result<Page<Mail>, Fault> {
        let goes_on = self.has_more && !self.data.iter().all(|mail| mail.is_older_than(since));
        let next = match self.data.last() {
            Some(last) if goes_on => Some(list().query("after", &last.id)),
            None if self.has_more => return Err(Fault::Unread("an empty page of a list that goes on".to_owned())),
            _ => None,
        };
        let hits = self.data.into_iter().filter(|mail| !mail.is_older_than(since) && keep(mail)).collect();
        Ok(Page { hits, next })
    }
}

/// Seconds since 1970 of a time as Resend writes it: `2023-04-03 22:13:42.674981+00`, or RFC 3339.
fn seconds(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(|time| time.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const ID: &str = "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794";

    fn page(value: Value) -> Result<Page<Mail>, Fault> {
        let list: List = serde_json::from_value(value).map_err(|error| Fault::Unread(error.to_string()))?;
        list.page(1_700_000_000, |_| true)
    }

    #[test]
    fn send_walks_back_to_the_first_departure_and_no_further() {
        let mail = |at: &str| json!({ "id": ID, "to": [], "created_at": at });
        let (new, old) = ("2023-11-14 22:13:25.674981+00", "2023-11-14 22:13:19+00");
        let both = page(json!({ "data": [mail(new), mail(old)], "has_more": true })).expect("a page");
        assert_eq!(both.hits.len(), 1);
        assert_eq!(both.next.expect("a next page").target(), format!("/emails?limit=100&after={ID}"));
        let all_old = page(json!({ "data": [mail(old), mail(old)], "has_more": true })).expect("a page");
        assert!(all_old.hits.is_empty() && all_old.next.is_none());
        let undated = page(json!({ "data": [mail("soon")], "has_more": true })).expect("a page");
        assert!(undated.hits.len() == 1 && undated.next.is_some(), "what has no readable time may be new");
    }

    #[test]
    fn a_page_that_does_not_say_whether_it_goes_on_is_an_error() {
        assert!(page(json!({ "data": [] })).is_err());
        assert!(page(json!({ "data": [], "has_more": true })).is_err());
        assert!(page(json!({ "has_more": false })).is_err());
        assert!(page(json!({ "data": [], "has_more": false })).is_ok_and(|page| page.next.is_none()));
    }

    #[test]
    fn times_and_ids_are_read_as_resend_writes_them() {
        assert_eq!(seconds("2023-04-03 22:13:42.674981+00"), Some(1_680_560_022));
        assert_eq!(seconds("2023-04-03T22:13:42.674981+00:00"), Some(1_680_560_022));
        assert_eq!(seconds("2023-04-03T22:13:42.674Z"), Some(1_680_560_022));
        assert_eq!(seconds("tomorrow"), None);
        assert!(is_id(ID) && !is_id("foreign") && !is_id("49a3999c-0ce1-4ea6-ab68-afcd6dc2e79/"));
        assert!(one("../domains").is_err());
    }
}
