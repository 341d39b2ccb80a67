use super::fail::Fail;

/// What confirming with a payment method leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// The money is taken, or held.
    Succeeds,
    /// The bank says no, with a decline code.
    Declined(&'static str),
    /// The customer has to confirm at the bank first.
    Authentication,
    /// It is accepted now and settles later, one way or the other.
    Processing {
        /// Whether it settles.
        settles: bool,
    },
    /// The money is taken, and the customer has it back already by a dispute.
    Disputed,
    /// The money is taken; a refund of it is pending at first.
    RefundPending,
    /// The money is taken; a refund of it fails later.
    RefundFails,
}

/// The behaviour of one of Stripe's test payment methods; `pm_missing` does not exist, all others just pay.
///
/// `pm_processing` and `pm_processing_failed` are not Stripe's: its own test methods for bank debits need a mandate.
pub(super) fn behaviour(method: &str) -> Result<Behaviour, Fail> {
    match method {
        "pm_card_chargeDeclined" | "pm_card_visa_chargeDeclined" => Ok(Behaviour::Declined("generic_decline")),
        "pm_card_chargeDeclinedInsufficientFunds" | "pm_card_visa_chargeDeclinedInsufficientFunds" => {
            Ok(Behaviour::Declined("insufficient_funds"))
        }
        "pm_card_authenticationRequired" => Ok(Behaviour::Authentication),
        "pm_processing" => Ok(Behaviour::Processing { settles: true }),
        "pm_processing_failed" => Ok(Behaviour::Processing { settles: false }),
        "pm_card_createDispute" => Ok(Behaviour::Disputed),
        "pm_card_pendingRefund" => Ok(Behaviour::RefundPending),
        "pm_card_refundFail" => Ok(Behaviour::RefundFails),
        "pm_missing" => Err(Fail::missing(400, "PaymentMethod", method, "payment_method")),
        _ if method.starts_with("pm_") => Ok(Behaviour::Succeeds),
        _ => Err(Fail::missing(400, "PaymentMethod", method, "payment_method")),
    }
}

/// The error of a declined confirmation, without the intent.
pub(super) fn decline(decline_code: &str, charge: &str) -> Fail {
    let message = match decline_code {
        "insufficient_funds" => "Your card has insufficient funds.",
        _ => "Your card was declined.",
    };
    Fail::new(402, "card_error", message)
        .code("card_declined")
        .with("decline_code", decline_code.into())
        .with("charge", charge.into())
}
