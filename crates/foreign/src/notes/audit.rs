//! Does each fact still hold? One walk of the tree, and at most one question to its history for a
//! fact that the search did not find.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hardwon_core::event::Problem;
use hardwon_core::notes::audit::{
    Ask, AuditFinding, Fact, History, Pass, Question, Reading, Tree, judge, questions, renames,
    take_renames,
};
use hardwon_engine::EngineError;
use hardwon_readers::{is_manifest, manifest_fields};
use hardwon_render::answer::{Answer, NotesAudit};
use hardwon_store::history::{Ended, ask_git, read_git, tree_files};
use hardwon_store::working_tree::cited_file;

use super::NotesFolder;

/// How long the tree is listed, and how long history is read in all.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long git is asked about the few paths that went.
const PATIENCE_FOR_FEW: Duration = Duration::from_secs(5);

/// Which facts of a folder of notes, or of those of them that are named, do not hold any more.
pub fn audit(
    tree: &Path,
    folder: &Path,
    slugs: &[String],
) -> Result<Answer<NotesAudit>, EngineError> {
    let read = NotesFolder::read(folder)?;
    let facts = facts(&read, slugs)?;
    let own = below(tree, &read.path);
    let is_other = |path: &String| own.as_ref().is_none_or(|own| !path.starts_with(own.as_str()));
    let audited = audit_facts(tree, &facts, &is_other)?;
    let audit = NotesAudit {
        n_facts: facts.len() as u64,
        n_files: audited.n_files as u64,
        findings: audited.findings.iter().map(Into::into).collect(),
    };
    Ok(Answer::of(audit, audited.problems).empty_if(|it| it.n_facts == 0))
}

/// What an audit found, and in how many files it looked.
struct Audited {
    findings: Vec<AuditFinding>,
    n_files: usize,
    problems: Vec<Problem>,
}

/// The facts of all notes, or of those that are named.
fn facts(read: &NotesFolder, slugs: &[String]) -> Result<Vec<Fact>, EngineError> {
    for slug in slugs {
        let unknown = || EngineError::NotFound { what: "note", name: slug.clone() };
        read.set.find(slug).ok_or_else(unknown)?;
    }
    let is_asked = |note: &&hardwon_core::notes::Note| {
        slugs.is_empty() || slugs.iter().any(|slug| note.is_named(slug))
    };
    let notes = read.set.notes.iter().filter(is_asked);
    Ok(notes.map(|note| Fact::of_note(note, None)).collect())
}

/// How paths of the tree begin that lie in this folder: notes are no proof of what they say.
fn below(tree: &Path, folder: &Path) -> Option<String> {
    let (tree, folder) = (fs::canonicalize(tree).ok()?, fs::canonicalize(folder).ok()?);
    let inside = folder.strip_prefix(tree).ok().filter(|inside| *inside != Path::new(""))?;
    Some(format!("{}/", inside.display()))
}

/// What of these facts the files of the tree that count as proof, and its history, contradict.
fn audit_facts(
    tree: &Path,
    facts: &[Fact],
    counts: &dyn Fn(&String) -> bool,
) -> Result<Audited, EngineError> {
    let until = Instant::now() + PATIENCE;
    let mut found = Tree::for_facts(facts);
    let (files, own): (Vec<String>, Vec<String>) =
        tree_files(tree, until).into_iter().partition(counts);
    // A file that says something is no proof of it, but it is there.
    own.iter().for_each(|path| found.take_path(path));
    for path in &files {
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
    let answers = answers(tree, &asked, &mut problems);
    let policy = hardwon_engine::policy::load("hardwon")?;
    let findings = judge(facts, &found, &asked, &answers, &policy.notes, &policy.matching);
    Ok(Audited { findings, n_files: files.len(), problems })
}

/// What history says, by one pass over it for files, for scripts and for names.
fn answers(tree: &Path, asked: &[Question], problems: &mut Vec<Problem>) -> Vec<Option<History>> {
    let until = Instant::now() + PATIENCE;
    let mut found: BTreeMap<Ask, History> = BTreeMap::new();
    for pass in Pass::ALL.iter().copied() {
        let Some(mut reading) = Reading::new(pass, asked.iter().map(|it| &it.ask)) else {
            continue;
        };
        let ended = read_git(tree, &pass.arguments(), until, &mut |line| reading.take(line));
        found.extend(reading.found());
        match ended {
            Ended::Whole => {}
            Ended::Late => {
                let reason = "history was not read to its beginning: it took too long";
                problems.push(Problem::new("git", reason));
                break;
            }
            // A tree without git, or without a commit, has no history that could be read.
            Ended::Failed if has_history(tree) => {
                let reason = "history was not read to its beginning: git failed";
                problems.push(Problem::new("git", reason));
            }
            Ended::Failed => break,
        }
    }
    leave_out_ignored(tree, &mut found);
    if let Some(arguments) = renames(found.values()) {
        let more = Instant::now() + PATIENCE_FOR_FEW;
        take_renames(&mut found, &ask_git(tree, &arguments, more).unwrap_or_default());
    }
    asked.iter().map(|question| found.get(&question.ask).cloned()).collect()
}

fn has_history(tree: &Path) -> bool {
    let head = ["rev-parse", "--quiet", "--verify", "HEAD"].map(str::to_owned);
    ask_git(tree, &head, Instant::now() + PATIENCE_FOR_FEW).is_some()
}

/// What git is told to ignore is made when it is needed, and being gone means nothing.
fn leave_out_ignored(tree: &Path, found: &mut BTreeMap<Ask, History>) {
    let paths: Vec<String> = found.keys().filter_map(Ask::path).map(str::to_owned).collect();
    if paths.is_empty() {
        return;
    }
    let ignored = |paths: &[String]| {
        let first = ["check-ignore", "--no-index", "--"].map(str::to_owned);
        // A rule may be for folders only, and nothing is there that git could look at.
        let both = paths.iter().flat_map(|path| [path.clone(), format!("{path}/")]);
        let arguments: Vec<String> = first.into_iter().chain(both).collect();
        ask_git(tree, &arguments, Instant::now() + PATIENCE_FOR_FEW)
    };
    // One path that git cannot take spoils the answer for all.
    let told = ignored(&paths)
        .unwrap_or_else(|| paths.chunks(1).filter_map(ignored).collect::<Vec<_>>().concat());
    let told: BTreeSet<&str> = told.lines().map(|path| path.trim_end_matches('/')).collect();
    found.retain(|ask, _| ask.path().is_none_or(|path| !told.contains(path)));
}

/// Whether a file is text: what was compiled or packed holds names by chance.
fn is_text(text: &str) -> bool {
    !text.bytes().take(4_096).any(|byte| byte == 0)
}
