//! Where a lesson that says when it applies is shown.

use hardwon_core::danger::Danger;
use hardwon_core::eligible::{Exclusion, exclusion, withheld};
use hardwon_core::lesson::{Guidance, Lesson, Origin, State, Trust};
use hardwon_core::lifecycle::{not_confirmed, promotion};
use hardwon_core::need::Need;
use hardwon_core::policy::PromotionPolicy;
use hardwon_core::scope::{Bound, Dimension};

use crate::samples::{lesson, promotion_policy, rank_policy};

fn excluded(when: &str, text: Option<&str>, tags: &[&str]) -> Option<Exclusion> {
    let lesson = Lesson {
        state: State::Provisional,
        guidance: Guidance { applies_when: Some(when.to_owned()), ..Guidance::default() },
        ..lesson("Shard the suite before a night run")
    };
    let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
    let need = Need { text: text.map(str::to_owned), tags, ..Need::default() };
    exclusion(&lesson, &need, &rank_policy())
}

#[test]
fn a_lesson_is_shown_where_it_applies() {
    let when = "running a large test suite";
    assert_eq!(excluded(when, Some("run the large tests"), &[]), None);
    assert_eq!(excluded(when, None, &["test", "suite"]), None);
    assert_eq!(excluded(when, None, &[]), None, "a need that says nothing excludes nothing");
    assert_eq!(excluded("the", Some("release notes"), &[]), None, "there is no condition in it");
    let away = excluded(when, Some("write the release notes"), &[]);
    assert_eq!(away, Some(Exclusion::NotNow));
}

#[test]
fn phase_repository_and_error_class_keep_apart() {
    let all = [
        (Dimension::Phase, Need { phase: Some("plan".into()), ..Need::default() }),
        (Dimension::Repo, Need { repo: Some("site".into()), ..Need::default() }),
        (Dimension::ErrorClass, Need { error_class: Some("test".into()), ..Need::default() }),
    ];
    for (dimension, need) in all {
        let lesson = lesson("Shard the suite before a night run");
        let scope = lesson.scope.clone().with(dimension, "timeout");
        let lesson = Lesson { state: State::Provisional, scope, ..lesson };
        let reason = exclusion(&lesson, &need, &rank_policy());
        assert!(matches!(reason, Some(Exclusion::Scope(_))), "{dimension}");
        assert_eq!(exclusion(&lesson, &Need::default(), &rank_policy()), None, "{dimension}");
        assert_ne!(need.digest(""), Need::default().digest(""), "{dimension}");
    }
}

#[test]
fn who_asks_for_one_sort_of_scope_gets_no_other() {
    let wide = Lesson { state: State::Provisional, ..lesson("Shard the suite before a night run") };
    let wide = Lesson { scope: Default::default(), ..wide };
    let scope = wide.scope.clone().with(Dimension::Provider, "alpha");
    let narrow = Lesson { scope, ..wide.clone() };
    let wants = |bound| Need { bound: Some(bound), ..Need::default() };
    let is_shown = |it: &Lesson, bound| exclusion(it, &wants(bound), &rank_policy()).is_none();
    assert!(is_shown(&wide, Bound::Project) && !is_shown(&wide, Bound::Provider));
    assert!(is_shown(&narrow, Bound::Provider) && !is_shown(&narrow, Bound::Project));
    assert_ne!(wants(Bound::Project).digest(""), wants(Bound::Global).digest(""));
}

