//! `amadeus.book_hotel`: book the rooms of hotel offers.
//!
//! Nothing makes a repeat harmless and nothing can be asked, so a lost answer is a person's, who phones
//! the hotel. What helps that person is known beforehand: the hotel, the nights, and our reference in
//! the special request.

use hapax_core::capability::{CellSpec, Human, Meaning, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts;
use crate::guests::{Agency, Guest, Room, Stay, body};
use crate::hotel_wire::{HOTEL_ORDERS, HotelOrder};
use crate::personal::is_code;
use crate::wire::{Answered, JSON, is_order_id, remark};

/// Books rooms of one hotel for one stay.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BookHotel {
    /// Which hotel and which nights. Amadeus is told the offers alone; this is what the answer is
    /// compared with, and what a person needs on the phone.
    pub stay: Stay,
    /// Who stays there.
    pub guests: Vec<Guest>,
    /// The offers, and who sleeps where.
    pub rooms: Vec<Room>,
    /// Who books.
    pub agency: Agency,
    /// Whether the card of the connection guarantees the booking.
    #[serde(default = "yes")]
    pub card: bool,
    /// Whether our reference goes along in the special request; some chains refuse those.
    #[serde(default = "yes")]
    pub reference: bool,
    /// The total of the offers, for policies by amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Money>,
}

fn yes() -> bool {
    true
}

/// A hotel order and the hotel's own confirmations. No names and no card: receipts are kept for long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BookHotelReceipt {
    /// The order's id.
    pub id: String,
    /// Record locators (PNR).
    pub references: Vec<String>,
    /// The hotel's confirmation numbers.
    pub confirmations: Vec<String>,
    /// Status of the bookings, as Amadeus writes it.
    pub statuses: Vec<String>,
    /// How many guests.
    pub guests: usize,
    /// The hotel and the nights, where the answer names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stay: Option<String>,
}

/// The cell `amadeus.book_hotel`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BookHotelCell;

/// Codes that speak of the request, the guests, the card or the rooms before anything is booked. Left
/// out: 32315, 37200 and 41344, which the hotel may answer after it booked.
const REFUSED: [&str; 43] = [
    "477", "8612", "38420", "36801", "4725", "33555", "3843", "27530", "1503", "1295", "2997", "3215", "1421", "1146",
    "1427", "38592", "38529", "37576", "1207", "1317", "12018", "3659", "1205", "8517", "1240", "28926", "6842",
    "22425", "22426", "3682", "24550", "39871", "41347", "4926", "5020", "15595", "12030", "3664", "1297", "3289",
    "1999", "3494", "6698",
];

const ANSWERS: [Row; 60] = facts::table(&[
    &facts::rows(400, REFUSED, Meaning::Refused, facts::HOTEL_ORDER),
    &facts::rows(400, ["12247", "33440"], Meaning::Refused, facts::HOTEL_ORDER),
    // The link to the hotel is down, the card's authorization times out.
    &facts::rows(400, ["25860", "39283"], Meaning::Adrift, facts::HOTEL_ORDER),
    &facts::rows(500, ["11", "4070", "16440", "31686", "21934", "38660", "42150"], Meaning::Adrift, facts::HOTEL_ORDER),
    &[facts::INTERNAL, facts::SYSTEM, facts::OTHER_400, facts::UNAUTHORIZED, facts::LIMITED, facts::QUOTA],
]);

const SPEC: CellSpec = CellSpec::new(
    "amadeus.book_hotel",
    "Books the rooms of hotel offers",
    &[Rung::Human(Human {
        place: "the hotel itself, by phone: a booking for {stay} made at that time, with HAPAX {mark} (in capital \
                letters) in its special request; then the office's Amadeus records. Name what you find by its order id. \
                A second booking has to be cancelled with the hotel before its cancellation deadline",
    })],
)
.stakes(Stakes::High)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("bookingStatus of the order, and the hotel")
.reversal("by phoning the hotel, until the cancellation deadline of the offer; there is no operation for it")
.residual("a booking whose answer was lost may stand at the hotel without Amadeus knowing it, and costs a no-show fee if nobody phones");

