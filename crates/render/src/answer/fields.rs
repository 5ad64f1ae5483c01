//! What a change did, field by field: the names that `--json` uses, the value before
//! and the value after. For `history`, `show` and `why`.

use std::collections::BTreeSet;
use std::fmt;

use hardwon_core::change::{Change, LessonField, Swap};
use serde_json::{Map, Value, json};

use crate::answer::value::round;
use crate::answer::{Effects, Field};

/// The fields that a change of a lesson changed.
pub(crate) fn changed(change: &Change) -> Vec<Field> {
    match change {
        Change::EditLesson { fields, .. } => fields.iter().filter_map(field).collect(),
        _ => Vec::new(),
    }
}

/// `standing 1 → 2`; of numbers under names only those that changed.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Field { name, from, to } = self;
        let (Value::Object(before), Value::Object(after)) = (from, to) else {
            return write!(f, "{name} {} → {}", plain(from), plain(to));
        };
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let value = |side: &Map<String, Value>, name: &String| {
            side.get(name).map_or("none".to_owned(), plain)
        };
        let parts = names.into_iter().filter(|part| before.get(*part) != after.get(*part));
        let parts =
            parts.map(|part| format!("{part} {} → {}", value(before, part), value(after, part)));
        write!(f, "{name} {}", parts.collect::<Vec<_>>().join(", "))
    }
}

/// The value as a person reads it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(pairs) if pairs.is_empty() => "none".to_owned(),
        Value::Object(pairs) => {
            let pair = |(name, value): (&String, &Value)| format!("{name} {}", plain(value));
            pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
        }
    }
}

/// One field under the name and in the form that a lesson has in `--json`. `None` if
/// nothing changed that is shown: times and bookmarks.
pub(crate) fn field(field: &LessonField) -> Option<Field> {
    use LessonField as F;
    let Value::Object(named) = json!(field) else { return None };
    let (name, swap) = named.into_iter().next()?;
    let (name, [from, to]) = match field {
        F::Extra(_) | F::Upkeep(_) | F::Reviews(_) | F::UpdatedAt(_) => return None,
        F::Text(swap) => (name, by(swap, |text| json!(text.as_str()))),
        F::Importance(swap) | F::BaseConfidence(swap) | F::Confidence(swap) => {
            (name, by(swap, |value| json!(round(*value))))
        }
        F::Unseen(swap) => ("n_runs_unseen".to_owned(), by(swap, |unseen| json!(unseen.n_runs))),
        F::Effects(swap) => (name, by(swap, |counts| json!(Effects::from(counts)))),
        _ => (name, [swap["from"].clone(), swap["to"].clone()]),
    };
    (from != to).then_some(Field { name, from, to })
}

fn by<T>(swap: &Swap<T>, value: impl Fn(&T) -> Value) -> [Value; 2] {
    [value(&swap.from), value(&swap.to)]
}
