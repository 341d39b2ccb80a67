//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Failures, Meaning, Native, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

use crate::wire::MARK;

const READ: &str = "2026-11-27";

const KEYS: Source = Source::official("https://docs.stripe.com/api/idempotent_requests", READ);
pub(crate) const LOW_LEVEL: Source = Source::official("https://docs.stripe.com/error-low-level#idempotency", READ);
const LIMITS: Source = Source::official("https://docs.stripe.com/rate-limits", READ);
pub(crate) const CODES: Source = Source::official("https://docs.stripe.com/error-codes", READ);
const LIFECYCLE: Source = Source::official("https://docs.stripe.com/payments/paymentintents/lifecycle", READ);
const CONSISTENCY: Source = Source::official("https://docs.stripe.com/api-v2-overview", READ);
const INTENTS: Source = Source::official("https://docs.stripe.com/api/payment_intents", READ);
const REFUNDS: Source = Source::official("https://docs.stripe.com/api/refunds/list", READ);
const READ_NEXT: &str = "2026-11-28";
const TRANSFERS: Source = Source::official("https://docs.stripe.com/api/transfers/list", READ_NEXT);
const SUBSCRIPTIONS: Source = Source::official("https://docs.stripe.com/api/subscriptions/list", READ_NEXT);
const STATUSES: Source =
    Source::official("https://docs.stripe.com/api/subscriptions/object#subscription_object-status", READ_NEXT);
const CANCEL: Source = Source::official("https://docs.stripe.com/api/subscriptions/cancel", READ_NEXT);
const FIRST_PAYMENT: Source = Source::official(
    "https://docs.stripe.com/api/subscriptions/create#create_subscription-payment_behavior",
    READ_NEXT,
);
const MAINTAINER: Source = Source::practice("https://github.com/stripe/stripe-go/issues/1887", READ_NEXT);
const ONE_ACCOUNT: Source = Source::practice("https://github.com/stripe/stripe-ruby/issues/598", READ);

/// How long Stripe's own SDKs wait for an answer (stripe-node 22.5.0, README, `timeout`).
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(80);

/// Bound on automatic work: the life of a key.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// Form of our mark; metadata values have room for 500 characters.
pub(crate) const MARK_FORM: Form = Form::Text(32);

/// The key of every v1 POST.
pub(crate) const KEY: Native = Native::key("Idempotency-Key", Form::Uuid)
    .kept(Window::AtLeast(Duration::from_secs(24 * 3600)), "pruned")
    .one_wins()
    .repeat(Repeat::Replays)
    .failures(Failures::Kept)
    .scope(&[Scope::Account, Scope::Mode])
    .from(&[KEYS, LOW_LEVEL, ONE_ACCOUNT]);

/// The status of an intent lets an operation through once; objects are locked while one runs.
pub(crate) const fn by_status(native: Native) -> Native {
    native
        .kept(Window::Ever, "an intent never leaves its last status")
        .one_wins()
        .repeat(Repeat::Refuses)
        .failures(Failures::Rerun)
        .scope(&[Scope::Account, Scope::Mode])
        .from(&[LIFECYCLE, CODES, LIMITS])
}

/// Lists are immediately consistent and have no horizon.
pub(crate) const BY_MARK: Query = Query::by_mark(MARK, MARK_FORM)
    .lag(Duration::ZERO)
    .reaches(Window::Ever)
    .proves()
    .from(&[CONSISTENCY, INTENTS, REFUNDS]);

/// An intent is read by its id, and never deleted.
pub(crate) const BY_ID: Query =
    Query::by_token().lag(Duration::ZERO).reaches(Window::Ever).proves().from(&[INTENTS, CONSISTENCY]);

/// Transfers are listed by group or destination, as consistently as refunds.
pub(crate) const TRANSFER_BY_MARK: Query = BY_MARK.from(&[CONSISTENCY, TRANSFERS]);

/// A customer's subscriptions of every status are listed, as consistently as refunds.
pub(crate) const SUBSCRIPTION_BY_MARK: Query = BY_MARK.from(&[CONSISTENCY, SUBSCRIPTIONS]);

/// A subscription is read by its id, canceled or not.
pub(crate) const SUBSCRIPTION_BY_ID: Query = BY_ID.from(&[STATUSES, CONSISTENCY]);

