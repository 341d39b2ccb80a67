//! `send_bulk`: one mail to each of many people, as a group of plain `gmail.send`.

use hapax_core::cell::CellArgs;
use hapax_core::executor::Executor;
use hapax_core::group::{Counts, Course, Group, GroupError, Progress, Target};
use hapax_core::mail_address::Address;
use sha2::{Digest, Sha256};

use crate::mail::Mail;

/// Why there is no bulk. In each case nothing was sent.
#[derive(Debug)]
pub enum BulkError {
    /// A mail that can't go, counted from 1.
    Mail(usize, String),
    /// No group can be made of them.
    Group(GroupError),
}

impl std::fmt::Display for BulkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mail(position, why) => write!(f, "nothing was sent: mail {position}: {why}"),
            Self::Group(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BulkError {}

impl From<GroupError> for BulkError {
    fn from(error: GroupError) -> Self {
        Self::Group(error)
    }
}

/// A group of mails, each to one person, keyed by the person's address: the order of the list means
/// nothing, and who stands in it twice is refused. Freeze it before it is sent.
///
/// # Errors
/// [`BulkError`] names the mail by its place, never by its address.
pub fn bulk(name: &str, mails: impl IntoIterator<Item = Mail>) -> Result<Group, BulkError> {
    let targets = mails.into_iter().enumerate().map(|(place, mail)| {
        let bad = |why: String| BulkError::Mail(place + 1, why);
        let [person] = mail.to.as_slice() else { return Err(bad("to: name exactly one recipient".to_owned())) };
        if !mail.cc.is_empty() || !mail.bcc.is_empty() {
            return Err(bad("cc, bcc: a mail of many has no copies".to_owned()));
        }
        mail.check().map_err(bad)?;
        let args = serde_json::to_value(&mail).map_err(|_| bad("can't be written as JSON".to_owned()))?;
        Ok(Target::new(identity(&person.address), args))
    });
    Ok(Group::new(name, targets.collect::<Result<_, _>>()?)?)
}

/// Sends a group of mails, a few at once; a mailbox may send about 60 a minute. Run again, it goes on
/// where it stopped.
pub async fn send_bulk(
    executor: &Executor,
    connection: &str,
    group: &Group,
    progress: impl FnMut(Progress<'_>),
) -> Counts {
    group.run(executor, &Course::new(connection, "gmail.send"), progress).await
}

/// Names a person in keys, which are printed: a digest of the address, in lower case because nearly
/// every mail system reads it so.
fn identity(address: &Address) -> String {
    let digest = Sha256::digest(address.as_str().to_ascii_lowercase());
    digest[..12].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(all(test, feature = "standin"))]
mod tests;
