//! `hardwon review trust`

use clap::Args;
use hardwon_faces::Exit;
use hardwon_foreign::LayoutName;
use hardwon_foreign::trust::{self, Asked};
use hardwon_render::text;

use super::{CommandResult, Context, is_yes};
use crate::args;

#[derive(Args)]
pub struct Trust {
    /// A file that `hardwon export` or the MCP memory server wrote; or the folder, or the one that
    /// contains it
    path: String,
    /// Its layout: hardwon, archeflow, openagents, jkz (a folder of notes) or mcp [default:
    /// detected from the content]
    #[arg(long = "from", value_name = "LAYOUT", value_parser = args::layout)]
    layout: Option<LayoutName>,
    /// Only show the lessons
    #[arg(long)]
    look: bool,
    /// Stop trusting it
    #[arg(long, conflicts_with = "look")]
    revoke: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

const CHANGED: &str = "it changed while it was shown, so what is there now is not trusted: look at \
                       it again";

impl Trust {
    pub fn run(self, context: &Context) -> CommandResult {
        let environment = &context.environment;
        let asked = Asked { path: &self.path, layout: self.layout };
        if self.revoke {
            return context.answer(&trust::unpin(environment, asked)?, |body, _| text::trust(body));
        }
        let asks = !self.yes && context.can_ask();
        if !self.look && !asks {
            return context.answer(&trust::pin(environment, asked)?, |body, _| text::trust(body));
        }
        let shown = trust::look(environment, asked)?;
        context.answer(&shown, |body, _| text::trust(body))?;
        if !self.look && is_yes("Trust these lessons?") {
            trust::pin_shown(environment, asked, &shown.body)?;
            let is_same = trust::look(environment, asked)
                .is_ok_and(|now| now.body.digest == shown.body.digest);
            context.printer.talk(if is_same { "trusted as it is now" } else { CHANGED });
        }
        Ok(Exit::Done)
    }
}
