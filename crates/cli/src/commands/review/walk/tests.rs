//! A person at a terminal, with prepared answers.

use std::collections::VecDeque;

use hardwon_engine::lesson::{Kind, Lesson, State};
use hardwon_engine::{AddRequest, lessons, lookup};

use super::*;

const TEXT: &str = "Search query is glued together from strings";

#[derive(Default)]
struct Scripted {
    answers: VecDeque<String>,
    seen: String,
}

impl Person for Scripted {
    fn tell(&mut self, text: &str) {
        self.seen += text;
    }

    fn ask(&mut self, question: &str) -> Result<Option<String>, Failure> {
        self.seen += &format!("{question}: \n");
        Ok(self.answers.pop_front())
    }
}

/// A memory with one lesson in doubt.
fn doubted() -> (OpenMemory, Lesson) {
    let mut open = OpenMemory::throwaway("demo", "2026-04-03T14:00:00Z").unwrap();
    let lesson = add(&mut open, TEXT);
    let (id, because) = (lesson.id.to_string(), "seen before".to_owned());
    let decision = Decision::Approve;
    let approve = DecideRequest { lesson: id, decision, because, by: None, with: None };
    lessons::decide(&mut open.memory, &open.call, &approve).unwrap();
    let lesson = lessons::doubt(&mut open.memory, &open.call, lesson.id.as_str(), "it misled us")
        .unwrap()
        .body;
    (open, lesson)
}

fn add(open: &mut OpenMemory, text: &str) -> Lesson {
    let kind = Some(Kind::Pattern);
    let request = AddRequest { text: text.to_owned(), kind, ..AddRequest::default() };
    lessons::add(&mut open.memory, &open.call, &request).unwrap().body
}

/// Goes through the queue with these answers: what was seen.
fn walked(open: &mut OpenMemory, answers: &[&str]) -> String {
    let answers = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let mut person = Scripted { answers, seen: String::new() };
    go_through(open, &mut person, 80).unwrap();
    assert!(person.answers.is_empty(), "not asked for: {:?}\n{}", person.answers, person.seen);
    person.seen
}

fn now(open: &OpenMemory, lesson: &Lesson) -> Lesson {
    lookup::lesson_named(&open.memory, &open.call, lesson.id.as_str()).unwrap()
}

#[test]
fn without_a_reason_nothing_changes() {
    for answers in [&["e", "Bind parameters in the search", "y", ""][..], &["w", ""], &["s", ""]] {
        let (mut open, lesson) = doubted();
        let seen = walked(&mut open, answers);
        assert!(seen.contains("nothing was changed: "), "{seen}");
        assert_eq!(now(&open, &lesson), lesson, "{answers:?}");
    }
}

#[test]
fn a_new_text_is_taken_with_its_reason() {
    let (mut open, lesson) = doubted();
    let new = "Bind parameters in the search";
    let seen = walked(&mut open, &["e", new, "y", "that is the fix"]);
    assert!(seen.contains(&format!("- {TEXT}\n+ {new}\n")), "{seen}");
    let after = now(&open, &lesson);
    assert_eq!((after.text.as_str(), after.state), (new, State::Provisional));
    assert_eq!(after.reviews.last().unwrap().because, "that is the fix");
}

#[test]
fn a_new_text_that_is_not_accepted_is_not_kept() {
    let (mut open, lesson) = doubted();
    // An agent may change only its own words.
    open.set_caller(Some("claude"));
    let seen = walked(&mut open, &["e", "Always bind parameters in the search", "y", "the fix"]);
    assert!(seen.contains("not done: changing another author's lesson"), "{seen}");
    assert_eq!(now(&open, &lesson), lesson);
}

#[test]
fn a_typo_asks_again_and_a_question_mark_prints_the_keys() {
    let (mut open, lesson) = doubted();
    let seen = walked(&mut open, &["?", "x", "", "l"]);
    assert_eq!(seen.matches("[r]eject").count(), 4, "{seen}");
    assert_eq!(seen.matches("\n  w  take it down").count(), 3, "{seen}");
    assert_eq!(now(&open, &lesson), lesson);
    // The end of input is not an answer.
    assert_eq!(walked(&mut open, &[]).matches("[r]eject").count(), 1);
}

#[test]
fn every_decision_can_be_made() {
    use State::{Archived, Provisional, Rejected};
    let cases = [("a", Provisional), ("w", Provisional), ("p", Archived), ("r", Rejected)];
    for (key, state) in cases {
        let (mut open, lesson) = doubted();
        walked(&mut open, &[key, "looked at it"]);
        assert_eq!(now(&open, &lesson).state, state, "{key}");
    }
    let (mut open, lesson) = doubted();
    let other = add(&mut open, "Bind parameters instead of gluing a query");
    walked(&mut open, &["s", other.id.as_str(), "it says what to do"]);
    assert_eq!(now(&open, &lesson).superseded_by, Some(other.id));
}

#[test]
fn the_third_visit_offers_what_it_allows() {
    let (mut open, lesson) = doubted();
    for _ in 2..=3 {
        walked(&mut open, &["a", "a false alarm"]);
        lessons::doubt(&mut open.memory, &open.call, lesson.id.as_str(), "misled again").unwrap();
    }
    let seen = walked(&mut open, &["a", "w", "less sure of it"]);
    assert!(!seen.contains("[a]ccept") && !seen.contains("[e]dit"), "{seen}");
    assert!(seen.contains("[w]eaken  [s]upersede  [p]ut away  [r]eject"), "{seen}");
}

#[test]
fn it_says_why_the_lesson_waits() {
    let (mut open, _) = doubted();
    let seen = walked(&mut open, &["q"]);
    assert!(seen.contains("under_review: review asked for by user: it misled us"), "{seen}");
}
