//! The lift in words: `came back in 3 % of runs that were shown it, 6 % of those that were not: about
//! half (10 to 75 %)`.

use schemars::JsonSchema;
use serde::Serialize;

use super::value::Decimal;
use hardwon_core::lift;

/// How often findings come back in runs that were shown their lessons, as a share of how often in
/// runs from which chance held them out: 0.5 = half as often. The interval stays right however
/// often it is looked at; nine of ten memories have theirs around the truth at all times.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lift {
    pub value: Decimal,
    pub low: Decimal,
    pub high: Decimal,
    pub n_shown: u32,
    pub n_held_out: u32,
    /// How often they came back, of the same mix of lessons in both.
    pub rate_shown: Decimal,
    pub rate_held_out: Decimal,
    /// Whether showing works: the whole interval is below 1. False: they come back more for it.
    /// Null while neither can be told.
    pub works: Option<bool>,
}

impl From<&lift::Lift> for Lift {
    fn from(lift: &lift::Lift) -> Self {
        Lift {
            value: Decimal(lift.value),
            low: Decimal(lift.low),
            high: Decimal(lift.high),
            n_shown: lift.arms.n_shown,
            n_held_out: lift.arms.n_held_out,
            rate_shown: Decimal(lift.shown),
            rate_held_out: Decimal(lift.held_out),
            works: lift.works(),
        }
    }
}

/// Whether showing lessons works, or how many more opportunities are needed before that is told.
pub(crate) fn all_lessons(lift: Option<&Lift>, n_missing: Option<u64>) -> String {
    let is_open = lift.is_none_or(|lift| lift.works.is_none());
    let needed = n_missing.filter(|n| *n > 0 && is_open);
    let needed = needed.map_or(String::new(), |n| {
        format!("; about {n} more opportunities before a halving would be told")
    });
    match lift {
        Some(lift) => measured(lift) + &needed,
        None if n_missing.is_none() => "not known yet (needs hold-out runs)".to_owned(),
        None => format!("not known yet{needed}"),
    }
}

fn measured(lift: &Lift) -> String {
    let said = match lift.works {
        Some(true) => "showing lessons works",
        Some(false) => "showing lessons does harm",
        None => "cannot be told yet",
    };
    let percent = |share: &Decimal| (share.0 * 100.0).round();
    format!(
        "{said}: came back in {} % of {} runs that were shown it, {} % of {} that were not: {} \
         ({} to {} %)",
        percent(&lift.rate_shown),
        lift.n_shown,
        percent(&lift.rate_held_out),
        lift.n_held_out,
        times(lift.value.0),
        percent(&lift.low),
        percent(&lift.high)
    )
}

/// `about half`, `about 3 times`.
fn times(ratio: f64) -> String {
    match ratio {
        0.85..1.2 => "about as often".to_owned(),
        0.6..0.85 => "about three quarters".to_owned(),
        0.4..0.6 => "about half".to_owned(),
        0.2..0.4 => "about a third or a quarter".to_owned(),
        ..0.2 => "seldom".to_owned(),
        _ => format!("about {ratio:.1} times"),
    }
}
