//! One lesson that waits: why it is here, what each decision would change, who else must agree.

use maud::{Markup, html};

use super::forms::Subject;
use super::link::{self, Link};
use super::parts;
use super::shell::Page;
use super::{ReviewItem, ReviewPage, Says, Shell, lesson};
use crate::answer::{Queued, Review};

/// Most findings that are listed here; the lesson's own page has all.
const MAX_EVIDENCE: usize = 5;

pub fn review(shell: &Shell<'_>, page: &ReviewPage<'_>) -> String {
    let here = at(page.skipped).to(shell);
    let body = html! {
        div #review data-review {
            @match &page.item {
                Some(item) => (waiting(shell, page, item, &here)),
                None => (nothing(shell, page)),
            }
            (settings(page))
        }
    };
    Page { title: "Review", place: "review", here: here.clone(), body }.document(shell)
}

fn at(skipped: &[String]) -> Link {
    skipped.iter().fold(Link::page("review"), |link, id| link.with("skip", id))
}

fn waiting(shell: &Shell<'_>, page: &ReviewPage<'_>, item: &ReviewItem<'_>, here: &str) -> Markup {
    let lesson = &item.queued.lesson;
    let id = lesson.id.to_string();
    let subject = Subject { shell, lesson, if_match: item.if_match, back: here, near: item.near };
    let mut skipped = page.skipped.to_vec();
    skipped.push(id.clone());
    html! {
        p.hint {
            (parts::counted(page.n_waiting as u64, "lesson")) " " (if page.n_waiting == 1 { "waits" } else { "wait" })
            @if !page.skipped.is_empty() { ", " (page.skipped.len()) " passed over" }
        }
        article.card.review aria-labelledby="lesson-text" {
            h2 #lesson-text dir="auto" { (lesson.text) }
            p.facts {
                (parts::state(lesson.state.0)) " " (parts::pinned(lesson)) " "
                span { (parts::words(lesson.kind)) }
                span { (lesson.record) }
            }
            (guidance(item.queued))
            h3 { "Why it is here" }
            (reason(page, item.queued, shell))
            @if shell.speaker == Says::Person {
                h3 { "Decide" }
                (subject.decide(item.choices))
            }
            (subject.reader(&commands(item.queued, &id)))
            p.buttons {
                a.button #next href=(at(&skipped).to(shell)) data-key="n" { "Next " kbd aria-hidden="true" { "n" } }
                a #whole href=(link::lesson(&id, shell)) { "Everything about it" }
            }
        }
        @if let Some(story) = item.story {
            (parts::section("", "evidence-title", "Evidence", Some(story.page.evidence.len() as u64), html! {
                @if story.page.evidence.is_empty() { p.hint { "It was stated, not found." } }
                (lesson::findings(&story.page.evidence[..story.page.evidence.len().min(MAX_EVIDENCE)], true, shell))
            }))
        }
        (lesson::reviews(&item.queued.reviews, shell))
    }
}

fn guidance(queued: &Queued) -> Markup {
    html! {
        @for text in queued.lesson.rule.iter().chain(&queued.lesson.detail) { p dir="auto" { (text) } }
        @if let Some(repair) = &queued.lesson.repair { p dir="auto" { "Repair: " (repair) } }
    }
}

/// Why it waits, for whom, and until when.
fn reason(page: &ReviewPage<'_>, queued: &Queued, shell: &Shell<'_>) -> Markup {
    let approved = |review: &Review| format!("{} approved as {}", review.by, review.authority);
    html! {
        p.sentence {
            (queued.waits)
            @if let Some(because) = &queued.because { ": " span dir="auto" { (because) } }
        }
        @for review in &queued.approvals { p { "One of two approvals is given: " (approved(review)) "." } }
        @if page.is_team {
            p {
                "Decided by " (parts::words(&queued.authority)) ": "
                @if queued.people.is_empty() { "nobody is bound to that yet." }
                @else { (queued.people.join(", ")) "." }
            }
        }
        @if let Some(deadline) = queued.deadline {
            p { "If nobody decides, time does: " (parts::time(deadline.0, shell.now)) "." }
        }
    }
}

fn commands(queued: &Queued, id: &str) -> Vec<String> {
    let one = |word: &str| format!("hardwon review {word} {id} --because \"…\"");
    queued.decisions.iter().map(|decision| one(decision.word())).collect()
}

fn nothing(shell: &Shell<'_>, page: &ReviewPage<'_>) -> Markup {
    html! {
        @if page.skipped.is_empty() || page.n_waiting == 0 {
            (parts::empty(
                "Nothing waits for a decision.",
                "You may decide about any lesson on its own page. To put one in doubt:",
                "hardwon review doubt LESSON --because \"…\"",
            ))
        } @else {
            div.empty {
                p.lead { "That was the last one." }
                p {
                    (parts::counted(page.skipped.len() as u64, "lesson")) " passed over: "
                    a #again href=(Link::page("review").to(shell)) { "begin again" } "."
                }
            }
        }
    }
}

/// What agents would set otherwise; decided at a terminal only.
fn settings(page: &ReviewPage<'_>) -> Markup {
    html! {
        @if !page.settings.is_empty() {
            (parts::section("", "settings-title", "Settings that an agent would change", None, html! {
                @for setting in page.settings {
                    p { code { (setting.name) } " to " code { (setting.value) } "; decide at a terminal:" }
                    (parts::command(&format!("hardwon config set {} VALUE", setting.name)))
                }
            }))
        }
    }
}
