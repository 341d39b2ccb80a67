//! Priced flight offers: passed on as they came, and read as far as we compare them.

use std::fmt;

use hapax_core::money::Money;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::personal::is_code;

/// A flight offer as Amadeus priced it (`flight-offers/pricing`). It is passed on unchanged: what is
/// left out or retyped is another offer.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct FlightOffer(pub Map<String, Value>);

impl fmt::Debug for FlightOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FlightOffer({})", self.0.get("id").and_then(Value::as_str).unwrap_or("?"))
    }
}

/// What is read of an offer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Seen {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    pub(crate) price: Option<Price>,
    #[serde(default)]
    itineraries: Vec<Itinerary>,
    #[serde(default)]
    traveler_pricings: Vec<TravelerPricing>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Price {
    currency: String,
    grand_total: Option<String>,
    total: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Itinerary {
    segments: Vec<Segment>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TravelerPricing {
    traveler_id: String,
}

/// A flight of an offer or of an order.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Segment {
    departure: Stop,
    arrival: Stop,
    carrier_code: String,
    number: String,
    pub(crate) booking_status: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stop {
    iata_code: String,
    at: String,
}

impl Segment {
    /// `IB3403 ORY-MAD 2018-09-22`: by the day, since times are written in several ways.
    fn words(&self) -> String {
        let day = self.departure.at.get(..10).unwrap_or(&self.departure.at);
        let (from, to) = (&self.departure.iata_code, &self.arrival.iata_code);
        format!("{}{} {from}-{to} {day}", self.carrier_code, self.number)
    }

    fn is_readable(&self) -> bool {
        let is_place = |stop: &Stop| is_code(&stop.iata_code, 3);
        let is_day = |stop: &Stop| stop.at.get(..10).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok());
        let is_number = (1..=4).contains(&self.number.len()) && self.number.bytes().all(|b| b.is_ascii_alphanumeric());
        is_place(&self.departure)
            && is_place(&self.arrival)
            && is_day(&self.departure)
            && is_code(&self.carrier_code, 2)
            && is_number
    }
}

impl Price {
    /// The total in minor units. Amadeus writes decimals as texts.
    fn money(&self) -> Option<Money> {
        let text = self.grand_total.as_deref().or(self.total.as_deref())?;
        let exponent = Money { amount: 1, currency: self.currency.clone() }.exponent().ok()? as usize;
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        // Digits past the currency's own must be zeros: nothing is rounded.
        let (kept, rest) = part.split_at(part.len().min(exponent));
        if whole.is_empty() || !digits(whole) || !digits(kept) || rest.bytes().any(|byte| byte != b'0') {
            return None;
        }
        let amount = format!("{whole}{kept:0<exponent$}").parse().ok()?;
        Some(Money { amount, currency: self.currency.clone() })
    }
}

impl FlightOffer {
    /// What is read of it.
    pub(crate) fn seen(&self) -> Result<Seen, serde_json::Error> {
        Seen::deserialize(&Value::Object(self.0.clone()))
    }

    /// Names the field that is wrong, below `at`; `travelers` are those who are to travel.
    pub(crate) fn check(&self, at: &str, travelers: &[&str]) -> Result<(), String> {
        // The parser's own words may quote the offer.
        let Ok(seen) = self.seen() else {
            return Err(format!(
                "{at}: pass on a priced flight offer as it came; its type, id, price or segments are missing"
            ));
        };
        if seen.kind != "flight-offer" || seen.id.is_empty() {
            return Err(format!("{at}: pass on a priced flight offer, with type flight-offer and its id"));
        }
        if seen.segments().next().is_none() || seen.segments().any(|segment| !segment.is_readable()) {
            return Err(format!("{at}.itineraries: a segment lacks its airline, number, IATA airports or day"));
        }
        if seen.price.as_ref().is_none_or(|price| price.money().is_none()) {
            return Err(format!("{at}.price: no total in an ISO 4217 currency; price the offer first"));
        }
        let priced: Vec<&str> = seen.traveler_pricings.iter().map(|one| one.traveler_id.as_str()).collect();
        if priced.is_empty() || priced.iter().any(|id| !travelers.contains(id)) {
            return Err(format!("{at}.travelerPricings: it is priced for a traveler who is not in travelers"));
        }
        Ok(())
    }
}

impl Seen {
    pub(crate) fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.itineraries.iter().flat_map(|itinerary| &itinerary.segments)
    }
}

/// The flights of some offers in the order of their departure, so that two orders of the same flights
/// are equal.
pub(crate) fn flights(offers: &[FlightOffer]) -> String {
    let seen = offers.iter().filter_map(|offer| offer.seen().ok());
    let mut flights: Vec<(String, String)> = seen
        .flat_map(|seen| seen.segments().map(|one| (one.departure.at.clone(), one.words())).collect::<Vec<_>>())
        .collect();
    flights.sort();
    flights.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(", ")
}

/// The total of some offers, if they are in one currency.
pub(crate) fn total(offers: &[FlightOffer]) -> Option<Money> {
    let mut sum: Option<Money> = None;
    for offer in offers {
        let one = offer.seen().ok()?.price?.money()?;
        sum = match sum {
            None => Some(one),
            Some(sum) if sum.currency == one.currency => {
                Some(Money { amount: sum.amount.checked_add(one.amount)?, ..sum })
            }
            Some(_) => return None,
        };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn totals_are_read_in_minor_units_and_never_rounded() {
        let read = |total: &str, currency: &str| {
            let price: Price =
                serde_json::from_value(json!({"currency": currency, "grandTotal": total})).expect("a price");
            price.money().map(|money| money.amount)
        };
        assert_eq!(read("8514.96", "USD"), Some(851_496));
        assert_eq!(read("100", "USD"), Some(10_000));
        assert_eq!(read("100.5", "USD"), Some(10_050));
        assert_eq!(read("1050.00", "JPY"), Some(1050));
        assert_eq!(read("10.505", "USD"), None);
        assert_eq!(read("-1", "USD"), None);
        assert_eq!(read("1.00", "XXQ"), None);
    }
}
