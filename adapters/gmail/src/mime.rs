//! A mail as RFC 5322 text. The same mail gives the same bytes: nothing is drawn from a clock or from
//! chance, and Google adds Date and Message-ID itself.

use hapax_core::mail_address;
use lettre::message::header::{self, ContentTransferEncoding, Header, HeaderName, HeaderValue, Headers};
use lettre::message::{Attachment, Body, Mailbox, Mailboxes, MultiPart, MultiPartKind, SinglePart};

use crate::mail::Mail;

/// The header that carries our mark.
pub(crate) const KEY: &str = "X-Hapax-Key";

/// The most that Gmail takes (discovery document, `drafts.create`).
const MOST_BYTES: usize = 36_700_160;

/// Writes the mail.
///
/// # Errors
/// A sentence that names the field.
pub(crate) fn written(mail: &Mail, mark: &str) -> Result<Vec<u8>, String> {
    let heads = heads(mail, mark)?;
    let part = match body(mail, mark)? {
        Part::Single(part) => part.formatted(),
        Part::Multi(part) => part.formatted(),
    };
    // The outermost part begins with headers of its own, so the mail's go right before them.
    let bytes = [heads.to_string().into_bytes(), part].concat();
    if bytes.len() > MOST_BYTES {
        return Err("the mail is larger than Gmail takes".to_owned());
    }
    Ok(bytes)
}

enum Part {
    Single(SinglePart),
    Multi(MultiPart),
}

fn body(mail: &Mail, mark: &str) -> Result<Part, String> {
    let text = SinglePart::plain(mail.text.clone());
    let words = match &mail.html {
        None => Part::Single(text),
        Some(html) => Part::Multi(
            parts(MultiPartKind::Alternative, "alternative", mark)
                .singlepart(text)
                .singlepart(SinglePart::html(html.clone())),
        ),
    };
    if mail.attachments.is_empty() {
        return Ok(words);
    }
    let builder = parts(MultiPartKind::Mixed, "mixed", mark);
    let mut whole = match words {
        Part::Single(text) => builder.singlepart(text),
        Part::Multi(both) => builder.multipart(both),
    };
    for attachment in &mail.attachments {
        // Left to itself the library would write bytes as they are if all of them are ASCII, NUL included.
        let bytes = Body::new_with_encoding(attachment.bytes()?, ContentTransferEncoding::Base64)
            .map_err(|_| "content can't be encoded".to_owned())?;
        whole = whole.singlepart(Attachment::new(attachment.filename.clone()).body(bytes, attachment.kind()?));
    }
    Ok(Part::Multi(whole))
}

/// A multipart whose boundary comes from the mark, which no text can contain by chance.
fn parts(kind: MultiPartKind, name: &str, mark: &str) -> lettre::message::MultiPartBuilder {
    MultiPart::builder().kind(kind).boundary(format!("hapax-{name}-{mark}"))
}

fn heads(mail: &Mail, mark: &str) -> Result<Headers, String> {
    let mut heads = Headers::new();
    if let Some(from) = &mail.from {
        heads.set(header::From::from(Mailboxes::new().with(mailbox(from)?)));
    }
    set(&mut heads, &mail.to, header::To::from)?;
    set(&mut heads, &mail.cc, header::Cc::from)?;
    set(&mut heads, &mail.bcc, header::Bcc::from)?;
    heads.set(header::Subject::from(mail.subject.clone()));
    if let Some(reply) = &mail.reply {
        heads.set(header::InReplyTo::from(reply.in_reply_to.clone()));
        let known = if reply.references.is_empty() { &reply.in_reply_to } else { &reply.references.join(" ") };
        heads.set(header::References::from(known.clone()));
    }
    heads.set(header::MIME_VERSION_1_0);
    heads.insert_raw(HeaderValue::new(HeaderName::new_from_ascii_str(KEY), mark.to_owned()));
    Ok(heads)
}

fn set<H: Header>(
    heads: &mut Headers,
    people: &[mail_address::Mailbox],
    make: fn(Mailboxes) -> H,
) -> Result<(), String> {
    if !people.is_empty() {
        let people = people.iter().map(mailbox).collect::<Result<Vec<_>, _>>()?;
        heads.set(make(people.into_iter().fold(Mailboxes::new(), Mailboxes::with)));
    }
    Ok(())
}

fn mailbox(mailbox: &mail_address::Mailbox) -> Result<Mailbox, String> {
    let address = mailbox.address.as_str().parse().map_err(|_| "address: is no mail address".to_owned())?;
    Ok(Mailbox::new(mailbox.name.clone(), address))
}

#[cfg(test)]
mod tests;
