use hapax_standin::{Context, Record, World};
use serde_json::{Value, json};

use super::fail::Fail;
use super::{Amadeus, effect, locator};

/// A hotel order, and how it is answered.
pub(super) struct HotelOrder {
    id: String,
    value: Value,
    created_ms: i64,
}

impl Record for HotelOrder {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

pub(super) fn book(context: &mut Context<'_, Amadeus>) -> Result<(u16, Value), Fail> {
    let (data, world) = (context.request.json_at("/data"), context.world);
    check(data).map_err(Fail::nested)?;
    let id = format!("V0g/{}=", world.ids.letters(20));
    let bookings: Vec<Value> = list(&data["roomAssociations"]).iter().map(|room| booking(room, world)).collect();
    let guests = list(&data["guests"]).iter().enumerate().map(|(at, guest)| {
        let mut guest = guest.clone();
        guest["id"] = (at + 1).into();
        guest
    });
    let value = json!({ "data": {
        "type": "hotel-order", "id": id, "hotelBookings": bookings, "guests": guests.collect::<Vec<_>>(),
        "associatedRecords": [{ "reference": locator(world), "originSystemCode": "GDS" }],
        "self": format!("/v2/booking/hotel-orders/{}", id.replace('/', "%2F")),
    }});
    let requests = list(&data["roomAssociations"]).iter().filter_map(|room| room["specialRequest"].as_str());
    let texts: Vec<String> = requests.map(str::to_owned).collect();
    context.effect(effect("hotel", &id, &texts, list(&data["guests"]).len()));
    context.state.hotels.add(HotelOrder { id, value: value.clone(), created_ms: context.now_ms });
    Ok((201, value))
}

fn booking(room: &Value, world: &World) -> Value {
    let offer = room["hotelOfferId"].as_str().unwrap_or_default();
    let status = if offer.starts_with("DENIED") { "DENIED" } else { "CONFIRMED" };
    let confirmation = world.ids.letters(8).to_uppercase();
    let mut booking = json!({
        "type": "hotel-booking", "id": world.ids.next("MS", 20), "bookingStatus": status,
        "hotelProviderInformation": [{ "hotelProviderCode": "AR", "confirmationNumber": confirmation }],
        "roomAssociations": [{ "hotelOfferId": "******", "guestReferences": room["guestReferences"] }],
        "payment": { "method": "CREDIT_CARD", "paymentCard": { "paymentCardInfo": { "cardNumber": "415128XXXXXX1370" } } },
        "travelAgentId": "00000000",
    });
    if let Some((hotel, check_in, check_out)) = stay(offer) {
        booking["hotel"] = json!({ "hotelId": hotel, "chainCode": "AR", "name": "STAND IN" });
        booking["hotelOffer"] =
            json!({ "id": "******", "type": "hotel-offer", "checkInDate": check_in, "checkOutDate": check_out });
    }
    booking
}

pub(super) fn show(context: &mut Context<'_, Amadeus>) -> Result<Value, Fail> {
    let order = context.state.hotels.get(&context.path("id"));
    order.map(|order| order.value.clone()).ok_or_else(Fail::missing)
}

fn check(data: &Value) -> Result<(), Fail> {
    if data["type"] != "hotel-order" {
        return Err(Fail::new(400, 8612, "INVALID TYPE"));
    }
    if list(&data["guests"]).is_empty() || list(&data["guests"]).iter().any(|guest| guest["tid"].is_null()) {
        return Err(Fail::invalid("data/guests"));
    }
    if data["travelAgent"]["contact"]["email"].is_null() {
        return Err(Fail::invalid("data/travelAgent"));
    }
    let rooms = list(&data["roomAssociations"]);
    if !(1..=9).contains(&rooms.len()) {
        return Err(Fail::invalid("data/roomAssociations"));
    }
    for room in rooms {
        if list(&room["guestReferences"]).is_empty() {
            return Err(Fail::new(400, 4725, "INVALID PASSENGER ASSOCIATION"));
        }
        if room["hotelOfferId"].as_str().is_none_or(|offer| offer.starts_with("SOLDOUT")) {
            return Err(Fail::new(400, 3664, "NO ROOMS AVAILABLE AT REQUESTED PROPERTY"));
        }
    }
    if data["payment"]["paymentCard"]["paymentCardInfo"]["cardNumber"].is_null() {
        return Err(Fail::new(400, 1427, "GUARANTEE REQUIRED"));
    }
    Ok(())
}

/// Property code and dates out of an offer's id, if it begins with them.
fn stay(offer: &str) -> Option<(&str, String, String)> {
    let day = |text: &str| {
        let is_day = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_day.then(|| format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]))
    };
    Some((offer.get(..8)?, day(offer.get(8..16)?)?, day(offer.get(16..24)?)?))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
