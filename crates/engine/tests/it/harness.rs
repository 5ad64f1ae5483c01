//! What the tests share: a store with a project in it, every use case as a method, lines of
//! records, and a user's folder with settings and stores.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use hardwon_core::policy::Policy;
use hardwon_engine::answer::{
    Answer, Checked, Exported, Forgotten, Guarded, History, Hits, Imported, Injected, Learned,
    LessonStory, LessonVersions, Lessons, ProjectShown, Projects, Queue, Reflected, Regressions,
    Report, RunEnded, RunLearned, RunStory, Swept,
};
use hardwon_engine::effect::EffectKind;
use hardwon_engine::ids::{OperationId, ProjectId, RunId};
use hardwon_engine::lesson::{Decision, Kind, Lesson};
use hardwon_engine::need::Need;
use hardwon_engine::run::Outcome;
use hardwon_engine::time::Timestamp;
use hardwon_engine::voice::Speaker;
use hardwon_engine::{
    AddRequest, DecideRequest, EditRequest, EngineError, Environment, InjectRequest, Input,
    LearnRequest, ListRequest, MarkRequest, OpenMemory, ReflectRequest, SearchRequest, blocks,
    history, lessons, lookup, policy, projects, runs, transfer, trust,
};
use hardwon_store::{Access, LessonQuery, MemoryStore, SqliteStore, Store};
use serde_json::{Value, json};

/// The moment at which every test begins.
pub const NOW: &str = "2026-04-03T14:00:00Z";

pub const DAY: i64 = 86_400_000;

/// A finding that can become a lesson.
pub const W: &str = "Query built by string concatenation in the user search";
pub const LEAK: &str = "Temporary files stay behind after a failed import";
/// What a user may want.
pub const WISH: &str = "Bundle related changes into one pull request";

pub fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

pub struct Pipeline {
    engine: OpenMemory,
    /// Keeps the folder of a SQLite store alive.
    _folder: Option<tempfile::TempDir>,
}

impl Deref for Pipeline {
    type Target = OpenMemory;

    fn deref(&self) -> &OpenMemory {
        &self.engine
    }
}

impl DerefMut for Pipeline {
    fn deref_mut(&mut self) -> &mut OpenMemory {
        &mut self.engine
    }
}

