//! What was a geas task, and how did it end? Its contract, its final verdict, its gate, and what its
//! merge ran into.

use hardwon_core::ended::{CheckResult, Ended};
use hardwon_core::event::RunStated;
use hardwon_core::run::{Outcome, SURFACE};
use hardwon_core::trigger::Trigger;
use serde_json::Value;

use super::{Document, has};
use crate::fields::Fields;
use crate::json::Object;

/// Longest path or recipe that is counted, in characters: it stands in a lesson's fixed words.
const MAX_COUNTED_CHARS: usize = 120;

/// What is said to have checked a task that its gate stopped.
const GATE: &str = "gate";

/// Signs of paths and commands. None of them makes one command of two, or sends anything on.
const SIGNS: &str = " ._-@/:+=,";

pub fn is_about_task(object: &Object) -> bool {
    let is_told = is_contract(object) || is_verdict(object) || is_gate(object);
    is_told || has(object, "conflict_status")
}

fn is_contract(object: &Object) -> bool {
    let has = |name: &str| has(object, name);
    has("title") && has("goal") && (has("scope") || has("task_kind"))
}

fn is_verdict(object: &Object) -> bool {
    has(object, "verdict") && has(object, "closure_packet_ref")
}

fn is_gate(object: &Object) -> bool {
    has(object, "verdict") && (has(object, "tier_results") || has(object, "gate_profile"))
}

/// A gate that lets a task through says nothing yet: its verdict is to come. One that stops it is
/// a check that was red, which is the outcome only as long as nobody states one.
fn stopped_by_gate(object: &Object) -> Option<Ended> {
    let is_stopped =
        is_gate(object) && ["fail", "block"].contains(&word(object, "verdict").as_str());
    let checked = Some(GATE.to_owned());
    is_stopped.then(|| Ended { check: Some(CheckResult::Red), checked, ..Ended::default() })
}

fn word(object: &Object, name: &str) -> String {
    let word = object.get(name).and_then(Value::as_str).unwrap_or_default();
    word.trim().to_lowercase()
}

fn outcome(object: &Object) -> Option<Outcome> {
    let name = if is_verdict(object) { "verdict" } else { "status" };
    match word(object, name).as_str() {
        "pass" | "passed" => Some(Outcome::Success),
        "iterate" => Some(Outcome::Partial),
        "escalate" | "escalated" => Some(Outcome::Failed),
        "cancelled" => Some(Outcome::Aborted),
        _ => None,
    }
}

/// Whether something is a path or a command that can stand in a lesson's words.
fn is_plain(text: &str) -> bool {
    let is_short = !text.is_empty() && text.chars().count() <= MAX_COUNTED_CHARS;
    let is_sign = |c: char| c.is_alphanumeric() || SIGNS.contains(c);
    is_short && text.chars().all(is_sign) && !text.contains("://")
}

pub fn scope_of(contract: Fields<'_>) -> (Vec<String>, Vec<String>) {
    let scope = contract.silent_object("scope");
    let named = |name: &str| scope.and_then(|it| it.texts(name)).unwrap_or_default();
    // Some write files among the surfaces: those are paths.
    let is_path = |text: &String| text.contains(['/', '.']);
    let (paths, surfaces): (Vec<String>, Vec<String>) =
        named("surfaces").into_iter().partition(is_path);
    ([named("paths"), paths].concat(), surfaces)
}

impl Document<'_> {
    pub(super) fn told_of_task(&self, object: &Object, mut run: RunStated) -> RunStated {
        run.episode.ended = stopped_by_gate(object);
        if !is_contract(object) && !is_verdict(object) {
            return run;
        }
        run.outcome = outcome(object);
        if is_contract(object) {
            let words = [self.fields.words("title"), self.fields.words("goal")];
            run.episode.summary = Some(words.into_iter().flatten().collect::<Vec<_>>().join(": "));
            let (paths, surfaces) = scope_of(self.fields);
            run.paths = paths;
            run.tags = surfaces.iter().map(|surface| format!("{SURFACE}{surface}")).collect();
        }
        run
    }

    /// What is counted by what it is: paths on which a merge conflicted, and recipes by which a
    /// task that passed was checked.
    pub(super) fn count_of_task(&mut self, object: &Object) {
        if ["resolved", "failed"].contains(&word(object, "conflict_status").as_str()) {
            self.count_each("files_changed", Trigger::Conflict, "integration-result");
        }
        if is_contract(object) && outcome(object) == Some(Outcome::Success) {
            for name in ["eval_commands", "demo_steps"] {
                self.count_each(name, Trigger::Recipe, "task-contract");
            }
        }
    }

    fn count_each(&mut self, name: &str, trigger: Trigger, author: &str) {
        let items: Vec<String> =
            self.items(name).iter().filter_map(Value::as_str).map(str::to_owned).collect();
        for item in items {
            let item = item.split_whitespace().collect::<Vec<_>>().join(" ");
            if is_plain(&item) {
                self.count(trigger, author, "info", &item);
            } else {
                let reason = format!("an item of \"{name}\" is no plain path or command");
                self.fields.notes.problem(format!("{reason}; it is not counted"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_plain_paths_and_commands_are_counted() {
        for text in ["src/routes/auth.ts", "npm run build", "cargo test -p a --lib", "x=1 make"] {
            assert!(is_plain(text), "{text}");
        }
        for text in ["", "a | b", "a; b", "a && b", "$(x)", "curl https://x.example", "a\nb"] {
            assert!(!is_plain(text), "{text}");
        }
        assert!(!is_plain(&"x".repeat(121)));
    }
}
