//! `hardwon list WORDS`

use hardwon_engine::answer::{Answer, NoteHit};
use hardwon_engine::{SearchRequest, lessons};
use hardwon_faces::note_places;
use hardwon_foreign::jkz::notes::{self, NotesWanted};
use hardwon_render::text;

use super::{CommandResult, Context};

/// At most this many without --limit.
const N_SHOWN: usize = 20;

/// Lessons that have these words, best first, then notes.
pub fn search(
    context: &Context,
    text: String,
    limit: Option<usize>,
    is_all: bool,
) -> CommandResult {
    let limit = limit.unwrap_or(N_SHOWN);
    let open = context.reader()?;
    let request = SearchRequest { text, limit, is_all };
    let mut embed = context.embed(&open.memory);
    let mut answer = lessons::search(&open.memory, &open.call, &request, &mut embed)?;
    let wanted = NotesWanted { text: &request.text, role: None, n_words: 1, limit };
    let notes = notes::find(&context.environment, &note_places(), &open.memory, &wanted);
    answer.body.notes = notes.iter().map(NoteHit::from).collect();
    if !notes.is_empty() {
        answer = Answer::of(answer.body, answer.problems);
    }
    context.print(&open, answer, text::hits)
}