macro_rules! use_cases {
    ($($room:ident::$name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Pipeline {$(
            pub fn $name(&mut self, $($arg: $type),*) -> Result<$answer, EngineError> {
                let OpenMemory { memory, call } = &mut self.engine;
                $room::$name(memory, call, $($arg),*)
            }
        )*}
    };
}

use_cases! {
    blocks::compose(request: &InjectRequest) -> Injected;
    history::history(lesson: Option<&str>, limit: Option<usize>) -> Answer<History>;
    history::versions(name: &str) -> Answer<LessonVersions>;
    history::report() -> Answer<Report>;
    lessons::add(request: &AddRequest) -> Answer<Lesson>;
    lessons::decide(request: &DecideRequest) -> Answer<Lesson>;
    lessons::doubt(name: &str, because: &str) -> Answer<Lesson>;
    lessons::edit(name: &str, request: &EditRequest) -> Answer<Lesson>;
    lessons::forget(name: &str) -> Answer<Lesson>;
    lessons::forget_for_good(environment: &Environment, name: &str) -> Answer<Forgotten>;
    lessons::list(request: &ListRequest) -> Answer<Lessons>;
    lessons::merge(weaker: &str, into: &str) -> Answer<Lesson>;
    lessons::pin(name: &str, is_pinned: bool) -> Answer<Lesson>;
    lessons::restore(name: &str) -> Answer<Lesson>;
    lessons::review_queue() -> Answer<Queue>;
    lessons::restore_version(name: &str, number: u32) -> Answer<Lesson>;
    lessons::show(name: &str) -> Answer<LessonStory>;
    lookup::lesson_named(name: &str) -> Lesson;
    projects::keep_apart() -> ();
    projects::offered_kin() -> Option<hardwon_core::project::Project>;
    projects::project_alias(name: &str, into: Option<&str>) -> Answer<ProjectShown>;
    projects::project_list() -> Answer<Projects>;
    projects::project_rename(name: &str, to: &str) -> Answer<ProjectShown>;
    projects::project_show(name: Option<&str>) -> Answer<ProjectShown>;
    runs::decay() -> Answer<Swept>;
    runs::guard_reviewed(name: &str) -> Answer<Guarded>;
    runs::guard_run_closed(run: &RunId) -> Answer<Guarded>;
    runs::reflect(request: &ReflectRequest) -> Answer<Reflected>;
    runs::regressions(run: Option<&RunId>) -> Answer<Regressions>;
    runs::runs_show(run: &RunId) -> Answer<RunStory>;
    transfer::export_own() -> (String, Exported);
    transfer::export_to_file(environment: &Environment, path: &str, may_replace: bool) -> Answer<Exported>;
    transfer::import_file(environment: &Environment, path: &str) -> Answer<Imported>;
}

impl Pipeline {
    pub fn search(
        &self,
        text: &str,
        limit: usize,
        is_all: bool,
    ) -> Result<Answer<Hits>, EngineError> {
        let request = SearchRequest { text: text.to_owned(), limit, is_all };
        let OpenMemory { memory, call } = &self.engine;
        lessons::search(memory, call, &request, &mut |_| None)
    }

    pub fn on_memory() -> Self {
        Self::with_policy("hardwon")
    }

    pub fn with_policy(name: &str) -> Self {
        Self::with_rules(policy::load(name).unwrap())
    }

    /// Rules that no preset has.
    pub fn with_rules(rules: Policy) -> Self {
        Self::on(Box::new(MemoryStore::new()), "demo", rules)
    }

    /// A project in a file that others may have open, too.
    pub fn at(path: &Path, project: &str) -> Self {
        let store = SqliteStore::open(path, Access::Write).unwrap();
        Self::on(Box::new(store), project, policy::load("hardwon").unwrap())
    }

    pub fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pipeline = Self::at(&folder.path().join("memory.db"), "demo");
        Pipeline { _folder: Some(folder), ..pipeline }
    }

    pub fn on(store: Box<dyn Store>, project: &str, rules: Policy) -> Self {
        let engine = OpenMemory::with_store(store, ProjectId::new(project), rules, now());
        Pipeline { engine, _folder: None }
    }

    /// Both kinds of store, for what must be the same on both.
    pub fn on_both() -> [Self; 2] {
        [Self::on_memory(), Self::on_sqlite()]
    }

    /// What a person with these settings opens.
    pub fn open(environment: &Environment) -> Self {
        Self::open_for(environment, Access::Write)
    }

    pub fn open_for(environment: &Environment, access: Access) -> Self {
        let engine = OpenMemory::open(environment, &Default::default(), access).unwrap();
        Pipeline { engine, _folder: None }
    }

    /// `W` was seen in `r1` and `r2`.
    pub fn confirmed() -> Self {
        Self::confirming(&[W])
    }

    pub fn confirming(texts: &[&str]) -> Self {
        let mut p = Self::on_memory();
        p.confirm(texts);
        p
    }

    /// Finds all of this in `r1` and in `r2`: from two runs on it is shown.
    pub fn confirm(&mut self, texts: &[&str]) {
        let findings: String = texts.iter().map(|text| warning(text)).collect();
        for id in ["r1", "r2"] {
            self.learn(&(run(id, &["guardian"]) + &findings));
        }
    }

    pub fn learn(&mut self, record: &str) -> Answer<Learned> {
        self.learn_inputs(None, &[record]).unwrap()
    }

    /// Learns records of one run, which the caller may name.
    pub fn learn_inputs(
        &mut self,
        run: Option<&str>,
        records: &[&str],
    ) -> Result<Answer<Learned>, EngineError> {
        let inputs = records.iter().map(|record| Input::text("record.jsonl", record)).collect();
        self.learn_all(LearnRequest { inputs, run: run.map(run_id), ..LearnRequest::default() })
    }

    pub fn learn_all(&mut self, request: LearnRequest) -> Result<Answer<Learned>, EngineError> {
        runs::learn(&mut self.engine.memory, &self.engine.call, request)
    }

    /// A host kept this session; it is learned a day later, when it ends.
    pub fn keep(&mut self, id: &str, turns: &str) -> Answer<Learned> {
        self.later(1);
        let dated = format!("\"{id}\",\"timestamp\":\"{}\"", self.call.now);
        let kept = turns.replace("\"SESSION\"", &dated);
        runs::learn_conversation(&mut self.engine.memory, &self.engine.call, "kept", &kept).unwrap()
    }

    /// Learns a record of one run.
    pub fn learn_run(&mut self, record: &str) -> RunLearned {
        let answer = self.learn(record);
        assert_eq!(answer.problems, [], "the record is well-formed");
        let [run] = <[RunLearned; 1]>::try_from(answer.body.runs).unwrap();
        run
    }

    /// Guardian looks at these runs and finds nothing.
    pub fn learn_clean(&mut self, numbers: impl IntoIterator<Item = u32>) {
        for n in numbers {
            self.learn_run(&run(&format!("r{n}"), &["guardian"]));
        }
    }

    /// Guardian finds this in a run.
    pub fn learn_finding(&mut self, run_id: &str, text: &str) -> RunLearned {
        self.learn_run(&(run(run_id, &["guardian"]) + &warning(text)))
    }

    pub fn inject(&mut self, run: &str) -> Injected {
        self.inject_for(Some(run), Need::default())
    }

    pub fn inject_for(&mut self, run: Option<&str>, need: Need) -> Injected {
        let is_explained = true;
        let run = run.map(run_id);
        self.serve(&InjectRequest { run, need, is_explained, ..Default::default() })
    }

    pub fn serve(&mut self, request: &InjectRequest) -> Injected {
        blocks::inject(&mut self.engine.memory, &self.engine.call, request).unwrap().body
    }

    /// Shows what there is to a run, and learns its record: the effect on the first lesson
    /// that was shown, and why.
    pub fn effect_after(&mut self, run: &str, record: &str) -> (&'static str, String) {
        self.inject(run);
        let learned = self.learn_run(record);
        (learned.effects[0].kind.word(), learned.effects[0].why.clone())
    }

    pub fn outcome(
        &mut self,
        run: &str,
        outcome: Outcome,
        is_correction: bool,
    ) -> Result<Answer<RunEnded>, EngineError> {
        let OpenMemory { memory, call } = &mut self.engine;
        runs::outcome(memory, call, &run_id(run), outcome, is_correction)
    }

    pub fn check(&mut self, run: &str) -> Checked {
        runs::check(&mut self.engine.memory, &self.engine.call, &run_id(run)).unwrap().body
    }

    pub fn mark(
        &mut self,
        lesson: &Lesson,
        effect: EffectKind,
        run: &str,
    ) -> Result<Lesson, EngineError> {
        let because = "it led astray".to_owned();
        let request =
            MarkRequest { lesson: lesson.id.to_string(), effect, run: run_id(run), because };
        let answer = runs::mark(&mut self.engine.memory, &self.engine.call, &request)?;
        Ok(answer.body)
    }

    /// Takes the newest operation back; its number.
    pub fn undo(&mut self) -> Result<u64, EngineError> {
        self.undo_operation(None)
    }

    pub fn undo_operation(&mut self, operation: Option<u64>) -> Result<u64, EngineError> {
        let OpenMemory { memory, call } = &mut self.engine;
        Ok(history::undo(memory, call, operation.map(OperationId))?.body.operation)
    }

    /// How many changes were ever written.
    pub fn n_entries(&mut self) -> usize {
        self.history(None, None).unwrap().body.entries.len()
    }

    /// A person states this.
    pub fn state(&mut self, text: &str, kind: Kind) -> Lesson {
        self.add(&AddRequest { kind: Some(kind), ..wish(text) }).unwrap().body
    }

    /// A person wants this.
    pub fn wish(&mut self, text: &str) -> Lesson {
        self.add(&wish(text)).unwrap().body
    }

    pub fn review(&mut self, lesson: &Lesson, decision: Decision) -> Result<Lesson, EngineError> {
        Ok(self.decide(&decision_on(lesson, decision))?.body)
    }

    pub fn lessons(&self) -> Vec<Lesson> {
        self.memory.store.lessons(&self.call.project, &LessonQuery::default()).unwrap()
    }

    #[track_caller]
    pub fn only_lesson(&self) -> Lesson {
        let [lesson] = <[Lesson; 1]>::try_from(self.lessons()).unwrap();
        lesson
    }

    #[track_caller]
    pub fn lesson_saying(&self, text: &str) -> Lesson {
        let is_it = |lesson: &Lesson| lesson.text.as_str() == text;
        self.lessons().into_iter().find(is_it).unwrap_or_else(|| panic!("no lesson says {text:?}"))
    }

    /// As it is now.
    pub fn again(&mut self, lesson: &Lesson) -> Lesson {
        self.lesson_named(lesson.id.as_str()).unwrap()
    }

    pub fn later(&mut self, days: i64) {
        self.engine.call.now = Timestamp(self.call.now.0 + days * DAY);
    }

    /// Nothing is damaged and the journal replays to equal tables.
    #[track_caller]
    pub fn assert_sound(&self) {
        assert_eq!(self.memory.store.check().unwrap(), []);
    }
}

