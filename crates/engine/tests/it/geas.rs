//! What geas keeps of a task becomes lessons: suggestions by what they say, and four things
//! because they happen again.

use hardwon_engine::answer::{Answer, Learned};
use hardwon_engine::lesson::{Kind, Lesson, State};
use hardwon_engine::policy;
use hardwon_readers::{System, from_foreign};

use crate::harness::Pipeline;

impl Pipeline {
    /// Learns documents of one task.
    fn learn_task(&mut self, task: &str, documents: &[&str]) -> Answer<Learned> {
        self.learn_inputs(Some(task), documents).unwrap()
    }

    fn lesson_like(&self, words: &str) -> Lesson {
        let is_it = |lesson: &Lesson| lesson.text.as_str().contains(words);
        self.lessons().into_iter().find(is_it).unwrap_or_else(|| panic!("no lesson says {words}"))
    }
}

/// Kind, category, state, confidence in percent, and in how many root runs it was seen.
fn said(lesson: &Lesson) -> (Kind, &str, State, f64, u32) {
    let percent = (lesson.confidence * 100.0).round();
    let category = lesson.category.as_deref().unwrap_or("-");
    (lesson.kind, category, lesson.state, percent, lesson.n_sightings)
}

fn failure(class: &str, reason: &str) -> String {
    format!("{{\n\"failure_class\": \"{class}\",\n\"failure_reason\": \"{reason}\"\n}}")
}

fn review(reviewer: &str, category: &str, concern: &str) -> String {
    format!(
        "{{\n\"reviewer_type\": \"{reviewer}\", \"status\": \"blocked\",\n\"blocking_concerns\": \
         [{{\"concern\": \"{concern}\", \"severity\": \"major\", \
         \"category\": \"{category}\"}}]\n}}"
    )
}

fn self_check(kind: &str, confidence: u32) -> String {
    format!("{{\n\"task_kind\": \"{kind}\", \"known_risks\": [], \"confidence\": {confidence}\n}}")
}

fn retrospective(candidates: &[&str]) -> String {
    let candidates = serde_json::to_string(candidates).unwrap();
    format!("{{\n\"task_id\": \"T-9\",\n\"memory_candidates\": {candidates}\n}}")
}

const LOCKFILE: &str = "Merge stopped at a stale lockfile in the web client";
const CLOCK: &str = "Acceptance check of the invoice export timed out";

#[test]
fn the_same_failure_class_twice_is_a_failure_lesson() {
    for mut p in Pipeline::on_both() {
        p.learn_task("T-1", &[&failure("integration_failure", LOCKFILE)]);
        let lesson = p.lesson_like("Failure class integration_failure");
        let once = (Kind::AntiPattern, "failure_lesson", State::Candidate, 40.0, 1);
        assert_eq!(said(&lesson), once, "once is not again");
        p.learn_task("T-2", &[&failure("gate_fail", CLOCK)]);
        let lesson = p.lesson_like("Failure class integration_failure");
        assert_eq!(said(&lesson), once, "another class is another class");
        p.learn_task("T-3", &[&failure("Integration_Failure", CLOCK)]);
        let lesson = p.lesson_like("Failure class integration_failure");
        let twice = (Kind::AntiPattern, "failure_lesson", State::Provisional, 60.0, 2);
        assert_eq!(said(&lesson), twice);
        let reason = p.lesson_like(CLOCK);
        assert_eq!(said(&reason), (Kind::Hint, "gate_fail", State::Provisional, 60.0, 2));
        assert!(p.inject("T-4").block.contains("Failure class integration_failure"));
        p.assert_sound();
    }
}

#[test]
fn the_same_review_category_in_two_runs_is_a_lesson() {
    let mut p = Pipeline::on_memory();
    let upload = review("risk_specialist", "input_handling", "Upload names reach the disk");
    let search = review("quality_specialist", "input_handling", "Search accepts empty filters");
    p.learn_task("T-1", &[&upload, &search]);
    let once = p.lesson_like("raised input_handling concerns");
    let expected = (Kind::Pattern, "input_handling", State::Candidate, 40.0, 1);
    assert_eq!(said(&once), expected, "two reviewers of one run are one run");
    p.learn_task("T-2", &[&search]);
    let twice = p.lesson_like("raised input_handling concerns");
    assert_eq!(said(&twice), (Kind::Pattern, "input_handling", State::Provisional, 60.0, 2));
}

