//! What happened to memory lately, as a stream that anybody may follow: lines in a file
//! of the data folder. Who writes never waits for who reads, and telling never fails its
//! caller; nothing is opened while nothing happens. It holds ids, numbers and times, and
//! no words of lessons: those are looked up when somebody reads it.
//!
//! A full file becomes the earlier half of the stream by a rename, so that a line that is
//! just being written is lost to nobody.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hardwon_core::answer::{Heard, Message, MessageKind, Named, Reflected, RunLearned, Said};
use hardwon_core::change::Change;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::State;
use hardwon_core::reflect::Scenario;
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::time::Timestamp;
use hardwon_render::json::kept_event;
use hardwon_store::{LessonQuery, Pick, files};
use serde_json::Value;

use crate::Engine;
use crate::error::EngineError;
use crate::place::Environment;

/// The newer half of the stream, in the data folder.
const FILE: &str = "events.jsonl";

/// The older half.
const OLDER: &str = "events.1.jsonl";

/// The file becomes the older half when it grows beyond this.
const MAX_BYTES: u64 = 512 << 10;

/// Most lessons that one message names.
const MAX_LESSONS: usize = 50;

/// What stands for the words of a lesson that is gone.
const ERASED: &str = "[erased]";

/// Where messages go.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    folder: PathBuf,
}

impl Stream {
    /// The stream of the data folder; none if no folder is known.
    pub(crate) fn of(environment: &Environment) -> Option<Stream> {
        Some(Stream { folder: environment.data_folder().ok()? })
    }

    /// One write for all of them: lines of several processes do not mix.
    fn append(&self, messages: &[Message]) -> std::io::Result<()> {
        // Whatever was torn off before stays a line of its own.
        let lines = messages.iter().map(|message| format!("{}\n", kept_event(message)));
        let lines = format!("\n{}", lines.collect::<String>());
        let path = self.folder.join(FILE);
        let mut options = files::without_links();
        options.append(true).create(true).mode(0o600);
        let opened = options.open(&path).or_else(|_| {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
            options.open(&path)
        });
        let mut file = opened?;
        file.write_all(lines.as_bytes())?;
        match file.metadata()?.len() > MAX_BYTES {
            true => self.turn(&file),
            false => Ok(()),
        }
    }

    /// The full file becomes the older half. Only one of several writers does it, and only
    /// if the file is still the one that it found full.
    fn turn(&self, full: &File) -> std::io::Result<()> {
        if full.try_lock().is_err() {
            return Ok(());
        }
        let path = self.folder.join(FILE);
        let is_still_there = fs::symlink_metadata(&path)?.ino() == full.metadata()?.ino();
        match is_still_there {
            true => fs::rename(&path, self.folder.join(OLDER)),
            false => Ok(()),
        }
    }
}

impl Engine {
    /// Tells whoever listens. Never fails: memory does not depend on it.
    pub(crate) fn tell(&self, said: Said) {
        self.tell_all(vec![said]);
    }

    /// Tells several things at once.
    pub(crate) fn tell_all(&self, said: Vec<Said>) {
        let Some(stream) = self.events.as_ref().filter(|_| !said.is_empty()) else { return };
        let message = |said| Message { at: self.now, project: self.project.clone(), said };
        let messages: Vec<Message> = said.into_iter().map(shortened).map(message).collect();
        let _ = stream.append(&messages);
    }

    /// Tells what a batch that was written did to lessons.
    pub(crate) fn tell_changes(&self, changes: &[Change], scenario: Option<Scenario>) {
        if self.events.is_some() {
            self.tell_all(Said::of_changes(changes, scenario));
        }
    }

    /// Tells that somebody begins to look back on a session, or on a run.
    pub(crate) fn tell_start(
        &self,
        scenario: Scenario,
        session: Option<&str>,
        run: Option<&RunId>,
    ) {
        let session = session.and_then(|session| self.gate.word(session));
        let run = run.map(|run| self.safe_run(run));
        self.tell(Said::ReflectionStart { scenario, session, run });
    }

