//! A tool failed: was that seen before? The lines of its output that tell what went wrong
//! are matched with lessons and with findings that were fixed in earlier runs. Only what is
//! the same, and names what the error names, is recalled; without it there is nothing to say.

use std::collections::BTreeSet;

use hardwon_core::budget::{estimate_tokens, shorten};
use hardwon_core::command::output::{CallResult, End, ending};
use hardwon_core::command::trouble;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::Surface;
use hardwon_core::finding::{Finding, Place, Severity};
use hardwon_core::gate::{inert, without_control};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, Trust};
use hardwon_core::matching::compare;
use hardwon_core::matching::{Corpus, Relation, name_the_same, rule_of};
use hardwon_core::need::Need;
use hardwon_core::propose;
use hardwon_core::run::Run;
use hardwon_core::signature::signature;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::Injected;
use hardwon_render::block::{self, Style};
use hardwon_store::{FindingQuery, LessonQuery, Pick, Search};

use crate::blocks::inject;
use crate::blocks::inject::InjectRequest;
use crate::call::Call;
use crate::error::EngineError;
use crate::memory::Memory;

/// How many lines of an output are looked at.
const N_LINES: usize = 4;
/// How many lessons are compared with one line, and how many fixed findings.
const N_PROPOSALS: usize = 12;
const N_FIXED: usize = 8;
/// How much is recalled at most.
const MAX_LESSONS: u32 = 3;
const MAX_FIXES: usize = 2;
/// More of a line says nothing new.
const MAX_LINE_CHARS: usize = 300;

/// Who speaks of the rules of a compiler's errors.
const COMPILER: &str = "cargo";

/// A line that tells what went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Telling {
    line: String,
    /// The same with the command it belongs to, or without.
    said: String,
}

/// A tool that failed.
#[derive(Clone, Debug, Default)]
pub struct FailedTool {
    pub run: Option<RunId>,
    /// Who called it, with what.
    pub need: Need,
    pub command: Option<String>,
    /// What it printed.
    pub error: String,
}

/// What is known about a failure.
#[derive(Clone, Debug, Default)]
pub struct Recalled {
    /// Empty if nothing is.
    pub injected: Injected,
    pub request: InjectRequest,
    /// What stands in the block, whatever called for it.
    pub recalled: BTreeSet<String>,
}

/// The lessons that this run was shown already.
pub fn shown_to(
    memory: &Memory,
    call: &Call,
    run: &RunId,
) -> Result<BTreeSet<LessonId>, EngineError> {
    let run = memory.safe_run(run);
    let tree = memory.store.tree(&call.project, &run)?;
    let own = tree.injections.into_iter().filter(|injection| injection.run == run);
    Ok(own.flat_map(|injection| injection.shown).map(|shown| shown.lesson).collect())
}

/// Lessons and fixes that this failure is known by.
pub fn recall(memory: &Memory, call: &Call, failed: &FailedTool) -> Result<Recalled, EngineError> {
    let result = CallResult { is_ok: Some(false), output: &failed.error, ..CallResult::default() };
    // That somebody stopped it is no failure.
    if matches!(ending(&result).end, End::Refused | End::Interrupted) {
        return Ok(Recalled::default());
    }
    let mut lessons: BTreeSet<LessonId> = BTreeSet::new();
    let mut fixes: Vec<Finding> = Vec::new();
    let lines = telling_lines(&failed.error, failed.command.as_deref());
    for telling in &lines {
        let failure = as_finding(memory, &telling.said);
        lessons.extend(lesson_of(memory, call, &failure, &telling.line)?);
        for fix in fixes_of(memory, call, &failure, &telling.line)? {
            let is_known = |known: &Finding| known.key == fix.key;
            if fixes.len() < MAX_FIXES && !fixes.iter().any(is_known) {
                fixes.push(fix);
            }
        }
    }
    let request = InjectRequest {
        run: failed.run.clone(),
        need: Need { text: Some(said(&lines)), ..failed.need.clone() },
        max_lessons: Some(MAX_LESSONS),
        style: Some(Style::Hardwon),
        surface: Some(Surface::RecoveryContext),
        only: Some(lessons),
        ..InjectRequest::default()
    };
    let injected = if request.only.as_ref().is_some_and(BTreeSet::is_empty) {
        Injected::default()
    } else {
        inject::compose(memory, call, &request)?
    };
    let shown = injected.lessons.iter().map(|shown| shown.lesson.id.to_string());
    let fixed = fixes.iter().map(|fix| fix.key.0.clone());
    let recalled = shown.chain(fixed).collect();
    Ok(Recalled { injected: with_fixes(injected, &fixes), request, recalled })
}

