//! An audit and a discovery at once: which facts should be added, edited, merged or put away, and
//! which files does that change? What a person accepts goes out as one operation, with the mark of the
//! consolidation.

use std::collections::BTreeMap;
use std::path::Path;

use hardwon_core::event::Problem;
use hardwon_core::lesson::State;
use hardwon_core::notes::consolidate::{Action, Proposal, Target, consolidate, edited_note};
use hardwon_core::notes::policy::IndexLimits;
use hardwon_core::notes::{IndexLine, Note, names};
use hardwon_core::time::Timestamp;
use hardwon_engine::{Access, EngineError, Environment, OpenMemory, Options, files, needs_person};
use hardwon_readers::{MemoryIndex, TopicFile, new_topic_file};
use hardwon_render::answer::{Answer, NotesProposal, NotesProposals, NotesWritten, WaitingNote};
use hardwon_store::LessonQuery;

use super::audit::{audited, facts};
use super::discover::{MARK, Sessions, find};
use super::look::problems_of;
use super::write::{Draft, Plan, Present, Writing, open};
use super::{INDEX, NotesFolder};

/// Where what is put away lies, below the folder of notes.
const ARCHIVE: &str = "archive/";

/// What is proposed for a folder of notes as it is.
pub struct Consolidation {
    pub folder: NotesFolder,
    pub proposals: Vec<Proposal>,
    /// Of its index.
    pub limits: IndexLimits,
    /// What agents want to add.
    pub waiting: Vec<WaitingNote>,
    pub n_sessions: u64,
    pub problems: Vec<Problem>,
}

/// Why proposals cannot be accepted as they were named.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotAccepted {
    #[error("no proposal is called {0} (any more): the list has changed, look at it again")]
    Unknown(String),
    #[error("{0} is a number of a list; name the list, or the proposal by its id")]
    Number(String),
    #[error("the list is {is} now, not {stated}: it has changed, look at it again")]
    OtherList { stated: String, is: String },
    #[error("the index has no space for another line: move detail away first")]
    IndexFull,
    #[error("{0} cannot be edited: its head cannot be read")]
    Broken(String),
    #[error("{0} has changed since the list was made: look at it again")]
    Changed(String),
    #[error("no file name can be made for \"{0}\"")]
    NoName(String),
}

impl From<NotAccepted> for EngineError {
    fn from(why: NotAccepted) -> Self {
        let hint = "`hardwon notes learn` shows the list as it is now";
        EngineError::NoteRefused { reason: why.to_string(), hint }
    }
}

