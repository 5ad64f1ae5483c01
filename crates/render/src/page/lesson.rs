//! One lesson: what it says and where it holds, what can be done to it, how it came about, what
//! stands behind it, where it was shown and what came of it.

use maud::{Markup, html};

use super::forms::Subject;
use super::link::{self, Link};
use super::parts;
use super::plot::{self, Opportunity};
use super::shell::Page;
use super::{LessonPage, Shell};
use crate::answer::{Evidence, Lesson, LessonStory, Review, RunEffect, Showing};

const MAX_SHOWINGS: usize = 50;

pub fn lesson(shell: &Shell<'_>, page: &LessonPage<'_>) -> String {
    let story = page.story;
    let lesson = &story.page.lesson;
    let id = lesson.id.to_string();
    let here = link::lesson(&id, shell);
    let subject = Subject { shell, lesson, if_match: page.if_match, back: &here, near: page.near };
    let about = html! {
        div {
            (guidance(lesson))
            (why(story, shell))
            (evidence(&story.page.evidence, shell))
        }
        div {
            (scope(lesson, shell))
            (effect(story, shell))
            (shown(&story.page.injections, shell))
            (reviews(&story.page.reviews, shell))
            (near(page, shell))
            (history(story, shell))
        }
    };
    let body = html! {
        p.facts {
            (parts::state(lesson.state.0)) " " (parts::pinned(lesson)) " "
            span { (parts::words(lesson.kind)) }
            span { (lesson.record) }
            span.mono { (id) }
        }
        @if let Some(excluded) = &story.page.excluded { p { "Not shown to anybody: " (excluded) } }
        @if let Some(other) = &lesson.superseded_by {
            p { "Superseded by " a.mono href=(link::lesson(&other.to_string(), shell)) { (other) } "." }
        }
        (actions(&subject, page, &id))
        (parts::live("live", &here, "grid", about))
    };
    let title = if lesson.text.trim().is_empty() { &id } else { &lesson.text };
    Page { title, place: "lessons", here: here.clone(), body }.document(shell)
}

/// Everything that can be done to it; each with an undo.
fn actions(subject: &Subject<'_>, page: &LessonPage<'_>, id: &str) -> Markup {
    let commands = [
        format!("hardwon edit {id} --text \"…\""),
        format!("hardwon edit --pin {id}"),
        format!("hardwon forget {id}"),
        format!("hardwon review merges {id} OTHER"),
        format!("hardwon review keep {id} --because \"…\""),
    ];
    html! {
        div.actions #actions {
            (subject.reader(&commands))
            div.buttons { (subject.buttons()) }
            (subject.edit())
            (subject.merge())
            @if !page.choices.is_empty() && subject.shell.speaker == super::Says::Person {
                details #decide-open {
                    summary #decide-summary { "Decide" }
                    (subject.decide(page.choices))
                }
            }
        }
    }
}

fn guidance(lesson: &Lesson) -> Markup {
    let all = [
        ("Rule", &lesson.rule),
        ("Detail", &lesson.detail),
        ("Applies when", &lesson.applies_when),
        ("Repair", &lesson.repair),
    ];
    html! {
        @if all.iter().any(|(_, text)| text.is_some()) {
            dl.facts.long {
                @for (name, text) in all {
                    @if let Some(text) = text { div { dt { (name) } dd dir="auto" { (text) } } }
                }
            }
        }
    }
}

/// How it came about.
fn why(story: &LessonStory, shell: &Shell<'_>) -> Markup {
    let inside = html! {
        @if story.story.is_empty() { p.hint { "Nothing is recorded of how it came about." } }
        ol.story {
            @for step in &story.story {
                li {
                    (parts::time(step.at.0, shell.now)) " "
                    @if let Some(run) = &step.run { (parts::run_link(&run.to_string(), shell)) " " }
                    span dir="auto" { (step.text) }
                }
            }
        }
    };
    parts::section("", "why-title", "Why", None, inside)
}

fn evidence(all: &[Evidence], shell: &Shell<'_>) -> Markup {
    let inside = html! {
        @if all.is_empty() { p.hint { "It was stated, not found: no run has reported it." } }
        (findings(all, true, shell))
    };
    parts::section("", "evidence-title", "Evidence", Some(all.len() as u64), inside)
}

/// Findings with their places: of a lesson each with its run, of a run each with its lesson.
pub(super) fn findings(all: &[Evidence], of_lesson: bool, shell: &Shell<'_>) -> Markup {
    html! {
        ol.rows {
            @for one in all {
                li.row {
                    p.row-text dir="auto" {
                        @match &one.lesson {
                            Some(id) if !of_lesson => {
                                a href=(link::lesson(&id.to_string(), shell)) data-row { (one.text) }
                            },
                            _ => (one.text),
                        }
                    }
                    @if let Some(repair) = &one.repair { p.summary dir="auto" { "Repair: " (parts::maybe_link(repair)) } }
                    p.facts {
                        (parts::finding_state(one.state.0)) " " (parts::severity(one.severity.0))
                        @if one.path.is_some() { span { (parts::place(one.path.as_deref(), one.line)) } }
                        span { "by " (one.author) }
                        @if of_lesson { span { "in " (parts::run_link(&one.run.to_string(), shell)) } }
                        @if let Some(grade) = &one.grade { span { (grade) } }
                        @if of_lesson { span { (format!("{:.0} % alike", one.likeness.0 * 100.0)) } }
                    }
                }
            }
        }
    }
}

