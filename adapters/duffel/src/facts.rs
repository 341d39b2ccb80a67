//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Failures, Meaning, Native, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

use crate::client::ACCEPTED;

const READ: &str = "2026-11-28";

const RESPONSES: Source = Source::official("https://duffel.com/docs/api/overview/response-handling", READ);
const NOT_CREATED: Source = Source::official(
    "https://changelog.duffel.com/announcements/we-ve-added-a-new-error-code-for-when-an-order-is-not-created",
    READ,
);
const ERRORS: Source = Source::official("https://duffel.com/docs/api/overview/errors", READ);
/// The scenarios that Duffel describes for tests, each with the code that it is answered with; read in copies alone.
const SCENARIOS: Source = Source::practice("https://duffel.com/docs/api/overview/test-your-integration", READ);
const METADATA: Source =
    Source::official("https://changelog.duffel.com/announcements/1-94c0557b-e9c1-400d-9c97-d649bdc16abc", READ);
const LIST: Source =
    Source::sdk("https://github.com/duffelhq/duffel-api-javascript/blob/main/src/booking/Orders/OrdersTypes.ts", READ);
const PAYMENTS: Source = Source::official("https://duffel.com/docs/api/payments/create-payment", READ);
/// The states in which nothing is paid; read in copies of that page alone.
const STATES: Source = Source::practice("https://duffel.com/docs/api/payments/create-payment", READ);
const PAID_AT: Source = Source::official(
    "https://changelog.duffel.com/announcements/we-now-include-data-on-when-an-order-was-paid-for",
    READ,
);
const CANCELLATIONS: Source = Source::official("https://duffel.com/docs/api/order-cancellations", READ);
const CANCELLING: Source = Source::official("https://duffel.com/docs/guides/cancelling-an-order", READ);
/// Its errors; read in copies alone.
const CANCELLING_ERRORS: Source = Source::practice("https://duffel.com/docs/guides/cancelling-an-order", READ);
const ORDER: Source = Source::official("https://duffel.com/docs/api/v2/orders/create-order", READ);
/// What integrations saw and no page promises: an offer request is booked once, also at the test API.
const SEEN: Source = Source::practice("https://github.com/search?q=offer_request_already_booked&type=code", READ);
const UNDOCUMENTED: Source = Source::presumed("what an airline's error leaves behind is not said");

/// Airlines answer behind Duffel, within 120 seconds; it wants clients to wait a little longer.
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(130);

/// An order may show up a couple of hours after it was made.
const SHOWS_WITHIN: Duration = Duration::from_secs(2 * 3600);

/// Bound on automatic work on an order, which may show up late: those hours and one more.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3 * 3600);

/// Bound on automatic work on an order that is known. A quote and a hold don't wait for long.
pub(crate) const SOON: Duration = Duration::from_secs(3600);

/// A second order from the same offer request is refused. No page promises it, and an order that only the airline
/// knows is not among those that Duffel can compare with: a belt.
pub(crate) const ONE_ORDER: Native = Native::state("offer_request")
    .kept(Window::AtLeast(Duration::from_secs(1800)), "the offer expires")
    .then_refuses()
    .repeat(Repeat::Refuses)
    .failures(Failures::Rerun)
    .scope(&[Scope::Account, Scope::Mode])
    .from(&[SEEN]);

/// The orders that carry our mark. They may be shown hours late, and one that only the airline knows never.
pub(crate) const BY_MARK: Query =
    Query::by_mark("metadata.hapax", Form::Text(32)).lag(SHOWS_WITHIN).reaches(Window::Ever).from(&[METADATA, LIST]);

/// A hold is paid once, as far as Duffel knows: after a lost answer the payment may stand at the airline alone, so
/// it is a belt.
pub(crate) const ONE_PAYMENT: Native =
    Native::state("awaiting_payment").repeat(Repeat::Refuses).failures(Failures::Unknown).from(&[PAYMENTS]);

/// An order has one confirmed cancellation, as far as Duffel knows: after a 500 or a lost answer the airline may have
/// cancelled it alone, what a second confirmation does is not said, and Duffel wants none. So it is a belt.
pub(crate) const ONE_CANCELLATION: Native =
    Native::state("cancellable").repeat(Repeat::Refuses).failures(Failures::Unknown).from(&[ORDER, CANCELLATIONS]);

