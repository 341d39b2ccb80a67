//! Looking for mails that carry our mark.

use hapax_core::cell::Context;
use hapax_core::words::Fault;

use crate::mail::Mail;
use crate::wire::{self, List};

/// What a look found.
pub(crate) struct Found {
    /// Mails with the operation's mark, each with the whole value of our tag.
    pub(crate) ours: Vec<(String, wire::Mail)>,
    /// How many mails could be ours and are shown without tags.
    pub(crate) unsure: usize,
}

/// Reads all mails since the first departure that go to the recipients of one of these, and keeps
/// those whose tag is the mark, or the mark with something after it.
pub(crate) async fn marked(cx: &Context, mails: &[Mail]) -> Result<Found, Fault> {
    let (since, mark) = (cx.names().since_unix(), cx.names().mark());
    let could_be = |stored: &wire::Mail| mails.iter().any(|mail| mail.is_to(stored));
    let listed = cx.search(wire::list(), |list: List, _| list.page(since, could_be)).await?;
    let mut found = Found { ours: Vec::new(), unsure: 0 };
    for mail in listed {
        // Lists have no tags, so each is read by itself. One that is gone meanwhile can't be told.
        let Some(mail) = cx.get::<wire::Mail>(wire::one(&mail.id)?).await? else {
            found.unsure += 1;
            continue;
        };
        match mail.mark() {
            Ok(Some(tag)) if is_of(tag, &mark) => found.ours.push((tag.to_owned(), mail)),
            Ok(_) => {}
            Err(wire::NoTags) => found.unsure += usize::from(mails.iter().any(|asked| asked.is_like(&mail))),
        }
    }
    Ok(found)
}

/// Whether the value of a tag is the mark, or that of a mail in a batch with this mark.
pub(crate) fn is_of(tag: &str, mark: &str) -> bool {
    tag == mark || tag.strip_prefix(mark).is_some_and(|rest| rest.starts_with('-'))
}
