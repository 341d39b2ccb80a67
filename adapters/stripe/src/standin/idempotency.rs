//! The idempotency layer of the v1 API, over the toolkit's store.

use super::StandIn;
use super::fail::{self, Fail};
use super::routes::Command;
use hapax_standin::{Admission, FailuresKept, KeyRules, KeyScope, Permit, Reply, Request, Twins, Twists};

/// Keys are the account's, not the endpoint's; answers are kept for a day, failures too.
pub(super) const RULES: KeyRules = KeyRules {
    window_ms: 24 * 3600 * 1000,
    scope: KeyScope::Account,
    failures: FailuresKept::Kept,
    twins: Twins::OneWins,
    replay_marker: Some(("Idempotent-Replayed", "true")),
};

impl StandIn {
    /// Answers a POST, under its key if it has one that is looked at, or a DELETE, which has none in v1.
    pub(super) async fn under_key(&self, request: &Request, twists: &Twists, account: &str, id: &str) -> Reply {
        let key = request.header("idempotency-key").filter(|_| request.method == "POST");
        let permit = match key.filter(|_| !twists.key_ignored()) {
            None => None,
            Some(key) => match self.admitted(request, account, key) {
                Ok(permit) => Some(permit),
                Err(reply) => return reply,
            },
        };
        let command = match Command::parse(request) {
            Ok(command) => command,
            // The permit is dropped with this, and nothing is kept.
            Err(fail) => return fail.reply(),
        };
        twists.before_effect().await;
        let reply = self.execute(command, twists, account, key, id);
        let reply = reply.with_header("Original-Request", id);
        let reply = key.map_or(reply.clone(), |key| reply.with_header("Idempotency-Key", key));
        twists.after_effect().await;
        if let Some(permit) = permit {
            permit.store(&reply);
        }
        reply
    }

    fn admitted(&self, request: &Request, account: &str, key: &str) -> Result<Permit, Reply> {
        if key.is_empty() || key.chars().count() > 255 {
            return Err(Fail::invalid("Idempotency keys have between 1 and 255 characters.").reply());
        }
        match self.keys.admit(account, key, &request.path, &parameters(request)) {
            Admission::Run(permit) => Ok(permit),
            Admission::Replay(reply) => Err(reply),
            Admission::InUse => Err(fail::in_use(key).reply()),
            Admission::OtherParameters => Err(mismatch("with the same parameters they were first used with", key)),
            Admission::OtherEndpoint(first) => {
                let rule = format!("for the same endpoint they were first used for ('{first}' vs '{}')", request.path);
                Err(mismatch(&rule, key))
            }
        }
    }

    /// Runs the endpoint; a fault may put a stored 500 in place of its answer, or of the whole run.
    fn execute(&self, command: Command, twists: &Twists, account: &str, key: Option<&str>, id: &str) -> Reply {
        let run = || match self.at_desk(account, key, Some(id), |desk| command.run(desk)) {
            Ok(value) => Reply::json(200, &value),
            Err(fail) => fail.reply(),
        };
        let Some((status, effect)) = twists.stored_error() else { return run() };
        if effect {
            run();
        }
        fail::usual(status, None)
    }
}

/// Everything that must be the same when a key comes again, in an order of its own.
fn parameters(request: &Request) -> String {
    let mut pairs: Vec<_> = request.form.iter().chain(&request.query).collect();
    pairs.sort();
    format!("{pairs:?}")
}

/// Stripe gives this error a type and no code.
fn mismatch(rule: &str, key: &str) -> Reply {
    let message = format!(
        "Keys for idempotent requests can only be used {rule}. Try using a key other than '{key}' if you meant to \
         execute a different request."
    );
    Fail::new(400, "idempotency_error", message).reply()
}
