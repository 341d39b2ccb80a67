//! Moments as people write them: RFC 3339, or `+30m` from now.

use std::time::Duration;

use hapax_core::protocol::Stamp;

use crate::exit::Failure;

const DAY_MS: i64 = 86_400_000;

/// Reads a moment as milliseconds since 1970. `now` is what `+` counts from.
pub(crate) fn parse(option: &str, text: &str, now: Stamp) -> Result<i64, Failure> {
    let moment = match text.strip_prefix('+') {
        Some(span) => parse_span(span).map(|ms| now.wall_ms.saturating_add(ms)),
        None => parse_rfc3339(text),
    };
    moment.ok_or_else(|| {
        Failure::input(
            "bad-time",
            format!(
                "nothing was sent: {option} is no moment; write 2027-01-31T12:00:00Z, or +30m from now (s, m, h, d)"
            ),
        )
    })
}

/// Reads when somebody looked. Only the wall clock of that moment is known, so the stamp says that
/// it comes from no boot that we know of.
pub(crate) fn looked_at(option: &str, text: Option<&str>, now: Stamp) -> Result<Stamp, Failure> {
    let Some(text) = text else { return Ok(now) };
    let wall_ms = parse(option, text, now)?;
    if wall_ms > now.wall_ms {
        return Err(Failure::input("bad-time", format!("nothing was changed: {option} lies in the future")));
    }
    Ok(Stamp { wall_ms, boot_ms: 0, boot: 0 })
}

/// Reads a time with its unit (500ms, 5s, 1m, 2h), which must lie between these two.
pub(crate) fn span(text: &str, least: Duration, most: Duration) -> Result<Duration, String> {
    let read = || {
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
        let unit_ms = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        Some(Duration::from_millis(digits.parse::<u32>().ok().map(u64::from)?.saturating_mul(unit_ms)))
    };
    let span = read().ok_or("write a whole number and ms, s, m or h, such as 500ms or 5s")?;
    if (least..=most).contains(&span) { Ok(span) } else { Err(format!("it must be from {least:?} to {most:?}")) }
}

fn parse_span(text: &str) -> Option<i64> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit_ms = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => DAY_MS,
        _ => return None,
    };
    digits.parse::<u32>().ok().and_then(|count| i64::from(count).checked_mul(unit_ms))
}

fn parse_rfc3339(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, zone) = rest.split_at(rest.find(['Z', 'z', '+', '-'])?);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut parts = clock.split(':');
    let (hour, minute, second) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let in_range = parts.next().is_none()
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !in_range || fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let ms: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some((seconds - offset(zone)?) * 1000 + ms)
}

fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = zone.split_at_checked(1)?;
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    let seconds = hours * 3600 + minutes * 60;
    (hours < 24 && minutes < 60).then_some(if sign == "-" { -seconds } else { seconds })
}

fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that the leap day
/// is the last one.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A moment in RFC 3339, to the second.
pub(crate) fn show(wall_ms: i64) -> String {
    let days = wall_ms.div_euclid(DAY_MS);
    let seconds = wall_ms.rem_euclid(DAY_MS) / 1000;
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Stamp = Stamp { wall_ms: 1_000, boot_ms: 0, boot: 0 };

    #[test]
    fn moments_are_read_and_shown() {
        let check = |text, ms| assert_eq!(parse("--good-until", text, NOW).ok(), ms, "{text}");
        check("1970-01-01T00:00:00Z", Some(0));
        check("2026-11-28T00:06:46.5Z", Some(1_795_824_406_500));
        check("2026-11-28T01:06:46+01:00", Some(1_795_824_406_000));
        check("2028-02-29t00:00:00z", Some(1_835_395_200_000));
        check("+30m", Some(1_801_000));
        check("+2d", Some(172_801_000));
        for bad in ["", "+", "+5", "+5y", "2027-02-29T00:00:00Z", "2027-01-01", "2027-01-01T00:00:00", "tomorrow", "é"]
        {
            check(bad, None);
        }
        assert_eq!(show(1_795_824_406_500), "2026-11-28T00:06:46Z");
        assert_eq!(show(1_835_395_200_000), "2028-02-29T00:00:00Z");
    }

    #[test]
    fn spans_have_a_unit_and_bounds() {
        let (least, most) = (Duration::from_millis(10), Duration::from_secs(3_600));
        let read = |text| span(text, least, most).ok();
        assert_eq!(read("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(read("5s"), Some(Duration::from_secs(5)));
        assert_eq!(read("2m"), Some(Duration::from_secs(120)));
        assert_eq!(read("1h"), Some(most));
        for bad in ["", "5", "s", "-1s", "1.5s", "5 s", "9ms", "2h", "99999999999s", "5d", "é"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_look_in_the_future_is_refused() {
        assert!(looked_at("--looked-at", Some("2099-01-01T00:00:00Z"), NOW).is_err());
        assert_eq!(looked_at("--looked-at", None, NOW).ok(), Some(NOW));
    }
}
