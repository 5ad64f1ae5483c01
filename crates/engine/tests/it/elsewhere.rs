//! What agents said about a place in a review is shown to those who work there, and to nobody
//! else until it was said in many runs.

use hardwon_core::eligible::Exclusion;
use hardwon_core::finding::Grade;
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::matching::Corpus;
use hardwon_core::need::Need;
use hardwon_core::rank::rank;
use hardwon_core::scope::{Dimension, OWN_PERSON, Scope};
use hardwon_engine::policy;

use crate::harness::{Pipeline, now};

/// What a reviewing agent said twice about one file.
fn said() -> Lesson {
    let mut p = Pipeline::on_memory();
    p.learn_finding("r1", "Refund amount is rounded twice");
    Lesson {
        origin: Origin::Agent,
        trust: Trust::Claimed,
        grade: Some(Grade::Cited),
        state: State::Provisional,
        paths: vec!["src/billing/refund.rs".into()],
        n_sightings: 2,
        ..p.only_lesson()
    }
}

fn barred(lesson: &Lesson, need: &Need) -> Option<Exclusion> {
    let policy = policy::load("hardwon").unwrap().ranking;
    let lessons = std::slice::from_ref(lesson);
    rank(lessons, need, &Corpus::default(), now(), &policy).remove(0).barred
}

fn touching(path: &str) -> Need {
    Need { paths: vec![path.to_owned()], ..Need::default() }
}

fn about(text: &str) -> Need {
    Need { text: Some(text.to_owned()), ..Need::default() }
}

#[test]
fn a_claim_about_a_place_is_for_those_who_work_there() {
    let lesson = said();
    assert_eq!(barred(&lesson, &Need::default()), Some(Exclusion::Elsewhere));
    assert_eq!(barred(&lesson, &touching("src/billing/refund.rs")), None);
    assert!(barred(&lesson, &touching("src/billing/invoice.rs")).is_some());
    let bare = Lesson { paths: vec!["refund.rs".into()], ..said() };
    let by_name = barred(&bare, &touching("src/billing/refund.rs"));
    assert_ne!(by_name, Some(Exclusion::Elsewhere), "its bare name is known");
    assert_eq!(barred(&lesson, &about("why is the refund rounded twice?")), None);
    let reviewer = lesson.detectors.first().cloned();
    assert_eq!(barred(&lesson, &Need { role: reviewer, ..Need::default() }), None);
    let reason = Exclusion::Elsewhere.to_string();
    assert_eq!(reason, "what reviewing agents said about one place, and this is not there");
    assert!(!Exclusion::Elsewhere.is_elided(), "it would not have deserved its place");
}

#[test]
fn what_holds_for_all_work_is_told_everywhere() {
    let everywhere = [
        ("it was seen in many runs", Lesson { n_sightings: 5, ..said() }),
        ("something that was run bears it out", Lesson { grade: Some(Grade::Executed), ..said() }),
        ("it names no place", Lesson { paths: Vec::new(), ..said() }),
        ("a pipeline's reviewer found it", Lesson { origin: Origin::Reviewer, ..said() }),
        ("a person approved it", Lesson { trust: Trust::Trusted, ..said() }),
        ("a person pinned it", Lesson { is_pinned: true, ..said() }),
        ("it is a wish", wish()),
    ];
    for (why, lesson) in everywhere {
        assert_eq!(barred(&lesson, &Need::default()), None, "{why}");
    }
}

fn wish() -> Lesson {
    let scope = Scope::default().with(Dimension::Person, OWN_PERSON);
    Lesson { kind: Kind::Preference, scope, ..said() }
}

#[test]
fn words_that_any_task_may_have_are_no_reason_to_be_told() {
    let found = |text: &str| {
        let mut p = Pipeline::on_memory();
        p.learn_finding("r1", text);
        Lesson { paths: Vec::new(), ..p.only_lesson() }
    };
    let lesson = found("Error message of the upload does not name the file that the user sent");
    for (need, told) in [
        ("add an upload of files with a progress bar", None),
        (
            "show the user an error message when the webhook is not reachable",
            Some("it shares only words that any task may have"),
        ),
        // The task says no more than that.
        ("fix the error message", None),
        (
            "rename the upload folder of the nightly billing export job",
            Some("% of the need, not 35 %"),
        ),
        ("water the tomatoes", Some("it shares no word with the need")),
    ] {
        let refusal = barred(&lesson, &about(need)).map(|why| why.to_string());
        let is_told = refusal.as_deref().map(|refusal| refusal.contains(told.unwrap_or("?")));
        assert_eq!(is_told, told.map(|_| true), "{need}: {refusal:?}");
    }
}
