use std::time::Duration;

use hapax_core::capability::{
    CellSpec, Failures, Meaning, Native, Query, Row, Rung, SecondEffect, Source, Standing, Twins, Window,
};
use hapax_core::identity::Form;

const DOC: Source = Source::official("https://example.com/docs", "2026-11-27");
const KEY: Native =
    Native::key("Idempotency-Key", Form::Uuid).kept(Window::AtLeast(Duration::from_secs(600)), "pruned").from(&[DOC]);
const PROVES: Query =
    Query::by_mark("reference", Form::Uuid).lag(Duration::ZERO).reaches(Window::Ever).proves().from(&[DOC]);
const SUGGESTS: Query = Query::by_mark("reference", Form::Uuid).lag(Duration::ZERO).reaches(Window::Ever).from(&[DOC]);
const CONTENT: Query = Query::by_content(&["to", "body"]).lag(Duration::ZERO).reaches(Window::Ever).from(&[DOC]);
const ADRIFT: &[Row] = &[Row::new(500, "*", "*", Meaning::Adrift, DOC)];
const BURNT: &[Row] = &[Row::new(500, "*", "*", Meaning::KeyBurnt, DOC)];

/// An attempt's deadline in every cell here, in seconds.
pub(crate) const DEADLINE: u64 = 10;
/// From the deadline until it is acted on, or never.
pub(crate) const SETTLE: u64 = 60;
/// From a departure until everything about it can be seen.
pub(crate) const SETTLED: u64 = DEADLINE + SETTLE;

const fn cell(ladder: &'static [Rung]) -> CellSpec {
    CellSpec::new("toy.do", "Does it", ladder)
        .answers_within(Duration::from_secs(DEADLINE))
        .settle(Duration::from_secs(SETTLE), DOC)
        .patience(Duration::from_secs(3600))
}

const ONE_WINS: CellSpec = cell(&[Rung::Native(KEY.one_wins().failures(Failures::Kept))]);
const TWINS: CellSpec = cell(&[Rung::Native(KEY.failures(Failures::Kept))]);
const RERUN: CellSpec = cell(&[Rung::Native(KEY.one_wins().failures(Failures::Rerun))]);
const STORED: CellSpec = cell(&[Rung::Native(KEY.one_wins().failures(Failures::Kept))]).answers(ADRIFT);
const SHORT: CellSpec = cell(&[Rung::Native(KEY.kept(Window::AtLeast(Duration::from_secs(60)), "pruned").one_wins())]);
const HANDLE: CellSpec = cell(&[
    Rung::Native(Native::handle("intent").kept(Window::Ever, "canceled").one_wins().from(&[DOC])),
    Rung::Native(KEY.one_wins().failures(Failures::Kept)),
    Rung::Query(PROVES),
])
.answers(BURNT)
.repairs(Duration::from_secs(120), DOC)
.notes(&["intent"]);
const QUERY: CellSpec = cell(&[Rung::Query(PROVES)]);
const SUGGEST: CellSpec = cell(&[Rung::Query(SUGGESTS)]);
const BY_CONTENT: CellSpec = cell(&[Rung::Query(CONTENT)]);
const STATE: CellSpec = cell(&[
    Rung::Native(Native::state("version").kept(Window::Ever, "changed").one_wins().from(&[DOC])),
    Rung::Query(PROVES),
])
.be_so()
.notes(&["version"]);
const HUMAN: CellSpec = cell(&[]);

fn standing(spec: &CellSpec, likely: bool) -> Standing {
    spec.standing(&|_| true, SecondEffect::Withheld, likely)
}

/// A key for ten minutes; of two requests with it, one wins.
pub(crate) fn key() -> Standing {
    standing(&ONE_WINS, false)
}

/// A key for ten minutes; two requests at once may both pass.
pub(crate) fn twins() -> Standing {
    assert_eq!(KEY.twins, Twins::BothMayPass, "undocumented counts as the worst");
    standing(&TWINS, false)
}

/// A key under which a repeat after a failure runs anew.
pub(crate) fn rerun() -> Standing {
    standing(&RERUN, false)
}

/// A key under which a failure is stored that the provider may repair; nobody says until when.
pub(crate) fn stored() -> Standing {
    standing(&STORED, false)
}

/// A key whose window is shorter than deadline and settle.
pub(crate) fn short() -> Standing {
    standing(&SHORT, false)
}

/// A handle and a key; a stored failure burns the key. Repairs are over after two minutes.
pub(crate) fn handle() -> Standing {
    standing(&HANDLE, false)
}

/// A question whose absence proves.
pub(crate) fn query() -> Standing {
    standing(&QUERY, false)
}

/// A question whose absence suggests.
pub(crate) fn suggests(likely: bool) -> Standing {
    standing(&SUGGEST, likely)
}

/// A question for content that only looks like ours.
pub(crate) fn content() -> Standing {
    standing(&BY_CONTENT, false)
}

/// A precondition: anybody's doing satisfies.
pub(crate) fn be_so() -> Standing {
    standing(&STATE, false)
}

/// Nothing but a person.
pub(crate) fn human() -> Standing {
    standing(&HUMAN, false)
}