fn scope(lesson: &Lesson, shell: &Shell<'_>) -> Markup {
    let inside = html! {
        dl.facts {
            div { dt { "Project" } dd { (lesson.scope.project.as_deref().unwrap_or("every project")) } }
            @for (dimension, value) in &lesson.scope.pairs {
                div {
                    dt { (parts::words(dimension)) }
                    dd {
                        a href=(Link::page("lessons").with("scope", &format!("{dimension}={value}")).to(shell)) {
                            (value)
                        }
                    }
                }
            }
            @if !lesson.paths.is_empty() {
                div { dt { "Files" } dd { @for path in &lesson.paths { code { (path) } " " } } }
            }
            @if !lesson.tags.is_empty() {
                div {
                    dt { "Tags" }
                    dd {
                        @for tag in &lesson.tags {
                            a.chip href=(Link::page("lessons").with("tag", tag).to(shell)) { (tag) } " "
                        }
                    }
                }
            }
            (numbers(lesson))
            div { dt { "By" } dd { (lesson.author) ", " (lesson.origin) ", " (lesson.trust) } }
            div { dt { "Created" } dd { (parts::time(lesson.created_at.0, shell.now)) } }
            div { dt { "Changed" } dd { (parts::time(lesson.updated_at.0, shell.now)) } }
        }
    };
    parts::section("", "scope-title", "Where it holds", None, inside)
}

fn numbers(lesson: &Lesson) -> Markup {
    html! {
        div { dt { "Confidence" } dd { (format!("{:.0} %", lesson.confidence.0 * 100.0)) } }
        div { dt { "Importance" } dd { (format!("{:.0} %", lesson.importance.0 * 100.0)) } }
        div {
            dt { "Sightings" }
            dd { (lesson.n_sightings) @if lesson.standing != lesson.n_sightings { ", standing " (lesson.standing) } }
        }
    }
}

/// What showing it did.
fn effect(story: &LessonStory, shell: &Shell<'_>) -> Markup {
    let at = |effect: &RunEffect| {
        let brief = story.runs.iter().find(|brief| brief.id == effect.run)?;
        brief.finished.or(brief.started).map(|time| time.0)
    };
    let effects = story.page.effects.iter();
    let mut all: Vec<Opportunity<'_>> = effects.map(|effect| (at(effect), effect)).collect();
    all.sort_by_key(|(at, _)| *at);
    let inside = html! {
        @if all.is_empty() {
            p.hint { "It was not put to the test yet: no run that was shown it has ended." }
        } @else { (plot::effects(&all, shell.now)) }
    };
    parts::section("", "effect-heading", "Effect", None, inside)
}

fn shown(all: &[Showing], shell: &Shell<'_>) -> Markup {
    let inside = html! {
        @if all.is_empty() { p.hint { "In no block so far." } }
        ul.plain {
            @for one in all.iter().rev().take(MAX_SHOWINGS) {
                li {
                    (parts::time(one.at.0, shell.now)) " to " (parts::run_link(&one.run.to_string(), shell))
                    @if let Some(role) = &one.role { ", " (role) }
                    @if let Some(position) = one.position { ", place " (position) }
                }
            }
        }
        @if all.len() > MAX_SHOWINGS { p.hint { "And " (all.len() - MAX_SHOWINGS) " earlier." } }
    };
    parts::section("", "shown-title", "Where it was shown", Some(all.len() as u64), inside)
}

pub(super) fn reviews(all: &[Review], shell: &Shell<'_>) -> Markup {
    html! {
        @if !all.is_empty() {
            (parts::section("", "reviews-title", "Decisions", None, html! {
                ul.plain {
                    @for one in all {
                        li {
                            (parts::time(one.at.0, shell.now)) " " strong { (one.decision) } " by " (one.by)
                            " as " (one.authority) ": " span dir="auto" { (one.because) }
                        }
                    }
                }
            }))
        }
    }
}

/// Lessons that may say the same, and those that worked with it.
fn near(page: &LessonPage<'_>, shell: &Shell<'_>) -> Markup {
    let informed = &page.story.page.informed_by;
    html! {
        @if !page.near.is_empty() {
            (parts::section("", "near-title", "May say the same", None, html! {
                ul { @for named in page.near { li { (parts::named(named, shell)) } } }
            }))
        }
        @if !informed.is_empty() {
            (parts::section("", "informed-title", "Worked together with", None, html! {
                ul {
                    @for one in informed {
                        li {
                            a href=(link::lesson(&one.lesson.to_string(), shell)) dir="auto" { (one.text) }
                            " " span.hint { (one.roles.join(", ")) ", " (parts::counted(one.n_runs, "run")) }
                        }
                    }
                }
            }))
        }
    }
}

fn history(story: &LessonStory, shell: &Shell<'_>) -> Markup {
    html! {
        @if !story.page.history.is_empty() {
            (parts::section("", "history-title", "History", None, html! {
                details #history-all {
                    summary { (parts::counted(story.page.history.len() as u64, "change")) }
                    ul.plain {
                        @for entry in story.page.history.iter().rev() {
                            li {
                                (parts::time(entry.at.0, shell.now)) " " code { (entry.command) } " by "
                                (entry.actor) ": " span dir="auto" { (entry.line) }
                            }
                        }
                    }
                }
            }))
        }
    }
}
