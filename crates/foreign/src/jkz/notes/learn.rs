//! Lessons that would make a note: what a person stated first, then what came back most often.
//! Nothing is written; `lesson` makes a note of one.

use std::cmp::Reverse;
use std::path::Path;
use std::time::Instant;

use hardwon_core::event::Problem;
use hardwon_core::lesson::{Lesson, Origin};
use hardwon_engine::{Access, Environment, OpenMemory, Options, Result, files};
use hardwon_render::answer::{Answer, NotesProposal, NotesProposals};
use hardwon_store::LessonQuery;

use super::NotesFolder;
use super::add::{added, note_of};
use super::look::{PATIENCE, problems_of, said};
use super::write::{Present, changed};

/// A handful is read, a list is not.
const MAX_PROPOSALS: usize = 7;

/// The lessons that may be shown and that neither a note nor a document says, each with its diff.
pub fn learn(
    environment: &Environment,
    options: &Options,
    path: &Path,
) -> Result<Answer<NotesProposals>> {
    let folder = NotesFolder::read(path)?;
    let (documents, _) = said(environment.checkout(), Instant::now() + PATIENCE);
    let policy = super::rules(environment)?;
    let now = environment.now()?;
    let OpenMemory { memory, call } = OpenMemory::open(environment, options, Access::Read)?;
    let mut lessons = memory.store.lessons(&call.project, &LessonQuery::default())?;
    lessons.retain(|lesson| {
        let text = lesson.text.as_str();
        let is_said = || documents.documented(text, &policy.notes).is_some();
        lesson.is_injectable() && !folder.set.says(text, policy.notes.overlap) && !is_said()
    });
    let is_stated = |lesson: &Lesson| lesson.origin == Origin::User;
    lessons.sort_by_key(|it| (!is_stated(it), Reverse(it.n_sightings), it.id.clone()));
    let present = Present { folder: &folder, gate: &memory.gate, policy: &policy };
    let mut problems = problems_of(&folder);
    let mut proposals = Vec::new();
    for lesson in lessons.iter().take(MAX_PROPOSALS) {
        let because = match is_stated(lesson) {
            true => "a person said it".to_owned(),
            false => format!("seen in {} runs", lesson.n_sightings),
        };
        match added(&present, note_of(lesson, now)) {
            Ok(plan) => proposals.push(NotesProposal {
                lesson: lesson.id.to_string(),
                because,
                files: changed(&plan),
            }),
            Err(error) => problems.push(Problem::new(&lesson.id, error.to_string())),
        }
    }
    let listed = NotesProposals { folder: files::path_text(path), proposals };
    Ok(Answer::of(listed, problems).empty_if(|it| it.proposals.is_empty()))
}
