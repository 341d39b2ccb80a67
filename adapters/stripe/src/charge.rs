//! `stripe.charge`: take money once.
//!
//! The intent is created unconfirmed, which takes no money, and its id is journaled; then it is
//! confirmed. From there on the intent itself can be spent only once, whatever becomes of keys.

use hapax_core::capability::{CellSpec, Human, Meaning, Native, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::identity::Names;
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, Refusal, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amounts::{self, from_stripe, to_stripe};
use crate::client::{post, step_with_two_keys};
use crate::facts;
use crate::wire::{List, MARK, PaymentIntent, Stage, is_id, is_marked};

/// Takes this amount from this payment method.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// How much, in ISO 4217 minor units.
    pub amount: Money,
    /// `pm_...`: what pays.
    pub payment_method: String,
    /// `cus_...`: who pays. Finding a lost charge is quicker with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// Whether to take the money now, or only to hold it until `stripe.capture`.
    #[serde(default)]
    pub capture_method: CaptureMethod,
    /// Kinds of payment method; `card` unless said otherwise.
    #[serde(default = "only_cards")]
    pub payment_method_types: Vec<String>,
    /// Whether the customer is away and can't authenticate; then a payment that needs it is
    /// declined instead of waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_session: Option<bool>,
    /// Words for the Dashboard. Models rephrase, so a changed one is no other intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// End of the text on the customer's statement, at most 22 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_descriptor_suffix: Option<String>,
}

/// When the money is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaptureMethod {
    /// At once.
    #[default]
    Automatic,
    /// By `stripe.capture`, within 7 days by default.
    Manual,
}

/// A charge that happened; what became of it is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChargeReceipt {
    /// `pi_...`
    pub id: String,
    /// `ch_...`, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<String>,
    /// How much.
    pub amount: Money,
    /// Stripe's status of the intent.
    pub status: String,
    /// Who pays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// What pays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_method: Option<String>,
}

/// The cell `stripe.charge`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChargeCell;

const INTENT: &str = "intent";

const DECLINED: Row = Row::new(402, "card_error", "*", Meaning::RefusedOnRecord, facts::LOW_LEVEL);

const ANSWERS: &[Row] = &[
    DECLINED,
    facts::UNEXPECTED_STATE,
    facts::OTHER_PARAMETERS,
    facts::IN_USE,
    facts::LOCKED,
    facts::LIMITED,
    facts::UNAUTHORIZED,
    facts::STORED_500,
];

const SPEC: CellSpec = CellSpec::new(
    "stripe.charge",
    "Takes a payment from a payment method",
    &[
        Rung::Native(facts::by_status(Native::handle(INTENT))),
        Rung::Native(facts::KEY),
        Rung::Query(facts::BY_ID),
        Rung::Query(facts::BY_MARK),
        Rung::Human(Human {
            place: "https://dashboard.stripe.com/payments/{intent}, or search the Dashboard for metadata:hapax={mark}",
        }),
    ],
)
.stakes(Stakes::High)
.answers(ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("status of the intent, or the webhooks payment_intent.succeeded, payment_intent.payment_failed and payment_intent.canceled")
.reversal("by stripe.refund; before capture by stripe.cancel_payment")
.notes(&[INTENT])
.residual("a confirmation that Stripe answered with a stored 500 may be rolled forward after 24 hours, when a person already has it");

impl Cell for ChargeCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Charge;
    type Receipt = ChargeReceipt;

    async fn prepare(&self, cx: &Context, args: &Charge) -> Result<Step<ChargeReceipt>, Fault> {
        if cx.names().note(INTENT).is_some() {
            return Ok(Step::Ready);
        }
        if let Some(former) = cx.names().former_note(INTENT)
            && let Some(spent) = retire(cx, former).await?
        {
            return Ok(Step::Happened(receipt(spent)?));
        }
        create(cx, args).await
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Charge) -> Answer<ChargeReceipt> {
        let names = shot.names();
        let Some(intent) = names.note(INTENT) else {
            return Answer::NotDone("no intent is noted".to_owned(), None);
        };
        let request = post(format!("/v1/payment_intents/{intent}/confirm"), names.token("confirm"))
            .form([("off_session", args.off_session.map(|away| away.to_string()))]);
        shot.send(request, |answer: PaymentIntent| confirmed(answer, intent)).await
    }

    async fn find(&self, cx: &Context, args: &Charge) -> Result<Finding<ChargeReceipt>, Fault> {
        let Some(noted) = cx.names().note(INTENT) else {
            return by_mark(cx, args, Finding::Absent).await;
        };
        let Some(intent) = cx.get::<PaymentIntent>(read(noted)).await? else {
            return Ok(Finding::CannotTell(format!(
                "{noted} is not on this account; has the mode or account changed?"
            )));
        };
        // A restored or second ledger may have spent another intent than the noted one, so an
        // unspent note alone proves nothing.
        match intent.stage() {
            Stage::Succeeded | Stage::Capturable | Stage::Processing | Stage::Action => {
                Ok(Finding::Happened(receipt(intent)?))
            }
            Stage::Canceled => {
                let refusal = Refusal::new("canceled", "the intent was canceled and can't be paid any more");
                by_mark(cx, args, Finding::Failed(refusal)).await
            }
            // A declined intent can be confirmed again: it isn't spent.
            Stage::Unconfirmed | Stage::Declined => by_mark(cx, args, Finding::Absent).await,
            Stage::Unknown => Ok(Finding::CannotTell(format!("unknown status {}", intent.status))),
        }
    }

    async fn fetch(&self, cx: &Context, _args: &Charge, id: &str) -> Result<Option<ChargeReceipt>, Fault> {
        if !is_id(id, &["pi_"]) {
            return Err(Fault::Unread("a charge is named by its PaymentIntent, pi_...".to_owned()));
        }
        match cx.get::<PaymentIntent>(read(id)).await? {
            Some(intent) if matches!(intent.stage(), Stage::Unconfirmed | Stage::Unknown) => {
                Err(Fault::Unread(format!("{id} has the status {}: nothing happened", intent.status)))
            }
            Some(intent) => receipt(intent).map(Some),
            None => Ok(None),
        }
    }
}

