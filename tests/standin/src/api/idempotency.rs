use crate::keys::{Admission, KeyRules, KeyStore, Permit};
use crate::reply::Reply;
use crate::request::Request;

/// A provider's idempotency layer: its rules, and where in a request the key is.
#[derive(Clone, Debug)]
pub struct Idempotency {
    /// How the keys behave.
    pub rules: KeyRules,
    /// The key of a request that may have an effect; none where the provider looks at none. It refuses a key that is
    /// not one: empty, or too long.
    pub key: fn(&Request) -> Result<Option<String>, Reply>,
    /// What must be the same when a key comes again: [`Request::parameters`] for everything, nothing for providers that
    /// do not compare.
    pub compared: fn(&Request) -> String,
    /// The provider's words when it does not run a request because of its key.
    pub refuse: fn(KeyRefusal<'_>) -> Reply,
}

/// Why a request does not run under its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRefusal<'a> {
    /// The key was first used with other parameters.
    OtherParameters,
    /// The key was first used with this method and path.
    OtherEndpoint(&'a str),
    /// A request with this key is being worked on.
    InUse,
}

impl Idempotency {
    /// The right to run, or what is answered instead: the stored answer, or a refusal.
    pub(super) fn admit(&self, keys: &KeyStore, account: &str, key: &str, request: &Request) -> Result<Permit, Reply> {
        let endpoint = format!("{} {}", request.method, request.path);
        match keys.admit(account, key, &endpoint, &(self.compared)(request)) {
            Admission::Run(permit) => Ok(permit),
            Admission::Replay(reply) => Err(reply),
            Admission::OtherParameters => Err((self.refuse)(KeyRefusal::OtherParameters)),
            Admission::OtherEndpoint(first) => Err((self.refuse)(KeyRefusal::OtherEndpoint(&first))),
            Admission::InUse => Err((self.refuse)(KeyRefusal::InUse)),
        }
    }
}
