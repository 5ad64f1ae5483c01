//! Who must agree before a lesson of a team is canonical.

use hardwon_core::lesson::{Decision, Lesson, Review, State};
use hardwon_core::lifecycle::{Bound, Share, pending, share};
use hardwon_core::policy::RoutingPolicy;
use hardwon_core::time::Timestamp;

use crate::samples::lesson;

fn routing() -> RoutingPolicy {
    let by_category = [("security_pattern".to_owned(), "risk".to_owned())];
    let (by_category, profile) = (by_category.into(), String::new());
    RoutingPolicy { default_authority: "lead".into(), by_category, profile }
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

/// `given` are the approvals so far, as person and authority; the answer begins with `lead` and
/// whether it is the last, or with why not.
#[track_caller]
fn check(category: &str, given: &[(&str, &str)], by: &str, expected: &str) {
    let answer = match share(&stable(category, given), by, &routing(), &bound()) {
        Ok(Share { authority, is_last }) => format!("{authority} {is_last}"),
        Err(reason) => reason.0,
    };
    assert!(answer.starts_with(expected), "{by} after {given:?}: {answer}");
}

#[test]
fn canonical_needs_two_people_of_two_authorities() {
    let (eve, dan, zoe) = (&[("eve", "risk")], &[("dan", "design")], &[("zoe", "risk")]);
    let missing = "; risk and another authority must approve, two people";
    type Approvals<'a> = &'a [(&'a str, &'a str)];
    let cases: &[(Approvals<'_>, &str, &str)] = &[
        (&[], "eve", "risk false"),
        (&[], "paul", "product false"),
        (&[], "kim", "kim is bound to no authority"),
        (eve, "dan", "design true"),
        (eve, "paul", "product true"),
        // Who has both authorities acts for the other one.
        (eve, "zoe", "design true"),
        (eve, "ben", &format!("approved by eve as risk, and ben is risk{missing}")),
        (eve, "eve", &format!("eve approved it already, as risk{missing}")),
        (dan, "eve", "risk true"),
        (dan, "paul", &format!("approved by dan as design, and paul is product{missing}")),
        // Zoe can act for design.
        (zoe, "eve", "risk true"),
    ];
    for (given, by, expected) in cases {
        check("security_pattern", given, by, expected);
    }
}

#[test]
fn where_the_orchestrator_decides_a_second_person_is_enough() {
    let lea = &[("lea", "lead")];
    check("process_improvement", lea, "lou", "lead true");
    check("process_improvement", lea, "paul", "product true");
    check("process_improvement", lea, "lea", "lea approved it already");
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
