//! What is being learned, and what it is worth: `report` and `stats`.

use std::collections::BTreeMap;

use crate::answer::{Answer, Counts, Report, RunSummary};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::lesson::{EffectsWire, LessonWire, LiftWire};
use super::value::{Time, Word};

/// Numbers about a project's memory.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Counts")]
struct CountsWire {
    lessons: u64,
    by_state: BTreeMap<&'static str, u64>,
    by_kind: BTreeMap<&'static str, u64>,
    by_severity: BTreeMap<&'static str, u64>,
    global: u64,
    pinned: u64,
    runs: u64,
    effects: EffectsWire,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct StatsWire {
    counts: CountsWire,
    /// The lessons that were put to the test, or wait for it.
    lessons: Vec<LessonWire>,
    /// Of all lessons together; null while not known yet.
    lift: Option<LiftWire>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ReportWire {
    #[serde(flatten)]
    stats: StatsWire,
    /// Put to the test, those that helped most first.
    proven: Vec<String>,
    /// Shown, and came back all the same.
    failing: Vec<String>,
    /// Had proved themselves, and failed in one of the newest runs.
    regressed: Vec<String>,
    /// Confirmed, and not put to the test yet.
    untested: Vec<String>,
    /// Newest first.
    runs: Vec<RunSummaryWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunSummary")]
struct RunSummaryWire {
    run: String,
    started: Option<Time>,
    finished: Option<Time>,
    outcome: Option<Word<Outcome>>,
    findings: u64,
    /// Findings that an earlier run had already reported.
    repeats: u64,
    regressions: u64,
    shown: u64,
    helped: u64,
}

/// `stats`.
pub fn stats(report: &Answer<Report>) -> Value {
    answer(report, stats_wire(&report.body))
}

/// `report`.
pub fn report(report: &Answer<Report>) -> Value {
    let body = &report.body;
    let wire = ReportWire {
        stats: stats_wire(body),
        proven: ids(&body.proven),
        failing: ids(&body.failing),
        regressed: ids(&body.regressed),
        untested: ids(&body.untested),
        runs: body.runs.iter().map(run_summary).collect(),
    };
    answer(report, wire)
}

fn stats_wire(report: &Report) -> StatsWire {
    let lists = [&report.proven, &report.failing, &report.untested];
    let mut lessons: Vec<&Lesson> = Vec::new();
    for lesson in lists.into_iter().flatten() {
        if !lessons.iter().any(|known| known.id == lesson.id) {
            lessons.push(lesson);
        }
    }
    let wire = |lesson: &Lesson| LessonWire::of(lesson).with_lift(report.lifts.get(&lesson.id));
    StatsWire {
        counts: counts(&report.counts),
        lessons: lessons.into_iter().map(wire).collect(),
        lift: report.lift.as_ref().map(LiftWire::of),
    }
}

fn counts(counts: &Counts) -> CountsWire {
    CountsWire {
        lessons: counts.n_lessons,
        by_state: counts.by_state.iter().map(|(state, n)| (state.word(), *n)).collect(),
        by_kind: counts.by_kind.iter().map(|(kind, n)| (kind.word(), *n)).collect(),
        by_severity: counts.by_severity.iter().map(|(word, n)| (word.word(), *n)).collect(),
        global: counts.n_global,
        pinned: counts.n_pinned,
        runs: counts.n_runs,
        effects: EffectsWire::of(&counts.effects),
    }
}

fn run_summary(summary: &RunSummary) -> RunSummaryWire {
    let run = &summary.run;
    RunSummaryWire {
        run: run.id.to_string(),
        started: run.started.map(Time),
        finished: run.finished.map(Time),
        outcome: run.outcome.map(Word),
        findings: summary.n_findings,
        repeats: summary.n_repeats,
        regressions: summary.n_regressions,
        shown: summary.n_shown,
        helped: summary.n_helped,
    }
}

fn ids(lessons: &[Lesson]) -> Vec<String> {
    lessons.iter().map(|lesson| lesson.id.to_string()).collect()
}
