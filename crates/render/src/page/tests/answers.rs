//! Made-up answers, with whatever words in every field. Written out without `..` where that is
//! possible, so that a new field has to be thought of here.

use hardwon_core::effect::{Arm, EffectKind, FollowUp, Surface};
use hardwon_core::finding::{FindingState, Grade, Severity};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Decision, State};
use hardwon_core::reflect::Scenario;
use hardwon_core::run::{Outcome, RunKind};

use super::sample::Words;
use crate::answer::*;
use crate::samples::{self, SQL};

fn at(day: u32) -> Time {
    Time(samples::at(day))
}

pub(super) fn lesson(words: &Words, id: &str, text: &str) -> Lesson {
    let mut lesson = samples::lesson(id, "x");
    lesson.is_pinned = id == "l-sql0001";
    let scope = Scope {
        project: words.some("demo"),
        pairs: vec![(words.of("tool"), words.of("bash")), ("provider".into(), words.of("codex"))],
    };
    Lesson {
        id: Id(LessonId::given(&words.of(id))),
        category: words.some("security"),
        text: words.of(text),
        rule: words.some("IF a query has user input THEN bind it"),
        detail: words.some("The search form was the third place in a month."),
        applies_when: words.some("code that talks to the database"),
        repair: words.some("use placeholders"),
        scope,
        tags: words.all(&["auth", "sql"]),
        paths: words.all(&["src/api.rs"]),
        author: words.of("guardian"),
        aliases: words.all(&["m-001"]),
        detectors: words.all(&["guardian"]),
        record: words.of("seen in 3 runs, last in r4"),
        superseded_by: Some(Id(LessonId::given(&words.of("l-new0001")))),
        ..Lesson::from(&lesson)
    }
}

pub(super) fn evidence(words: &Words, state: FindingState, severity: Severity) -> Evidence {
    Evidence {
        run: Id(samples::run_id("m1/task:r4")),
        author: words.of("guardian"),
        severity: Word(severity),
        text: words.of(SQL),
        repair: words.some("https://example.org/placeholders"),
        path: words.some("src/api.rs"),
        line: Some(41),
        grade: Some(Word(Grade::Cited)),
        state: Word(state),
        likeness: Decimal(0.81),
        quote: Some("[5] no such script".to_owned()),
        lesson: Some(Id(LessonId::given(&words.of("l-sql0001")))),
    }
}

pub(super) fn story(words: &Words) -> LessonStory {
    let plain = samples::story();
    let conclusion = |kind| Conclusion {
        kind: Word(kind),
        why: words.of("guardian looked and did not report it again"),
        surface: Word(Surface::TaskPacket),
        follow_up: Word(FollowUp::None),
        is_regression: false,
    };
    let effects = (0..14).map(|n| RunEffect {
        run: Id(samples::run_id(["r1", "r2", "r3", "r4"][n % 4])),
        conclusion: conclusion(
            [EffectKind::Helped, EffectKind::NoHelp, EffectKind::Neutral][n * n % 3],
        ),
        arm: [Some(Word(Arm::Shown)), Some(Word(Arm::HeldOut)), None][n % 3],
        is_named: false,
    });
    let showing = |n: u32| Showing {
        run: Id(samples::run_id("r3")),
        role: words.some("reviewer"),
        domain: words.some("code"),
        at: at(n),
        digest: words.of("sha256:00"),
        position: Some(2),
    };
    let review = Review {
        by: words.of("ada"),
        authority: words.of("risk_specialist"),
        decision: Word(Decision::Keep),
        because: words.of("still the most frequent mistake"),
        at: at(9),
        from: Word(State::Provisional),
        to: Word(State::Provisional),
    };
    let informed = InformedBy {
        lesson: Id(LessonId::given(&words.of("l-other01"))),
        text: words.of("Bind every parameter"),
        roles: words.all(&["tester"]),
        n_runs: 2,
    };
    let entry = |entry: &Entry| Entry {
        command: words.of(&entry.command),
        actor: words.of(&entry.actor),
        because: words.of(&entry.because),
        line: words.of(&entry.line),
        ..entry.clone()
    };
    let step = |step: &Step| Step { text: words.of(&step.text), ..step.clone() };
    LessonStory {
        page: LessonPage {
            conversations: None,
            lesson: lesson(words, "l-sql0001", SQL),
            evidence: vec![
                evidence(words, FindingState::Fixed, Severity::Bug),
                evidence(words, FindingState::Regressed, Severity::Critical),
            ],
            injections: (3..9).map(showing).collect(),
            effects: effects.collect(),
            reviews: vec![review],
            informed_by: vec![informed],
            history: plain.page.history.iter().map(entry).collect(),
            excluded: words.some("the policy shows nothing below stable"),
        },
        story: plain.story.iter().map(step).collect(),
        runs: plain.runs,
    }
}

pub(super) fn run_answer(words: &Words, id: &str, outcome: Option<Outcome>) -> Run {
    let core = samples::run(id, 4);
    Run {
        parent: Some(Id(samples::run_id("m1"))),
        kind: Word(RunKind::Subagent),
        role: words.some("coder"),
        agent: words.some("codex"),
        task: words.some("Move the user search to prepared statements"),
        subtask: words.some("search form"),
        session: words.some("2026-04/night 3"),
        phase: words.some("build"),
        domain: words.some("code"),
        started: Some(at(3)),
        outcome: outcome.map(Word),
        ended: Some(Ended {
            cut_by: None,
            check: None,
            checked: words.some("cargo test"),
            red_tests: words.all(&["search::quotes"]),
        }),
        error_class: words.some("type_error"),
        summary: words.some("Two of three queries were rewritten; the search form still fails."),
        commit: words.some("3f2a9c1"),
        detectors: words.all(&["guardian"]),
        paths: words.all(&["src/api.rs"]),
        tools: words.all(&["bash"]),
        tags: words.all(&["night"]),
        trajectories: words.all(&["t-1"]),
        logs: words.all(&["https://ci.example.org/job/7", "logs/run.txt"]),
        usage: Usage {
            tokens_in: Some(184_000),
            tokens_out: Some(9_100),
            tokens_cached: None,
            cost_usd: Some(1.42),
            duration_s: Some(913.0),
        },
        ..Run::from(&core)
    }
}

