//! Moments and days, as callers give them and as Google shows them.

use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::wire::Shown;

/// When something begins or ends: a moment, or a whole day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// A moment with its offset: `2026-12-01T10:00:00+01:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_time: Option<String>,
    /// The zone that the moment is shown in: `Europe/Berlin`. Needed if it recurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Instead of a moment a day: `2026-12-01`. An end is the first day after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// What can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    Moment(Timestamp),
    Day(Date),
}

impl When {
    /// A moment with its offset.
    pub fn moment(date_time: impl Into<String>) -> Self {
        Self { date_time: Some(date_time.into()), time_zone: None, date: None }
    }

    /// A whole day.
    pub fn day(date: impl Into<String>) -> Self {
        Self { date_time: None, time_zone: None, date: Some(date.into()) }
    }

    /// Shown in this zone.
    pub fn in_zone(mut self, time_zone: impl Into<String>) -> Self {
        self.time_zone = Some(time_zone.into());
        self
    }

    /// As a new event has it.
    pub(crate) fn value(&self) -> Value {
        let mut value = json!({});
        for (name, text) in [("dateTime", &self.date_time), ("timeZone", &self.time_zone), ("date", &self.date)] {
            if let Some(text) = text {
                value[name] = text.clone().into();
            }
        }
        value
    }

    /// As a patch has it: what it is not any more is taken away.
    pub(crate) fn patch(&self) -> Value {
        let mut value = self.value();
        let others: &[&str] = if self.date.is_some() { &["dateTime", "timeZone"] } else { &["date"] };
        for name in others {
            value[*name] = Value::Null;
        }
        value
    }

    /// Whether this is when Google shows it, in whatever zone: zones have several names.
    pub(crate) fn is_shown_as(&self, shown: Option<&Shown>) -> bool {
        let there = shown.and_then(|shown| point(shown.date_time.as_deref(), shown.date.as_deref()));
        there.is_some() && there == self.point()
    }

    /// The same, in the zone that is asked for: who asks for a zone alone must not be told that it is so already.
    pub(crate) fn is_so(&self, shown: Option<&Shown>) -> bool {
        let zone = shown.and_then(|shown| shown.time_zone.as_ref());
        self.is_shown_as(shown) && (self.time_zone.is_none() || self.time_zone.as_ref() == zone)
    }

    fn point(&self) -> Option<Point> {
        point(self.date_time.as_deref(), self.date.as_deref())
    }

    fn check(&self, field: &str) -> Result<(), String> {
        if self.date_time.is_some() == self.date.is_some() {
            return Err(format!("{field}: give either date_time or date"));
        }
        if self.point().is_none() {
            return Err(format!(
                "{field}: give date_time with its offset, as in 2026-12-01T10:00:00+01:00, or date, as in 2026-12-01"
            ));
        }
        match &self.time_zone {
            Some(_) if self.date.is_some() => Err(format!("{field}: time_zone goes with date_time")),
            Some(zone) if !is_zone(zone) => Err(format!("{field}: time_zone is a name as in Europe/Berlin")),
            _ => Ok(()),
        }
    }
}

/// Checks a begin and an end.
pub(crate) fn check_span(start: &When, end: &When) -> Result<(), String> {
    start.check("start")?;
    end.check("end")?;
    match (start.point(), end.point()) {
        (Some(Point::Moment(start)), Some(Point::Moment(end))) if start <= end => Ok(()),
        (Some(Point::Day(start)), Some(Point::Day(end))) if start < end => Ok(()),
        (Some(Point::Day(_)), Some(Point::Day(_))) => Err("end: give the first day after it".to_owned()),
        (Some(Point::Moment(_)), Some(Point::Moment(_))) => Err("end: lies before start".to_owned()),
        _ => Err("end: must be a moment or a day, as start is".to_owned()),
    }
}

fn point(date_time: Option<&str>, date: Option<&str>) -> Option<Point> {
    match (date_time, date) {
        (Some(moment), None) => moment.parse().ok().map(Point::Moment),
        (None, Some(day)) if day.len() == 10 => day.parse().ok().map(Point::Day),
        _ => None,
    }
}

fn is_zone(zone: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte);
    !zone.is_empty() && zone.len() <= 64 && zone.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(date_time: &str, zone: Option<&str>) -> Shown {
        Shown { date_time: Some(date_time.to_owned()), time_zone: zone.map(str::to_owned), date: None }
    }

    #[test]
    fn a_moment_is_the_same_in_another_zone() {
        let ten = When::moment("2026-12-01T10:00:00+01:00");
        assert!(ten.is_shown_as(Some(&shown("2026-12-01T09:00:00Z", Some("UTC")))));
        assert!(!ten.is_shown_as(Some(&shown("2026-12-01T10:00:00Z", None))));
        assert!(!ten.is_shown_as(None));
        assert!(ten.is_so(Some(&shown("2026-12-01T09:00:00Z", Some("UTC")))));
        let there = ten.in_zone("Europe/Berlin");
        let utc = shown("2026-12-01T09:00:00Z", Some("UTC"));
        assert!(there.is_shown_as(Some(&utc)) && !there.is_so(Some(&utc)));
        assert!(there.is_so(Some(&shown("2026-12-01T09:00:00Z", Some("Europe/Berlin")))));
        assert!(!there.is_so(Some(&shown("2026-12-01T09:00:00Z", None))));
    }

    #[test]
    fn a_patch_takes_away_what_it_is_not_any_more() {
        assert_eq!(
            When::day("2026-12-01").patch(),
            json!({ "date": "2026-12-01", "dateTime": null, "timeZone": null })
        );
        let moment = "2026-12-01T10:00:00Z";
        assert_eq!(When::moment(moment).patch(), json!({ "dateTime": moment, "date": null }));
    }

    #[test]
    fn an_end_comes_after_its_begin_and_is_of_its_kind() {
        let span = |start: &When, end: &When| check_span(start, end);
        let (ten, eleven) = (When::moment("2026-12-01T10:00:00Z"), When::moment("2026-12-01T11:00:00Z"));
        assert_eq!(span(&ten, &eleven), Ok(()));
        assert_eq!(span(&When::day("2026-12-01"), &When::day("2026-12-02")), Ok(()));
        for (start, end, says) in [
            (&eleven, &ten, "end"),
            (&When::day("2026-12-01"), &When::day("2026-12-01"), "end"),
            (&ten, &When::day("2026-12-02"), "end"),
            (&When::moment("2026-12-01T10:00:00"), &eleven, "start"),
            (&When::day("tomorrow"), &eleven, "start"),
            (&ten.clone().in_zone("Berlin time"), &eleven, "start"),
        ] {
            assert!(span(start, end).expect_err(says).starts_with(says), "{start:?} {end:?}");
        }
    }
}
