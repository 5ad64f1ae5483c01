//! ArcheFlow's commands as its documents state them, each one call of the same use
//! cases as ours.

mod audit;
mod decay;
mod events;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hardwon_core::change::Change;
use hardwon_core::event::{Problem, Record};
use hardwon_core::foreign::ArcheflowLesson;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson, State, Unseen};
use hardwon_core::need::Need;
use hardwon_core::statement::{self, Stated, Statement};
use hardwon_core::voice::{AGENT_VARIABLE, Speaker};
use hardwon_engine::write::{Command, Decision, write};
use hardwon_engine::{
    Call, EngineError, Environment, InjectRequest, Input, LearnRequest, Memory, OpenMemory,
    Options, Result, Steps, blocks, lookup, runs,
};
use hardwon_readers::{Format, System, archeflow_lessons, from_foreign};
pub use hardwon_readers::{archeflow_run_name as is_run_name, is_json};
use hardwon_render::answer::{Answer, Injected, Learned, TrustStanding};
use hardwon_render::block::Style;
use hardwon_store::{Access, LessonQuery, Pick, ProjectStatus};

use super::{ArcheflowLayout, LESSONS, archeflow_folder};
use crate::opened::OpenFolder;
use crate::store::layout::Layout;

pub use audit::AuditChecked;
pub use decay::Decayed;
pub use events::{Compared, EventRequest, Reappeared};

/// What an event log taught.
#[derive(Clone, Debug, Default)]
pub struct Extracted {
    pub learned: Learned,
    pub problems: Vec<Problem>,
    /// Lessons whose number rose.
    pub raised: BTreeSet<LessonId>,
}

/// One ArcheFlow memory, for its own commands.
pub type Archeflow = OpenFolder<ArcheflowLayout>;

/// ArcheFlow is run by an agent, and takes what that states at its word: only who says to be an
/// agent is one on its files.
fn by_its_rule(environment: &Environment) -> Environment {
    let mut environment = environment.clone();
    if environment.speaker.sign != Some(AGENT_VARIABLE) {
        environment.speaker = Speaker::person();
    }
    environment
}

impl Archeflow {
    /// Opens the memory of the folder that this path means.
    pub fn open(environment: &Environment, path: &str, access: Access) -> Result<Archeflow> {
        let store = Some(format!("archeflow:{path}"));
        // Settings may choose many things, but not which rules these commands follow.
        let policy = Some("archeflow".to_owned());
        let options = Options { store, policy, foreign: crate::LAYOUTS, ..Options::default() };
        let environment = &by_its_rule(environment);
        let OpenMemory { memory, call } = OpenMemory::open(environment, &options, access)?;
        let folder = archeflow_folder(&environment.folder.join(path));
        Ok(OpenFolder::new(environment, memory, call, folder))
    }

    /// Why its lessons are not shown to an agent unless the folder was named.
    pub fn why_not_shown(&self) -> Result<Option<TrustStanding>> {
        if self.has_lessons()? { self.is_unapproved() } else { Ok(None) }
    }

    fn write<T>(
        &mut self,
        command: &str,
        decide: impl Fn(&Memory, &Call, &ProjectStatus) -> Decision<T>,
    ) -> Result<T> {
        let (call, command) = (&self.call, Command::new(command));
        let decide = &mut |memory: &Memory, status: &ProjectStatus| decide(memory, call, status);
        write(&mut self.memory, call, &command, decide).map(|(_, decided)| decided)
    }

    /// Whether there is a file of lessons at all.
    pub fn has_lessons(&self) -> Result<bool> {
        Ok(self.folder.has_file(LESSONS)?)
    }

    /// Takes the findings of one event log. Credit and decay have their own commands.
    pub fn extract(&mut self, log: PathBuf) -> Result<Extracted> {
        let bytes = self.log(&log)?;
        if bytes.trim_ascii().is_empty() {
            return Ok(Extracted::default());
        }
        let before = self.standings()?;
        let stream = Box::new(std::io::Cursor::new(bytes));
        let request = LearnRequest {
            inputs: vec![Input::Stream(log.display().to_string(), stream)],
            format: Some(Format::Archeflow),
            steps: Steps::Findings,
            ..LearnRequest::default()
        };
        let learned = runs::learn(&mut self.memory, &self.call, request)?;
        let after = self.standings()?;
        let is_raised = |(id, standing): &(&LessonId, &u32)| {
            before.get(*id).is_some_and(|before| before < standing)
        };
        let raised = after.iter().filter(is_raised).map(|(id, _)| id.clone()).collect();
        Ok(Extracted { learned: learned.body, problems: learned.problems, raised })
    }

    fn standings(&self) -> Result<BTreeMap<LessonId, u32>> {
        let lessons = self.memory.store.lessons(&self.call.project, &LessonQuery::default())?;
        Ok(lessons.into_iter().map(|lesson| (lesson.id, lesson.standing)).collect())
    }

