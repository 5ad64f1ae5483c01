//! What is started, with which words? Each turn asks for something else, as agents do,
//! and the same turn asks for the same in every bench.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::ids::LessonId;
use hardwon_store::{Access, LessonQuery, Pick, SqliteStore, Store};
use serde_json::json;

use super::draft::{Draft, Vocabulary};
use super::fill::{self, NOW};
use super::start::Start;

/// One thing that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// The start of a program that does nothing.
    Empty,
    /// Opening the store and reading one lesson by its id, in this process.
    Lookup,
    Inject,
    /// With a run, so that the injection is recorded.
    InjectForRun,
    /// A prompt of a new session: a block, recorded and answered once.
    HookPrompt,
    /// A failed tool that nothing is known about, by far the most frequent.
    HookFailed,
    Learn,
}

/// Findings of a record that is learned; every second one is known.
const N_FINDINGS: u64 = 20;

impl Scenario {
    pub fn name(self) -> &'static str {
        match self {
            Scenario::Empty => "start of an empty binary",
            Scenario::Lookup => "one indexed lookup",
            Scenario::Inject => "inject",
            Scenario::InjectForRun => "inject --run",
            Scenario::HookPrompt => "hook claude, a prompt",
            Scenario::HookFailed => "hook claude, a failed tool",
            Scenario::Learn => "learn, 20 findings",
        }
    }
}

/// A filled store and what is needed to ask it.
pub struct Memory<'a> {
    /// `HARDWON_HOME`.
    pub home: PathBuf,
    pub n_lessons: u64,
    pub vocabulary: &'a Vocabulary,
    pub program: &'a Path,
    pub empty: &'a Path,
    /// Some lesson of the first project.
    pub lesson: LessonId,
}

impl<'a> Memory<'a> {
    /// The store's file.
    pub fn file(home: &Path) -> PathBuf {
        home.join("memory.db")
    }

    /// The process of a scenario; none for what is measured in this one.
    pub fn start(&self, scenario: Scenario, turn: u64) -> Result<Option<Start>, String> {
        let start = self.program_start();
        Ok(match scenario {
            Scenario::Empty => Some(Start::new(self.empty, &self.home)),
            Scenario::Lookup => None,
            Scenario::Inject => Some(start.args(&["inject"]).args(&self.need(turn))),
            Scenario::InjectForRun => {
                let run = format!("coming-{turn}");
                Some(start.args(&["inject", "--run", &run]).args(&self.need(turn)))
            }
            Scenario::HookPrompt | Scenario::HookFailed => {
                Some(start.args(&["hook", "claude"]).input(self.event(scenario, turn)?))
            }
            Scenario::Learn => Some(start.args(&["learn"]).args(&[self.record(turn)?])),
        })
    }

    /// The same with `--json`: to see that it does what it is measured for.
    pub fn json_answer(&self, scenario: Scenario, turn: u64) -> Result<serde_json::Value, String> {
        let start = self.start(scenario, turn)?.ok_or("not a process")?.args(&["--json"]);
        let text = start.output()?;
        serde_json::from_str(&text).map_err(|error| format!("no JSON answer: {error}"))
    }

    /// Opens the store and reads one lesson by its id.
    pub fn look_up(&self) -> Result<(), String> {
        let read = || {
            let store = SqliteStore::open(Memory::file(&self.home), Access::Read)?;
            let pick = Pick::Ids(vec![self.lesson.clone()]);
            store.lessons(&fill::project(0), &LessonQuery { pick, ..LessonQuery::default() })
        };
        match read() {
            Ok(lessons) if lessons.len() == 1 => Ok(()),
            Ok(_) => Err("the looked-up lesson is gone".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn program_start(&self) -> Start {
        Start::new(self.program, &self.home)
            .variable("HARDWON_PROJECT", fill::project(0).as_str())
            .variable("HARDWON_NOW", &NOW.to_string())
    }

    /// A task that is like some finding, in one of its files.
    fn need(&self, turn: u64) -> Vec<String> {
        let draft = self.draft(turn);
        let need = ["--role", "reviewer", "--domain", "code", "--path", &draft.path, "--text"];
        need.iter().map(|word| (*word).to_owned()).chain([draft.text]).collect()
    }

    /// An event of a host, in a file: each turn is another session.
    fn event(&self, scenario: Scenario, turn: u64) -> Result<PathBuf, String> {
        let draft = self.draft(turn);
        let session = format!("{scenario:?}-{turn}");
        let event = match scenario {
            Scenario::HookPrompt => json!({
                "session_id": session, "hook_event_name": "UserPromptSubmit", "prompt_id": "p",
                "prompt": format!("{} in {}", draft.text, draft.path),
            }),
            _ => json!({
                "session_id": session, "hook_event_name": "PostToolUseFailure",
                "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "make check"},
                "error": format!("Exit code 2\nmake: *** [check] error {turn}\nmake failed"),
            }),
        };
        let path = self.home.join(format!("event-{session}.json"));
        fs::write(&path, event.to_string())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(path)
    }

    fn draft(&self, turn: u64) -> Draft {
        let n_known = self.n_lessons / fill::n_projects(self.n_lessons);
        self.vocabulary.retold(0, turn.wrapping_mul(7919) % n_known.max(1), turn)
    }

    /// A record of an unknown run.
    fn record(&self, turn: u64) -> Result<PathBuf, String> {
        let path = self.home.join(format!("record-{turn}.jsonl"));
        fs::write(&path, self.record_text(turn))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(path)
    }

    fn record_text(&self, turn: u64) -> String {
        let run = json!({
            "type": "run", "id": format!("learned-{turn}"), "role": "maker", "domain": "code",
            "finished": NOW.to_string(), "outcome": "success",
        });
        let findings = (0..N_FINDINGS).map(|index| {
            let number = turn * N_FINDINGS + index;
            let draft = match index % 2 {
                0 => self.draft(number),
                _ => self.vocabulary.draft(1, u64::MAX / 2 + number),
            };
            json!({
                "type": "finding", "author": draft.detector, "severity": "warning",
                "category": draft.category, "text": draft.text, "path": draft.path,
                "line": 1 + index, "grade": "cited",
            })
        });
        let lines: Vec<String> = [run].into_iter().chain(findings).map(|l| l.to_string()).collect();
        lines.join("\n")
    }
}
