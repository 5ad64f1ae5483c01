//! The notes that an agent may be told: which files are they in, and may they be used? On the
//! way of every block: without notes a few looks at folders, with notes a bounded number of small
//! files. What cannot be read is left out; `jkz check` and `doctor` tell of it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hardwon_core::notes::found::{FoundNote, SearchedNote, found};
use hardwon_core::notes::names;
use hardwon_core::notes::shown::{NoteAtHand, NotesAtHand, other_notebook};
use hardwon_core::search::Question;
use hardwon_core::time::Timestamp;
use hardwon_engine::{Environment, Memory, trust};
use hardwon_readers::{MemoryIndex, TopicFile};
use hardwon_render::answer::TrustStanding;
use hardwon_store::checkout::is_tracked;
use hardwon_store::files::open_plain;

use super::{INDEX, Places, notes_digest};

/// Of a folder so many entries are looked at.
const MAX_ENTRIES: usize = 2_000;
/// Of a notebook so many notes are read, the newest; a block has room for a few.
const N_OF_NOTEBOOK: usize = 40;
/// A search reads so many.
const N_SEARCHED: usize = 500;
/// Links into other notebooks that are followed.
const MAX_LINKS: usize = 16;
/// A longer topic file is no single fact.
const MAX_NOTE_BYTES: u64 = 64 << 10;
/// So much of an index do hosts load.
const MAX_INDEX_BYTES: u64 = 25_000;

/// Kinds of notebooks: the word by which a sub-agent's definition asks Claude Code to load it,
/// whether it lies below the checkout or below the host's folder, and where there.
const SHELVES: [(&str, bool, &str); 3] = [
    ("project", true, ".claude/agent-memory"),
    ("local", true, ".claude/agent-memory-local"),
    ("user", false, "agent-memory"),
];

/// What the host of the asking agent puts before it by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loaded {
    /// The index of the project's notes.
    pub project: bool,
    /// The notebook that the definition of a sub-agent names.
    pub notebook: bool,
}

/// What a block may tell a role, without what its host tells it.
pub fn at_hand(
    environment: &Environment,
    places: &Places,
    role: Option<&str>,
    loaded: Loaded,
) -> NotesAtHand {
    let notebooks = role.map_or_else(Vec::new, |role| of_role(environment, places, role, loaded));
    let project = if loaded.project { Vec::new() } else { of_project(environment, places) };
    NotesAtHand { notebooks, project }
}

/// The notebook of a role, if it is a folder and no part of its way is a link.
fn notebook(root: &Path, below: &str, role: &str) -> Option<PathBuf> {
    let mut path = root.to_owned();
    for part in below.split('/').chain([role]) {
        path.push(part);
        if !fs::symlink_metadata(&path).ok()?.is_dir() {
            return None;
        }
    }
    Some(path)
}

/// The notebooks of a role that are there, whosever they are. A role that is no name has none.
fn notebooks(
    environment: &Environment,
    places: &Places,
    role: &str,
    loaded: Loaded,
) -> Vec<PathBuf> {
    let Ok(role) = names::role(role.trim()) else { return Vec::new() };
    let home = places.host(environment).ok();
    let tree = environment.checkout();
    let lower = role.to_lowercase();
    let spellings = [Some(role), (lower != role).then_some(lower.as_str())];
    let mut found: Vec<PathBuf> = Vec::new();
    for (word, is_in_tree, below) in SHELVES {
        let Some(root) = (if is_in_tree { Some(tree) } else { home.as_deref() }) else { continue };
        found.extend(spellings.iter().flatten().filter_map(|role| {
            let notebook = notebook(root, below, role)?;
            let is_told = loaded.notebook && asks_for(tree, home.as_deref(), role, word);
            (!is_told).then_some(notebook)
        }));
    }
    found
}

