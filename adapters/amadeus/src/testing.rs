//! A scripted Amadeus for unit tests: it gives a token to whoever asks, then the answers it was given, in
//! order, and keeps what it was asked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::cell::{Connection, Context, Credentials, SharedCell, SharedIntegration, Shot, Step, Wire};
use hapax_core::clock::{Clock, SharedClock};
use hapax_core::identity::{Form, Names, NamespaceSecret, OperationKey, Seed};
use hapax_core::protocol::{Receipt, Stamp};
use hapax_core::transport::{Body, Gate, Request, Response, Transport};
use hapax_core::words::{Answer, Fault, Finding};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;

use crate::tokens::{TOKEN_PATH, Tokens};
use crate::{Amadeus, BookFlight, BookHotel};

pub(crate) const SECRET: &str = "verysecret-client";
pub(crate) const TOKEN: &str = "verysecret-token";
pub(crate) const CARD: &str = "4151289722471370";
pub(crate) const ADDRESS: &str = "https://amadeus.example/base";

/// A connection whose requests are answered from a script.
pub(crate) struct Desk {
    script: Arc<Script>,
    wire: Wire,
    clock: Arc<Hand>,
    cell: &'static str,
    notes: BTreeMap<String, String>,
    former: BTreeMap<String, String>,
}

/// A clock that a test moves.
pub(crate) struct Hand(AtomicU64);

#[async_trait]
impl Clock for Hand {
    fn now(&self) -> Stamp {
        Stamp::scripted(self.0.load(Ordering::SeqCst))
    }

    async fn sleep(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }

    fn real(&self, ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}

struct Script {
    answers: Mutex<VecDeque<Result<Response, Fault>>>,
    asked: Mutex<Vec<Request>>,
    tokens: Mutex<VecDeque<Response>>,
}

impl Script {
    fn answer(&self, request: Request) -> Result<Response, Fault> {
        let is_token = request.path == TOKEN_PATH;
        self.asked.lock().expect("lock").push(request);
        if is_token {
            let given = self.tokens.lock().expect("lock").pop_front();
            return Ok(given.unwrap_or_else(|| response(200, &token())));
        }
        self.answers.lock().expect("lock").pop_front().expect("one more answer in the script")
    }
}

#[async_trait]
impl Transport for Script {
    async fn ask(&self, _base: &Url, request: Request, _within: Duration) -> Result<Response, Fault> {
        self.answer(request)
    }

    async fn shoot(&self, _base: &Url, request: Request, _gate: Gate) -> Result<Response, Fault> {
        self.answer(request)
    }
}

pub(crate) fn token() -> Value {
    json!({"type": "amadeusOAuth2Token", "username": "somebody@example.com", "application_name": "Trips",
        "client_id": "id", "token_type": "Bearer", "access_token": TOKEN, "expires_in": 1799, "scope": ""})
}

pub(crate) fn response(status: u16, body: &Value) -> Response {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Response { status, headers: Vec::new(), body }
}

/// An answer with an error in Amadeus' list.
pub(crate) fn error(status: u16, code: u32) -> (u16, Value) {
    let error = json!({"status": status, "code": code, "title": "TITLE", "detail": "MARIE CURIE is not acceptable"});
    (status, json!({"errors": [error]}))
}

pub(crate) fn credentials() -> Credentials {
    let pairs = [
        ("client_id", "id"),
        ("client_secret", SECRET),
        ("card_number", CARD),
        ("card_vendor", "VI"),
        ("card_expiry", "2029-08"),
        ("card_holder", "MARIE CURIE"),
    ];
    pairs.into_iter().fold(Credentials::none(), |all, (name, value)| all.with(name, value.into()))
}

impl Desk {
    pub(crate) fn new(cell: &'static str, answers: impl IntoIterator<Item = (u16, Value)>) -> Self {
        let answers = answers.into_iter().map(|(status, body)| Ok(response(status, &body))).collect();
        Self::scripted(cell, answers, credentials())
    }

    pub(crate) fn losing(cell: &'static str) -> Self {
        Self::scripted(cell, VecDeque::from([Err(Fault::Lost("reset".to_owned()))]), credentials())
    }

    /// With other credentials, whose requests never get so far as to be answered.
    pub(crate) fn with(cell: &'static str, credentials: Credentials) -> Self {
        Self::scripted(cell, VecDeque::new(), credentials)
    }

    fn scripted(cell: &'static str, answers: VecDeque<Result<Response, Fault>>, credentials: Credentials) -> Self {
        let script =
            Arc::new(Script { answers: Mutex::new(answers), asked: Mutex::default(), tokens: Mutex::default() });
        let clock = Arc::new(Hand(AtomicU64::new(1_790_000_000_000)));
        let integration: SharedIntegration = Arc::new(Amadeus { tokens: Tokens::by(clock.clone()) });
        let connection = Connection::new("amadeus", integration, credentials).expect("a connection");
        let connection = connection.at(ADDRESS).expect("an address");
        let wire = Wire::new(Arc::new(connection), script.clone(), clock.clone());
        Self { script, wire, clock, cell, notes: BTreeMap::new(), former: BTreeMap::new() }
    }

