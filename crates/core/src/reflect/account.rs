//! How did a run go? In one to three sentences, with short lists of what worked, what
//! failed and what was decided on the way.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::archivist::errors;
use super::history::{History, RunView, TriedStep};
use super::{Context, is_reflected, quote};
use crate::ended::CutBy;
use crate::episode::{ErrorClass, StepKind, StepResult};
use crate::finding::{Finding, FindingState};
use crate::gate::one_line;
use crate::run::{Outcome, Run, RunKind};

/// Most lines of each list.
const MAX_LINES: usize = 5;

/// Longest line of each list, and longest task in a sentence, in characters.
const MAX_LINE_CHARS: usize = 200;
const MAX_TASK_CHARS: usize = 80;

/// Edits of one file from which it is named.
const MANY_EDITS: u32 = 3;

/// One to three sentences about a run and those below it.
pub(super) fn outcome(context: &Context<'_>, history: &History<'_>) -> String {
    let run = context.run;
    let mut sentences = vec![format!("{}{}{}.", who(run), ended(run), with_what(run))];
    // All that was done, also what may not be named; what the user said is no step of the run.
    let done = || {
        let steps = own(history).flat_map(|view| &view.run.episode.trail);
        steps.filter(|step| step.kind != StepKind::Correction)
    };
    let n_steps: u64 = done().map(|step| u64::from(step.n)).sum();
    let failed = done().filter(|step| step.result == StepResult::Failed);
    let n_failed: u64 = failed.map(|step| u64::from(step.n)).sum();
    if n_steps > 0 {
        let steps = counted(n_steps, "step");
        let failed = if n_failed == 0 { "none".to_owned() } else { n_failed.to_string() };
        sentences.push(format!("It took {steps}, {failed} of which failed."));
    }
    // What is only known because it is gone was not named.
    let named = seen_findings(context.findings).filter(|finding| finding.is_sighting);
    let n_findings = named.count() as u64;
    match run.episode.summary.as_deref().and_then(first_sentence) {
        Some(summary) => sentences.push(summary),
        None if n_findings > 0 => {
            sentences
                .push(format!("Reviewers and tools named {}.", counted(n_findings, "finding")));
        }
        None => {}
    }
    sentences.join(" ")
}

fn who(run: &Run) -> String {
    let kind = match run.kind {
        RunKind::Orchestrator => "An orchestrator run",
        RunKind::Subagent => "A run of a subagent",
        RunKind::Healer => "A run of a healer",
        RunKind::Review => "A review",
        RunKind::Ci => "A CI run",
        RunKind::Session => "A session",
        RunKind::Other => "A run",
    };
    let agent = run.agent.as_deref().filter(|name| quote::is_plain_name(name));
    let by = agent.map_or(String::new(), |agent| format!(" under {agent}"));
    let task = run.task.as_deref().map(one_line).filter(|task| !task.is_empty());
    let on = task.map_or(String::new(), |task| {
        format!(" on \"{}\"", quote::cut_at_word(&task, MAX_TASK_CHARS))
    });
    format!("{kind}{by}{on}")
}

fn ended(run: &Run) -> &'static str {
    match run.outcome {
        Some(Outcome::Aborted) if cut_by(run) == Some(CutBy::User) => " was aborted by the user",
        Some(Outcome::Failed) if cut_by(run) == Some(CutBy::Host) => {
            " ended with an error of its host"
        }
        Some(Outcome::Success) => " succeeded",
        Some(Outcome::Partial) => " was done in part",
        Some(Outcome::Failed) => " failed",
        Some(Outcome::Aborted) => " was aborted",
        None => " ended, outcome unknown",
    }
}

fn cut_by(run: &Run) -> Option<CutBy> {
    run.episode.ended.as_ref().and_then(|ended| ended.cut_by)
}

fn with_what(run: &Run) -> String {
    let class = run.episode.error_class.as_deref().and_then(ErrorClass::from_word);
    let is_well = matches!(run.outcome, Some(Outcome::Success) | None);
    class.filter(|_| !is_well).map_or(String::new(), |class| format!(" with {}", errors(class)))
}

