//! A command failed because of how it was called or what was missing around it: what was it, why
//! did it fail, and what worked later for the same purpose?
//!
//! What fails because the code is not right yet is no mistake of the call, and what a session
//! could not repair is only stated. Whether a repair is shown is decided where sessions are
//! compared: here it is what one of them saw.

use std::collections::BTreeMap;

use super::attempt::{self, Attempt};
use super::miscalled::{MISCALLED, N_ENDS, has_any, is_miscalled};
use super::shown;
use crate::command::parted::{Parted, parted};
use crate::command::purpose::{are_for_the_same, handles_files, prepares, purpose, stem};
use crate::command::shell;
use crate::command::trouble::{classify, telling_lines};
use crate::episode::{ErrorClass, StepKind};
use crate::event::{FindingStated, StepStated};
use crate::list;
use crate::order::Order;
use crate::quote;

/// The rule of such findings.
pub const RULE: &str = "session:command";

/// Said where an output does not tell why.
pub(super) const UNEXPLAINED: &str = " here";

/// How many steps later a repair still belongs to a failure.
const HORIZON: usize = 60;

/// How much of an output is looked at for what it names.
const MAX_NAMING_BYTES: usize = 4 << 10;

/// Shortest argument that an output names by more than chance.
const MIN_NAMED_CHARS: usize = 3;

const OF_THE_MOMENT: &[&str] = list!("programs.txt", "of the moment");
const ENDLESS: &[&str] = list!("programs.txt", "endless");
const PROGRAM_MISSING: &[&str] = list!("mistakes.txt", "program missing");
const ABSENT: &[&str] = list!("mistakes.txt", "absent");
const COMPLAINING: &[&str] = list!("mistakes.txt", "complaining");
const MANIFESTS: &[&str] = list!("mistakes.txt", "manifests");
/// Purposes for which a failure is mostly an answer about the code.
const ANSWERING: &[&str] = &["test", "check", "build", "format"];

/// Why a command failed, as far as it concerns how it was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It was called in a way that cannot work here.
    Call,
    /// Something around it was missing or not reachable.
    Surroundings,
}

/// A command that failed, in the words by which it is known.
struct Mistake<'a> {
    failed: &'a Attempt<'a>,
    cause: Cause,
    /// The command with what its failure is about, and nothing else.
    form: Vec<String>,
    line: Option<String>,
    /// Whether its output shows that the call or its surroundings are at fault.
    is_plain_fault: bool,
    /// Whether it may as well be an answer about the code.
    is_answer: bool,
}

impl Mistake<'_> {
    /// Whether a test or check failed, and nothing says that its call is why: then the code is wrong,
    /// and no other command repairs that. One that prints pages has begun, whatever it met.
    fn is_mute(&self) -> bool {
        let has_begun = self.failed.output.lines().count() > 2 * N_ENDS;
        let answers = ANSWERING.contains(&purpose(&self.failed.command).as_str());
        self.line.is_none() && (self.is_answer || has_begun && answers)
    }

    /// Whether it names nothing of its call but what works elsewhere in the session.
    fn is_vague(&self, attempts: &[Attempt<'_>]) -> bool {
        let own = stem(&self.failed.command);
        let works = |other: &Attempt<'_>| other.is_ok && stem(&other.command) == own;
        self.form == own && attempts.iter().any(works)
    }
}

/// What repaired it.
enum Repair {
    /// Another command for the same purpose.
    Instead(String),
    /// A command before it.
    Before(String),
    /// Something that no command tells: it works now.
    Other,
}

