//! How did the trials of Terminal-Bench end? Reads `results.json` of a run, which lists them,
//! and that of one trial. What was done in a trial stands in the log of its terminal.

use std::io::{self, Read};

use hardwon_core::episode::{Episode, ErrorClass, Usage};
use hardwon_core::event::{Event, RunStated, VerdictStated};
use hardwon_core::finding::Grade;
use hardwon_core::list;
use hardwon_core::run::{Outcome, RunKind};
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::report::{Report, first_line, run_name};
use crate::stream::{Document, MAX_STRING_BYTES, Part, Shape};

/// Who judges: the tests of the task.
const AUTHOR: &str = "terminal-bench";

/// Most failed tests that are named, and most trials that are read.
const MAX_TESTS: usize = 5;
const MAX_TRIALS: usize = 2_000;

const TRIAL: &str = "trial";

static DOCUMENT: Document = Document {
    shape: &Shape::Fields(
        "the results",
        list!("fields.txt", "terminal-bench"),
        &[("results", Shape::Items("field \"results\"", &Shape::Whole(TRIAL)))],
    ),
    fields: list!("fields.txt", "terminal-bench"),
    open: &["parser_results"],
    max_string: MAX_STRING_BYTES,
};

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let (mut one, mut n_trials) = (Object::new(), 0);
    let end = report.walk(reader, &DOCUMENT, |report, part, _| match part {
        Part::Whole(TRIAL, Value::Object(trial)) => {
            n_trials += 1;
            if n_trials > MAX_TRIALS {
                return report.left_out(1);
            }
            state(&trial, report);
        }
        Part::Whole(name, value) => drop(one.insert(name.to_owned(), value)),
        _ => {}
    })?;
    if n_trials == 0 && one.contains_key("task_id") {
        report.notes.go_to(1);
        state(&one, report);
    }
    report.ended(end, 0);
    Ok(())
}

/// States one trial as a run, and what its tests say.
fn state(trial: &Object, report: &mut Report) {
    let (run, is_resolved) = run(Fields::new(trial, &report.notes));
    let verdict = is_resolved.map(|is_pass| VerdictStated {
        author: AUTHOR.to_owned(),
        is_pass: Some(is_pass),
        grade: Some(Grade::Executed),
        ..VerdictStated::default()
    });
    report.push(Event::Run(run));
    verdict.into_iter().for_each(|verdict| report.push(Event::Verdict(verdict)));
}

fn run(trial: Fields<'_>) -> (RunStated, Option<bool>) {
    let is_resolved = trial.value("is_resolved").and_then(Value::as_bool);
    let mode = trial.silent("failure_mode").filter(|mode| !matches!(*mode, "unset" | "none"));
    let is_late = mode.is_some_and(|mode| mode.contains("timeout"));
    let outcome = match is_resolved {
        Some(true) => Some(Outcome::Success),
        Some(false) => Some(Outcome::Failed),
        None => mode.map(|_| Outcome::Failed),
    };
    let id = ["id", "uuid", "trial_name"].iter().find_map(|name| trial.silent(name));
    let task = ["instruction", "task_id"].iter().find_map(|name| trial.silent(name));
    let positive = |name: &str| trial.count(name).filter(|count| *count > 0);
    let run = RunStated {
        id: id.map(run_name),
        kind: Some(RunKind::Session),
        task: task.and_then(first_line),
        started: trial.moment("trial_started_at"),
        finished: trial.moment("trial_ended_at"),
        outcome,
        tags: trial.silent("task_id").map(str::to_owned).into_iter().collect(),
        episode: Episode {
            error_class: is_late.then(|| ErrorClass::Timeout.word().to_owned()),
            summary: summary(mode, trial),
            logs: trial.silent("recording_path").map(str::to_owned).into_iter().collect(),
            usage: Usage {
                tokens_in: positive("total_input_tokens"),
                tokens_out: positive("total_output_tokens"),
                ..Usage::default()
            },
            ..Episode::default()
        },
        ..RunStated::default()
    };
    (run, is_resolved)
}

/// Why it was not solved: how it broke off, and the tests that failed.
fn summary(mode: Option<&str>, trial: Fields<'_>) -> Option<String> {
    let tests = trial.value("parser_results").and_then(Value::as_object);
    let failed = tests.into_iter().flatten().filter(|(_, result)| **result == "failed");
    let failed: Vec<&str> = failed.map(|(test, _)| test.as_str()).take(MAX_TESTS).collect();
    let failed = (!failed.is_empty()).then(|| format!("failed: {}", failed.join(", ")));
    let parts: Vec<String> = mode.map(str::to_owned).into_iter().chain(failed).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
