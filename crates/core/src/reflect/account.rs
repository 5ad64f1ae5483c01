//! How did a run go? In one to three sentences.

use super::archivist::errors;
use super::{Context, is_reflected, quote};
use crate::ended::CutBy;
use crate::episode::{ErrorClass, StepKind, StepResult};
use crate::gate::one_line;
use crate::run::{Outcome, Run, RunKind};

/// Longest sentence, and longest task in it, in characters.
const MAX_LINE_CHARS: usize = 200;
const MAX_TASK_CHARS: usize = 80;

/// One to three sentences about a run and those below it.
pub fn outcome(context: &Context<'_>) -> String {
    let run = context.run;
    let mut sentences = vec![format!("{}{}{}.", who(run), ended(run), with_what(run))];
    // All that was done, also what may not be named; what the user said is no step of the run.
    let done = || {
        let runs = std::iter::once(run).chain(context.below);
        let steps = runs.flat_map(|run| &run.episode.trail);
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
    // What a reflection found is not news to it; what is only known because it is gone was not named.
    let named = context.findings.iter().filter(|it| it.is_sighting && !is_reflected(it));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{corrected, edit, failed as red, look, ok, passes, run};

    fn account(run: &Run) -> String {
        outcome(&Context { run, below: &[], findings: &[], others: &[] })
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
        assert_eq!(
            account(&sample),
            "A run under alpha on \"fix the total\" failed with permission errors. It took 10 \
             steps, 3 of which failed."
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
        assert_eq!(account(&sample), expected);
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
            assert_eq!(account(&sample), expected);
        }
        let mut sample = run("r1");
        sample.episode.summary = Some("Fixed the total. Then more".into());
        assert_eq!(account(&sample), "A run failed. Fixed the total.");
    }
}
