use std::error::Error;

use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::Response;
use crate::words::Fault;

/// Reads an answer to its end. An answer that was cut off or is too long is none.
pub(super) async fn whole(response: http::Response<Incoming>) -> Result<Response, Fault> {
    let (head, mut body) = response.into_parts();
    let status = head.status.as_u16();
    if status < 200 {
        return Err(Fault::Unread(format!("status {status} to a request that asked for no change of protocol")));
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| after(status, broken(&error)))?;
        let Ok(data) = frame.into_data() else { continue };
        append(&mut bytes, &data, status)?;
    }
    Ok(Response { status, headers: headers(&head.headers), body: bytes })
}

/// Adds to a body that may not grow past [`Response::MAX_BODY`].
pub(super) fn append(body: &mut Vec<u8>, data: &[u8], status: u16) -> Result<(), Fault> {
    if body.len() + data.len() > Response::MAX_BODY {
        return Err(Fault::Unread(format!("status {status} with more than {} bytes", Response::MAX_BODY)));
    }
    body.extend_from_slice(data);
    Ok(())
}

/// Headers in our form. Names come in lower case; a value that is no UTF-8 is kept as far as it is.
pub(super) fn headers(from: &http::HeaderMap) -> Vec<(String, String)> {
    from.iter()
        .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect()
}

/// What a failed exchange says: something came that is no HTTP, or nothing whole came.
pub(super) fn broken(error: &hyper::Error) -> Fault {
    if error.is_parse() { Fault::Unread(reasons(error)) } else { Fault::Lost(reasons(error)) }
}

/// Says which status had come before the body broke off.
pub(super) fn after(status: u16, fault: Fault) -> Fault {
    match fault {
        Fault::Unread(why) => Fault::Unread(format!("status {status}, then {why}")),
        Fault::Lost(why) => Fault::Lost(format!("status {status}, then {why}")),
        other => other,
    }
}

/// An error with what lies under it.
pub(super) fn reasons(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut under = error.source();
    while let Some(source) = under {
        let words = source.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        under = source.source();
    }
    text
}