#[test]
fn that_something_fails_is_no_lesson_without_why_or_what_else() {
    let check = |text: &str, repair: Option<&str>| {
        let guidance = Guidance { repair: repair.map(str::to_owned), ..Guidance::default() };
        let lesson = Lesson { state: State::Provisional, guidance, ..lesson(text) };
        exclusion(&lesson, &Need::default(), &rank_policy())
    };
    let bare = check("`demo start --all` fails here", None);
    assert_eq!(bare, Some(Exclusion::SaysNothing));
    let reason = bare.map(|it| it.to_string()).unwrap_or_default();
    assert_eq!(reason, "what to do about it is not known");
    let instead = Some("Use `demo up` here, not `demo start --all`");
    assert_eq!(check("`demo start --all` fails here", instead), None);
    let why = check("`demo start --all` fails with \"unknown flag\"", None);
    assert_eq!(why, Some(Exclusion::SaysNothing), "until two sessions agree on a repair");
    let compiler = check("E0428: \"the name … is defined multiple times\"", None);
    assert_eq!(compiler, Some(Exclusion::SaysNothing));
    assert_eq!(check("E0428: \"the name … is defined\"", Some("use `mod`")), None);
    assert_eq!(check("wrapcheck: \"error is unwrapped\"", None), None, "a rule says what to do");
    assert_eq!(check("Whoever deploys on Fridays fails here", None), None);
}

#[test]
fn what_no_agent_is_told_to_run_is_shown_once_a_person_approved_it() {
    let check = |lesson: &Lesson| {
        let reason = withheld(lesson);
        assert_eq!(exclusion(lesson, &Need::default(), &rank_policy()), reason);
        reason
    };
    let plain = lesson("The suite needs a database");
    let told = Lesson { text: lesson("The suite needs `sudo make up`").text, ..plain.clone() };
    let repair = Some("uvx ruff check".to_owned());
    let guidance = Guidance { repair, ..Guidance::default() };
    let repaired = Lesson { guidance, ..plain.clone() };
    assert_eq!(check(&plain), None);
    assert_eq!(check(&told), Some(Exclusion::Dangerous(Danger::Root)));
    assert_eq!(check(&repaired), Some(Exclusion::Dangerous(Danger::Package)));
    let reason = check(&told).map(|it| it.to_string()).unwrap_or_default();
    assert_eq!(reason, "it runs something as root, and no person approved it yet");
    let candidate = Lesson { state: State::Candidate, ..told.clone() };
    assert_eq!(check(&candidate), Some(Exclusion::Dangerous(Danger::Root)), "why it still is one");
    let foreign = Lesson { trust: Trust::Foreign, ..told.clone() };
    assert_eq!(check(&foreign), Some(Exclusion::Foreign));
    for persons in [
        Lesson { trust: Trust::Trusted, ..told.clone() },
        Lesson { origin: Origin::User, ..told.clone() },
        Lesson { is_pinned: true, ..told },
    ] {
        assert_eq!(check(&persons), None);
    }
}

/// What is printed is what decided: a lesson that is confirmed rises, and of any other the reason
/// names the number that is missing.
#[test]
fn a_candidate_waits_for_what_its_reason_names() {
    let policy = PromotionPolicy { provisional_at: 2, min_confidence: 0.3, ..promotion_policy() };
    let candidate = Lesson { state: State::Candidate, ..lesson("The suite needs a database") };
    let seen = |n_sightings, standing| Lesson { n_sightings, standing, ..candidate.clone() };
    let claim = Lesson { trust: Trust::Claimed, grade: None, ..seen(2, 2) };
    let text = lesson("`make up` fails here").text;
    let dangerous = lesson("The suite needs `sudo make up`").text;
    let cases = [
        (seen(2, 2), ""),
        (seen(1, 2), ""),
        (seen(1, 1), "it has 1 of the 2 sightings that it takes"),
        (seen(5, 1), "seen in 5 runs, but 1 of 2 count: it faded since"),
        (Lesson { confidence: 0.2, ..seen(5, 5) }, "confidence 0.20 is below 0.30"),
        (
            Lesson { text, ..claim.clone() },
            "it says that something fails, and neither why nor what to do",
        ),
        (
            Lesson { n_sightings: 1, ..claim },
            "an agent's claim, seen in 1 of 2 runs, and nothing shows it",
        ),
        (
            Lesson { text: dangerous, ..seen(5, 5) },
            "it runs something as root, and no person approved it yet",
        ),
    ];
    for (lesson, expected) in cases {
        let why = not_confirmed(&lesson, &policy);
        assert_eq!(why.as_deref().unwrap_or_default(), expected, "{}", lesson.text);
        assert_eq!(promotion(&lesson, &[], &policy).is_some(), why.is_none(), "{}", lesson.text);
    }
}
