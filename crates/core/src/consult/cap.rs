//! May it be asked? The estimate of a question against what may be spent on a run, a day and a
//! month, in money and in tokens.

use super::money::Spend;
use super::{Consultation, Purpose};
use crate::time::{MS_PER_DAY, Timestamp};

/// The most that may be spent. `None` of them can be switched off: a cap of zero asks nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    pub micro_usd_run: u64,
    pub micro_usd_day: u64,
    pub micro_usd_month: u64,
    pub tokens_run: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            micro_usd_run: 50_000,
            micro_usd_day: 500_000,
            micro_usd_month: 5_000_000,
            tokens_run: 50_000,
        }
    }
}

/// What was spent already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub run: Spend,
    pub day: Spend,
    pub month: Spend,
}

/// Why a question is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverCap {
    pub setting: &'static str,
    pub spent: u64,
    pub needed: u64,
    pub cap: u64,
}

impl std::fmt::Display for OverCap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { setting, spent, needed, cap } = *self;
        if setting == TOKENS_RUN {
            return write!(f, "{setting} is {cap}: {spent} are used, and this may take {needed}");
        }
        let [spent, needed, cap] = [spent, needed, cap].map(dollars);
        write!(f, "{setting} is {cap}: {spent} are spent, and this may cost {needed}")
    }
}

const TOKENS_RUN: &str = "reflect.max_tokens_run";

/// Millionths of a dollar, as a person reads them: four digits behind the point, rounded up.
pub fn dollars(micro: u64) -> String {
    let parts = micro.div_ceil(100);
    format!("{}.{:04} USD", parts / 10_000, parts % 10_000)
}

/// Whether a question that may take this much stays below every cap.
pub fn check(caps: &Caps, spent: &Spent, needed: Spend) -> Result<(), OverCap> {
    let rows = [
        (TOKENS_RUN, spent.run.tokens(), needed.tokens(), caps.tokens_run),
        ("reflect.max_usd_run", spent.run.micro_usd, needed.micro_usd, caps.micro_usd_run),
        ("reflect.max_usd_day", spent.day.micro_usd, needed.micro_usd, caps.micro_usd_day),
        ("reflect.max_usd_month", spent.month.micro_usd, needed.micro_usd, caps.micro_usd_month),
    ];
    for (setting, spent, needed, cap) in rows {
        // A free model may be asked whatever was spent on others.
        if needed > 0 && spent.saturating_add(needed) > cap {
            return Err(OverCap { setting, spent, needed, cap });
        }
    }
    Ok(())
}

/// When the day of this time began, and its month: days and months of UTC.
pub fn beginnings(now: Timestamp) -> (Timestamp, Timestamp) {
    let day = now.0.div_euclid(MS_PER_DAY) * MS_PER_DAY;
    let first = Timestamp::parse(&format!("{}-01T00:00:00Z", &now.to_string()[..7]));
    (Timestamp(day), first.unwrap_or(Timestamp(day)))
}

/// What was spent on what this question is about, on its day and in its month, by the
/// consultations since the month began.
pub fn spent<'a>(
    all: impl Iterator<Item = &'a Consultation>,
    about: &[String],
    now: Timestamp,
) -> Spent {
    let (day, month) = beginnings(now);
    let mut spent = Spent::default();
    for one in all {
        let counted = one.counted();
        // A clock that went back must not make money disappear.
        if one.at >= month {
            spent.month = spent.month.plus(counted);
        }
        if one.at >= day {
            spent.day = spent.day.plus(counted);
        }
        if one.purpose == Purpose::Reflect && one.about == about {
            spent.run = spent.run.plus(counted);
        }
    }
    spent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consult::id;

    fn one(at: &str, about: &str, micro_usd: u64, is_settled: bool) -> Consultation {
        let reserved = Spend { tokens_in: 1000, tokens_out: 100, micro_usd };
        let half = Spend { micro_usd: micro_usd / 2, ..reserved };
        Consultation {
            id: id(Purpose::Reflect, about, 0),
            purpose: Purpose::Reflect,
            about: vec![about.to_owned()],
            evidence: "e".to_owned(),
            backend: "anthropic".to_owned(),
            model: "m".to_owned(),
            at: Timestamp::parse(at).expect("a time"),
            reserved,
            spent: is_settled.then_some(half),
            is_answered: is_settled,
            failure: None,
            proposed: None,
        }
    }

    #[test]
    fn a_reservation_without_an_answer_counts_as_spent() {
        let now = Timestamp::parse("2026-04-03T14:00:00Z").expect("a time");
        let all = [
            one("2026-03-31T23:59:59Z", "r1", 1000, true),
            one("2026-04-01T00:00:00Z", "r1", 1000, true),
            one("2026-04-03T00:00:00Z", "r2", 1000, false),
            one("2026-04-04T09:00:00Z", "r1", 10, false),
        ];
        let spent = spent(all.iter(), &["r1".to_owned()], now);
        assert_eq!(spent.month.micro_usd, 500 + 1000 + 10);
        assert_eq!(spent.day.micro_usd, 1000 + 10, "ahead of the clock counts, too");
        assert_eq!(spent.run.micro_usd, 500 + 500 + 10);
        assert_eq!(spent.run.tokens(), 3 * 1100);
    }

    #[test]
    fn each_cap_holds_to_the_last_millionth() {
        let caps = Caps::default();
        let free = Spend { tokens_in: 40_000, tokens_out: 10_000, micro_usd: 0 };
        assert_eq!(check(&caps, &Spent::default(), free), Ok(()));
        let over = Spend { tokens_out: 10_001, ..free };
        let refused = check(&caps, &Spent::default(), over).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "reflect.max_tokens_run is 50000: 0 are used, and this may take 50001"
        );
        let cents = |micro_usd| Spend { micro_usd, ..Spend::default() };
        let spent =
            |run, day, month| Spent { run: cents(run), day: cents(day), month: cents(month) };
        let cases = [
            (spent(0, 0, 0), 50_000, None),
            (spent(0, 0, 0), 50_001, Some("reflect.max_usd_run")),
            (spent(20_000, 20_000, 20_000), 30_000, None),
            (spent(20_001, 20_001, 20_001), 30_000, Some("reflect.max_usd_run")),
            (spent(0, 450_000, 450_000), 50_000, None),
            (spent(0, 450_001, 450_001), 50_000, Some("reflect.max_usd_day")),
            (spent(0, 0, 4_950_000), 50_000, None),
            (spent(0, 0, 4_950_001), 50_000, Some("reflect.max_usd_month")),
            (spent(0, 0, 9_999_999), 0, None),
            (spent(0, u64::MAX, 0), 1, Some("reflect.max_usd_day")),
        ];
        for (spent, needed, expected) in cases {
            let refused = check(&caps, &spent, cents(needed)).err();
            assert_eq!(refused.map(|over| over.setting), expected, "{spent:?} {needed}");
        }
        let refused = check(&caps, &spent(20_000, 0, 0), cents(40_000)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "reflect.max_usd_run is 0.0500 USD: 0.0200 USD are spent, and this may cost 0.0400 USD"
        );
    }

    #[test]
    fn sums_are_shown_rounded_up() {
        let shown = [0, 1, 100, 101, 50_000, 12_345_678].map(dollars);
        let expected = ["0.0000", "0.0001", "0.0001", "0.0002", "0.0500", "12.3457"];
        assert_eq!(shown, expected.map(|sum| format!("{sum} USD")));
    }
}
