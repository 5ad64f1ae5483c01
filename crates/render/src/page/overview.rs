//! Is it worth it?

use hardwon_core::lesson::State;
use maud::{Markup, html};

use super::Shell;
use super::link::{self, Link};
use super::parts;
use super::plot::{self, Bar, Bars};
use super::shell::Page;
use crate::answer::lift as worth;
use crate::answer::{Event, Overview, RunPoint, Time};

pub fn overview(shell: &Shell<'_>, overview: &Overview) -> String {
    let here = Link::page("").to(shell);
    let is_new = overview.counts.n_lessons == 0 && overview.counts.n_runs == 0;
    let numbers = html! {
        @if is_new {
            (parts::empty(
                "This memory is still empty.",
                "Hand in the record of a run, or let your coding agent hand in its sessions:",
                "hardwon learn RECORD\nhardwon install",
            ))
        }
        (lift(overview))
        (repeats(overview, shell))
        (tokens(overview, shell))
        (states(overview, shell))
        (waiting(overview, shell))
    };
    let body = html! {
        div.grid {
            (parts::live("numbers", &here, "cards", numbers))
            (feed(&overview.events, shell))
        }
    };
    Page { title: "Overview", place: "", here, body }.document(shell)
}

fn lift(overview: &Overview) -> Markup {
    let told = worth::all_lessons(overview.lift.as_ref(), overview.n_missing);
    let inside = html! {
        p.sentence { (told) }
        @if let Some(lift) = &overview.lift {
            (plot::interval("lift", lift.value.0, lift.low.0, lift.high.0, &told))
        }
    };
    parts::section("card wide", "lift-heading", "What showing lessons is worth", None, inside)
}

fn when(point: &RunPoint) -> Time {
    let summary = &point.summary;
    summary.finished.or(summary.started).unwrap_or(summary.recorded_at)
}

/// Findings that an earlier run had already reported, per run.
fn repeats(overview: &Overview, shell: &Shell<'_>) -> Markup {
    let bars = overview.runs.iter().map(|point| Bar {
        label: point.summary.run.to_string(),
        at: when(point).0,
        n: point.summary.n_repeats,
        n_behind: point.summary.n_findings,
    });
    let told = halves(&overview.runs);
    let inside = html! {
        @if overview.runs.is_empty() { p.hint { "No run was learned yet." } } @else {
            p { (told) }
            (plot::bars(&Bars {
                name: "repeats",
                title: "Repeats per run, the oldest run first",
                desc: told.clone(),
                count: "repeats",
                behind: Some("all findings"),
                bars: bars.collect(),
                now: shell.now,
            }))
        }
    };
    parts::section("card", "repeats-heading", "Repeats per run", None, inside)
}

/// The newer half against the older one.
fn halves(runs: &[RunPoint]) -> String {
    let mean = |some: &[RunPoint]| {
        let n: u64 = some.iter().map(|point| point.summary.n_repeats).sum();
        n as f64 / some.len().max(1) as f64
    };
    let (older, newer) = runs.split_at(runs.len() / 2);
    if older.is_empty() {
        return format!("{:.1} in the only run.", mean(newer));
    }
    let (n_older, n_newer) = (older.len(), newer.len());
    format!(
        "{:.1} per run in the newest {n_newer}, {:.1} in the {n_older} before.",
        mean(newer),
        mean(older)
    )
}

