//! What is concluded, in each of the three modes, and how a lesson met a run.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::credit::{Exposure, Happened, credited, effect, exposures, in_sequence};
use hardwon_core::effect::{Arm, Effect, EffectKind, FollowUp, Injection, Shown, Surface};
use hardwon_core::episode::{Step, StepKind, StepResult};
use hardwon_core::finding::{Finding, FindingState, Severity};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::policy::{CreditMode, CreditPolicy, RenewedBy, ReviewPolicy};
use hardwon_core::run::{Judgement, Outcome, Run};
use hardwon_core::time::Timestamp;

use crate::samples::{credit_policy, lesson, of_command};

fn root() -> RunId {
    RunId::parse("r1").unwrap()
}

fn sample() -> Lesson {
    lesson("Query built by string concatenation")
}

fn run(outcome: Option<Outcome>, is_reasoned: bool) -> Run {
    let detectors = BTreeSet::from(["guardian".to_owned()]);
    let reasoned_only = if is_reasoned { detectors.clone() } else { BTreeSet::new() };
    Run { outcome, detectors, reasoned_only, ..Run::stub(root(), Timestamp(0)) }
}

/// A finding of the sample lesson.
fn finding(author: &str, state: FindingState) -> Finding {
    let text = Gate::standard().line("Query built by string concatenation");
    let run = Run::stub(root(), Timestamp(0));
    Finding {
        state,
        is_sighting: state != FindingState::Dismissed,
        lesson: Some(sample().id),
        likeness: 1.0,
        ..run.new_finding(author.into(), String::new(), text, None)
    }
}

fn judged(mode: CreditMode, runs: &[Run], findings: &[Finding], exposure: Exposure) -> Effect {
    judged_by(&CreditPolicy { mode, ..credit_policy() }, runs, findings, exposure)
}

fn judged_by(
    policy: &CreditPolicy,
    runs: &[Run],
    findings: &[Finding],
    exposure: Exposure,
) -> Effect {
    let (root, named) = (root(), BTreeMap::new());
    let happened = Happened { root: &root, number: 1, runs, findings, named: &named };
    effect(&sample(), &happened, exposure, policy)
}

#[test]
fn by_outcome_blames_only_what_came_back() {
    use EffectKind::*;
    let back = [finding("guardian", FindingState::Open)];
    let dismissed = [finding("guardian", FindingState::Dismissed)];
    let cases: &[(Option<Outcome>, &[Finding], EffectKind)] = &[
        (Some(Outcome::Success), &[], Helped),
        (Some(Outcome::Success), &back, Helped),
        (Some(Outcome::Failed), &[], Neutral),
        (Some(Outcome::Failed), &back, Hurt),
        (Some(Outcome::Partial), &back, Neutral),
        (Some(Outcome::Aborted), &back, Neutral),
        (None, &back, Neutral),
        (Some(Outcome::Success), &dismissed, Contradicted),
    ];
    for (outcome, findings, kind) in cases {
        let runs = [run(*outcome, false)];
        let effect = judged(CreditMode::ByOutcome, &runs, findings, Exposure::default());
        assert_eq!(effect.kind, *kind, "{outcome:?}: {}", effect.why);
        assert!(!effect.why.is_empty());
    }
}

#[test]
fn by_verdict_a_pass_needs_evidence() {
    use EffectKind::*;
    let other = |severity, state| Finding { severity, lesson: None, ..finding("guardian", state) };
    let grave = [other(Severity::Bug, FindingState::Open)];
    let fixed = [other(Severity::Critical, FindingState::Fixed)];
    let back = [finding("guardian", FindingState::Open)];
    let dismissed = [finding("guardian", FindingState::Dismissed)];
    let (passed, unproven, failed) = (Judgement::Passed, Judgement::Unproven, Judgement::Failed);
    type Case<'a> = (&'a str, &'a [(&'a str, Judgement)], &'a [Finding], EffectKind);
    let cases: &[Case<'_>] = &[
        ("passed with evidence", &[("guardian", passed)], &[], Helped),
        ("passed by reasoning", &[("guardian", unproven)], &[], Neutral),
        ("looked, and gave no verdict", &[], &[], Neutral),
        ("failed", &[("guardian", failed)], &[], Neutral),
        ("one passed, another failed", &[("guardian", passed), ("sage", failed)], &[], Neutral),
        ("one proved it", &[("guardian", unproven), ("sage", passed)], &[], Helped),
        ("a bug is left open", &[("guardian", passed)], &grave, Neutral),
        ("all was repaired", &[("guardian", passed)], &fixed, Helped),
        ("it came back", &[("guardian", passed)], &back, NoHelp),
        ("ruled false", &[("guardian", failed)], &dismissed, Contradicted),
    ];
    for (name, judgements, findings, kind) in cases {
        let named = judgements.iter().map(|(author, judged)| ((*author).to_owned(), *judged));
        let runs = [Run { judgements: named.collect(), ..run(None, false) }];
        let effect = judged(CreditMode::FalsePositive, &runs, findings, Exposure::default());
        assert_eq!(effect.kind, *kind, "{name}: {}", effect.why);
    }
    let nobody = [Run::stub(root(), Timestamp(0))];
    let effect = judged(CreditMode::FalsePositive, &nobody, &[], Exposure::default());
    assert_eq!(effect.kind, NoOpportunity);
}

