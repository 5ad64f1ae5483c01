//! The numbers that each source system documents, one test for each section of a document.
//! Where a document gives a range, its upper end is meant. The formulas that go with them
//! are in `formulas`.

use hardwon_core::policy::{
    BudgetPolicy, CreditMode, CreditPolicy, DecayCounts, HoldoutPolicy, Policy, Preferences,
    PromotionPolicy, RankOrder,
};
use hardwon_engine::policy;

use crate::harness::{self, Pipeline};

fn load(name: &str) -> Policy {
    policy::load(name).unwrap()
}

/// How many times over each step of confidence goes: helped, hurt, contradicted.
fn steps(credit: &CreditPolicy) -> (f64, f64, f64) {
    (credit.helped, credit.hurt, credit.contradicted)
}

fn rising(promotion: &PromotionPolicy) -> (u32, u32, u32) {
    (promotion.provisional_at, promotion.stable_at_helped, promotion.stable_window)
}

#[test]
fn five_presets_the_default_first() {
    assert_eq!(policy::names(), ["hardwon", "archeflow", "geas", "jkz", "archivist"]);
    for name in policy::names() {
        assert!(policy::file(name).unwrap().starts_with('#'), "{name} says where it is from");
        assert!(!load(name).note.is_empty());
    }
}

#[test]
fn only_ours_leaves_anything_to_chance() {
    for name in policy::names() {
        let HoldoutPolicy { share, later_share, .. } = load(name).holdout;
        assert_eq!(share + later_share > 0.0, name == "hardwon", "{name}");
    }
}

// Design document.

#[test]
fn design_7_lifecycle_numbers() {
    let policy = load("hardwon");
    assert_eq!(rising(&policy.promotion), (2, 3, 5));
    assert_eq!(policy.promotion.confidence_by_sightings, [0.4, 0.6, 0.8]);
    assert_eq!(policy.promotion.claimed_authors, 2);
    assert_eq!((policy.decay.runs_per_step, policy.decay.contradictions), (10, 3));
    assert_eq!(policy.decay.counts, DecayCounts::Opportunities);
    assert_eq!((policy.decay.min_confidence, policy.review.min_confidence), (0.3, 0.3));
    let review = &policy.review;
    assert_eq!((review.hurt_at, review.archive_days, review.last_visit), (2, 60, 3));
    assert_eq!((review.canonical_at_helped, review.canonical_runs), (5, 3));
    assert_eq!((review.provisional_days, review.stable_days, review.canonical_days), (30, 90, 180));
    assert_eq!(review.idle_runs, 10);
}

#[test]
fn design_8_and_9_budget_and_credit_numbers() {
    let policy = load("hardwon");
    let budget = &policy.budget;
    assert_eq!((budget.max_lessons, budget.tokens, budget.pinned_tokens), (10, 500, 200));
    assert_eq!(budget.max_chars, 9500);
    for role in ["auditor", "judge", "sentinel", "guardian", "reviewer"] {
        assert_eq!(budget.tokens_by_role[role], 800);
    }
    assert_eq!(steps(&policy.credit), (0.1, -0.1, -0.2));
    assert_eq!(policy.credit.no_help, -0.05);
    let holdout = &policy.holdout;
    assert_eq!((holdout.share, holdout.first), (0.1, 30));
    assert_eq!((holdout.later_share, holdout.min_shown), (0.03, 3));
    assert_eq!(policy.ranking.universal_at, 5);
}

// ArcheFlow.

#[test]
fn archeflow_memory_skill_numbers() {
    let policy = load("archeflow");
    assert_eq!(policy.matching.same, 0.5, "half of the finding's words");
    assert_eq!(policy.promotion.provisional_at, 2, "injected from the second run on");
    assert_eq!((policy.ranking.min_standing, policy.ranking.universal_at), (2, 5));
    assert_eq!(policy.ranking.order, RankOrder::Standing);
    assert_eq!(policy.ranking.preferences, Preferences::Always);
    assert_eq!(policy.budget.max_lessons, 10);
    assert_eq!((policy.decay.runs_per_step, policy.decay.counts), (10, DecayCounts::EveryRun));
    assert_eq!(policy.credit.mode, CreditMode::PerFinding);
    assert_eq!(steps(&policy.credit), (0.0, 0.0, 0.0), "effects move no confidence");
    assert!(policy.ranking.conflict_words > 1.0, "nothing is said about conflicts");
}

// geas: the memory-lifecycle skill and protocol documents 07 to 09.

#[test]
fn geas_protocol_08_promotion_numbers() {
    let policy = load("geas");
    assert_eq!(rising(&policy.promotion), (2, 3, 5));
    let review = &policy.review;
    assert_eq!((review.canonical_at_helped, review.canonical_runs), (5, 3));
}

#[test]
fn geas_protocol_08_two_lessons_are_one_from_seven_words_in_ten() {
    let policy = load("geas");
    assert_eq!(policy.matching.same, 0.7);
    assert_eq!(policy.ranking.conflict_words, 0.7);
}

#[test]
fn geas_skill_initial_confidence() {
    assert_eq!(load("geas").promotion.confidence_by_sightings, [0.4, 0.6, 0.8]);
}

#[test]
fn geas_skill_confidence_steps_by_application() {
    let policy = load("geas");
    assert_eq!(steps(&policy.credit), (0.1, -0.1, -0.2));
    assert_eq!(policy.credit.mode, CreditMode::ByOutcome);
}