#[test]
fn what_is_risky_twice_is_a_risk_at_less_confidence() {
    let mut p = Pipeline::on_memory();
    let recovery = "{\n\"recovery_class\": \"stale_worktree\"\n}";
    let low = "Low self-confidence on migration work";
    p.learn_task("T-1", &[recovery, &self_check("migration", 2), &self_check("frontend", 1)]);
    p.learn_task("T-2", &[&self_check("migration", 3)]);
    assert_eq!(p.lesson_like(low).n_sightings, 1, "3 of 5 is not low");
    p.learn_task("T-3", &[recovery, &self_check("migration", 1)]);
    let risk = (Kind::Pattern, "risk_pattern", State::Provisional, 40.0, 2);
    assert_eq!(said(&p.lesson_like("Recovery incident: stale_worktree")), risk);
    assert_eq!(said(&p.lesson_like(low)), risk);
    let other = p.lesson_like("Low self-confidence on frontend work");
    assert_eq!((other.state, other.n_sightings), (State::Candidate, 1), "one kind of task each");
}

#[test]
fn suggestions_are_sorted_by_what_they_say() {
    let cases = [
        ("Check the token before each upload call", Kind::Pattern, "security_pattern"),
        ("Cache the parsed profile when the page is slow", Kind::Hint, "performance_tip"),
        ("Add a fixture before touching flaky suites", Kind::Pattern, "test_strategy"),
        ("Use the webhook endpoint of the billing vendor", Kind::Pattern, "integration_pattern"),
        ("Keep each button reachable by keyboard", Kind::Pattern, "ux_pattern"),
        ("Keep parsing out of the storage layer", Kind::Precedent, "architecture_precedent"),
        ("We chose SQLite, a decision to keep", Kind::Precedent, "decision_precedent"),
        ("Avoid risky renames of public columns", Kind::Pattern, "risk_pattern"),
        ("Prompt each subagent to read the brief", Kind::Rule, "agent_rule"),
        ("Follow the naming convention when adding crates", Kind::Rule, "project_rule"),
        ("Use smaller steps for large imports", Kind::Hint, "process_improvement"),
        ("Do not retry imports blindly: it did not work", Kind::AntiPattern, "failure_lesson"),
    ];
    for (text, kind, category) in cases {
        let mut p = Pipeline::on_memory();
        let learned = p.learn(&retrospective(&[text]));
        assert_eq!(learned.problems, [], "{text}");
        assert_eq!(learned.body.runs[0].run.as_str(), "T-9", "the task names the run");
        let lesson = p.only_lesson();
        assert_eq!(said(&lesson), (kind, category, State::Candidate, 40.0, 1), "{text}");
        assert!(lesson.detectors.is_empty(), "who suggests has not looked for anything");
    }
}

#[test]
fn every_row_of_every_policy_is_a_type_of_geas() {
    for name in policy::names() {
        let rows = policy::load(name).unwrap().categories.rows;
        let words: Vec<&str> = System::Geas.words().collect();
        assert_eq!(rows.len(), words.len(), "{name}");
        for (category, row) in &rows {
            let (kind, _) = from_foreign(System::Geas, category).unwrap();
            assert_eq!(row.kind, kind, "{name}: {category}");
        }
    }
}

#[test]
fn a_suggestion_is_said_once_however_often() {
    let mut p = Pipeline::on_memory();
    let text = "Run the importer on the largest sample before handing over";
    let near = "Before handing over, run the importer on the largest sample";
    let learned = p.learn_task("T-1", &[&retrospective(&[text, text, near])]);
    assert_eq!(learned.body.runs[0].findings.n_used, 3);
    assert_eq!(p.only_lesson().n_sightings, 1);
    p.learn_task("T-2", &[&retrospective(&[near])]);
    let lesson = p.only_lesson();
    let expected = (Kind::Hint, "process_improvement", State::Provisional, 60.0, 2);
    assert_eq!(said(&lesson), expected);
    assert!(lesson.detectors.is_empty());
}

#[test]
fn a_finding_about_a_failed_attempt_is_an_anti_pattern() {
    let mut p = Pipeline::on_memory();
    p.learn_finding("r1", "Parallel import was reverted twice");
    assert_eq!(p.only_lesson().kind, Kind::AntiPattern);
}