fn first_sentence(summary: &str) -> Option<String> {
    let line = one_line(summary);
    let first = line.split_inclusive(['.', '!', '?']).next()?.trim();
    let first = first.trim_end_matches(['.', '!', '?']);
    let cut = quote::cut_at_word(first, MAX_LINE_CHARS);
    (!cut.is_empty()).then(|| format!("{cut}."))
}

fn counted(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// What went well: what passes after it failed first, then tests and checks, then the
/// rest, and what was fixed.
pub(super) fn worked(context: &Context<'_>, history: &History<'_>) -> Vec<String> {
    let mut lines: Vec<(u8, u32, String)> = Vec::new();
    for view in own(history) {
        for tried in done(view).filter(|tried| tried.is_ok()) {
            let has_failed = |other: &TriedStep<'_>| is_same(other, tried) && other.has_failed();
            let fails_last = view
                .steps
                .iter()
                .any(|other| has_failed(other) && other.step.last > tried.step.last);
            let was_failing = view.steps.iter().any(has_failed);
            let is_telling = tried.sort.is_test || tried.sort.is_check;
            let (rank, how) = match (was_failing, is_telling) {
                (true, _) => (0, "works after it had failed"),
                (false, true) => (1, "went well"),
                (false, false) => (2, "went well"),
            };
            if !fails_last {
                lines.push((rank, tried.step.first, format!("{} {how}", named(tried))));
            }
        }
    }
    lines.sort();
    let lines = lines.into_iter().map(|(_, _, line)| line);
    let fixed = seen_findings(context.findings).filter(|f| f.state == FindingState::Fixed);
    first_of(lines.chain(fixed.map(|finding| format!("fixed: {}", finding.text))))
}

/// What went wrong and was still wrong at the end, the last first; then open findings,
/// worst first.
pub(super) fn failed(context: &Context<'_>, history: &History<'_>) -> Vec<String> {
    let mut lines: Vec<(Reverse<u32>, String)> = Vec::new();
    for view in own(history) {
        for tried in done(view).filter(|tried| tried.has_failed()) {
            let is_over = view.steps.iter().any(|other| {
                is_same(other, tried) && other.is_ok() && other.step.last > tried.step.last
            });
            if !is_over {
                let line = tried.step.error.as_ref().and_then(|error| quote::line(&error.line));
                let reason = line.map_or(String::new(), |line| format!(": {line}"));
                lines.push((Reverse(tried.step.last), format!("{} failed{reason}", named(tried))));
            }
        }
    }
    lines.sort();
    let lines = lines.into_iter().map(|(_, line)| line);
    let mut open: Vec<&Finding> =
        seen_findings(context.findings).filter(|finding| is_open(finding)).collect();
    open.sort_by_key(|finding| (finding.severity, finding.text.as_str(), &finding.key));
    first_of(lines.chain(open.into_iter().map(|finding| finding.text.to_string())))
}

fn is_open(finding: &Finding) -> bool {
    let is_open = matches!(finding.state, FindingState::Open | FindingState::Regressed);
    is_open && finding.severity.creates_lessons()
}

/// What the user set right, and what was edited most.
pub(super) fn decisions(history: &History<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for view in own(history) {
        let steps = view.steps.iter().filter(|tried| tried.step.kind == StepKind::Correction);
        lines.extend(steps.filter_map(|tried| {
            Some(format!("the user set right: {}", quote::statement(&tried.step.action)?))
        }));
    }
    first_of(lines.into_iter().chain(edited(history)))
}

fn edited(history: &History<'_>) -> Vec<String> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for tried in own(history).flat_map(|view| &view.steps) {
        let is_edit = tried.step.kind == StepKind::Edit && !tried.has_failed();
        if is_edit && quote::is_plain_name(&tried.shape) {
            let count = counts.entry(&tried.shape).or_default();
            *count = count.saturating_add(tried.step.n);
        }
    }
    let mut counts: Vec<(&str, u32)> =
        counts.into_iter().filter(|(_, n)| *n >= MANY_EDITS).collect();
    counts.sort_by_key(|(_, n)| Reverse(*n));
    counts.iter().map(|(path, n)| format!("`{path}` was edited {n} times")).collect()
}

fn own<'h>(history: &'h History<'h>) -> impl Iterator<Item = &'h RunView<'h>> {
    history.runs.iter().filter(|view| view.is_own)
}

