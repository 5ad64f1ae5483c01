//! `hardwon reword`

use clap::Args;
use hardwon_engine::OpenMemory;
use hardwon_engine::answer::Answer;
use hardwon_faces::Failure;
use hardwon_foreign::ask::reword::{self, Wanted};
use hardwon_foreign::ask::{self, Form, Whom};
use hardwon_render::text;

use super::{CommandResult, Context};

/// Better words for lessons: what a model proposes, as a diff
///
/// Without a flag it lists the proposals that wait for you. `--ask` asks the model that is set
/// (`hardwon model use`), below your caps: for a short line where a lesson is too long for any
/// block, for a summary where it is too long for a full one. What says more than the lesson is
/// refused. Accepting edits the lesson; its evidence stays, and `hardwon undo` reverses it.
#[derive(Args)]
pub struct Reword {
    /// Only these lessons; for --rule those that become one
    #[arg(value_name = "LESSON")]
    lessons: Vec<String>,
    /// Ask the model for better words, once for each lesson
    #[arg(long, conflicts_with_all = ["accept", "reject"])]
    ask: bool,
    /// Ask for a short line in place of the text
    #[arg(long, requires = "ask", conflicts_with_all = ["rule", "summary"])]
    line: bool,
    /// Ask for a summary beside the text
    #[arg(long, requires = "ask", conflicts_with = "rule")]
    summary: bool,
    /// Ask for one rule in place of several lessons that are nearly alike
    #[arg(long, requires = "ask")]
    rule: bool,
    /// Ask at most this many questions
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Take the words of a proposal
    #[arg(long, value_name = "PROPOSAL", conflicts_with_all = ["reject", "lessons"])]
    accept: Option<String>,
    /// Do not take them; they are not asked for again
    #[arg(long, value_name = "PROPOSAL", requires = "because", conflicts_with = "lessons")]
    reject: Option<String>,
    /// The reason
    #[arg(long, requires = "reject")]
    because: Option<String>,
}

impl Reword {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.ask {
            return self.ask_model(context);
        }
        if let Some(id) = &self.accept {
            let mut open = context.writer()?;
            let answer = reword::accept(&mut open.memory, &open.call, id)?;
            return context.lesson(&open, answer);
        }
        if let Some(id) = &self.reject {
            let mut open = context.writer()?;
            let because = self.because.unwrap_or_default();
            let answer = reword::reject(&mut open.memory, &open.call, id, &because)?;
            return context.print(&open, answer, text::rewordings);
        }
        let open = context.reader()?;
        let proposed = reword::proposed(&open.memory, &open.call, &self.lessons)?;
        let answer = Answer::of(proposed, Vec::new()).empty_if(|it| it.proposals.is_empty());
        context.print(&open, answer, text::rewordings)
    }

    fn ask_model(self, context: &Context) -> CommandResult {
        if self.rule && self.lessons.len() == 1 {
            let hint = Some("name two or more, or none: then those that are nearly alike");
            return Err(Failure::usage("one lesson has no rule in common", hint));
        }
        let mut open = context.writer()?;
        let OpenMemory { memory, call } = &mut open;
        let hint = Some("`hardwon model use BACKEND` sets one up; `hardwon edit` rewords by hand");
        let Whom::Backend(setup) = ask::whom(&memory.settings, None)? else {
            return Err(Failure::usage("no model is set", hint));
        };
        let model = ask::open(&setup).map_err(|it| Failure::usage(it.reason, hint))?;
        let form = match (self.line, self.summary, self.rule) {
            (true, ..) => Some(Form::Line),
            (_, true, _) => Some(Form::Summary),
            (.., true) => Some(Form::Rule),
            (false, false, false) => None,
        };
        let wanted = Wanted { form, lessons: self.lessons, limit: self.limit };
        let name = setup.backend.word();
        let mut tell = |_: &_| context.printer.talk(&format!("asked {name} …"));
        let mut silent = |_: &_| {};
        let tell: &mut dyn FnMut(&_) = if context.can_ask() { &mut tell } else { &mut silent };
        let answer = reword::ask_for_words(memory, call, &*model, &wanted, tell)?;
        context.print(&open, answer, text::rewordings)
    }
}
