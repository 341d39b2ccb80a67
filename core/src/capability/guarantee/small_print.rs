//! What a promise leaves out when it is said in one sentence: exceptions, assumptions, belts.

use super::{Completion, words};
use crate::capability::{
    Absence, CellSpec, Failures, GuardKind, Kind, Meaning, Native, Need, Query, Repeat, Standing, Sure, Token, Window,
};

/// Cases in which a person decides although the completion says that it goes by itself: they follow
/// from the same facts, and a promise that left them out would be too strong.
pub(super) fn exceptions(spec: &CellSpec, standing: &Standing, completion: Completion) -> Vec<String> {
    let mut exceptions = Vec::new();
    // Where what isn't found is a person's in any case, there is nothing to except.
    if matches!(completion, Completion::NeedsPerson | Completion::AutomaticIfFound) {
        return exceptions;
    }
    // What is adrift is neither sent again nor closed before patience is over; a stated time for
    // repairs ends the doubt. A burnt key is replaced, under the protection of a stronger token.
    if spec.repairs.is_none() && spec.answers.iter().any(|row| row.means == Meaning::Adrift) {
        exceptions.push(format!(
            "the provider answers that it doesn't know itself ({}) and the effect is not found",
            adrift(spec)
        ));
    }
    // Where a repeat of a spent token tells nothing, only the look tells by what it was spent.
    let is_silent = |repeat| matches!(repeat, Repeat::Refuses | Repeat::Accepts);
    let absence = standing.look.map_or(Absence::Nothing, |look| look.absence);
    let silent = |is_it: &dyn Fn(&Native) -> bool| {
        absence != Absence::Proves && spec.natives().any(|native| is_silent(native.repeat) && is_it(native))
    };
    if silent(&Native::is_handle) {
        exceptions.push("the handle turns out to be spent and the effect is not found".to_owned());
    }
    if silent(&|native| matches!(native.token, Token::ClientId(_))) {
        exceptions.push("the id turns out to be taken and the effect is not found".to_owned());
    }
    // A version that is captured once is also spent by what others change.
    if silent(&|native| matches!(native.token, Token::State(name) if spec.notes.contains(&name))) {
        exceptions.push("somebody else changes it after its version was noted and it is not found as asked".to_owned());
    }
    // A key of which a server error leaves nothing, or nobody says what, is not relied on after one; and one that keeps
    // the error repeats it to every further request, unless a row says that it is adrift, which is excepted above. A burnt
    // key is replaced.
    let is_adrift = spec.answers.iter().any(|row| row.means == Meaning::Adrift);
    let tells = |failures| failures == Failures::Burnt || (failures == Failures::Kept && is_adrift);
    let tells_nothing = standing.guards.iter().all(|guard| guard.kind == GuardKind::Key && !tells(guard.failures));
    if tells_nothing && !standing.guards.is_empty() && absence != Absence::Proves {
        exceptions.push("the provider answers with a server error and the effect is not found".to_owned());
    }
    exceptions
}

/// The answers by which a provider says that it doesn't know itself.
fn adrift(spec: &CellSpec) -> String {
    let rows = spec.answers.iter().filter(|row| row.means == Meaning::Adrift);
    let mut statuses: Vec<String> = Vec::new();
    for row in rows {
        let status = if row.status == 0 { "any error".to_owned() } else { format!("status {}", row.status) };
        if !statuses.contains(&status) {
            statuses.push(status);
        }
    }
    statuses.join(", ")
}

pub(super) fn assumptions(spec: &CellSpec, met: &dyn Fn(&Need) -> bool) -> Vec<String> {
    let mut assumes = Vec::new();
    if spec.settle_source.sure == Sure::Presumed {
        assumes.push(format!(
            "a request sent by its deadline is acted on within {} after it, or never (presumed)",
            words(spec.settle.as_secs())
        ));
    }
    if spec.can_be_adrift() && spec.repairs.is_none() {
        assumes.push(format!(
            "the provider repairs what it left adrift within {} (presumed: hapax's patience)",
            words(spec.patience.as_secs())
        ));
    }
    let relied_on = |native: &&Native| spec.relies_on(native, met);
    if spec.natives().filter(relied_on).any(|native| native.life.floor == Window::Unstated) {
        assumes.push(format!(
            "the key lives for one retry loop, {} (presumed: its life is not stated)",
            words(Window::RETRY_LOOP.as_secs())
        ));
    }
    // What others can undo is spent only as long as they don't.
    for undo in spec.natives().filter(relied_on).filter_map(Native::undo) {
        assumes.push(format!("nobody {undo} while an answer is missing: a repeat would do it again"));
    }
    // Where nothing can be asked, or only one record read, a second effect shows nowhere.
    let shows = |query: &Query| query.asks_by_itself() && !query.reads_one && query.needs.iter().all(met);
    if spec.kind == Kind::DoOnce && !spec.queries().any(shows) {
        for native in spec.natives().filter(relied_on) {
            assumes.push(format!("the provider keeps to {}: a second effect would show nowhere", native.named()));
        }
    }
    assumes
}