/// Whether the definition of a sub-agent makes its host load this kind of notebook.
fn asks_for(tree: &Path, home: Option<&Path>, role: &str, word: &str) -> bool {
    let name = format!("agents/{role}.md");
    let files = [Some(tree.join(".claude").join(&name)), home.map(|home| home.join(&name))];
    files.iter().flatten().any(|file| {
        let Some((text, _)) = text_of(file, MAX_NOTE_BYTES, false) else { return false };
        TopicFile::parse(&text).is_ok_and(|file| file.field("memory") == Some(word))
    })
}

fn of_role(
    environment: &Environment,
    places: &Places,
    role: &str,
    loaded: Loaded,
) -> Vec<NoteAtHand> {
    let open = |role: &str, loaded: Loaded| {
        let all = notebooks(environment, places, role, loaded).into_iter();
        all.filter(|folder| may_be_told(environment, folder)).collect::<Vec<_>>()
    };
    let own = open(role, loaded);
    let mut notes: Vec<NoteAtHand> =
        own.iter().flat_map(|folder| told_in(folder, Some(role), N_OF_NOTEBOOK)).collect();
    let links: Vec<String> = notes.iter().flat_map(|note| note.links.clone()).collect();
    let links = links.iter().filter_map(|link| other_notebook(link));
    for (other, slug) in links.take(MAX_LINKS) {
        let file = format!("{slug}.md");
        let linked = open(other, Loaded::default()).into_iter();
        notes.extend(linked.filter_map(|folder| note_in(&folder.join(&file), Some(other))));
    }
    notes
}

/// What a folder of notes says: its topic files, the newest, and items of its index that point to
/// none, the last first: an index grows at its end.
fn told_in(folder: &Path, role: Option<&str>, n: usize) -> Vec<NoteAtHand> {
    let files = newest(folder, n).into_iter();
    let mut notes: Vec<NoteAtHand> = files.filter_map(|file| note_in(&file, role)).collect();
    if let Some((text, changed)) = text_of(&folder.join(INDEX), MAX_INDEX_BYTES, true) {
        let items = MemoryIndex::parse(&text).bare_items();
        notes.extend(items.into_iter().rev().map(|(_, item)| NoteAtHand {
            role: role.map(str::to_owned),
            text: item.to_owned(),
            changed,
            ..NoteAtHand::default()
        }));
    }
    notes
}

/// All that agents would be told of a folder, for whoever is to approve it.
pub fn told_lines(folder: &Path) -> Vec<String> {
    told_in(folder, None, MAX_ENTRIES).into_iter().map(|note| note.text).collect()
}

/// All that agents would be told of an index.
pub fn told_of_index(folder: &Path) -> Vec<String> {
    lines_of_index(folder).into_iter().map(|note| note.text).collect()
}

/// Topic files by the time of their last change.
fn newest(folder: &Path, n: usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES);
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str().filter(|name| name.ends_with(".md") && *name != INDEX)?;
            let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            (!name.starts_with('.')).then(|| (found.modified().ok(), entry.path()))
        })
        .collect();
    files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    files.into_iter().take(n).map(|(_, path)| path).collect()
}

fn note_in(file: &Path, role: Option<&str>) -> Option<NoteAtHand> {
    searched(file, role).map(|note| note.at_hand)
}

fn searched(file: &Path, role: Option<&str>) -> Option<SearchedNote> {
    let (text, changed) = text_of(file, MAX_NOTE_BYTES, false)?;
    let note = TopicFile::parse(&text).ok()?.note(file.file_name()?.to_str()?);
    let at_hand = NoteAtHand::of(&note, role, changed);
    Some(SearchedNote::of(&note, at_hand))
}

/// The text of a plain file and when it changed. A longer one is cut after a whole line, or none.
fn text_of(path: &Path, max: u64, may_cut: bool) -> Option<(String, Option<Timestamp>)> {
    let file = open_plain(path).ok()?;
    let found = file.metadata().ok()?;
    let since = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let changed = since.and_then(|since| i64::try_from(since.as_millis()).ok()).map(Timestamp);
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > max {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').filter(|_| may_cut)?;
        bytes.truncate(end + 1);
    }
    Some((String::from_utf8(bytes).ok()?, changed))
}

