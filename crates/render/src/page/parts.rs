//! What pages have in common: times, badges, links to lessons and runs, empty states, paging,
//! and the small table behind a plot.

use std::fmt::Display;

use hardwon_core::finding::{FindingState, Severity};
use hardwon_core::lesson::State;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use maud::{Markup, html};

use super::link::{self, Link};
use super::{Paging, Shell};
use crate::answer::{Lesson, Named};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// From here on a date says more than a number of days.
const DAYS_TOLD: i64 = 45;

/// `5 days ago`, with the exact time on hover and for machines.
pub(super) fn time(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    html! { time datetime=(exact) title=(exact) { (relative(at, now)) } }
}

pub(super) fn relative(at: Timestamp, now: Timestamp) -> String {
    let ago = now.0.saturating_sub(at.0);
    let told = |n: i64, unit: &str| match (ago < 0, n) {
        (false, 1) => format!("1 {unit} ago"),
        (false, n) => format!("{n} {unit}s ago"),
        (true, 1) => format!("in 1 {unit}"),
        (true, n) => format!("in {n} {unit}s"),
    };
    match ago.saturating_abs() {
        ms if ms < MINUTE => "just now".to_owned(),
        ms if ms < HOUR => told(ms / MINUTE, "minute"),
        ms if ms < DAY => told(ms / HOUR, "hour"),
        ms if ms < DAYS_TOLD * DAY => told(ms / DAY, "day"),
        _ => at.date(),
    }
}

/// A word with a mark in front, so that its colour is never all that tells it.
fn badge(tone: &str, mark: &str, word: &str) -> Markup {
    html! {
        span class={ "badge " (tone) } { span.mark aria-hidden="true" { (mark) } " " (word) }
    }
}

/// A word of ours as people read it.
pub(super) fn words(word: impl Display) -> String {
    word.to_string().replace('_', " ")
}

pub(super) fn state(state: State) -> Markup {
    let (tone, mark) = match state {
        State::Candidate => ("quiet", "○"),
        State::Provisional => ("accent", "◔"),
        State::Stable => ("good", "◑"),
        State::Canonical => ("good", "●"),
        State::UnderReview => ("warn", "?"),
        State::Quarantined => ("warn", "!"),
        State::Decayed => ("quiet", "↓"),
        State::Superseded => ("quiet", "→"),
        State::Archived => ("quiet", "▪"),
        State::Rejected => ("bad", "×"),
    };
    badge(tone, mark, &words(state))
}

pub(super) fn finding_state(state: FindingState) -> Markup {
    let (tone, mark) = match state {
        FindingState::Open => ("warn", "○"),
        FindingState::Fixed => ("good", "✓"),
        FindingState::Regressed => ("bad", "↩"),
        FindingState::Dismissed => ("quiet", "–"),
    };
    badge(tone, mark, &words(state))
}

pub(super) fn severity(severity: Severity) -> Markup {
    let (tone, mark) = match severity {
        Severity::Critical => ("bad", "‼"),
        Severity::Bug => ("bad", "!"),
        Severity::Warning => ("warn", "▲"),
        Severity::Info | Severity::Recommendation => ("quiet", "·"),
    };
    badge(tone, mark, &words(severity))
}

pub(super) fn outcome(outcome: Option<Outcome>) -> Markup {
    let Some(outcome) = outcome else { return badge("quiet", "…", "not known") };
    let (tone, mark) = match outcome {
        Outcome::Success => ("good", "✓"),
        Outcome::Partial => ("warn", "◐"),
        Outcome::Failed => ("bad", "×"),
        Outcome::Aborted => ("quiet", "■"),
    };
    badge(tone, mark, &words(outcome))
}

pub(super) fn pinned(lesson: &Lesson) -> Markup {
    html! { @if lesson.is_pinned { (badge("accent", "◆", "pinned")) } }
}

pub(super) fn named(named: &Named, shell: &Shell<'_>) -> Markup {
    let id = named.id.to_string();
    html! {
        a href=(link::lesson(&id, shell)) dir="auto" {
            @if named.text.trim().is_empty() { (id) } @else { (named.text) }
        }
    }
}

pub(super) fn run_link(id: &str, shell: &Shell<'_>) -> Markup {
    html! { a.mono href=(link::run(id, shell)) { (id) } }
}

/// A text of others: a link only if it is an address of the web.
pub(super) fn maybe_link(text: &str) -> Markup {
    match link::outside(text) {
        Some(url) => html! { a href=(url) rel="noreferrer noopener" { (text) } },
        None => html! { (text) },
    }
}

