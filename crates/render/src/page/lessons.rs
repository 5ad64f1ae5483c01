//! The list of lessons: filter, search, rows, paging.

use hardwon_core::lesson::{Kind, State};
use maud::{Markup, html};

use super::link::{self, Link};
use super::parts;
use super::shell::Page;
use super::{LessonFilter, LessonList, LessonRow, Shell};

pub fn lessons(shell: &Shell<'_>, list: &LessonList<'_>) -> String {
    let here = at(&list.filter, list.paging.after).to(shell);
    let rows = html! {
        @if list.rows.is_empty() { (nothing(&list.filter)) } @else {
            @if let Some(n) = list.paging.n_all { p.hint { (parts::counted(n, "lesson")) } }
            ol.rows { @for one in &list.rows { (row(one, shell)) } }
        }
        (parts::paging(&list.paging, shell, &|cursor| at(&list.filter, cursor)))
    };
    let body = html! {
        (filter(&list.filter, shell))
        (parts::live("list", &here, "", rows))
    };
    Page { title: "Lessons", place: "lessons", here, body }.document(shell)
}

fn at(filter: &LessonFilter<'_>, cursor: &str) -> Link {
    Link::page("lessons")
        .with("state", filter.state)
        .with("kind", filter.kind)
        .with("text", filter.text)
        .with("tag", filter.tag)
        .with("scope", filter.scope)
        .with("after", cursor)
}

fn filter(filter: &LessonFilter<'_>, shell: &Shell<'_>) -> Markup {
    let fields = html! {
        (parts::choice("state", "State", State::ALL.iter().map(|state| state.word()), filter.state))
        (parts::choice("kind", "Kind", Kind::ALL.iter().map(|kind| kind.word()), filter.kind))
        (parts::field("tag", "Tag", filter.tag, 12))
        @if !filter.scope.is_empty() {
            (parts::field("scope", "Scope", filter.scope, 14))
        }
    };
    parts::filter(shell, "lessons", filter.text, "words of a lesson", fields)
}

fn row(row: &LessonRow<'_>, shell: &Shell<'_>) -> Markup {
    let lesson = row.lesson;
    let id = lesson.id.to_string();
    html! {
        li.row {
            a.row-text id={ "row-" (link::encoded(&id)) } href=(link::lesson(&id, shell)) data-row
                dir="auto" {
                @if lesson.text.trim().is_empty() { (id) } @else { (lesson.text) }
            }
            p.facts {
                (parts::state(lesson.state.0)) " " (parts::pinned(lesson)) " "
                span { (parts::words(lesson.kind)) }
                span { (parts::counted(u64::from(lesson.n_sightings), "sighting")) }
                @if lesson.effects.n_tried() > 0 {
                    span { "helped " (lesson.effects.n_helped) " of " (lesson.effects.n_tried()) }
                }
                span { "changed " (parts::time(lesson.updated_at.0, shell.now)) }
                @for tag in &lesson.tags {
                    a.chip href=(Link::page("lessons").with("tag", tag).to(shell)) { (tag) }
                }
            }
            @if !row.why.is_empty() { p.hint { "Found by " (row.why.join(", ")) } }
        }
    }
}

fn nothing(filter: &LessonFilter<'_>) -> Markup {
    let parts = [filter.state, filter.kind, filter.text, filter.tag, filter.scope];
    if parts.iter().any(|part| !part.is_empty()) {
        return parts::empty(
            "No lesson fits this filter.",
            "Fewer words or another state may find it. From a terminal, by meaning:",
            "hardwon list \"what it is about\"",
        );
    }
    parts::empty(
        "Memory holds no lesson yet.",
        "Hand in the record of a run, or state one yourself:",
        "hardwon learn RECORD\nhardwon add \"Run the type checker before every commit\"",
    )
}
