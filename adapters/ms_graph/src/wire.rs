//! Paths, headers and shapes that several operations share; only the fields that are read.

use hapax_core::cell::{Context, Page};
use hapax_core::transport::{Method, Request};
use hapax_core::words::Fault;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What stands for the mailbox in paths until a request is authorized: cells don't know whose it is.
pub(crate) const MAILBOX: &str = "{mailbox}";

/// Our own set of extended properties.
const SET: &str = "{6f1a2c7e-4b0d-4e57-9c1e-8d6b3f2a9e10}";

/// The extended property that carries our mark.
pub(crate) fn key_property() -> String {
    format!("String {SET} Name hapax")
}

/// The extended property that carries a digest of what was asked.
pub(crate) fn asked_property() -> String {
    format!("String {SET} Name hapaxAsked")
}

/// Asks for ids that stay when an item is moved (F3). Each request has to.
const LASTING: &str = "IdType=\"ImmutableId\"";

/// A request about ids that stay when an item is moved.
pub(crate) fn lasting(method: Method, path: String) -> Request {
    Request::new(method, path).header("Prefer", LASTING)
}

/// The same, with times in this zone (F12).
pub(crate) fn lasting_in(method: Method, path: String, zone: &str) -> Request {
    Request::new(method, path).header("Prefer", format!("{LASTING}, outlook.timezone=\"{zone}\""))
}

/// Where one message is.
pub(crate) fn message(id: &str) -> String {
    format!("/v1.0/{MAILBOX}/messages/{id}")
}

/// Where a calendar's events are; without one, those of the default calendar.
pub(crate) fn events(calendar: Option<&str>) -> String {
    match calendar {
        Some(calendar) => format!("/v1.0/{MAILBOX}/calendars/{calendar}/events"),
        None => format!("/v1.0/{MAILBOX}/events"),
    }
}

/// Where one event is, whatever its calendar.
pub(crate) fn event(id: &str) -> String {
    format!("/v1.0/{MAILBOX}/events/{id}")
}

/// Where a chat's messages are.
pub(crate) fn chat(id: &str) -> String {
    format!("/v1.0/chats/{id}/messages")
}

/// Reads one item with our properties, which only `$expand` shows.
pub(crate) fn expanded(path: String) -> Request {
    expand(lasting(Method::Get, path))
}

/// The same, with times in this zone.
pub(crate) fn expanded_in(path: String, zone: &str) -> Request {
    expand(lasting_in(Method::Get, path, zone))
}

fn expand(read: Request) -> Request {
    let wanted = format!("id eq '{}' or id eq '{}'", key_property(), asked_property());
    read.query("$expand", format!("singleValueExtendedProperties($filter={wanted})"))
}

/// Lists the items that carry our mark. A mark has letters and digits only, so it needs no escape.
pub(crate) fn marked(path: String, mark: &str) -> Request {
    let filter =
        format!("singleValueExtendedProperties/Any(ep: ep/id eq '{}' and ep/value eq '{mark}')", key_property());
    lasting(Method::Get, path).query("$filter", filter).query("$select", "id").query("$top", "50")
}

/// One of them.
#[derive(Clone, Deserialize)]
pub(crate) struct Listed {
    id: String,
}

/// One page of a list. A body without `value` is no list.
#[derive(Deserialize)]
pub(crate) struct List<T> {
    value: Vec<T>,
    #[serde(rename = "@odata.nextLink")]
    next_link: Option<String>,
}

impl<T> List<T> {
    /// What `keep` keeps of this page, and the request for the next one. Of the next page's address
    /// only the query is taken: it leads nowhere but to our own path.
    pub(crate) fn page<R>(self, first: &Request, keep: impl FnMut(T) -> Option<R>) -> Result<Page<R>, Fault> {
        let next = match self.next_link.as_deref().map(|link| link.split_once('?')) {
            None => None,
            Some(Some((_, query))) => {
                let query = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
                Some(Request { query, ..first.clone() })
            }
            Some(None) => return Err(Fault::Unread("a next page without a query".to_owned())),
        };
        Ok(Page { hits: self.value.into_iter().filter_map(keep).collect(), next })
    }
}

/// More than one or two can't be ours; so many mean that the filter was ignored.
const MOST_HITS: usize = 20;

/// The items that carry our mark, each read on its own: a list doesn't show properties (F6).
pub(crate) async fn items<T: DeserializeOwned + Marked>(
    cx: &Context,
    list: String,
    one: impl Fn(&str) -> String,
) -> Result<Vec<T>, Fault> {
    let mark = cx.names().mark();
    let first = marked(list, &mark);
    let mut seen = 0;
    let ids = cx.search(first.clone(), |page: List<Listed>, _| {
        seen += page.value.len();
        if seen > MOST_HITS {
            return Err(Fault::Unread("so many hits that the filter was ignored".to_owned()));
        }
        page.page(&first, |listed| Some(listed.id))
    });
    let mut items = Vec::new();
    for id in ids.await? {
        check_id(&id)?;
        // One that was deleted since the list was made is none that is still there.
        let Some(item) = cx.get::<T>(expanded(one(&id))).await? else { continue };
        // Compared here too, and exactly: the filter takes no notice of case.
        if item.properties().value(&key_property()) == Some(&mark) {
            items.push(item);
        }
    }
    Ok(items)
}

/// What a person names may have no mark, but not the mark of another operation: then it is that one's.
///
/// # Errors
/// [`Fault::Echo`] if it has.
pub(crate) fn check_not_anothers(cx: &Context, named: &impl Marked) -> Result<(), Fault> {
    match named.properties().value(&key_property()) {
        Some(mark) if mark != cx.names().mark() => Err(Fault::Echo("mark".to_owned())),
        _ => Ok(()),
    }
}

/// What carries our properties.
pub(crate) trait Marked {
    /// They.
    fn properties(&self) -> &Properties;
}

/// Extended properties, as `$expand` shows them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Properties(Vec<Property>);

#[derive(Clone, Debug, Deserialize)]
struct Property {
    id: String,
    value: String,
}

impl Properties {
    /// The value of one. The set's name comes back in another case than it was written in.
    pub(crate) fn value(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|property| property.id.eq_ignore_ascii_case(id)).map(|property| property.value.as_str())
    }
}

/// Whether this is an id of Graph's, which can stand in a path as it is: base64 for addresses.
pub(crate) fn is_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte);
    !id.is_empty() && id.len() <= 512 && id.bytes().all(is_plain)
}

/// The same, of an answer.
pub(crate) fn check_id(id: &str) -> Result<(), Fault> {
    if is_id(id) { Ok(()) } else { Err(Fault::Unread("an item without an id".to_owned())) }
}

/// Whether this is a user's id or principal name that can stand in a path as it is.
pub(crate) fn is_user(user: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@._-+".contains(&byte);
    (1..=256).contains(&user.len()) && !user.starts_with('.') && !user.contains("..") && user.bytes().all(is_plain)
}

/// A recipient as Graph shows one.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recipient {
    email_address: EmailAddress,
}

#[derive(Clone, Deserialize)]
struct EmailAddress {
    address: Option<String>,
}

impl Recipient {
    /// Its address; some recipients are shown without one.
    pub(crate) fn address(&self) -> &str {
        self.email_address.address.as_deref().unwrap_or_default()
    }
}
