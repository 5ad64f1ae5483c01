//! When? Wall time in milliseconds since 1970 (UTC). Nothing here reads a clock: the
//! present comes in as a value.

use std::fmt;

use serde::{Deserialize, Serialize};

pub const MS_PER_DAY: i64 = 86_400_000;

/// A moment in UTC, in milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Whole days from `earlier` to `self`; never negative, so that a clock that was
    /// set back makes nothing younger than new.
    pub fn days_since(self, earlier: Timestamp) -> i64 {
        (self.0.saturating_sub(earlier.0) / MS_PER_DAY).max(0)
    }

    /// Reads RFC 3339 (`2026-04-03T14:00:00Z`, fractions and offsets allowed; a space
    /// instead of `T` too). `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let rest = rest.strip_prefix(['T', 't', ' '])?;
        let (clock, offset_ms) = split_offset(rest)?;
        let ms_of_day = parse_clock(clock)?;
        Some(Timestamp(days_from_date(date)? * MS_PER_DAY + ms_of_day - offset_ms))
    }

    /// `YYYY-MM-DD`.
    pub fn date(self) -> String {
        let (year, month, day) = civil_from_days(self.0.div_euclid(MS_PER_DAY));
        format!("{year:04}-{month:02}-{day:02}")
    }
}

/// RFC 3339 in UTC; milliseconds only when there are some.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.rem_euclid(MS_PER_DAY);
        let (seconds, fraction) = (ms / 1000, ms % 1000);
        write!(
            f,
            "{}T{:02}:{:02}:{:02}",
            self.date(),
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )?;
        match fraction {
            0 => f.write_str("Z"),
            _ => write!(f, ".{fraction:03}Z"),
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let all_digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| text.parse().ok())?
}

fn days_from_date(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if (year.len(), month.len(), day.len()) != (4, 2, 2) || parts.next().is_some() {
        return None;
    }
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    let days = days_from_civil(year, month, day);
    // A day that does not exist (month 13, February 30) comes back as another one.
    (civil_from_days(days) == (year, month, day)).then_some(days)
}

fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let at = text.rfind(['+', '-'])?;
    let (clock, offset) = (&text[..at], &text[at + 1..]);
    let (hours, minutes) = offset.split_once(':')?;
    let minutes = number(hours)? * 60 + number(minutes)?;
    let sign = if text.as_bytes()[at] == b'-' { -1 } else { 1 };
    (minutes < 24 * 60).then_some((clock, sign * minutes * 60_000))
}

fn parse_clock(clock: &str) -> Option<i64> {
    let mut parts = clock.split(':');
    let (hours, minutes) = (number(parts.next()?)?, number(parts.next()?)?);
    let rest = parts.next()?;
    let (seconds, fraction) = rest.split_once('.').unwrap_or((rest, "0"));
    let seconds = number(seconds)?;
    number(fraction)?;
    let ms = number(&format!("{:0<3}", fraction)[..3])?;
    let in_range = hours < 24 && minutes < 60 && seconds <= 60 && parts.next().is_none();
    in_range.then_some(((hours * 60 + minutes) * 60 + seconds.min(59)) * 1000 + ms)
}

/// Days since 1970-01-01 of a proleptic Gregorian date (years start in March, so
/// that the leap day is the last of its year).
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, printed: &str) {
        let time = Timestamp::parse(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(time.to_string(), printed);
    }

    #[test]
    fn reads_and_prints() {
        check("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z");
        check("2026-04-03T14:00:00Z", "2026-04-03T14:00:00Z");
        check("2024-02-29T23:59:59.5+02:00", "2024-02-29T21:59:59.500Z");
        check("1969-12-31 22:00:00.123456-01:30", "1969-12-31T23:30:00.123Z");
        check("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z");
    }

    #[test]
    fn refuses_what_is_no_time() {
        let all = " 2026 2026-13-01T00:00:00Z 2026-02-30T00:00:00Z 2026-04-03T25:00:00Z \
            2026-04-03T14:00:00 2026-04-03T14:00Z 日本語日本語日本語 +026-04-03T14:00:00Z";
        for bad in all.split(' ') {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_day_of_eight_centuries_survives() {
        for days in -146_097..146_097 {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
    }

    #[test]
    fn no_negative_age() {
        assert_eq!(Timestamp(0).days_since(Timestamp(MS_PER_DAY * 9)), 0);
    }
}
