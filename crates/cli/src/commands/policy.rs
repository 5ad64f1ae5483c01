//! `hardwon policy`

use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, Policy, PolicyDiff, Setting, Settings};
use hardwon_engine::policy;
use hardwon_faces::Exit;
use hardwon_render::text;

use super::{Context, Done};

/// Look at the rules that decide
#[derive(Args)]
pub struct PolicyArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// The policies there are
    List,
    /// The numbers of one policy
    Show { name: String },
    /// The numbers in which two policies differ
    Diff { left: String, right: String },
}

impl PolicyArgs {
    pub fn run(self, context: &Context) -> Done {
        let width = context.width();
        match self.action {
            Action::List => list(context)?,
            Action::Show { name } => {
                let answer = Answer::of(Policy::from(&policy::load(&name)?), Vec::new());
                context.printer.answer(&answer, |p| text::policy(p, width));
            }
            Action::Diff { left, right } => {
                let diff = PolicyDiff::of(&policy::load(&left)?, &policy::load(&right)?);
                let answer = Answer::of(diff, Vec::new());
                context.printer.answer(&answer, |diff| text::policy_diff(diff, width));
            }
        }
        Ok(Exit::Done)
    }
}

fn list(context: &Context) -> Result<(), hardwon_faces::Failure> {
    let mut all = Vec::new();
    for name in policy::names() {
        let policy = policy::load(name)?;
        all.push((policy.name, policy.note));
    }
    let all = all.into_iter().map(|(name, note)| Setting {
        name,
        value: note,
        set_by: "preset".to_owned(),
    });
    let answer = Answer::of(Settings { settings: all.collect() }, Vec::new());
    let width = context.width();
    context.printer.answer(&answer, |all| {
        all.settings.iter().map(|one| text::paragraph(&one.name, &one.value, width)).collect()
    });
    Ok(())
}
