//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Absence, Failures, Meaning, Native, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

pub(crate) const ORDERS: Source = Source::spec(
    "https://github.com/paypal/paypal-rest-api-specifications/blob/main/openapi/checkout_orders_v2.json",
    READ,
);
pub(crate) const PAYMENTS: Source = Source::spec(
    "https://github.com/paypal/paypal-rest-api-specifications/blob/main/openapi/payments_payment_v2.json",
    READ,
);
const INVOICING: Source =
    Source::spec("https://github.com/paypal/paypal-rest-api-specifications/blob/main/openapi/invoicing_v2.json", READ);
const INVOICE_ERRORS: Source =
    Source::official("https://docs.paypal.ai/growth/grow-business/invoicing/troubleshooting", READ);
const INVOICE_TESTS: Source =
    Source::official("https://docs.paypal.ai/growth/grow-business/invoicing/test-go-live", READ);
const INVOICE_NUMBERS: Source =
    Source::practice("seen in the sandbox; error 580046 of the older Invoicing Service API says the same", READ);
const IDEMPOTENCY: Source = Source::official("https://developer.paypal.com/reference/guidelines/idempotency", READ);
const IN_PROGRESS: Source = Source::presumed("PayPal is still working on an earlier request for the order");

pub(crate) const PAYOUTS: Source = Source::spec(
    "https://github.com/paypal/paypal-rest-api-specifications/blob/main/openapi/payments_payouts_batch_v1.json",
    READ,
);
const PAYOUT_SEEN: Source =
    Source::practice("https://github.com/plutov/paypal/blob/main/unit_test.go: the error of a repeat", READ);

/// Bound on automatic work: as long as an uncaptured order is known to be good for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(6 * 3600);

/// The key of a request. Whether it is compared in the app or in the merchant's account is undocumented, and
/// so is what a failure leaves of it.
pub(crate) const fn key(floor: Duration, sources: &'static [Source]) -> Native {
    Native::key("PayPal-Request-Id", Form::Uuid)
        .kept(Window::AtLeast(floor), "forgotten")
        .one_wins()
        .repeat(Repeat::Returns)
        .failures(Failures::Unknown)
        .scope(&[Scope::Account, Scope::Credential, Scope::Endpoint])
        .from(sources)
}

/// Orders keep keys for 6 hours.
pub(crate) const ORDER_KEY: Native = key(Duration::from_secs(6 * 3600), &[ORDERS, IDEMPOTENCY]);
/// Refunds keep keys for 45 days.
pub(crate) const REFUND_KEY: Native = key(Duration::from_secs(45 * 86_400), &[PAYMENTS, IDEMPOTENCY]);

/// An order is captured at most once. Nobody writes what becomes of two captures at the same time.
pub(crate) const ONE_CAPTURE: Native = Native::handle("order")
    .kept(Window::Ever, "a captured order stays captured, and one that is not captured ends")
    .then_refuses()
    .repeat(Repeat::Refuses)
    .failures(Failures::Rerun)
    .scope(&[Scope::Account, Scope::Mode])
    .from(&[ORDERS]);

/// Whether a read shows a capture at once is not written, so an order that isn't captured only suggests.
pub(crate) const ORDER_BY_ID: Query = Query::by_token().reaches(Window::Ever).from(&[ORDERS]);

/// Refunds are listed in the order that was paid. Whether at once is not written.
pub(crate) const REFUND_BY_MARK: Query =
    Query::by_mark("custom_id", Form::Text(32)).reaches(Window::Ever).from(&[ORDERS, PAYMENTS]);

/// A draft is sent once: sending it again has no effect, or is refused. What two at the same time do is not written,
/// so both may pass.
pub(crate) const ONE_SEND: Native = Native::handle("invoice")
    .kept(Window::Ever, "somebody sends, shares or deletes the draft")
    .then_refuses()
    .repeat(Repeat::Refuses)
    .failures(Failures::Unknown)
    .scope(&[Scope::Account, Scope::Mode])
    .from(&[INVOICING, INVOICE_ERRORS]);

/// No document of the REST API says that a number is taken once, so nothing relies on it.
pub(crate) const INVOICE_NUMBER: Native =
    Native::client_id("detail.invoice_number", Form::Text(25)).from(&[INVOICE_NUMBERS]);

/// Whether a read shows at once that a draft was sent is not written, so one that is still a draft only suggests.
pub(crate) const INVOICE_BY_ID: Query = Query::by_token().reaches(Window::Ever).from(&[INVOICING]);

/// How soon the search shows an invoice is not written.
pub(crate) const INVOICE_BY_MARK: Query =
    Query::by_mark("detail.reference", Form::Text(32)).reaches(Window::Ever).from(&[INVOICING]);

// Answers to sending an invoice. The list of errors knows 409 for one that was sent, among others, so that has none.
pub(crate) const ALREADY_SENT: Row = Row::new(0, "*", "INVOICE_ALREADY_SENT", Meaning::Taken, INVOICE_ERRORS);
pub(crate) const SENT_ALREADY: Row = Row::new(0, "*", "CANT_SEND_ALREADY_SENT_INVOICE", Meaning::Taken, INVOICE_TESTS);
/// One that is gone may have been sent, canceled and deleted.
pub(crate) const INVOICE_GONE: Row = Row::new(404, "*", "*", Meaning::Taken, INVOICE_ERRORS);
pub(crate) const INVOICE_UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, INVOICING);

