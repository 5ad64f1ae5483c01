//! `hardwon trust`

use std::io::{BufRead, IsTerminal, Write};

use clap::Args;
use hardwon_engine::answer::{Answer, ForeignFolder};
use hardwon_faces::Exit;
use hardwon_foreign::trust;
use hardwon_render::text;

use super::{Context, Done};

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
            return Ok(print(context, &trust::unpin(environment, &self.path)?));
        }
        let asks = !self.yes && !context.printer.is_json() && std::io::stdin().is_terminal();
        if self.look || asks {
            let answer = trust::look(environment, &self.path)?;
            print(context, &answer);
            if self.look || !is_agreed(context) {
                return Ok(Exit::Done);
            }
            trust::pin(environment, &self.path)?;
            context.printer.talk("trusted as it is now");
            return Ok(Exit::Done);
        }
        Ok(print(context, &trust::pin(environment, &self.path)?))
    }
}

fn print(context: &Context, answer: &Answer<ForeignFolder>) -> Exit {
    let width = context.width();
    context.printer.answer(answer, |folder| text::trust(folder, width));
    Exit::Done
}

fn is_agreed(_context: &Context) -> bool {
    let _ = write!(std::io::stderr().lock(), "Vouch for these lessons? [y/N] ");
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}