/// The mistakes of a session, each once, with their repairs.
pub fn mistakes(attempts: &[Attempt<'_>], steps: &[StepStated]) -> Vec<FindingStated> {
    let mut found: BTreeMap<String, (usize, FindingStated)> = BTreeMap::new();
    for (index, failed) in attempts.iter().enumerate().filter(|(_, attempt)| !attempt.is_ok) {
        let Some(mut mistake) = mistake(failed) else { continue };
        if mistake.is_vague(attempts) {
            // Other calls of it work: only the whole call is known to fail.
            mistake.form.clone_from(&failed.command.words);
        }
        let name = failed.command.with(&mistake.form);
        let repair = repair(&mistake, &name, &attempts[index + 1..], steps);
        if matches!(repair, Some(Repair::Other)) || !quote::is_command(&name) {
            continue;
        }
        let repair = repair.as_ref().and_then(|repair| worded(repair, &name));
        let is_told = mistake.is_plain_fault && mistake.line.is_some();
        if mistake.is_mute() || repair.is_none() && (!is_told || mistake.is_answer) {
            continue;
        }
        let made = finding(&mistake, &name, repair);
        let known = found.entry(name).or_insert_with(|| (index, made.clone()));
        if known.1.repair.is_none() && made.repair.is_some() {
            known.1 = made;
        }
    }
    let mut found: Vec<(usize, FindingStated)> = found.into_values().collect();
    found.order_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// What a failed command line is known by: the form that its output speaks of, and shorter ones.
pub fn names_of(line: &str, output: &str) -> Vec<String> {
    let Some(command) = attempt::culprit(parted(line), output) else { return Vec::new() };
    let long = command.with(&form(&command, output));
    let middle = command.with(&stem(&command));
    let bare = stem(&command).join(" ");
    let program = command.words[..=command.n_wrapping].join(" ");
    let mut names: Vec<String> = Vec::new();
    for name in [command.text(), long, middle, bare, program] {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn finding(mistake: &Mistake<'_>, name: &str, repair: Option<String>) -> FindingStated {
    let reason =
        mistake.line.as_ref().map_or(UNEXPLAINED.to_owned(), |line| format!(" with \"{line}\""));
    let text = format!("`{name}` fails{reason}");
    FindingStated { repair, ..shown(RULE, name, text, mistake.failed.output) }
}

fn worded(repair: &Repair, name: &str) -> Option<String> {
    match repair {
        Repair::Instead(other) => Some(format!("Use `{other}` here, not `{name}`")),
        Repair::Before(first) => Some(format!("Before `{name}` run `{first}`")),
        Repair::Other => None,
    }
}

/// A failed attempt as a mistake of its call, if it is one.
fn mistake<'a>(failed: &'a Attempt<'a>) -> Option<Mistake<'a>> {
    let program = failed.command.program();
    let telling = telling_lines(failed.output);
    let is_miscalled = is_miscalled(failed.output);
    let is_momentary = OF_THE_MOMENT.contains(&program.as_str());
    let is_elsewhere = failed.command.words[failed.command.n_wrapping].starts_with(['/', '~']);
    // A shell that could not change its folder ran nothing.
    let is_lost = telling.iter().any(|line| line.contains("cd:"));
    // What is to be moved or removed comes and goes with the work.
    let is_gone = is_momentary && handles_files(&program) && has_any(failed.output, ABSENT);
    let is_passing = is_momentary && !is_miscalled || is_gone || is_elsewhere || is_lost;
    if failed.is_look() || failed.has_reports || is_passing {
        return None;
    }
    let class = telling.iter().rev().find_map(|line| classify(line).filter(|c| is_outside(*c)));
    let is_endless = failed.command.words.iter().any(|word| ENDLESS.contains(&word.as_str()));
    let is_late = class == Some(ErrorClass::Timeout);
    let cause = match class {
        _ if is_miscalled => Cause::Call,
        Some(ErrorClass::Tool) => Cause::Call,
        Some(_) if is_late && is_endless => return None,
        Some(_) => Cause::Surroundings,
        None => Cause::Surroundings,
    };
    let is_answer =
        class.is_none() && !is_miscalled && ANSWERING.contains(&purpose(&failed.command).as_str());
    let line = telling.iter().rev().find(|line| classify(line).is_some_and(is_outside));
    let named = || failed.output.lines().find(|line| has_any(line, MISCALLED)).map(str::trim);
    let line = line
        .copied()
        .or_else(named)
        .or(telling.last().copied())
        .and_then(|line| quote::error_line(line, &failed.command.text()));
    let form = form(&failed.command, failed.output);
    let is_plain_fault = is_miscalled || class.is_some();
    Some(Mistake { failed, cause, form, line, is_plain_fault, is_answer })
}

/// Whether what a command printed shows that it failed by how it was called, where nothing else
/// tells how it ended: the last lines say so.
pub fn shows_mistake(output: &str) -> bool {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(N_ENDS)..];
    let is_outside = |line: &&&str| classify(line).is_some_and(is_outside);
    let is_error = |line: &&&str| has_any(line, COMPLAINING);
    last.iter().filter(is_error).any(|line| is_outside(&line) || has_any(line, MISCALLED))
}

/// Whether an error of this class is not about the code.
fn is_outside(class: ErrorClass) -> bool {
    use ErrorClass::*;
    match class {
        Tool | Import | Permission | Network | Timeout => true,
        Type | Syntax | Runtime | Test | Build | Logic => false,
    }
}

/// The words of a command that its failure is about: what it is, and what its output names.
fn form(command: &Parted, output: &str) -> Vec<String> {
    if names(output, &command.program()) {
        return command.words[..=command.n_wrapping].to_vec();
    }
    let stem = stem(command);
    let is_kept = |word: &str| is_named(word, output);
    with_values(stem.clone(), &command.words[stem.len()..], is_kept)
}

/// These words with the further ones that are kept, each with the flag that it belongs to.
fn with_values(
    mut words: Vec<String>,
    rest: &[String],
    is_kept: impl Fn(&str) -> bool,
) -> Vec<String> {
    let is_flag = |word: &&String| word.starts_with('-') && !word.contains('=');
    let mut before: Option<&String> = None;
    for word in rest {
        if is_kept(word) {
            let flag = before.filter(is_flag).filter(|flag| !is_kept(flag));
            words.extend(flag.filter(|_| !word.starts_with('-')).cloned());
            words.push(word.clone());
        }
        before = Some(word);
    }
    words
}

/// `frob: command not found` names frob.
fn names(output: &str, program: &str) -> bool {
    let lower = output.to_lowercase();
    let is_missing =
        |line: &str| has_any(line, PROGRAM_MISSING) || line.trim_end().ends_with(": not found");
    lower.lines().any(|line| is_missing(line) && line.contains(program))
}

fn is_named(word: &str, output: &str) -> bool {
    let bare = word.trim_matches(['"', '\'']);
    let bare = bare.split('=').next().unwrap_or_default();
    let bare = bare.trim_start_matches("./").trim_end_matches(['/', '.']);
    let output = &output[..output.floor_char_boundary(MAX_NAMING_BYTES)];
    // A short flag stands in many words; in quotes it is meant.
    let is_quoted = || ['\'', '`', '"'].iter().any(|q| output.contains(&format!("{q}{bare}{q}")));
    let is_long = bare.chars().count() >= MIN_NAMED_CHARS;
    is_long && output.contains(bare) || bare.len() > 1 && bare.starts_with('-') && is_quoted()
}

/// What worked later for the same purpose.
fn repair(
    mistake: &Mistake<'_>,
    name: &str,
    later: &[Attempt<'_>],
    steps: &[StepStated],
) -> Option<Repair> {
    let failed = mistake.failed;
    let near = later.iter().take_while(|attempt| attempt.place <= failed.place + HORIZON);
    let mut between: Vec<&Attempt<'_>> = Vec::new();
    for attempt in near.filter(|attempt| attempt.is_ok) {
        let is_same = attempt.command.words == failed.command.words
            && attempt.command.folder == failed.command.folder
            && attempt.command.assignments == failed.command.assignments;
        let is_edited = is_edited(mistake, attempt.place, steps);
        if is_same {
            return Some(
                prepared(mistake, attempt, &between)
                    .filter(|_| !is_edited)
                    .unwrap_or(Repair::Other),
            );
        }
        if !is_edited && !mistake.is_answer && are_for_the_same(&failed.command, &attempt.command) {
            let other = instead(mistake, attempt, &between);
            if other != name && is_advised(&other, failed.output) {
                return Some(Repair::Instead(other));
            }
        }
        if !attempt.is_look() {
            between.push(attempt);
        }
    }
    None
}

/// Whether a command may be advised for a failure that printed this.
fn is_advised(command: &str, output: &str) -> bool {
    quote::is_command(&command.replacen("source ", "enter ", 1))
        && quote::is_advised_for(command, output)
}

/// Whether an edit may have made the difference. One cannot teach a flag or a name, unless it
/// changes the file that declares them.
fn is_edited(mistake: &Mistake<'_>, until: usize, steps: &[StepStated]) -> bool {
    let between = steps.get(mistake.failed.place + 1..until).unwrap_or_default();
    let edits =
        between.iter().filter(|step| step.kind == StepKind::Edit && step.is_ok != Some(false));
    let declares = |step: &StepStated| {
        let file = shell::name(&step.action);
        MANIFESTS.contains(&file.as_str())
    };
    edits.into_iter().any(|step| mistake.cause == Cause::Surroundings || declares(step))
}

/// The other command, without what both were applied to.
fn instead(mistake: &Mistake<'_>, worked: &Attempt<'_>, between: &[&Attempt<'_>]) -> String {
    let own = stem(&worked.command);
    let (failed, meant) = (&mistake.failed.command.words, stem(&mistake.failed.command));
    let is_kept = |word: &str| {
        let is_in = |words: &[String]| words.iter().any(|known| known == word);
        !is_in(failed) || is_in(&mistake.form) || is_in(&meant)
    };
    let words = with_values(own.clone(), &worked.command.words[own.len()..], is_kept);
    let text = worked.command.with(&words);
    // What the same line did first belongs to it.
    let first =
        between.iter().filter(|other| other.place == worked.place && prepares(&other.command));
    let first: Vec<String> = first.map(|other| other.command.text()).collect();
    if first.is_empty() { text } else { format!("{} && {text}", first.join(" && ")) }
}

/// What was run between the failure and the success of the same command.
fn prepared(
    mistake: &Mistake<'_>,
    worked: &Attempt<'_>,
    between: &[&Attempt<'_>],
) -> Option<Repair> {
    let output = mistake.failed.output;
    let is_told = |other: &&&Attempt<'_>| {
        let stem = stem(&other.command).join(" ");
        stem.contains(' ') && output.contains(&stem)
    };
    let told = between.iter().find(is_told);
    let is_open = !mistake.is_answer;
    let able = || between.iter().rfind(|other| is_open && prepares(&other.command));
    let only = || between.first().filter(|_| is_open && between.len() == 1);
    let first = told.or_else(able).or_else(only)?;
    let text = first.command.text();
    if !is_advised(&text, output) {
        return None;
    }
    if first.place == worked.place {
        let name = mistake.failed.command.with(&mistake.form);
        return Some(Repair::Instead(format!("{text} && {name}")));
    }
    Some(Repair::Before(text))
}
