//! What happened to memory lately, as a stream that anybody may follow: lines in a file
//! of the data folder. Who writes never waits for who reads, and telling never fails its
//! caller; nothing is opened while nothing happens. It holds ids, numbers and times, and
//! no words of lessons: those are looked up when somebody reads it.
//!
//! A full file becomes the earlier half of the stream by a rename, so that a line that is
//! just being written is lost to nobody.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

use hardwon_core::change::Change;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::reflect::Scenario;
use hardwon_core::run::{Outcome, RunKind};
use hardwon_render::answer::{Message, MessageBody, Reflected, RunLearned, kept_event};
use hardwon_store::{LessonQuery, Pick, files};

use crate::call::Call;
use crate::memory::Memory;
use crate::place::Environment;

/// The newer half of the stream, in the data folder.
pub(crate) const FILE: &str = "events.jsonl";

/// The older half.
pub(crate) const OLDER: &str = "events.1.jsonl";

/// The file becomes the older half when it grows beyond this.
pub(crate) const MAX_BYTES: u64 = 512 << 10;

/// Most lessons that one message names.
const MAX_LESSONS: usize = 50;

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
        if file.metadata()?.len() > MAX_BYTES { self.turn(&file) } else { Ok(()) }
    }

    /// The full file becomes the older half. Only one of several writers does it, and only
    /// if the file is still the one that it found full.
    fn turn(&self, full: &File) -> std::io::Result<()> {
        if full.try_lock().is_err() {
            return Ok(());
        }
        let path = self.folder.join(FILE);
        let is_still_there = fs::symlink_metadata(&path)?.ino() == full.metadata()?.ino();
        if is_still_there { fs::rename(&path, self.folder.join(OLDER)) } else { Ok(()) }
    }
}

/// Tells whoever listens. Never fails: memory does not depend on it.
pub(crate) fn tell(memory: &Memory, call: &Call, said: MessageBody) {
    tell_all(memory, call, vec![said]);
}

/// Tells several things at once.
pub(crate) fn tell_all(memory: &Memory, call: &Call, said: Vec<MessageBody>) {
    let Some(stream) = memory.events.as_ref().filter(|_| !said.is_empty()) else { return };
    let message = |said| Message { at: call.now, project: call.project.clone(), said };
    let messages: Vec<Message> = said.into_iter().map(shortened).map(message).collect();
    let _ = stream.append(&messages);
}

/// Tells what a batch that was written did to lessons.
pub(crate) fn tell_changes(
    memory: &Memory,
    call: &Call,
    changes: &[Change],
    scenario: Option<Scenario>,
) {
    if memory.events.is_some() {
        tell_all(memory, call, MessageBody::of_changes(changes, scenario));
    }
}

/// Tells that somebody begins to look back on a session, or on a run.
pub(crate) fn tell_start(
    memory: &Memory,
    call: &Call,
    scenario: Scenario,
    session: Option<&str>,
    run: Option<&RunId>,
) {
    let session = session.and_then(|session| memory.gate.word(session));
    let run = run.map(|run| memory.safe_run(run));
    tell(memory, call, MessageBody::ReflectionStart { scenario, session, run });
}

/// Tells how looking back went, and which lessons it started.
pub(crate) fn tell_reflected(memory: &Memory, call: &Call, reflected: &Reflected) {
    let created = reflected.created.iter().map(|named| named.id.0.clone()).collect();
    tell_complete(memory, call, reflected.scenario.0, created, reflected.updated.len());
}

/// The same, of a run that was learned and looked back upon at once.
pub(crate) fn tell_looked_back(memory: &Memory, call: &Call, scenario: Scenario, run: &RunLearned) {
    match &run.reflection {
        Some(looked) => {
            let created = looked.created.iter().map(|named| named.id.0.clone()).collect();
            tell_complete(memory, call, looked.scenario, created, looked.updated.len());
        }
        None => tell_complete(memory, call, scenario, Vec::new(), 0),
    }
}

fn tell_complete(
    memory: &Memory,
    call: &Call,
    scenario: Scenario,
    ids: Vec<LessonId>,
    n_updated: usize,
) {
    if memory.events.is_none() {
        return;
    }
    let n_created = ids.len();
    let mut said = vec![MessageBody::ReflectionComplete { scenario, n_created, n_updated }];
    let query = LessonQuery { pick: Pick::Ids(ids), ..LessonQuery::default() };
    // What cannot be read is not worth a failure: it was only to be pointed at.
    let lessons = memory.store.lessons(&call.project, &query).unwrap_or_default();
    said.extend(lessons.into_iter().map(|lesson| MessageBody::LessonHighlight {
        importance: lesson.importance,
        lesson: lesson.id,
    }));
    tell_all(memory, call, said);
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
fn shortened(mut said: MessageBody) -> MessageBody {
    if let MessageBody::LessonsAdded { lessons, .. } = &mut said {
        lessons.truncate(MAX_LESSONS);
    }
    said
}

#[cfg(test)]
mod tests;
