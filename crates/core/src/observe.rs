//! What does a session show by what was done in it? Its steps in, findings out: what failed and was
//! repaired by another form of the command, what tools reported, and how it ended. Each is stated
//! in words that stay the same from session to session, so that it is recognized and counted like
//! any other finding; what repairs it stands beside it.
//!
//! Everything here was chosen by whoever made the agent run it: only what has the form of code
//! is quoted, and what a program printed stands in quotation marks.

mod attempt;
mod outcome;
mod repair;
mod reported;
mod tried;

use std::collections::{BTreeMap, BTreeSet};

use crate::command::parted::parted;
use crate::ended::Ended;
use crate::event::{FindingStated, StepStated, VerdictStated};
use crate::finding::{Finding, Grade};
use crate::grade;
use crate::ids::RunId;
use crate::lesson::Origin;
use crate::reflect::{AUTHOR, Pattern};
use crate::signature::of_fingerprint;

pub(crate) use repair::family;
pub use tried::{Tried, is_of_command, runs, tried};

/// Most findings of one session of each sort; a session that shows more says little by each.
const MAX_FINDINGS: usize = 40;

/// What a session shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    pub findings: Vec<FindingStated>,
    /// The tools that looked, with their last word.
    pub verdicts: Vec<VerdictStated>,
    /// How it ended, by its last checks.
    pub ended: Ended,
}

/// What these steps show, in order.
pub fn observe(steps: &[StepStated]) -> Observed {
    let attempts = attempt::attempts(steps);
    let mut findings = repair::failures(&attempts, steps);
    findings.truncate(MAX_FINDINGS);
    let (reported, verdicts) = reported::reported(steps);
    let ended = outcome::ended(&attempts, steps, &reported);
    findings.extend(reported.into_iter().take(MAX_FINDINGS));
    Observed { findings, verdicts, ended }
}

/// What a failure shows that a lesson knows by this key: it starts none.
pub fn recurrence(key: &str, command: &str, line: &str) -> FindingStated {
    let text = format!("`{command}` fails with \"{line}\"");
    let severity = Some("info".to_owned());
    let fingerprint = Some(advised(key));
    FindingStated { severity, fingerprint, ..shown(repair::RULE, key, text, line) }
}

/// The fingerprint of a lesson that a model read out of such a failure.
fn advised(key: &str) -> String {
    format!("{}/{key}", Pattern::Advised)
}

/// The signature of such a lesson.
pub fn signature_of_advised(key: &str) -> String {
    of_fingerprint(&advised(key))
}

/// The signature under which a lesson about this failed command is known, if there may be one.
pub fn signature_of_failure(command: &str, output: &str) -> Option<String> {
    repair::key_of(command, output).map(|key| of_fingerprint(&fingerprint(repair::RULE, &key)))
}

/// Whether a lesson only says that a command fails or that code does not compile, and not what to
/// do: nobody can do anything with that. So a repair of a command waits until two sessions agree.
pub fn says_nothing(text: &str, repair: Option<&str>) -> bool {
    let failure = text.strip_prefix('`').and_then(|rest| rest.split_once("` fails "));
    let is_failure = failure.is_some_and(|(name, how)| {
        !name.contains('`') && (how == "here" || how.starts_with("with \""))
    });
    let rule = text.split_once(": \"").map(|(rule, _)| rule);
    repair.is_none() && (is_failure || rule.is_some_and(reported::is_compilers))
}

/// What a failed command is called, the closest first: as it was typed, up to what it is applied
/// to, and its program.
pub fn names_of_failure(command: &str, output: &str) -> Vec<String> {
    let Some((command, _)) = attempt::culprit(parted(command), output) else { return Vec::new() };
    let is_bare = |word: &&String| word.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c));
    let bare =
        command.arguments().iter().take_while(|word| is_bare(word) && !word.starts_with('-'));
    let n_stem = command.n_wrapping + 1 + bare.count();
    let wrapped = &command.words[..n_stem];
    let own = wrapped[command.n_wrapping..].join(" ");
    // Code in an argument is no call of the program that runs it.
    let is_inline = command.arguments().first().is_some_and(|flag| matches!(&**flag, "-c" | "-e"));
    let program = Some(command.program()).filter(|_| !is_inline);
    let mut names: Vec<String> = Vec::new();
    for name in [command.text(), command.with(wrapped), own].into_iter().chain(program) {
        let is_known = names.contains(&name) || (is_inline && name == command.program());
        if !is_known {
            names.push(name);
        }
    }
    names
}

/// Whether a text speaks of a command by its name: in code marks, or, where a person stated it, in
/// two words or more. What a reviewer reports of a command is about one of its failures.
///
/// ```
/// use hardwon_core::observe::is_about;
///
/// assert!(is_about("Use pnpm here: npm test has no script", "npm test", true));
/// assert!(is_about("`make` needs GNU make", "make", false));
/// assert!(!is_about("Errors make no sense", "make", true));
/// assert!(!is_about("Run npm tests in CI", "npm test", true));
/// assert!(!is_about("npm test: the cache folder is missing", "npm test", false));
/// ```
pub fn is_about(text: &str, name: &str, is_stated: bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let quoted = format!("`{name}`");
    let is_named = || {
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    };
    text.contains(&quoted) || is_stated && name.contains(' ') && is_named()
}

fn fingerprint(rule: &str, key: &str) -> String {
    format!("{rule} {key}")
}

/// Whether what repairs it counts only when two sessions agree: it was seen to work, and nobody
/// answers for it.
pub fn needs_agreement(finding: &Finding, origin: Origin) -> bool {
    origin == Origin::Agent && (finding.author == AUTHOR || grade::is_tool(&finding.author))
}

/// The repair on which most sessions agree, two at least; of several the one of this finding.
pub fn agreed_repair(finding: &Finding, known: &[Finding]) -> Option<String> {
    let mut roots: BTreeMap<&str, BTreeSet<&RunId>> = BTreeMap::new();
    for one in known.iter().chain([finding]) {
        if let Some(repair) = &one.repair {
            roots.entry(repair).or_default().insert(&one.root);
        }
    }
    let is_own = |repair: &str| finding.repair.as_deref() == Some(repair);
    let best = roots.iter().max_by_key(|(repair, roots)| (roots.len(), is_own(repair)));
    best.filter(|(_, roots)| roots.len() > 1).map(|(repair, _)| (*repair).to_owned())
}

/// Something that a session showed about how to work here, known by `key`.
fn shown(rule: &str, key: &str, text: String, evidence: &str) -> FindingStated {
    FindingStated {
        author: Some(AUTHOR.to_owned()),
        severity: Some("warning".to_owned()),
        category: Some("tool_usage".to_owned()),
        rule: Some(rule.to_owned()),
        text,
        grade: Some(Grade::Executed),
        evidence: Some(evidence.to_owned()),
        fingerprint: Some(fingerprint(rule, key)),
        ..FindingStated::default()
    }
}
