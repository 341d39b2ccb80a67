//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Meaning, Row, Source};

const READ: &str = "2026-11-27";

pub(crate) const CREATE_ORDER: Source = Source::spec(
    "https://github.com/amadeus4dev/amadeus-open-api-specification/blob/main/spec/json/FlightCreateOrders_v1_swagger_specification.json",
    READ,
);
pub(crate) const MANAGE_ORDER: Source = Source::spec(
    "https://github.com/amadeus4dev/amadeus-open-api-specification/blob/main/spec/json/FlightOrderManagement_v1_swagger_specification.json",
    READ,
);
pub(crate) const HOTEL_ORDER: Source = Source::spec(
    "https://github.com/amadeus4dev/amadeus-open-api-specification/blob/main/spec/json/HotelBooking_v2_swagger_specification.json",
    READ,
);
const ERRORS: Source =
    Source::official("https://github.com/amadeus4dev/developer-guides/blob/main/docs/common-errors.md", READ);
const LIMITS: Source =
    Source::official("https://github.com/amadeus4dev/developer-guides/blob/main/docs/api-rate-limits.md", READ);
/// DELETE is idempotent, and an id names one order.
pub(crate) const IDEMPOTENT: Source =
    Source::official("https://www.rfc-editor.org/rfc/rfc9110#name-idempotent-methods", READ);
const UNDOCUMENTED: Source = Source::presumed("an undocumented code may follow an effect");

/// How long a booking may take: airlines and hotels answer behind Amadeus. Unstated.
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(90);

/// Bound on automatic work. A priced offer doesn't live longer, and a person who hears tomorrow hears
/// too late.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3600);

// Rows that hold for every operation here.
pub(crate) const UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, ERRORS);
pub(crate) const LIMITED: Row = Row::new(429, "*", "38194", Meaning::NotDone, LIMITS);
pub(crate) const QUOTA: Row = Row::new(429, "*", "38195", Meaning::NotDone, LIMITS);
/// Because some 400 here follow an effect, none refuses without a row of its own.
pub(crate) const OTHER_400: Row = Row::new(400, "*", "*", Meaning::Unclear, UNDOCUMENTED);
pub(crate) const INTERNAL: Row = Row::new(500, "*", "38189", Meaning::Adrift, ERRORS);
pub(crate) const SYSTEM: Row = Row::new(500, "*", "141", Meaning::Adrift, ERRORS);

/// One row for each code.
pub(crate) const fn rows<const N: usize>(
    status: u16,
    codes: [&'static str; N],
    means: Meaning,
    source: Source,
) -> [Row; N] {
    let mut rows = [Row::new(status, "*", "*", means, source); N];
    let mut at = 0;
    while at < N {
        rows[at].code = codes[at];
        at += 1;
    }
    rows
}

/// Several tables as one.
pub(crate) const fn table<const N: usize>(parts: &[&[Row]]) -> [Row; N] {
    let mut table = [OTHER_400; N];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut row = 0;
        while row < parts[part].len() {
            table[at] = parts[part][row];
            (row, at) = (row + 1, at + 1);
        }
        part += 1;
    }
    assert!(at == N, "the table has another length");
    table
}

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Class, Completion, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{BookFlightCell, BookHotelCell, CancelFlightCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let check = |spec: &CellSpec, class: Class, effect: SecondEffect, completion: Completion| {
            let (guarantee, needs) = spec.published();
            assert_eq!((guarantee.class, guarantee.best()), (class, effect), "{}: {}", spec.id, guarantee.sentence());
            assert_eq!(guarantee.completion, completion, "{}", spec.id);
            assert!(needs.is_empty() && guarantee.belts.is_empty(), "{guarantee:?}");
            assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        };
        check(BookFlightCell::SPEC, Class::Human, SecondEffect::Withheld, Completion::NeedsPerson);
        check(BookHotelCell::SPEC, Class::Human, SecondEffect::Withheld, Completion::NeedsPerson);
        check(CancelFlightCell::SPEC, Class::Native, SecondEffect::Enforced, Completion::Automatic);
    }
}