    pub(crate) fn noting(mut self, name: &str, value: &str) -> Self {
        self.notes.insert(name.to_owned(), value.to_owned());
        self
    }

    /// What the token endpoint answers next.
    pub(crate) fn giving(self, status: u16, body: &Value) -> Self {
        self.script.tokens.lock().expect("lock").push_back(response(status, body));
        self
    }

    pub(crate) fn names(&self) -> Names {
        let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
        let key = OperationKey::new("trip:1042").expect("a key");
        let seed = Seed::new(secret, "amadeus", self.cell, key);
        Names::new(seed, Form::Uuid, Form::Text(32), 0, 0).with_notes(self.notes.clone(), self.former.clone())
    }

    /// The remark as it is planted.
    pub(crate) fn remark(&self) -> String {
        format!("HAPAX {}", self.names().mark().to_uppercase())
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    pub(crate) fn later(&self, ms: u64) {
        self.clock.0.fetch_add(ms, Ordering::SeqCst);
    }

    fn context(&self) -> Context {
        Context::new(self.names(), self.wire.clone())
    }

    fn cell(&self) -> SharedCell {
        let cells = self.wire.connection().integration.cells();
        cells.into_iter().find(|cell| cell.spec().id == self.cell).expect("a cell of this name")
    }

    /// The one shot, after the refresh that comes before it, through the erased cell.
    pub(crate) async fn attempt(&self, args: &impl Serialize) -> Answer<Receipt> {
        if let Err(fault) = self.wire.connection().integration.refresh(&self.wire).await {
            return Answer::NotDone(fault.to_string(), None);
        }
        let names = self.names();
        let clock: SharedClock = self.clock.clone();
        let gate = Gate::new(clock.clone(), clock.now(), 90_000);
        let cell = self.cell();
        let shot = Shot::new(&names, &self.wire, cell.spec(), gate);
        cell.attempt(shot, &json_of(args)).await
    }

    pub(crate) async fn prepare(&self, args: &impl Serialize) -> Result<Step<Receipt>, Fault> {
        self.cell().prepare(&self.context(), &json_of(args)).await
    }

    pub(crate) async fn find(&self, args: &impl Serialize) -> Result<Finding<Receipt>, Fault> {
        self.cell().find(&self.context(), &json_of(args)).await
    }

    pub(crate) async fn fetch(&self, args: &impl Serialize, id: &str) -> Result<Option<Receipt>, Fault> {
        self.cell().fetch(&self.context(), &json_of(args), id).await
    }

    /// What was asked so far, as method and target, requests for tokens left out.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.script.asked.lock().expect("lock");
        let counted = asked.iter().filter(|request| request.path != TOKEN_PATH);
        counted.map(|request| format!("{} {}", request.method.as_str(), request.target())).collect()
    }

    /// How often a token was asked for.
    pub(crate) fn tokens(&self) -> usize {
        self.script.asked.lock().expect("lock").iter().filter(|request| request.path == TOKEN_PATH).count()
    }

    /// The last request.
    pub(crate) fn request(&self) -> Request {
        self.script.asked.lock().expect("lock").last().expect("a request").clone()
    }

    /// The body of the last request.
    pub(crate) fn body(&self) -> Value {
        match self.request().body {
            Body::Json(body) => body,
            _ => panic!("it has no JSON"),
        }
    }
}

pub(crate) fn json_of(args: &impl Serialize) -> Value {
    serde_json::to_value(args).expect("arguments are JSON")
}

pub(crate) fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it reads")
}

/// Which word an answer is.
pub(crate) fn word<R>(answer: &Answer<R>) -> &'static str {
    match answer {
        Answer::Happened(_) => "happened",
        Answer::Refused(_, hapax_core::words::Covers::Attempt) => "refused",
        Answer::Refused(_, hapax_core::words::Covers::Record) => "refused on record",
        Answer::NotDone(..) => "not done",
        Answer::Taken(_) => "taken",
        Answer::Unclear(Fault::Adrift(_)) => "adrift",
        Answer::Unclear(Fault::Echo(_)) => "echo",
        Answer::Unclear(_) => "unclear",
    }
}

/// A priced offer of two flights for two travelers.
pub(crate) fn offer(id: &str) -> Value {
    let segment = |id: &str, carrier: &str, number: &str, from: (&str, &str), to: (&str, &str)| {
        json!({"id": id, "carrierCode": carrier, "number": number, "numberOfStops": 0, "duration": "PT2H",
            "aircraft": {"code": "320"},
            "departure": {"iataCode": from.0, "at": from.1}, "arrival": {"iataCode": to.0, "at": to.1}})
    };
    let out = segment("1", "IB", "3403", ("ORY", "2027-09-22T10:15:00"), ("MAD", "2027-09-22T12:15:00"));
    let back = segment("2", "IB", "3404", ("MAD", "2027-09-26T23:05:00"), ("ORY", "2027-09-27T01:05:00"));
    let pricing = |traveler: &str| {
        json!({"travelerId": traveler, "fareOption": "STANDARD", "travelerType": "ADULT",
            "price": {"currency": "EUR", "total": "211.60", "base": "126.00"},
            "fareDetailsBySegment": [{"segmentId": "1", "class": "A"}, {"segmentId": "2", "class": "A"}]})
    };
    json!({"type": "flight-offer", "id": id, "source": "GDS",
        "itineraries": [{"duration": "PT2H", "segments": [out]}, {"duration": "PT2H", "segments": [back]}],
        "price": {"currency": "EUR", "total": "423.20", "base": "252.00", "grandTotal": "423.20"},
        "pricingOptions": {"fareType": ["PUBLISHED"]}, "validatingAirlineCodes": ["IB"],
        "travelerPricings": [pricing("1"), pricing("2")]})
}

