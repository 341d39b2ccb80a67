use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Need, Source};
use crate::identity::Form;

/// The provider lets a token be spent once.
///
/// A native rung whose floor is zero, whose source is weaker than a specification, or whose need
/// is unmet is a *belt*: sent along, named in the matrix, and not relied on.
///
/// ```
/// use hapax_core::capability::{Native, Source, Twins, Window};
/// use hapax_core::identity::Form;
/// use std::time::Duration;
///
/// const DOC: Source = Source::official("https://docs.stripe.com/api/idempotent_requests", "2026-11-27");
/// const KEY: Native = Native::key("Idempotency-Key", Form::Uuid)
///     .kept(Window::AtLeast(Duration::from_secs(24 * 3600)), "pruned")
///     .one_wins()
///     .from(&[DOC]);
/// assert_eq!(KEY.twins, Twins::OneWins);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Native {
    /// Which token, and who makes it.
    pub token: Token,
    /// How long the provider remembers that it is spent.
    pub life: Life,
    /// What becomes of two requests that carry it at once.
    pub twins: Twins,
    /// What a request gets that repeats a spent token.
    pub repeat: Repeat,
    /// What a failed first request leaves of it.
    pub failures: Failures,
    /// What others may do that makes a repeat act again, as in "nobody ... while an answer is missing".
    pub undone_by: Option<&'static str>,
    /// Within what the provider compares tokens.
    pub scope: &'static [Scope],
    /// What must hold on the connection.
    pub needs: &'static [Need],
    /// Where all this is written.
    pub sources: &'static [Source],
}

/// A token: a key or client id is ours, a handle is the provider's and journaled, a state is a
/// precondition captured once.
#[derive(Clone, Copy, Debug)]
pub enum Token {
    /// An idempotency key that we make.
    Key(Field),
    /// An identifier of the new object that we choose.
    ClientId(Field),
    /// An identifier that the provider made in a harmless step before; the name of that step.
    Handle(&'static str),
    /// A version, ETag, sum or status that the request is conditional on; the name of its note, or
    /// of the status where the endpoint itself has the condition and nothing is journaled.
    State(&'static str),
}

/// Where a token of ours goes, and the form that the provider accepts.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name of the header or field.
    pub name: &'static str,
    /// The form, with the provider's limits.
    pub form: Form,
}

/// How long a token stays spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// The documented floor.
    pub floor: Window,
    /// What ends it, in words.
    pub ends: &'static str,
    /// What a repeat gets afterwards.
    pub then: Then,
}

/// A length of time that the provider promises, or fails to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Nothing is promised.
    Zero,
    /// A key that exists for retries but whose life is not stated counts as one retry loop:
    /// five minutes, printed as presumed.
    Unstated,
    /// At least so long.
    AtLeast(Duration),
    /// Without end.
    Ever,
}

impl Window {
    /// One retry loop.
    pub const RETRY_LOOP: Duration = Duration::from_secs(300);

    /// The floor in milliseconds; `None` is without end.
    pub const fn floor_ms(self) -> Option<u64> {
        match self {
            Self::Zero => Some(0),
            Self::Unstated => Some(Self::RETRY_LOOP.as_millis() as u64),
            Self::AtLeast(floor) => Some(floor.as_millis() as u64),
            Self::Ever => None,
        }
    }
}

/// What a repeat of the token gets when its life is over. These are opposite dangers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The request is carried out as new: a second effect.
    RunsAnew,
    /// The request is refused: harmless.
    Refuses,
}

/// What becomes of two requests with one token at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Twins {
    /// The provider documents that one of them wins.
    OneWins,
    /// Undocumented counts as this.
    BothMayPass,
}

/// What a request gets that repeats a spent token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeat {
    /// The first answer again.
    Replays,
    /// The present state of the object.
    Returns,
    /// An error that names the existing object.
    Names,
    /// An error.
    Refuses,
    /// A success that says nothing.
    Accepts,
    /// The same end state.
    Converges,
}

/// What a failed first request leaves of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failures {
    /// The failure is stored and replayed.
    Kept,
    /// A repeat runs anew.
    Rerun,
    /// The token is spent though nothing came of it.
    Burnt,
    /// Undocumented: the worst case.
    Unknown,
}

/// Within what the provider compares tokens. Journaled with every attempt; when it has changed,
/// the rung is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The account.
    Account,
    /// The credential itself.
    Credential,
    /// The endpoint.
    Endpoint,
    /// The region.
    Region,
    /// Test or live.
    Mode,
    /// The parent object.
    Parent,
}

impl Native {
    const fn worst(token: Token) -> Self {
        Self {
            token,
            life: Life { floor: Window::Zero, ends: "undocumented", then: Then::RunsAnew },
            twins: Twins::BothMayPass,
            repeat: Repeat::Refuses,
            failures: Failures::Unknown,
            undone_by: None,
            scope: &[Scope::Account],
            needs: &[],
            sources: &[],
        }
    }

    /// An idempotency key of ours in this header or field.
    pub const fn key(name: &'static str, form: Form) -> Self {
        Self::worst(Token::Key(Field { name, form }))
    }

    /// An identifier that we choose for the new object.
    pub const fn client_id(name: &'static str, form: Form) -> Self {
        Self::worst(Token::ClientId(Field { name, form }))
    }

    /// A handle that `prepare` journals under this name.
    pub const fn handle(name: &'static str) -> Self {
        Self::worst(Token::Handle(name))
    }

    /// A precondition that `prepare` journals under this name.
    pub const fn state(name: &'static str) -> Self {
        Self::worst(Token::State(name))
    }

    /// How long the token stays spent, and what ends that. A repeat afterwards runs anew.
    pub const fn kept(mut self, floor: Window, ends: &'static str) -> Self {
        self.life = Life { floor, ends, then: Then::RunsAnew };
        self
    }

    /// After its life a repeat is refused rather than carried out.
    pub const fn then_refuses(mut self) -> Self {
        self.life.then = Then::Refuses;
        self
    }

    /// Of two at once, one wins.
    pub const fn one_wins(mut self) -> Self {
        self.twins = Twins::OneWins;
        self
    }

    /// What a repeat gets.
    pub const fn repeat(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    /// What a failed first request leaves.
    pub const fn failures(mut self, failures: Failures) -> Self {
        self.failures = failures;
        self
    }

    /// What others may do that makes a repeat act again, as in "nobody ... while an answer is missing": it is published
    /// as an assumption. A state to which a repeat converges has one in any case.
    pub const fn undone_by(mut self, others: &'static str) -> Self {
        self.undone_by = Some(others);
        self
    }

    /// What others may do that makes a repeat act again.
    pub(crate) fn undo(&self) -> Option<&'static str> {
        let is_state = matches!(self.token, Token::State(_));
        self.undone_by.or((is_state && self.repeat == Repeat::Converges).then_some("changes it back"))
    }

    /// The name of the token: of its header or field, or of the step or state that it is of.
    pub(crate) fn named(&self) -> &'static str {
        match self.token {
            Token::Key(field) | Token::ClientId(field) => field.name,
            Token::Handle(name) | Token::State(name) => name,
        }
    }

    /// Within what tokens are compared.
    pub const fn scope(mut self, scope: &'static [Scope]) -> Self {
        self.scope = scope;
        self
    }

    /// What must hold on the connection.
    pub const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    /// Where it is written.
    pub const fn from(mut self, sources: &'static [Source]) -> Self {
        self.sources = sources;
        self
    }
}
