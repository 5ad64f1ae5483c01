//! `hardwon config model`

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, ModelUsed, WouldAsk};
use hardwon_engine::event::Problem;
use hardwon_engine::files::Place;
use hardwon_engine::settings::{self, BACKENDS};
use hardwon_engine::{About, OpenMemory, needs_person, runs};
use hardwon_faces::Failure;
use hardwon_foreign::ask::{self, OnPaper};
use hardwon_foreign::backend::{Backend, Setup};
use hardwon_render::text;

use super::{CommandResult, Context, is_yes};

/// So many of the last runs show what a backend would cost.
const N_RUNS: usize = 10;

/// So far back they are looked for.
const N_DAYS: u32 = 365;

/// Choose a language model that looks back on runs
///
/// `model use` chooses who looks back on runs besides the fixed patterns: a provider, your own
/// `claude` or `codex`, or nobody. It shows first what that would cost at most on your last ten
/// runs.
#[derive(Subcommand)]
pub enum Model {
    /// Choose who looks back on runs: heuristic, anthropic, openai, claude-cli, codex-cli or host
    Use(Box<UseArgs>),
}

impl Model {
    pub fn run(self, context: &Context) -> CommandResult {
        let Model::Use(args) = self;
        args.run(context)
    }
}

#[derive(Args)]
pub struct UseArgs {
    /// Who is asked; heuristic = nobody, host = your own agent through MCP
    #[arg(value_parser = PossibleValuesParser::new(BACKENDS))]
    backend: String,
    /// The model [default: a small one of that backend]
    #[arg(long)]
    model: Option<String>,
    /// Another address than the provider's own: https, or http on this machine
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The variable that holds the key [default: ANTHROPIC_API_KEY or OPENAI_API_KEY]
    #[arg(long, value_name = "NAME", conflicts_with = "key_command")]
    key_env: Option<String>,
    /// A command that prints the key
    #[arg(long, value_name = "COMMAND")]
    key_command: Option<String>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl UseArgs {
    fn run(self, context: &Context) -> CommandResult {
        needs_person(&context.environment.speaker, "choosing a model")?;
        let open = context.reader()?;
        let setup = Backend::from_word(&self.backend).map(|backend| Setup {
            model: self.model.clone(),
            base_url: self.base_url.clone(),
            key_env: self.key_env.clone(),
            key_command: self.key_command.clone(),
            ..Setup::of(backend)
        });
        let mut problems = Vec::new();
        let would = match &setup {
            Some(setup) => {
                let forbidden = setup.address().err();
                if let Some(reason) = forbidden {
                    return Err(Failure::usage(reason.to_string(), None));
                }
                // A key that is missing now may be there when it is needed.
                let missing = ask::open(setup).err();
                problems.extend(missing.map(|it| Problem::new(&self.backend, it.reason)));
                Some(would_cost(&open, setup)?)
            }
            None => None,
        };
        let is_set = self.is_wanted(context, would.as_ref())?;
        if is_set {
            self.set(context)?;
        }
        let used = ModelUsed { backend: self.backend.clone(), is_set, would };
        context.print(&open, Answer::of(used, problems), text::model_used)
    }

    /// Whether the person wants it, after they saw what it costs.
    fn is_wanted(&self, context: &Context, would: Option<&WouldAsk>) -> Result<bool, Failure> {
        let Some(would) = would.filter(|_| !self.yes) else { return Ok(true) };
        if !context.can_ask() {
            let hint = Some("`hardwon reflect --dry-run --backend NAME` shows what it costs");
            return Err(Failure::usage("choosing a model has to be confirmed with --yes", hint));
        }
        context.printer.talk(text::would_ask(would, context.width()).trim_end());
        Ok(is_yes(&format!("Ask {} about runs from now on?", self.backend)))
    }

    fn set(&self, context: &Context) -> Result<(), Failure> {
        let file = context.environment.settings_file()?;
        let place = Place::own(&file);
        let values = [
            ("reflect.backend", Some(self.backend.as_str())),
            ("reflect.model", self.model.as_deref()),
            ("reflect.base_url", self.base_url.as_deref()),
            ("reflect.key_env", self.key_env.as_deref()),
            ("reflect.key_command", self.key_command.as_deref()),
        ];
        for (name, value) in values {
            settings::write(&place, name, value)?;
        }
        Ok(())
    }
}

/// What the last runs would have cost.
fn would_cost(open: &OpenMemory, setup: &Setup) -> Result<WouldAsk, Failure> {
    let OpenMemory { memory, call } = open;
    let mut roots = runs::reflected_roots(memory, call, &About::Days(N_DAYS))?;
    roots.drain(..roots.len().saturating_sub(N_RUNS));
    Ok(ask::would_ask(memory, call, &roots, &OnPaper::of(setup))?)
}
