//! `hardwon search`

use clap::Args;
use hardwon_engine::answer::{Answer, NoteHit};
use hardwon_engine::{SearchRequest, lessons};
use hardwon_faces::note_places;
use hardwon_foreign::model::{KNOWN, Place};
use hardwon_foreign::notes::{self, NotesWanted};
use hardwon_render::text;

use super::model::failure;
use super::{CommandResult, Context};

/// Find lessons by their words, best first, and say by which; then notes
#[derive(Args)]
pub struct Search {
    /// Words; identifiers are split, so `userId` finds `user id`
    #[arg(required = true, num_args = 1..)]
    words: Vec<String>,
    /// Also archived, superseded and rejected lessons
    #[arg(long)]
    all: bool,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

impl Search {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let request =
            SearchRequest { text: self.words.join(" "), limit: self.limit, is_all: self.all };
        let place = Place::of(&context.environment, KNOWN).map_err(failure)?;
        let mut unusable = None;
        let mut sensed = |question, found: &[_]| match place.open() {
            Ok(Some(model)) => model.sensed(&open.memory, &request.text, question, found),
            Ok(None) => question,
            Err(error) => {
                unusable = Some(error);
                question
            }
        };
        let mut answer = lessons::search(&open.memory, &open.call, &request, &mut sensed)?;
        let wanted = NotesWanted { text: &request.text, role: None, n_words: 1, limit: self.limit };
        let notes = notes::find(&context.environment, &note_places(), &open.memory, &wanted);
        answer.body.notes = notes.iter().map(NoteHit::from).collect();
        if !notes.is_empty() {
            answer = Answer::of(answer.body, answer.problems);
        }
        // Words find lessons all the same.
        if let Some(error) = unusable {
            context.printer.talk(&format!("searched without the model: {error}"));
        }
        context.print(&open, answer, text::hits)
    }
}