pub fn run_id(name: &str) -> RunId {
    RunId::parse(name).unwrap()
}

pub fn wish(text: &str) -> AddRequest {
    AddRequest { text: text.into(), ..AddRequest::default() }
}

pub fn reworded(text: &str) -> EditRequest {
    EditRequest { text: Some(text.into()), ..EditRequest::default() }
}

pub fn decision_on(lesson: &Lesson, decision: Decision) -> DecideRequest {
    let because = "looked at it".to_owned();
    DecideRequest { lesson: lesson.id.to_string(), decision, because, by: None, with: None }
}

pub fn role(role: &str) -> Need {
    Need { role: Some(role.into()), ..Need::default() }
}

/// A line of a record: these fields, and those that the second has.
pub fn line(mut fields: Value, more: Value) -> String {
    let more = more.as_object().expect("an object").clone();
    fields.as_object_mut().expect("an object").extend(more);
    format!("{fields}\n")
}

/// A turn of somebody in a session that Claude Code keeps.
pub fn turn(by: &str, content: Value, also: Value) -> String {
    let message = json!({"role": by, "content": content});
    line(json!({"type": by, "sessionId": "SESSION", "message": message}), also)
}

/// A run line, with detectors.
pub fn run(id: &str, detectors: &[&str]) -> String {
    run_with(id, json!({"detectors": detectors}))
}

