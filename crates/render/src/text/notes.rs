//! Notes in files: `notes`.

use super::columns::{facts, hanging, headed_table};
use crate::answer::{
    NoteLine, NotePromotion, NoteShown, NotesAudit, NotesChecked, NotesListed, NotesProposals,
    NotesReview, NotesStatus, NotesWritten, PromotionPart,
};
use crate::record::counted;

const FACT_COLUMNS: usize = 12;

pub fn notes(listed: &NotesListed, width: usize) -> String {
    if listed.notes.is_empty() {
        return format!("no notes in {}\n", listed.folder);
    }
    let row = |it: &NoteLine| {
        let about = if it.description.is_empty() { &it.name } else { &it.description };
        vec![it.kind.clone().unwrap_or_else(|| "-".to_owned()), it.slug.clone(), about.clone()]
    };
    headed_table("TYPE SLUG ABOUT", listed.notes.iter().map(row), width)
}

/// One note in full.
pub fn note(shown: &NoteShown, width: usize) -> String {
    let it = &shown.note;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let title = if it.name.is_empty() { &it.slug } else { &it.name };
    let mut out = hanging("", title, width);
    out += &hanging("  ", &shown.text, width);
    out += "\n";
    let about = [
        ("file", it.file.clone()),
        ("type", text(&it.kind)),
        ("why", text(&shown.why)),
        ("how to apply", text(&shown.how)),
        ("modified", text(&it.modified)),
        ("links to", shown.links.join(", ")),
        ("linked from", shown.linked_from.join(", ")),
    ];
    out + &facts(&about, FACT_COLUMNS, width)
}

/// What a command did to notes, or would do.
pub fn notes_written(written: &NotesWritten, width: usize) -> String {
    let mut out: String = written.files.iter().map(|file| file.diff.clone()).collect();
    if !out.is_empty() {
        out.push('\n');
    }
    for remark in &written.remarks {
        out += &hanging("", remark, width);
    }
    match (written.operation, written.files.is_empty()) {
        (Some(operation), _) => {
            let about = written.slug.as_ref().map_or(String::new(), |slug| format!("{slug}: "));
            let files = counted(written.files.len() as u64, "file");
            out + &hanging(
                "",
                &format!(
                    "{about}{files} written; `hardwon undo {operation} --store jkz:FOLDER` takes it \
                     back"
                ),
                width,
            )
        }
        (None, false) => out + "nothing is written yet\n",
        (None, true) if written.remarks.is_empty() => out + "nothing to do\n",
        (None, true) => out,
    }
}

/// The score of a note, and what was done about it.
pub fn note_promotion(promotion: &NotePromotion, width: usize) -> String {
    let row = |part: &PromotionPart| {
        vec![part.name.clone(), format!("{:.2}", part.value.0), part.ground.clone()]
    };
    let mut out = headed_table("PART SCORE GROUND", promotion.parts.iter().map(row), width);
    let score = promotion.score.0;
    out += &format!("\n{}: {score:.2}, {}\n\n", promotion.slug, promotion.advice);
    out += &notes_written(&promotion.written, width);
    if promotion.written.operation.is_none() {
        let target = &promotion.target;
        out += &hanging("", &format!("`--apply` writes it into {target}"), width);
    }
    out
}

/// Lessons that would make a note, each with its diff.
pub fn notes_proposals(listed: &NotesProposals, width: usize) -> String {
    if listed.proposals.is_empty() {
        return "nothing to propose\n".to_owned();
    }
    let mut out = String::new();
    for (at, it) in listed.proposals.iter().enumerate() {
        out += &hanging(&format!("{}. ", at + 1), &format!("{}: {}", it.lesson, it.because), width);
        out.extend(it.files.iter().map(|file| file.diff.as_str()));
        out += "\n";
    }
    out + "nothing is written yet; `hardwon jkz lesson ID` makes a note of one\n"
}

