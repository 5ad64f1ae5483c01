//! jkz's patterns as its scripts work on them: stored, listed, penalised and reinforced. Tests are
//! named after the parts of issue 17 and the sections of seed-facts.

use hardwon_engine::answer::{Pattern, PatternChanged};
use hardwon_engine::ids::ProjectId;
use hardwon_engine::lesson::{Decision, Lesson};
use hardwon_engine::need::Need;
use hardwon_engine::time::Timestamp;
use hardwon_engine::voice::{Speaker, Voice};
use hardwon_engine::{
    DecideRequest, InjectRequest, Input, LearnRequest, OpenMemory, Style, blocks, history, lessons,
    policy, runs,
};
use hardwon_foreign::jkz::patterns::{
    self, PatternQuery, PatternStated, ReinforceRequest, ignore_pattern, reinforce_patterns,
    store_pattern,
};
use hardwon_store::{LessonQuery, MemoryStore};
use serde_json::json;

const LIMITER: &str = "Rate limiter is created per request and never shared";
const TOKEN: &str = "Session token is logged in plain text";

/// A memory by jkz's rules in which a script calls for the roles of a pipeline.
fn scripted() -> OpenMemory {
    let rules = policy::load("jkz").unwrap();
    let now = Timestamp::parse("2026-04-03T14:00:00Z").unwrap();
    let store = Box::new(MemoryStore::new());
    let mut p = OpenMemory::with_store(store, ProjectId::new("demo"), rules, now);
    p.call.speaker = Speaker { voice: Voice::Script, ..Speaker::person() };
    p.call.actor = "script".to_owned();
    p
}

fn store(p: &mut OpenMemory, request: &PatternStated) -> PatternChanged {
    store_pattern(&mut p.memory, &p.call, request).unwrap().body
}

fn ignored(
    p: &mut OpenMemory,
    role: &str,
    text: &str,
    weight: Option<f64>,
) -> Option<PatternChanged> {
    ignore_pattern(&mut p.memory, &p.call, role, text, weight).unwrap().body
}

fn learn(p: &mut OpenMemory, lines: &[serde_json::Value]) {
    let record: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let request = LearnRequest::of(Input::text("record.jsonl", &record));
    runs::learn(&mut p.memory, &p.call, request).unwrap();
}

/// The block of a role, in jkz's style.
fn block(p: &mut OpenMemory, role: &str) -> String {
    let need = Need { role: Some(role.to_owned()), ..Need::default() };
    let request = InjectRequest { need, style: Some(Style::Jkz), ..InjectRequest::default() };
    blocks::inject(&mut p.memory, &p.call, &request).unwrap().body.block
}

fn only_lesson(p: &OpenMemory) -> Lesson {
    let all = p.memory.store.lessons(&p.call.project, &LessonQuery::default()).unwrap();
    let [lesson] = <[Lesson; 1]>::try_from(all).unwrap();
    lesson
}

/// Nothing is damaged and the journal replays to equal tables.
#[track_caller]
fn assert_sound(p: &OpenMemory) {
    assert_eq!(p.memory.store.check().unwrap(), []);
}

fn n_entries(p: &OpenMemory) -> usize {
    history::history(&p.memory, &p.call, None, None).unwrap().body.entries.len()
}

fn stored(p: &mut OpenMemory, role: &str, text: &str) -> PatternChanged {
    let (role, text) = (role.to_owned(), text.to_owned());
    store(p, &PatternStated { role, text, ..PatternStated::default() })
}

fn listed(p: &mut OpenMemory, role: &str) -> Vec<Pattern> {
    let query = PatternQuery { role: role.to_owned(), limit: 10, ..PatternQuery::default() };
    patterns::patterns(&p.memory, &p.call, &query).unwrap().body
}

