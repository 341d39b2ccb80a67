//! Files that go with a mail.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::mail::has_breaks;

/// A file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Its name, in any script.
    pub filename: String,
    /// `application/pdf`.
    pub content_type: String,
    /// Its bytes in base64 (RFC 4648, with padding).
    pub content: String,
    /// What the HTML calls it, as in `cid:logo`; it is then shown in the mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_id: Option<String>,
}

impl Attachment {
    /// How many bytes it has once it is encoded.
    ///
    /// # Errors
    /// A sentence that names the field.
    pub(crate) fn check(&self) -> Result<usize, String> {
        if self.filename.is_empty() || has_breaks(&self.filename) {
            return Err("filename: give a name in one line".to_owned());
        }
        if self.content.is_empty() || STANDARD.decode(&self.content).is_err() {
            return Err("content: it is no base64 with padding".to_owned());
        }
        let is_kind = |kind: &str| kind.split_once('/').is_some_and(|(one, two)| !one.is_empty() && !two.is_empty());
        if has_breaks(&self.content_type) || !is_kind(&self.content_type) {
            return Err("content_type: give a media type such as application/pdf".to_owned());
        }
        if self.content_id.as_ref().is_some_and(|id| id.is_empty() || has_breaks(id)) {
            return Err("content_id: give a name in one line".to_owned());
        }
        Ok(self.content.len())
    }

    /// As SendGrid reads it.
    pub(crate) fn written(&self) -> Value {
        let mut file = json!({
            "content": self.content, "filename": self.filename, "type": self.content_type, "disposition": "attachment",
        });
        if let Some(id) = &self.content_id {
            file["content_id"] = id.clone().into();
            file["disposition"] = "inline".into();
        }
        file
    }
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment").field("content_type", &self.content_type).finish_non_exhaustive()
    }
}
