//! `amadeus.book_flight`: order the flights of priced offers.
//!
//! Nothing makes a repeat harmless and nothing can be asked without the order's id, so a lost answer is
//! a person's. What helps that person goes along: a remark in the record, and a ticketing agreement by
//! which a reservation lapses that nobody wants.

use hapax_core::capability::{CellSpec, Human, Meaning, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::facts;
use crate::offers::{self, FlightOffer};
use crate::personal::is_code;
use crate::travelers::{Contact, Traveler};
use crate::wire::{Answered, FLIGHT_ORDERS, FlightOrder, JSON, OneOrMore, OrderStatus, is_order_id, remark};

/// Orders the flights of priced offers for some travelers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Given")]
pub struct BookFlight {
    /// Priced offers, as they came from `flight-offers/pricing`.
    pub flight_offers: Vec<FlightOffer>,
    /// Who travels.
    pub travelers: Vec<Traveler>,
    /// Whom to reach about the order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<Contact>,
    /// Remarks for the record, beside ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What becomes of a reservation that nobody tickets.
    pub ticketing: Ticketing,
    /// What is asked for, in words without names: evidence for a person.
    asked: String,
}

/// The arguments as they are given. `asked` is made from the others each time they are read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Given {
    /// Priced offers, as they came from `flight-offers/pricing`.
    flight_offers: Vec<FlightOffer>,
    /// Who travels.
    travelers: Vec<Traveler>,
    /// Whom to reach about the order.
    #[serde(default)]
    contacts: Vec<Contact>,
    /// Remarks for the record, beside ours.
    #[serde(default)]
    remarks: Vec<String>,
    /// What becomes of a reservation that nobody tickets; it lapses after six days if not said.
    #[serde(default)]
    ticketing: Ticketing,
    #[serde(default, rename = "asked")]
    #[schemars(skip)]
    _asked: String,
}

/// What becomes of a reservation that nobody tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "option", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ticketing {
    /// It is cancelled after so many days, at midnight where the office is: an orphan lapses by itself.
    DelayToCancel {
        /// Days.
        days: u8,
    },
    /// It is queued after so many days, for somebody to decide.
    DelayToQueue {
        /// Days.
        days: u8,
    },
    /// It is paid already.
    Confirm,
}

/// An order, and the records in which it stands. No names: receipts are kept for long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BookFlightReceipt {
    /// The order's id, by which it is read and cancelled.
    pub id: String,
    /// Record locators (PNR).
    pub references: Vec<String>,
    /// The flights in words.
    pub flights: String,
    /// How many travel.
    pub travelers: usize,
    /// Where the order stands.
    pub status: OrderStatus,
}

/// The cell `amadeus.book_flight`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BookFlightCell;

const ANSWERS: [Row; 16] = facts::table(&[
    &facts::rows(
        400,
        ["477", "2668", "2781", "4926", "32171", "34651", "37200"],
        Meaning::Refused,
        facts::CREATE_ORDER,
    ),
    // Steps late in the flow: what they leave behind is undocumented.
    &facts::rows(400, ["9112", "34733", "36870"], Meaning::Adrift, facts::CREATE_ORDER),
    &[facts::INTERNAL, facts::SYSTEM, facts::OTHER_400, facts::UNAUTHORIZED, facts::LIMITED, facts::QUOTA],
]);

const SPEC: CellSpec = CellSpec::new(
    "amadeus.book_flight",
    "Orders the flights of priced offers",
    &[Rung::Human(Human {
        place: "the ticketing agent's queue, or the airline: a record made at that time with the remark HAPAX {mark} \
                (in capital letters), for {asked}. Name what you find by its order id or its record locator (PNR). \
                A second record for the same travelers and flights has to be cancelled before it is ticketed",
    })],
)
.stakes(Stakes::High)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("GET of the order: bookingStatus of its segments, and its tickets")
.reversal("amadeus.cancel_flight until it is ticketed; afterwards by whoever ticketed it. Unless told otherwise (ticketing), a reservation that nobody tickets lapses by itself")
.residual("an order whose answer was lost holds its seats, and may be ticketed, until a person finds it or its ticketing agreement lets it lapse (after six days if nothing else was said)");

impl Cell for BookFlightCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = BookFlight;
    type Receipt = BookFlightReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &BookFlight) -> Answer<BookFlightReceipt> {
        let body = args.body(&remark(&shot.names().mark()));
        let request = Request::post(FLIGHT_ORDERS).header("Content-Type", JSON).json(body);
        shot.send(request, |order: Answered<FlightOrder>| Answer::Happened(receipt(order.data))).await
    }

    async fn fetch(&self, cx: &Context, _args: &BookFlight, id: &str) -> Result<Option<BookFlightReceipt>, Fault> {
        let order = if is_code(id, 6) {
            let read = Request::get(format!("{FLIGHT_ORDERS}/by-reference"));
            let read = read.query("reference", id).query("originSystemCode", "GDS");
            let found: Option<Answered<OneOrMore<FlightOrder>>> = cx.get(read).await?;
            found.map(|found| found.data.one()).transpose()?
        } else if is_order_id(id) {
            let found: Option<Answered<FlightOrder>> = cx.get(Request::get(format!("{FLIGHT_ORDERS}/{id}"))).await?;
            found.map(|found| found.data)
        } else {
            return Err(Fault::Unread(
                "an order is named by its id or its record locator of six characters".to_owned(),
            ));
        };
        Ok(order.map(receipt))
    }
}

