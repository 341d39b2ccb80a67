//! What can be called. Everything is drawn from few values, so that keys, claims and times meet.

use hapax_core::ledger::Phase;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Who an operation is.
#[derive(Clone, Debug)]
pub(super) struct Who {
    pub(super) key: u8,
    pub(super) connection: u8,
    pub(super) cell: u8,
    pub(super) args: u8,
}

/// What an append says of the future.
#[derive(Clone, Debug)]
pub(super) struct Says {
    pub(super) claim: Option<u8>,
    pub(super) due: Option<i64>,
}

/// How an operation goes on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Leased,
    Held,
    Asked,
    Happened,
    Closed,
    Alarmed,
}

/// One call. Operations are named by the number of the call that began them, among those that were begun.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Begin { who: Who, says: Says, refuse_similar: bool, similar_since: i64 },
    BeginAgain { operation: usize },
    Grow { operation: usize, off_by: i8, step: Step, says: Says },
    LookUp { operation: usize },
    LookUpKey { who: Who },
    LookUpClaim { account: u8, claim: u8 },
    Due { serves: Vec<(u8, u8)>, now: i64, limit: u32 },
    NextDue { serves: Vec<(u8, u8)>, after: i64 },
    List { phases: Vec<Phase>, cell: Option<u8>, connection: Option<u8>, limit: u32 },
    Adopt { check: u8 },
    NoteRestored { check: u8 },
    Prune { before: i64 },
    Reopen,
}

/// Times in which work is due or something is asked for. [`super::play`] begins at 0 and takes ten for each call, so that
/// most of them meet a time that is on record, or miss it by one.
fn time() -> impl Strategy<Value = i64> {
    (-1..20_i64, prop_oneof![3 => Just(0_i64), 1 => Just(-1), 1 => Just(1)])
        .prop_map(|(tens, beside)| tens * 10 + beside)
}

fn who() -> impl Strategy<Value = Who> {
    (0..4_u8, 0..2_u8, 0..2_u8, 0..2_u8).prop_map(|(key, connection, cell, args)| Who { key, connection, cell, args })
}

fn says() -> impl Strategy<Value = Says> {
    (option::weighted(0.4, 0..3_u8), option::weighted(0.6, time())).prop_map(|(claim, due)| Says { claim, due })
}

fn step() -> impl Strategy<Value = Step> {
    use Step::{Alarmed, Asked, Closed, Happened, Held, Leased};
    prop::sample::select(vec![Leased, Held, Asked, Happened, Closed, Alarmed])
}

fn serves() -> impl Strategy<Value = Vec<(u8, u8)>> {
    vec((0..2_u8, 0..2_u8), 0..4)
}

fn reads() -> impl Strategy<Value = Call> {
    let phases = prop::sample::subsequence(Phase::ALL.to_vec(), 0..=3);
    prop_oneof![
        (0..8_usize).prop_map(|operation| Call::LookUp { operation }),
        who().prop_map(|who| Call::LookUpKey { who }),
        (0..2_u8, 0..3_u8).prop_map(|(account, claim)| Call::LookUpClaim { account, claim }),
        (serves(), time(), 0..5_u32).prop_map(|(serves, now, limit)| Call::Due { serves, now, limit }),
        (serves(), time()).prop_map(|(serves, after)| Call::NextDue { serves, after }),
        (phases, option::of(0..2_u8), option::of(0..2_u8), 0..4_u32)
            .prop_map(|(phases, cell, connection, limit)| Call::List { phases, cell, connection, limit }),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let grow = (0..8_usize, prop_oneof![8 => Just(0_i8), 1 => Just(-1_i8), 1 => Just(1_i8)], step(), says());
    prop_oneof![
        5 => (who(), says(), any::<bool>(), time()).prop_map(|(who, says, refuse_similar, similar_since)| Call::Begin {
            who, says, refuse_similar, similar_since
        }),
        1 => (0..8_usize).prop_map(|operation| Call::BeginAgain { operation }),
        7 => grow.prop_map(|(operation, off_by, step, says)| Call::Grow { operation, off_by, step, says }),
        6 => reads(),
        1 => (0..3_u8).prop_map(|check| Call::Adopt { check }),
        1 => (0..3_u8).prop_map(|check| Call::NoteRestored { check }),
        2 => time().prop_map(|before| Call::Prune { before }),
        1 => Just(Call::Reopen),
    ]
}

/// Sequences of calls.
pub(super) fn sequences() -> impl Strategy<Value = Vec<Call>> {
    vec(call(), 1..40)
}
