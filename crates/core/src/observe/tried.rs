//! What did a run do with a command that a lesson warns of? It ran what the lesson names instead, or
//! the command all the same, and that worked. Another subcommand, or another folder, is neither.

use super::AUTHOR;
use crate::command::parted::{Parted, parted};
use crate::command::shell;
use crate::episode::{Step, StepKind, StepResult};
use crate::lesson::Lesson;

/// What was run, in the words of the lesson.
pub enum Tried {
    /// What it says to run.
    Heeded(String),
    /// What it warns of, and it worked.
    Worked(String),
}

/// Whether a lesson is about a command: sessions showed that it fails, and nobody reworded that.
pub fn is_of_command(lesson: &Lesson) -> bool {
    warned_of(lesson).is_some()
}

/// The command that a lesson warns of.
fn warned_of(lesson: &Lesson) -> Option<Parted> {
    let is_shown = lesson.author == AUTHOR && lesson.detectors.contains(AUTHOR);
    let (command, _) = lesson.text.as_str().strip_prefix('`')?.split_once("` fails with \"")?;
    parted(command).pop().filter(|_| is_shown)
}

/// What these steps did with the command of a lesson, if it is about one.
pub fn tried<'a>(lesson: &Lesson, steps: impl Iterator<Item = &'a Step>) -> Option<Tried> {
    let wrong = warned_of(lesson)?;
    let advice = lesson.guidance.repair.as_deref().unwrap_or_default();
    let right = advice.strip_prefix("Use `").and_then(|rest| rest.split('`').next());
    let right = right.and_then(|right| parted(right).pop());
    let mut heeded = None;
    let worked =
        steps.filter(|step| step.kind == StepKind::Command && step.result == StepResult::Ok);
    let commands = worked.flat_map(|step| parted(&step.action)).filter(|it| !it.is_alternative);
    for command in commands {
        // Of a form and a longer one, the longer one says more about what was run.
        let is_wrong = is_call(&command, &wrong);
        let length = |it: &Parted| it.words.len() + it.assignments.len();
        let is_closer = |right: &&Parted| !is_wrong || length(right) > length(&wrong);
        let right = right.as_ref().filter(|right| is_call(&command, right)).filter(is_closer);
        if right.is_none() && is_wrong {
            return Some(Tried::Worked(wrong.text()));
        }
        heeded = right.map(|right| Tried::Heeded(right.text())).or(heeded);
    }
    heeded
}

/// Whether a line runs this command, whatever it is applied to.
pub fn runs(line: &str, command: &str) -> bool {
    let wanted = parted(command).pop();
    wanted.is_some_and(|wanted| parted(line).iter().any(|one| is_call(one, &wanted)))
}

/// Whether a command is a call of this one: in its folder, with its words, flags and variables.
fn is_call(command: &Parted, wanted: &Parted) -> bool {
    let split = |of: &Parted| -> (Vec<String>, Vec<String>) {
        let words = of.words.iter().map(|word| shell::name(word));
        words.partition(|word| word.starts_with('-'))
    };
    let ((flags, words), (own_flags, own_words)) = (split(wanted), split(command));
    command.folder == wanted.folder
        && own_words.starts_with(&words)
        && flags.iter().all(|flag| own_flags.contains(flag))
        && wanted.assignments.iter().all(|one| command.assignments.contains(one))
}
