//! `hardwon forget` and `restore`.

use clap::Args;
use hardwon_engine::{EngineError, lessons, lookup};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::{CommandResult, Context, is_yes};

/// Archive a lesson; `edit LESSON --restore` brings it back
///
/// With --hard its text is erased instead, with its tags, files and reasons: from every table,
/// from history and from the store's files, which are searched afterwards. This cannot be
/// undone. Exits with 1 if something is left or could not be checked. Calling it again rewrites
/// the store's files and checks exports; the text itself is gone, so nothing else can be
/// searched for it.
#[derive(Args)]
pub struct Forget {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// Erase its text for good
    #[arg(long)]
    hard: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Forget {
    pub fn run(self, context: &Context) -> CommandResult {
        let mut open = context.writer()?;
        if !self.hard {
            let answer = lessons::forget(&mut open.memory, &open.call, &self.lesson)?;
            return context.lesson(&open, answer);
        }
        let id = match lookup::lesson_named(&open.memory, &open.call, &self.lesson) {
            Ok(lesson) if !self.yes && !is_agreed(context, lesson.text.as_str())? => {
                context.printer.talk("nothing was forgotten");
                return Ok(Exit::Negative);
            }
            Ok(lesson) => lesson.id.to_string(),
            // Erased already: nothing can be lost, and files can be checked again.
            Err(EngineError::Erased { lesson, .. }) => lesson,
            Err(error) => return Err(error.into()),
        };
        let answer =
            lessons::forget_for_good(&mut open.memory, &open.call, &context.environment, &id)?;
        let is_proved = answer.body.erased.as_ref().is_some_and(|erased| erased.is_proved());
        context.print(&open, answer, |forgotten, _| text::forget_hard(forgotten))?;
        Ok(if is_proved { Exit::Done } else { Exit::Negative })
    }
}

fn is_agreed(context: &Context, lesson: &str) -> Result<bool, Failure> {
    if !context.can_ask() {
        let hint = Some("add --yes if you mean it: it cannot be undone");
        return Err(Failure::usage("forgetting for good has to be confirmed", hint));
    }
    Ok(is_yes(&format!("{lesson}\nErase this for good? It cannot be undone.")))
}

/// Bring back a lesson that was forgotten or has decayed, or what it said before
#[derive(Args)]
// Its own `--version` is the number of one.
#[command(disable_version_flag = true)]
pub struct Restore {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// Let it say again what it said in this version; see `hardwon log --versions LESSON`
    #[arg(long, value_name = "N")]
    version: Option<u32>,
}

impl Restore {
    pub fn run(self, context: &Context) -> CommandResult {
        restore(context, &self.lesson, self.version)
    }
}

/// Brings a lesson back, or what it said in a version.
pub fn restore(context: &Context, lesson: &str, version: Option<u32>) -> CommandResult {
    let restore = |memory: &mut _, call: &_| match version {
        Some(number) => lessons::restore_version(memory, call, lesson, number),
        None => lessons::restore(memory, call, lesson),
    };
    context.changes(restore, |_| None)
}
