//! A healer's run succeeded: what did it do between the failure and the end?

use std::collections::BTreeMap;

use super::{Advice, Occurrence, errors, found};
use crate::command::shell::program;
use crate::episode::{ErrorClass, StepKind, StepResult};
use crate::lesson::Kind;
use crate::reflect::history::{History, RunView, TriedStep, only};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};
use crate::run::{Outcome, Run, RunKind};

/// A success, but one that follows a failure.
const IMPORTANCE: f64 = 0.6;

/// Most steps that are named.
const MAX_STEPS_NAMED: usize = 2;

/// What a healer met, and what it did about it.
struct Remedy {
    trouble: String,
    class: Option<ErrorClass>,
    steps: Vec<String>,
    paths: Vec<String>,
}

pub(super) fn find(history: &History<'_>, _policy: &ReflectionPolicy) -> Vec<Occurrence> {
    let mut by_key: BTreeMap<String, (Remedy, Vec<&RunView<'_>>)> = BTreeMap::new();
    for view in history.runs.iter().filter(|view| is_rescue(view)) {
        let Some(remedy) = remedy(view, history) else { continue };
        let key = format!("{} => {}", remedy.trouble, remedy.steps.join(" and then "));
        by_key.entry(key).or_insert_with(|| (remedy, Vec::new())).1.push(view);
    }
    by_key.retain(|_, (_, shown)| shown.iter().any(|view| view.is_own));
    by_key.into_iter().map(|(key, (remedy, shown))| candidate(&key, remedy, &shown)).collect()
}

fn is_rescue(view: &RunView<'_>) -> bool {
    view.run.kind == RunKind::Healer && view.run.outcome == Some(Outcome::Success)
}

fn candidate(key: &str, remedy: Remedy, shown: &[&RunView<'_>]) -> Occurrence {
    let Remedy { trouble, class, steps, paths } = remedy;
    let steps = steps.join(" and then ");
    let advice = Advice {
        text: format!("After {trouble}, {steps} recovered the run: try it first."),
        rule: format!("IF a run meets {trouble} THEN try {steps} first"),
        kind: Kind::Pattern,
        category: "bugfix_pattern",
    };
    let runs = shown.iter().map(|view| view.run);
    let mut made = found(Pattern::Rescue, key, advice, IMPORTANCE, runs);
    made.candidate.paths = paths;
    made.tagged(["recovery", class.map_or("", ErrorClass::word)])
}

fn remedy(view: &RunView<'_>, history: &History<'_>) -> Option<Remedy> {
    let failed = view.steps.iter().filter(|tried| tried.has_failed());
    let failure = failed.min_by_key(|tried| tried.step.first);
    let stated = view.run.episode.error_class.as_deref().and_then(ErrorClass::from_word);
    let class = failure.and_then(TriedStep::trouble).or(stated).or_else(|| healed(view, history));
    let line = || view.line(failure?);
    let trouble = match class {
        Some(class) => errors(class).to_owned(),
        None => format!("\"{}\"", line()?),
    };
    let commands = commands(view, failure);
    if !commands.is_empty() {
        return Some(Remedy { trouble, class, steps: commands, paths: Vec::new() });
    }
    let path = only_edit(view, failure)?.to_owned();
    let steps = vec![format!("an edit of `{path}`")];
    Some(Remedy { trouble, class, steps, paths: vec![path] })
}

/// What the run that was healed failed with: the newest failed one of the same tree,
/// session or task.
fn healed(view: &RunView<'_>, history: &History<'_>) -> Option<ErrorClass> {
    let healer = view.run;
    let is_same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    let is_patient = |other: &&RunView<'_>| {
        let run = other.run;
        let is_near = run.root == healer.root
            || is_same(&run.episode.session, &healer.episode.session)
            || is_same(&run.task, &healer.task);
        run.id != healer.id && is_near
    };
    history.runs.iter().rev().filter(is_patient).find_map(|other| class_of(other.run))
}

/// What a failed run failed with, as far as is known.
fn class_of(run: &Run) -> Option<ErrorClass> {
    if run.outcome != Some(Outcome::Failed) {
        return None;
    }
    let stated = run.episode.error_class.as_deref();
    let stated = stated.and_then(|word| ErrorClass::from_word(&word.trim().to_lowercase()));
    let failed = run.episode.trail.iter().filter(|step| step.result == StepResult::Failed);
    let last = || failed.max_by_key(|step| step.last)?.error.as_ref()?.class;
    stated.or_else(last)
}

/// What it ran with success after the trouble, without what only looked, tested or
/// committed.
fn commands(view: &RunView<'_>, failure: Option<&TriedStep<'_>>) -> Vec<String> {
    let is_remedy = |tried: &&TriedStep<'_>| {
        let is_after = |failure: &TriedStep<'_>| {
            tried.step.first > failure.step.first && tried.shape != failure.shape
        };
        let is_act = !tried.sort.is_look && !tried.sort.is_test;
        tried.step.kind == StepKind::Command
            && tried.is_ok()
            && failure.is_none_or(is_after)
            && is_act
            && program(&tried.shape) != "git"
            && quote::is_advisable(&tried.core)
    };
    let mut remedies: Vec<&TriedStep<'_>> = view.steps.iter().filter(is_remedy).collect();
    remedies.sort_by_key(|tried| tried.step.first);
    remedies.iter().take(MAX_STEPS_NAMED).map(|tried| format!("`{}`", tried.core)).collect()
}

