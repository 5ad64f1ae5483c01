//! `hardwon merge`

use clap::Args;
use hardwon_engine::answer::Answer;
use hardwon_engine::{OpenMemory, lessons};
use hardwon_faces::Failure;
use hardwon_foreign::ask::{self, Whom, merge};
use hardwon_render::text;

use super::{CommandResult, Context};

/// Merge a lesson into another that says the same
///
/// The second replaces the first and gets the evidence of both. Without arguments it lists
/// pairs that may say the same; nothing is ever merged automatically.
#[derive(Args)]
pub struct Merge {
    /// The lesson that goes
    lesson: Option<String>,
    /// The lesson that stays
    into: Option<String>,
    /// List at most this many pairs
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Ask the model that is set (`hardwon model use`) about each of these pairs, once
    #[arg(long, conflicts_with_all = ["lesson", "proposed"])]
    ask: bool,
    /// List the pairs that a model or an agent holds for one, with its reason
    #[arg(long, conflicts_with = "lesson")]
    proposed: bool,
}

impl Merge {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.ask {
            return ask_model(context, self.limit);
        }
        if self.proposed {
            let open = context.reader()?;
            let pairs = merge::proposed(&open.memory, &open.call)?;
            let answer = Answer::of(pairs, Vec::new()).empty_if(|it| it.pairs.is_empty());
            return context.print(&open, answer, text::near_pairs);
        }
        match (self.lesson, self.into) {
            (Some(lesson), Some(into)) => {
                let mut open = context.writer()?;
                let answer = lessons::merge(&mut open.memory, &open.call, &lesson, &into)?;
                context.lesson(&open, answer)
            }
            (Some(_), None) | (None, Some(_)) => {
                let hint = Some("hardwon merge LESSON INTO");
                Err(Failure::usage("name the lesson that goes and the one that stays", hint))
            }
            (None, None) => {
                let open = context.reader()?;
                let answer = lessons::near_pairs(&open.memory, &open.call, self.limit)?;
                context.answer(&answer, text::near_pairs)
            }
        }
    }
}

fn ask_model(context: &Context, limit: usize) -> CommandResult {
    let mut open = context.writer()?;
    let OpenMemory { memory, call } = &mut open;
    let hint =
        Some("`hardwon model use BACKEND` sets one up; without it `hardwon merge` lists pairs");
    let Whom::Backend(setup) = ask::whom(&memory.settings, None)? else {
        return Err(Failure::usage("no model is set", hint));
    };
    let model = ask::open(&setup).map_err(|it| Failure::usage(it.reason, hint))?;
    let mut tell = |asked: &_| context.printer.talk(&text::asked(asked));
    let answer = merge::ask_about_pairs(memory, call, &*model, limit, &mut tell)?;
    context.print(&open, answer, text::near_pairs)
}
