//! `hardwon ask`

use clap::Args;
use hardwon_engine::answer::{Answer, NoteHit};
use hardwon_engine::event::Problem;
use hardwon_engine::{OpenMemory, SearchRequest, lessons};
use hardwon_faces::note_places;
use hardwon_foreign::ask::{self, Whom, question};
use hardwon_foreign::notes::{self, NotesWanted};
use hardwon_render::text;

use super::{CommandResult, Context, with_problems};

/// So many lessons are looked at.
const N_HITS: usize = 12;

/// Answer a question from memory, with the lessons and runs that say so
///
/// With a model (`hardwon model use`) in a few sentences that cite lessons, or "memory does not
/// know". Without one it prints the lessons and notes that fit best. Costs money only with a model,
/// below your caps.
#[derive(Args)]
pub struct Ask {
    /// The question
    #[arg(required = true, num_args = 1..)]
    question: Vec<String>,
    /// Ask this backend, once: heuristic, anthropic, openai, claude-cli or codex-cli
    /// [default: reflect.backend]
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
}

impl Ask {
    pub fn run(self, context: &Context) -> CommandResult {
        let asked = self.question.join(" ");
        let reader = context.reader()?;
        let request = SearchRequest { text: asked.clone(), limit: N_HITS, is_all: false };
        let mut hits =
            lessons::search(&reader.memory, &reader.call, &request, &mut |it, _| it)?.body;
        let wanted = NotesWanted { text: &asked, role: None, n_words: 2, limit: N_HITS };
        let notes = notes::find(&context.environment, &note_places(), &reader.memory, &wanted);
        hits.notes = notes.iter().map(NoteHit::from).collect();
        let setup = match ask::whom(&reader.memory.settings, self.backend.as_deref())? {
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
}