/// Only the latest quote of an order can be confirmed, and for some time. That it can be confirmed once is not said,
/// and a later one spends it: a belt.
pub(crate) const LATEST_QUOTE: Native =
    Native::handle("quote").then_refuses().repeat(Repeat::Refuses).from(&[CANCELLATIONS, CANCELLING]);

/// An order is read by its id. How soon a read shows a change is not said.
pub(crate) const BY_ID: Query = Query::by_token().reaches(Window::Ever).from(&[ORDER, PAID_AT]);

// Rows that hold for every operation here. Limits (429), 503 and 504 have none: nobody says that nothing was done.
const UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, RESPONSES);
const FINISHING: Row = Row::new(202, "*", ACCEPTED, Meaning::Unclear, RESPONSES);
const INTERNAL: Row = Row::new(500, "*", "*", Meaning::Adrift, RESPONSES);
const GATEWAY: Row = Row::new(502, "*", "*", Meaning::Adrift, RESPONSES);
/// Because airlines answer behind Duffel, no 422 refuses without a row of its own.
const OTHER_422: Row = Row::new(422, "*", "*", Meaning::Unclear, UNDOCUMENTED);
const INVALID: Row = Row::new(422, "validation_error", "*", Meaning::Refused, ERRORS);

/// A refusal of a request by its code.
const fn refused(code: &'static str, source: Source) -> Row {
    Row::new(422, "*", code, Meaning::Refused, source)
}

/// A state in which something else has been done before.
const fn taken(code: &'static str, source: Source) -> Row {
    Row::new(422, "*", code, Meaning::Taken, source)
}

/// The table of orders, bought or held.
pub(crate) const ANSWERS_OF_ORDERS: &[Row] = &[
    UNAUTHORIZED,
    FINISHING,
    INTERNAL,
    GATEWAY,
    Row::new(502, "*", "order_not_created", Meaning::Refused, NOT_CREATED),
    OTHER_422,
    INVALID,
    taken("offer_request_already_booked", SEEN),
    taken("offer_request_already_actioned", SEEN),
    refused("offer_no_longer_available", SCENARIOS),
    refused("insufficient_balance", SCENARIOS),
];

/// The table of payments.
pub(crate) const ANSWERS_OF_PAYMENTS: &[Row] = &[
    UNAUTHORIZED,
    FINISHING,
    INTERNAL,
    GATEWAY,
    OTHER_422,
    INVALID,
    taken("already_paid", STATES),
    refused("already_cancelled", STATES),
    refused("past_payment_required_by_date", STATES),
    refused("schedule_changed", STATES),
    refused("price_changed", PAYMENTS),
    refused("insufficient_balance", SCENARIOS),
];

/// The table of confirmations. That one which comes too late leaves nothing is not said: the airline may have cancelled
/// before it says that the order can't be cancelled.
pub(crate) const ANSWERS_OF_CANCELLATIONS: &[Row] = &[
    UNAUTHORIZED,
    FINISHING,
    INTERNAL,
    GATEWAY,
    OTHER_422,
    INVALID,
    taken("already_cancelled", SEEN),
    // Another quote has taken its place, perhaps one of our own that came late: whoever took it may confirm it.
    taken("order_cancellation_stale", CANCELLING_ERRORS),
];

/// The table of quotes, which change nothing.
pub(crate) const ANSWERS_OF_QUOTES: &[Row] =
    &[UNAUTHORIZED, OTHER_422, INVALID, refused("order_not_cancellable", CANCELLING_ERRORS)];

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Class, Completion, Lasting, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{BookCell, CancelCell, HoldCell, PayCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let check = |spec: &CellSpec, class: Class, effect: SecondEffect, completion: Completion, belts: &str| {
            let (guarantee, needs) = spec.published();
            assert_eq!(guarantee.class, class, "{}: {}", spec.id, guarantee.sentence());
            assert_eq!(guarantee.second_effect, [(effect, Lasting::Ever)], "{}", spec.id);
            assert_eq!((guarantee.completion, guarantee.belts.join(" ").as_str()), (completion, belts));
            assert!(needs.is_empty(), "{}", spec.id);
            assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        };
        let found = Completion::AutomaticIfFound;
        check(BookCell::SPEC, Class::Query, SecondEffect::Withheld, found, "offer_request");
        check(HoldCell::SPEC, Class::Query, SecondEffect::Withheld, found, "offer_request");
        check(PayCell::SPEC, Class::Query, SecondEffect::Withheld, found, "awaiting_payment");
        check(CancelCell::SPEC, Class::Query, SecondEffect::Withheld, found, "cancellable quote");
    }
}
