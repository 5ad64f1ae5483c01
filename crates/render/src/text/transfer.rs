//! What `import`, `export` and `trust` tell a person.

use hardwon_core::gate::without_control;

use super::columns::headed_table;
use crate::answer::{
    Exported, ForeignFolder, Imported, Lesson, OpposedLesson, SimilarLesson, TrustStanding,
    Unplaced,
};
use crate::record::counted;

/// What came in, what waits, and what had no place.
pub fn import(imported: &Imported) -> String {
    let Imported { n_read, from, n_known, .. } = imported;
    let added = imported.added.len();
    let read = counted(*n_read, "lesson");
    let mut out = format!("read {read} from {from}: {added} added, {n_known} already here\n");
    let n_waiting = imported.quarantined.len() as u64;
    let quarantined =
        format!("in quarantine until you approve {}", if n_waiting == 1 { "it" } else { "them" });
    for (n, noun, what) in [
        (imported.released.len() as u64, "lesson", "released from quarantine"),
        (imported.updated.len() as u64, "lesson", "brought up to date"),
        (imported.put_away.len() as u64, "lesson", "put away, as it was there"),
        (imported.kept.len() as u64, "lesson", "put away there and kept here, by your decision"),
        (n_waiting, "lesson", &quarantined),
        (imported.n_runs, "run", "with findings and effects"),
        (imported.n_rejected, "line", "could not be used"),
    ] {
        if n > 0 {
            out += &format!("{} {what}\n", counted(n, noun));
        }
    }
    out + &to_review(imported) + &unplaced(&imported.unplaced)
}

/// What to look at before approving it.
fn to_review(imported: &Imported) -> String {
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

/// The lessons of a folder, its digest, and whether it is trusted. Texts are never cut: nobody
/// approves what was not shown.
pub fn trust(folder: &ForeignFolder) -> String {
    let note = |note: &String| format!("- {}\n", without_control(note));
    let notes: String = folder.notes.iter().map(note).collect();
    let lessons = match (folder.lessons.is_empty(), notes.is_empty()) {
        (true, true) => "no lessons\n".to_owned(),
        (true, false) => String::new(),
        (false, _) => {
            headed_table("ID STATE KIND >SEEN TEXT", folder.lessons.iter().map(row), usize::MAX)
        }
    };
    let standing = match folder.standing.0 {
        TrustStanding::Trusted => "trusted as it is now; any change ends that",
        TrustStanding::Changed => "not trusted: it changed since it was",
        TrustStanding::Unknown => "not trusted",
    };
    let ForeignFolder { folder, system, digest, .. } = folder;
    format!("{} ({system})\n{lessons}{notes}{digest}\n{standing}\n", without_control(folder))
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
    let line = |one: &Unplaced| {
        let (what, kept) = (without_control(&one.what), without_control(&one.kept));
        format!("  {} × {what}: {kept}\n", one.n)
    };
    let lines: String = unplaced.iter().map(line).collect();
    format!("no place of its own:\n{lines}")
}