    /// Tells how looking back went, and which lessons it started.
    pub(crate) fn tell_reflected(&self, reflected: &Reflected) {
        let created = reflected.created.iter().map(|named| named.id.clone()).collect();
        self.tell_complete(reflected.scenario, created, reflected.updated.len());
    }

    /// The same, of a run that was learned and looked back upon at once.
    pub(crate) fn tell_looked_back(&self, scenario: Scenario, run: &RunLearned) {
        match &run.reflection {
            Some(looked) => {
                let created = looked.created.iter().map(|named| named.id.clone()).collect();
                self.tell_complete(looked.scenario, created, looked.updated.len());
            }
            None => self.tell_complete(scenario, Vec::new(), 0),
        }
    }

    fn tell_complete(&self, scenario: Scenario, ids: Vec<LessonId>, n_updated: usize) {
        if self.events.is_none() {
            return;
        }
        let n_created = ids.len();
        let mut said = vec![Said::ReflectionComplete { scenario, n_created, n_updated }];
        let query = LessonQuery { pick: Pick::Ids(ids), ..LessonQuery::default() };
        // What cannot be read is not worth a failure: it was only to be pointed at.
        let lessons = self.store.lessons(&self.project, &query).unwrap_or_default();
        said.extend(lessons.into_iter().map(|lesson| Said::LessonHighlight {
            importance: lesson.importance,
            lesson: lesson.id,
        }));
        self.tell_all(said);
    }

    /// Messages with the words of the lessons that they name, as memory has them now.
    pub fn heard(&self, messages: Vec<Message>) -> Result<Vec<Heard>, EngineError> {
        let mut heard = Vec::with_capacity(messages.len());
        for message in messages {
            let ids = message.said.lessons().to_vec();
            let lessons = self.named_or_erased(&message.project, ids)?;
            heard.push(Heard { message, lessons });
        }
        Ok(heard)
    }

    fn named_or_erased(
        &self,
        project: &ProjectId,
        ids: Vec<LessonId>,
    ) -> Result<Vec<Named>, EngineError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let query = LessonQuery { pick: Pick::Ids(ids.clone()), ..LessonQuery::default() };
        let known = self.store.lessons(project, &query)?;
        let text = |id: &LessonId| known.iter().find(|lesson| lesson.id == *id);
        let named = |id: LessonId| {
            let text = text(&id).map_or(ERASED, |lesson| lesson.text.as_str()).to_owned();
            Named { id, text }
        };
        Ok(ids.into_iter().map(named).collect())
    }
}

/// What brings a run's lessons about, by what its record says of how it ended.
pub(crate) fn scenario_told(kind: Option<RunKind>, outcome: Option<Outcome>) -> Scenario {
    match (kind, outcome) {
        (Some(RunKind::Healer), _) => Scenario::HealerInvocation,
        (_, Some(Outcome::Partial | Outcome::Failed | Outcome::Aborted)) => Scenario::SessionFailed,
        (_, Some(Outcome::Success) | None) => Scenario::SessionComplete,
    }
}

/// The same, naming no more lessons than a line should.
fn shortened(mut said: Said) -> Said {
    if let Said::LessonsAdded { lessons, .. } = &mut said {
        lessons.truncate(MAX_LESSONS);
    }
    said
}

/// Which messages somebody wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only then or later.
    pub since: Option<Timestamp>,
}

impl Wanted {
    fn admits(&self, message: &Message) -> bool {
        let by_project = self.project.as_ref().is_none_or(|project| *project == message.project);
        by_project && self.since.is_none_or(|since| message.at >= since)
    }
}

/// Follows the stream: what is there, then what comes. A file that is not there yet, and
/// one that was turned over, are no trouble.
#[derive(Debug)]
pub struct Listener {
    folder: PathBuf,
    wanted: Wanted,
    /// Files that may still get lines, the older first.
    open: Vec<Followed>,
}