pub(super) fn belts(spec: &CellSpec, met: &dyn Fn(&Need) -> bool) -> Vec<String> {
    spec.natives().filter(|native| !spec.relies_on(native, met)).map(|native| native.named().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::{Human, Row, Rung, Source};

    const DOC: Source = Source::official("https://example.com", "2026-11-28");
    const HUMAN: Rung = Rung::Human(Human { place: "there" });
    const SAME: Native = Native::state("content").kept(Window::Ever, "words").repeat(Repeat::Converges).from(&[DOC]);
    const ONCE: Native = Native::state("open").kept(Window::Ever, "words").from(&[DOC]);
    const REOPENED: Native = ONCE.undone_by("opens it again");

    const CONVERGES: CellSpec = CellSpec::new("toy.update", "-", &[Rung::Native(SAME), HUMAN]).be_so();
    const KEY: Native = Native::key("key", crate::identity::Form::Uuid).kept(Window::Ever, "words").from(&[DOC]);
    const KEYED: CellSpec = CellSpec::new("toy.send", "-", &[Rung::Native(KEY.repeat(Repeat::Converges)), HUMAN]);
    const FINAL: CellSpec = CellSpec::new("toy.delete", "-", &[Rung::Native(ONCE), HUMAN]).be_so();
    const REVERSIBLE: CellSpec = CellSpec::new("toy.close", "-", &[Rung::Native(REOPENED), HUMAN]).be_so();
    const BELT: CellSpec = CellSpec::new(
        "toy.close",
        "-",
        &[Rung::Native(Native::state("open").undone_by("opens it again").from(&[DOC])), HUMAN],
    )
    .be_so();

    /// The exceptions of a cell with this key, and these rows.
    fn excepted(key: Native, rows: &'static [Row]) -> Vec<String> {
        let ladder: &'static [Rung] = Box::leak(Box::new([Rung::Native(key), HUMAN]));
        CellSpec::new("toy.send", "-", ladder).answers(rows).published().0.exceptions
    }

    #[test]
    fn a_key_that_repeats_a_server_error_settles_nothing_after_one() {
        let kept = KEY.repeat(Repeat::Replays).failures(Failures::Kept);
        let said = ["the provider answers with a server error and the effect is not found"];
        assert_eq!(excepted(kept, &[]), said);
        assert_eq!(excepted(kept.failures(Failures::Rerun), &[]), said);
        assert!(excepted(kept.failures(Failures::Burnt), &[]).is_empty());
        const ADRIFT: &[Row] = &[Row::new(500, "*", "*", Meaning::Adrift, DOC)];
        let adrift = ["the provider answers that it doesn't know itself (status 500) and the effect is not found"];
        assert_eq!(excepted(kept, ADRIFT), adrift);
    }

    fn undone(spec: &CellSpec) -> Vec<String> {
        assumptions(spec, &|_| true).into_iter().filter(|assumed| assumed.starts_with("nobody")).collect()
    }

    const ASKED: Query = Query::by_mark("mark", crate::identity::Form::Uuid).from(&[DOC]);
    const NAMED: Query = Query { absence: Absence::Nothing, ..Query::by_token().from(&[DOC]) };
    const READ: CellSpec =
        CellSpec::new("toy.send", "-", &[Rung::Native(KEY), Rung::Query(Query::by_token().from(&[DOC])), HUMAN]);
    const UNIQUE: CellSpec =
        CellSpec::new("toy.send", "-", &[Rung::Native(KEY), Rung::Query(ASKED.reads_one()), HUMAN]);
    const SEEN: CellSpec = CellSpec::new("toy.send", "-", &[Rung::Native(KEY), Rung::Query(ASKED), HUMAN]);
    const UNSEEN: CellSpec = CellSpec::new("toy.send", "-", &[Rung::Native(KEY), Rung::Query(NAMED), HUMAN]);
    const LATE: Query = Query { absence: Absence::Nothing, ..ASKED };
    const MARKED: CellSpec = CellSpec::new("toy.send", "-", &[Rung::Native(KEY), Rung::Query(LATE), HUMAN]);
    const TOLD: CellSpec = CellSpec::new("toy.send", "-", &[Rung::Native(KEY), Rung::Query(ASKED.told()), HUMAN]);

    #[test]
    fn where_a_second_effect_would_show_nowhere_the_token_is_assumed_to_be_kept() {
        let kept = |spec: &CellSpec| {
            assumptions(spec, &|_| true).into_iter().filter(|assumed| assumed.contains("nowhere")).collect::<Vec<_>>()
        };
        let said = ["the provider keeps to key: a second effect would show nowhere"];
        for unseen in [KEYED, UNSEEN, READ, UNIQUE, TOLD] {
            assert_eq!(kept(&unseen), said);
        }
        assert!(
            kept(&SEEN).is_empty() && kept(&MARKED).is_empty(),
            "a look after the second request sees what is there"
        );
        assert!(kept(&REVERSIBLE).is_empty(), "what is so can't be so twice");
        assert!(kept(&CellSpec::new("toy.send", "-", &[HUMAN])).is_empty(), "nothing goes out twice");
    }

    #[test]
    fn what_others_can_undo_is_assumed_not_to_be_undone() {
        assert_eq!(
            undone(&CONVERGES),
            ["nobody changes it back while an answer is missing: a repeat would do it again"]
        );
        assert_eq!(
            undone(&REVERSIBLE),
            ["nobody opens it again while an answer is missing: a repeat would do it again"]
        );
        assert!(undone(&KEYED).is_empty(), "what a key did isn't done again, whatever others do");
        assert!(undone(&FINAL).is_empty(), "what is final can't be undone");
        assert!(undone(&BELT).is_empty(), "nothing is assumed of what isn't relied on");
    }
}
