//! `hardwon config policy`

use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, Policy, PolicyDiff, Setting, Settings};
use hardwon_engine::policy;
use hardwon_render::text;

use super::{CommandResult, Context};

/// List, show and compare policies: the numbers by which everything is decided
#[derive(Args)]
pub struct PolicyArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Every policy
    List,
    /// The numbers of one policy
    Show { name: String },
    /// The numbers in which two policies differ
    Diff { left: String, right: String },
}

impl PolicyArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.action {
            Action::List => list(context),
            Action::Show { name } => {
                let answer = Answer::of(Policy::from(&policy::load(&name)?), Vec::new());
                context.answer(&answer, text::policy)
            }
            Action::Diff { left, right } => {
                let diff = PolicyDiff::of(&policy::load(&left)?, &policy::load(&right)?);
                context.answer(&Answer::of(diff, Vec::new()), text::policy_diff)
            }
        }
    }
}

fn list(context: &Context) -> CommandResult {
    let mut settings = Vec::new();
    for name in policy::names() {
        let policy = policy::load(name)?;
        let set_by = "preset".to_owned();
        settings.push(Setting { name: policy.name, value: policy.note, set_by });
    }
    context.answer(&Answer::of(Settings { settings }, Vec::new()), |all, width| {
        all.settings.iter().map(|one| text::paragraph(&one.name, &one.value, width)).collect()
    })
}
