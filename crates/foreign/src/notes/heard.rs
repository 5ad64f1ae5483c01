//! What did recent sessions say and try? Taken from what memory keeps of runs, and from the
//! conversations that hosts kept. Agents tell what they did, and tell it alike in every session:
//! their words are no source, what they tried is. Everything is read within bounds; what cannot be read is a
//! problem and hides nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hardwon_core::episode::{REJECTED, StepKind};
use hardwon_core::event::{Event, FindingStated, Problem, Record, StepStated};
use hardwon_core::finding::is_of_session;
use hardwon_core::notes::discover::{Heard, Speaker, Trial, Utterance};
use hardwon_core::observe;
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;
use hardwon_core::wish::{judge, rejected};
use hardwon_engine::{EngineError, OpenMemory};
use hardwon_readers::{Conversation, conversation_file};
use hardwon_store::{FindingQuery, RunQuery};

/// Most conversations that are read at once, the newest.
const MAX_CONVERSATIONS: usize = 300;

/// Most bytes of conversations that are read at once.
const MAX_BYTES: u64 = 1 << 30;

/// Most runs of memory that are looked at, the newest.
const MAX_RUNS: usize = 1_000;

/// A turn with more wishes is a document that was pasted.
const MAX_WISHES: usize = 5;

/// What was heard, in how many sessions, and what could not be read.
#[derive(Default)]
pub struct Listening {
    pub heard: Heard,
    pub n_sessions: u64,
    pub problems: Vec<Problem>,
}

impl Listening {
    /// Reads the conversations in these files, of which the newest comes first.
    pub fn conversations(
        &mut self,
        files: &[PathBuf],
        since: Option<Timestamp>,
        progress: &mut dyn FnMut(usize, usize),
    ) {
        let (files, n_left) = recent(files, since);
        if n_left > 0 {
            let reason = format!("{n_left} older conversations were not read: they are too many");
            self.problems.push(Problem::new("conversations", reason));
        }
        for (n_done, file) in files.iter().enumerate() {
            progress(n_done, files.len());
            match conversation_file(file) {
                Ok(conversation) => self.conversation(conversation, file, since),
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    fn conversation(&mut self, conversation: Conversation, file: &Path, since: Option<Timestamp>) {
        let Conversation { record, turns } = conversation;
        let ended = run_of(&record).and_then(|run| run.finished);
        if ended.zip(since).is_some_and(|(ended, since)| ended < since) {
            return;
        }
        self.n_sessions += 1;
        self.problems.extend(record.problems.iter().cloned());
        let stem = || file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let session = run_of(&record).and_then(|run| run.id.clone()).unwrap_or_else(stem);
        for sentences in turns {
            self.user(sentences, &session);
        }
        let steps = steps_of(record);
        let rejections = steps.iter().filter(|it| is_rejection(it.kind, &it.tool));
        for step in rejections {
            self.reject(&step.action, &session);
        }
        for finding in observe::observe(&steps).findings {
            self.try_out(&finding, &session);
        }
    }

    fn user(&mut self, sentences: Vec<String>, session: &str) {
        let n_wishes = sentences.iter().filter(|sentence| judge(sentence).is_ok()).count();
        if n_wishes <= MAX_WISHES {
            sentences.into_iter().for_each(|text| self.say(text, session, Speaker::User));
        }
    }

    fn say(&mut self, text: String, session: &str, speaker: Speaker) {
        self.heard.utterances.push(Utterance { text, session: session.to_owned(), speaker });
    }

    fn reject(&mut self, kind: &str, session: &str) {
        self.heard.trials.push(Trial {
            failure: format!("the user rejected `{kind}`"),
            repair: rejected::advice(kind),
            session: session.to_owned(),
            is_rejection: true,
        });
    }

    fn try_out(&mut self, finding: &FindingStated, session: &str) {
        let is_shown = finding.rule.as_deref().is_some_and(is_of_session);
        if let Some(repair) = finding.repair.as_ref().filter(|_| is_shown) {
            self.heard.trials.push(Trial {
                failure: finding.text.clone(),
                repair: repair.clone(),
                session: session.to_owned(),
                is_rejection: false,
            });
        }
    }

    /// Adds what memory keeps: what users said in runs, and what was tried.
    pub fn memory(
        &mut self,
        open: &OpenMemory,
        since: Option<Timestamp>,
    ) -> Result<(), EngineError> {
        let (store, project) = (&open.memory.store, &open.call.project);
        let query = RunQuery { since, limit: Some(MAX_RUNS), ..RunQuery::default() };
        let mut runs = store.runs(project, &query)?;
        runs.reverse();
        for run in &runs {
            self.run(run);
        }
        let is_recent = |id: &hardwon_core::ids::RunId| runs.iter().any(|run| run.id == *id);
        for finding in store.findings(project, &FindingQuery::InState(Vec::new()))? {
            if is_recent(&finding.run) && finding.is_sighting {
                let stated = FindingStated {
                    rule: finding.rule.clone(),
                    text: finding.text.as_str().to_owned(),
                    repair: finding.repair.clone(),
                    ..FindingStated::default()
                };
                self.try_out(&stated, finding.root.as_str());
            }
        }
        Ok(())
    }

    fn run(&mut self, run: &Run) {
        let session = run.root.as_str();
        // Only what a host kept is a user's word: an agent can write that a user said something.
        let speaker = if run.episode.is_witnessed { Speaker::User } else { Speaker::Agent };
        for step in run.episode.trail.iter().filter(|step| step.kind == StepKind::Correction) {
            match is_rejection(step.kind, &step.tool) {
                true => self.reject(&step.action, session),
                false => self.say(step.action.clone(), session, speaker),
            }
        }
    }
}

fn is_rejection(kind: StepKind, tool: &str) -> bool {
    kind == StepKind::Correction && tool == REJECTED
}

/// The run of the session itself.
fn run_of(record: &Record) -> Option<&hardwon_core::event::RunStated> {
    record.events.iter().find_map(|it| match &it.event {
        Event::Run(run) if run.parent.is_none() => Some(run),
        _ => None,
    })
}

/// What the main agent did.
fn steps_of(record: Record) -> Vec<StepStated> {
    let mut is_main = false;
    let mut steps = Vec::new();
    for sourced in record.events {
        match sourced.event {
            Event::Run(run) => is_main = run.parent.is_none(),
            Event::Step(step) if is_main => steps.push(step),
            _ => {}
        }
    }
    steps
}

/// The files that may be of this time, the oldest first, and how many are left out.
fn recent(files: &[PathBuf], since: Option<Timestamp>) -> (Vec<PathBuf>, usize) {
    let (mut n_bytes, mut n_left) = (0, 0);
    let mut found: Vec<PathBuf> = Vec::new();
    for file in files {
        let Ok(about) = fs::metadata(file) else { continue };
        let changed = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let changed = changed.and_then(|at| i64::try_from(at.as_millis()).ok());
        if changed.zip(since).is_some_and(|(changed, since)| changed < since.0) {
            continue;
        }
        n_bytes += about.len();
        if found.len() >= MAX_CONVERSATIONS || n_bytes > MAX_BYTES {
            n_left += 1;
        } else {
            found.push(file.clone());
        }
    }
    found.reverse();
    (found, n_left)
}
