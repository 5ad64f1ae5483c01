//! One run: its tree, how it ended, what was found, what was shown, what it taught. And the same
//! over all runs of a session.

use maud::{Markup, html};

use super::link::{self, Link};
use super::parts;
use super::shell::Page;
use super::{RunPage, Shell, lesson, panel, tree};
use crate::answer::{Done, Effect, Evidence, Related, Run, SessionShown};

const MAX_STEPS: usize = 200;

pub fn run(shell: &Shell<'_>, page: &RunPage<'_>) -> String {
    let run = &page.story.run;
    let id = run.id.to_string();
    let here = link::run(&id, shell);
    let live = html! {
        (panel::learned(page.panel, shell, &format!("hardwon reflect {id}")))
        (parts::section("", "tree-title", "Tree", None, html! {
            @if page.tree.is_empty() { p.hint { "No run above or below it is known." } }
            (tree::tree(page.tree, &id, shell))
        }))
        (findings(&page.story.findings, shell))
        (panel::blocks(page.blocks, shell))
        (effects(&page.story.effects, shell))
    };
    let body = html! {
        (facts(run, shell))
        (parts::live("live", &here, "", live))
        (steps(&page.story.steps))
        (related(&page.story.related, shell))
    };
    let title = run.task.clone().unwrap_or_else(|| format!("Run {id}"));
    Page { title: &title, place: "runs", here, body }.document(shell)
}

pub fn session(shell: &Shell<'_>, page: &SessionShown) -> String {
    let here = link::session(&page.session, shell);
    let to_type = format!("hardwon reflect --session {}", page.session);
    let live = html! {
        (panel::learned(&page.panel, shell, &to_type))
        (parts::section("", "tree-title", "Runs of this session", None, html! {
            @if page.tree.is_empty() {
                (parts::empty("No run of this session is known.", "All runs:", "hardwon list runs"))
            }
            (tree::tree(&page.tree, "", shell))
        }))
        (panel::blocks(&page.blocks, shell))
    };
    let body = html! {
        (parts::live("live", &here, "", live))
    };
    let title = format!("Session {}", page.session);
    Page { title: &title, place: "runs", here, body }.document(shell)
}

/// Who, when, how it ended.
fn facts(run: &Run, shell: &Shell<'_>) -> Markup {
    html! {
        @if let Some(summary) = &run.summary { p.lead dir="auto" { (summary) } }
        dl.facts {
            div { dt { "Outcome" } dd { (parts::outcome(run.outcome.map(|word| word.0))) } }
            div { dt { "Id" } dd.mono { (run.id) } }
            div { dt { "Kind" } dd { (parts::words(run.kind)) } }
            @if let Some(role) = &run.role { div { dt { "Role" } dd { (role) } } }
            @if let Some(agent) = &run.agent { div { dt { "Agent" } dd { (agent) } } }
            @if let Some(session) = &run.session {
                div { dt { "Session" } dd { a href=(link::session(session, shell)) { (session) } } }
            }
            @if let Some(at) = run.started { div { dt { "Started" } dd { (parts::time(at.0, shell.now)) } } }
            @if let Some(at) = run.finished { div { dt { "Ended" } dd { (parts::time(at.0, shell.now)) } } }
            @if let Some(parent) = &run.parent {
                div { dt { "Part of" } dd { (parts::run_link(&parent.to_string(), shell)) } }
            }
            (ended(run))
            (usage(run))
            @if let Some(commit) = &run.commit { div { dt { "Commit" } dd.mono { (commit) } } }
            @for log in &run.logs { div { dt { "Log" } dd { (parts::maybe_link(log)) } } }
        }
    }
}

fn ended(run: &Run) -> Markup {
    html! {
        @if let Some(ended) = &run.ended {
            @if let Some(by) = &ended.cut_by { div { dt { "Cut short by" } dd { (parts::words(by)) } } }
            @if let Some(check) = &ended.check {
                div {
                    dt { "Last check" }
                    dd { (parts::words(check)) @if let Some(command) = &ended.checked { ": " code { (command) } } }
                }
            }
            @if !ended.red_tests.is_empty() {
                div { dt { "Red tests" } dd { (ended.red_tests.join(", ")) } }
            }
        }
        @if let Some(class) = &run.error_class { div { dt { "Error" } dd { (class) } } }
    }
}

fn usage(run: &Run) -> Markup {
    let usage = &run.usage;
    let tokens = usage.tokens_in.into_iter().chain(usage.tokens_out).reduce(|a, b| a + b);
    html! {
        @if let Some(n) = tokens { div { dt { "Tokens" } dd { (parts::grouped(n)) } } }
        @if let Some(cost) = usage.cost_usd { div { dt { "Cost" } dd { (format!("{cost:.2} USD")) } } }
        @if let Some(seconds) = usage.duration_s { div { dt { "Took" } dd { (format!("{seconds:.0} s")) } } }
    }
}

fn findings(all: &[Evidence], shell: &Shell<'_>) -> Markup {
    let inside = html! {
        @if all.is_empty() { p.hint { "Nothing was found in this run." } }
        (lesson::findings(all, false, shell))
    };
    parts::section("", "findings-title", "Findings", Some(all.len() as u64), inside)
}

fn effects(all: &[Effect], shell: &Shell<'_>) -> Markup {
    html! {
        @if !all.is_empty() {
            (parts::section("", "effects-title", "What showing lessons did", None, html! {
                ul.plain {
                    @for one in all {
                        li {
                            strong { (parts::words(one.conclusion.kind)) } ": "
                            (parts::named(&one.lesson, shell)) " "
                            span.hint { (one.conclusion.why) }
                        }
                    }
                }
            }))
        }
    }
}

fn steps(all: &[Done]) -> Markup {
    html! {
        @if !all.is_empty() {
            (parts::section("", "steps-title", "What was done", None, html! {
                details {
                    summary { (parts::counted(all.len() as u64, "step")) }
                    div.scroll tabindex="0" role="region" aria-label="Steps" {
                        table {
                            thead { tr {
                                th scope="col" { "Tool" } th scope="col" { "Action" }
                                th scope="col" { "Result" } th scope="col" { "Times" }
                            } }
                            tbody {
                                @for step in all.iter().take(MAX_STEPS) {
                                    tr {
                                        td { (step.tool) }
                                        td.mono { (step.action) }
                                        td {
                                            (parts::words(step.result))
                                            @if let Some(error) = &step.error { ": " (error) }
                                        }
                                        td.number { (step.n) }
                                    }
                                }
                            }
                        }
                    }
                    @if all.len() > MAX_STEPS {
                        p.hint { "And " (all.len() - MAX_STEPS) " more." }
                    }
                }
            }))
        }
    }
}

fn related(all: &[Related], shell: &Shell<'_>) -> Markup {
    html! {
        @if !all.is_empty() {
            (parts::section("", "related-title", "Related runs", None, html! {
                ul.plain {
                    @for one in all {
                        li {
                            a href=(Link::of("runs", &one.run.id.to_string()).to(shell)) { (tree::called(&one.run)) }
                            " " span.hint { (one.reasons.join(", ")) }
                        }
                    }
                }
            }))
        }
    }
}
