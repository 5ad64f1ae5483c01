//! When a lesson moves, and when it does not.

use hardwon_core::credit::confidence;
use hardwon_core::effect::EffectKind;
use hardwon_core::finding::Grade;
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::lifecycle::{decay, promotion, unseen};
use hardwon_core::policy::CreditPolicy;
use proptest::prelude::*;

use crate::samples::{any_lesson, credit_policy, decay_policy, lesson, promotion_policy};

fn candidate(standing: u32) -> Lesson {
    Lesson { state: State::Candidate, standing, ..lesson("one two three") }
}

fn promoted(lesson: &Lesson, recent: &[EffectKind]) -> Option<State> {
    promotion(lesson, recent, &promotion_policy()).map(|step| step.to)
}

#[test]
fn two_root_runs_promote() {
    assert_eq!(promoted(&candidate(1), &[]), None);
    assert_eq!(promoted(&candidate(2), &[]), Some(State::Provisional));
}

#[test]
fn an_agents_claim_needs_a_second_voice_or_evidence() {
    let claim = Lesson { origin: Origin::Agent, trust: Trust::Claimed, ..candidate(5) };
    assert_eq!(promoted(&claim, &[]), None);
    let mut seconded = claim.clone();
    seconded.detectors.insert("sage".into());
    assert_eq!(promoted(&seconded, &[]), Some(State::Provisional));
    let mut shouted = claim.clone();
    shouted.detectors = shouted.detectors.iter().map(|name| name.to_uppercase()).collect();
    assert_eq!(promoted(&shouted, &[]), None, "the same name in capitals is no second voice");
    let executed = Lesson { grade: Some(Grade::Executed), ..claim.clone() };
    assert_eq!(promoted(&executed, &[]), Some(State::Provisional));
    let reasoned = Lesson { grade: Some(Grade::Reasoned), ..claim };
    assert_eq!(promoted(&reasoned, &[]), None);
}

#[test]
fn three_times_helped_without_contradiction_is_stable() {
    let mut sample = lesson("one two three");
    let helped = [EffectKind::Helped; 3];
    assert_eq!(promoted(&sample, &helped), None, "counts decide, not the window");
    sample.effects.n_helped = 3;
    assert_eq!(promoted(&sample, &helped), Some(State::Stable));
    let mut recent = vec![EffectKind::Contradicted];
    recent.extend(helped);
    assert_eq!(promoted(&sample, &recent), None);
    recent.extend([EffectKind::Neutral; 2]);
    assert_eq!(promoted(&sample, &recent), Some(State::Stable), "six effects ago is forgiven");
}

#[test]
fn what_makes_a_lesson_fade() {
    let policy = decay_policy();
    let faded = |lesson: &Lesson| decay(lesson, &policy).map(|step| step.reason);
    let sample = lesson("one two three");
    assert_eq!(faded(&sample), None);
    let gone = Lesson { standing: 0, ..sample.clone() };
    assert!(faded(&gone).is_some());
    let unsure = Lesson { confidence: 0.29, ..sample.clone() };
    assert!(faded(&unsure).unwrap().contains("0.29"));
    let mut contradicted = sample.clone();
    contradicted.effects.n_contradicted = 3;
    assert!(faded(&contradicted).unwrap().contains("3 times"));
    for kind in [Kind::Preference, Kind::Rule] {
        assert_eq!(faded(&Lesson { kind, ..gone.clone() }), None, "{kind}");
    }
}

#[test]
fn standing_falls_by_one_per_ten_unseen_runs() {
    let policy = decay_policy();
    let nine = unseen(&lesson("one two three"), 9, 9, &policy);
    assert_eq!((nine.standing, nine.unseen.n_runs, nine.unseen.checked_at), (2, 9, 9));
    let ten = unseen(&nine, 1, 10, &policy);
    assert_eq!((ten.standing, ten.unseen.n_runs), (1, 0));
    assert_eq!(ten.n_sightings, 2, "sightings never fall");
}

#[test]
fn confidence_is_folded_step_by_step_and_clamped() {
    let policy = credit_policy();
    use EffectKind::*;
    let cases: &[(&[EffectKind], f64)] = &[
        (&[], 0.6),
        (&[Helped], 0.7),
        (&[Helped, NoHelp], 0.65),
        (&[Helped, Helped, Helped, Helped, Helped, Helped, NoHelp], 0.95),
        (&[Hurt, Contradicted, Neutral, NoOpportunity], 0.3),
        (&[Contradicted, Contradicted, Contradicted, Contradicted, Helped], 0.1),
    ];
    for (effects, expected) in cases {
        let once = effects.iter().map(|kind| (*kind, 1.0));
        assert_eq!(confidence(0.6, once, &policy), *expected, "{effects:?}");
    }
    let again = || std::iter::repeat_n((NoHelp, 1.0), 20);
    let floored = CreditPolicy { no_help_floor: 0.3, ..credit_policy() };
    assert_eq!(confidence(0.6, again(), &floored), 0.3, "what comes back is true");
    assert_eq!(confidence(0.2, again(), &floored), 0.2, "and no truer than it was");
    let heavy = [(Contradicted, 1.5)];
    assert_eq!(confidence(0.6, heavy, &policy), 0.3, "a false positive may weigh more");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_transition_starts_where_the_lesson_is_and_goes_somewhere_else(sample in any_lesson()) {
        let steps = [
            promotion(&sample, &[], &promotion_policy()),
            decay(&sample, &decay_policy()),
        ];
        for step in steps.into_iter().flatten() {
            prop_assert_eq!(step.from, sample.state);
            prop_assert_ne!(step.from, step.to);
            prop_assert!(!step.reason.is_empty());
            prop_assert!(!sample.state.is_put_away(), "what is put away moves by hand only");
        }
    }

    #[test]
    fn unseen_runs_never_raise_anything(sample in any_lesson(), n in 0u32..100) {
        let after = unseen(&sample, n, 1000, &decay_policy());
        prop_assert!(after.standing <= sample.standing);
        prop_assert_eq!(after.n_sightings, sample.n_sightings);
    }
}
