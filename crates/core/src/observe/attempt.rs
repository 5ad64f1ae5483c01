//! What was tried in a session, command by command? Of a line that failed only the command is
//! known to have failed that its output speaks of; of one that went well all of them did.

use super::miscalled::is_miscalled;
use crate::command::parted::{Parted, parted};
use crate::episode::StepKind;
use crate::event::StepStated;

/// How many lines of an output are looked at for whom it names.
const N_LINES: usize = 12;

/// A command that was run, and how that went.
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    /// The step in which it was run.
    pub place: usize,
    pub command: Parted,
    pub is_ok: bool,
    pub output: &'a str,
    /// Whether a tool looked at the code in it.
    pub has_looks: bool,
    /// Whether a tool reported something in it: then that is why it failed.
    pub has_reports: bool,
}

impl Attempt<'_> {
    /// Whether it only looks at something, so that its failure is an answer.
    pub fn is_look(&self) -> bool {
        self.command.sort.is_look
    }
}

/// All attempts whose end is known, in order.
pub fn attempts(steps: &[StepStated]) -> Vec<Attempt<'_>> {
    let mut attempts = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let (StepKind::Command, Some(is_ok)) = (step.kind, step.is_ok) else { continue };
        let output = step.output.as_deref().unwrap_or_default();
        let has_looks = !step.looks.is_empty();
        let has_reports = step.looks.iter().any(|look| !look.findings.is_empty());
        let mut parts = parted(&step.action);
        if is_ok {
            parts.retain(|part| !part.is_alternative);
        } else {
            parts = culprit(parts, output).into_iter().collect();
        }
        attempts.extend(parts.into_iter().map(|command| Attempt {
            place,
            command,
            is_ok,
            output,
            has_looks,
            has_reports,
        }));
    }
    attempts
}

/// Which command of a line failed: the one that its output names first, else the one with the
/// argument that the output complains of, else the last that does more than look.
pub fn culprit(parts: Vec<Parted>, output: &str) -> Option<Parted> {
    let lower = output.to_lowercase();
    let named = |part: &&Parted| {
        let program = part.program();
        let begins = |line: &str| {
            let line = line.trim_start();
            let rest = line.strip_prefix("bash: line 1: ").or_else(|| line.strip_prefix("bash: "));
            let rest = rest.or_else(|| line.strip_prefix("sh: 1: ")).unwrap_or(line);
            rest.strip_prefix(program.as_str()).is_some_and(|rest| rest.starts_with([':', ' ']))
        };
        !program.is_empty() && lower.lines().take(N_LINES).any(begins)
    };
    let acting = || parts.iter().filter(|part| !part.sort.is_look);
    let found = acting().find(named).or_else(|| complained_of(&parts, output));
    let found = found.or_else(|| acting().next_back()).or_else(|| parts.last());
    found.cloned()
}

/// The one command that has the argument which a complaint about the call quotes. A pipe hides
/// whose complaint it is; the argument does not, also where another program stands behind a name.
fn complained_of<'p>(parts: &'p [Parted], output: &str) -> Option<&'p Parted> {
    let mut complaints = output.lines().take(N_LINES).filter(|line| is_miscalled(line));
    let argument = complaints.find_map(quoted)?;
    let mut having = parts.iter().filter(|part| part.words.iter().any(|word| word == argument));
    let first = having.next()?;
    having.next().is_none().then_some(first)
}

/// The first word of a line that stands in quotes by itself.
fn quoted(line: &str) -> Option<&str> {
    let at = line.find(['\'', '`', '"'])?;
    let (mark, rest) = line[at..].split_at(1);
    let (word, _) = rest.split_once(mark)?;
    (!word.is_empty() && !word.contains(char::is_whitespace)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blamed(line: &str, output: &str) -> String {
        culprit(parted(line), output).map(|part| part.program()).unwrap_or_default()
    }

    #[test]
    fn the_argument_that_is_complained_of_tells_whose_complaint_it_is() {
        let output = "error: unexpected argument '-Z' found\n\nUsage: wrapped show [OPTIONS]\n";
        assert_eq!(blamed("cat -Z notes.txt | pack -u", output), "cat");
        assert_eq!(blamed("cat notes.txt | pack -Z", output), "pack");
        let of_both = "cat -Z notes.txt | pack -Z";
        assert_eq!(blamed(of_both, output), "pack", "either may be meant: the last that acts");
        assert_eq!(blamed("cat notes.txt | pack -u", output), "pack", "nobody has it");
        let by_name = "pack: unexpected argument '-Z' found\n";
        assert_eq!(blamed("cat -Z notes.txt | pack -u", by_name), "pack", "a name goes first");
    }

    #[test]
    fn what_is_quoted_otherwise_tells_nothing() {
        let output = "error: cannot read 'notes.txt'\n";
        assert_eq!(blamed("cat notes.txt | pack -u", output), "pack");
    }
}
