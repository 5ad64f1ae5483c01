//! `report`: what is being learned and how much it helps; `stats`: its numbers alone.

use std::fmt::Display;

use super::columns::{Side, cut, hanging, headed_table, section, table};
use crate::answer::lift;
use crate::answer::{Counts, Decimal, Effects, Lesson, Report, RunSummary, Saving, Savings, Stats};
use crate::record::counted;

/// Columns of the list of runs.
const RUN_COLUMNS: &str = "RUN ENDED OUTCOME >FINDINGS >REPEATS >BACK >SHOWN >HELPED";

/// Most lessons whose savings are named.
const MAX_SAVED: usize = 10;

/// What memory holds, what works, what does not, what waits for its test, and how the
/// newest runs went.
pub fn report(report: &Report, width: usize) -> String {
    let mut out = holds(&report.stats.counts);
    let harm = "does not help: shown, and reported again or named as a cause of harm";
    for (title, lessons) in [
        ("works: shown, and not reported again", &report.proven),
        (harm, &report.failing),
        ("regressions: helped before, and failed lately", &report.regressed),
        ("not tested yet", &report.untested),
    ] {
        out += &section(title, &lesson_table(lessons, width));
    }
    out += &saved(&report.saved, width);
    out + &runs(&report.runs, width) + "\n" + &worth(&report.stats, width)
}

/// Each lesson with what came of showing it; one that is not tested, with where it comes from.
fn lesson_table(lessons: &[Lesson], width: usize) -> String {
    let origin = |lesson: &Lesson| {
        if lesson.detectors.is_empty() {
            format!("stated by {}", lesson.author)
        } else {
            format!("seen in {}", counted(lesson.n_sightings, "run"))
        }
    };
    let row = |lesson: &Lesson| {
        let about = lesson.effects.came_of_it().unwrap_or_else(|| origin(lesson));
        vec![format!("  {about}"), lesson.id.to_string(), lesson.text.clone()]
    };
    let rows: Vec<Vec<String>> = lessons.iter().map(row).collect();
    table(&rows, &[Side::Left; 3], width)
}

/// What lines saved that were shown beforehand, against the sessions that knew them and were not
/// shown them.
fn saved(saved: &Savings, width: usize) -> String {
    if saved.lessons.is_empty() {
        return String::new();
    }
    let all = worth_of(saved.failures, saved.calls).unwrap_or("too little to tell".to_owned());
    let lines = saved.lessons.iter().take(MAX_SAVED).map(|saving| saving_lines(saving, width));
    section(&format!("saved by what was shown first: {all}"), &lines.collect::<String>())
}

fn saving_lines(saving: &Saving, width: usize) -> String {
    let Saving { n_shown, n_failed, n_before, n_failed_before, text, lesson, .. } = saving;
    let runs = counted(*n_shown, "session");
    let told = match saving.n_recalled {
        0 => String::new(),
        n => format!(" (and told in {n} when it had failed)"),
    };
    let Saving { n_without, n_failed_without, .. } = saving;
    let worth = worth_of(saving.failures, saving.calls).unwrap_or("too little to tell".to_owned());
    let compared = match n_without {
        0 => "no session knew it and was not shown it, so nothing is claimed".to_owned(),
        n => format!("known and not shown, it failed in {n_failed_without} of {n}: {worth}"),
    };
    let counts = format!(
        "shown before {runs}, failed again in {n_failed}{told}; before that it failed in \
         {n_failed_before} of {n_before}; {compared}"
    );
    cut(&format!("  {lesson}  {text}"), width) + "\n" + &hanging("    ", &counts, width)
}

/// `3.5 failures fewer, about 11 calls`; nothing where it makes no difference.
fn worth_of(failures: Option<Decimal>, calls: Option<Decimal>) -> Option<String> {
    let tenths = |number: f64| (number.abs() * 10.0).round() / 10.0;
    let failures = failures?;
    let n_failures = tenths(failures.0);
    if n_failures == 0.0 {
        return None;
    }
    let way = if failures.0 < 0.0 { "more" } else { "fewer" };
    let noun = if n_failures == 1.0 { "failure" } else { "failures" };
    let calls = calls.map(|calls| calls.0.abs().round()).filter(|calls| *calls > 0.0);
    let calls = calls.map_or(String::new(), |n| format!(", about {}", counted(n as u64, "call")));
    Some(format!("{n_failures} {noun} {way}{calls}"))
}

/// `stats`: the numbers, one group a line.
pub fn stats(report: &Stats) -> String {
    let counts = &report.counts;
    let rows = [
        ("lessons", counts.n_lessons.to_string()),
        ("state", listed(&counts.by_state)),
        ("kind", listed(&counts.by_kind)),
        ("severity", listed(&counts.by_severity)),
        ("global", counts.n_global.to_string()),
        ("pinned", counts.n_pinned.to_string()),
        ("runs", counts.n_runs.to_string()),
        ("effects", effects(&counts.effects)),
        ("lift", lift::all_lessons(report.lift.as_ref())),
    ];
    rows.iter().map(|(name, value)| format!("{name:<8}  {value}\n")).collect()
}

fn holds(counts: &Counts) -> String {
    if counts.n_lessons == 0 {
        let runs = counted(counts.n_runs, "run");
        return format!("memory holds no lessons yet; {runs} learned\n");
    }
    let lessons = counted(counts.n_lessons, "lesson");
    let mut parts = vec![listed(&counts.by_state)];
    for (n, what) in [(counts.n_pinned, "pinned"), (counts.n_global, "global")] {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    }
    let runs = counted(counts.n_runs, "run");
    format!("memory holds {lessons}; {runs} learned\n  {}\n", parts.join("; "))
}

fn runs(runs: &[RunSummary], width: usize) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let table = headed_table(RUN_COLUMNS, runs.iter().map(run_row), width.saturating_sub(2));
    let indented: String = table.lines().map(|line| format!("  {line}\n")).collect();
    section("newest runs (repeats: reported by an earlier run too; back: fixed before)", &indented)
}

fn run_row(summary: &RunSummary) -> Vec<String> {
    vec![
        summary.run.to_string(),
        ended(summary),
        summary.outcome.map_or("-".to_owned(), |outcome| outcome.to_string()),
        summary.n_findings.to_string(),
        summary.n_repeats.to_string(),
        summary.n_regressions.to_string(),
        summary.n_shown.to_string(),
        summary.n_helped.to_string(),
    ]
}

fn ended(run: &RunSummary) -> String {
    run.finished.or(run.started).unwrap_or(run.recorded_at).date()
}

fn worth(report: &Stats, width: usize) -> String {
    let counts = &report.counts.effects;
    let all = match counts.came_of_it() {
        None => "no lesson was tested yet".to_owned(),
        Some(came_of_it) => format!("all lessons: {came_of_it}"),
    };
    let lift = lift::all_lessons(report.lift.as_ref());
    format!("{all}\n") + &hanging("", &format!("lift: {lift}"), width)
}

fn effects(counts: &Effects) -> String {
    let named = [
        ("helped", counts.n_helped),
        ("no_help", counts.n_no_help),
        ("hurt", counts.n_hurt),
        ("contradicted", counts.n_contradicted),
        ("neutral", counts.n_neutral),
        ("no_opportunity", counts.n_no_opportunity),
    ];
    named.map(|(name, n)| format!("{name} {n}")).join(", ")
}

fn listed<'a, T: Display + 'a>(counts: impl IntoIterator<Item = (&'a T, &'a u64)>) -> String {
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(_, n)| **n > 0)
        .map(|(word, n)| format!("{word} {n}"))
        .collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}