/// Batch ids are remembered for 30 days. What becomes of two at the same time, and within what they are compared, is not
/// written; that a denied batch spends its id follows from its having one.
pub(crate) const BATCH_ID: Native = Native::client_id("sender_batch_id", Form::Uuid)
    .kept(Window::AtLeast(Duration::from_secs(30 * 86_400)), "forgotten")
    .repeat(Repeat::Names)
    .failures(Failures::Burnt)
    .scope(&[Scope::Account, Scope::Credential, Scope::Mode])
    .from(&[PAYOUTS]);

/// Reads the batch that a refusal names. Before one does nothing can be asked, so it never says that there is none.
pub(crate) const BATCH_BY_NAME: Query =
    Query { absence: Absence::Nothing, ..Query::by_token().reaches(Window::Ever).from(&[PAYOUTS]) };

/// The kind that the client gives to an error with a link to a batch.
pub(crate) const NAMES_A_BATCH: &str = "names a batch";
/// The batch id was used before: the error has a link to the batch that has it.
pub(crate) const BATCH_NAMED: Row = Row::new(0, NAMES_A_BATCH, "*", Meaning::Taken, PAYOUTS);
/// The kind that the client gives to an error that speaks of a batch id and links to no batch.
pub(crate) const SPEAKS_OF_AN_ID: &str = "speaks of a batch id";
/// The batch id may have been used before. Ours have a form that is never wrong, so nothing else can be said of one.
pub(crate) const BATCH_UNNAMED: Row = Row::new(0, SPEAKS_OF_AN_ID, "*", Meaning::Taken, PAYOUTS);
/// The same in few words, or something else: never a refusal, for something may be there.
pub(crate) const BATCH_TAKEN: Row = Row::new(0, "USER_BUSINESS_ERROR", "*", Meaning::Taken, PAYOUT_SEEN);

// Rows that hold for both operations. Limits (429) have none: nobody says that nothing was done.
pub(crate) const UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, PAYMENTS);
/// A duplicate invoice id of ours can only be our own doing.
pub(crate) const ORDER_INVOICE: Row = Row::new(422, "*", "DUPLICATE_INVOICE_ID", Meaning::Taken, ORDERS);
pub(crate) const REFUND_INVOICE: Row = Row::new(422, "*", "DUPLICATE_INVOICE_ID", Meaning::Taken, PAYMENTS);
pub(crate) const ALREADY_CAPTURED: Row = Row::new(422, "*", "ORDER_ALREADY_CAPTURED", Meaning::Taken, ORDERS);
/// It is still completed by itself.
pub(crate) const COMPLETING: Row = Row::new(422, "*", "ORDER_COMPLETION_IN_PROGRESS", Meaning::Unclear, IN_PROGRESS);
/// Another request on the same payment is under way; this one failed and is to be tried again.
pub(crate) const REFUND_IN_PROGRESS: Row =
    Row::new(409, "*", "PREVIOUS_REQUEST_IN_PROGRESS", Meaning::NotDone, PAYMENTS);
pub(crate) const FULLY_REFUNDED: Row = Row::new(422, "*", "CAPTURE_FULLY_REFUNDED", Meaning::Taken, PAYMENTS);

#[cfg(test)]
mod tests {
    use hapax_core::capability::{Class, Completion, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{PayOrderCell, PayoutBatchCell, RefundCell, SendInvoiceCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let (pay, needs) = PayOrderCell::SPEC.published();
        assert_eq!((pay.class, pay.best(), pay.second_effect.len()), (Class::Native, SecondEffect::Enforced, 1));
        assert_eq!(pay.completion, Completion::Automatic, "{}", pay.sentence());
        assert!(needs.is_empty());
        let (refund, needs) = RefundCell::SPEC.published();
        assert_eq!((refund.class, refund.best()), (Class::Native, SecondEffect::Enforced));
        assert_eq!(refund.completion, Completion::AutomaticWithin(45 * 86_400), "{}", refund.sentence());
        assert_eq!(refund.second_effect.len(), 2, "withheld afterwards");
        assert!(needs.is_empty());
        let (invoice, needs) = SendInvoiceCell::SPEC.published();
        assert_eq!(
            (invoice.class, invoice.best(), invoice.second_effect.len()),
            (Class::Native, SecondEffect::Enforced, 1)
        );
        assert_eq!(invoice.completion, Completion::Automatic, "{}", invoice.sentence());
        assert_eq!(invoice.belts, ["detail.invoice_number"], "practice carries nothing");
        assert!(needs.is_empty());
        for guarantee in [pay, refund, invoice] {
            assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
            assert!(guarantee.exceptions.iter().any(|what| what.contains("not found")), "{guarantee:?}");
        }
        let (payout, needs) = PayoutBatchCell::SPEC.published();
        assert_eq!((payout.class, payout.best()), (Class::Native, SecondEffect::Enforced));
        assert_eq!(payout.completion, Completion::AutomaticWithin(30 * 86_400), "{}", payout.sentence());
        assert_eq!(payout.second_effect.len(), 2, "withheld afterwards, whatever a policy allows");
        assert!(needs.is_empty() && payout.belts.is_empty(), "{payout:?}");
        let kept = "the provider keeps to sender_batch_id: a second effect would show nowhere";
        assert!(payout.assumes.iter().any(|what| what == kept), "{:?}", payout.assumes);
        let likely = hapax_core::capability::guarantee(PayoutBatchCell::SPEC, &|_| true, true);
        assert_eq!(likely.second_effect, payout.second_effect);
    }
}
