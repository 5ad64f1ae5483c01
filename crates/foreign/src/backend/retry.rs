//! How long is waited before the next try? A provider's own word counts, if it can be read.

use std::time::Duration;

use hardwon_core::time::Timestamp;

/// Between the tries of a provider that does not say it.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_millis(1500)];

/// How often is tried again.
pub(super) const RETRIES: usize = PAUSES.len();

/// How long to wait before retry number `retry` (from 0).
pub(super) fn pause(retry: usize, header: Option<&str>, now: Timestamp) -> Duration {
    let own = header.and_then(|text| stated(text.trim(), now));
    own.unwrap_or_else(|| PAUSES.get(retry).copied().unwrap_or_default())
}

/// `Retry-After`: seconds, or a date.
fn stated(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let wait = date(text)?.0.saturating_sub(now.0).max(0);
    Some(Duration::from_millis(wait.unsigned_abs()))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of dates that HTTP still writes.
fn date(text: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, rest) = text.split_once(", ")?;
    let parts: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, time, "GMT"] = parts.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| name == month)? + 1;
    Timestamp::parse(&format!("{year}-{month:02}-{day}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_says_how_long() {
        let now = Timestamp::parse("1994-11-06T08:49:30Z").expect("a time");
        for (header, milliseconds) in [
            (Some("3"), 3000),
            (Some(" 0 "), 0),
            (Some("0.25"), 250),
            (Some("Sun, 06 Nov 1994 08:49:37 GMT"), 7000),
            (Some("Sun, 06 Nov 1994 08:00:00 GMT"), 0),
            (Some("soon"), 500),
            (Some("-1"), 500),
            (Some("1e300"), 500),
            (Some("Sun, 06 Foo 1994 08:49:37 GMT"), 500),
            (None, 500),
        ] {
            let waited = pause(0, header, now);
            assert_eq!(waited, Duration::from_millis(milliseconds), "{header:?}");
        }
        assert_eq!(pause(1, None, now), Duration::from_millis(1500));
    }
}