/// A line of output in the form in which findings are compared.
fn as_finding(memory: &Memory, line: &str) -> Finding {
    let text = memory.gate.line(line);
    let path = hardwon_readers::first_place(text.as_str()).map(|(path, _)| path);
    let signature = signature(None, None, text.as_str(), path.as_deref());
    let rule = error_code(text.as_str());
    let place = path.map(|path| Place { path, line: None });
    let author = rule.map(|_| COMPILER).unwrap_or_default().to_owned();
    let rule = rule.map(str::to_owned);
    let run = Run::stub(RunId::derived(signature.as_bytes()), Timestamp(0));
    let finding = Finding::new(&run, author, signature, text, place);
    Finding { severity: Severity::Bug, rule, is_sighting: false, ..finding }
}

fn lesson_of(
    memory: &Memory,
    call: &Call,
    failure: &Finding,
    line: &str,
) -> Result<Option<LessonId>, EngineError> {
    let terms = propose::terms_of_finding(failure);
    let search = Search { terms, only_injectable: true, limit: N_PROPOSALS };
    let proposals = memory.store.search(&call.project, &search)?;
    let rule = rule_of(failure);
    let names_it = |lesson: &&Lesson| {
        let is_own = |own: &String| *own == failure.signature || Some(own) == rule.as_ref();
        let is_signed = lesson.signatures.iter().any(is_own);
        name_the_same(line, lesson.text.as_str(), is_signed, &proposals.corpus)
    };
    let lessons: Vec<&Lesson> = proposals.lessons.iter().filter(names_it).collect();
    let policy = &memory.policy.matching;
    let found = compare::best_lesson(failure, &lessons, &proposals.corpus, policy);
    let is_same = found.relation == Relation::Same;
    Ok(found.index.filter(|_| is_same).map(|index| lessons[index].id.clone()))
}

/// Findings that say the same and were fixed, newest first; only those whose lesson
/// somebody besides one agent stands for.
fn fixes_of(
    memory: &Memory,
    call: &Call,
    failure: &Finding,
    line: &str,
) -> Result<Vec<Finding>, EngineError> {
    let query = FindingQuery::FixedLike {
        signature: failure.signature.clone(),
        terms: propose::terms_of_finding(failure),
        limit: N_FIXED,
    };
    let policy = &memory.policy.matching;
    let is_same = |fixed: &Finding| {
        let is_signed = fixed.signature == failure.signature;
        name_the_same(line, fixed.text.as_str(), is_signed, &Corpus::default())
            && (is_signed || compare::two_findings(failure, fixed, policy))
    };
    let mut fixes = memory.store.findings(&call.project, &query)?;
    fixes.retain(is_same);
    let ids: Vec<LessonId> = fixes.iter().filter_map(|fix| fix.lesson.clone()).collect();
    let query = LessonQuery { pick: Pick::Ids(ids), ..LessonQuery::default() };
    let lessons = memory.store.lessons(&call.project, &query)?;
    let is_vouched = |fix: &Finding| {
        let lesson = lessons.iter().find(|lesson| Some(&lesson.id) == fix.lesson.as_ref());
        lesson.is_some_and(|lesson| {
            let is_believed = matches!(lesson.trust, Trust::Trusted | Trust::Pipeline);
            lesson.is_injectable() || is_believed && !lesson.state.is_put_away()
        })
    };
    fixes.retain(is_vouched);
    fixes.reverse();
    Ok(fixes)
}

