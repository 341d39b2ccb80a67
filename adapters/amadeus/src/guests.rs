//! Guests, rooms and the stay, and how they stand in a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::BookHotel;
use crate::card;
use crate::personal::{Date, Personal, is_email};

/// Which hotel, and which nights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stay {
    /// Amadeus property code, eight characters.
    pub hotel_id: String,
    /// The hotel's name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hotel_name: Option<String>,
    /// First night.
    pub check_in: Date,
    /// Day of departure.
    pub check_out: Date,
}

impl Stay {
    /// The hotel and the nights in words.
    pub(crate) fn words(&self) -> String {
        words(&self.hotel_id, &self.check_in.0.to_string(), &self.check_out.0.to_string())
    }
}

pub(crate) fn words(hotel: &str, check_in: &str, check_out: &str) -> String {
    format!("{hotel} {check_in} to {check_out}")
}

/// Somebody who stays at the hotel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guest {
    /// `MR`, `MS`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Personal>,
    /// Given names.
    pub first_name: Personal,
    /// Family name.
    pub last_name: Personal,
    /// Phone number, `+33679278416`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<Personal>,
    /// E-mail address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Personal>,
    /// Age of a child; without it a guest is an adult.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_age: Option<Personal<u8>>,
}

/// An offer, and who sleeps there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Room {
    /// The hotel offer's id.
    pub offer_id: String,
    /// Numbers of the guests in the list, counted from 1; the first holds the reservation.
    pub guests: Vec<usize>,
    /// A request to the reception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub special_request: Option<Personal>,
}

/// The agency that books.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agency {
    /// E-mail address, which Amadeus demands.
    pub email: Personal,
    /// Phone number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<Personal>,
    /// IATA number of another agency that gets the commission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Guest {
    /// A guest with a name; more in the fields.
    pub fn new(first_name: &str, last_name: &str) -> Self {
        let (first_name, last_name) = (first_name.into(), last_name.into());
        Self { title: None, first_name, last_name, phone: None, email: None, child_age: None }
    }

    pub(crate) fn check(&self, at: &str) -> Result<(), String> {
        for (field, name) in [("first_name", &self.first_name), ("last_name", &self.last_name)] {
            if name.0.trim().is_empty() || name.0.chars().count() > 56 {
                return Err(format!("{at}.{field}: give a name of up to 56 characters"));
            }
        }
        if self.email.as_ref().is_some_and(|email| !is_email(&email.0)) {
            return Err(format!("{at}.email: give an e-mail address"));
        }
        Ok(())
    }

    fn value(&self, number: usize) -> Value {
        let mut guest = Map::new();
        guest.insert("tid".to_owned(), number.into());
        let fields = [
            ("title", self.title.as_ref()),
            ("firstName", Some(&self.first_name)),
            ("lastName", Some(&self.last_name)),
            ("phone", self.phone.as_ref()),
            ("email", self.email.as_ref()),
        ];
        guest.extend(fields.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.0.clone().into()))));
        guest.extend(self.child_age.as_ref().map(|age| ("childAge".to_owned(), age.0.into())));
        Value::Object(guest)
    }
}

/// What a special request may have.
const SPECIAL_REQUEST: std::ops::RangeInclusive<usize> = 2..=120;
/// What our reference takes of it, with a space.
const REFERENCE: usize = 39;

impl Room {
    /// A room without a special request.
    pub fn new(offer_id: impl Into<String>, guests: impl Into<Vec<usize>>) -> Self {
        Self { offer_id: offer_id.into(), guests: guests.into(), special_request: None }
    }

    pub(crate) fn check(&self, at: &str, guests: usize, with_reference: bool) -> Result<(), String> {
        let is_code = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        if !(2..=100).contains(&self.offer_id.len()) || !self.offer_id.bytes().all(is_code) {
            return Err(format!("{at}.offer_id: give the id of a hotel offer, in upper-case letters and digits"));
        }
        if self.guests.is_empty() || self.guests.iter().any(|guest| !(1..=guests).contains(guest)) {
            return Err(format!("{at}.guests: give numbers of guests, counted from 1"));
        }
        let taken = if with_reference { REFERENCE } else { 0 };
        let length = self.special_request.as_ref().map(|text| text.0.chars().count());
        if length.is_some_and(|length| !SPECIAL_REQUEST.contains(&length) || length + taken > *SPECIAL_REQUEST.end()) {
            let most = SPECIAL_REQUEST.end() - taken;
            return Err(format!("{at}.special_request: 2 to {most} characters; our reference takes {taken} of 120"));
        }
        Ok(())
    }

    fn value(&self, reference: Option<&str>) -> Value {
        let guests: Vec<Value> =
            self.guests.iter().map(|guest| json!({ "guestReference": guest.to_string() })).collect();
        let mut room = json!({ "guestReferences": guests, "hotelOfferId": self.offer_id });
        let own = self.special_request.as_ref().map(|text| text.0.as_str());
        let request: Vec<&str> = own.into_iter().chain(reference).collect();
        if !request.is_empty() {
            room["specialRequest"] = request.join(" ").into();
        }
        room
    }
}

impl Agency {
    pub(crate) fn check(&self) -> Result<(), String> {
        if is_email(&self.email.0) { Ok(()) } else { Err("agency.email: give an e-mail address".to_owned()) }
    }

    fn value(&self) -> Value {
        let mut agency = json!({ "contact": { "email": self.email } });
        if let Some(phone) = &self.phone {
            agency["contact"]["phone"] = json!(phone);
        }
        if let Some(id) = &self.id {
            agency["travelAgentId"] = id.as_str().into();
        }
        agency
    }
}

/// The request's body. The card is put in as the request leaves.
pub(crate) fn body(args: &BookHotel, reference: Option<&str>) -> Value {
    let guests: Vec<Value> = args.guests.iter().enumerate().map(|(at, guest)| guest.value(at + 1)).collect();
    let rooms: Vec<Value> =
        args.rooms.iter().enumerate().map(|(at, room)| room.value(reference.filter(|_| at == 0))).collect();
    let mut data = json!({
        "type": "hotel-order",
        "guests": guests,
        "travelAgent": args.agency.value(),
        "roomAssociations": rooms,
    });
    if args.card {
        data["payment"] = card::wanted();
    }
    json!({ "data": data })
}
