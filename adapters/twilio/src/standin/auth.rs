use super::fail::{Fail, not_let_in};
use crate::wire::is_sid;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hapax_standin::Request;

/// The account that a request acts in, or 401.
pub(super) fn account(request: &Request, accepted: &[(String, String)]) -> Result<String, Fail> {
    let (user, password) = request.header("authorization").and_then(basic).ok_or_else(not_let_in)?;
    let is_known = accepted.iter().any(|(known, secret)| (known, secret) == (&user, &password));
    if !(accepted.is_empty() || is_known) {
        return Err(not_let_in());
    }
    let account = match request.segments().as_slice() {
        ["2010-04-01", "Accounts", account, ..] => account.trim_end_matches(".json").to_owned(),
        _ => return Err(Fail::new(404, 20404, format!("The requested resource {} was not found", request.path))),
    };
    // An API key acts in its account, which it doesn't name.
    let may_act = is_sid(&account, &["AC"]) && (user == account || user.starts_with("SK"));
    if may_act { Ok(account) } else { Err(not_let_in()) }
}

fn basic(header: &str) -> Option<(String, String)> {
    let text = String::from_utf8(STANDARD.decode(header.strip_prefix("Basic ")?.trim()).ok()?).ok()?;
    text.split_once(':').map(|(user, password)| (user.to_owned(), password.to_owned()))
}