pub(super) fn line(words: &Words, id: &str, depth: u64, outcome: Option<Outcome>) -> RunLine {
    RunLine { run: run_answer(words, id, outcome), n_findings: 3, n_shown: 4, depth }
}

pub(super) fn tree(words: &Words) -> Vec<TreeNode> {
    let concern = |(dimension, value, n_lessons): (&str, &str, u64)| Concern {
        dimension: words.of(dimension),
        value: words.of(value),
        n_lessons,
    };
    let node = |id: &str, depth, outcome| TreeNode {
        line: line(words, id, depth, outcome),
        concerns: [("tool", "bash", 3), ("provider", "codex", 1), ("tool", "grep", 0)]
            .map(concern)
            .into(),
    };
    vec![
        node("m1", 0, Some(Outcome::Partial)),
        node("m1/task:r4", 1, Some(Outcome::Failed)),
        node("m1/task:r5", 2, Some(Outcome::Success)),
        node("m1/task:r6", 1, None),
    ]
}

pub(super) fn blocks(words: &Words) -> Vec<BlockShown> {
    let shown = |role: &str| Shown {
        at: at(4),
        role: words.some(role),
        lessons: vec![Id(LessonId::given(&words.of("l-sql0001")))],
        held_out: vec![Id(LessonId::given(&words.of("l-other01")))],
        n_tokens: 61,
        digest: words.of("sha256:8f0e"),
    };
    let text = "Known from past runs; true when written.\n- Query built by string concatenation";
    let run = || Id(samples::run_id("r4"));
    let block = |role: &str, block| BlockShown { run: run(), shown: shown(role), block };
    vec![block("coder", words.some(text)), block("reviewer", None)]
}

pub(super) fn panel(words: &Words) -> LessonsLearned {
    LessonsLearned {
        by: words.some("archivist"),
        summary: words.of("The night's work moved two queries to placeholders. The search form still concatenates."),
        worked: words.all(&["Small commits", "The type checker before every commit"]),
        failed: words.all(&["One long test run timed out twice"]),
        decisions: words.all(&["Shard the tests before the next night"]),
        created: vec![words.named("l-new0001", "Shard `bun test` before an overnight run")],
        updated: vec![words.named("l-sql0001", SQL)],
    }
}

pub(super) fn overview(words: &Words) -> Overview {
    let point = |n: u64| {
        let summary = RunSummary {
            n_findings: 2 + n * 7 % 5,
            n_repeats: (n * 7 % 5).min(30 / (n + 4)),
            ..RunSummary::of(&samples::run(&format!("r{n}"), 1 + n as u32 % 19))
        };
        RunPoint { summary, n_tokens: 300 + n * 97 % 400 }
    };
    let event = |kind, detail| {
        let (kind, project) = (Word(kind), words.of("demo"));
        Event { seq: None, kind, ts: at(19), project, detail }
    };
    let shard = EventLesson { id: words.of("l-new0001"), summary: words.of("Shard the tests") };
    let added = EventDetail {
        count: Some(1),
        scenario: Some(Word(Scenario::SessionFailed)),
        session: words.some("s"),
        run: words.some("r"),
        lessons: Some(vec![shard]),
        ..EventDetail::default()
    };
    let rose = EventDetail {
        lesson: words.some("l-sql0001"),
        summary: words.some(SQL),
        from: Some(Word(State::Candidate)),
        to: Some(Word(State::Provisional)),
        ..EventDetail::default()
    };
    let events = vec![event(MessageKind::LessonsAdded, added), event(MessageKind::Promoted, rose)];
    Overview {
        counts: samples::answers::counts(),
        lift: Some(Lift::from(&samples::answers::lift(0.5))),
        n_missing: Some(0),
        runs: (0..32).map(point).collect(),
        prompts: PromptTotals { n_blocks: 412, n_tokens: 58_204 },
        waiting: vec![words.named("l-pref001", "Use single bundled pull requests")],
        n_waiting: 3,
        events,
    }
}

pub(super) fn choices(words: &Words) -> Vec<Choice> {
    let choice = |decision, to: Option<_>, unless| {
        let (decision, to) = (Word(decision), to.map(Word));
        Choice { decision, to, unless }
    };
    vec![
        choice(Decision::Approve, None, words.some("bo must agree as risk_specialist")),
        choice(Decision::Keep, Some(State::Provisional), None),
        choice(Decision::Weaken, Some(State::Candidate), None),
        choice(Decision::Reject, Some(State::Rejected), None),
        choice(Decision::Supersede, Some(State::Superseded), None),
        choice(Decision::Archive, Some(State::Archived), None),
    ]
}

pub(super) fn queued(words: &Words) -> Queued {
    let story = story(words);
    Queued {
        lesson: story.page.lesson,
        waits: Id(Waiting::CanBeCanonical),
        authority: words.of("risk_specialist"),
        because: words.some("helped in 9 runs"),
        approvals: story.page.reviews.clone(),
        people: words.all(&["ada", "bo"]),
        deadline: Some(at(28)),
        decisions: Decision::ALL.iter().map(|decision| Word(*decision)).collect(),
        reviews: story.page.reviews,
    }
}
