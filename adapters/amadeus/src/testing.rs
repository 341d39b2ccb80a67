//! A scripted Amadeus for unit tests: it gives a token to whoever asks, then the answers it was given, in
//! order.

use std::ops::Deref;
use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{HandClock, Script, response};
use hapax_core::words::Fault;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::TOKEN_PATH;
use crate::{BookFlight, BookHotel};

pub(crate) const SECRET: &str = "verysecret-client";
pub(crate) const TOKEN: &str = "verysecret-token";
pub(crate) const CARD: &str = "4151289722471370";
pub(crate) const ADDRESS: &str = "https://amadeus.example/base";

/// A connection whose requests are answered from a script, by a clock that a test moves.
pub(crate) struct Desk {
    desk: hapax_core::testing::Desk,
    clock: Arc<HandClock>,
}

impl Deref for Desk {
    type Target = hapax_core::testing::Desk;

    fn deref(&self) -> &Self::Target {
        &self.desk
    }
}

pub(crate) fn token() -> Value {
    json!({"type": "amadeusOAuth2Token", "username": "somebody@example.com", "application_name": "Trips",
        "client_id": "id", "token_type": "Bearer", "access_token": TOKEN, "expires_in": 1799, "scope": ""})
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
    pub(crate) fn new(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Self {
        Self::scripted(cell, Script::of(answers), credentials())
    }

    pub(crate) fn losing(cell: &str) -> Self {
        let desk = Self::new(cell, []);
        desk.script().push(Err(Fault::Lost("reset".to_owned())));
        desk
    }

    /// With other credentials, whose requests never get so far as to be answered.
    pub(crate) fn with(cell: &str, credentials: Credentials) -> Self {
        Self::scripted(cell, Script::of([]), credentials)
    }

    fn scripted(cell: &str, script: Arc<Script>, credentials: Credentials) -> Self {
        let connection = Connection::new("amadeus", crate::integration(), credentials).expect("a connection");
        let connection = connection.at(ADDRESS).expect("an address");
        script.apart(&token_path(), [response(200, &token())]);
        let clock = Arc::new(HandClock::at(1_790_000_000_000));
        Self { desk: hapax_core::testing::Desk::by(clock.clone(), connection, cell, script), clock }
    }

    pub(crate) fn noting(self, name: &str, value: &str) -> Self {
        Self { desk: self.desk.noting(name, value), ..self }
    }

    /// What the token endpoint answers, one after the other.
    pub(crate) fn giving<'a>(self, answers: impl IntoIterator<Item = (u16, &'a Value)>) -> Self {
        self.script().apart(&token_path(), answers.into_iter().map(|(status, body)| response(status, body)));
        self
    }

    /// The remark as it is planted.
    pub(crate) fn remark(&self) -> String {
        format!("HAPAX {}", self.names().mark().to_uppercase())
    }

    pub(crate) fn later(&self, ms: u64) {
        self.clock.forward(ms);
    }

    /// How often a token was asked for.
    pub(crate) fn tokens(&self) -> usize {
        self.script().count(&token_path())
    }
}

/// Where tokens come from, below the address of the tests.
fn token_path() -> String {
    format!("/base{TOKEN_PATH}")
}

pub(crate) fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it reads")
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
