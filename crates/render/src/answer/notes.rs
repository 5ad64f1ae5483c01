//! Notes in files, and what is wrong with them: `notes`.

use hardwon_core::notes::review::promote::ScorePart;
use hardwon_core::notes::review::{Age, RedundantRow, Review, RewriteRow, Status};
use hardwon_core::notes::set::{Fault, Limit};
use hardwon_core::notes::{Note, NoteKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

use super::value::Decimal;

/// The notes of a folder.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NotesListed {
    pub folder: String,
    pub notes: Vec<NoteLine>,
}

/// One note without its words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Note")]
pub struct NoteLine {
    pub slug: String,
    pub file: String,
    pub name: String,
    pub description: String,
    /// user, feedback, project or reference; null if the file names none of them.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// When it was last changed, by its own word.
    pub modified: Option<String>,
}

impl From<&Note> for NoteLine {
    fn from(note: &Note) -> Self {
        NoteLine {
            slug: note.slug().to_owned(),
            file: note.file.clone(),
            name: note.name.clone(),
            description: note.description.clone(),
            kind: note.kind.map(|kind| kind.to_string()),
            modified: note.modified.map(|at| at.to_string()),
        }
    }
}

/// One note with its words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoteShown {
    pub note: NoteLine,
    pub text: String,
    pub why: Option<String>,
    pub how: Option<String>,
    /// Slugs of the notes that it names.
    pub links: Vec<String>,
    /// Slugs of the notes that name it.
    pub linked_from: Vec<String>,
}

/// What is wrong with a folder of notes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NotesChecked {
    pub folder: String,
    pub n_notes: u64,
    pub faults: Vec<NotesFault>,
}

/// One thing that is wrong, and what would repair it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotesFault {
    pub what: String,
    pub at: String,
    pub detail: String,
    /// Null if a person has to decide.
    pub repair: Option<String>,
}

impl From<&Fault> for NotesFault {
    fn from(fault: &Fault) -> Self {
        let index = |line: &usize| format!("MEMORY.md:{line}");
        let take_out = |line: &usize| Some(format!("take line {line} out of MEMORY.md"));
        let (what, at, detail, repair) = match fault {
            Fault::LineWithoutFile { line, file } => {
                let detail = format!("there is no {file}");
                ("line without file", index(line), detail, take_out(line))
            }
            Fault::BadLine { line, target, why } => {
                ("bad line", index(line), format!("{target}: {why}"), take_out(line))
            }
            Fault::FileWithoutLine { file } => {
                let detail = "no line of MEMORY.md points to it".to_owned();
                let repair = format!("add a line for {file} to MEMORY.md");
                ("file without line", file.clone(), detail, Some(repair))
            }
            Fault::DeadLink { file, link, nearly } => {
                let to = nearly.as_ref().map(|to| format!("[[{to}]]"));
                let to = to.unwrap_or_else(|| "plain words".to_owned());
                let repair = format!("make [[{link}]] in {file} {to}");
                ("dead link", file.clone(), format!("[[{link}]] names no note"), Some(repair))
            }
            Fault::DoubleLine { line, first, file } => {
                let detail = format!("line {first} points to {file}, too");
                ("double line", index(line), detail, take_out(line))
            }
            Fault::OverLimit { what, is, limit } => {
                let of = match what {
                    Limit::OwnLines => "lines of ours",
                    Limit::OwnBytes => "bytes of ours",
                    Limit::AllLines => "lines",
                    Limit::AllBytes => "bytes",
                };
                let detail = format!("{is} {of}, of at most {limit}");
                let repair = "move detail into topic files".to_owned();
                ("over the limit", "MEMORY.md".to_owned(), detail, Some(repair))
            }
            Fault::Unreadable { file, line, reason } => {
                let line = line.map_or(String::new(), |line| format!(":{line}"));
                ("cannot be read", format!("{file}{line}"), reason.clone(), None)
            }
        };
        NotesFault { what: what.to_owned(), at, detail, repair }
    }
}

/// What a command did to notes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NotesWritten {
    pub folder: String,
    /// The note that it is about.
    pub slug: Option<String>,
    /// The number by which `undo` knows it; null if nothing was written.
    pub operation: Option<u64>,
    pub files: Vec<FileChanged>,
    pub remarks: Vec<String>,
}

/// Lessons that would make a note.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NotesProposals {
    pub folder: String,
    /// Best first.
    pub proposals: Vec<NotesProposal>,
}

/// One of them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotesProposal {
    pub lesson: String,
    pub because: String,
    pub files: Vec<FileChanged>,
}

/// A file that changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FileChanged {
    /// Below the folder of notes, or absolute.
    pub path: String,
    /// As `patch` reads it.
    pub diff: String,
}

/// Whether a note belongs into the project's rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotePromotion {
    pub slug: String,
    pub score: Decimal,
    /// promote, keep or archive
    pub advice: String,
    pub parts: Vec<PromotionPart>,
    /// The file that it would go into, and the section if one is named.
    pub target: String,
    /// What was done, or would be.
    pub written: NotesWritten,
}

/// One part of a score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromotionPart {
    pub name: String,
    pub value: Decimal,
    pub weight: Decimal,
    pub ground: String,
}

