//! How much was used up? Numbers that cannot be negative; one that is, or is none at all,
//! costs itself and a problem.

use std::fmt::Display;

use hardwon_core::episode::Usage;
use serde_json::Value;

use crate::json::Object;
use crate::notes::Notes;

/// More than any run uses; a larger figure is a mistake.
const MAX: f64 = 9e15;

/// A whole number from 0 on.
pub fn count(object: &Object, name: &str, notes: &mut Notes) -> Option<u64> {
    let number = amount_or(object, name, "a whole number from 0 on", notes)?;
    if number.fract() != 0.0 {
        wrong(name, "a whole number from 0 on", notes);
        return None;
    }
    Some(number as u64)
}

/// Any number from 0 on.
pub fn amount(object: &Object, name: &str, notes: &mut Notes) -> Option<f64> {
    amount_or(object, name, "a number from 0 on", notes)
}

fn amount_or(object: &Object, name: &str, what: &str, notes: &mut Notes) -> Option<f64> {
    let value = object.get(name).filter(|value| !value.is_null())?;
    let number = value.as_f64().filter(|number| (0.0..=MAX).contains(number));
    if number.is_none() || !value.is_number() {
        wrong(name, what, notes);
    }
    number
}

fn wrong(name: impl Display, what: &str, notes: &mut Notes) {
    notes.problem(format!("field \"{name}\" is not {what}"));
}

/// What a run used up, by the names under which the fields stand.
pub fn usage(object: &Object, names: &Names, notes: &mut Notes) -> Usage {
    let mut tokens = |name: &str| count(object, name, notes);
    let (tokens_in, tokens_out) = (tokens(names.tokens_in), tokens(names.tokens_out));
    let tokens_cached = tokens(names.tokens_cached);
    let cost_usd = amount(object, names.cost_usd, notes);
    Usage { tokens_in, tokens_out, tokens_cached, cost_usd, duration_s: None }
}

/// Names of the fields.
pub struct Names {
    pub tokens_in: &'static str,
    pub tokens_out: &'static str,
    pub tokens_cached: &'static str,
    pub cost_usd: &'static str,
}

/// Seconds as the milliseconds of a step.
pub fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

/// A number from 0 on that stands anywhere, without a word if it is none.
pub fn silent(value: &Value) -> Option<u64> {
    value.as_f64().filter(|number| (0.0..=MAX).contains(number)).map(|number| number as u64)
}
