//! Closing issues at the stand-in. Effects are of the kind `close`.

use hapax_standin::Context;
use serde_json::Value;

use super::fail::Fail;
use super::repo::Closing;
use super::{GitHub, effect, repository, text};

/// A PATCH of the state alone. The state that it has is no change, and then the reason is ignored.
pub(super) fn update(context: &mut Context<'_, GitHub>) -> Result<Value, Fail> {
    let (repository, number) = (repository(context), context.path("number"));
    let (state, reason) = (text(context, "state"), text(context, "state_reason").map(str::to_owned));
    if !matches!(state, None | Some("open" | "closed")) {
        return Err(Fail::invalid("Issue", "state", "invalid"));
    }
    if !matches!(reason.as_deref(), None | Some("completed" | "not_planned" | "duplicate" | "reopened")) {
        return Err(Fail::invalid("Issue", "state_reason", "invalid"));
    }
    let now_ms = context.now_ms;
    let repo = context.state.repo(&repository)?;
    let issue = repo.issues.get_mut(&number).ok_or_else(Fail::missing)?;
    let closes = state == Some("closed") && issue.closed.is_none();
    if closes {
        let reason = if issue.is_pull { None } else { reason.or_else(|| Some("completed".to_owned())) };
        issue.close(Closing { reason, at_ms: now_ms });
    } else if state == Some("open") && !issue.is_pull {
        issue.reopen(now_ms);
    }
    let value = issue.value();
    if let Some(pull) = repo.pulls.get_mut(&number).filter(|_| closes) {
        pull.close();
    }
    if closes {
        context.effect(effect("close", &format!("{repository}#{number}"), None, &[]));
    }
    Ok(value)
}
