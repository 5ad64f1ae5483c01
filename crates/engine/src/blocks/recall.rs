//! A tool failed: was that seen before? The lines of its output that tell what went wrong
//! are matched with lessons and with findings that were fixed in earlier runs. Only what is
//! the same, and names what the error names, is recalled; without it there is nothing to say.

use std::collections::BTreeSet;

use hardwon_core::budget::estimate_tokens;
use hardwon_core::command::failure::{error_code, failure_lines, joined};
use hardwon_core::command::output::{CallResult, End, ending};
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::Surface;
use hardwon_core::finding::{Finding, Place, Severity};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, Origin};
use hardwon_core::matching::compare;
use hardwon_core::matching::{Author, Corpus, Relation, name_the_same, rule_of};
use hardwon_core::need::Need;
use hardwon_core::observe;
use hardwon_core::prompt::withheld;
use hardwon_core::propose;
use hardwon_core::run::Run;
use hardwon_core::signature::signature;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::Injected;
use hardwon_render::block::{self, Style};
use hardwon_store::FindingQuery;

use crate::blocks::inject;
use crate::blocks::inject::InjectRequest;
use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// How many lessons are compared with one line, and how many fixed findings.
const N_PROPOSALS: usize = 12;
const N_FIXED: usize = 8;
/// How much is recalled at most.
const MAX_LESSONS: u32 = 3;
const MAX_FIXES: usize = 2;

/// The author of findings that name a compiler's error code.
const COMPILER: &str = "cargo";

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
pub fn shown_to(memory: &Memory, call: &Call, run: &RunId) -> Result<BTreeSet<LessonId>> {
    let run = memory.safe_run(run);
    let tree = memory.store.tree(&call.project, &run)?;
    let own = tree.injections.into_iter().filter(|injection| injection.run == run);
    Ok(own.flat_map(|injection| injection.shown).map(|shown| shown.lesson).collect())
}

/// Lessons and fixes that this failure is known by.
pub fn recall(memory: &Memory, call: &Call, failed: &FailedTool) -> Result<Recalled> {
    let result = CallResult { is_ok: Some(false), output: &failed.error, ..CallResult::default() };
    // A command that the user stopped did not fail.
    if matches!(ending(&result), End::Refused | End::Interrupted) {
        return Ok(Recalled::default());
    }
    let mut lessons = lessons_about(memory, call, failed)?;
    let mut fixes: Vec<(Finding, Lesson)> = Vec::new();
    let lines = failure_lines(&failed.error, failed.command.as_deref());
    for failure_line in &lines {
        let failure = as_finding(memory, &failure_line.with_command);
        lessons.extend(lesson_of(memory, call, &failure, &failure_line.line)?);
        for fix in fixes_of(memory, call, &failure, &failure_line.line)? {
            let is_known = |known: &(Finding, Lesson)| known.0.key == fix.0.key;
            if fixes.len() < MAX_FIXES && !fixes.iter().any(is_known) {
                fixes.push(fix);
            }
        }
    }
    let request = InjectRequest {
        run: failed.run.clone(),
        need: Need { text: Some(joined(&lines)), ..failed.need.clone() },
        max_lessons: Some(MAX_LESSONS),
        style: Some(Style::Hardwon),
        surface: Some(Surface::RecoveryContext),
        only: Some(lessons),
        ..InjectRequest::default()
    };
    let mut injected = if request.only.as_ref().is_some_and(BTreeSet::is_empty) {
        Injected::default()
    } else {
        inject::compose(memory, call, &request)?
    };
    let shown = injected.lessons.iter().map(|shown| shown.lesson.id.to_string());
    let fixed = fixes.iter().map(|(fix, _)| fix.key.0.clone());
    let recalled = shown.chain(fixed).collect();
    if !fixes.is_empty() {
        injected.block = block::with_fixes(&injected.block, &fixes);
        injected.n_tokens = estimate_tokens(&injected.block);
        injected.n_chars = injected.block.chars().count() as u64;
        injected.digest = sha256_of_bytes(injected.block.as_bytes());
    }
    Ok(Recalled { injected, request, recalled })
}

/// Lessons about this very command, and about the rules that tools name in its output.
fn lessons_about(memory: &Memory, call: &Call, failed: &FailedTool) -> Result<BTreeSet<LessonId>> {
    let Some(command) = &failed.command else { return Ok(BTreeSet::new()) };
    let signatures = hardwon_readers::signatures_of_failure(command, &failed.error);
    let mut found = BTreeSet::new();
    for signature in signatures {
        let terms = vec![propose::signature_term(&signature)];
        let lessons = lookup::proposals(memory, call, terms, true, MAX_LESSONS as usize)?.lessons;
        let is_it = |lesson: &&Lesson| lesson.signatures.contains(&signature);
        found.extend(lessons.iter().filter(is_it).map(|lesson| lesson.id.clone()));
    }
    for name in observe::names_of_failure(command, &failed.error) {
        let terms = propose::terms_of_text(&name, &[] as &[&str]);
        let lessons = lookup::proposals(memory, call, terms, true, N_PROPOSALS)?.lessons;
        let is_it = |lesson: &&Lesson| {
            let is_stated = lesson.origin == Origin::User;
            observe::is_about(lesson.text.as_str(), &name, is_stated)
        };
        found.extend(lessons.iter().filter(is_it).map(|lesson| lesson.id.clone()));
    }
    Ok(found)
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
    let finding = run.new_finding(author, signature, text, place);
    Finding { severity: Severity::Bug, rule, is_sighting: false, ..finding }
}

fn lesson_of(
    memory: &Memory,
    call: &Call,
    failure: &Finding,
    line: &str,
) -> Result<Option<LessonId>> {
    let terms = propose::terms_of_finding(failure);
    let proposals = lookup::proposals(memory, call, terms, true, N_PROPOSALS)?;
    let rule = rule_of(failure);
    let names_it = |lesson: &&Lesson| {
        let is_own = |own: &String| *own == failure.signature || Some(own) == rule.as_ref();
        let is_signed = lesson.signatures.iter().any(is_own);
        name_the_same(line, lesson.text.as_str(), is_signed, &proposals.corpus)
    };
    let lessons: Vec<&Lesson> = proposals.lessons.iter().filter(names_it).collect();
    let policy = &memory.policy.matching;
    let author = Author::of(failure, false);
    let found = compare::best_lesson(failure, author, &lessons, &proposals.corpus, policy);
    let is_same = found.relation == Relation::Same;
    Ok(found.index.filter(|_| is_same).map(|index| lessons[index].id.clone()))
}

/// Findings that say the same and were fixed, newest first, each with its lesson; only those
/// whose lesson may be printed.
fn fixes_of(
    memory: &Memory,
    call: &Call,
    failure: &Finding,
    line: &str,
) -> Result<Vec<(Finding, Lesson)>> {
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
    let lessons = lookup::lessons_with(memory, &call.project, ids)?;
    let with_lesson = |fix: Finding| {
        let lesson = lessons.iter().find(|lesson| Some(&lesson.id) == fix.lesson.as_ref());
        Some((fix, lesson.filter(|lesson| withheld(lesson).is_none())?.clone()))
    };
    Ok(fixes.into_iter().rev().filter_map(with_lesson).collect())
}
