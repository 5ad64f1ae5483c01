//! What the user wants: wishes that they typed. One run is enough to make a candidate, which waits
//! for the user; only what a host kept counts, since an agent can write that a user said
//! something.

use std::collections::BTreeMap;

use super::{Advice, FAILURE, Occurrence, found};
use crate::episode::{REJECTED, Step, StepKind};
use crate::lesson::Kind;
use crate::quote;
use crate::reflect::history::{History, RunView};
use crate::reflect::{Pattern, ReflectionPolicy};
use crate::scope::{Dimension, OWN_PERSON, Scope};

/// A run in which a wish was typed, and its words.
type Wish<'h> = (&'h RunView<'h>, String);

pub(super) fn find(history: &History<'_>, _policy: &ReflectionPolicy) -> Vec<Occurrence> {
    // By their words alone: case and stops differ from time to time.
    let mut wishes: BTreeMap<String, Vec<Wish<'_>>> = BTreeMap::new();
    for view in history.runs.iter().filter(|view| view.run.episode.is_witnessed) {
        let said = |step: &&Step| step.kind == StepKind::Correction && step.tool != REJECTED;
        let steps = view.run.episode.trail.iter().filter(said);
        for (key, wish) in steps.filter_map(|step| wish(view, step)) {
            wishes.entry(key).or_default().push(wish);
        }
    }
    wishes.retain(|_, all| all.iter().any(|(view, _)| view.is_own));
    wishes.into_iter().filter_map(|(key, all)| one(&key, &all)).collect()
}

fn wish<'h>(view: &'h RunView<'h>, step: &Step) -> Option<(String, Wish<'h>)> {
    let text = quote::statement(&step.action)?;
    let key = words(&text);
    (!key.is_empty()).then_some((key, (view, text)))
}

fn one(key: &str, all: &[Wish<'_>]) -> Option<Occurrence> {
    let (_, text) = all.first()?;
    let advice = Advice {
        text: text.clone(),
        rule: format!("IF working here THEN {}", lowered(text.trim_end_matches('.'))),
        kind: Kind::Preference,
        category: "prompting",
    };
    let runs = all.iter().map(|(view, _)| view.run);
    let mut found = found(Pattern::Correction, key, advice, FAILURE, runs).tagged(["correction"]);
    found.candidate.scope = Scope::default().with(Dimension::Person, OWN_PERSON);
    Some(found)
}

/// Within a sentence; a name keeps its capitals.
fn lowered(sentence: &str) -> String {
    let mut chars = sentence.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            format!("{}{}", first.to_lowercase(), chars.as_str())
        }
        _ => sentence.to_owned(),
    }
}

fn words(sentence: &str) -> String {
    let lower = sentence.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{self, corrected, found, run};
    use crate::reflect::{Candidate, ReflectionPolicy};
    use crate::run::Run;

    /// A run that a host kept, in which the user said this.
    fn said(id: &str, text: &str) -> Run {
        let mut run = run(id).with(vec![corrected(text)]);
        run.episode.is_witnessed = true;
        run
    }

    fn texts(runs: &[Run]) -> Vec<String> {
        samples::texts(find, runs)
    }

    #[test]
    fn what_the_user_wants_is_the_lesson() {
        assert_eq!(texts(&[said("r1", "Use pnpm, not npm.")]), ["Use pnpm, not npm."]);
        assert_eq!(texts(&[said("r1", "use pnpm")]), ["Use pnpm."]);
        assert_eq!(texts(&[said("r1", "?!")]), [] as [&str; 0]);
        let made = found(find, &[said("r1", "Use pnpm, not npm"), said("r2", "use pnpm not npm!")]);
        assert_eq!((made.len(), made[0].evidence.len()), (1, 2));
        let Candidate { text, kind, guidance, scope, .. } = &made[0];
        assert_eq!((text.as_str(), *kind), ("Use pnpm, not npm.", Kind::Preference));
        assert_eq!(guidance.rule.as_deref(), Some("IF working here THEN use pnpm, not npm"));
        assert_eq!(scope.0.get(&Dimension::Person).map(String::as_str), Some(OWN_PERSON));
        assert!(made[0].is_said());
    }

    #[test]
    fn what_an_agent_says_that_a_user_said_is_no_wish() {
        let run = run("r1").with(vec![corrected("Use pnpm, not npm")]);
        assert!(!run.episode.is_witnessed);
        assert_eq!(texts(&[run]), [] as [&str; 0]);
    }

    #[test]
    fn a_call_that_an_earlier_version_noted_as_rejected_is_no_wish() {
        let mut run = said("r1", "Run git push to main");
        run.episode.trail[0].tool = REJECTED.to_owned();
        assert_eq!(texts(&[run]), [] as [&str; 0]);
    }

    #[test]
    fn a_shared_memory_takes_no_wishes() {
        let made = found(find, &[said("r1", "Use pnpm, not npm.")]);
        let shared = ReflectionPolicy { takes_wishes: false, ..ReflectionPolicy::default() };
        assert!(made[0].refusal(&shared).is_some());
        assert_eq!(made[0].refusal(&ReflectionPolicy::default()), None);
    }
}