/// Makes the intent that will be confirmed. Creating is harmless, so a key that a stored failure
/// has burnt is replaced by another; an intent that nobody confirms takes no money.
async fn create(cx: &Context, args: &Charge) -> Result<Step<ChargeReceipt>, Fault> {
    let made = step_with_two_keys(cx, ANSWERS, ["create", "create-again"], |step| args.create(cx.names(), step));
    match made.await? {
        Ok(intent) if args.is_echoed_by(&intent, &cx.names().mark()) => Ok(Step::Note(INTENT, intent.id)),
        Ok(_) => Err(Fault::Echo("amount, currency or mark of the new intent".to_owned())),
        Err(refusal) => Ok(Step::Refused(refusal)),
    }
}

/// Sees to it that the intent of the epoch before can't be paid any more. If it turns out to be
/// spent, that is what happened.
async fn retire(cx: &Context, former: &str) -> Result<Option<PaymentIntent>, Fault> {
    for last in [false, true] {
        // Not on this account: then a late request of ours can't reach it from here either.
        let Some(intent) = cx.get::<PaymentIntent>(read(former)).await? else { return Ok(None) };
        match intent.stage() {
            Stage::Canceled => return Ok(None),
            Stage::Succeeded | Stage::Capturable | Stage::Processing | Stage::Action => return Ok(Some(intent)),
            Stage::Unconfirmed | Stage::Declined if !last => {
                let cancel = post(format!("/v1/payment_intents/{former}/cancel"), cx.names().harmless_token("retire"));
                // Whatever the answer: what counts is where the intent stands afterwards.
                let _ = cx.try_call::<PaymentIntent>(cancel).await?;
            }
            _ => return Err(Fault::Unread(format!("{former} could not be canceled: {}", intent.status))),
        }
    }
    Ok(None)
}

/// Reads the answer to our own confirmation.
fn confirmed(intent: PaymentIntent, noted: &str) -> Answer<ChargeReceipt> {
    if intent.id != noted {
        return Answer::Unclear(Fault::Echo("id of the intent".to_owned()));
    }
    match intent.stage() {
        Stage::Succeeded | Stage::Capturable | Stage::Processing | Stage::Action => match receipt(intent) {
            Ok(receipt) => Answer::Happened(receipt),
            Err(fault) => Answer::Unclear(fault),
        },
        Stage::Canceled => Answer::Taken("the intent is canceled".to_owned(), None),
        Stage::Unconfirmed | Stage::Declined | Stage::Unknown => {
            Answer::Unclear(Fault::Unread(format!("a confirmed intent with the status {}", intent.status)))
        }
    }
}

/// Walks the customer's intents, or the account's since the operation began, for our mark. Those
/// that were never paid don't count; without any, it is what the noted one says.
async fn by_mark(
    cx: &Context,
    args: &Charge,
    otherwise: Finding<ChargeReceipt>,
) -> Result<Finding<ChargeReceipt>, Fault> {
    let first = Request::get("/v1/payment_intents").query("limit", "100");
    // A customer has few intents, so none is left out by time there.
    let first = match &args.customer {
        Some(customer) => first.query("customer", customer),
        None => first.query("created[gte]", cx.names().since_unix().max(0).to_string()),
    };
    let mark = cx.names().mark();
    let spent = |intent: PaymentIntent| {
        let paid = matches!(intent.stage(), Stage::Succeeded | Stage::Capturable | Stage::Processing | Stage::Action);
        (paid && is_marked(intent.metadata.as_ref(), &mark)).then_some(intent)
    };
    let hits = cx.search(first.clone(), |list: List<PaymentIntent>, _| Ok(list.page(&first, &spent))).await?;
    match found(hits.into_iter().map(receipt).collect::<Result<Vec<_>, _>>()?) {
        Finding::Absent => Ok(otherwise),
        finding => Ok(finding),
    }
}