/// The block with a line for each fix.
fn with_fixes(injected: Injected, fixes: &[Finding]) -> Injected {
    if fixes.is_empty() {
        return injected;
    }
    let mut lines = block::parse(&injected.block).unwrap_or_default();
    lines.extend(fixes.iter().map(fix_line));
    let block = block::block(&lines, 0, Style::Hardwon);
    let (n_tokens, digest) = (estimate_tokens(&block), sha256_of_bytes(block.as_bytes()));
    let n_chars = block.chars().count() as u64;
    Injected { block, n_tokens, n_chars, digest, ..injected }
}

/// `- was fixed in run r7: text (src/api.rs, guardian)`
fn fix_line(fix: &Finding) -> String {
    let at = fix.place.as_ref().map(|place| format!("{}, ", place.path)).unwrap_or_default();
    let text = shorten(fix.text.as_str(), MAX_LINE_CHARS);
    let author = hardwon_core::gate::as_name(&fix.author).unwrap_or("a reviewer");
    let line = format!("- was fixed in run {}: {text} ({at}{author})", fix.run);
    inert(&without_control(&line))
}

/// All that the lines say.
fn said(lines: &[Telling]) -> String {
    lines.iter().map(|telling| telling.said.as_str()).collect::<Vec<_>>().join("\n")
}

/// The code of a compiler's error: `E0425` of `error[E0425]: cannot find value`.
fn error_code(line: &str) -> Option<&str> {
    let code = line.split_once("error[")?.1.split_once(']')?.0;
    let digits = code.strip_prefix('E')?;
    (digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit())).then_some(code)
}

/// The lines that tell what went wrong: the first and the last of them, and the first with
/// the command it belongs to.
fn telling_lines(error: &str, command: Option<&str>) -> Vec<Telling> {
    let told = trouble::telling_lines(error);
    let cut = |line: &str| -> String { line.chars().take(MAX_LINE_CHARS).collect() };
    let first = told.iter().take(N_LINES / 2);
    let last = told.iter().skip(N_LINES / 2).rev().take(N_LINES / 2);
    let bare = |line: &&str| Telling { line: cut(line), said: cut(line) };
    let mut kept: Vec<Telling> = first.chain(last).map(bare).collect();
    let with_command = kept.first().zip(command).map(|(first, command)| {
        let command: String = command.chars().take(120).collect();
        Telling { said: format!("{command}: {}", first.line), ..first.clone() }
    });
    kept.extend(with_command);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_tell_are_found() {
        let output = "Exit code 101\n   Compiling demo v0.1.0\nwarning: unused import\n\
             error[E0425]: cannot find value `x` in this scope\n  --> src/a.rs:1:2\n\
             error: could not compile `demo`\n";
        let lines = telling_lines(output, Some("cargo test"));
        assert_eq!(lines[0].said, "error[E0425]: cannot find value `x` in this scope");
        assert_eq!(lines[1].said, "error: could not compile `demo`");
        assert!(lines[2].said.starts_with("cargo test: error[E0425]"), "{lines:?}");
        assert_eq!(lines[2].line, lines[0].line);
        assert_eq!(telling_lines("Exit code 1\n", Some("false")), []);
        let long = format!("{}\nfatal: the end is told", "ä noise\n".repeat(100_000));
        assert_eq!(said(&telling_lines(&long, None)), "fatal: the end is told");
    }

    #[test]
    fn codes_of_errors_are_found() {
        assert_eq!(error_code("error[E0425]: cannot find value"), Some("E0425"));
        for line in ["error: no code", "error[internal]: no", "error[E04]: short", "error[E0425"] {
            assert_eq!(error_code(line), None, "{line}");
        }
    }
}
