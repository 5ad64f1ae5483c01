//! Does each fact still hold? One walk of the tree, and at most one question to its history for a
//! fact that the search did not find.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hardwon_core::event::Problem;
use hardwon_core::notes::audit::{Fact, History, Question, Tree, judge, questions};
use hardwon_engine::EngineError;
use hardwon_readers::{is_manifest, manifest_fields};
use hardwon_render::answer::{Answer, NotesAudit};
use hardwon_store::history::{ask_git, tree_files};
use hardwon_store::working_tree::cited_file;

use super::NotesFolder;

/// How long history is asked in all.
const PATIENCE: Duration = Duration::from_secs(30);

/// What of these facts the tree and its history contradict. Notes are audited all, or those that
/// are named.
pub fn audit(
    tree: &Path,
    folder: &Path,
    slugs: &[String],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<NotesAudit>, EngineError> {
    let read = NotesFolder::read(folder)?;
    for slug in slugs {
        let unknown = || EngineError::NotFound { what: "note", name: slug.clone() };
        read.set.find(slug).ok_or_else(unknown)?;
    }
    let is_asked = |note: &&hardwon_core::notes::Note| {
        slugs.is_empty() || slugs.iter().any(|slug| note.is_named(slug))
    };
    let notes = read.set.notes.iter().filter(is_asked);
    let facts: Vec<Fact> = notes.map(|note| Fact::of_note(note, None)).collect();
    let own = below(tree, folder);
    let is_other = |path: &String| own.as_ref().is_none_or(|own| !path.starts_with(own.as_str()));
    audit_facts(tree, &facts, &is_other, progress)
}

/// How paths of the tree begin that lie in this folder: notes are no proof of what they say.
fn below(tree: &Path, folder: &Path) -> Option<String> {
    let (tree, folder) = (fs::canonicalize(tree).ok()?, fs::canonicalize(folder).ok()?);
    let inside = folder.strip_prefix(tree).ok().filter(|inside| *inside != Path::new(""))?;
    Some(format!("{}/", inside.display()))
}

/// What of these facts the files of the tree that count, and its history, contradict.
fn audit_facts(
    tree: &Path,
    facts: &[Fact],
    counts: &dyn Fn(&String) -> bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<NotesAudit>, EngineError> {
    let until = Instant::now() + PATIENCE;
    let mut found = Tree::for_facts(facts);
    let mut files = tree_files(tree, until);
    files.retain(counts);
    for (n_done, path) in files.iter().enumerate() {
        progress(n_done, files.len());
        found.take_path(path);
        if !is_manifest(path) && !found.wants_text() {
            continue;
        }
        let Some(text) = cited_file(tree, path).filter(|text| is_text(text)) else { continue };
        found.take_text(path, &text);
        if is_manifest(path) {
            found.take_manifest(manifest_fields(path, &text));
        }
    }
    let asked = questions(facts, &found);
    let mut problems = Vec::new();
    let answers: Vec<Option<History>> =
        asked.iter().map(|question| answer(tree, question, until, &mut problems)).collect();
    let matching = hardwon_engine::policy::load("hardwon")?.matching;
    let findings = judge(facts, &found, &asked, &answers, &matching);
    let audit = NotesAudit {
        n_facts: facts.len() as u64,
        n_files: files.len() as u64,
        findings: findings.iter().map(Into::into).collect(),
    };
    Ok(Answer::of(audit, problems).empty_if(|it| it.n_facts == 0))
}

/// What history says; that it was not asked any more is told once.
fn answer(
    tree: &Path,
    question: &Question,
    until: Instant,
    problems: &mut Vec<Problem>,
) -> Option<History> {
    if Instant::now() >= until {
        if problems.is_empty() {
            let reason = "history was not asked about all facts: it took too long; name some";
            problems.push(Problem::new("git", reason));
        }
        return None;
    }
    if let Some(path) = question.ask.path() {
        let ignored = ["check-ignore", "--no-index", "--quiet", "--", path].map(str::to_owned);
        if ask_git(tree, &ignored, until).is_some() {
            return None;
        }
    }
    let first = ["log", "--no-ext-diff", "--no-textconv"].map(str::to_owned);
    let arguments: Vec<String> = first.into_iter().chain(question.ask.arguments()).collect();
    question.ask.answer(&ask_git(tree, &arguments, until)?)
}

/// Whether a file is text: what was compiled or packed holds names by chance.
fn is_text(text: &str) -> bool {
    !text.bytes().take(4_096).any(|byte| byte == 0)
}
