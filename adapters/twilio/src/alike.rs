//! Whether a stored message looks like the one that was asked for. What can differ, and why, is the
//! table in `FAILURE_MODES.md`.

use crate::send_message::SendMessage;
use crate::wire::{Message, seconds};

/// What accounts on trial get put before their texts.
pub(crate) const TRIAL_PREFIX: &str = "Sent from your Twilio trial account - ";

/// How a stored message compares with the one that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// Everything that can be compared agrees.
    Ours,
    /// It could be: what would tell is not there.
    Unsure,
    /// It isn't.
    Other,
}

/// Compares a record of the list, created since `since`, with the intent.
pub(crate) fn likeness(args: &SendMessage, message: &Message, since: i64) -> Likeness {
    let sent = message.direction.as_deref() == Some("outbound-api");
    let between = message.to.as_deref() == Some(args.to.as_str())
        && args.from.as_ref().is_none_or(|from| message.from.as_deref() == Some(from.as_str()));
    // A message that is sent without a service may be given one by default, so only ours is compared.
    let service = match (&args.messaging_service_sid, &message.messaging_service_sid) {
        (Some(asked), Some(stored)) => asked == stored,
        _ => true,
    };
    if !(sent && between && service) {
        return Likeness::Other;
    }
    match seconds(message.date_created.as_deref()) {
        Some(created) if created < since => Likeness::Other,
        Some(_) => content(args, message),
        None => content(args, message).min_sure(),
    }
}

/// Compares texts and media alone.
pub(crate) fn content(args: &SendMessage, message: &Message) -> Likeness {
    let stored = message.body.as_deref().unwrap_or_default();
    let asked = match (&args.content, &args.body) {
        (Some(template), _) => match &template.rendered {
            Some(text) => text.as_str(),
            None => return Likeness::Unsure,
        },
        (None, body) => body.as_deref().unwrap_or_default(),
    };
    let has_media = !args.media_urls.is_empty();
    let same = stored == asked || stored.strip_prefix(TRIAL_PREFIX) == Some(asked);
    let redacted = stored.is_empty() && !asked.is_empty();
    // Where pictures can't be delivered a service appends a link to them.
    let linked = has_media && stored.starts_with(asked);
    match (same, redacted || linked) {
        // A template may bring media of its own.
        (true, _) if args.content.is_some() || media(message) == args.media_urls.len() => Likeness::Ours,
        (true, _) if has_media => Likeness::Unsure,
        (false, true) => Likeness::Unsure,
        _ => Likeness::Other,
    }
}

fn media(message: &Message) -> usize {
    message.num_media.as_deref().and_then(|count| count.parse().ok()).unwrap_or(0)
}

impl Likeness {
    /// The same, but no surer than unsure.
    fn min_sure(self) -> Self {
        if self == Self::Ours { Self::Unsure } else { self }
    }
}
