//! What do recent sessions know that notes, lessons and documents do not? Sessions are those since
//! the last consolidation. Nothing here writes.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::lesson::Lesson;
use hardwon_core::notes::bar;
use hardwon_core::notes::discover::{self as discovered, By, Discovered, Known, KnownFact};
use hardwon_core::notes::documents::Documents;
use hardwon_core::time::Timestamp;
use hardwon_engine::{Access, EngineError, Environment, OpenMemory, Options, files};
use hardwon_render::answer::{Answer, NotesDiscovered};
use hardwon_store::{LessonQuery, Pick};

use super::NotesFolder;
use super::heard::Listening;
use super::look::{manifests, problems_of, said_by_documents};

/// When notes were last consolidated: one UTC time.
pub const MARK: &str = ".last-consolidation";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Which sessions are listened to.
#[derive(Clone, Copy, Debug)]
pub struct Sessions<'a> {
    /// Conversations that hosts kept of the project, the newest first.
    pub files: &'a [PathBuf],
    /// How far back, where notes were never consolidated.
    pub days: i64,
    /// Whether to listen to all of them.
    pub are_all: bool,
}

impl Sessions<'_> {
    /// The time from which on sessions count; a mark that cannot be read is a problem.
    fn since(&self, folder: &Path, now: Timestamp) -> (Option<Timestamp>, Option<Problem>) {
        if self.are_all {
            return (None, None);
        }
        let usual = Timestamp(now.0.saturating_sub(self.days.saturating_mul(DAY_MS)));
        let Ok(text) = fs::read_to_string(folder.join(MARK)) else { return (Some(usual), None) };
        match Timestamp::parse(text.trim()) {
            Some(at) => (Some(at), None),
            None => {
                let reason = "it is no UTC time; the usual number of days counts";
                (Some(usual), Some(Problem::new(MARK, reason)))
            }
        }
    }
}

/// What sessions know, and how many there were.
pub struct Found {
    pub discovered: Discovered,
    pub since: Option<Timestamp>,
    pub n_sessions: u64,
    pub problems: Vec<Problem>,
}

/// Listens to the sessions and holds what they say against what is known.
pub fn find(
    environment: &Environment,
    options: &Options,
    folder: &NotesFolder,
    sessions: &Sessions<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Found, EngineError> {
    let open = OpenMemory::open(environment, options, Access::Read)?;
    let (since, problem) = sessions.since(&folder.path, open.call.now);
    let mut listening = Listening::default();
    listening.problems.extend(problem);
    listening.conversations(sessions.files, since, progress);
    listening.memory(&open, since)?;
    let said = said_by_documents(environment.checkout());
    let query = LessonQuery { pick: Pick::Injectable, ..LessonQuery::default() };
    let lessons = open.memory.store.lessons(&open.call.project, &query)?;
    let known = KnownTexts::new(folder, &lessons, &said);
    let documents = Documents::new(said);
    let manifests = manifests(environment.checkout());
    let facts = known.facts();
    let bar = bar::Known { documents: &documents, manifests: &manifests };
    let rules = &open.memory.policy;
    let by = By { gate: &open.memory.gate, policy: &rules.notes, matching: &rules.matching };
    let discovered = discovered::discover(&listening.heard, Known { facts: &facts, bar }, by);
    let Listening { n_sessions, problems, .. } = listening;
    Ok(Found { discovered, since, n_sessions, problems })
}

/// What is known, by name.
struct KnownTexts(Vec<(String, String)>);

impl KnownTexts {
    fn new(
        folder: &NotesFolder,
        lessons: &[Lesson],
        said: &[hardwon_core::notes::documents::DocumentSentence],
    ) -> Self {
        let notes = folder.set.notes.iter().map(|it| (it.file.clone(), it.whole_text()));
        let lessons = lessons.iter().map(|it| (it.id.to_string(), it.text.as_str().to_owned()));
        let said = said.iter().map(|it| (format!("{}:{}", it.file, it.line), it.text.clone()));
        KnownTexts(notes.chain(lessons).chain(said).collect())
    }

    fn facts(&self) -> Vec<KnownFact<'_>> {
        self.0.iter().map(|(name, text)| KnownFact { name, text }).collect()
    }
}

/// What recent sessions know that is not known yet.
pub fn discover(
    environment: &Environment,
    options: &Options,
    folder: &Path,
    sessions: &Sessions<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<NotesDiscovered>, EngineError> {
    let folder = NotesFolder::read(folder)?;
    let found = find(environment, options, &folder, sessions, progress)?;
    let mut problems = problems_of(&folder);
    problems.extend(found.problems);
    let path = files::path_text(&folder.path);
    let answer = NotesDiscovered::of(&path, found.since, found.n_sessions, &found.discovered);
    Ok(Answer::of(answer, problems).empty_if(|it| it.proposals.is_empty()))
}
