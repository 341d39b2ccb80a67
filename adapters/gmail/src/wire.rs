//! Shapes of Gmail's answers; only the fields that are read.

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{GeneralPurposeConfig, URL_SAFE_NO_PAD};
use serde::Deserialize;

/// A message, in whatever format it was asked for.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) thread_id: String,
    #[serde(default)]
    pub(crate) label_ids: Vec<String>,
    internal_date: Option<String>,
    payload: Option<Payload>,
    raw: Option<String>,
}

#[derive(Clone, Deserialize)]
struct Payload {
    #[serde(default)]
    headers: Vec<Header>,
}

/// One header of a mail.
#[derive(Clone, Deserialize, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A draft; its message comes without a body unless one is asked for.
#[derive(Clone, Deserialize)]
pub(crate) struct Draft {
    pub(crate) id: String,
    pub(crate) message: Message,
}

/// What a profile names.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    pub(crate) email_address: String,
}

/// One page of a list of messages.
#[derive(Deserialize)]
#[serde(try_from = "RawPage")]
pub(crate) struct Page {
    pub(crate) ids: Vec<String>,
    pub(crate) next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPage {
    messages: Option<Vec<Listed>>,
    next_page_token: Option<String>,
    result_size_estimate: Option<u64>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
}

impl TryFrom<RawPage> for Page {
    type Error = &'static str;

    /// An empty list has no `messages`, but it has an estimate. What has neither is no list, and to
    /// take it for the end would be a false absence.
    fn try_from(raw: RawPage) -> Result<Self, Self::Error> {
        if raw.messages.is_none() && raw.result_size_estimate.is_none() {
            return Err("neither messages nor an estimate");
        }
        let ids = raw.messages.unwrap_or_default().into_iter().map(|listed| listed.id).collect();
        Ok(Self { ids, next: raw.next_page_token.filter(|token| !token.is_empty()) })
    }
}

impl Message {
    /// Whether it has this label.
    pub(crate) fn has_label(&self, label: &str) -> bool {
        self.label_ids.iter().any(|known| known == label)
    }

    /// Whether it was surely made before this moment.
    pub(crate) fn is_older_than(&self, ms: i64) -> bool {
        self.internal_date.as_deref().and_then(|date| date.parse::<i64>().ok()).is_some_and(|date| date < ms)
    }

    /// Its headers, from the payload or from the raw mail; `None` if neither can be read.
    pub(crate) fn headers(&self) -> Option<Vec<Header>> {
        if let Some(payload) = &self.payload {
            return Some(payload.headers.clone());
        }
        let mail = LENIENT.decode(self.raw.as_ref()?).ok()?;
        Some(headers_of(&String::from_utf8_lossy(&mail)))
    }
}

/// The values of the headers of this name.
pub(crate) fn values<'a>(headers: &'a [Header], name: &'a str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value.trim())
}

/// The head of a mail, its folded lines joined.
fn headers_of(mail: &str) -> Vec<Header> {
    let mut headers: Vec<Header> = Vec::new();
    for line in mail.lines().take_while(|line| !line.is_empty()) {
        if line.starts_with([' ', '\t']) {
            if let Some(last) = headers.last_mut() {
                last.value.push(' ');
                last.value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            headers.push(Header { name: name.to_owned(), value: value.trim().to_owned() });
        }
    }
    headers
}

/// Gmail writes base64url with padding, others without.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// As a mail stands in JSON.
pub(crate) fn encoded(mail: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(mail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn send_empty_list_is_told_from_a_foreign_body() {
        let read = |value| serde_json::from_value::<Page>(value);
        assert!(read(json!({})).is_err());
        let empty = read(json!({ "resultSizeEstimate": 0 })).expect("an empty list");
        assert!(empty.ids.is_empty() && empty.next.is_none());
        let page =
            read(json!({ "messages": [{ "id": "m1", "threadId": "t1" }], "nextPageToken": "2" })).expect("a page");
        assert_eq!((page.ids.as_slice(), page.next.as_deref()), (["m1".to_owned()].as_slice(), Some("2")));
    }

    #[test]
    fn headers_are_read_from_the_raw_mail_unfolded() {
        let mail = "To: a@example.com,\r\n b@example.com\r\nX-Hapax-Key: m\r\n\r\nX-Other: body";
        let value = json!({ "id": "m", "threadId": "t", "raw": encoded(mail.as_bytes()) });
        let message: Message = serde_json::from_value(value).expect("a message");
        let headers = message.headers().expect("headers");
        assert_eq!(values(&headers, "to").collect::<Vec<_>>(), ["a@example.com, b@example.com"]);
        assert_eq!(values(&headers, "x-hapax-key").collect::<Vec<_>>(), ["m"]);
        assert_eq!(values(&headers, "X-Other").count(), 0);
    }
}
