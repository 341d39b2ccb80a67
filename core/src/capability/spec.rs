use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Annul, Mark, Native, Need, Query, Row, Source, Sure, Token, Window};
use crate::identity::Form;

/// One (integration × operation) pair: everything that the provider promises about it.
#[derive(Clone, Copy, Debug)]
pub struct CellSpec {
    /// `stripe.charge`: also the file's name, the key in the matrix and the command's argument.
    pub id: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// Raised when arguments or requests change in a way that an epoch under way would notice.
    pub version: u32,
    /// Do once, or be so.
    pub kind: Kind,
    /// What a duplicate would cost.
    pub stakes: Stakes,
    /// Rungs, strongest first; a person comes last.
    pub ladder: &'static [Rung],
    /// The table of answers.
    pub answers: &'static [Row],
    /// How long an answer may take; an attempt's deadline.
    pub answers_within: Duration,
    /// From the deadline until a request is acted on and can be seen, or never.
    pub settle: Duration,
    /// Where the settle is written; presumed if nobody says.
    pub settle_source: Source,
    /// Until when the provider repairs what it left adrift, if that is written anywhere.
    pub repairs: Option<(Duration, Source)>,
    /// Bound on automatic work.
    pub patience: Duration,
    /// What "accepted" leaves open.
    pub fate: Fate,
    /// How and until when it can be reversed, in words.
    pub reversal: &'static str,
    /// Names that `prepare` journals before the request that counts.
    pub notes: &'static [&'static str],
    /// The left-over risk, in one sentence. Never empty.
    pub residual: &'static str,
}

/// Do it once, or see that it is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Needs to be our doing.
    DoOnce,
    /// Anybody's doing satisfies; the receipt says whose.
    BeSo,
}

/// What a duplicate would cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stakes {
    /// A nuisance.
    Low,
    /// An apology.
    Medium,
    /// Money, or something that can't be taken back.
    High,
}

/// What "accepted" leaves open, and how its end is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing: it is done.
    Final,
    /// It may still settle or fail; how that is learned.
    Later(&'static str),
}

/// A person looks.
#[derive(Clone, Copy, Debug)]
pub struct Human {
    /// Where, with which search text. `{...}` names an argument, a note, `mark` or `token`.
    pub place: &'static str,
}

/// One way to make a further request harmless.
#[derive(Clone, Copy, Debug)]
pub enum Rung {
    /// The provider lets a token be spent once.
    Native(Native),
    /// It can be asked.
    Query(Query),
    /// It can be told that it shall not have happened.
    Annul(Annul),
    /// A person looks.
    Human(Human),
}

/// The class that the matrix shows: the kind of the first rung that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The provider's own token.
    Native,
    /// A question that can tell.
    Query,
    /// A person.
    Human,
}

impl CellSpec {
    /// How long a settle is presumed to be where nobody states it.
    pub const PRESUMED_SETTLE: Duration = Duration::from_secs(60);

    /// A cell with nothing promised: high stakes, a person only, settle presumed.
    pub const fn new(id: &'static str, summary: &'static str, ladder: &'static [Rung]) -> Self {
        Self {
            id,
            summary,
            version: 1,
            kind: Kind::DoOnce,
            stakes: Stakes::High,
            ladder,
            answers: &[],
            answers_within: Duration::from_secs(80),
            settle: Self::PRESUMED_SETTLE,
            settle_source: Source::presumed("unstated: presumed 60 s"),
            repairs: None,
            patience: Duration::from_secs(24 * 3600),
            fate: Fate::Final,
            reversal: "not reversible",
            notes: &[],
            residual: "unstated",
        }
    }

    /// What a duplicate would cost.
    pub const fn stakes(mut self, stakes: Stakes) -> Self {
        self.stakes = stakes;
        self
    }

    /// Anybody's doing satisfies.
    pub const fn be_so(mut self) -> Self {
        self.kind = Kind::BeSo;
        self
    }

    /// The table of answers.
    pub const fn answers(mut self, answers: &'static [Row]) -> Self {
        self.answers = answers;
        self
    }

    /// How long an answer may take.
    pub const fn answers_within(mut self, within: Duration) -> Self {
        self.answers_within = within;
        self
    }

    /// From the deadline until a request is acted on and can be seen, or never.
    pub const fn settle(mut self, settle: Duration, source: Source) -> Self {
        self.settle = settle;
        self.settle_source = source;
        self
    }

