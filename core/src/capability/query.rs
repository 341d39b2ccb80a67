use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Need, Source, Window};
use crate::identity::Form;

/// The provider can be asked whether it happened, or tells us.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// What the question looks for.
    pub mark: Mark,
    /// How long an effect may stay invisible to this question, beyond the cell's own settle.
    pub lag: Duration,
    /// How far back it sees.
    pub horizon: Window,
    /// What it is worth that it finds nothing.
    pub absence: Absence,
    /// It reads the one record that has our id or value, so a second effect would not show in it. Otherwise it sees
    /// every record that is ours.
    pub reads_one: bool,
    /// Only told (webhook, callback), never asked: then absence is worth nothing.
    pub told: bool,
    /// What must hold on the connection.
    pub needs: &'static [Need],
    /// Where it is written.
    pub sources: &'static [Source],
}

/// What a look looks for.
#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// Something of ours that went in with the request: where, and in which form.
    Planted(&'static str, Form),
    /// The token of the first native rung (a client id, a handle).
    Token,
    /// Content that only looks like ours; hits must be claimed.
    Content(&'static [&'static str]),
}

/// What finding nothing is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absence {
    /// Nothing.
    Nothing,
    /// It suggests that there is no effect; a policy may act on it, and it closes nothing.
    Suggests,
    /// It proves that there is none, after settle.
    Proves,
}

impl Query {
    const fn worst(mark: Mark) -> Self {
        Self {
            mark,
            lag: Duration::from_secs(60),
            horizon: Window::Zero,
            absence: Absence::Suggests,
            reads_one: matches!(mark, Mark::Token),
            told: false,
            needs: &[],
            sources: &[],
        }
    }

    /// Looks for a mark that we planted.
    pub const fn by_mark(place: &'static str, form: Form) -> Self {
        Self::worst(Mark::Planted(place, form))
    }

    /// Reads the object by the token itself.
    pub const fn by_token() -> Self {
        Self::worst(Mark::Token)
    }

    /// Looks for content that resembles ours.
    pub const fn by_content(fields: &'static [&'static str]) -> Self {
        Self::worst(Mark::Content(fields))
    }

    /// How long an effect may stay invisible to this question.
    pub const fn lag(mut self, lag: Duration) -> Self {
        self.lag = lag;
        self
    }

    /// How far back it sees.
    pub const fn reaches(mut self, horizon: Window) -> Self {
        self.horizon = horizon;
        self
    }

    /// Its absence is documented to prove that nothing is there.
    pub const fn proves(mut self) -> Self {
        self.absence = Absence::Proves;
        self
    }

    /// It reads the one record that has our value.
    pub const fn reads_one(mut self) -> Self {
        self.reads_one = true;
        self
    }

    /// It can't be asked; it only tells.
    pub const fn told(mut self) -> Self {
        self.told = true;
        self.absence = Absence::Nothing;
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

    /// Whether it can be asked whatever was answered before. A read by the token whose finding nothing is worth nothing
    /// has only what a refusal of the token named, so it shows neither an absence nor a second effect.
    pub fn asks_by_itself(&self) -> bool {
        !self.told && (self.absence != Absence::Nothing || !matches!(self.mark, Mark::Token))
    }
}

/// The provider can be told, by our token or mark, that it shall not have happened.
#[derive(Clone, Copy, Debug)]
pub struct Annul {
    /// Until when it can, in words.
    pub until: &'static str,
    /// How long until that holds.
    pub settle: Duration,
    /// What must hold on the connection.
    pub needs: &'static [Need],
    /// Where it is written.
    pub sources: &'static [Source],
}