/// Audits the notes and listens to the sessions.
pub fn consolidation(
    environment: &Environment,
    options: &Options,
    folder: &Path,
    sessions: &Sessions<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Consolidation, EngineError> {
    let folder = NotesFolder::read(folder)?;
    let facts = facts(&folder, &[])?;
    let audited = audited(environment.checkout(), &folder, &facts, progress)?;
    let found = find(environment, options, &folder, sessions, progress)?;
    let proposals = consolidate(&facts, &audited.findings, &found.discovered.proposals);
    let mut problems = problems_of(&folder);
    problems.extend(audited.problems.into_iter().chain(found.problems));
    let limits = super::rules(environment)?.notes.limits;
    let waiting = waiting(environment, &folder.path)?;
    let n_sessions = found.n_sessions;
    Ok(Consolidation { folder, proposals, limits, waiting, n_sessions, problems })
}

/// What agents proposed and nobody answered.
fn waiting(environment: &Environment, path: &Path) -> Result<Vec<WaitingNote>, EngineError> {
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let OpenMemory { memory, call } = open(environment, path, Access::Read)?;
    let query = LessonQuery { states: vec![State::Candidate], ..LessonQuery::default() };
    let lessons = memory.store.lessons(&call.project, &query)?;
    let told = lessons.iter().map(|lesson| WaitingNote {
        id: lesson.id.to_string(),
        text: lesson.text.as_str().to_owned(),
    });
    Ok(told.collect())
}

impl Consolidation {
    /// The proposals as they are listed.
    pub fn answer(&self) -> Answer<NotesProposals> {
        let listed = self.proposals.iter().enumerate();
        let proposals = listed.map(|(at, it)| NotesProposal::of(at + 1, it)).collect();
        let listed = NotesProposals {
            folder: files::path_text(&self.folder.path),
            list: self.list(),
            n_sessions: self.n_sessions,
            proposals,
            waiting: self.waiting.clone(),
        };
        let is_empty = |it: &NotesProposals| it.proposals.is_empty() && it.waiting.is_empty();
        Answer::of(listed, self.problems.clone()).empty_if(is_empty)
    }

    /// A name of the whole list, which stays the same as long as the list does.
    pub fn list(&self) -> String {
        let ids: Vec<String> = self.proposals.iter().map(Proposal::id).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        Proposal::list_id(&ids)
    }

    /// The proposals that are meant, by number in this list or by id, in the order of the list.
    pub fn chosen(
        &self,
        named: &[String],
        list: Option<&str>,
    ) -> Result<Vec<&Proposal>, NotAccepted> {
        if let Some(stated) = list.filter(|stated| **stated != self.list()) {
            return Err(NotAccepted::OtherList { stated: stated.to_owned(), is: self.list() });
        }
        let mut places = Vec::new();
        for name in named.iter().map(|name| name.trim()) {
            let by_id = self.proposals.iter().position(|it| it.id() == name);
            let number = name.parse::<usize>().ok();
            let place = match (by_id, number) {
                (Some(place), _) => place,
                (None, Some(_)) if list.is_none() => {
                    return Err(NotAccepted::Number(name.to_owned()));
                }
                (None, Some(number)) if (1..=self.proposals.len()).contains(&number) => number - 1,
                (None, _) => return Err(NotAccepted::Unknown(name.to_owned())),
            };
            places.push(place);
        }
        places.sort_unstable();
        places.dedup();
        Ok(places.into_iter().map(|place| &self.proposals[place]).collect())
    }

    /// Carries these out, as one operation. Only a person may.
    pub fn accept(
        &self,
        environment: &Environment,
        chosen: &[&Proposal],
    ) -> Result<Answer<NotesWritten>, EngineError> {
        needs_person(&environment.speaker, "accepting proposals for notes")?;
        let drafts = self.edits(chosen, environment.now()?)?;
        let (path, command) = (self.folder.path.as_path(), "notes learn --accept");
        let writing = Writing { environment, path, command, is_dry: false };
        writing.run(&mut |present: &Present<'_>| {
            let is_other = |draft: &&Draft| {
                let is_note = !draft.file.starts_with('.') && !draft.file.contains('/');
                is_note && present.folder.texts.get(&draft.file) != draft.before.as_ref()
            };
            if let Some(draft) = drafts.iter().find(is_other) {
                return Err(NotAccepted::Changed(draft.file.clone()).into());
            }
            Ok(Plan { drafts: drafts.clone(), ..Plan::default() })
        })
    }

    /// What accepting these does to the files, with the mark of the consolidation.
    pub fn edits(&self, chosen: &[&Proposal], now: Timestamp) -> Result<Vec<Draft>, NotAccepted> {
        let mut desk =
            Desk { folder: &self.folder, limits: self.limits, texts: BTreeMap::new(), now };
        for proposal in chosen {
            desk.carry_out(proposal)?;
        }
        let mark = std::fs::read_to_string(self.folder.path.join(MARK)).ok();
        let mut edits = desk.edits();
        edits.push(Draft { file: MARK.to_owned(), before: mark, after: Some(format!("{now}\n")) });
        Ok(edits)
    }
}

/// The files as they are while one proposal after the other is carried out.
struct Desk<'a> {
    folder: &'a NotesFolder,
    limits: IndexLimits,
    /// What has become of files; `None` for one that went.
    texts: BTreeMap<String, Option<String>>,
    now: Timestamp,
}

