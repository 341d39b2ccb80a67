use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Damaged, Identity};
use crate::identity::{Fingerprint, OperationKey};
use crate::protocol::Intent;

/// The beginning of an operation's first row, as [`Began`] is written.
pub(super) const BEGINS: &str = r#"[{"event":"began","#;

/// Whether a row's first event is [`Began`], in whatever order its members stand.
pub(super) fn is_first(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Kind<'a> {
        event: Cow<'a, str>,
    }
    let first = text
        .strip_prefix('[')
        .and_then(|inside| serde_json::Deserializer::from_str(inside).into_iter::<Kind<'_>>().next()?.ok());
    first.is_some_and(|kind| kind.event == Began::EVENT)
}

/// [`Event::Began`](crate::protocol::Event::Began) as it stands in a row.
#[derive(Serialize, Deserialize)]
pub(super) struct Began<'a> {
    event: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<Cow<'a, str>>,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<OperationKey>,
    args: Arc<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<Fingerprint>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    good_until_ms: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    similar: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    stand_in: bool,
}

impl<'a> Began<'a> {
    const EVENT: &'static str = "began";

    /// Leaves out what the identity says too.
    pub(super) fn of(intent: &'a Intent, omit: &Identity) -> Self {
        // Whole, so that a new field of the intent can't be forgotten here.
        let Intent { connection, account, cell, version, key, args, fingerprint, good_until_ms, similar, stand_in } =
            intent;
        Self {
            event: Cow::Borrowed(Self::EVENT),
            connection: (*connection != omit.connection).then_some(Cow::Borrowed(connection.as_str())),
            account: (*account != omit.account).then_some(Cow::Borrowed(account.as_str())),
            cell: (*cell != omit.cell).then_some(Cow::Borrowed(cell.as_str())),
            version: *version,
            key: (key.as_str() != omit.key).then(|| key.clone()),
            args: Arc::clone(args),
            fingerprint: (*fingerprint != omit.fingerprint).then_some(*fingerprint),
            good_until_ms: *good_until_ms,
            similar: similar.clone(),
            stand_in: *stand_in,
        }
    }

    /// Takes from the identity what was left out.
    pub(super) fn intent(self, omitted: &Identity) -> Result<Intent, Damaged> {
        let Self {
            event: _,
            connection,
            account,
            cell,
            version,
            key,
            args,
            fingerprint,
            good_until_ms,
            similar,
            stand_in,
        } = self;
        let bad = |error| Damaged(format!("a stored key is none: {error}"));
        Ok(Intent {
            connection: connection.map_or_else(|| omitted.connection.clone(), Cow::into_owned),
            account: account.map_or_else(|| omitted.account.clone(), Cow::into_owned),
            cell: cell.map_or_else(|| omitted.cell.clone(), Cow::into_owned),
            version,
            key: key.map_or_else(|| OperationKey::new(omitted.key.as_str()).map_err(bad), Ok)?,
            args,
            fingerprint: fingerprint.unwrap_or(omitted.fingerprint),
            good_until_ms,
            similar,
            stand_in,
        })
    }
}
