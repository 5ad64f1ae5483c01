//! `hardwon forget`

use std::io::{BufRead, IsTerminal, Write};

use clap::Args;
use hardwon_engine::{EngineError, lessons, lookup};
use hardwon_faces::{Exit, Failure};
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// Put a lesson away; `restore` brings it back
///
/// With --hard its words are erased instead: from every table, from history and from the
/// store's files, which are looked through afterwards. So is what was said about it: tags,
/// files and reasons. Nothing brings them back. Ends with 1 if something of them is left or
/// could not be looked at. The same again writes the store's files anew and looks at
/// exports; the words themselves are gone, so nothing else can be searched for them.
#[derive(Args)]
pub struct Forget {
    /// Its id, the beginning of its id, or an alias
    lesson: String,
    /// Erase its words for good
    #[arg(long)]
    hard: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Forget {
    pub fn run(self, context: &Context) -> Done {
        let mut engine = context.writer()?;
        if !self.hard {
            let answer = lessons::forget(&mut engine.memory, &engine.call, &self.lesson)?;
            return context.lesson(&engine, answer);
        }
        let id = match lookup::lesson_named(&engine.memory, &engine.call, &self.lesson) {
            Ok(lesson) if !self.yes && !is_agreed(context, lesson.text.as_str())? => {
                context.printer.talk("nothing was forgotten");
                return Ok(Exit::Negative);
            }
            Ok(lesson) => lesson.id.to_string(),
            // Gone already: there is nothing to lose, and files to look at again.
            Err(EngineError::Erased { lesson, .. }) => lesson,
            Err(error) => return Err(error.into()),
        };
        let mut answer =
            lessons::forget_for_good(&mut engine.memory, &engine.call, &context.environment, &id)?;
        take_problems(&engine, &mut answer);
        context.printer.answer(&answer, json::forget_hard, text::forget_hard);
        Ok(if answer.body.erased.is_proved() { Exit::Done } else { Exit::Negative })
    }
}

fn is_agreed(context: &Context, lesson: &str) -> Result<bool, Failure> {
    if context.printer.is_json() || !std::io::stdin().is_terminal() {
        let hint = Some("say --yes if you mean it: it cannot be taken back");
        return Err(Failure::usage("forgetting for good has to be confirmed", hint));
    }
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{lesson}\nErase this for good? It cannot be taken back. [y/N] ");
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    Ok(read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes"))
}