#[test]
fn a_false_positive_weighs_by_the_role_that_reported_it() {
    let weight_by_role = BTreeMap::from([("sentinel".to_owned(), 1.5)]);
    let policy = CreditPolicy { weight_by_role, ..credit_policy() };
    let confidence_after = |author: &str| {
        let (runs, findings) = ([run(None, false)], [finding(author, FindingState::Dismissed)]);
        let effect = judged_by(&policy, &runs, &findings, Exposure::default());
        assert_eq!(effect.kind, EffectKind::Contradicted);
        credited(&sample(), &[&effect], (&root(), 1), Timestamp(0), &policy).confidence
    };
    assert_eq!(confidence_after("guardian"), 0.4);
    assert_eq!(confidence_after("Sentinel"), 0.3);
}

#[test]
fn what_was_held_out_is_asked_the_same_and_counts_for_nothing_else() {
    use EffectKind::*;
    let held_out = Exposure { arm: Some(Arm::HeldOut), surface: Surface::GateContext };
    let back = [finding("guardian", FindingState::Open)];
    let dismissed = [finding("guardian", FindingState::Dismissed)];
    let nobody = Run::stub(root(), Timestamp(0));
    let cases: &[(Run, &[Finding], EffectKind)] = &[
        (run(None, false), &[], Helped),
        (run(None, true), &[], Neutral),
        (run(None, false), &back, NoHelp),
        (run(None, false), &dismissed, Neutral),
        (nobody, &[], NoOpportunity),
    ];
    for (run, findings, kind) in cases {
        let effect = judged(CreditMode::PerFinding, std::slice::from_ref(run), findings, held_out);
        assert_eq!((effect.kind, effect.arm), (*kind, Some(Arm::HeldOut)), "{}", effect.why);
        assert!(effect.why.starts_with("held out by chance: "), "{}", effect.why);
        assert_eq!((effect.surface, effect.follow_up), (Surface::GateContext, FollowUp::None));
        let policy = credit_policy();
        let after = credited(&sample(), &[&effect], (&root(), 1), Timestamp(9), &policy);
        assert_eq!((after.effects, after.confidence), (sample().effects, sample().confidence));
        assert_eq!((after.unseen, after.upkeep), (sample().unseen, sample().upkeep));
        let n_counted = u32::from(matches!(kind, Helped | NoHelp));
        assert_eq!(after.arms.n_held_out, n_counted);
        assert_eq!(after.arms.n_held_out_again, u32::from(*kind == NoHelp));
    }
}

#[test]
fn what_somebody_says_is_no_measurement() {
    let shown = Exposure { arm: Some(Arm::Shown), ..Exposure::default() };
    let runs = [run(None, false)];
    assert_eq!(judged(CreditMode::PerFinding, &runs, &[], shown).arm, Some(Arm::Shown));
    assert_eq!(judged(CreditMode::ByOutcome, &runs, &[], shown).arm, None);
    let named = BTreeMap::from([(sample().id, (EffectKind::Helped, "said so".to_owned()))]);
    let root = root();
    let happened = Happened { root: &root, number: 1, runs: &runs, findings: &[], named: &named };
    let effect = effect(&sample(), &happened, shown, &credit_policy());
    assert_eq!((effect.arm, effect.is_named, effect.why.as_str()), (None, true, "said so"));
}