fn receipt(order: FlightOrder) -> BookFlightReceipt {
    BookFlightReceipt {
        references: order.references(),
        flights: order.flights(),
        travelers: order.travelers.len(),
        status: order.status(),
        id: order.id,
    }
}

impl BookFlight {
    /// Orders these offers for these travelers; more in the fields.
    pub fn new(flight_offers: Vec<FlightOffer>, travelers: Vec<Traveler>) -> Self {
        let (contacts, remarks, ticketing, _asked) = (Vec::new(), Vec::new(), Ticketing::default(), String::new());
        Given { flight_offers, travelers, contacts, remarks, ticketing, _asked }.into()
    }

    fn body(&self, ours: &str) -> Value {
        let texts = std::iter::once(ours).chain(self.remarks.iter().map(String::as_str));
        let general: Vec<Value> =
            texts.map(|text| json!({ "subType": "GENERAL_MISCELLANEOUS", "text": text })).collect();
        let mut data = json!({
            "type": "flight-order",
            "flightOffers": self.flight_offers,
            "travelers": self.travelers,
            "remarks": { "general": general },
            "ticketingAgreement": self.ticketing.agreement(),
        });
        if !self.contacts.is_empty() {
            data["contacts"] = json!(self.contacts);
        }
        json!({ "data": data })
    }
}

impl Ticketing {
    fn agreement(self) -> Value {
        match self {
            Self::DelayToCancel { days } => json!({ "option": "DELAY_TO_CANCEL", "delay": format!("{days}D") }),
            Self::DelayToQueue { days } => json!({ "option": "DELAY_TO_QUEUE", "delay": format!("{days}D") }),
            Self::Confirm => json!({ "option": "CONFIRM" }),
        }
    }
}

impl Default for Ticketing {
    /// The delay of the vendor's own example.
    fn default() -> Self {
        Self::DelayToCancel { days: 6 }
    }
}

impl From<Given> for BookFlight {
    fn from(given: Given) -> Self {
        let Given { flight_offers, travelers, contacts, remarks, ticketing, .. } = given;
        let flights = offers::flights(&flight_offers);
        let total = offers::total(&flight_offers).map_or_else(String::new, |total| format!(", {total}"));
        let asked = format!("{flights}; travelers: {}{total}", travelers.len());
        Self { flight_offers, travelers, contacts, remarks, ticketing, asked }
    }
}

impl CellArgs for BookFlight {
    fn check(&self) -> Result<(), String> {
        if !(1..=6).contains(&self.flight_offers.len()) {
            return Err("flight_offers: give one to six priced offers".to_owned());
        }
        if !(1..=18).contains(&self.travelers.len()) {
            return Err("travelers: give one to eighteen".to_owned());
        }
        let ids: Vec<&str> = self.travelers.iter().map(|traveler| traveler.id.as_str()).collect();
        if (1..ids.len()).any(|at| ids[..at].contains(&ids[at])) {
            return Err("travelers: two have the same id".to_owned());
        }
        for (number, traveler) in self.travelers.iter().enumerate() {
            traveler.check(&format!("travelers[{number}]"))?;
        }
        for (number, offer) in self.flight_offers.iter().enumerate() {
            offer.check(&format!("flight_offers[{number}]"), &ids)?;
        }
        for (number, contact) in self.contacts.iter().enumerate() {
            contact.check(&format!("contacts[{number}]"))?;
        }
        if self.remarks.len() > 199 || self.remarks.iter().any(|text| text.trim().is_empty()) {
            return Err("remarks: at most 199, and none empty".to_owned());
        }
        match self.ticketing {
            Ticketing::DelayToCancel { days: 0 } | Ticketing::DelayToQueue { days: 0 } => {
                Err("ticketing.days: give at least one day".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn echo(&self) -> Echo {
        vec![("flights", offers::flights(&self.flight_offers)), ("travelers", self.travelers.len().to_string())]
    }

    fn money(&self) -> Option<Money> {
        offers::total(&self.flight_offers)
    }
}

impl CellReceipt for BookFlightReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("flights", self.flights.clone()), ("travelers", self.travelers.to_string())]
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some(self.status.fate())
    }
}

#[cfg(test)]
mod tests;