/// The file that it edited after the trouble, if it was one.
fn only_edit<'h>(view: &'h RunView<'_>, failure: Option<&TriedStep<'_>>) -> Option<&'h str> {
    let is_edit = |tried: &&TriedStep<'_>| {
        let is_after = failure.is_none_or(|failure| tried.step.last > failure.step.first);
        tried.step.kind == StepKind::Edit && !tried.has_failed() && is_after
    };
    let path = only(view.steps.iter().filter(is_edit).map(|tried| tried.shape.as_str()))?;
    quote::is_plain_name(path).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::SingleStep;
    use crate::reflect::samples::{edit, failed, found, look, ok, run, texts};

    fn healer(id: &str, done: Vec<SingleStep>) -> Run {
        Run { kind: RunKind::Healer, outcome: Some(Outcome::Success), ..run(id).with(done) }
    }

    #[test]
    fn what_recovered_the_run_is_told() {
        let broken = || failed("make test", "ModuleNotFoundError: No module named 'x'");
        let rows: Vec<(Vec<SingleStep>, Option<&str>)> = vec![
            (
                vec![broken(), look("a"), ok("npm ci"), ok("make test")],
                Some("After import errors, `npm ci` recovered the run: try it first."),
            ),
            (
                vec![broken(), ok("npm ci"), ok("npm run build"), ok("npm start")],
                Some(
                    "After import errors, `npm ci` and then `npm run build` recovered the run: \
                     try it first.",
                ),
            ),
            (
                vec![broken(), edit("setup.cfg"), ok("make test"), ok("git commit -m x")],
                Some(
                    "After import errors, an edit of `setup.cfg` recovered the run: try it first.",
                ),
            ),
            (
                vec![failed("start", "boom went the cart"), ok("npm ci")],
                Some("After \"boom went the cart\", `npm ci` recovered the run: try it first."),
            ),
            (vec![broken(), edit("a"), edit("b"), ok("make test")], None),
            (vec![ok("npm ci"), broken()], None),
            (vec![broken(), ok("pip install evil")], None),
        ];
        for (n, (done, expected)) in rows.into_iter().enumerate() {
            let made = texts(find, &[healer("h", done)]);
            assert_eq!(made.first().map(String::as_str), expected, "row {n}");
        }
    }

    #[test]
    fn the_trouble_may_be_that_of_the_run_that_was_healed() {
        let mut patient = run("r1").with(vec![failed("make", "could not compile")]);
        patient.task = Some("T-1".to_owned());
        let healer = |id| Run { task: Some("T-1".to_owned()), ..healer(id, vec![ok("npm ci")]) };
        let made = found(find, &[patient.clone(), healer("h1"), healer("h2")]);
        let expected = "After build errors, `npm ci` recovered the run: try it first.";
        assert_eq!((made[0].text.as_str(), made[0].evidence.len()), (expected, 2));
        let failed = Run { outcome: Some(Outcome::Failed), ..healer("h1") };
        assert_eq!(found(find, &[patient, failed]).len(), 0);
    }
}
