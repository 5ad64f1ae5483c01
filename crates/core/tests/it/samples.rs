//! Sample nouns for tests, and generators of random ones.

use std::collections::BTreeSet;

use hardwon_core::effect::{EffectCounts, EffectKind};
use hardwon_core::finding::Severity;
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Kind, Lesson, State, Unseen};
use hardwon_core::policy::{
    ChanceBar, ChanceRank, CreditMode, CreditPolicy, DecayCounts, DecayPolicy, HoldoutPolicy,
    Opportunity, Preferences, PromotionPolicy, RankOrder, RankPolicy,
};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;
use proptest::prelude::*;

pub fn lesson(text: &str) -> Lesson {
    let project = ProjectId::new("demo");
    let id = LessonId::derive(Some(&project), Kind::Pattern.word(), text, |_| false);
    let text = Gate::standard().line(text);
    Lesson {
        state: State::Provisional,
        base_confidence: 0.6,
        confidence: 0.6,
        n_sightings: 2,
        standing: 2,
        last_seen_run: RunId::parse("r2").ok(),
        detectors: BTreeSet::from(["guardian".to_owned()]),
        author: "guardian".to_owned(),
        ..Lesson::stub(id, Some(project), Kind::Pattern, text, Timestamp(0))
    }
}

/// Any lesson: every field that can change does.
pub fn any_lesson() -> impl Strategy<Value = Lesson> {
    let words = "[a-z]{3,8}( [a-z]{3,8}){2,9}";
    let numbers = (0..30u32, 0..30u32, 0..40u32, 0..40u64, 0.0..1.0f64, 0.0..1.0f64);
    let choices = (0..Kind::ALL.len(), 0..State::ALL.len(), 0..Severity::ALL.len(), any::<bool>());
    let lists = (
        prop::collection::vec("[a-z]{2,6}", 0..4),
        prop::collection::vec("[a-z]{1,4}/[a-z]{1,4}\\.rs", 0..4),
        prop::option::of("[a-z]{3,6}"),
    );
    let effects = prop::collection::vec(0..EffectKind::ALL.len(), 0..12);
    (words, numbers, choices, lists, effects, 0..10_000_000_000i64).prop_map(
        |(text, n, choice, (tags, paths, role), effects, at)| Lesson {
            kind: Kind::ALL[choice.0],
            state: State::ALL[choice.1],
            severity: Severity::ALL[choice.2],
            is_pinned: choice.3,
            n_sightings: n.0,
            standing: n.1,
            unseen: Unseen { n_runs: n.2, checked_at: n.3 },
            importance: n.4,
            confidence: n.5,
            tags,
            paths,
            scope: role.map_or(Scope::default(), |r| Scope::default().with(Dimension::Role, &r)),
            effects: EffectCounts::of(effects.into_iter().map(|i| EffectKind::ALL[i])),
            updated_at: Timestamp(at),
            ..lesson(&text)
        },
    )
}

/// Without a bar.
pub fn chance_rank() -> ChanceRank {
    ChanceRank {
        base: 0.5,
        place: 0.7,
        since: 0.25,
        constant: 1.0,
        shrink: 4.0,
        words: 2.0,
        stated: 0.1,
        stated_until: 10,
        min_words: 0.25,
        min_word: 0.35,
        bar: ChanceBar { tools: 0.0, reviewers: 0.0, sessions: 0.0 },
        same_file: 1.0,
    }
}

pub fn rank_policy() -> RankPolicy {
    RankPolicy {
        order: RankOrder::Chance(Box::new(chance_rank())),
        preferences: Preferences::Stated,
        min_standing: 0,
        universal_at: 5,
        min_score: 0.0,
        conflicts: true,
    }
}

pub fn promotion_policy() -> PromotionPolicy {
    PromotionPolicy {
        provisional_at: 2,
        claimed_authors: 2,
        stable_at_helped: 3,
        stable_window: 5,
        min_confidence: 0.3,
        severity_rises: true,
        hint_at: 2,
        hints_are_bound: false,
        evolution: None,
        prose_needs_evidence: false,
        stable_contexts: 0,
        effects_decide: false,
        global_needs_approval: false,
        confidence_by_sightings: vec![0.4, 0.6, 0.8],
    }
}

pub fn decay_policy() -> DecayPolicy {
    DecayPolicy {
        runs_per_step: 10,
        candidate_runs_per_step: 10,
        usual_times: 0.0,
        counts: DecayCounts::Opportunities,
        contradictions: 3,
        min_confidence: 0.3,
        given_up_at: 3,
        outdated_at: 2,
        exempt: BTreeSet::from([Kind::Preference, Kind::Rule]),
    }
}

pub fn credit_policy() -> CreditPolicy {
    CreditPolicy {
        mode: CreditMode::PerFinding,
        opportunity: Opportunity::Detected,
        helped_renews: true,
        helped: 0.1,
        no_help: -0.05,
        no_help_floor: 0.0,
        hurt: -0.1,
        contradicted: -0.2,
        false_positive_weight: 1.0,
        weight_by_role: Default::default(),
        rulers: Default::default(),
        pairs: Default::default(),
        pass_closes: false,
        relevant_words: 0,
        contradiction_weakens: false,
    }
}

pub fn holdout_policy() -> HoldoutPolicy {
    HoldoutPolicy { min_shown: 3, share: 0.1 }
}

/// What sessions showed of a command, and what they ran in its place.
pub fn of_command() -> Lesson {
    let mut sample = lesson("`npm test` fails with \"npm error Missing script: 'test'\"");
    sample.author = "archivist".into();
    sample.detectors = BTreeSet::from(["archivist".to_owned()]);
    sample.guidance.repair = Some("Use `bun test` here, not `npm test`".into());
    sample
}
