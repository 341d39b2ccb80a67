use hapax_standin::{Reply, Request};
use serde_json::{Value, json};

use super::StandIn;
use super::fail::Fail;

impl StandIn {
    pub(super) fn book_hotel(&self, request: &Request, office: &str) -> Result<Reply, Fail> {
        let data = request.json.as_ref().map(|body| body["data"].clone()).unwrap_or_default();
        check(&data).map_err(Fail::nested)?;
        let id = format!("{}=", self.world.ids.next("V0g", 20).replace('_', "/"));
        let bookings: Vec<Value> = list(&data["roomAssociations"]).iter().map(|room| self.booking(room)).collect();
        let guests = list(&data["guests"]).iter().enumerate().map(|(at, guest)| {
            let mut guest = guest.clone();
            guest["id"] = (at + 1).into();
            guest
        });
        let order = json!({ "data": {
            "type": "hotel-order", "id": id, "hotelBookings": bookings, "guests": guests.collect::<Vec<_>>(),
            "associatedRecords": [{ "reference": self.locator(), "originSystemCode": "GDS" }],
            "self": format!("/v2/booking/hotel-orders/{}", encoded(&id)),
        }});
        let requests = list(&data["roomAssociations"]).iter().filter_map(|room| room["specialRequest"].as_str());
        let texts: Vec<String> = requests.map(str::to_owned).collect();
        self.effect("hotel", &id, office, &texts, list(&data["guests"]).len());
        self.state().hotels.push((id, order.clone()));
        Ok(Reply::json(201, &order))
    }

    fn booking(&self, room: &Value) -> Value {
        let offer = room["hotelOfferId"].as_str().unwrap_or_default();
        let status = if offer.starts_with("DENIED") { "DENIED" } else { "CONFIRMED" };
        let confirmation = self.world.ids.next("", 8).trim_start_matches('_').to_uppercase();
        let mut booking = json!({
            "type": "hotel-booking", "id": self.world.ids.next("MS", 20), "bookingStatus": status,
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

    pub(super) fn hotel(&self, id: &str) -> Result<Reply, Fail> {
        let state = self.state();
        let order = state.hotels.iter().find(|(known, _)| encoded(known) == id);
        order.map(|(_, order)| Reply::json(200, order)).ok_or_else(Fail::missing)
    }
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

fn encoded(id: &str) -> String {
    id.replace('/', "%2F")
}