pub fn run_with(id: &str, more: Value) -> String {
    line(json!({"type": "run", "id": id}), more)
}

/// A warning by guardian, with a place.
pub fn warning(text: &str) -> String {
    finding("guardian", "warning", text)
}

pub fn finding(author: &str, severity: &str, text: &str) -> String {
    warning_with(text, json!({"author": author, "severity": severity}))
}

/// A warning by guardian with other fields.
pub fn warning_with(text: &str, more: Value) -> String {
    let usual = json!({"type": "finding", "author": "guardian", "severity": "warning",
        "text": text, "path": "src/api.rs", "line": 41, "grade": "cited"});
    line(usual, more)
}

/// The same without a place and a grade that would show anything.
pub fn echo(text: &str) -> String {
    line(
        json!({"type": "finding", "author": "guardian", "severity": "warning", "text": text}),
        json!({"grade": "reasoned"}),
    )
}

/// A verdict by guardian.
pub fn verdict(fields: Value) -> String {
    line(json!({"type": "verdict", "author": "guardian"}), fields)
}

/// A judge rules that a finding was none.
pub fn ruling(text: &str, grade: &str) -> String {
    verdict(json!({"author": "judge", "grade": grade, "false_positives": [text]}))
}

/// Says how a lesson went in a run.
pub fn effect(lesson: &Lesson, effect: &str, because: &str) -> String {
    let lesson = lesson.id.as_str();
    line(json!({"type": "effect", "lesson": lesson}), json!({"effect": effect, "because": because}))
}

/// A user's folder.
pub struct Home(tempfile::TempDir);

impl Home {
    pub fn new() -> Self {
        Home(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    /// With memory and settings in this folder of it.
    pub fn environment(&self, store: &str) -> Environment {
        Environment {
            home: Some(self.path(store)),
            project: Some("demo".into()),
            user: Some("ada".into()),
            now: Some(NOW.into()),
            folder: self.0.path().to_owned(),
            speaker: Speaker::person(),
            ..Environment::default()
        }
    }

    pub fn open(&self, store: &str) -> Pipeline {
        Pipeline::open(&self.environment(store))
    }

    /// The same as an agent calls it.
    pub fn open_as(&self, agent: &str) -> Pipeline {
        let speaker = Speaker::agent(agent);
        Pipeline::open(&Environment { speaker, ..self.environment("home") })
    }

    /// A person trusts this file as it is.
    pub fn trust(&self, store: &str, file: &str) {
        let (environment, path) = (self.environment(store), self.path(file));
        let (found, _) = transfer::look_into(&environment, &path).unwrap();
        trust::pin(&environment, &path, &found.digest).unwrap();
    }
}

/// An edited export with the digest that it has now.
pub fn with_digest(text: &str) -> String {
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let digest = hardwon_core::digest::sha256_of_bytes(format!("{body}\n").as_bytes());
    format!("{body}\n{{\"digest\":\"{digest}\"}}\n")
}

/// A SARIF report of a tool.
pub fn sarif(tool: &str, results: &[Value]) -> String {
    let tool = json!({"driver": {"name": tool}});
    json!({"version": "2.1.0", "runs": [{"tool": tool, "results": results}]}).to_string()
}

/// A rule that a file breaks, as SARIF says it.
pub fn sarif_result(rule: &str, file: &str, text: &str) -> Value {
    json!({
        "ruleId": rule, "level": "error", "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": file},
            "region": {"startLine": 4}}}],
    })
}

/// Split-mix: a seed means the same for ever.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
