//! A small pipeline for tests: a store, a project, and short ways to learn and inject.

use hardwon_engine::answer::{Answer, Injected, Learned, RunLearned};
use hardwon_engine::ids::{ProjectId, RunId};
use hardwon_engine::lesson::Lesson;
use hardwon_engine::need::Need;
use hardwon_engine::time::Timestamp;
use hardwon_engine::{
    InjectRequest, Input, LearnRequest, ListRequest, OpenMemory, blocks, lessons, policy, runs,
};
use hardwon_store::{Access, MemoryStore, SqliteStore, Store};

/// The moment at which every test begins.
pub const NOW: &str = "2026-04-03T14:00:00Z";

pub struct Pipeline {
    pub engine: OpenMemory,
    /// Keeps the folder of a SQLite store alive.
    _folder: Option<tempfile::TempDir>,
}

pub fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

impl Pipeline {
    pub fn on_memory() -> Self {
        Self::with_policy("hardwon")
    }

    pub fn with_policy(name: &str) -> Self {
        let store = Box::new(MemoryStore::new());
        let engine = engine(store, "demo", name);
        Pipeline { engine, _folder: None }
    }

    /// Rules that no preset has.
    pub fn with_rules(rules: hardwon_core::policy::Policy) -> Self {
        let store = Box::new(MemoryStore::new());
        let engine = OpenMemory::with_store(store, ProjectId::new("demo"), rules, now());
        Pipeline { engine, _folder: None }
    }

    /// A project in a file that others may have open, too.
    pub fn at(path: &std::path::Path, project: &str) -> Self {
        let store = SqliteStore::open(path, Access::Write).unwrap();
        Pipeline { engine: engine(Box::new(store), project, "hardwon"), _folder: None }
    }

    /// The same with rules that no preset has.
    pub fn at_with(path: &std::path::Path, rules: hardwon_core::policy::Policy) -> Self {
        let store = Box::new(SqliteStore::open(path, Access::Write).unwrap());
        let engine = OpenMemory::with_store(store, ProjectId::new("demo"), rules, now());
        Pipeline { engine, _folder: None }
    }

    pub fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memory.db"), Access::Write).unwrap();
        let engine = engine(Box::new(store), "demo", "hardwon");
        Pipeline { engine, _folder: Some(folder) }
    }

    /// Both kinds of store, for what must be the same on both.
    pub fn on_both() -> [Self; 2] {
        [Self::on_memory(), Self::on_sqlite()]
    }

    pub fn learn(&mut self, record: &str) -> Answer<Learned> {
        let request = LearnRequest::of(Input::text("record.jsonl", record));
        runs::learn(&mut self.engine.memory, &self.engine.call, request).unwrap()
    }

    /// Learns a record of one run.
    pub fn learn_run(&mut self, record: &str) -> RunLearned {
        let answer = self.learn(record);
        assert_eq!(answer.problems, [], "the record is well-formed");
        let [run] = <[RunLearned; 1]>::try_from(answer.body.runs).unwrap();
        run
    }

    pub fn inject(&mut self, run: &str) -> Injected {
        self.inject_for(Some(run), Need::default())
    }

    pub fn inject_for(&mut self, run: Option<&str>, need: Need) -> Injected {
        let run = run.map(|run| RunId::parse(run).unwrap());
        let request = InjectRequest { run, need, is_explained: true, ..InjectRequest::default() };
        blocks::inject(&mut self.engine.memory, &self.engine.call, &request).unwrap().body
    }

    pub fn lessons(&self) -> Vec<Lesson> {
        let all = ListRequest { is_all: true, ..ListRequest::default() };
        lessons::list(&self.engine.memory, &self.engine.call, &all).unwrap().body.lessons
    }

    pub fn only_lesson(&self) -> Lesson {
        let [lesson] = <[Lesson; 1]>::try_from(self.lessons()).unwrap();
        lesson
    }

    /// Nothing is damaged and the journal replays to equal tables.
    pub fn assert_sound(&self) {
        assert_eq!(self.engine.memory.store().check().unwrap(), []);
    }
}

fn engine(store: Box<dyn Store>, project: &str, policy: &str) -> OpenMemory {
    OpenMemory::with_store(store, ProjectId::new(project), policy::load(policy).unwrap(), now())
}

/// A run line, with detectors.
pub fn run(id: &str, detectors: &[&str]) -> String {
    let detectors = serde_json::to_string(detectors).unwrap();
    format!("{{\"type\":\"run\",\"id\":\"{id}\",\"detectors\":{detectors}}}\n")
}

/// A warning by guardian, with a place.
pub fn warning(text: &str) -> String {
    finding("guardian", "warning", text)
}

pub fn finding(author: &str, severity: &str, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(
        "{{\"type\":\"finding\",\"author\":\"{author}\",\"severity\":\"{severity}\",\"text\":{text},\
         \"path\":\"src/api.rs\",\"line\":41,\"grade\":\"cited\"}}\n"
    )
}
