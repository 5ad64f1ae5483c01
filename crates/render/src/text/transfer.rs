//! What `import`, `export` and `trust` tell a person.

use hardwon_core::gate::without_control;

use super::columns::{Side, table};
use crate::answer::{
    Exported, ForeignFolder, Imported, Lesson, OpposedLesson, SimilarLesson, TrustStanding,
    Unplaced,
};
use crate::record::counted;

const COLUMNS: [(&str, Side); 5] = [
    ("ID", Side::Left),
    ("STATE", Side::Left),
    ("KIND", Side::Left),
    ("SEEN", Side::Right),
    ("TEXT", Side::Left),
];

/// What came in, what waits, and what had no place.
pub fn import(imported: &Imported) -> String {
    let n_lessons = |n: usize| counted(n as u64, "lesson");
    let mut out = format!(
        "read {} from {}: {} added, {} already here\n",
        n_lessons(imported.n_read as usize),
        imported.from,
        imported.added.len(),
        imported.n_known
    );
    if !imported.released.is_empty() {
        out += &format!("{} released from quarantine\n", n_lessons(imported.released.len()));
    }
    if !imported.updated.is_empty() {
        out += &format!("{} brought up to date\n", n_lessons(imported.updated.len()));
    }
    if !imported.quarantined.is_empty() {
        let them = if imported.quarantined.len() == 1 { "it" } else { "them" };
        let n_waiting = n_lessons(imported.quarantined.len());
        out += &format!("{n_waiting} in quarantine until you approve {them}\n");
    }
    if imported.n_runs > 0 {
        out += &format!("{} with findings and effects\n", counted(imported.n_runs, "run"));
    }
    if imported.n_rejected > 0 {
        out += &format!("{} could not be used\n", counted(imported.n_rejected, "line"));
    }
    out += &reviewed(imported);
    out + &unplaced(&imported.unplaced)
}

/// What somebody should look at before they vouch.
fn reviewed(imported: &Imported) -> String {
    let listed = |counts: Vec<String>| counts.join(", ");
    let kinds = imported.by_kind.iter().map(|(kind, n)| format!("{n} {kind}"));
    let states = imported.by_state.iter().map(|(state, n)| format!("{n} {state}"));
    let mut out = String::new();
    if !imported.by_kind.is_empty() {
        out += &format!("  by kind: {}\n", listed(kinds.collect()));
        out += &format!("  by state there: {}\n", listed(states.collect()));
    }
    for SimilarLesson { lesson, known, likeness } in &imported.similar {
        out += &format!("  {lesson} is much like {known} ({likeness:.2})\n");
    }
    for OpposedLesson { lesson, known } in &imported.opposed {
        out += &format!("  {lesson} says the opposite of {known}\n");
    }
    if imported.n_cleaned > 0 {
        out += &format!("  {} cleaned or redacted\n", counted(imported.n_cleaned, "text"));
    }
    if imported.n_tombstones > 0 {
        let n = counted(imported.n_tombstones, "lesson");
        out += &format!("  {n} marked as forgotten for good\n");
    }
    out
}

/// What was written where, and what had no place.
pub fn export(exported: &Exported) -> String {
    let mut out = format!(
        "{} written to {} ({}), {} put away\n",
        counted(exported.n_active, "lesson"),
        without_control(&exported.folder),
        exported.to,
        exported.n_archived
    );
    if exported.n_updated > 0 {
        let n_updated = counted(exported.n_updated, "lesson");
        out += &format!("{n_updated} there already, brought up to date\n");
    }
    if let Some(digest) = &exported.digest {
        out += &format!("{digest}\n");
    }
    out + &unplaced(&exported.unplaced)
}

/// The lessons of a folder, its digest, and whether somebody vouched for it.
pub fn trust(folder: &ForeignFolder, width: usize) -> String {
    let head = COLUMNS.map(|(name, _)| name.to_owned()).to_vec();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(folder.lessons.iter().map(row)).collect();
    let mut out = format!("{} ({})\n", without_control(&folder.folder), folder.system);
    if folder.lessons.is_empty() {
        out += "no lessons\n"
    } else {
        out += &table(&rows, &COLUMNS.map(|(_, side)| side), width)
    }
    let standing = match folder.standing.0 {
        TrustStanding::Trusted => "trusted as it is now; any change ends that",
        TrustStanding::Changed => "not trusted: it changed since it was",
        TrustStanding::Unknown => "not trusted",
    };
    out + &format!("{}\n{standing}\n", folder.digest)
}

fn row(lesson: &Lesson) -> Vec<String> {
    let name = lesson.aliases.first().cloned().unwrap_or_else(|| lesson.id.to_string());
    vec![
        without_control(&name),
        lesson.state.to_string(),
        lesson.kind.to_string(),
        lesson.standing.to_string(),
        lesson.text.clone(),
    ]
}

fn unplaced(unplaced: &[Unplaced]) -> String {
    if unplaced.is_empty() {
        return String::new();
    }
    let line =
        |one: &Unplaced| format!("  {} × {}: {}\n", one.n, without_control(&one.what), one.kept);
    let lines: String = unplaced.iter().map(line).collect();
    format!("no place of its own:\n{lines}")
}