impl Cell for BookHotelCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = BookHotel;
    type Receipt = BookHotelReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &BookHotel) -> Answer<BookHotelReceipt> {
        let reference = args.reference.then(|| remark(&shot.names().mark()));
        let request = Request::post(HOTEL_ORDERS).header("Content-Type", JSON).json(body(args, reference.as_deref()));
        shot.send(request, |order: Answered<HotelOrder>| Answer::Happened(receipt(order.data))).await
    }

    async fn fetch(&self, cx: &Context, _args: &BookHotel, id: &str) -> Result<Option<BookHotelReceipt>, Fault> {
        // Unlike ids of flight orders these are plain base64.
        let encoded = id.replace('+', "%2B").replace('/', "%2F");
        if !is_order_id(&encoded) {
            return Err(Fault::Unread("a hotel order is named by its id".to_owned()));
        }
        let read = Request::get(format!("{HOTEL_ORDERS}/{encoded}"));
        let found: Option<Answered<HotelOrder>> = cx.get(read).await?;
        Ok(found.map(|found| receipt(found.data)))
    }
}

fn receipt(order: HotelOrder) -> BookHotelReceipt {
    BookHotelReceipt {
        references: order.associated_records.iter().map(|record| record.reference.clone()).collect(),
        confirmations: order.confirmations(),
        statuses: order.statuses(),
        guests: order.guests.len(),
        stay: order.stay(),
        id: order.id,
    }
}

impl BookHotel {
    /// Books these rooms; more in the fields.
    pub fn new(stay: Stay, guests: Vec<Guest>, rooms: Vec<Room>, agency_email: &str) -> Self {
        let agency = Agency { email: agency_email.into(), phone: None, id: None };
        Self { stay, guests, rooms, agency, card: true, reference: true, price: None }
    }
}

impl CellArgs for BookHotel {
    fn check(&self) -> Result<(), String> {
        if !is_code(&self.stay.hotel_id, 8) {
            return Err("stay.hotel_id: give the eight characters of the Amadeus property code".to_owned());
        }
        if self.stay.check_in >= self.stay.check_out {
            return Err("stay.check_out: it has to be after check_in".to_owned());
        }
        if self.guests.is_empty() || !(1..=9).contains(&self.rooms.len()) {
            return Err("guests, rooms: give at least one guest, and one to nine rooms".to_owned());
        }
        for (number, guest) in self.guests.iter().enumerate() {
            guest.check(&format!("guests[{number}]"))?;
        }
        for (number, room) in self.rooms.iter().enumerate() {
            let is_first = number == 0 && self.reference;
            room.check(&format!("rooms[{number}]"), self.guests.len(), is_first)?;
        }
        let beds = || self.rooms.iter().flat_map(|room| &room.guests);
        let sleeps = |guest: usize| beds().filter(|one| **one == guest).count();
        if let Some(guest) = (1..=self.guests.len()).find(|guest| sleeps(*guest) != 1) {
            return Err(format!("rooms: guest {guest} has to sleep in one room"));
        }
        self.agency.check()?;
        self.price.as_ref().map_or(Ok(()), |price| price.check().map_err(|error| format!("price: {error}")))
    }

    fn echo(&self) -> Echo {
        vec![("guests", self.guests.len().to_string()), ("stay", self.stay.words())]
    }

    fn money(&self) -> Option<Money> {
        self.price.clone()
    }
}

impl CellReceipt for BookHotelReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("guests", self.guests.to_string())];
        echo.extend(self.stay.clone().map(|stay| ("stay", stay)));
        echo
    }

    fn fate(&self) -> Option<(String, bool)> {
        let is_off = |status: &String| matches!(status.as_str(), "DENIED" | "UNCONFIRMED" | "CANCELLED" | "DELETED");
        Some((self.statuses.join(" "), self.statuses.iter().any(is_off)))
    }
}

#[cfg(test)]
mod tests;