impl Desk<'_> {
    fn text(&self, file: &str) -> Option<&str> {
        match self.texts.get(file) {
            Some(text) => text.as_deref(),
            None => self.folder.texts.get(file).map(String::as_str),
        }
    }

    fn put(&mut self, file: &str, text: Option<String>) {
        self.texts.insert(file.to_owned(), text);
    }

    fn carry_out(&mut self, proposal: &Proposal) -> Result<(), NotAccepted> {
        match (&proposal.target, proposal.action) {
            (Target::New(_), _) => self.add(proposal),
            (Target::Two(name, into), _) => {
                self.relink(name, into);
                self.put_away(name);
                Ok(())
            }
            (Target::Fact(name), Action::Remove) => {
                self.put_away(name);
                Ok(())
            }
            (Target::Fact(name), Action::Edit | Action::Add | Action::Merge) => {
                self.edit(name, proposal)
            }
        }
    }

    fn add(&mut self, proposal: &Proposal) -> Result<(), NotAccepted> {
        let taken = |file: &str| {
            self.text(file).is_some() || self.folder.path.join(file).symlink_metadata().is_ok()
        };
        let no_name = || NotAccepted::NoName(proposal.after.clone());
        let note = proposal.new_note(&taken).ok_or_else(no_name)?;
        let note = Note { modified: Some(self.now), ..note };
        self.put(&note.file.clone(), Some(new_topic_file(&note)));
        let (title, file, hook) = (note.name, note.file, note.description);
        let line = IndexLine { title, file, hook, is_ours: true, line: 0 };
        let index = self.text(INDEX).unwrap_or_default();
        let index = MemoryIndex::parse(index)
            .with_line(&line, &self.limits)
            .map_err(|_| NotAccepted::IndexFull)?;
        self.put(INDEX, Some(index));
        Ok(())
    }

    fn edit(&mut self, file: &str, proposal: &Proposal) -> Result<(), NotAccepted> {
        let broken = || NotAccepted::Broken(file.to_owned());
        let text = self.text(file).ok_or_else(broken)?;
        let topic = TopicFile::parse(text).map_err(|_| broken())?;
        let note = topic.note(file);
        let mut edited = edited_note(&note, &proposal.edits);
        // The file keeps its shape: a time is renewed, not brought in.
        edited.modified = note.modified.map(|_| self.now);
        let text = topic.edited(&edited);
        self.put(file, Some(text));
        Ok(())
    }

    /// The file goes to the archive, and its lines go from the index.
    fn put_away(&mut self, file: &str) {
        let Some(text) = self.text(file).map(str::to_owned) else { return };
        self.put(file, None);
        let place = |name: String| format!("{ARCHIVE}{name}");
        let stem = file.trim_end_matches(".md").to_owned();
        let names = std::iter::once(place(file.to_owned()))
            .chain((2..1_000).map(|number| place(format!("{stem}-{number}.md"))));
        let is_free = |name: &String| self.folder.path.join(name).symlink_metadata().is_err();
        if let Some(name) = names.into_iter().find(is_free) {
            self.put(&name, Some(text));
        }
        let Some(index) = self.text(INDEX) else { return };
        let parsed = MemoryIndex::parse(index);
        let points = |line: &&IndexLine| names::inside(&line.file).is_ok_and(|it| it == file);
        let lines: Vec<usize> = parsed.entries.iter().filter(points).map(|it| it.line).collect();
        if !lines.is_empty() {
            let index = parsed.without_lines(&lines);
            self.put(INDEX, Some(index));
        }
    }

    /// Links to a note that goes lead to the one that stays.
    fn relink(&mut self, from: &str, to: &str) {
        let (from, to) = (names::stem(from), names::stem(to));
        let (from, to) = (format!("[[{from}]]"), format!("[[{to}]]"));
        let notes: Vec<String> = self.folder.set.notes.iter().map(|it| it.file.clone()).collect();
        for file in notes {
            if let Some(text) = self.text(&file).filter(|text| text.contains(&from)) {
                let text = text.replace(&from, &to);
                self.put(&file, Some(text));
            }
        }
    }

    fn edits(self) -> Vec<Draft> {
        let before = |file: &str| self.folder.texts.get(file).cloned();
        let edits = self.texts.iter().map(|(file, after)| Draft {
            file: file.clone(),
            before: before(file),
            after: after.clone(),
        });
        edits.filter(|edit| edit.before != edit.after).collect()
    }
}

#[cfg(test)]
mod tests;
