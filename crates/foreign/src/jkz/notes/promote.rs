//! A note becomes a rule of the project: scored, and, if a person says so, written into the
//! document that the host loads, between marks of ours, while the note goes to the archive.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hardwon_core::notes::Note;
use hardwon_core::notes::review::{Surroundings, promotions};
use hardwon_engine::files::Place;
use hardwon_engine::{EngineError, Environment, Result, needs_person};
use hardwon_readers::RuleBlock;
use hardwon_render::answer::Decimal;
use hardwon_render::answer::{Answer, NotePromotion};

use super::NotesFolder;
use super::look::{PATIENCE, ages, said};
use super::state::{find, put_away, refused};
use super::write::{Draft, Plan, run};

const MAX_BYTES: u64 = 1 << 20;

/// Where a note is to go: a file of the checkout, and a section in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub file: String,
    pub section: Option<String>,
}

impl Target {
    /// `FILE#SECTION`, or `FILE`.
    pub fn parse(text: &str) -> Target {
        let (file, section) = text.split_once('#').map_or((text, None), |(file, section)| {
            (file, Some(section.trim().to_owned()).filter(|it| !it.is_empty()))
        });
        Target { file: file.trim().to_owned(), section }
    }

    /// The document that the host loads, if none is named.
    fn usual(tree: &Path) -> Target {
        let known = ["CLAUDE.md", "AGENTS.md"].into_iter().find(|it| tree.join(it).exists());
        Target { file: known.unwrap_or("CLAUDE.md").to_owned(), section: None }
    }

    fn told(&self) -> String {
        match &self.section {
            Some(section) => format!("{}#{section}", self.file),
            None => self.file.clone(),
        }
    }

    /// Its path, by no link out of the checkout; a link inside it is followed, since CLAUDE.md
    /// often is one to AGENTS.md.
    fn path(&self, tree: &Path) -> Result<PathBuf> {
        let path = tree.join(&self.file);
        let tree = std::fs::canonicalize(tree).unwrap_or_else(|_| tree.to_owned());
        let real = match std::fs::canonicalize(&path) {
            Ok(real) => real,
            Err(_) => tree.join(&self.file),
        };
        let is_inside = real.starts_with(&tree) && !self.file.split('/').any(|part| part == "..");
        if !is_inside || !self.file.ends_with(".md") {
            let reason = format!("{} is no Markdown file of this checkout", self.file);
            return Err(refused(reason, "name CLAUDE.md, AGENTS.md or a file of .claude/rules"));
        }
        Place::check_named_in(&tree, &real)
            .map_err(|source| EngineError::NotWritten { path: real.clone(), source })?;
        Ok(real)
    }
}

/// Scores a note, and writes it into the rules with `is_applied`.
pub fn promote(
    environment: &Environment,
    path: &Path,
    slug: &str,
    target: Option<&Target>,
    is_applied: bool,
) -> Result<Answer<NotePromotion>> {
    if is_applied {
        needs_person(&environment.speaker, "changing the project's rules")?;
    }
    let tree = environment.checkout();
    let target = target.cloned().unwrap_or_else(|| Target::usual(tree));
    let document = target.path(tree)?;
    let folder = NotesFolder::read(path)?;
    let note = find(&folder.set, slug)?;
    let ages = ages(&folder, environment.now()?);
    let (documents, _) = said(tree, Instant::now() + PATIENCE);
    let policy = super::rules(environment)?;
    let around = Surroundings { ages: &ages, documents: &documents };
    let scored = promotions(&folder.set, around, &policy.notes);
    let unknown = || EngineError::NotFound { what: "note", name: slug.to_owned() };
    let (_, score) = scored.into_iter().find(|(file, _)| *file == note.file).ok_or_else(unknown)?;
    let written = run(environment, path, "jkz promote", !is_applied, &mut |present| {
        let note = find(&present.folder.set, slug)?;
        let mut drafts = put_away(present.folder, note);
        let (rules, kept) = into_rules(&document, &target, note)?;
        drafts.insert(0, rules);
        Ok(Plan { slug: Some(note.slug().to_owned()), drafts, remarks: kept })
    })?;
    let promotion = NotePromotion {
        slug: note.slug().to_owned(),
        score: Decimal(score.score),
        advice: score.advice.word().to_owned(),
        parts: score.parts.iter().map(Into::into).collect(),
        target: target.told(),
        written: written.body,
    };
    Ok(Answer::of(promotion, written.problems))
}

/// The document with the note among our lines, and what is to be said about it.
fn into_rules(path: &Path, target: &Target, note: &Note) -> Result<(Draft, Vec<String>)> {
    let before = match hardwon_store::files::read(&Place::own(path), MAX_BYTES) {
        Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| {
            refused(format!("{} is not UTF-8", target.file), "name another file with --to")
        })?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(source) => return Err(EngineError::File { path: path.to_owned(), source }),
    };
    let text = before.clone().unwrap_or_default();
    let block = RuleBlock::parse(&text, target.section.as_deref());
    let Some(block) = block else {
        let section = target.section.clone().unwrap_or_default();
        let reason = format!("{} has no section {section}", target.file);
        return Err(refused(reason, "name a heading as it stands there, without its #"));
    };
    let rule = note.statement().split_whitespace().collect::<Vec<_>>().join(" ");
    let rule = match &note.how {
        Some(how) if !how.trim().is_empty() => format!("{rule} {}", capitalized(how.trim())),
        _ => rule,
    };
    let mut kept = Vec::new();
    let n_others = block.lines().len();
    if n_others > 0 {
        kept.push(format!("kept as they are: {n_others} other lines between our marks"));
    }
    let file = path.to_str().ok_or(EngineError::NoHome)?.to_owned();
    Ok((Draft { file, before, after: Some(block.with(&rule)) }, kept))
}

/// What to do is a sentence of its own behind the rule.
fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    first + chars.as_str()
}
