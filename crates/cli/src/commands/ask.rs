//! `hardwon list --answer QUESTION`

use hardwon_engine::answer::{Answer, NoteHit};
use hardwon_engine::event::Problem;
use hardwon_engine::{OpenMemory, SearchRequest, lessons};
use hardwon_faces::note_places;
use hardwon_foreign::ask::{self, Whom, question};
use hardwon_foreign::jkz::notes::{self, NotesWanted};
use hardwon_render::text;

use super::{CommandResult, Context, with_problems};

/// So many lessons are looked at.
const N_HITS: usize = 12;

/// Answers a question from memory: with a model in a few sentences that cite lessons, or "memory
/// does not know"; without one by the lessons and notes that fit best.
pub fn answer(context: &Context, asked: String, backend: Option<&str>) -> CommandResult {
    let reader = context.reader()?;
    let request = SearchRequest { text: asked.clone(), limit: N_HITS, is_all: false };
    let mut hits = lessons::search(&reader.memory, &reader.call, &request, &mut |_| None)?.body;
    let wanted = NotesWanted { text: &asked, role: None, n_words: 2, limit: N_HITS };
    let notes = notes::find(&context.environment, &note_places(), &reader.memory, &wanted);
    hits.notes = notes.iter().map(NoteHit::from).collect();
    let setup = match ask::whom(&reader.memory.settings, backend)? {
        Whom::Nobody | Whom::Host => {
            let answer = Answer::of(question::by_words(&asked, hits), Vec::new());
            let answer = answer.empty_if(|it| !it.is_known);
            return context.print(&reader, answer, text::answered);
        }
        Whom::Backend(setup) => setup,
    };
    drop(reader);
    let mut open = context.writer()?;
    let OpenMemory { memory, call } = &mut open;
    let mut answer = match ask::open(&setup) {
        Ok(model) => question::answer(memory, call, &*model, &asked, hits)?,
        Err(no_answer) => {
            let answer = Answer::of(question::by_words(&asked, hits), Vec::new());
            with_problems(answer, &[Problem::new(setup.backend.word(), no_answer.reason)])
        }
    };
    answer.body.runs = question::runs_of(memory, call, &answer.body.lessons)?;
    context.print(&open, answer, text::answered)
}
