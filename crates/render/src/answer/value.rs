//! The values in answers: words of closed lists, ids, times and decimals, each with its form
//! in JSON and its schema.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use hardwon_core::consult::Purpose;
use hardwon_core::credit::Attribution;
use hardwon_core::effect::{Arm, EffectKind, FollowUp, Surface};
use hardwon_core::ended::{CheckResult, CutBy};
use hardwon_core::episode::{ErrorClass, StepKind, StepResult};
use hardwon_core::event::AttemptResult;
use hardwon_core::finding::life::LifeEvent;
use hardwon_core::finding::{FindingState, Grade, Severity};
use hardwon_core::gate::without_control;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Decision, Kind, Origin, State, Trust};
use hardwon_core::reflect::{Pattern, Scenario};
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::team::Role;
use hardwon_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::{FileStep, HealthStatus, MessageKind, Named, Scope, Status, TrustStanding};

/// A word of one of our closed lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word<T>(pub T);

/// The id of a lesson or a run, or another value that is a plain text in JSON.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id<T>(pub T);

/// A value that is printed as a text, and otherwise used as what it wraps.
macro_rules! text_wrappers {
    ($($name:ident),+) => {$(
        impl<T: fmt::Display> Serialize for $name<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        impl<T: fmt::Display> fmt::Display for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<T> Deref for $name<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.0
            }
        }

        impl<T> From<T> for $name<T> {
            fn from(value: T) -> Self {
                $name(value)
            }
        }

        impl<T: PartialEq> PartialEq<T> for $name<T> {
            fn eq(&self, other: &T) -> bool {
                self.0 == *other
            }
        }
    )+};
}
text_wrappers!(Word, Id);

/// Schemas that stand where they are used, not under a name of their own.
macro_rules! inline_schemas {
    ($($name:ident $(<$param:ident>)? = $schema:tt;)+) => {$(
        impl $(<$param>)? JsonSchema for $name $(<$param>)? {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )+};
}
inline_schemas! {
    Id<T> = { "type": "string" };
    Time = { "type": "string", "format": "date-time" };
    Decimal = { "type": "number" };
    Scope = { "type": "object", "additionalProperties": { "type": "string" } };
}

macro_rules! word_schemas {
    ($($list:ident,)+) => {$(
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
word_schemas! {
    Status, EffectKind, Surface, FollowUp, Arm, FindingState, Grade, Severity, Kind, Origin,
    State, Trust, Outcome, TrustStanding, Decision, HealthStatus, FileStep, MessageKind,
    ErrorClass, StepKind, StepResult, Pattern, Purpose, Scenario, RunKind, CutBy, CheckResult, Attribution,
    AttemptResult, LifeEvent, Role,
}

/// A moment, as RFC 3339 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Timestamp);

impl Deref for Time {
    type Target = Timestamp;

    fn deref(&self) -> &Timestamp {
        &self.0
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A number with three decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Decimal(pub f64);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Deref for Decimal {
    type Target = f64;

    fn deref(&self) -> &f64 {
        &self.0
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(round(self.0))
    }
}

/// Three decimals: enough for comparisons, and readable.
pub(crate) fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Lists of lessons of which the answer gives only the ids.
pub(super) fn ids<T: HasId, S: Serializer>(all: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(HasId::id))
}

/// One lesson of which the answer gives only the id.
pub(super) fn id<T: HasId, S: Serializer>(one: &T, serializer: S) -> Result<S::Ok, S::Error> {
    one.id().serialize(serializer)
}

pub(super) trait HasId {
    fn id(&self) -> &Id<LessonId>;
}

impl HasId for Named {
    fn id(&self) -> &Id<LessonId> {
        &self.id
    }
}

impl HasId for super::Lesson {
    fn id(&self) -> &Id<LessonId> {
        &self.id
    }
}

/// Texts from outside, without control characters.
pub(super) fn clean<T: Clean, S: Serializer>(text: &T, serializer: S) -> Result<S::Ok, S::Error> {
    text.clean().serialize(serializer)
}

pub(super) trait Clean {
    fn clean(&self) -> impl Serialize;
}

impl Clean for String {
    fn clean(&self) -> impl Serialize {
        without_control(self)
    }
}

impl Clean for Option<String> {
    fn clean(&self) -> impl Serialize {
        self.as_deref().map(without_control)
    }
}

impl Clean for Vec<String> {
    fn clean(&self) -> impl Serialize {
        self.iter().map(|text| without_control(text)).collect::<Vec<_>>()
    }
}