/// In doubt from the second hurt on, or below 0.3.
fn review_policy() -> ReviewPolicy {
    ReviewPolicy {
        renewed_by: RenewedBy::Nothing,
        keeps_until_effect: false,
        approval_is_final: false,
        hurt_at: 2,
        min_confidence: 0.3,
        canonical_at_helped: 5,
        canonical_runs: 3,
        provisional_days: 30,
        stable_days: 90,
        canonical_days: 180,
        idle_runs: 10,
        kept_days: 90,
        archive_days: 0,
        last_visit: 3,
    }
}

/// An effect of the sample lesson in this run.
fn of_run(run_number: u64, kind: EffectKind) -> Effect {
    let root = RunId::parse(&format!("r{run_number}")).unwrap();
    let named = BTreeMap::from([(sample().id, (kind, "said so".to_owned()))]);
    let runs = [run(None, false)];
    let happened =
        Happened { root: &root, number: run_number, runs: &runs, findings: &[], named: &named };
    effect(&sample(), &happened, Exposure::default(), &credit_policy())
}

#[test]
fn the_effect_that_puts_a_lesson_in_doubt_asks_for_a_review() {
    let review = review_policy();
    let placed = |effect, earlier: &[&Effect]| {
        in_sequence(effect, &sample(), earlier, &credit_policy(), &review).follow_up
    };
    let first = of_run(1, EffectKind::Hurt);
    assert_eq!(placed(first.clone(), &[]), FollowUp::Weaken);
    assert_eq!(placed(of_run(2, EffectKind::Hurt), &[&first]), FollowUp::ReviewRequired);
    assert_eq!(placed(of_run(2, EffectKind::Helped), &[&first]), FollowUp::Strengthen);
    // Too little confidence is a reason, too, whoever looks at it later.
    let low = Lesson { base_confidence: 0.32, state: State::UnderReview, ..sample() };
    let effect = of_run(1, EffectKind::NoHelp);
    let effect = in_sequence(effect, &low, &[], &credit_policy(), &review);
    assert_eq!(effect.follow_up, FollowUp::ReviewRequired);
}

#[test]
fn a_lesson_that_had_proved_itself_regresses() {
    let helped: Vec<Effect> = (1..=3).map(|n| of_run(n, EffectKind::Helped)).collect();
    let is_regression = |n_helped: usize, kind| {
        let earlier: Vec<&Effect> = helped.iter().take(n_helped).collect();
        let effect = of_run(9, kind);
        in_sequence(effect, &sample(), &earlier, &credit_policy(), &review_policy()).is_regression
    };
    for kind in [EffectKind::NoHelp, EffectKind::Hurt, EffectKind::Contradicted] {
        assert!(is_regression(3, kind), "{kind}");
        assert!(!is_regression(2, kind), "{kind}");
    }
    assert!(!is_regression(3, EffectKind::Helped) && !is_regression(3, EffectKind::Neutral));
    // What was held out has no effect and cannot fail.
    let held_out = Effect { arm: Some(Arm::HeldOut), ..of_run(9, EffectKind::NoHelp) };
    let earlier: Vec<&Effect> = helped.iter().collect();
    let effect = in_sequence(held_out, &sample(), &earlier, &credit_policy(), &review_policy());
    assert!(!effect.is_regression);
}

fn injection(shown: &[(&str, bool)], held_out: &[&str], surface: Surface) -> Injection {
    let shown = shown.iter().map(|(id, is_randomised)| Shown {
        lesson: LessonId::given(id),
        digest: String::new(),
        is_randomised: *is_randomised,
    });
    Injection {
        run: root(),
        role: String::new(),
        domain: String::new(),
        need: String::new(),
        at: Timestamp(0),
        shown: shown.collect(),
        held_out: held_out.iter().map(|id| LessonId::given(id)).collect(),
        surface,
        block: Gate::standard().block(String::new()),
        digest: String::new(),
        n_tokens: 0,
    }
}

