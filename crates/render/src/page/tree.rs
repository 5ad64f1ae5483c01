//! A tree of runs. Each node shows what it works with, and how many lessons concern that.

use maud::{Markup, html};

use super::Shell;
use super::link::{self, Link};
use super::parts;
use crate::answer::{Concern, Run, TreeNode};

/// Deeper than this, indentation would leave no room for words.
const MAX_DEPTH: u64 = 6;

/// The runs of a tree, each behind the one that contains it.
pub(super) fn tree(nodes: &[TreeNode], here: &str, shell: &Shell<'_>) -> Markup {
    html! {
        ol.tree {
            @for node in nodes { (one(node, here, shell)) }
        }
    }
}

fn one(node: &TreeNode, here: &str, shell: &Shell<'_>) -> Markup {
    let run = &node.line.run;
    let id = run.id.to_string();
    let depth = node.line.depth.min(MAX_DEPTH);
    html! {
        li class={ "node depth-" (depth) } aria-current=[(id == here).then_some("true")] {
            @if node.line.depth > 0 { span.unseen { "Level " (node.line.depth + 1) ": " } }
            div.node-head {
                a href=(link::run(&id, shell)) data-row { (called(run)) }
                " " (parts::outcome(run.outcome.map(|word| word.0)))
                @if id == here { " " span.hint { "this run" } }
            }
            p.hint {
                (parts::words(run.kind))
                @if let Some(role) = &run.role { ", " (role) }
                ", " (parts::counted(node.line.n_findings, "finding"))
                ", " (parts::counted(node.line.n_shown, "lesson")) " shown"
            }
            @if !node.concerns.is_empty() {
                ul.concerns aria-label="Lessons about what it works with" {
                    @for concern in &node.concerns { li { (about(concern, shell)) } }
                }
            }
        }
    }
}

/// Its task if it has one, otherwise its id.
pub(super) fn called(run: &Run) -> Markup {
    let id = run.id.to_string();
    html! {
        @match &run.task {
            Some(task) if *task != id => { span dir="auto" { (task) } " " span.mono.quiet { (id) } },
            _ => span.mono { (id) },
        }
    }
}

/// `tool bash: 3 lessons`.
fn about(concern: &Concern, shell: &Shell<'_>) -> Markup {
    let Concern { dimension, value, n_lessons } = concern;
    let words = html! { (parts::words(dimension)) " " strong { (value) } };
    html! {
        @if *n_lessons == 0 { span.chip { (words) } }
        @else {
            a.chip href=(Link::page("lessons").with("scope", &format!("{dimension}={value}")).to(shell)) {
                (words) " " span.count { (parts::counted(*n_lessons, "lesson")) }
            }
        }
    }
}
