use crate::client::Call;
use crate::effects::Effect;
use crate::injection::Twists;
use crate::list::{Collection, Listing, Record};
use crate::pattern::PathParams;
use crate::request::Request;
use crate::world::World;

/// What an endpoint works with. Everything in it but the state is a plain reference, so it can be read while the state
/// is being changed.
#[derive(Debug)]
pub struct Context<'a, A> {
    /// The provider's state.
    pub state: &'a mut A,
    /// The request that is being worked on.
    pub request: &'a Request,
    /// What the provider stands on.
    pub world: &'a World,
    /// The faults that the request runs into.
    pub twists: &'a Twists,
    /// The account that the request acts in; empty at an open endpoint.
    pub account: &'a str,
    /// The key that the request carries, if it is looked at.
    pub key: Option<&'a str>,
    /// The provider's time in milliseconds.
    pub now_ms: i64,
    /// The parameters of the path.
    pub params: &'a PathParams,
    pub(super) webhooks: Vec<Call>,
}

impl<'a, A> Context<'a, A> {
    /// The parameter of the path, percent-decoded.
    ///
    /// # Panics
    /// The pattern has no parameter of this name, which is a mistake in the stand-in.
    pub fn path(&self, name: &str) -> String {
        self.params.get(name)
    }

    /// What a list of this collection shows now, oldest first.
    pub fn list<'b, T: Record>(&self, collection: &'b Collection<T>) -> Listing<'b, T> {
        collection.list(self.now_ms, self.twists)
    }

    /// Notes an effect of this request. Account, key and time are filled in if they are empty.
    pub fn effect(&self, effect: Effect) {
        let account = if effect.account.is_empty() { self.account.to_owned() } else { effect.account };
        let token = effect.token.or_else(|| self.key.map(str::to_owned));
        let at_ms = if effect.at_ms == 0 { self.now_ms } else { effect.at_ms };
        self.world.effects.add(Effect { account, token, at_ms, ..effect });
    }

    /// Calls a URL of the caller's once the endpoint is done. Those of one request go out in their order; only `http` is
    /// called, nobody waits for the answer, and nothing is sent a second time.
    pub fn webhook(&mut self, call: Call) {
        self.webhooks.push(call);
    }
}