/// A place in the code: `src/api.rs:41`.
pub(super) fn place(path: Option<&str>, line: Option<u32>) -> Markup {
    html! {
        @if let Some(path) = path {
            @if link::outside(path).is_some() { (maybe_link(path)) }
            @else { code { (path) @if let Some(line) = line { ":" (line) } } }
        }
    }
}

/// What to type. Focusable, since a long one scrolls.
pub(super) fn command(text: &str) -> Markup {
    html! { pre.command tabindex="0" aria-label="Command to type" { code { (text) } } }
}

/// Nothing is here; what to do next.
pub(super) fn empty(what: &str, next: &str, to_type: &str) -> Markup {
    html! {
        div.empty {
            p.lead { (what) }
            p { (next) }
            @if !to_type.is_empty() { (command(to_type)) }
        }
    }
}

/// Before and after; `at` makes the link of a cursor.
pub(super) fn paging(paging: &Paging<'_>, shell: &Shell<'_>, at: &dyn Fn(&str) -> Link) -> Markup {
    let href = |cursor: &str| at(cursor).to(shell);
    html! {
        @if paging.previous.is_some() || paging.next.is_some() || !paging.after.is_empty() {
            nav.paging aria-label="Pages of this list" {
                @if !paging.after.is_empty() {
                    a #page-first href=(href("")) { "« First" }
                }
                @if let Some(cursor) = paging.previous {
                    a #page-previous href=(href(cursor)) rel="prev" { "‹ Previous" }
                }
                @if let Some(cursor) = paging.next {
                    a #page-next href=(href(cursor)) rel="next" { "Next ›" }
                }
            }
        }
    }
}

/// `1 lesson`, `12,345 lessons`.
pub(super) fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `12,345`.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A part of a page under its heading, with how many there are of what is in it.
pub(super) fn section(
    class: &str,
    id: &str,
    title: &str,
    n: Option<u64>,
    inside: Markup,
) -> Markup {
    html! {
        section class=[(!class.is_empty()).then_some(class)] aria-labelledby=(id) {
            h2 id=(id) { (title) @if let Some(n) = n { " " span.count { (n) } } }
            (inside)
        }
    }
}

/// The filter of a list: words, and fields of its own.
pub(super) fn filter(
    shell: &Shell<'_>,
    page: &str,
    text: &str,
    hint: &str,
    fields: Markup,
) -> Markup {
    let action = format!("/{page}");
    html! {
        form.filter role="search" action=(action) method="get" hx-get=(action)
            hx-trigger="input delay:250ms, submit" hx-target="#list" hx-select="#list"
            hx-swap="outerHTML" hx-push-url="true" {
            @if !shell.is_default_project {
                input type="hidden" name="project" value=(shell.project);
            }
            p.field.wide {
                label for="text" { "Search" }
                input #text type="search" name="text" value=(text) data-search
                    autocomplete="off" placeholder=(hint);
            }
            (fields)
            p.field.go {
                button #filter type="submit" { "Filter" }
                " " a #filter-none href=(Link::page(page).to(shell)) { "Clear" }
            }
        }
    }
}

/// A word in a filter.
pub(super) fn field(name: &str, label: &str, value: &str, size: u32) -> Markup {
    html! {
        p.field {
            label for=(name) { (label) }
            input id=(name) name=(name) value=(value) autocomplete="off" size=(size);
        }
    }
}

/// A choice of a filter.
pub(super) fn choice<'a>(
    name: &str,
    label: &str,
    all: impl Iterator<Item = &'a str>,
    chosen: &str,
) -> Markup {
    html! {
        p.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                option value="" selected[chosen.is_empty()] { "any" }
                @for word in all {
                    option value=(word) selected[word == chosen] { (words(word)) }
                }
            }
        }
    }
}

/// A region that fetches itself again when memory changed, with the number of what waits.
pub(super) fn live(id: &str, here: &str, class: &str, inside: Markup) -> Markup {
    let own = format!("#{id}");
    html! {
        div id=(id) class=[(!class.is_empty()).then_some(class)] hx-get=(here) hx-select=(own)
            hx-target=(own) hx-swap="outerHTML" hx-select-oob="#n-waiting" hx-push-url="false"
            hx-trigger="memory-changed from:body delay:300ms" { (inside) }
    }
}

/// The numbers behind a plot; `name` is the plot's own.
pub(super) fn numbers(name: &str, caption: &str, heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        details.numbers id={ (name) "-numbers" } {
            summary { "The numbers" }
            div.scroll tabindex="0" role="region" aria-label=(caption) {
                table {
                    caption.unseen { (caption) }
                    thead { tr { @for head in heads { th scope="col" { (head) } } } }
                    tbody {
                        @for row in rows { tr { @for cell in row { td { (cell) } } } }
                    }
                }
            }
        }
    }
}