/// The lines of the project's index, in its order.
fn of_project(environment: &Environment, places: &Places) -> Vec<NoteAtHand> {
    let folder = project_folder(environment, places);
    let folder = folder.filter(|folder| fs::symlink_metadata(folder.join(INDEX)).is_ok());
    let folder = folder.filter(|folder| may_be_told(environment, folder));
    folder.map(|folder| lines_of_index(&folder)).unwrap_or_default()
}

fn lines_of_index(folder: &Path) -> Vec<NoteAtHand> {
    let index = text_of(&folder.join(INDEX), MAX_INDEX_BYTES, true);
    let Some((text, _)) = index else { return Vec::new() };
    let index = MemoryIndex::parse(&text);
    let entries = index.entries.iter();
    let mut lines: Vec<(usize, NoteAtHand)> =
        entries.filter_map(|line| Some((line.line, NoteAtHand::of_line(line)?))).collect();
    let bare = index.bare_items().into_iter();
    lines.extend(
        bare.map(|(line, item)| {
            (line, NoteAtHand { text: item.to_owned(), ..NoteAtHand::default() })
        }),
    );
    lines.sort_by_key(|(line, _)| *line);
    lines.into_iter().map(|(_, note)| note).collect()
}

/// The folder of the project's notes, if it is there.
fn project_folder(environment: &Environment, places: &Places) -> Option<PathBuf> {
    let has_home = || places.host(environment).is_ok_and(|home| home.is_dir());
    let folder = (places.stated.is_some() || has_home()).then(|| places.project(environment))?;
    folder.ok().filter(|folder| folder.is_dir())
}

/// What came with a checkout, because git tracks it, is told only after a person approved it as
/// it is.
pub(super) fn may_be_told(environment: &Environment, folder: &Path) -> bool {
    let standing = |digest: &str| trust::standing_of(environment, folder, digest).ok();
    // A folder that nobody ever approved need not be read for it.
    let is_pinned = || standing("").is_some_and(|standing| standing != TrustStanding::Unknown);
    let is_approved = |digest: &str| standing(digest) == Some(TrustStanding::Trusted);
    !is_tracked(folder)
        || is_pinned() && notes_digest(folder).is_ok_and(|digest| is_approved(&digest))
}

/// What is searched for among notes.
pub struct NotesWanted<'a> {
    pub text: &'a str,
    /// The notebook of this role as well.
    pub role: Option<&'a str>,
    /// A note has to share so many words with it.
    pub n_words: usize,
    pub limit: usize,
}

/// The notes that a search finds, best first.
pub fn find(
    environment: &Environment,
    places: &Places,
    memory: &Memory,
    wanted: &NotesWanted<'_>,
) -> Vec<FoundNote> {
    let is_off = memory.settings.switch("notes") == Some(false);
    if is_off || memory.settings.broken.is_some() {
        return Vec::new();
    }
    let project = project_folder(environment, places).map(|folder| (folder, None));
    let of_role = wanted
        .role
        .map_or_else(Vec::new, |role| notebooks(environment, places, role, Loaded::default()));
    let of_role = of_role.into_iter().map(|folder| (folder, wanted.role));
    let mut notes = Vec::new();
    for (folder, role) in project.into_iter().chain(of_role) {
        if may_be_told(environment, &folder) {
            let files = newest(&folder, N_SEARCHED).into_iter();
            notes.extend(files.filter_map(|file| searched(&file, role)));
        }
    }
    if notes.is_empty() {
        return Vec::new();
    }
    let question = Question::new(wanted.text);
    let mut found = found(&notes, &question, wanted.n_words, &memory.gate);
    found.truncate(wanted.limit);
    found
}

#[cfg(test)]
mod tests;
