//! Findings of all runs: open, fixed, regressed, dismissed.

use hardwon_core::finding::FindingState;
use maud::{Markup, html};

use super::link::{self, Link};
use super::parts;
use super::shell::Page;
use super::{FindingFilter, FindingList, Shell};
use crate::answer::FindingLine;

pub fn findings(shell: &Shell<'_>, list: &FindingList<'_>) -> String {
    let here = at(&list.filter, list.paging.after).to(shell);
    let rows = html! {
        @if list.findings.is_empty() { (nothing(&list.filter)) } @else {
            @if let Some(n) = list.paging.n_all { p.hint { (parts::counted(n, "finding")) } }
            ol.rows {
                @for (index, one) in list.findings.iter().enumerate() { (row(index, one, shell)) }
            }
        }
        (parts::paging(&list.paging, shell, &|cursor| at(&list.filter, cursor)))
    };
    let body = html! {
        (states(&list.filter, shell))
        (filter(&list.filter, shell))
        (parts::live("list", &here, "", rows))
    };
    Page { title: "Findings", place: "findings", here, body }.document(shell)
}

fn at(filter: &FindingFilter<'_>, cursor: &str) -> Link {
    Link::page("findings")
        .with("state", filter.state)
        .with("text", filter.text)
        .with("author", filter.author)
        .with("path", filter.path)
        .with("after", cursor)
}

/// One click for each state.
fn states(filter: &FindingFilter<'_>, shell: &Shell<'_>) -> Markup {
    let words = FindingState::ALL.iter().map(|state| state.word());
    html! {
        nav.tabs #tabs aria-label="Findings by state" {
            @for word in std::iter::once("").chain(words) {
                @let href = at(&FindingFilter { state: word, ..filter.clone() }, "").to(shell);
                a id={ "tab-" (word) } href=(href)
                    aria-current=[(word == filter.state).then_some("true")] {
                    @if word.is_empty() { "all" } @else { (word) }
                }
            }
        }
    }
}

fn filter(filter: &FindingFilter<'_>, shell: &Shell<'_>) -> Markup {
    html! {
        form.filter role="search" action="/findings" method="get" hx-get="/findings"
            hx-trigger="input delay:250ms, submit" hx-target="#list" hx-select="#list"
            hx-swap="outerHTML" hx-select-oob="#tabs" hx-push-url="true" {
            @if !shell.is_default_project {
                input type="hidden" name="project" value=(shell.project);
            }
            input type="hidden" name="state" value=(filter.state);
            p.field.wide {
                label for="text" { "Search" }
                input #text type="search" name="text" value=(filter.text) data-search
                    autocomplete="off" placeholder="words of a finding";
            }
            p.field {
                label for="path" { "File or folder" }
                input #path name="path" value=(filter.path) autocomplete="off" size="18";
            }
            p.field {
                label for="author" { "Found by" }
                input #author name="author" value=(filter.author) autocomplete="off" size="14";
            }
            p.field.go {
                button #filter type="submit" { "Filter" }
                " " a #filter-none href=(Link::page("findings").to(shell)) { "Clear" }
            }
        }
    }
}

fn row(index: usize, finding: &FindingLine, shell: &Shell<'_>) -> Markup {
    let run = finding.run.to_string();
    let lesson = finding.lesson.as_ref().map(ToString::to_string);
    let href = lesson.as_ref().map_or(link::run(&run, shell), |id| link::lesson(id, shell));
    html! {
        li.row {
            a.row-text id={ "row-" (index) } href=(href) data-row dir="auto" {
                @if finding.text.trim().is_empty() { (finding.id) } @else { (finding.text) }
            }
            @if let Some(repair) = &finding.repair { p.summary dir="auto" { "Repair: " (repair) } }
            p.facts {
                (parts::finding_state(finding.state.0)) " " (parts::severity(finding.severity.0))
                @if finding.path.is_some() {
                    span { (parts::place(finding.path.as_deref(), finding.line)) }
                }
                span { "by " (finding.author) }
                span { "in " (parts::run_link(&run, shell)) }
                @if let Some(at) = finding.at { span { (parts::time(at.0, shell.now)) } }
                @if let Some(rule) = &finding.rule { span { "rule " (parts::maybe_link(rule)) } }
                @if let Some(fixed) = &finding.fixed_in {
                    span { "fixed in " (parts::run_link(&fixed.to_string(), shell)) }
                }
                @if let Some(by) = &finding.ruled_by { span { "dismissed by " (by) } }
                span { @if lesson.is_some() { "has a lesson" } @else { "no lesson yet" } }
            }
        }
    }
}

fn nothing(filter: &FindingFilter<'_>) -> Markup {
    let parts = [filter.state, filter.text, filter.author, filter.path];
    if parts.iter().any(|part| !part.is_empty()) {
        return parts::empty(
            "No finding fits this filter.",
            "The same from a terminal:",
            "hardwon list findings",
        );
    }
    parts::empty(
        "No finding is known yet.",
        "Findings come with the record of a run or the report of a tool:",
        "hardwon learn RECORD",
    )
}