    /// The bytes of an event log: below the folder with the folder's care, elsewhere as
    /// any file that the caller names.
    fn log(&self, path: &Path) -> Result<Vec<u8>> {
        let path: PathBuf = path.components().collect();
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let below = path.strip_prefix(self.folder.base()).ok().and_then(Path::to_str);
        let bytes = match below {
            Some(name) => self.folder.read(name)?.ok_or_else(missing),
            None => std::fs::read(&path),
        };
        bytes.map_err(|source| EngineError::File { path, source })
    }

    /// The block for a domain and an archetype, either of which may be empty; recorded
    /// if a run is named.
    pub fn inject(
        &mut self,
        domain: &str,
        archetype: &str,
        run: Option<RunId>,
    ) -> Result<Answer<Injected>> {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let need = Need { domain: given(domain), role: given(archetype), ..Need::default() };
        let style = Some(Style::Archeflow);
        let request = InjectRequest { run, need, style, ..InjectRequest::default() };
        blocks::inject(&mut self.memory, &self.call, &request)
    }

    /// States a lesson. Every call makes a lesson of its own, as it does there.
    pub fn add(&mut self, kind: &str, text: &str) -> Result<Lesson> {
        let kind = kind_of(kind).ok_or_else(|| EngineError::Setting {
            key: "type".to_owned(),
            reason: "not one of pattern, preference, archetype_hint, anti_pattern".to_owned(),
        })?;
        let text = self.memory.gate.statement(text, self.call.origin());
        let text = text.map_err(EngineError::Refused)?;
        let id = self.write("archeflow add", |memory, call, status| {
            let mut failure = None;
            let is_taken = |id: &LessonId| {
                memory.store.is_taken(&call.project, id).unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                })
            };
            let id = LessonId::derive(Some(&call.project), kind.word(), text.as_str(), is_taken);
            if let Some(error) = failure {
                return Err(error.into());
            }
            let statement = Statement {
                id: id.clone(),
                project: Some(call.project.clone()),
                kind,
                text: text.clone(),
                stated: &Stated::default(),
                author: &call.actor,
                origin: call.origin(),
                at: call.now,
            };
            let stated = statement::new_lesson(&memory.gate, statement);
            let unseen = Unseen { n_runs: 0, checked_at: status.run_number };
            // ArcheFlow counts the statement itself, whoever makes it.
            let lesson = Box::new(Lesson { unseen, standing: 1, ..stated });
            let because = format!("stated by {}", call.actor);
            Ok((vec![Change::AddLesson { lesson, because }], id))
        })?;
        let lesson = lookup::find_lesson(&self.memory, &self.call, &id)?;
        lesson.ok_or_else(|| EngineError::UnknownLesson { name: id.to_string() })
    }

    /// Moves every record with this id to the archive. Returns how many there were.
    pub fn forget(&mut self, id: &str) -> Result<usize> {
        self.write("archeflow forget", |memory, call, _| {
            let pick = Pick::Named(id.to_owned());
            let query = LessonQuery { pick, ..LessonQuery::default() };
            let mut found = memory.store.lessons(&call.project, &query)?;
            found.retain(|l| l.state.is_on_ladder() && l.aliases.iter().any(|alias| alias == id));
            let because = format!("forgotten by {}", call.actor);
            let forget = |lesson: &Lesson| {
                let (state, updated_at) = (State::Archived, call.now);
                let after = Lesson { state, updated_at, ..lesson.clone() };
                Change::edit_lesson(lesson, &after, &because)
            };
            Ok((found.iter().filter_map(forget).collect(), found.len()))
        })
    }

    /// A lesson's id in ArcheFlow's files.
    pub fn name_of(&self, id: &LessonId) -> Result<String> {
        let lesson = lookup::find_lesson(&self.memory, &self.call, id)?;
        let alias = lesson.and_then(|lesson| lesson.aliases.first().cloned());
        Ok(alias.unwrap_or_else(|| id.to_string()))
    }
}

/// The records of `lessons.jsonl`, in the order of the file; `None` if there is no such
/// file. Only reads it: a list needs no memory.
pub fn list(environment: &Environment, path: &str) -> Result<Option<Listed>> {
    let folder = archeflow_folder(&environment.folder.join(path));
    folder.check(ArcheflowLayout::FOLDERS)?;
    let Some(bytes) = folder.read(LESSONS)? else { return Ok(None) };
    let (file, problems) = archeflow_lessons("lessons.jsonl", &bytes);
    Ok(Some((file.lines.into_iter().filter_map(|line| line.record).collect(), problems)))
}

/// Records, and what could not be used.
pub type Listed = (Vec<ArcheflowLesson>, Vec<Problem>);

/// Whether a word is one of ArcheFlow's four types.
pub fn is_type(word: &str) -> bool {
    kind_of(word).is_some()
}

fn kind_of(word: &str) -> Option<Kind> {
    from_foreign(System::Archeflow, word).map(|(kind, _)| kind)
}

fn read_log(name: &str, bytes: &[u8]) -> Result<Record> {
    hardwon_readers::read(name, bytes, Some(Format::Archeflow))
        .map_err(|source| EngineError::Input { input: name.to_owned(), source })
}