/// A subscription is canceled once: a second request is refused, or says again what is so.
pub(crate) const UNTIL_CANCELED: Native = Native::state("not canceled")
    .kept(Window::Ever, "a canceled subscription never runs again")
    .undone_by("takes a cancellation at the end of the period back")
    .one_wins()
    .repeat(Repeat::Refuses)
    .failures(Failures::Rerun)
    .scope(&[Scope::Account, Scope::Mode])
    .from(&[STATUSES, CANCEL, LIMITS]);

/// The same key where only one of two ways takes it: sent along, and nothing relies on it.
pub(crate) const KEY_OF_UPDATES: Native = Native::key("Idempotency-Key", Form::Uuid).from(&[KEYS]);

// Rows of transfers and subscriptions.
pub(crate) const BALANCE: Row = Row::new(400, "*", "balance_insufficient", Meaning::Refused, CODES);
pub(crate) const UNPAID: Row = Row::new(402, "*", "*", Meaning::RefusedOnRecord, FIRST_PAYMENT);
pub(crate) const CANCELED_OR_NEVER: Row = Row::new(404, "*", "resource_missing", Meaning::Taken, MAINTAINER);

// Rows that hold for every operation here.
pub(crate) const UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, LOW_LEVEL);
pub(crate) const LIMITED: Row = Row::new(429, "*", "*", Meaning::NotDone, LIMITS);
pub(crate) const LOCKED: Row = Row::new(429, "*", "lock_timeout", Meaning::NotDone, CODES);
pub(crate) const IN_USE: Row = Row::new(409, "*", "idempotency_key_in_use", Meaning::NotDone, LOW_LEVEL);
pub(crate) const OTHER_PARAMETERS: Row = Row::new(400, "idempotency_error", "*", Meaning::Taken, LOW_LEVEL);
pub(crate) const UNEXPECTED_STATE: Row = Row::new(400, "*", "payment_intent_unexpected_state", Meaning::Taken, CODES);
/// Where the intent itself protects the step, a stored failure costs the key alone.
pub(crate) const STORED_500: Row = Row::new(500, "*", "*", Meaning::KeyBurnt, LOW_LEVEL);
/// Where the key is all there is, Stripe itself doesn't know.
pub(crate) const ADRIFT_500: Row = Row::new(500, "*", "*", Meaning::Adrift, LOW_LEVEL);

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Completion, Meaning, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{CancelPaymentCell, CaptureCell, ChargeCell, RefundCell, SendInvoiceCell};
    use crate::{CancelSubscriptionCell, CreateSubscriptionCell, TransferCell};

    fn check(spec: &CellSpec, effects: &[SecondEffect], completion: Completion) {
        let (guarantee, needs) = spec.published();
        let found: Vec<_> = guarantee.second_effect.iter().map(|(effect, _)| *effect).collect();
        assert_eq!(found, effects, "{}: {}", spec.id, guarantee.sentence());
        assert_eq!(guarantee.completion, completion, "{}", spec.id);
        let belts: &[&str] = if spec.id == "stripe.cancel_subscription" { &["Idempotency-Key"] } else { &[] };
        assert!(needs.is_empty() && guarantee.belts == belts, "{guarantee:?}");
        assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        // Where nothing stronger than the key protects, a stored 500 is a person's unless the effect is found.
        let adrift = spec.answers.iter().any(|row| row.means == Meaning::Adrift);
        assert_eq!(guarantee.exceptions.len(), usize::from(adrift), "{:?}", guarantee.exceptions);
        assert_eq!(guarantee.sentence().contains("except where"), adrift);
    }

    #[test]
    fn guarantees_follow_from_the_facts() {
        for spec in [ChargeCell::SPEC, CaptureCell::SPEC, CancelPaymentCell::SPEC, CancelSubscriptionCell::SPEC] {
            check(spec, &[SecondEffect::Enforced], Completion::Automatic);
        }
        for spec in [RefundCell::SPEC, TransferCell::SPEC, CreateSubscriptionCell::SPEC] {
            check(spec, &[SecondEffect::Enforced, SecondEffect::Proved], Completion::Automatic);
        }
        let a_day = Completion::AutomaticWithin(24 * 3600);
        check(SendInvoiceCell::SPEC, &[SecondEffect::Enforced, SecondEffect::Withheld], a_day);
    }
}
