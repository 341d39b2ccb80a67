//! What callers ask for, at an API without a rate of its own and at one with.

use std::sync::Arc;

use hapax_core::clock::{Clock, ScaledClock};
use hapax_standin::{Effect, Server, When, World};
use hapax_stripe::standin as stripe;
use hapax_twilio::standin as twilio;
use serde_json::{Value, json};

/// Two APIs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Api {
    /// As many messages at once as are wanted.
    #[default]
    Twilio,
    /// Charges, for which hapax keeps to 25 requests a second.
    Stripe,
}

impl Api {
    pub(crate) fn integration(self) -> &'static str {
        match self {
            Self::Twilio => "twilio",
            Self::Stripe => "stripe",
        }
    }

    pub(crate) fn cell(self) -> &'static str {
        match self {
            Self::Twilio => "twilio.send_message",
            Self::Stripe => "stripe.charge",
        }
    }

    /// Its stand-in, which lets in so many requests a second, if that is said, on a clock that runs faster so many times.
    pub(crate) async fn serve(self, per_second: Option<usize>, scale: u32) -> Server {
        let clock = ScaledClock::new(scale);
        let world = World::with_clock(1, Arc::new(move || clock.now().wall_ms));
        let served = match (self, per_second) {
            (Self::Twilio, Some(most)) => twilio::StandIn::new(world).requests_per_second(most).serve(0).await,
            (Self::Twilio, None) => twilio::StandIn::new(world).serve(0).await,
            (Self::Stripe, _) => stripe::StandIn::new(world).serve(0).await,
        };
        served.expect("a provider")
    }

    /// The request that has the effect.
    pub(crate) fn shot(self) -> When {
        match self {
            Self::Twilio => When::on("POST", "/2010-04-01/Accounts/*/Messages.json"),
            Self::Stripe => When::on("POST", "/v1/payment_intents/*/confirm"),
        }
    }

    /// The arguments of one caller's intent, which no other one has.
    pub(crate) fn args(self, number: u64) -> Value {
        match self {
            Self::Twilio => json!({ "to": to(number), "from": "+15551234567", "body": "Your table is ready." }),
            Self::Stripe => {
                json!({ "amount": { "amount": cents(number), "currency": "EUR" }, "payment_method": "pm_card_visa" })
            }
        }
    }

    /// Whose intent an effect is of; none: no effect of the cell.
    pub(crate) fn number(self, effect: &Effect) -> Option<u64> {
        match (self, effect.kind.as_str()) {
            (Self::Twilio, "message") => Some(effect.metadata["to"][5..].parse::<u64>().expect("digits") - TO),
            (Self::Stripe, "charge") => Some(u64::try_from(effect.amount).expect("an amount") - CENTS),
            _ => None,
        }
    }

    /// Whether a receipt is of this caller's intent.
    pub(crate) fn is_of(self, receipt: &Value, number: u64) -> bool {
        match self {
            Self::Twilio => receipt["to"] == to(number),
            Self::Stripe => receipt["amount"]["amount"] == cents(number),
        }
    }
}

const CENTS: u64 = 1_000;
const TO: u64 = 2_000_000;

fn cents(number: u64) -> u64 {
    CENTS + number
}

fn to(number: u64) -> String {
    format!("+1555{:07}", TO + number)
}
