//! What do the fields of an object say? Read leniently: a field of the wrong type costs that
//! field, not the line. Reasons name only fields that the reader itself asked for, never
//! anything that stood in the input.

use std::fmt::Display;

use hardwon_core::episode::Usage;
use hardwon_core::time::Timestamp;
use serde_json::{Number, Value};

use crate::json::Object;
use crate::notes::Notes;

/// More than any run uses; a larger figure is a mistake.
const MAX_AMOUNT: f64 = 9e15;

/// The names of the field that says what is to be done about a finding.
pub const REPAIRS: [&str; 11] = [
    "repair",
    "fix_hint",
    "fix",
    "suggested_fix",
    "suggestedFix",
    "suggestion",
    "recommendation",
    "remediation",
    "proposed_fix",
    "solution",
    "how_to_fix",
];

/// The fields of one object. A field that is left out or null is `None` without a
/// problem; one of the wrong type is `None` with a problem.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    /// `None` if the object itself was left out.
    object: Option<&'a Object>,
    pub notes: &'a Notes,
}

impl<'a> Fields<'a> {
    pub fn new(object: &'a Object, notes: &'a Notes) -> Self {
        Fields { object: Some(object), notes }
    }

    pub fn value(self, name: &str) -> Option<&'a Value> {
        self.object?.get(name).filter(|value| !value.is_null())
    }

    pub fn has(self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// A string, without a problem if the field is something else.
    pub fn silent(self, name: &str) -> Option<&'a str> {
        self.value(name)?.as_str()
    }

    pub fn text(self, name: &str) -> Option<String> {
        self.read(name, "not a string", Value::as_str).map(str::to_owned)
    }

    /// A text that is neither empty nor only spaces.
    pub fn words(self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.trim().is_empty())
    }

    /// The words without which an item is of no use: a finding is put aside with the reason.
    pub fn finding_words(self, name: &str, reason: &str) -> Option<String> {
        let words = self.words(name);
        if words.is_none() {
            self.notes.put_finding_aside(reason);
        }
        words
    }

    /// The words without which an item is of no use; the reason is noted.
    pub fn needed_words(self, name: &str, reason: &str) -> Option<String> {
        let words = self.words(name);
        if words.is_none() {
            self.notes.problem(reason);
        }
        words
    }

    /// An id: a string, or a whole number as build servers like to count their runs. One
    /// of another type is the empty id, which `core` refuses: ignored, it would hand
    /// what follows to the run before.
    pub fn id(self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::Number(number) if number.is_u64() => Some(number.to_string()),
            _ => Some(self.text(name).unwrap_or_default()),
        }
    }

    pub fn number(self, name: &str) -> Option<u32> {
        let number = self.read(name, "not a number", Value::as_number)?.as_u64();
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.or_else(|| self.wrong(name, "not a whole number in range"))
    }

    pub fn number_up_to(self, name: &str, most: f64) -> Option<f64> {
        let within = |value: &Value| value.as_f64().filter(|number| (0.0..=most).contains(number));
        self.read(name, format_args!("not a number from 0 to {most}"), within)
    }

    pub fn amount(self, name: &str) -> Option<f64> {
        self.read(name, "not a number from 0 on", amount)
    }

    pub fn count(self, name: &str) -> Option<u64> {
        let whole = |value: &Value| amount(value).filter(|number| number.fract() == 0.0);
        self.read(name, "not a whole number from 0 on", whole).map(|number| number as u64)
    }

    /// A count that a person may have edited: as much of it as makes sense is used.
    pub fn counter(self, name: &str, usual: u32) -> u32 {
        let (count, fault) = match self.value(name) {
            None => return usual,
            Some(Value::Number(number)) => return whole(number),
            Some(Value::String(text)) => match text.trim().parse() {
                Ok(count) => (in_range(count), "text, not a number"),
                Err(_) => (usual, "not a number"),
            },
            Some(_) => (usual, "not a number"),
        };
        self.wrong::<u32>(name, format_args!("{fault}; read as {count}")).unwrap_or(count)
    }

    /// What a run used up, by the names of the fields: tokens read, written and cached, cost.
    pub fn usage(self, [tokens_in, tokens_out, tokens_cached, cost_usd]: [&str; 4]) -> Usage {
        Usage {
            tokens_in: self.count(tokens_in),
            tokens_out: self.count(tokens_out),
            tokens_cached: self.count(tokens_cached),
            cost_usd: self.amount(cost_usd),
            duration_s: None,
        }
    }

    pub fn flag(self, name: &str) -> Option<bool> {
        self.read(name, "not true or false", Value::as_bool)
    }

    pub fn time(self, name: &str) -> Option<Timestamp> {
        let text = self.text(name)?;
        Timestamp::parse(&text).or_else(|| self.wrong(name, "not an RFC 3339 time"))
    }

    /// A time where some systems write an empty text if they have none.
    pub fn time_or_empty(self, name: &str) -> Option<Timestamp> {
        if self.silent(name) == Some("") { None } else { self.time(name) }
    }

    /// A time that is taken for UTC if it has no offset.
    pub fn moment(self, name: &str) -> Option<Timestamp> {
        self.read(name, "not an RFC 3339 time", |value| moment(value.as_str()?))
    }

    /// One of a closed list of words, in any case.
    pub fn word<T: Copy + Display>(self, name: &str, all: &[T]) -> Option<T> {
        let given = self.text(name)?.trim().to_ascii_lowercase();
        let known = all.iter().copied().find(|known| known.to_string() == given);
        known.or_else(|| {
            let words: Vec<String> = all.iter().map(T::to_string).collect();
            self.wrong(name, format_args!("not one of {}", words.join(", ")))
        })
    }

    pub fn list(self, name: &str) -> Option<&'a [Value]> {
        self.read(name, "not a list", Value::as_array).map(Vec::as_slice)
    }

    /// A list of texts; items of another type are left out, with one problem.
    pub fn texts(self, name: &str) -> Option<Vec<String>> {
        let items = self.list(name)?;
        let texts: Vec<String> =
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if texts.len() < items.len() {
            self.notes.problem(format!("field \"{name}\" has items that are not strings"));
        }
        Some(texts)
    }

    pub fn object(self, name: &str) -> Option<Fields<'a>> {
        self.inside(name).object.map(|object| Fields::new(object, self.notes))
    }

    /// The object in a field, without a problem if it is something else.
    pub fn silent_object(self, name: &str) -> Option<Fields<'a>> {
        let object = self.value(name)?.as_object()?;
        Some(Fields::new(object, self.notes))
    }

    /// The object in a field; without any fields if it is left out.
    pub fn inside(self, name: &str) -> Fields<'a> {
        Fields { object: self.read(name, "not an object", Value::as_object), ..self }
    }

    fn read<T>(
        self,
        name: &str,
        fault: impl Display,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        read(self.value(name)?).or_else(|| self.wrong(name, fault))
    }

    fn wrong<T>(self, name: &str, fault: impl Display) -> Option<T> {
        self.notes.problem(format!("field \"{name}\" is {fault}"));
        None
    }
}

/// What is to be done about a finding, also by the names that other writers have for it.
pub fn repair(fields: Fields<'_>) -> Option<String> {
    let said = |name: &&str| fields.silent(name).filter(|text| !text.trim().is_empty());
    fields.words("repair").or_else(|| REPAIRS.iter().find_map(said).map(str::to_owned))
}

/// A number from 0 on that is not absurdly large.
pub fn amount(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| (0.0..=MAX_AMOUNT).contains(number))
}

/// The same without its fraction.
pub fn count(value: &Value) -> Option<u64> {
    amount(value).map(|number| number as u64)
}

/// Seconds as the milliseconds of a step.
pub fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

/// A time as other systems write it: without an offset it is taken for UTC.
pub fn moment(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z")))
}

/// A number without its fraction, negative ones as 0.
fn whole(number: &Number) -> u32 {
    let from_float = || number.as_f64().unwrap_or_default() as u32;
    number.as_i64().map_or_else(from_float, in_range)
}

fn in_range(count: i64) -> u32 {
    count.clamp(0, i64::from(u32::MAX)) as u32
}
