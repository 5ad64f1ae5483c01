//! `hardwon review merges`

use clap::Args;
use hardwon_engine::answer::Answer;
use hardwon_engine::{OpenMemory, lessons};
use hardwon_faces::Failure;
use hardwon_foreign::ask::{self, Whom, merge};
use hardwon_render::text;

use super::{CommandResult, Context};

#[derive(Args)]
pub struct Merges {
    /// List at most this many pairs
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Ask the model that is set (`hardwon config model use`) about each of these pairs, once
    #[arg(long, conflicts_with = "proposed")]
    ask: bool,
    /// List the pairs that a model or an agent holds for one, with its reason
    #[arg(long)]
    proposed: bool,
}

impl Merges {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.ask {
            return ask_model(context, self.limit);
        }
        let open = context.reader()?;
        if self.proposed {
            let pairs = merge::proposed(&open.memory, &open.call)?;
            let answer = Answer::of(pairs, Vec::new()).empty_if(|it| it.pairs.is_empty());
            return context.print(&open, answer, text::near_pairs);
        }
        let answer = lessons::near_pairs(&open.memory, &open.call, self.limit)?;
        context.answer(&answer, text::near_pairs)
    }
}

fn ask_model(context: &Context, limit: usize) -> CommandResult {
    let mut open = context.writer()?;
    let OpenMemory { memory, call } = &mut open;
    let hint =
        Some("`hardwon config model use BACKEND` sets one up; without it pairs are only listed");
    let Whom::Backend(setup) = ask::whom(&memory.settings, None)? else {
        return Err(Failure::usage("no model is set", hint));
    };
    let model = ask::open(&setup).map_err(|it| Failure::usage(it.reason, hint))?;
    let mut tell = |asked: &_| context.printer.talk(&text::asked(asked));
    let answer = merge::ask_about_pairs(memory, call, &*model, limit, &mut tell)?;
    context.print(&open, answer, text::near_pairs)
}