fn tokens(overview: &Overview, shell: &Shell<'_>) -> Markup {
    let totals = &overview.prompts;
    let bars = overview.runs.iter().map(|point| Bar {
        label: point.summary.run.to_string(),
        at: when(point).0,
        n: point.n_tokens,
        n_behind: 0,
    });
    let each = totals.n_tokens.checked_div(totals.n_blocks).unwrap_or(0);
    let inside = html! {
        @if totals.n_blocks == 0 {
            p.hint { "No block was recorded yet. A run is shown lessons when its id is named:" }
            (parts::command("hardwon inject --run RUN"))
        } @else {
            p {
                (parts::grouped(totals.n_tokens)) " in " (parts::counted(totals.n_blocks, "block"))
                ", about " (parts::grouped(each)) " each."
            }
            (plot::bars(&Bars {
                name: "tokens",
                title: "Tokens put into prompts per run, the oldest run first",
                desc: format!("{} tokens in all", parts::grouped(totals.n_tokens)),
                count: "tokens",
                behind: None,
                bars: bars.collect(),
                now: shell.now,
            }))
        }
    };
    parts::section("card", "tokens-heading", "Tokens put into prompts", None, inside)
}

fn states(overview: &Overview, shell: &Shell<'_>) -> Markup {
    let counts = &overview.counts;
    let most = counts.by_state.values().copied().max().unwrap_or(0);
    let inside = html! {
        p {
            (parts::counted(counts.n_lessons, "lesson")) " from "
            (parts::counted(counts.n_runs, "run")) ", " (counts.n_pinned) " pinned, "
            (counts.n_global) " for every project."
        }
        table.states {
            caption.unseen { "Lessons by state" }
            tbody {
                @for state in State::ALL {
                    @if let Some((_, n)) = counts.by_state.iter().find(|(word, _)| word.0 == *state) {
                        tr {
                            th scope="row" {
                                a id={ "state-" (state.word()) }
                                    href=(Link::page("lessons").with("state", state.word()).to(shell)) {
                                    (parts::state(*state))
                                }
                            }
                            td.number { (parts::grouped(*n)) }
                            td.share aria-hidden="true" { (plot::share(*n, most)) }
                        }
                    }
                }
            }
        }
    };
    parts::section("card", "states-heading", "Lessons by state", None, inside)
}

fn waiting(overview: &Overview, shell: &Shell<'_>) -> Markup {
    let inside = html! {
        @if overview.n_waiting == 0 { p.hint { "Nothing waits for a decision." } } @else {
            ul { @for named in &overview.waiting { li { (parts::named(named, shell)) } } }
            p { a.button #start-review href=(Link::page("review").to(shell)) { "Review them" } }
        }
    };
    parts::section("card", "waiting-heading", "Waits for review", Some(overview.n_waiting), inside)
}

/// What happened lately, the newest first; `page.js` puts what comes in on top.
fn feed(events: &[Event], shell: &Shell<'_>) -> Markup {
    let inside = html! {
        ol #feed aria-live="polite" aria-relevant="additions" {
            @for event in events.iter().rev() {
                li { (parts::time(event.ts.0, shell.now)) " " (happened(event, shell)) }
            }
        }
        @if events.is_empty() {
            p.hint #feed-empty {
                "Nothing happened yet. What any program learns appears here at once; the same in a terminal:"
            }
            (parts::command("hardwon log --events --follow"))
        }
    };
    parts::section("card feed", "feed-heading", "Live", None, inside)
}

/// A message in words. `page.js` says the same of what comes in.
fn happened(event: &Event, shell: &Shell<'_>) -> Markup {
    let detail = &event.detail;
    html! {
        span { (parts::words(event.kind)) }
        @if let Some(scenario) = &detail.scenario { ", " (parts::words(scenario)) }
        @if let (Some(from), Some(to)) = (&detail.from, &detail.to) {
            ", " (parts::words(from)) " to " (parts::words(to))
        }
        @if let (Some(created), Some(updated)) = (detail.created, detail.updated) {
            ", " (created) " created, " (updated) " updated"
        }
        @if let Some(lesson) = &detail.lesson {
            ": " a href=(link::lesson(lesson, shell)) dir="auto" {
                (detail.summary.as_deref().unwrap_or(lesson))
            }
        }
        @for lesson in detail.lessons.iter().flatten() {
            ": " a href=(link::lesson(&lesson.id, shell)) dir="auto" { (lesson.summary) }
        }
    }
}
