//! The email activity of the account.

use hapax_standin::{Beyond, Context, PageSize, Record, Reply};
use serde_json::{Value, json};

use super::{SendGrid, fail};

/// How long it takes until a mail that left is shown.
const LAG_MS: i64 = 20_000;
/// For how long it is shown.
const HISTORY_MS: i64 = 30 * 24 * 3600 * 1000;
/// How long it takes until a mail arrives or doesn't.
const ARRIVES_MS: i64 = 30_000;

const SIZE: PageSize = PageSize { usual: 10, most: 1000, beyond: Beyond::Refused };

/// What one recipient gets of a mail.
pub(super) struct Message {
    pub(super) id: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) subject: String,
    pub(super) args: Value,
    pub(super) batch: Option<String>,
    pub(super) leaves_ms: i64,
}

impl Record for Message {
    fn id(&self) -> &str {
        &self.id
    }

    /// When it leaves: nothing is shown of it before.
    fn created_ms(&self) -> i64 {
        self.leaves_ms
    }
}

impl Message {
    fn status(&self, now_ms: i64) -> &'static str {
        match now_ms - self.leaves_ms >= ARRIVES_MS {
            true if self.to.starts_with("bounce") => "not_delivered",
            true => "delivered",
            false => "processed",
        }
    }

    fn listed(&self, now_ms: i64) -> Value {
        json!({
            "from_email": self.from, "msg_id": self.id, "subject": self.subject, "to_email": self.to,
            "status": self.status(now_ms), "opens_count": 0, "clicks_count": 0,
            "last_event_time": "2017-10-13T18:56:21Z",
        })
    }
}

/// The filters that it knows; any other is refused.
enum Filter {
    Status(String),
    Mark { name: String, value: String },
    IdBegins(String),
}

impl Filter {
    fn read(query: &str) -> Option<Self> {
        if let Some(status) = query.strip_prefix("status=\"").and_then(|rest| rest.strip_suffix('"')) {
            return Some(Self::Status(status.to_owned()));
        }
        if let Some(id) = query.strip_prefix("msg_id LIKE '").and_then(|rest| rest.strip_suffix("%'")) {
            return Some(Self::IdBegins(id.to_owned()));
        }
        let mark = query.strip_prefix("(unique_args['")?.strip_suffix("\")")?;
        let (name, value) = mark.split_once("']=\"")?;
        Some(Self::Mark { name: name.to_owned(), value: value.to_owned() })
    }

    fn keeps(&self, message: &Message, now_ms: i64) -> bool {
        match self {
            Self::Status(status) => message.status(now_ms) == status,
            Self::Mark { name, value } => message.args[name.as_str()] == value.as_str(),
            Self::IdBegins(id) => message.id.starts_with(id.as_str()),
        }
    }
}

pub(super) fn list(context: &mut Context<'_, SendGrid>) -> Result<Value, Reply> {
    let request = context.request;
    let filter = request.param("query").and_then(Filter::read);
    let filter = filter.ok_or_else(|| fail(400, Some("query"), "invalid query"))?;
    let size = SIZE.read(request.param("limit")).map_err(|_| fail(400, Some("limit"), "invalid limit"))?;
    let (now_ms, batches) = (context.now_ms, &context.state.batches);
    let cancelled = |message: &Message| {
        let batch = message.batch.as_ref().and_then(|batch| batches.get(batch));
        batch.is_some_and(|batch| batch.status.is_some())
    };
    let shown = context.list(&context.state.messages).lagging_ms(LAG_MS).horizon_ms(HISTORY_MS);
    let shown = shown.filter(|message| filter.keeps(message, now_ms) && !cancelled(message)).reversed();
    let listed: Vec<Value> = shown.all().into_iter().take(size).map(|message| message.listed(now_ms)).collect();
    Ok(json!({ "messages": listed }))
}

pub(super) fn show(context: &mut Context<'_, SendGrid>) -> Result<Value, Reply> {
    let id = context.path("id");
    let message = context.state.messages.get(&id).filter(|message| message.leaves_ms + LAG_MS <= context.now_ms);
    let message = message.ok_or_else(|| fail(404, Some("message_id"), "not found"))?;
    let mut whole = message.listed(context.now_ms);
    whole["unique_args"] = message.args.to_string().into();
    whole["events"] = json!([]);
    Ok(whole)
}