#[test]
fn shown_to_one_and_held_out_for_another_is_shown_and_no_chance() {
    let injections = [
        injection(&[("l-a", true), ("l-b", true)], &["l-c", "l-d"], Surface::ReviewContext),
        injection(&[("l-a", true), ("l-b", false), ("l-c", true)], &[], Surface::GateContext),
    ];
    let met = exposures(&injections);
    let of = |id: &str| (met[&LessonId::given(id)].arm, met[&LessonId::given(id)].surface);
    assert_eq!(of("l-a"), (Some(Arm::Shown), Surface::ReviewContext));
    assert_eq!(of("l-b"), (None, Surface::ReviewContext), "one block showed it in any case");
    assert_eq!(of("l-c"), (None, Surface::GateContext));
    assert_eq!(of("l-d"), (Some(Arm::HeldOut), Surface::ReviewContext));
}

/// What showing this lesson came to, by what was done in the run and what was found.
fn came_of(lesson: &Lesson, run: Run, findings: &[Finding]) -> EffectKind {
    let (root, named, runs) = (root(), BTreeMap::new(), [run]);
    let happened = Happened { root: &root, number: 1, runs: &runs, findings, named: &named };
    effect(lesson, &happened, Exposure::default(), &credit_policy()).kind
}

/// A session in which these commands were run: `+` worked, `!` failed.
fn session(lines: &[&str]) -> Run {
    let step = |line: &&str| {
        let (mark, action) = line.split_once(' ').unwrap();
        let result = if mark == "+" { StepResult::Ok } else { StepResult::Failed };
        Step::once(StepKind::Command, "bash".into(), action.to_owned(), result)
    };
    let mut run = run(None, false);
    run.detectors = BTreeSet::from(["archivist".to_owned()]);
    run.episode.trail = lines.iter().map(step).collect();
    run
}

#[test]
fn a_lesson_about_a_command_is_judged_by_that_command() {
    use EffectKind::*;
    let cases: &[(&[&str], EffectKind)] = &[
        (&["+ bun test"], Helped),
        (&["+ bun test src/a.test.ts --bail"], Helped),
        (&["+ npm test"], Contradicted),
        (&["+ bun test", "+ npm test"], Contradicted),
        (&[], NoOpportunity),
        (&["+ npm --version"], NoOpportunity),
        (&["+ npm ci", "+ bun install"], NoOpportunity),
        (&["! bun test"], NoOpportunity),
        (&["! npm test"], NoOpportunity),
        (&["+ cd web && bun test"], NoOpportunity),
        (&["+ cd web && npm test"], NoOpportunity),
    ];
    for (lines, kind) in cases {
        assert_eq!(came_of(&of_command(), session(lines), &[]), *kind, "{lines:?}");
    }
    let again =
        Finding { lesson: Some(of_command().id), ..finding("archivist", FindingState::Open) };
    let kind = came_of(&of_command(), session(&["! npm test", "+ bun test"]), &[again]);
    assert_eq!(kind, NoHelp, "it failed first");
    // Of a form and a longer one, the longer one says what was run.
    let mut longer = lesson("`gh pr diff` fails with \"unknown\"");
    (longer.author, longer.detectors) = (of_command().author, of_command().detectors);
    longer.guidance.repair = Some("Use `gh pr diff --patch` here, not `gh pr diff`".into());
    assert_eq!(came_of(&longer, session(&["+ gh pr diff 7 --patch"]), &[]), Helped);
    assert_eq!(came_of(&longer, session(&["+ gh pr diff 7"]), &[]), Contradicted);
}

#[test]
fn a_run_that_says_its_work_tests_only_what_fits() {
    use EffectKind::*;
    let with = |paths: &[&str], task: Option<&str>| Run {
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
        task: task.map(str::to_owned),
        ..run(None, false)
    };
    for (said, kind) in [
        (with(&[], None), Helped),
        (with(&["README.md", "web/site.css"], None), NoOpportunity),
        (with(&["src/query.rs"], None), Helped),
        (with(&[], Some("Sort the queries by age")), Helped),
        (with(&[], Some("Translate the start page")), NoOpportunity),
        (with(&[], Some("T-12")), Helped),
    ] {
        assert_eq!(came_of(&sample(), said.clone(), &[]), kind, "{said:?}");
    }
}

#[test]
fn only_somebody_can_say_whether_a_wish_was_heeded() {
    let wish =
        Lesson { kind: Kind::Preference, origin: Origin::User, trust: Trust::Trusted, ..sample() };
    assert_eq!(came_of(&wish, run(None, false), &[]), EffectKind::Neutral);
    let again = [finding("guardian", FindingState::Open)];
    assert_eq!(came_of(&wish, run(None, false), &again), EffectKind::Neutral, "said is no failure");
}
