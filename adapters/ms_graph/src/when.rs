//! Times of an event, as callers give them and as Graph shows them.

use jiff::civil::DateTime;
use serde::Deserialize;
use serde_json::{Value, json};

/// A begin or an end, as Graph shows it.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    date_time: String,
    time_zone: String,
}

impl Shown {
    /// Whether it is surely another time. Zones have several names, and a time in another zone than the
    /// one that was asked for isn't compared.
    pub(crate) fn is_other(&self, local: &str, zone: &str) -> bool {
        let comparable = self.time_zone.eq_ignore_ascii_case(zone);
        comparable && civil(&self.date_time).is_none_or(|shown| Some(shown) != civil(local))
    }
}

/// As Graph takes it.
pub(crate) fn value(local: &str, zone: &str) -> Value {
    json!({ "dateTime": local, "timeZone": zone })
}

/// Checks a begin and an end in this zone; whole days begin and end at midnight.
pub(crate) fn check_span(start: &str, end: &str, zone: &str, all_day: bool) -> Result<(), String> {
    let read = |field: &str, text: &str| {
        let example = "give a local time without an offset, as in 2026-12-01T10:00:00";
        civil(text).ok_or_else(|| format!("{field}: {example}; time_zone says where"))
    };
    let (start, end) = (read("start", start)?, read("end", end)?);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" /_+-.()".contains(&byte);
    if zone.is_empty() || zone.len() > 64 || !zone.bytes().all(is_plain) {
        return Err("time_zone: give a name as in UTC, Europe/Berlin or W. Europe Standard Time".to_owned());
    }
    if all_day {
        let is_midnight = |at: DateTime| at == at.date().to_datetime(jiff::civil::Time::midnight());
        return match is_midnight(start) && is_midnight(end) && start < end {
            true => Ok(()),
            false => Err("all_day: start and end are midnights, and end is the first day after it".to_owned()),
        };
    }
    if start <= end { Ok(()) } else { Err("end: lies before start".to_owned()) }
}

/// A local time. What has an offset is another thing, and Graph would take its digits alone.
fn civil(text: &str) -> Option<DateTime> {
    let is_local = |text: &str| text.len() >= 16 && !text[10..].contains(['Z', 'z', '+', '-', '[']);
    if !text.is_ascii() || !is_local(text) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(date_time: &str, time_zone: &str) -> Shown {
        Shown { date_time: date_time.to_owned(), time_zone: time_zone.to_owned() }
    }

    #[test]
    fn times_are_compared_in_one_zone_only() {
        let ten = "2026-12-01T10:00:00";
        assert!(!shown("2026-12-01T10:00:00.0000000", "Europe/Berlin").is_other(ten, "Europe/Berlin"));
        assert!(shown("2026-12-01T11:00:00.0000000", "Europe/Berlin").is_other(ten, "Europe/Berlin"));
        assert!(!shown("2026-12-01T09:00:00.0000000", "UTC").is_other(ten, "Europe/Berlin"));
        assert!(shown("soon", "UTC").is_other(ten, "UTC"));
    }

    #[test]
    fn a_local_time_has_no_offset_and_an_end_comes_later() {
        let span = |start: &str, end: &str, zone: &str| check_span(start, end, zone, false);
        assert_eq!(span("2026-12-01T10:00:00", "2026-12-01T11:00", "Europe/Berlin"), Ok(()));
        assert_eq!(span("2026-12-01T10:00:00", "2026-12-01T11:00:00.0000000", "W. Europe Standard Time"), Ok(()));
        for (start, end, zone, says) in [
            ("2026-12-01T10:00:00Z", "2026-12-01T11:00:00", "UTC", "start"),
            ("2026-12-01T10:00:00+01:00", "2026-12-01T11:00:00", "UTC", "start"),
            ("2026-12-01T10:00:00", "2026-12-01", "UTC", "end"),
            ("2026-12-01T10:00:00", "2026-12-01T09:00:00", "UTC", "end"),
            ("2026-12-01T10:00:00", "2026-12-01T11:00:00", "UTC\r\nX: y", "time_zone"),
            ("2026-12-01T10:00:00", "2026-12-01T11:00:00", "", "time_zone"),
        ] {
            assert!(span(start, end, zone).expect_err(says).starts_with(says), "{start} {end} {zone:?}");
        }
        assert_eq!(check_span("2026-12-01T00:00:00", "2026-12-02T00:00:00", "UTC", true), Ok(()));
        assert!(check_span("2026-12-01T00:00:00", "2026-12-01T00:00:00", "UTC", true).is_err());
        assert!(check_span("2026-12-01T10:00:00", "2026-12-02T00:00:00", "UTC", true).is_err());
    }
}