fn reinforced(p: &mut OpenMemory, id: &str, evidence: Option<&str>) -> PatternChanged {
    let (role, ids) = ("judge".to_owned(), vec![id.to_owned()]);
    let evidence = evidence.map(str::to_owned);
    let request = ReinforceRequest { role, ids, evidence, run: None };
    reinforce_patterns(&mut p.memory, &p.call, &request).unwrap().body.remove(0)
}

/// seed-facts 4.2: verified by distinct contexts, never active by itself.
#[test]
fn facts_4_2_two_contexts_verify() {
    let in_context = |p: &mut OpenMemory, label: &str, file: &str| {
        let (labels, files) = (vec![label.to_owned()], vec![file.to_owned()]);
        let (role, text) = ("judge".to_owned(), LIMITER.to_owned());
        let request = PatternStated { role, text, labels, files, ..PatternStated::default() };
        store(p, &request).lifecycle_state
    };
    let mut p = scripted();
    assert_eq!(in_context(&mut p, "payments", "api/limit.rs"), Some("observed"));
    assert_eq!(in_context(&mut p, "Payments", "api/other.rs"), Some("candidate"));
    assert_eq!(in_context(&mut p, "search", "web/limit.rs"), Some("verified"));
    for n in 0..5 {
        let state = in_context(&mut p, &format!("label{n}"), "x/y.rs");
        assert_eq!(state, Some("verified"), "only a person makes it active");
    }
}

/// Numbers are never used twice: not after a lesson was put away, not after an undo.
#[test]
fn part_6_a_number_is_never_used_twice() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    p.call.speaker = Speaker::person();
    history::undo(&mut p.memory, &p.call, None).unwrap();
    assert_eq!(stored(&mut p, "judge", TOKEN).id, Some(2));
    let n_before = n_entries(&p);
    assert_eq!(listed(&mut p, "judge").len(), 1);
    assert_eq!(n_entries(&p), n_before, "a read writes nothing");
    assert_eq!(stored(&mut p, "judge", LIMITER).id, Some(1), "it is the same lesson");
}

/// seed-facts 4.2: the weight follows the penalised pattern's role: 1.5 for sentinel and
/// inspector, else 1. One success and one ruling: 1/(1 + 1.5) = 0.4, 1/(1 + 1) = 0.5; with
/// `--weight 3`: 1/(1 + 3) = 0.25.
#[test]
fn facts_4_2_ignore_weights() {
    let cases = [("inspector", None, 0.4), ("sentinel", None, 0.4), ("judge", None, 0.5)];
    for (role, weight, score) in cases.into_iter().chain([("judge", Some(3.0), 0.25)]) {
        let mut p = scripted();
        stored(&mut p, role, LIMITER);
        p.call.now = Timestamp(p.call.now.0 + 3 * 86_400_000);
        let fresh = listed(&mut p, role)[0].score.0;
        let ruled = ignored(&mut p, role, "rate limiter is created per request", weight);
        assert_eq!(ruled.unwrap().ignore_count, 1);
        let row = listed(&mut p, role).remove(0);
        let share = (row.score.0 / fresh * 1000.0).round() / 1000.0;
        assert!((share - score).abs() < 0.002, "{role}: {share}, not fresher either");
        assert_sound(&p);
    }
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    let other = ignore_pattern(&mut p.memory, &p.call, "lens", LIMITER, None).unwrap();
    assert!(other.body.is_none() && other.problems.len() == 1, "not the lens's pattern");
    for _ in 0..10 {
        ignored(&mut p, "judge", LIMITER, None);
    }
    stored(&mut p, "judge", LIMITER);
    assert_eq!(listed(&mut p, "judge")[0].ignore_count, 10, "each ruling counts");
    assert_eq!(
        block(&mut p, "judge").lines().nth(1).unwrap_or_default(),
        format!("- {LIMITER} [-8 net, 10x ignored]")
    );
}

