//! The list of runs, the newest first.

use hardwon_core::run::Outcome;
use maud::{Markup, html};

use super::link::{self, Link};
use super::parts;
use super::shell::Page;
use super::tree::called;
use super::{RunFilter, RunList, Shell};
use crate::answer::RunLine;

pub fn runs(shell: &Shell<'_>, list: &RunList<'_>) -> String {
    let here = at(&list.filter, list.paging.after).to(shell);
    let rows = html! {
        @if list.runs.is_empty() { (nothing(&list.filter)) } @else {
            @if let Some(n) = list.paging.n_all { p.hint { (parts::counted(n, "run")) } }
            ol.rows { @for line in list.runs { (row(line, shell)) } }
        }
        (parts::paging(&list.paging, shell, &|cursor| at(&list.filter, cursor)))
    };
    let body = html! {
        (filter(&list.filter, shell))
        (parts::live("list", &here, "", rows))
    };
    Page { title: "Runs", place: "runs", here, body }.document(shell)
}

fn at(filter: &RunFilter<'_>, cursor: &str) -> Link {
    Link::page("runs")
        .with("text", filter.text)
        .with("outcome", filter.outcome)
        .with("agent", filter.agent)
        .with("session", filter.session)
        .with("after", cursor)
}

fn filter(filter: &RunFilter<'_>, shell: &Shell<'_>) -> Markup {
    let fields = html! {
        (parts::choice("outcome", "Outcome", Outcome::ALL.iter().map(|one| one.word()), filter.outcome))
        (parts::field("agent", "Agent", filter.agent, 14))
        (parts::field("session", "Session", filter.session, 14))
    };
    parts::filter(shell, "runs", filter.text, "id, task or summary", fields)
}

fn row(line: &RunLine, shell: &Shell<'_>) -> Markup {
    let run = &line.run;
    let id = run.id.to_string();
    let at = run.finished.or(run.started).unwrap_or(run.recorded_at);
    html! {
        li.row {
            a.row-text id={ "row-" (link::encoded(&id)) } href=(link::run(&id, shell)) data-row {
                (called(run))
            }
            @if let Some(summary) = &run.summary { p.summary dir="auto" { (summary) } }
            p.facts {
                (parts::outcome(run.outcome.map(|word| word.0)))
                span { (parts::words(run.kind)) }
                @if let Some(agent) = &run.agent { span { (agent) } }
                span { (parts::counted(line.n_findings, "finding")) }
                span { (parts::counted(line.n_shown, "lesson")) " shown" }
                span { (parts::time(at.0, shell.now)) }
                @if let Some(session) = &run.session {
                    a.chip href=(link::session(session, shell)) { "session " (session) }
                }
            }
        }
    }
}

fn nothing(filter: &RunFilter<'_>) -> Markup {
    let parts = [filter.text, filter.outcome, filter.agent, filter.session];
    if parts.iter().any(|part| !part.is_empty()) {
        return parts::empty(
            "No run fits this filter.",
            "The same from a terminal:",
            "hardwon list runs --days 30",
        );
    }
    parts::empty(
        "No run is known yet.",
        "Hand in the record of one, or let your coding agent hand in its sessions:",
        "hardwon learn RECORD\nhardwon install",
    )
}