    /// Until when the provider repairs what it left adrift.
    pub const fn repairs(mut self, within: Duration, source: Source) -> Self {
        self.repairs = Some((within, source));
        self
    }

    /// Bound on automatic work.
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Acceptance leaves something open.
    pub const fn later(mut self, learned: &'static str) -> Self {
        self.fate = Fate::Later(learned);
        self
    }

    /// How and until when it can be reversed.
    pub const fn reversal(mut self, words: &'static str) -> Self {
        self.reversal = words;
        self
    }

    /// Names that `prepare` journals.
    pub const fn notes(mut self, notes: &'static [&'static str]) -> Self {
        self.notes = notes;
        self
    }

    /// The left-over risk.
    pub const fn residual(mut self, words: &'static str) -> Self {
        self.residual = words;
        self
    }

    /// A change that an epoch under way would notice.
    pub const fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// Whether the provider may answer that it doesn't know itself.
    pub fn can_be_adrift(&self) -> bool {
        self.answers.iter().any(|row| matches!(row.means, super::Meaning::Adrift | super::Meaning::KeyBurnt))
    }

    /// The settle that closing relies on. Where the provider may repair a failure later and states
    /// no time for it, nothing is closed before patience is over.
    pub fn closing_settle(&self) -> Duration {
        match (self.can_be_adrift(), self.repairs) {
            (false, _) => self.settle,
            (true, Some((repairs, _))) => self.settle.max(repairs),
            (true, None) => self.settle.max(self.patience),
        }
    }

    /// The settle after which a request is either acted on or never: what resends wait for.
    pub fn resend_settle(&self) -> Duration {
        self.settle
    }

    /// Where a person looks.
    pub fn human(&self) -> &'static str {
        self.ladder
            .iter()
            .find_map(|rung| if let Rung::Human(human) = rung { Some(human.place) } else { None })
            .unwrap_or("the provider's own records")
    }

    /// The integration's part of the id.
    pub fn integration(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(integration, _)| integration)
    }

    /// The operation's part of the id.
    pub fn name(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(_, name)| name)
    }

    /// The native rungs, strongest first.
    pub fn natives(&self) -> impl Iterator<Item = &Native> {
        self.ladder.iter().filter_map(|rung| if let Rung::Native(native) = rung { Some(native) } else { None })
    }

    /// Whether this native rung counts on a connection where `met` says which needs hold; otherwise it is a belt.
    pub fn relies_on(&self, native: &Native, met: &dyn Fn(&Need) -> bool) -> bool {
        native.is_rung(self.answers_within, self.resend_settle()) && native.needs.iter().all(met)
    }

    /// The forms in which tokens and marks of this cell are written.
    pub fn forms(&self) -> (Form, Form) {
        let token = self.natives().find_map(|native| match native.token {
            Token::Key(field) | Token::ClientId(field) => Some(field.form),
            _ => None,
        });
        let mark = self.queries().find_map(|query| match query.mark {
            Mark::Planted(_, form) => Some(form),
            _ => None,
        });
        (token.unwrap_or(Form::Uuid), mark.unwrap_or(Form::Text(32)))
    }

    /// The queries, strongest first.
    pub fn queries(&self) -> impl Iterator<Item = &Query> {
        self.ladder.iter().filter_map(|rung| if let Rung::Query(query) = rung { Some(query) } else { None })
    }
}

impl Native {
    /// Whether the facts alone allow relying on it, needs aside: a floor, a source of at least a
    /// specification, and a life that outlasts one deadline and settle (twice that where both of
    /// two twins may pass).
    fn is_rung(&self, answers_within: Duration, settle: Duration) -> bool {
        let sourced = self.sources.iter().any(|source| source.sure >= Sure::Spec);
        let once = answers_within + settle;
        let least = if self.twins == super::Twins::OneWins { once } else { once * 2 };
        let long_enough = self.life.then == super::Then::Refuses && self.life.floor != Window::Zero
            || self.life.floor.floor_ms().is_none_or(|floor| floor as u128 >= least.as_millis());
        sourced && long_enough
    }

    /// Whether the token is the provider's, made in a step before.
    pub fn is_handle(&self) -> bool {
        matches!(self.token, Token::Handle(_))
    }

    /// Whether we make the token.
    pub fn is_ours(&self) -> bool {
        matches!(self.token, Token::Key(_) | Token::ClientId(_))
    }
}