#[test]
fn part_6_an_agents_ruling_on_an_approved_pattern_is_a_flag() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    stored(&mut p, "judge", LIMITER);
    p.call.speaker = Speaker::person();
    let (lesson, because) = (only_lesson(&p).id.to_string(), "looked at it".to_owned());
    let decision = Decision::Approve;
    let request = DecideRequest { lesson, decision, because, by: None, with: None };
    lessons::decide(&mut p.memory, &p.call, &request).unwrap();
    p.set_caller(Some("codex"));
    let flagged = ignored(&mut p, "judge", LIMITER, None).unwrap();
    assert!(!flagged.is_changed && flagged.ignore_count == 0, "{flagged:?}");
    assert_eq!(only_lesson(&p).open_proposals().len(), 1);
}

/// What one agent claims by itself is shown under no rules, in however many roles it speaks.
#[test]
fn part_6_an_agent_alone_makes_no_pattern() {
    let mut p = scripted();
    p.set_caller(Some("codex"));
    for role in ["judge", "judge", "sentinel", "auditor"] {
        stored(&mut p, role, LIMITER);
    }
    assert_eq!(block(&mut p, "judge"), "");
    assert!(!reinforced(&mut p, "1", Some("```\ntest result: FAILED. 1 failed\n```")).is_changed);
    p.set_caller(None);
    p.call.speaker = Speaker { voice: Voice::Script, ..Speaker::person() };
    stored(&mut p, "judge", TOKEN);
    p.set_caller(Some("codex"));
    assert!(!stored(&mut p, "judge", TOKEN).is_changed, "others reported it");
}

/// seed-facts 4.3: execution output is level 1, a cited fragment level 2; "ran it, works" is 3.
#[test]
fn facts_4_3_only_executed_or_cited_evidence_reinforces() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    let said = reinforced(&mut p, "1", Some("Ran it, works"));
    assert!(!said.is_changed && said.because.contains("reasoning only"), "{said:?}");
    let none = reinforced(&mut p, "1", None);
    assert!(!none.is_changed && none.because.contains("no PASS of judge"), "{none:?}");
    let ran = "```\n$ cargo test limiter\ntest result: ok. 3 passed; 0 failed\n```";
    assert_eq!(reinforced(&mut p, "1", Some(ran)).success_count, 2);
    let again = reinforced(&mut p, "1", Some(ran));
    assert!(!again.is_changed && again.success_count == 2, "the same evidence counts once");
    let row = listed(&mut p, "judge").remove(0);
    assert!(row.was_validated, "{row:?}");
    let ids = vec!["99".to_owned(), "l-nothing".to_owned()];
    let request =
        ReinforceRequest { role: "judge".into(), ids, evidence: Some(ran.into()), run: None };
    let unknown = reinforce_patterns(&mut p.memory, &p.call, &request).unwrap();
    assert!(unknown.body.is_empty() && unknown.problems.len() == 2, "{:?}", unknown.problems);
    assert_sound(&p);
}

#[test]
fn part_6_without_evidence_the_newest_pass_is_the_ground() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    let run = |id: &str| json!({"type": "run", "id": id, "detectors": ["judge"]});
    let pass = |grade: &str, evidence: &str| {
        json!({"type": "verdict", "author": "judge", "verdict": "PASS", "grade": grade,
            "evidence": evidence})
    };
    learn(&mut p, &[run("r1"), pass("reasoned", "It looks right")]);
    let said = reinforced(&mut p, "1", None);
    assert!(!said.is_changed && said.because.contains("r1 by reasoning only"), "{said:?}");
    let ran = "```\n$ cargo test\ntest result: ok. 3 passed; 0 failed\n```";
    learn(&mut p, &[run("r2"), pass("executed", ran)]);
    let done = reinforced(&mut p, "1", None);
    assert!(done.is_changed && done.because.contains("passed r2"), "{done:?}");
    assert!(!reinforced(&mut p, "1", None).is_changed, "the same run counts once");
}
