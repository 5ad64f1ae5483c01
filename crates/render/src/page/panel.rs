//! The panel of lessons learned: how it went, what worked, what failed, what was decided, and
//! the lessons that came of it. And the exact blocks that were shown.

use maud::{Markup, html};

use super::parts;
use super::{Shell, link};
use crate::answer::{BlockShown, LessonsLearned, Named};

/// What a run or a session taught.
pub(super) fn learned(panel: &LessonsLearned, shell: &Shell<'_>, to_type: &str) -> Markup {
    html! {
        section.panel #learned aria-labelledby="learned-title" {
            h2 #learned-title { "Lessons learned" }
            @if panel.is_empty() {
                (parts::empty("Nobody has looked back on it yet.", "Look back now:", to_type))
            } @else {
                @if !panel.summary.is_empty() { p.lead dir="auto" { (panel.summary) } }
                @if let Some(by) = &panel.by { p.hint { "In the words of " (by) "." } }
                div.columns {
                    (sentences("What worked", "✓", &panel.worked))
                    (sentences("What failed", "×", &panel.failed))
                    (sentences("Decisions", "→", &panel.decisions))
                }
                div.columns {
                    (lessons("Lessons created", &panel.created, shell))
                    (lessons("Lessons updated", &panel.updated, shell))
                }
            }
        }
    }
}

fn sentences(title: &str, mark: &str, all: &[String]) -> Markup {
    html! {
        @if !all.is_empty() {
            div {
                h3 { span.mark aria-hidden="true" { (mark) } " " (title) }
                ul { @for sentence in all { li dir="auto" { (sentence) } } }
            }
        }
    }
}

fn lessons(title: &str, all: &[Named], shell: &Shell<'_>) -> Markup {
    html! {
        div {
            h3 { (title) " " span.count { (all.len()) } }
            @if all.is_empty() { p.hint { "None." } }
            @else { ul { @for named in all { li { (parts::named(named, shell)) } } } }
        }
    }
}

/// What each role was shown, to the letter.
pub(super) fn blocks(blocks: &[BlockShown], shell: &Shell<'_>) -> Markup {
    let inside = html! {
        @if blocks.is_empty() {
            (parts::empty(
                "No block was recorded.",
                "A run is shown lessons when whoever starts it asks for them by its id:",
                "hardwon inject --run RUN --task \"what it is about to do\"",
            ))
        }
        @for (index, one) in blocks.iter().enumerate() { (block(index, one, shell)) }
    };
    parts::section("", "blocks-title", "What was shown", None, inside)
}

fn block(index: usize, one: &BlockShown, shell: &Shell<'_>) -> Markup {
    let role = one.shown.role.as_deref().unwrap_or("no role");
    let (run, n_shown) = (one.run.to_string(), one.shown.lessons.len() as u64);
    html! {
        details.block id={ "block-" (index) } open[index == 0] {
            summary {
                strong { (role) } ", " (parts::counted(n_shown, "lesson")) ", about "
                (parts::counted(u64::from(one.shown.n_tokens), "token")) ", "
                (parts::time(one.shown.at.0, shell.now))
            }
            p.hint {
                "To " (parts::run_link(&run, shell)) ". Digest " code { (one.shown.digest) }
            }
            @match &one.block {
                Some(text) => {
                    pre.block tabindex="0" aria-label=(format!("Block for {role}")) { (text) }
                }
                None => p { "Its words were erased." },
            }
            (ids("Lessons in it: ", &one.shown.lessons.iter().map(ToString::to_string).collect::<Vec<_>>(), shell))
            (ids("Held out by chance: ", &one.shown.held_out.iter().map(ToString::to_string).collect::<Vec<_>>(), shell))
        }
    }
}

fn ids(label: &str, ids: &[String], shell: &Shell<'_>) -> Markup {
    html! {
        @if !ids.is_empty() {
            p.hint {
                (label)
                @for (index, id) in ids.iter().enumerate() {
                    @if index > 0 { ", " }
                    a.mono href=(link::lesson(id, shell)) { (id) }
                }
            }
        }
    }
}
