//! `hardwon trust`

use clap::Args;
use hardwon_faces::Exit;
use hardwon_foreign::trust;
use hardwon_render::text;

use super::{Context, Done, is_yes};

/// Look at an export or another system's folder and approve what is in it
///
/// A file that somebody sent, or a folder that came with a checkout, is never used by
/// itself. This prints its lessons and pins the digest of its content: `import` then takes
/// them as vouched for by you. Any change of the file or folder ends that. On a terminal it
/// asks first.
#[derive(Args)]
pub struct Trust {
    /// The file that `hardwon export` wrote; or the folder, or the one that holds it
    path: String,
    /// Only look
    #[arg(long)]
    look: bool,
    /// Take an earlier word back
    #[arg(long, conflicts_with = "look")]
    revoke: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Trust {
    pub fn run(self, context: &Context) -> Done {
        let environment = &context.environment;
        if self.revoke {
            return context.answer(&trust::unpin(environment, &self.path)?, text::trust);
        }
        let asks = !self.yes && context.can_ask();
        if !self.look && !asks {
            return context.answer(&trust::pin(environment, &self.path)?, text::trust);
        }
        context.answer(&trust::look(environment, &self.path)?, text::trust)?;
        if !self.look && is_yes("Trust these lessons?") {
            trust::pin(environment, &self.path)?;
            context.printer.talk("trusted as it is now");
        }
        Ok(Exit::Done)
    }
}
