use hapax_core::capability::{Class, Completion, Lasting, SecondEffect};

use crate::{PAYMENTS, RELAY, TICKETS, read};

fn published(text: &str) -> (hapax_core::capability::Guarantee, &'static str) {
    let integration = read(text);
    let spec = integration.cells()[0].spec();
    (spec.published().0, spec.id)
}

#[test]
fn a_key_is_enforced_for_as_long_as_it_is_kept() {
    let (guarantee, id) = published(PAYMENTS);
    assert_eq!(id, "payments.pay");
    assert_eq!(guarantee.class, Class::Native);
    let day = Lasting::Seconds(86_400);
    assert_eq!(guarantee.second_effect, [(SecondEffect::Enforced, day), (SecondEffect::Withheld, Lasting::Ever)]);
    assert_eq!(guarantee.completion, Completion::AutomaticWithin(86_400));
}

#[test]
fn a_search_that_is_documented_to_prove_absence_proves_as_far_as_it_reaches() {
    let (guarantee, _) = published(TICKETS);
    assert_eq!(guarantee.class, Class::Query);
    assert_eq!(guarantee.second_effect, [(SecondEffect::Proved, Lasting::Seconds(365 * 86_400))]);
    assert_eq!(guarantee.completion, Completion::Automatic);
}

#[test]
fn where_nothing_can_be_asked_a_person_decides() {
    let (guarantee, _) = published(RELAY);
    assert_eq!((guarantee.class, guarantee.completion), (Class::Human, Completion::NeedsPerson));
}

#[test]
fn what_nobody_has_read_anywhere_is_relied_on_nowhere() {
    for unsourced in [
        PAYMENTS.replace(", read = \"2026-11-28\"", ""),
        PAYMENTS.replace("sure = \"official\"", "sure = \"practice\""),
        PAYMENTS.lines().filter(|line| !line.starts_with("source")).collect::<Vec<_>>().join("\n"),
    ] {
        let (guarantee, _) = published(&unsourced);
        assert_eq!((guarantee.class, guarantee.best()), (Class::Query, SecondEffect::Withheld), "{guarantee:?}");
        assert_eq!(guarantee.belts, ["Idempotency-Key"]);
    }
    let (guarantee, _) = published(&TICKETS.replace("sure = \"official\"", "sure = \"practice\""));
    assert_eq!(guarantee.best(), SecondEffect::Withheld, "an absence proves where a document says so");
}

#[test]
fn what_is_left_out_counts_as_the_worst_case() {
    let bare = |line: &str| PAYMENTS.lines().filter(|known| !known.starts_with(line)).collect::<Vec<_>>().join("\n");
    let life = published(&bare("life = ")).0;
    assert_eq!(life.best(), SecondEffect::Withheld, "a key whose life is not stated");
    // Nobody says how two at once end, so the key must outlast two deadlines; a day does.
    assert_eq!(published(&bare("twins = ")).0.best(), SecondEffect::Enforced);
    let short = bare("twins = ").replace("life = \"24 h\"", "life = \"4 min\"");
    assert_eq!(published(&short).0.best(), SecondEffect::Withheld);
    let failures = published(&bare("failures = ")).0;
    assert_eq!(failures.exceptions, ["the provider answers with a server error and the effect is not found"]);
}
