//! A folder of notes put in order: what `check` found, and an index that is too long.

use std::collections::BTreeMap;
use std::path::Path;

use hardwon_core::notes::policy::{IndexLimits, NotesPolicy};
use hardwon_core::notes::set::{Fault, Repair};
use hardwon_core::notes::shorten::{IndexSize, Move, shorten as shortened};
use hardwon_core::notes::{IndexLine, Note, NoteKind};
use hardwon_core::time::Timestamp;
use hardwon_engine::{EngineError, Environment, needs_person};
use hardwon_readers::{MemoryIndex, line_of, new_topic_file};
use hardwon_render::answer::{Answer, NotesFault, NotesWritten};

use super::state::{find, rewritten};
use super::write::{Draft, Plan, Present, Writing};
use super::{INDEX, NotesFolder};

/// Repairs what `check` finds and can be repaired; the rest is told.
pub fn fix(
    environment: &Environment,
    path: &Path,
    is_dry: bool,
) -> Result<Answer<NotesWritten>, EngineError> {
    if !is_dry {
        needs_person(&environment.speaker, "repairing notes")?;
    }
    let writing = Writing { environment, path, command: "notes check --fix", is_dry };
    writing.run(&mut |present| Ok(repaired(present)))
}

fn repaired(present: &Present<'_>) -> Plan {
    let folder = present.folder;
    let limits = &present.policy.notes.limits;
    let faults = folder.set.check(limits);
    let mut texts: BTreeMap<String, String> = folder.texts.clone();
    let gone: Vec<usize> = faults
        .iter()
        .filter_map(|(_, repair)| match repair {
            Repair::RemoveLine { line } => Some(*line),
            _ => None,
        })
        .collect();
    if !gone.is_empty() {
        let index = texts.entry(INDEX.to_owned()).or_default();
        *index = MemoryIndex::parse(index).without_lines(&gone);
    }
    let mut remarks = Vec::new();
    for it @ (fault, repair) in &faults {
        if !make(repair, &mut texts, limits) && !matches!(fault, Fault::Cycle { .. }) {
            remarks.push(left_to_person(it));
        }
    }
    let drafts = texts.into_iter().map(|(file, after)| {
        let before = folder.texts.get(&file).cloned();
        Draft { file, before, after: Some(after) }
    });
    let drafts = drafts.filter(|it| it.before != it.after).collect();
    Plan { slug: None, drafts, remarks }
}

/// Makes one repair in the texts of the files; lines are out already. Says whether it could.
fn make(repair: &Repair, texts: &mut BTreeMap<String, String>, limits: &IndexLimits) -> bool {
    match repair {
        Repair::RemoveLine { .. } | Repair::Nothing => true,
        Repair::AddLine(line) => {
            let index = texts.entry(INDEX.to_owned()).or_default();
            let with = MemoryIndex::parse(index).with_line(line, limits);
            with.map(|text| *index = text).is_ok()
        }
        Repair::Unlink { file, link } => relink(texts, file, link, link),
        Repair::Relink { file, link, to } => relink(texts, file, link, &format!("[[{to}]]")),
        Repair::Shorten | Repair::ByHand => false,
    }
}

fn relink(texts: &mut BTreeMap<String, String>, file: &str, link: &str, to: &str) -> bool {
    let Some(text) = texts.get_mut(file) else { return false };
    *text = text.replace(&format!("[[{link}]]"), to);
    true
}

fn left_to_person(it: &(Fault, Repair)) -> String {
    let told = NotesFault::from(it);
    let next = match it.1 {
        Repair::Shorten => "; `hardwon notes shorten` makes room",
        _ => "; a person has to decide",
    };
    format!("left: {} {}: {}{next}", told.at, told.what, told.detail)
}

/// Moves detail out of an index that is too long, into topic files.
pub fn shorten(
    environment: &Environment,
    path: &Path,
    is_dry: bool,
) -> Result<Answer<NotesWritten>, EngineError> {
    if !is_dry {
        needs_person(&environment.speaker, "shortening the index of notes")?;
    }
    let now = environment.now()?;
    let writing = Writing { environment, path, command: "notes shorten", is_dry };
    writing.run(&mut |present| Ok(shorter(present.folder, &present.policy.notes, now)))
}

fn shorter(folder: &NotesFolder, policy: &NotesPolicy, now: Timestamp) -> Plan {
    let Some(text) = folder.texts.get(INDEX) else { return Plan::default() };
    let index = MemoryIndex::parse(text);
    let size = IndexSize { n_lines: index.n_lines(), n_bytes: index.n_bytes() };
    let (moves, left) = shortened(&index.sections(), &index.entries, size, policy);
    let mut remarks = Vec::new();
    let limits = &policy.limits;
    if left.n_lines > limits.all_lines || left.n_bytes > limits.all_bytes {
        remarks.push(format!(
            "still {} lines and {} bytes, of {} and {} that are loaded: `hardwon notes review` \
             says what can go",
            left.n_lines, left.n_bytes, limits.all_lines, limits.all_bytes
        ));
    } else if moves.is_empty() {
        remarks.push("it is short enough".to_owned());
    }
    let mut lines: Vec<Option<String>> =
        text.split_inclusive('\n').map(|line| Some(line.to_owned())).collect();
    let mut drafts = Vec::new();
    for moved in &moves {
        drafts.extend(move_out(folder, moved, &mut lines, &index.entries, now));
    }
    let after: String = lines.into_iter().flatten().collect();
    let index = Draft { file: INDEX.to_owned(), before: Some(text.clone()), after: Some(after) };
    drafts.push(index);
    Plan { slug: None, drafts, remarks }
}

/// Takes something out of the lines of the index; the draft of the file that it goes into.
fn move_out(
    folder: &NotesFolder,
    moved: &Move,
    lines: &mut [Option<String>],
    entries: &[IndexLine],
    now: Timestamp,
) -> Option<Draft> {
    let end = |line: &str| if line.ends_with("\r\n") { "\r\n" } else { "\n" };
    match moved {
        Move::Section { section, file, line } => {
            let (first, rest) = section.prose_lines.split_first()?;
            let newline = end(lines.get(first - 1)?.as_deref()?);
            lines[first - 1] = Some(format!("{}{newline}", line_of(line)));
            rest.iter().for_each(|at| lines[at - 1] = None);
            let note = Note {
                file: file.clone(),
                name: line.title.clone(),
                description: line.hook.clone(),
                kind: Some(NoteKind::Project),
                modified: Some(now),
                text: section.prose.trim_end().to_owned(),
                ..Note::default()
            };
            let after = Some(new_topic_file(&note));
            Some(Draft { file: file.clone(), before: None, after })
        }
        Move::Hook { line, file, kept, .. } => {
            let entry = entries.iter().find(|entry| entry.line == *line)?;
            let newline = end(lines.get(line - 1)?.as_deref()?);
            // What is cut has to stand somewhere else first.
            let note = find(&folder.set, file).ok()?;
            let short = IndexLine { hook: format!("{kept}…"), ..entry.clone() };
            lines[line - 1] = Some(format!("{}{newline}", line_of(&short)));
            if note.whole_text().contains(entry.hook.trim()) {
                return None;
            }
            let text = format!("{}\n\n{}", note.text.trim_end(), entry.hook.trim());
            let next = Note { text, modified: Some(now), ..note.clone() };
            Some(rewritten(folder, note, &next))
        }
    }
}
