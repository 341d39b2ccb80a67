use hapax_core::capability::{Class, Completion, Lasting, SecondEffect};

use crate::{PAYMENTS, PROFILES, RELAY, TICKETS, read};

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

/// The guarantee of one cell of the profiles.
fn profiled(text: &str, cell: &str) -> hapax_core::capability::Guarantee {
    let cells = read(text).cells();
    let cell = cells.iter().find(|known| known.spec().id == cell).expect("a cell of the warehouse");
    cell.spec().published().0
}

#[test]
fn a_profile_fills_in_what_its_family_has_in_common_and_nothing_else() {
    let reserve = profiled(PROFILES, "warehouse.reserve");
    let two_days = Lasting::Seconds(2 * 86_400);
    assert_eq!(reserve.second_effect, [(SecondEffect::Enforced, two_days), (SecondEffect::Withheld, Lasting::Ever)]);
    let unstated = PROFILES.replace("life = \"48 h\"\n", "");
    assert_eq!(
        profiled(&unstated, "warehouse.reserve").best(),
        SecondEffect::Withheld,
        "no draft says how long keys live"
    );

    let ship = profiled(PROFILES, "warehouse.ship");
    assert_eq!(ship.second_effect, [(SecondEffect::Enforced, Lasting::Ever)]);
    assert_eq!(ship.exceptions, ["the id turns out to be taken and the effect is not found"]);
    let address = profiled(PROFILES, "warehouse.set_address");
    assert_eq!((address.class, address.completion), (Class::Native, Completion::Automatic));
}

#[test]
fn a_profile_is_worth_what_its_source_is() {
    let practice = PROFILES.replace("sure = \"official\"", "sure = \"practice\"");
    for cell in ["warehouse.reserve", "warehouse.ship", "warehouse.set_address"] {
        assert_eq!(profiled(&practice, cell).best(), SecondEffect::Withheld, "{cell}");
    }
}

#[test]
fn what_the_file_says_itself_stands() {
    let both = PROFILES.replace("[cells.ship.id]", "[cells.ship.id]\ntwins = \"both-may-pass\"\nlife = \"1 min\"");
    assert_eq!(profiled(&both, "warehouse.ship").best(), SecondEffect::Withheld);
}