/// Two travelers, with what they would not want to see in a log.
pub(crate) fn travelers() -> Value {
    json!([
        {"id": "1", "name": {"firstName": "MARIE", "lastName": "CURIE"}, "dateOfBirth": "1967-11-07", "gender": "FEMALE",
            "contact": {"emailAddress": "marie@example.com",
                "phones": [{"deviceType": "MOBILE", "countryCallingCode": "33", "number": "480080076"}]},
            "documents": [{"documentType": "PASSPORT", "number": "P0000001", "issuanceDate": "2020-04-14",
                "expiryDate": "2030-04-14", "issuanceCountry": "FR", "validityCountry": "FR", "nationality": "FR",
                "birthPlace": "Warsaw", "holder": true}]},
        {"id": "2", "name": {"firstName": "PIERRE", "lastName": "CURIE"}, "dateOfBirth": "1959-05-15"}
    ])
}

/// Arguments of `book_flight`.
pub(crate) fn flight(offer_id: &str) -> BookFlight {
    read(json!({"flight_offers": [offer(offer_id)], "travelers": travelers()}))
}

/// What a client would send for an order, without us.
#[cfg(feature = "standin")]
pub(crate) fn order_body(offer_id: &str) -> Value {
    json!({"data": {"type": "flight-order", "flightOffers": [offer(offer_id)], "travelers": travelers(),
        "ticketingAgreement": {"option": "DELAY_TO_CANCEL", "delay": "6D"}}})
}

/// An order as Amadeus answers it.
pub(crate) fn order(id: &str, offer_id: &str) -> Value {
    json!({"data": {"type": "flight-order", "id": id, "flightOffers": [offer(offer_id)], "travelers": travelers(),
        "associatedRecords": [{"reference": "2ZYVAL", "originSystemCode": "GDS", "flightOfferId": offer_id}]}})
}

/// The same order with each segment in this status.
pub(crate) fn order_with(id: &str, statuses: [&str; 2]) -> Value {
    let mut order = order(id, "1");
    for (at, status) in statuses.into_iter().enumerate() {
        order["data"]["flightOffers"][0]["itineraries"][at]["segments"][0]["bookingStatus"] = status.into();
    }
    order
}

/// Arguments of `book_hotel`.
pub(crate) fn hotel() -> BookHotel {
    read(json!({
        "stay": {"hotel_id": "ARMADAIT", "hotel_name": "Aitana", "check_in": "2027-01-01", "check_out": "2027-01-03"},
        "guests": [{"title": "MS", "first_name": "MARIE", "last_name": "CURIE", "phone": "+33679278416",
            "email": "marie@example.com"}],
        "rooms": [{"offer_id": "ARMADAIT2027010120270103", "guests": [1]}],
        "agency": {"email": "agency@example.com"}
    }))
}

/// What a client would send for a hotel, without us.
#[cfg(feature = "standin")]
pub(crate) fn hotel_body(offer_id: &str) -> Value {
    json!({"data": {"type": "hotel-order", "guests": [{"tid": 1, "firstName": "MARIE", "lastName": "CURIE"}],
        "travelAgent": {"contact": {"email": "agency@example.com"}},
        "roomAssociations": [{"guestReferences": [{"guestReference": "1"}], "hotelOfferId": offer_id}],
        "payment": {"method": "CREDIT_CARD", "paymentCard": {"paymentCardInfo": {"vendorCode": "VI",
            "cardNumber": CARD, "expiryDate": "2029-08", "holderName": "MARIE CURIE"}}}}})
}

/// A hotel order as Amadeus answers it.
pub(crate) fn hotel_order(id: &str, status: &str) -> Value {
    json!({"data": {"type": "hotel-order", "id": id,
        "hotelBookings": [{"type": "hotel-booking", "id": "MS84", "bookingStatus": status,
            "hotelProviderInformation": [{"hotelProviderCode": "AR", "confirmationNumber": "89922710"}],
            "hotel": {"hotelId": "ARMADAIT", "chainCode": "AR", "name": "AITANA"},
            "hotelOffer": {"checkInDate": "2027-01-01", "checkOutDate": "2027-01-03"},
            "payment": {"paymentCard": {"paymentCardInfo": {"cardNumber": "415128XXXXXX1370"}}}}],
        "guests": [{"tid": 1, "id": 1, "firstName": "MARIE", "lastName": "CURIE"}],
        "associatedRecords": [{"reference": "WH6TRZ", "originSystemCode": "GDS"}]}})
}
