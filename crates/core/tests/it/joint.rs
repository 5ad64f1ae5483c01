//! Who must agree before a lesson of a team is canonical.

use hardwon_core::lesson::{Decision, Lesson, Review, State};
use hardwon_core::lifecycle::{Bound, Share, pending, share};
use hardwon_core::policy::RoutingPolicy;
use hardwon_core::time::Timestamp;

use crate::samples::lesson;

fn routing() -> RoutingPolicy {
    let by_category = [("security_pattern".to_owned(), "risk".to_owned())];
    RoutingPolicy { default_authority: "lead".into(), by_category: by_category.into() }
}

fn bound() -> Bound {
    let people = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Bound::from([
        ("risk".to_owned(), people(&["eve", "ben", "zoe"])),
        ("design".to_owned(), people(&["dan", "zoe"])),
        ("product".to_owned(), people(&["paul"])),
        ("lead".to_owned(), people(&["lea", "lou"])),
    ])
}

fn approval(by: &str, authority: &str) -> Review {
    Review {
        decision: Decision::Approve,
        by: by.into(),
        authority: authority.into(),
        because: "it holds".into(),
        at: Timestamp(0),
        from: State::Stable,
        to: State::Stable,
    }
}

fn stable(category: &str, given: &[(&str, &str)]) -> Lesson {
    Lesson {
        state: State::Stable,
        category: Some(category.to_owned()),
        reviews: given.iter().map(|(by, authority)| approval(by, authority)).collect(),
        ..lesson("Bind parameters")
    }
}

/// `lead` and whether it is the last, or why not.
fn told(lesson: &Lesson, by: &str) -> String {
    match share(lesson, by, &routing(), &bound()) {
        Ok(Share { authority, is_last }) => format!("{authority} {is_last}"),
        Err(reason) => reason.0,
    }
}

#[test]
fn canonical_needs_two_people_of_two_authorities() {
    let none = stable("security_pattern", &[]);
    assert_eq!(told(&none, "eve"), "risk false");
    assert_eq!(told(&none, "paul"), "product false");
    assert_eq!(told(&none, "kim"), "kim is bound to no authority");
    let by_eve = stable("security_pattern", &[("eve", "risk")]);
    assert_eq!(told(&by_eve, "dan"), "design true");
    assert_eq!(told(&by_eve, "paul"), "product true");
    assert_eq!(told(&by_eve, "zoe"), "design true", "who is both acts for the other");
    let refused = "approved by eve as risk, and ben is risk; risk and another authority must \
                   approve, two people";
    assert_eq!(told(&by_eve, "ben"), refused);
    assert!(told(&by_eve, "eve").starts_with("eve approved it already, as risk; "));
    let by_dan = stable("security_pattern", &[("dan", "design")]);
    assert_eq!(told(&by_dan, "eve"), "risk true");
    assert!(told(&by_dan, "paul").contains("risk and another authority must approve"));
    let by_zoe = stable("security_pattern", &[("zoe", "risk")]);
    assert_eq!(told(&by_zoe, "eve"), "risk true", "zoe can stand for design");
}

#[test]
fn where_the_orchestrator_decides_a_second_person_will_do() {
    let by_lea = stable("process_improvement", &[("lea", "lead")]);
    assert_eq!(told(&by_lea, "lou"), "lead true");
    assert_eq!(told(&by_lea, "paul"), "product true");
    assert!(told(&by_lea, "lea").starts_with("lea approved it already"));
}

#[test]
fn an_approval_counts_until_the_lesson_moves() {
    let mut lesson = stable("security_pattern", &[("eve", "risk")]);
    assert_eq!(pending(&lesson).len(), 1);
    let kept = Review { decision: Decision::Keep, ..approval("ben", "risk") };
    lesson.reviews.push(kept.clone());
    assert_eq!(pending(&lesson).len(), 1);
    lesson.reviews.push(Review { from: State::UnderReview, ..kept });
    assert_eq!(pending(&lesson), [] as [&Review; 0]);
}