/// Commands and tests that may be named.
fn done<'h>(view: &'h RunView<'h>) -> impl Iterator<Item = &'h TriedStep<'h>> {
    view.steps.iter().filter(|tried| match tried.step.kind {
        StepKind::Command => !tried.sort.is_look && quote::is_plain(&tried.core),
        StepKind::Test => quote::is_plain_name(&tried.core),
        StepKind::Edit | StepKind::Look | StepKind::Correction => false,
    })
}

fn is_same(a: &TriedStep<'_>, b: &TriedStep<'_>) -> bool {
    a.step.kind == b.step.kind && a.shape == b.shape
}

fn named(tried: &TriedStep<'_>) -> String {
    let what = if tried.step.kind == StepKind::Test { "test " } else { "" };
    format!("{what}`{}`", tried.core)
}

/// Findings of others; what a reflection found is not news to it.
fn seen_findings(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings
        .iter()
        .filter(|finding| finding.is_sighting || finding.state == FindingState::Fixed)
        .filter(|finding| !is_reflected(finding))
}

fn first_of(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for line in lines {
        let line = quote::cut_at_word(&line, MAX_LINE_CHARS);
        if !kept.contains(&line) {
            kept.push(line);
        }
        if kept.len() == MAX_LINES {
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{corrected, edit, failed as red, look, ok, passes, run};
    use crate::reflect::{Reflection, ReflectionPolicy, reflect};

    fn account(run: &Run) -> Reflection {
        let context = Context { run, below: &[], findings: &[], others: &[] };
        reflect(&context, &ReflectionPolicy::default())
    }

    #[test]
    fn a_run_is_summed_up() {
        let mut sample = run("r1").with(vec![
            look("src/cart.rs"),
            red("make test", "1 test failed"),
            edit("src/cart.rs"),
            edit("src/cart.rs"),
            edit("src/cart.rs"),
            ok("make test"),
            passes("cart::total"),
            red("npm run lint", "npm ERR! Missing script: lint"),
            ok("bun run lint"),
            corrected("No, leave the API alone"),
            red("make deploy", "access denied"),
        ]);
        sample.agent = Some("alpha".into());
        sample.task = Some("fix the\ntotal".into());
        sample.episode.error_class = Some("permission".into());
        let Reflection { outcome, worked, failed, decisions, .. } = account(&sample);
        assert_eq!(
            outcome,
            "A run under alpha on \"fix the total\" failed with permission errors. It took 10 \
             steps, 3 of which failed."
        );
        assert_eq!(
            worked,
            [
                "`make test` works after it had failed",
                "`bun run lint` went well",
                "test `cart::total` went well",
            ]
        );
        assert_eq!(
            failed,
            [
                "`make deploy` failed: access denied",
                "`npm run lint` failed: npm ERR! Missing script: lint",
            ]
        );
        assert_eq!(
            decisions,
            ["the user set right: No, leave the API alone.", "`src/cart.rs` was edited 3 times",]
        );
    }

    /// What the user said is no step, and what an agent ran counts also if it is never quoted.
    #[test]
    fn an_outcome_counts_what_was_done() {
        let odd = "frobnicate --all | tee /tmp/x; echo $?";
        let mut sample = run("r1").with(vec![
            ok(odd),
            red(odd, "boom"),
            corrected("No, leave the API alone"),
            red("make", "boom"),
            red("make", "boom"),
        ]);
        sample.episode.told_by = Some(crate::lesson::Origin::Agent);
        let expected = "A run failed. It took 4 steps, 3 of which failed.";
        assert_eq!(account(&sample).outcome, expected);
    }

    #[test]
    fn outcomes_have_words() {
        let table = [
            (Some(Outcome::Success), "A run succeeded."),
            (Some(Outcome::Partial), "A run was done in part with type errors."),
            (Some(Outcome::Failed), "A run failed with type errors."),
            (Some(Outcome::Aborted), "A run was aborted with type errors."),
            (None, "A run ended, outcome unknown."),
        ];
        for (outcome, expected) in table {
            let mut sample = Run { outcome, ..run("r1") };
            sample.episode.error_class = Some("type".into());
            assert_eq!(account(&sample).outcome, expected);
        }
        let mut sample = run("r1");
        sample.episode.summary = Some("Fixed the total. Then more".into());
        assert_eq!(account(&sample).outcome, "A run failed. Fixed the total.");
    }
}
