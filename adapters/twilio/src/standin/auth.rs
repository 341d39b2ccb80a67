use super::Twilio;
use super::fail::{Fail, not_let_in};
use crate::wire::is_sid;
use hapax_standin::Request;

/// The account that a request acts in, or 401.
pub(super) fn account(request: &Request, twilio: &Twilio) -> Result<String, Fail> {
    let credentials = request.basic().filter(|pair| twilio.accepted.allows(pair));
    let (user, _) = credentials.ok_or_else(not_let_in)?;
    let account = match request.segments().as_slice() {
        ["2010-04-01", "Accounts", account, ..] => account.trim_end_matches(".json").to_owned(),
        _ => return Err(Fail::unknown_path(request)),
    };
    // An API key acts in its account, which it doesn't name.
    let may_act = is_sid(&account, &["AC"]) && (user == account || user.starts_with("SK"));
    if may_act { Ok(account) } else { Err(not_let_in()) }
}
