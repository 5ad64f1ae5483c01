//! The user corrected something. Their sentence is the lesson; one run is enough to make it
//! a candidate, and it stays an observation: a preference is stated with `add`.

use std::collections::BTreeMap;

use super::{Advice, FAILURE, Occurrence, found};
use crate::episode::StepKind;
use crate::lesson::Kind;
use crate::reflect::history::{History, RunView};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};

pub(super) fn find(history: &History<'_>, _policy: &ReflectionPolicy) -> Vec<Occurrence> {
    // By their words alone: case and stops differ from time to time.
    let mut corrections: BTreeMap<String, Vec<(&RunView<'_>, String)>> = BTreeMap::new();
    for view in &history.runs {
        let steps = view.steps.iter().filter(|tried| tried.step.kind == StepKind::Correction);
        for sentence in steps.filter_map(|tried| quote::sentence(&tried.step.action)) {
            let key = words(&sentence);
            if !key.is_empty() {
                corrections.entry(key).or_default().push((view, sentence));
            }
        }
    }
    corrections.retain(|_, all| all.iter().any(|(view, _)| view.is_own));
    corrections.into_iter().filter_map(|(key, all)| one(&key, &all)).collect()
}

fn one(key: &str, all: &[(&RunView<'_>, String)]) -> Option<Occurrence> {
    let (_, text) = all.first()?;
    let advice = Advice {
        text: text.clone(),
        rule: format!("IF working here THEN {}", lowered(text.trim_end_matches('.'))),
        kind: Kind::Pattern,
        category: "prompting",
    };
    let runs = all.iter().map(|(view, _)| view.run);
    Some(found(Pattern::Correction, key, advice, FAILURE, runs).tagged(["correction"]))
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
    use crate::reflect::samples::{corrected, found, run, texts};

    #[test]
    fn what_the_user_said_is_the_lesson() {
        let advice = |text| texts(find, &[run("r1").with(vec![corrected(text)])]);
        assert_eq!(
            advice("No, keep migrations in db/migrate. I said so before."),
            ["Keep migrations in db/migrate."]
        );
        assert_eq!(advice("no"), [] as [&str; 0]);
        assert_eq!(advice("?!"), [] as [&str; 0]);
        let twice = [
            run("r1").with(vec![corrected("Use pnpm, not npm")]),
            run("r2").with(vec![corrected("use pnpm not npm!")]),
        ];
        let made = found(find, &twice);
        assert_eq!((made.len(), made[0].evidence.len()), (1, 2));
        assert_eq!((made[0].text.as_str(), made[0].kind), ("Use pnpm, not npm.", Kind::Pattern));
        let rule = made[0].guidance.rule.as_deref();
        assert_eq!(rule, Some("IF working here THEN use pnpm, not npm"));
    }
}