/// What is wrong with the set.
pub fn notes_checked(checked: &NotesChecked, width: usize) -> String {
    let notes = counted(checked.n_notes, "note");
    if checked.faults.is_empty() {
        return format!("{notes}, nothing is wrong with them\n");
    }
    let mut out = String::new();
    for it in &checked.faults {
        out += &hanging("", &format!("{} {}: {}", it.at, it.what, it.detail), width);
        if let Some(repair) = &it.repair {
            out += &hanging("  ", &format!("repair: {repair}"), width);
        }
    }
    format!("{out}\n{notes}, {}\n", counted(checked.faults.len() as u64, "fault"))
}

/// The six tables.
pub fn notes_review(review: &NotesReview, width: usize) -> String {
    let mut out = String::new();
    let mut table = |title: &str, head: &str, rows: Vec<Vec<String>>| {
        out += title;
        out += "\n";
        out += &match rows.is_empty() {
            true => "none\n".to_owned(),
            false => headed_table(head, rows, width),
        };
        out += "\n";
    };
    let stale = review.stale.iter();
    let stale = stale.map(|it| vec![format!("{} days", it.days), it.by.clone(), it.file.clone()]);
    table("Not changed for long", "AGE BY NOTE", stale.collect());
    let overlapping = review.overlapping.iter();
    let overlapping =
        overlapping.map(|it| vec![format!("{} %", it.percent), it.file.clone(), it.other.clone()]);
    table("Overlapping", "SHARE NOTE OTHER", overlapping.collect());
    let redundancy = review.redundancy.iter().map(|it| {
        let place = it.place.clone().unwrap_or_default();
        let section = it.section.as_ref().filter(|section| !section.is_empty());
        let section = section.map_or(String::new(), |section| format!(" ({section})"));
        vec![it.is.clone(), format!("{} %", it.percent), it.file.clone(), place + &section]
    });
    table("Said by documents", "IS SHARE NOTE PLACE", redundancy.collect());
    let rewrite = review.needs_rewrite.iter();
    let rewrite = rewrite.map(|it| vec![it.lacks.join(", "), it.file.clone()]);
    table("To be rewritten", "LACKS NOTE", rewrite.collect());
    let promotion = review.promotion.iter();
    let promotion = promotion
        .map(|it| vec![format!("{:.2}", it.score.0), it.file.clone(), it.because.join("; ")]);
    table("For the project's rules", "SCORE NOTE BECAUSE", promotion.collect());
    let counts = review.counts.iter().map(|(kind, n)| vec![kind.clone(), n.to_string()]);
    table("By type", "TYPE NOTES", counts.collect());
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// One word, and why.
pub fn notes_status(status: &NotesStatus, width: usize) -> String {
    let why = [
        (status.n_stale, "not changed for long"),
        (status.n_overlaps, "overlapping"),
        (status.n_broken, "broken"),
    ];
    let mut parts = vec![counted(status.n_notes, "note")];
    parts.extend(why.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    if status.is_over_limit {
        parts.push("the index is longer than what hosts load".to_owned());
    }
    hanging("", &format!("{}: {}", status.health, parts.join(", ")), width)
}

/// Notes that name what is gone, with the proof.
pub fn notes_audit(audit: &NotesAudit, width: usize) -> String {
    let (notes, files) = (counted(audit.n_facts, "note"), counted(audit.n_files, "file"));
    let looked = format!("{notes} held against {files}");
    if audit.findings.is_empty() {
        return format!("{looked}: nothing speaks against them\n");
    }
    let mut out = String::new();
    for it in &audit.findings {
        let head = format!("{} {}: \"{}\"", it.finding, it.fact, it.quote);
        out += &hanging("", &head, width);
        for evidence in &it.evidence {
            out += &hanging("  ", evidence, width);
        }
        out += &hanging("  ", &format!("proposed: {}", it.proposed), width);
        out += "\n";
    }
    format!("{out}{looked}: {}\n", counted(audit.findings.len() as u64, "finding"))
}
