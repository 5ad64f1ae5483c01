//! `hardwon trust`

use clap::Args;
use hardwon_faces::Exit;
use hardwon_foreign::trust;
use hardwon_render::text;

use super::{CommandResult, Context, is_yes};

/// Show the lessons of an export or another system's folder, and trust them
///
/// A file from another person, or a folder that came with a checkout, is not trusted
/// automatically. This prints its lessons and remembers the digest of its content: `import`
/// then treats them as approved by you. Any change of the file or folder ends that. On a
/// terminal it asks first.
#[derive(Args)]
pub struct Trust {
    /// A file that `hardwon export` wrote; or the folder, or the one that contains it
    path: String,
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

impl Trust {
    pub fn run(self, context: &Context) -> CommandResult {
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