#[test]
fn geas_skill_review_dates() {
    let review = load("geas").review;
    assert_eq!((review.provisional_days, review.stable_days, review.canonical_days), (30, 90, 180));
    assert_eq!(review.idle_runs, 0, "days alone decide");
}

#[test]
fn geas_skill_decay_and_harmful_reuse() {
    let policy = load("geas");
    assert_eq!((policy.decay.contradictions, policy.decay.min_confidence), (3, 0.3));
    assert_eq!((policy.review.hurt_at, policy.review.min_confidence), (2, 0.3));
}

#[test]
fn geas_protocol_08_exits_from_review() {
    let review = load("geas").review;
    assert_eq!((review.archive_days, review.kept_days, review.last_visit), (60, 90, 3));
}

#[test]
fn geas_skill_reviewers_by_type() {
    let routing = load("geas").routing;
    let reviewers = [
        ("security_pattern", "risk_specialist"),
        ("architecture_precedent", "design_authority"),
        ("test_strategy", "quality_specialist"),
        ("performance_tip", "design_authority"),
        ("integration_pattern", "design_authority"),
        ("ux_pattern", "communication_specialist"),
        ("process_improvement", "orchestration_authority"),
        ("failure_lesson", "orchestration_authority"),
        ("decision_precedent", "product_authority"),
        ("risk_pattern", "orchestration_authority"),
        ("project_rule", "orchestration_authority"),
        ("agent_rule", "orchestration_authority"),
    ];
    assert_eq!(routing.by_category.len(), reviewers.len());
    for (category, reviewer) in reviewers {
        assert_eq!(routing.by_category[category], reviewer);
    }
}

#[test]
fn geas_protocol_09_budgets_by_role() {
    let budget = load("geas").budget;
    assert_eq!(budget.lessons_for("orchestration_authority"), 8);
    assert_eq!(budget.lessons_for("product_authority"), 3);
    assert_eq!(budget.lessons_for("Security_Engineer"), 5);
    // Twelve pinned bullets beside them, at a hundred tokens each.
    assert_eq!(budget.pinned_tokens, 1200);
}

#[test]
fn geas_protocol_09_no_role_is_shown_more_than_its_number() {
    let mut p = Pipeline::with_policy("geas");
    let topics = ["cache keys", "retry loops", "audit logs", "date parsing", "file handles"];
    let more = ["login forms", "mail queues", "unit tests", "tax rates", "image sizes"];
    let texts = [topics, more]
        .concat()
        .iter()
        .map(|topic| format!("{topic} lack bounds"))
        .collect::<Vec<_>>();
    p.confirm(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    for (role, n_shown) in [("orchestrator", 8), ("guardian", 5), ("product_authority", 3)] {
        assert_eq!(p.inject_for(None, harness::role(role)).lessons.len(), n_shown, "{role}");
    }
}

// jkz: the memory page and the page on pattern learning.

#[test]
fn jkz_memory_injection_budgets() {
    let budget = load("jkz").budget;
    for role in ["auditor", "judge", "sentinel"] {
        assert_eq!(budget.tokens_by_role[role], 800);
    }
    assert_eq!((budget.tokens, budget.tokens_by_role.len()), (500, 3));
    assert_eq!(budget.max_lessons, 10, "the example's --limit");
}

#[test]
fn jkz_pattern_learning_lifecycle() {
    let promotion = load("jkz").promotion;
    assert_eq!(promotion.provisional_at, 2, "a candidate once seen twice");
    assert_eq!(promotion.stable_at_helped, 0, "active by a person's approval only");
}

#[test]
fn jkz_pattern_learning_penalty_by_role() {
    let policy = load("jkz");
    let RankOrder::Jkz(formula) = &policy.ranking.order else { panic!("jkz has its own formula") };
    assert_eq!((formula.ignore_weight, policy.credit.false_positive_weight), (1.0, 1.0));
    for role in ["inspector", "sentinel"] {
        assert_eq!(formula.ignore_weight_by_role[role], 1.5);
    }
    assert_eq!(formula.ignore_weight_by_role, policy.credit.weight_by_role);
    assert_eq!(policy.credit.mode, CreditMode::FalsePositive);
}

#[test]
fn jkz_pattern_learning_floor() {
    assert_eq!(load("jkz").ranking.min_score, 0.1);
}

// The Archivist: its specification, and what was shipped.

#[test]
fn archivist_spec_5_1_maximum_results() {
    let budget = load("archivist").budget;
    assert_eq!((budget.lessons_for("orchestrator"), budget.lessons_for("healer")), (10, 5));
}

#[test]
fn archivist_as_shipped_pattern_quality() {
    let promotion = load("archivist").promotion;
    assert_eq!((promotion.provisional_at, promotion.min_confidence), (2, 0.6));
    for (n, confidence) in (1..).zip(&promotion.confidence_by_sightings) {
        let documented = (0.5 + 0.1 * f64::from(n)).min(0.9);
        assert!((confidence - documented).abs() < 1e-9, "{n}");
    }
    assert_eq!(promotion.confidence_by_sightings.len(), 4, "0.9 is the most");
}

#[test]
fn archivist_as_shipped_pruning_and_length() {
    let policy = load("archivist");
    let review = &policy.review;
    assert_eq!((review.provisional_days, review.stable_days, review.canonical_days), (90, 90, 90));
    let BudgetPolicy { line_chars, short_chars, .. } = policy.budget;
    assert_eq!((line_chars, short_chars), (200, 200));
}
