//! Ids that callers give, checked before anything is sent.

/// Whether this is the id of a conversation. Names would be other conversations after a renaming,
/// and a user's id can't be looked through.
pub(crate) fn is_channel(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    text.starts_with(['C', 'G', 'D']) && (2..=32).contains(&text.len()) && text.bytes().all(is_letter)
}

/// Whether this is a message's `ts`: seconds since 1970, a point, six digits.
pub(crate) fn is_ts(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = text.split_once('.');
    parts.is_some_and(|(seconds, rest)| {
        (1..=12).contains(&seconds.len()) && digits(seconds) && rest.len() == 6 && digits(rest)
    })
}

/// Whether this is the id of a scheduled message.
pub(crate) fn is_scheduled(text: &str) -> bool {
    text.starts_with('Q') && (2..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// What names a message: a `ts` alone is unique only within its conversation.
pub(crate) fn message(channel: &str, ts: &str) -> String {
    format!("{channel}/{ts}")
}

/// Checks a conversation's id.
pub(crate) fn check_channel(channel: &str) -> Result<(), String> {
    if is_channel(channel) {
        Ok(())
    } else {
        Err("channel: give the conversation's id, C..., G... or D...; names and users are not taken".to_owned())
    }
}

/// Checks a `ts` in this field.
pub(crate) fn check_ts(field: &str, ts: &str) -> Result<(), String> {
    if is_ts(ts) { Ok(()) } else { Err(format!("{field}: give the ts of a message, such as 1700000000.000100")) }
}

/// Checks seconds since 1970.
pub(crate) fn check_post_at(post_at: i64) -> Result<(), String> {
    // What is beyond the year 5138 was meant as milliseconds.
    if (1..100_000_000_000).contains(&post_at) {
        Ok(())
    } else {
        Err("post_at: give seconds since 1970, not milliseconds".to_owned())
    }
}

/// Checks what a message says.
pub(crate) fn check_text(text: &str, blocks: usize) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("text: it is empty; with blocks it is what notifications say".to_owned());
    }
    if text.chars().count() > MOST_CHARACTERS {
        return Err(format!("text: at most {MOST_CHARACTERS} characters; Slack cuts what is longer"));
    }
    if blocks > MOST_BLOCKS { Err(format!("blocks: at most {MOST_BLOCKS}")) } else { Ok(()) }
}

const MOST_CHARACTERS: usize = 40_000;
const MOST_BLOCKS: usize = 50;