/// A file and how far it was read.
#[derive(Debug)]
struct Followed {
    file: File,
    inode: u64,
    offset: u64,
}

impl Listener {
    /// A listener that has heard nothing yet.
    pub fn new(environment: &Environment, wanted: Wanted) -> Result<Listener, EngineError> {
        Ok(Listener { folder: environment.data_folder()?, wanted, open: Vec::new() })
    }

    /// All that was told since the last call, oldest first. What is not a line of ours is
    /// passed over; the beginning of a line is waited for.
    pub fn next_messages(&mut self) -> Vec<Message> {
        let mut left = self.find_files();
        let mut messages = Vec::new();
        for followed in left.iter_mut().chain(&mut self.open) {
            let lines = followed.read().unwrap_or_default();
            messages.extend(lines.lines().filter_map(parsed));
        }
        messages.retain(|message| self.wanted.admits(message));
        messages
    }

    /// Opens what is new under the two names. What has neither any more is handed back: it
    /// may hold last lines that were not read yet.
    fn find_files(&mut self) -> Vec<Followed> {
        let mut now = Vec::new();
        for name in [OLDER, FILE] {
            let Some((file, inode)) = opened(&self.folder.join(name)) else { continue };
            let known = self.open.iter().position(|followed| followed.inode == inode);
            now.push(match known.map(|index| self.open.remove(index)) {
                Some(followed) => followed,
                None => Followed { file, inode, offset: 0 },
            });
        }
        std::mem::replace(&mut self.open, now)
    }
}

impl Followed {
    /// Whole lines that came since.
    fn read(&mut self) -> std::io::Result<String> {
        let length = self.file.metadata()?.len();
        if length < self.offset {
            // Somebody emptied it.
            self.offset = 0;
        }
        if length == self.offset {
            return Ok(String::new());
        }
        self.file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        (&mut self.file).take(length - self.offset).read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        bytes.truncate(end);
        self.offset += end as u64;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn opened(path: &Path) -> Option<(File, u64)> {
    let file = files::without_links().read(true).open(path).ok()?;
    let about = file.metadata().ok()?;
    // More than we ever leave there is not ours.
    let is_ours = about.is_file() && about.len() <= 4 * MAX_BYTES;
    is_ours.then_some((file, about.ino()))
}

/// A message as it was kept.
fn parsed(line: &str) -> Option<Message> {
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let count = |name: &str| line.get(name).and_then(Value::as_u64).map(|n| n as usize);
    let scenario = || text("scenario").and_then(Scenario::from_word);
    let state = |name: &str| text(name).and_then(State::from_word);
    let lesson = || text("lesson").map(LessonId::given);
    let said = match text("type").and_then(MessageKind::from_word)? {
        MessageKind::ReflectionStart => Said::ReflectionStart {
            scenario: scenario()?,
            session: text("session").map(hardwon_core::gate::without_control),
            run: text("run").and_then(|run| RunId::parse(run).ok()),
        },
        MessageKind::ReflectionComplete => Said::ReflectionComplete {
            scenario: scenario()?,
            n_created: count("created")?,
            n_updated: count("updated")?,
        },
        MessageKind::LessonHighlight => Said::LessonHighlight {
            lesson: lesson()?,
            importance: line.get("importance")?.as_f64()?,
        },
        MessageKind::LessonsAdded => {
            let lessons = line.get("lessons").and_then(Value::as_array)?.iter();
            let lessons = lessons.filter_map(Value::as_str).map(LessonId::given).collect();
            Said::LessonsAdded { n: count("count")?, scenario: scenario(), lessons }
        }
        MessageKind::Promoted => {
            Said::Promoted { lesson: lesson()?, from: state("from")?, to: state("to")? }
        }
        MessageKind::Decayed => {
            Said::Decayed { lesson: lesson()?, from: state("from")?, to: state("to")? }
        }
    };
    let (at, project) = (Timestamp::parse(text("ts")?)?, ProjectId::new(text("project")?));
    Some(Message { at, project, said })
}

#[cfg(test)]
mod tests;
