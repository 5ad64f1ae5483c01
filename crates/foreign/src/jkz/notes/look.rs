//! A folder of notes as it is: listed, shown, checked, reviewed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, UNIX_EPOCH};

use hardwon_core::event::Problem;
use hardwon_core::notes::documents::{DocumentSentence, Documents};
use hardwon_core::notes::policy::NotesPolicy;
use hardwon_core::notes::review::{self as reviewed, Age, AgeSource, Surroundings};
use hardwon_core::notes::{Note, NoteKind};
use hardwon_core::time::Timestamp;
use hardwon_engine::{Environment, Result, files};
use hardwon_readers::document_sentences;
use hardwon_render::answer::{
    Answer, NoteLine, NoteShown, NotesChecked, NotesListed, NotesReview, NotesStatus,
};
use hardwon_store::history::{ask_git, tree_files};
use hardwon_store::working_tree::cited_file;

use super::state::find;
use super::{NotesFolder, Places};

/// How long git is asked about ages.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Files that cannot be read are problems of every answer but that of `check`, which lists them.
pub(super) fn problems_of(folder: &NotesFolder) -> Vec<Problem> {
    let unreadable = folder.set.unreadable.iter().map(|it| match it.line {
        Some(line) => Problem::new(format!("{}:{line}", it.file), it.reason.clone()),
        None => Problem::new(&it.file, it.reason.clone()),
    });
    unreadable.collect()
}

/// The notes of a folder, of one type if it is named.
pub fn list(path: &Path, kind: Option<NoteKind>) -> Result<Answer<NotesListed>> {
    let folder = NotesFolder::read(path)?;
    let notes = folder.set.notes.iter().filter(|note| kind.is_none() || note.kind == kind);
    let notes: Vec<NoteLine> = notes.map(NoteLine::from).collect();
    let listed = NotesListed { folder: files::path_text(path), notes };
    Ok(Answer::of(listed, problems_of(&folder)).empty_if(|it| it.notes.is_empty()))
}

/// One note, with its links both ways.
pub fn show(path: &Path, slug: &str) -> Result<Answer<NoteShown>> {
    let folder = NotesFolder::read(path)?;
    let set = &folder.set;
    let note = find(set, slug)?;
    let slugs = |notes: Vec<&Note>| notes.into_iter().map(|it| it.slug().to_owned()).collect();
    let shown = NoteShown {
        note: note.into(),
        text: note.text.trim().to_owned(),
        why: note.why.clone(),
        how: note.how.clone(),
        links: slugs(set.links_from(note)),
        linked_from: slugs(set.links_to(note)),
    };
    Ok(Answer::of(shown, problems_of(&folder)))
}

/// Everything that is wrong with a folder of notes.
pub fn check(
    environment: &Environment,
    places: &Places,
    path: &Path,
) -> Result<Answer<NotesChecked>> {
    let folder = NotesFolder::read(path)?.with_notebooks(environment, places);
    let faults = folder.set.check(&Bounds::default().policy(environment)?.limits);
    let checked = NotesChecked {
        folder: files::path_text(path),
        n_notes: folder.set.notes.len() as u64,
        faults: faults.iter().map(Into::into).collect(),
    };
    Ok(Answer::of(checked, Vec::new()).empty_if(|it| it.n_notes == 0 && it.faults.is_empty()))
}

/// What a review looks at beyond the defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    pub stale_days: Option<i64>,
    pub overlap: Option<f64>,
}

impl Bounds {
    fn policy(self, environment: &Environment) -> Result<NotesPolicy> {
        let usual = super::rules(environment)?.notes;
        let stale_days = self.stale_days.unwrap_or(usual.stale_days);
        Ok(NotesPolicy { stale_days, overlap: self.overlap.unwrap_or(usual.overlap), ..usual })
    }
}

/// The six tables of a review.
pub fn review(
    environment: &Environment,
    path: &Path,
    bounds: Bounds,
) -> Result<Answer<NotesReview>> {
    let folder = NotesFolder::read(path)?;
    let ages = ages(&folder, environment.now()?);
    let (documents, _) = said(environment.checkout(), Instant::now() + PATIENCE);
    let around = Surroundings { ages: &ages, documents: &documents };
    let review = reviewed::review(&folder.set, around, &bounds.policy(environment)?);
    let review = NotesReview::of(&files::path_text(path), &review);
    let is_empty = folder.set.notes.is_empty();
    Ok(Answer::of(review, problems_of(&folder)).empty_if(|_| is_empty))
}

