//! What is this field worth to the JSON tool of ArcheFlow's script? Its order of types, its
//! spelling of numbers, and what the script makes of a number.

use std::cmp::Ordering;

use serde_json::Value;

/// A field of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Loose {
    /// Also a field that is not there.
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    /// A list or an object, as it would be printed.
    Other(String),
}

impl Loose {
    /// As the tool prints it: a text bare, everything else as JSON.
    pub fn printed(&self) -> String {
        match self {
            Loose::Null => "null".to_owned(),
            Loose::Bool(flag) => flag.to_string(),
            Loose::Number(number) => number_text(*number),
            Loose::Text(text) | Loose::Other(text) => text.clone(),
        }
    }

    /// Whether this is the text `text`.
    pub fn is(&self, text: &str) -> bool {
        matches!(self, Loose::Text(own) if own == text)
    }

    /// Whether it is at least `bound` in the tool's order of types, where nothing and
    /// flags come before all numbers, and texts, lists and objects behind them.
    pub fn is_at_least(&self, bound: f64) -> bool {
        match self {
            Loose::Null | Loose::Bool(_) => false,
            Loose::Number(number) => number.total_cmp(&bound) != Ordering::Less,
            Loose::Text(_) | Loose::Other(_) => true,
        }
    }

    /// The number that the script counts with: the whole part of a number that has at
    /// most 18 digits, 0 for everything else.
    pub fn counter(&self) -> i64 {
        let Loose::Number(number) = self else { return 0 };
        let printed = number_text(number.floor());
        let n_digits = printed.trim_start_matches('-').len();
        if n_digits > 18 { 0 } else { printed.parse().unwrap_or(0) }
    }

    /// The tool's way to say "or else": also for the flag `false`.
    pub(super) fn or(self, default: &str) -> Loose {
        match self {
            Loose::Null | Loose::Bool(false) => Loose::Text(default.to_owned()),
            Loose::Bool(true) | Loose::Number(_) | Loose::Text(_) | Loose::Other(_) => self,
        }
    }

    pub(super) fn some(self) -> Option<Loose> {
        (!matches!(self, Loose::Null | Loose::Bool(false))).then_some(self)
    }
}

impl From<&Value> for Loose {
    fn from(value: &Value) -> Loose {
        match value {
            Value::Null => Loose::Null,
            Value::Bool(flag) => Loose::Bool(*flag),
            Value::Number(number) => Loose::Number(number.as_f64().unwrap_or(0.0)),
            Value::String(text) => Loose::Text(text.clone()),
            Value::Array(_) | Value::Object(_) => Loose::Other(format!("{value:#}")),
        }
    }
}

/// A number in the tool's spelling: 17 digits at most, and a power of ten where more than
/// 15 zeros would be needed behind the digits or more than 4 in front.
fn number_text(number: f64) -> String {
    let spelled = format!("{number:e}");
    let Some((digits, power)) = spelled.split_once('e') else { return spelled };
    let n_digits = digits.bytes().filter(u8::is_ascii_digit).count() as i32;
    let power: i32 = power.parse().unwrap_or(0);
    let is_plain = (-4..n_digits + 15).contains(&power);
    match (is_plain, power < 0) {
        (true, _) => number.to_string(),
        (false, true) => format!("{digits}e-{:02}", -power),
        (false, false) => format!("{digits}e+{power:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_as_the_tool_spells_them() {
        for (text, spelled) in [
            ("1.0", "1"),
            ("2.5", "2.5"),
            ("-0", "-0"),
            ("1e15", "1000000000000000"),
            ("1e16", "1e+16"),
            ("12e15", "12000000000000000"),
            ("12e16", "1.2e+17"),
            ("123456789012345678", "123456789012345680"),
            ("0.0001", "0.0001"),
            ("0.000012", "1.2e-05"),
            ("-2.5e20", "-2.5e+20"),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(Loose::from(&value).printed(), spelled);
        }
    }

    #[test]
    fn types_have_an_order() {
        let at_least_five = |json: &str| {
            let value: Value = serde_json::from_str(json).unwrap();
            Loose::from(&value).is_at_least(5.0)
        };
        for small in ["null", "true", "4.9", "-7"] {
            assert!(!at_least_five(small), "{small}");
        }
        for large in ["5", "5.0", "\"1\"", "\"\"", "[]", "{}"] {
            assert!(at_least_five(large), "{large}");
        }
    }

    #[test]
    fn counters_are_whole_and_short() {
        let counter = |json: &str| {
            let value: Value = serde_json::from_str(json).unwrap();
            Loose::from(&value).counter()
        };
        let cases =
            [("9", 9), ("9.9", 9), ("-1.5", -2), ("\"9\"", 0), ("null", 0), ("1e17", 0), ("-0", 0)];
        for (json, expected) in cases {
            assert_eq!(counter(json), expected, "{json}");
        }
    }
}
