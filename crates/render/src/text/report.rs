//! `report`: what is being learned and how much it helps; `stats`: its numbers alone.

use std::fmt::Display;

use super::columns::{Side, hanging, headed_table, section, table};
use crate::answer::lift;
use crate::answer::{Counts, Effects, GivenUp, Lesson, Report, RunSummary, Stats};
use crate::record::counted;

const RUN_COLUMNS: &str = "RUN ENDED OUTCOME >FINDINGS >REPEATS >BACK >SHOWN >HELPED";

/// What memory holds, what came of showing it, what waits for its test, and how the newest runs
/// went. What works is said of all lessons together, and only where held-out runs show it.
pub fn report(report: &Report, width: usize) -> String {
    let mut out = holds(&report.stats.counts);
    for (title, lessons) in [
        ("came back although shown", &report.came_back),
        ("contradicted, or named as a cause of harm", &report.contradicted),
        ("survived their chances: put to the test, and never came back", &report.survived),
        ("not tested yet", &report.untested),
    ] {
        out += &section(title, &lesson_table(lessons, width));
    }
    let row = |one: &GivenUp| {
        vec![format!("  {}", one.because), one.lesson.to_string(), one.text.clone()]
    };
    let given_up: Vec<Vec<String>> = report.given_up.iter().map(row).collect();
    out += &section("given up", &table(&given_up, &[Side::Left; 3], width));
    out + &runs(&report.runs, width) + "\n" + &worth(report, width)
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
        ("lift", lift::all_lessons(report.lift.as_ref(), report.n_missing)),
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
        summary.finished.or(summary.started).unwrap_or(summary.recorded_at).date(),
        summary.outcome.map_or("-".to_owned(), |outcome| outcome.to_string()),
        summary.n_findings.to_string(),
        summary.n_repeats.to_string(),
        summary.n_regressions.to_string(),
        summary.n_shown.to_string(),
        summary.n_helped.to_string(),
    ]
}

fn worth(report: &Report, width: usize) -> String {
    let Stats { counts, lift, n_missing, .. } = &report.stats;
    let all = match counts.effects.came_of_it() {
        None => "no lesson was tested yet".to_owned(),
        Some(came_of_it) => format!("all lessons: {came_of_it}"),
    };
    let whole = ("lift".to_owned(), lift::all_lessons(lift.as_ref(), *n_missing));
    let kinds = report.lift_by_kind.iter();
    let kinds = kinds.map(|(kind, lift)| (kind.to_string(), lift::all_lessons(Some(lift), None)));
    let lines = [whole].into_iter().chain(kinds);
    let lines = lines.map(|(name, told)| hanging("", &format!("{name}: {told}"), width));
    format!("{all}\n") + &lines.collect::<String>()
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
