//! `hardwon forget`

use clap::Args;
use hardwon_engine::{EngineError, lessons, lookup};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::{Context, Done, is_yes};

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
            // Gone already: there is nothing to lose, and files to look at again.
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