impl From<&ScorePart> for PromotionPart {
    fn from(part: &ScorePart) -> Self {
        PromotionPart {
            name: part.name.to_owned(),
            value: Decimal(part.value),
            weight: Decimal(part.weight),
            ground: part.ground.clone(),
        }
    }
}

/// What a person should look at.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotesReview {
    pub folder: String,
    pub stale: Vec<StaleNote>,
    pub overlapping: Vec<Overlap>,
    pub redundancy: Vec<RedundantNote>,
    pub needs_rewrite: Vec<NoteToRewrite>,
    pub promotion: Vec<NoteToPromote>,
    /// By type; `none` for notes without one.
    pub counts: BTreeMap<String, u64>,
}

/// A note that nobody changed for long.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StaleNote {
    pub file: String,
    pub days: i64,
    /// modified, git or file
    pub by: String,
}

impl StaleNote {
    fn of((file, age): &(String, Age)) -> Self {
        StaleNote { file: file.clone(), days: age.days, by: age.source.word().to_owned() }
    }
}

/// Two notes that share most of their words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Overlap {
    pub file: String,
    pub other: String,
    pub percent: u64,
}

/// How much of a note documents say.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RedundantNote {
    pub file: String,
    /// already_covered, extends_existing or new_rule
    pub is: String,
    pub percent: u64,
    /// Null if no document says any of it.
    pub place: Option<String>,
    pub section: Option<String>,
}

impl From<&RedundantRow> for RedundantNote {
    fn from(row: &RedundantRow) -> Self {
        RedundantNote {
            file: row.file.clone(),
            is: row.redundancy.word().to_owned(),
            percent: percent(row.share),
            place: row.place.as_ref().map(|(file, line, _)| format!("{file}:{line}")),
            section: row.place.as_ref().map(|(_, _, section)| section.clone()),
        }
    }
}

fn percent(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u64
}

/// A note that lacks its reason, or what to do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoteToRewrite {
    pub file: String,
    pub lacks: Vec<String>,
}

impl From<&RewriteRow> for NoteToRewrite {
    fn from(row: &RewriteRow) -> Self {
        let lacks = [("Why", row.lacks_why), ("How to apply", row.lacks_how)];
        let lacks = lacks.iter().filter(|(_, lacks)| *lacks).map(|(name, _)| (*name).to_owned());
        NoteToRewrite { file: row.file.clone(), lacks: lacks.collect() }
    }
}

/// A note that belongs into the project's rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoteToPromote {
    pub file: String,
    pub score: Decimal,
    /// Each part with its ground.
    pub because: Vec<String>,
}

fn by_kind(counts: &BTreeMap<Option<NoteKind>, usize>) -> BTreeMap<String, u64> {
    let name = |kind: &Option<NoteKind>| kind.map_or("none", NoteKind::word).to_owned();
    counts.iter().map(|(kind, n)| (name(kind), *n as u64)).collect()
}

impl NotesReview {
    pub fn of(folder: &str, review: &Review) -> Self {
        let promoted = review.promote.iter().map(|(file, promotion)| NoteToPromote {
            file: file.clone(),
            score: Decimal(promotion.score),
            because: promotion
                .parts
                .iter()
                .map(|part| format!("{} {:.2}: {}", part.name, part.value, part.ground))
                .collect(),
        });
        let overlap = |(file, other, share): &(String, String, f64)| Overlap {
            file: file.clone(),
            other: other.clone(),
            percent: percent(*share),
        };
        NotesReview {
            folder: folder.to_owned(),
            stale: review.stale.iter().map(StaleNote::of).collect(),
            overlapping: review.overlapping.iter().map(overlap).collect(),
            redundancy: review.redundancy.iter().map(RedundantNote::from).collect(),
            needs_rewrite: review.rewrite.iter().map(NoteToRewrite::from).collect(),
            promotion: promoted.collect(),
            counts: by_kind(&review.by_kind),
        }
    }
}

/// One word for a folder of notes, and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotesStatus {
    pub folder: String,
    /// good, needs_review or critical
    pub health: String,
    pub n_notes: u64,
    pub n_stale: u64,
    pub n_overlaps: u64,
    pub n_broken: u64,
    pub is_over_limit: bool,
    pub counts: BTreeMap<String, u64>,
}

impl NotesStatus {
    pub fn of(folder: &str, status: &Status) -> Self {
        NotesStatus {
            folder: folder.to_owned(),
            health: status.health.word().to_owned(),
            n_notes: status.n_notes as u64,
            n_stale: status.n_stale as u64,
            n_overlaps: status.n_overlaps as u64,
            n_broken: status.n_broken as u64,
            is_over_limit: status.is_over_limit,
            counts: by_kind(&status.by_kind),
        }
    }
}

/// Notes that name what is gone.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NotesAudit {
    /// Notes that were looked at.
    pub n_facts: u64,
    /// Files of the tree.
    pub n_files: u64,
    pub findings: Vec<AuditedFact>,
}

/// One thing that is gone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditedFact {
    pub fact: String,
    /// STALE
    pub finding: String,
    pub quote: String,
    pub evidence: Vec<String>,
    pub proposed: String,
}
