//! The shape of a hotel order; only the fields that are read.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::guests::words;
use crate::wire::AssociatedRecord;

/// Where hotel orders are.
pub(crate) const HOTEL_ORDERS: &str = "/v2/booking/hotel-orders";

/// A hotel order.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HotelOrder {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) associated_records: Vec<AssociatedRecord>,
    #[serde(default)]
    pub(crate) guests: Vec<IgnoredAny>,
    hotel_bookings: Vec<HotelBooking>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HotelBooking {
    booking_status: Option<String>,
    #[serde(default)]
    hotel_provider_information: Vec<Provider>,
    hotel_offer: Option<Offer>,
    hotel: Option<Hotel>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Provider {
    confirmation_number: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Offer {
    check_in_date: Option<String>,
    check_out_date: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hotel {
    hotel_id: String,
}

impl HotelOrder {
    /// The hotel's own confirmation numbers.
    pub(crate) fn confirmations(&self) -> Vec<String> {
        let informed = self.hotel_bookings.iter().flat_map(|booking| &booking.hotel_provider_information);
        informed.map(|provider| provider.confirmation_number.clone()).collect()
    }

    /// Statuses of its bookings, once each.
    pub(crate) fn statuses(&self) -> Vec<String> {
        let mut statuses: Vec<String> =
            self.hotel_bookings.iter().filter_map(|booking| booking.booking_status.clone()).collect();
        statuses.sort();
        statuses.dedup();
        statuses
    }

    /// The hotel and the nights, if all bookings name the same.
    pub(crate) fn stay(&self) -> Option<String> {
        let mut stays = self.hotel_bookings.iter().map(HotelBooking::stay);
        let first = stays.next()??;
        // Bookings that differ are shown, so that the comparison fails and a person looks.
        match stays.find(|stay| stay.as_ref() != Some(&first)) {
            None => Some(first),
            Some(other) => Some(format!("{first}, and {}", other.unwrap_or_else(|| "another stay".to_owned()))),
        }
    }
}

impl HotelBooking {
    fn stay(&self) -> Option<String> {
        let (hotel, offer) = (self.hotel.as_ref()?, self.hotel_offer.as_ref()?);
        Some(words(&hotel.hotel_id, offer.check_in_date.as_deref()?, offer.check_out_date.as_deref()?))
    }
}
