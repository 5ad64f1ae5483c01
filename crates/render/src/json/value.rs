//! The values that wire structs are made of: words of closed lists, times and decimals,
//! each with its schema.

use std::borrow::Cow;

use crate::answer::{FileStep, HealthStatus, MessageKind, Status, TrustStanding};
use hardwon_core::effect::{Arm, EffectKind, FollowUp, Surface};
use hardwon_core::episode::{ErrorClass, StepKind, StepResult};
use hardwon_core::finding::{FindingState, Grade, Severity};
use hardwon_core::lesson::{Decision, Kind, Origin, State, Trust};
use hardwon_core::reflect::{Pattern, Scenario};
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A word of one of our closed lists.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Word<T>(pub T);

macro_rules! word_schemas {
    ($($list:ident),+) => {$(
        impl JsonSchema for Word<$list> {
            fn schema_name() -> Cow<'static, str> {
                stringify!($list).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let words: Vec<&str> = $list::ALL.iter().map(|value| value.word()).collect();
                json_schema!({ "type": "string", "enum": words })
            }
        }
    )+};
}
word_schemas!(
    Status,
    EffectKind,
    Surface,
    FollowUp,
    Arm,
    FindingState,
    Grade,
    Severity,
    Kind,
    Origin,
    State,
    Trust,
    Outcome,
    TrustStanding,
    Decision,
    HealthStatus,
    FileStep,
    MessageKind,
    ErrorClass,
    StepKind,
    StepResult,
    Pattern,
    Scenario,
    RunKind
);

/// A moment, as RFC 3339 in UTC.
#[derive(Clone, Copy)]
pub(crate) struct Time(pub Timestamp);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A number with three decimals.
#[derive(Clone, Copy)]
pub(crate) struct Decimal(pub f64);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(round(self.0))
    }
}

impl JsonSchema for Decimal {
    fn schema_name() -> Cow<'static, str> {
        "Decimal".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

/// Three decimals: enough to compare by, and readable.
pub(crate) fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
