//! What `show` and `why` print about one lesson.

use hardwon_core::change::Change;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::lesson::{Lesson, State};

use super::check_text;
use crate::answer::{LessonFacts, LessonStory};
use crate::samples::{self, SQL, at, entry, facts, run_id, story};
use crate::text::{show, why};

#[test]
fn showing() {
    check_text(
        &show(&story().page, at(16), 80),
        "
        l-sql0001: provisional pattern, security, pinned
          Query built by string concatenation in the user search

        seen in       3 runs, standing 3, last in r4
        effects       shown twice, came back once, no help 1
        lift          not known yet (needs hold-out runs)
        confidence    0.65
        importance    0.60 (warning)
        scope         project demo, domain code
        tags          auth
        paths         src/api.rs
        reported by   guardian
        author        guardian (origin reviewer, trust pipeline)
        created       2026-04-01 (15 days ago)
        updated       2026-04-04 (12 days ago)

        evidence
          r1 by guardian: warning, cited, open, src/api.rs:41, likeness 1.00
            Query built by string concatenation in the user search
          r2 by guardian: warning, cited, open, src/api.rs:52, likeness 0.81
            SQL of the user search is glued together from strings
          r4 by guardian: warning, cited, open, src/api.rs:40, likeness 1.00
            Query built by string concatenation in the user search

        shown
          2026-04-03 in r3 to reviewer, line 2 of its block
          2026-04-04 in r4 to reviewer, line 2 of its block

        history
          operation 1, 2026-04-01T14:10:00Z: learn by ada
            l-sql0001 new candidate pattern: first reported in r1
            finding of guardian in r1 added
          operation 2, 2026-04-02T14:10:00Z: learn by ada
            finding of guardian in r2 added
            l-sql0001 state candidate → provisional; sightings 1 → 2; standing 1 → 2:
            seen in 2 root runs
          operation 5, 2026-04-05T14:10:00Z: pin by ada
            l-sql0001 pinned no → yes: asked for
        ",
    );
}

#[test]
fn telling_why() {
    check_text(
        &why(&story(), 80),
        r#"
        l-sql0001: Query built by string concatenation in the user search
        provisional pattern; seen in 3 runs, shown twice, came back once, guardian
        lift: not known yet (needs hold-out runs)

        2026-04-01 r1: guardian reported it (warning, src/api.rs:41) → candidate
        2026-04-02 r2: guardian reported it (warning, src/api.rs:52) as "SQL of the
            user search is glued together from strings", likeness 0.81
        2026-04-02 r2: candidate → provisional: seen in 2 root runs
        2026-04-03 r3: shown to reviewer, line 2 of its block
        2026-04-03 r3: helped: guardian looked and did not report it again
        2026-04-04 r4: shown to reviewer, line 2 of its block
        2026-04-04 r4: guardian reported it (warning, src/api.rs:40)
        2026-04-04 r4: no_help: shown, and reported again by guardian
        2026-04-05 pinned (pin by ada: asked for)

        now: provisional, so it may be shown where its scope fits
        "#,
    );
}

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
        excluded: Some("state is archived".into()),
        lift: None,
    };
    check_text(
        &why(&LessonStory::from(&facts), 80),
        r#"
        l-pref001: Use single bundled pull requests
        archived preference; preference of the user
        lift: not known yet (needs hold-out runs)

        2026-04-01 stated by ada → candidate
        2026-04-02 reworded from "Bundle all pull requests" (edit by ada: clearer)
        2026-04-03 candidate → archived (forget by ada)

        now: archived, so it is not shown
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
    assert_eq!(
        of(FindingState::Dismissed, true, None),
        "guardian reported it, then it was dismissed"
    );
}
