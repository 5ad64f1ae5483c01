//! What `why` prints about one lesson.

use hardwon_core::change::Change;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::lesson::{Lesson, State};

use super::check_text;
use crate::answer::{LessonFacts, LessonStory};
use crate::samples::{self, SQL, entry, facts, run_id};
use crate::text::why;

#[test]
fn telling_why_of_a_wish_that_was_reworded_and_forgotten() {
    let first = samples::preference("l-pref001", "Bundle all pull requests");
    let next = samples::preference("l-pref001", "Use single bundled pull requests");
    let gone = Lesson { state: State::Archived, ..next.clone() };
    let edit = |before: &Lesson, after: &Lesson, because: &str| {
        Change::edit_lesson(before, after, because).unwrap()
    };
    let added = Change::AddLesson { lesson: Box::new(first.clone()), because: String::new() };
    let history = vec![
        entry(1, "add", added),
        entry(2, "edit", edit(&first, &next, "clearer")),
        entry(3, "forget", edit(&next, &gone, "")),
    ];
    let facts = LessonFacts {
        project: hardwon_core::ids::ProjectId::new("demo"),
        lesson: gone,
        evidence: Vec::new(),
        runs: Default::default(),
        injections: Vec::new(),
        effects: Vec::new(),
        companions: Vec::new(),
        history,
        excluded: Some("archived: put away".into()),
    };
    check_text(
        &why(&LessonStory::from(&facts), 80),
        r#"
        l-pref001: Use single bundled pull requests
        archived preference; user, 1 Apr

        2026-04-01 stated by ada → candidate
        2026-04-02 reworded from "Bundle all pull requests" (edit by ada: clearer)
        2026-04-03 candidate → archived (forget by ada)

        now not shown: archived: put away
        "#,
    );
}

#[test]
fn findings_are_told_by_what_became_of_them() {
    let of = |state: FindingState, is_sighting: bool, fixed_in: Option<&str>| {
        let fixed_in = fixed_in.map(run_id);
        let one = samples::finding("r2", SQL, 7, 1.0);
        let one = Finding { state, is_sighting, fixed_in, ..one };
        let facts = LessonFacts { evidence: vec![one], ..facts() };
        let all = why(&LessonStory::from(&facts), 200);
        let line = all.lines().find(|line| line.contains("api.rs:7")).unwrap();
        line.split(" (").next().unwrap().trim_start_matches("2026-04-02 r2: ").to_owned()
    };
    assert_eq!(of(FindingState::Open, true, None), "guardian reported it");
    assert_eq!(of(FindingState::Fixed, false, None), "guardian reported it as fixed");
    assert_eq!(of(FindingState::Fixed, true, None), "guardian reported it, then it was fixed");
    assert_eq!(
        of(FindingState::Regressed, true, Some("r1")),
        "guardian reported it after it had been fixed in r1"
    );
    let dismissed = of(FindingState::Dismissed, true, None);
    assert_eq!(dismissed, "guardian reported it, then it was dismissed");
}
