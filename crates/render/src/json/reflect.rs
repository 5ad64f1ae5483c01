//! What looking back came to, for scripts.

use std::collections::BTreeMap;

use crate::answer::{Answer, Considered, Looked, Named, Reflected};
use hardwon_core::lesson::Kind;
use hardwon_core::reflect::{Pattern, ReflectionPolicy, Scenario};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::answer;
use super::runs::{TransitionWire, transitions};
use super::value::{Decimal, Word};
use crate::reflect::context_json;

#[derive(Serialize, JsonSchema)]
pub(super) struct ReflectWire {
    scenario: Word<Scenario>,
    /// `skipped` or `reflected`.
    status_of_reflection: Done,
    /// Why nothing was looked at; null if something was.
    reason: Option<String>,
    /// How many lessons were started.
    created: u64,
    /// How many lessons were seen again.
    updated: u64,
    /// One to three sentences.
    summary: String,
    created_lessons: Vec<NamedWire>,
    updated_lessons: Vec<NamedWire>,
    worked: Vec<String>,
    failed: Vec<String>,
    decisions: Vec<String>,
    /// What was considered, the most important first.
    candidates: Vec<CandidateWire>,
    /// Root runs that were looked at, oldest first.
    runs: Vec<String>,
    transitions: Vec<TransitionWire>,
    /// What `undo` takes back; null if nothing was written.
    operation: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StatusOfReflection")]
enum Done {
    Skipped,
    Reflected,
}

/// A lesson by name.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Named")]
struct NamedWire {
    id: String,
    text: String,
}

/// A candidate lesson.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Candidate")]
struct CandidateWire {
    text: String,
    pattern: Word<Pattern>,
    kind: Word<Kind>,
    category: String,
    importance: Decimal,
    /// `IF … THEN …`.
    rule: Option<String>,
    /// Where it holds, as dimension = value.
    scope: BTreeMap<String, String>,
    /// Runs that show it, oldest first.
    evidence: Vec<String>,
    /// Why it was not taken; null if it was.
    refused: Option<String>,
}

/// `reflect`.
pub fn reflect(said: &Answer<Reflected>) -> Value {
    let body = &said.body;
    let wire = ReflectWire {
        scenario: Word(body.scenario),
        status_of_reflection: match body.skipped {
            Some(_) => Done::Skipped,
            None => Done::Reflected,
        },
        reason: body.skipped.clone(),
        created: body.created.len() as u64,
        updated: body.updated.len() as u64,
        summary: body.summary.clone(),
        created_lessons: body.created.iter().map(named).collect(),
        updated_lessons: body.updated.iter().map(named).collect(),
        worked: body.worked.clone(),
        failed: body.failed.clone(),
        decisions: body.decisions.clone(),
        candidates: body.candidates.iter().map(candidate).collect(),
        runs: body.runs.iter().map(ToString::to_string).collect(),
        transitions: transitions(&body.transitions),
        operation: body.operation.map(|operation| operation.0),
    };
    answer(said, wire)
}

/// `reflect --print-context`: what would be looked at, in `context`.
pub fn reflection_context(
    said: &Answer<Looked>,
    project: &str,
    policy: &ReflectionPolicy,
) -> Value {
    answer(said, json!({"context": context_json(&said.body, project, policy)}))
}

fn named(named: &Named) -> NamedWire {
    NamedWire { id: named.id.to_string(), text: named.text.clone() }
}

fn candidate(considered: &Considered) -> CandidateWire {
    let candidate = &considered.candidate;
    let pairs = candidate.scope.0.iter();
    CandidateWire {
        text: candidate.text.clone(),
        pattern: Word(candidate.pattern),
        kind: Word(candidate.kind),
        category: candidate.category.to_owned(),
        importance: Decimal(candidate.importance),
        rule: candidate.guidance.rule.clone(),
        scope: pairs.map(|(side, value)| (side.to_string(), value.clone())).collect(),
        evidence: candidate.evidence.iter().map(ToString::to_string).collect(),
        refused: considered.refused.clone(),
    }
}