fn read(id: &str) -> Request {
    Request::get(format!("/v1/payment_intents/{id}"))
}

fn receipt(intent: PaymentIntent) -> Result<ChargeReceipt, Fault> {
    Ok(ChargeReceipt {
        amount: from_stripe(intent.amount, &intent.currency)?,
        id: intent.id,
        charge: intent.latest_charge,
        status: intent.status,
        customer: intent.customer,
        payment_method: intent.payment_method,
    })
}

fn only_cards() -> Vec<String> {
    vec!["card".to_owned()]
}

impl Charge {
    /// A charge by card, captured at once; for more, `Charge { customer, ..Charge::new(..) }`.
    pub fn new(amount: Money, payment_method: impl Into<String>) -> Self {
        Self {
            amount,
            payment_method: payment_method.into(),
            customer: None,
            capture_method: CaptureMethod::Automatic,
            payment_method_types: only_cards(),
            off_session: None,
            description: None,
            statement_descriptor_suffix: None,
        }
    }

    fn create(&self, names: &Names, step: &str) -> Result<Request, Fault> {
        let amount = to_stripe(&self.amount).map_err(Fault::NotSent)?;
        let types = self.payment_method_types.iter().enumerate();
        let types: Vec<_> = types.map(|(n, kind)| (format!("payment_method_types[{n}]"), kind)).collect();
        let manual = self.capture_method == CaptureMethod::Manual;
        let pairs = [
            ("amount", Some(amount.to_string())),
            ("currency", Some(self.amount.currency.to_ascii_lowercase())),
            ("payment_method", Some(self.payment_method.clone())),
            ("customer", self.customer.clone()),
            ("capture_method", Some(if manual { "manual" } else { "automatic" }.to_owned())),
            ("description", self.description.clone()),
            ("statement_descriptor_suffix", self.statement_descriptor_suffix.clone()),
            (MARK, Some(names.mark())),
        ];
        let types = types.iter().map(|(name, kind)| (name.as_str(), Some((*kind).clone())));
        Ok(post("/v1/payment_intents", names.harmless_token(step)).form(pairs.into_iter().chain(types)))
    }

    fn is_echoed_by(&self, intent: &PaymentIntent, mark: &str) -> bool {
        from_stripe(intent.amount, &intent.currency).as_ref() == Ok(&self.amount)
            && is_marked(intent.metadata.as_ref(), mark)
            && is_id(&intent.id, &["pi_"])
    }
}

impl CellArgs for Charge {
    const VOLATILE: &'static [&'static str] = &["description"];

    fn check(&self) -> Result<(), String> {
        to_stripe(&self.amount)?;
        if !is_id(&self.payment_method, &["pm_", "card_", "src_"]) {
            return Err("payment_method: give the id of a payment method, pm_...".to_owned());
        }
        if self.customer.as_ref().is_some_and(|customer| !is_id(customer, &["cus_"])) {
            return Err("customer: give the id of a customer, cus_...".to_owned());
        }
        if self.payment_method_types.is_empty() || !self.payment_method_types.iter().all(|kind| is_id(kind, &[""])) {
            return Err("payment_method_types: name at least one kind, such as card".to_owned());
        }
        if self.statement_descriptor_suffix.as_ref().is_some_and(|suffix| suffix.chars().count() > 22) {
            return Err("statement_descriptor_suffix: at most 22 characters".to_owned());
        }
        Ok(())
    }

    fn echo(&self) -> Echo {
        let mut echo = amounts::echo(&self.amount);
        echo.extend(self.customer.clone().map(|customer| ("customer", customer)));
        // Test tokens such as pm_card_visa come back as an id of their own.
        let is_token = !self.payment_method.starts_with("pm_1");
        echo.extend((!is_token).then(|| ("payment_method", self.payment_method.clone())));
        echo
    }

    fn money(&self) -> Option<Money> {
        Some(self.amount.clone())
    }
}

impl CellReceipt for ChargeReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo = amounts::echo(&self.amount);
        echo.extend(self.customer.clone().map(|customer| ("customer", customer)));
        echo.extend(self.payment_method.clone().map(|method| ("payment_method", method)));
        echo
    }

    fn fate(&self) -> Option<(String, bool)> {
        let failed = matches!(self.status.as_str(), "canceled" | "requires_payment_method");
        Some((self.status.clone(), failed))
    }
}

#[cfg(test)]
mod tests;