/// One word for the folder, and why.
pub fn status(
    environment: &Environment,
    places: &Places,
    path: &Path,
    bounds: Bounds,
) -> Result<Answer<NotesStatus>> {
    let folder = NotesFolder::read(path)?.with_notebooks(environment, places);
    let ages = ages(&folder, environment.now()?);
    let status = reviewed::status(&folder.set, &ages, &bounds.policy(environment)?);
    let status = NotesStatus::of(&files::path_text(path), &status);
    let is_empty = folder.set.notes.is_empty();
    Ok(Answer::of(status, problems_of(&folder)).empty_if(|_| is_empty))
}

/// How old each note is: by its own word, else by git, else by its file.
pub(super) fn ages(folder: &NotesFolder, now: Timestamp) -> BTreeMap<String, Age> {
    let lacks = folder.set.notes.iter().any(|note| note.modified.is_none());
    let by_git = if lacks { committed(&folder.path) } else { BTreeMap::new() };
    let mut ages = BTreeMap::new();
    for note in &folder.set.notes {
        let found = note.modified.map(|at| (at, AgeSource::Modified));
        let found = found.or_else(|| Some((*by_git.get(&note.file)?, AgeSource::Git)));
        let of_file = || Some((file_time(&folder.path.join(&note.file))?, AgeSource::File));
        if let Some((at, source)) = found.or_else(of_file) {
            let days = now.0.saturating_sub(at.0).max(0) / DAY_MS;
            ages.insert(note.file.clone(), Age { days, source });
        }
    }
    ages
}

/// When each file of a folder was last committed, by one look at its history.
fn committed(folder: &Path) -> BTreeMap<String, Timestamp> {
    let arguments =
        ["log", "--format=%x1f%ct", "--name-only", "--relative", "--no-renames", "--", "."]
            .map(str::to_owned);
    let log = ask_git(folder, &arguments, Instant::now() + PATIENCE).unwrap_or_default();
    let (mut at, mut found) = (None, BTreeMap::new());
    for line in log.lines() {
        match (line.strip_prefix('\u{1f}'), at) {
            (Some(seconds), _) => {
                at = seconds.trim().parse::<i64>().ok().map(|seconds| Timestamp(seconds * 1000));
            }
            (None, Some(at)) if !line.is_empty() => {
                found.entry(line.to_owned()).or_insert(at);
            }
            (None, _) => {}
        }
    }
    found
}

fn file_time(path: &Path) -> Option<Timestamp> {
    let changed = fs::metadata(path).ok()?.modified().ok()?;
    let since = changed.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp(i64::try_from(since.as_millis()).ok()?))
}

/// What the documents of a checkout say (CLAUDE.md and AGENTS.md wherever they lie, rules, pages
/// below `docs`), and its manifests line by line; as far as there is time.
pub(super) fn said(tree: &Path, until: Instant) -> (Documents, Vec<DocumentSentence>) {
    let (mut said, mut lines) = (Vec::new(), Vec::new());
    for path in tree_files(tree, until) {
        let name = path.rsplit('/').next().unwrap_or(&path);
        let is_manifest = MANIFESTS.contains(&name);
        if !is_manifest && !is_page(&path) || Instant::now() >= until {
            continue;
        }
        let text = cited_file(tree, &path).unwrap_or_default();
        match is_manifest {
            true => lines.extend(text.lines().enumerate().map(|(at, line)| DocumentSentence {
                file: path.clone(),
                line: at + 1,
                section: String::new(),
                text: line.to_owned(),
            })),
            false => said.extend(document_sentences(&path, &text)),
        }
    }
    (Documents::new(said), lines)
}

/// Where a project says which scripts, dependencies and versions it has.
pub(super) const MANIFESTS: &[&str] =
    &["package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Gemfile", "Makefile", "justfile"];

/// Whether a file is a document of the project.
fn is_page(path: &str) -> bool {
    let is_below = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_loaded = matches!(name, "CLAUDE.md" | "AGENTS.md" | "CLAUDE.local.md");
    path.ends_with(".md") && (is_loaded || is_below(".claude/rules/") || is_below("docs/"))
}

/// How long may be looked for a document that says a text already: a notice makes nobody wait.
const NOTICE_PATIENCE: Duration = Duration::from_millis(200);

/// The place that says a text already: `docs/style.md:12`. What is not known in time is not said.
pub fn said_already(environment: &Environment, text: &str) -> Option<String> {
    let until = Instant::now() + NOTICE_PATIENCE;
    let (documents, _) = said(environment.checkout(), until);
    let policy = super::rules(environment).ok()?;
    let place = documents.documented(text, &policy.notes)?;
    (Instant::now() < until).then(|| format!("{}:{}", place.file, place.line))
}
