//! Everything that can ever be written, as values. A store appends changes to its
//! journal and applies them to its tables in one transaction; undo appends the
//! inverse. Apply and inverse are pure, and every store uses these two.

mod erase;
mod fields;
mod file_edit;
mod tables;
mod undos;
mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::consult::Consultation;
use crate::deliberation::Deliberation;
use crate::effect::{Effect, Injection};
use crate::finding::Finding;
use crate::ids::{LessonId, OperationId, ProjectId};
use crate::lesson::{Lesson, State};
use crate::project::Project;
use crate::run::Run;
use crate::time::Timestamp;

pub use erase::{ERASED, Erasure, Tombstone, erasing, every_wording, stated_about};
pub use fields::{LessonField, Swap};
pub use file_edit::FileEdit;
pub use tables::{InjectionKey, Mismatch, Row, Tables};
pub use undos::Undos;
pub use words::{FORGOTTEN_BY, Worded};

/// Version of the journal payload: raised when an old program could not read it.
pub const PAYLOAD_VERSION: u32 = 1;

/// One change of state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    AddRun {
        run: Box<Run>,
    },
    RemoveRun {
        run: Box<Run>,
    },
    EditRun {
        before: Box<Run>,
        after: Box<Run>,
    },
    AddFinding {
        finding: Box<Finding>,
    },
    RemoveFinding {
        finding: Box<Finding>,
    },
    EditFinding {
        before: Box<Finding>,
        after: Box<Finding>,
    },
    AddLesson {
        lesson: Box<Lesson>,
        because: String,
    },
    RemoveLesson {
        lesson: Box<Lesson>,
        because: String,
    },
    EditLesson {
        lesson: LessonId,
        because: String,
        fields: Vec<LessonField>,
    },
    AddInjection {
        injection: Injection,
    },
    RemoveInjection {
        injection: Injection,
    },
    AddEffect {
        effect: Effect,
    },
    RemoveEffect {
        effect: Effect,
    },
    AddDeliberation {
        deliberation: Box<Deliberation>,
    },
    RemoveDeliberation {
        deliberation: Box<Deliberation>,
    },
    AddAttempt {
        attempt: Box<Attempt>,
    },
    RemoveAttempt {
        attempt: Box<Attempt>,
    },
    /// A model is about to be asked: the most that it may cost is taken from the caps.
    AddConsultation {
        consultation: Box<Consultation>,
    },
    RemoveConsultation {
        consultation: Box<Consultation>,
    },
    EditConsultation {
        before: Box<Consultation>,
        after: Box<Consultation>,
    },
    AddTombstone {
        tombstone: Tombstone,
    },
    RemoveTombstone {
        tombstone: Tombstone,
    },
    /// Replaces the description of a project: its name, and the checkouts that belong to it.
    /// A project without a description is `Project::bare`.
    EditProject {
        before: Box<Project>,
        after: Box<Project>,
    },
    /// Changes a file that others keep: a note, its index, or rules that a person writes. Only a
    /// store that lies in such files takes it.
    EditFile {
        edit: Box<FileEdit>,
    },
    /// Removes texts and words permanently, from the journal too.
    Erase {
        erasure: Erasure,
    },
}

impl Change {
    /// Why it brought a lesson into this state, if it did.
    pub fn reason_for(&self, state: State) -> Option<&str> {
        let because = match self {
            Change::AddLesson { because, .. } => because,
            Change::EditLesson { because, fields, .. } => {
                let is_step = |field: &LessonField| matches!(field, LessonField::State(step) if step.to == state);
                fields.iter().any(is_step).then_some(because)?
            }
            _ => return None,
        };
        // The journal names the new state first.
        let reason = because.strip_prefix(state.word()).and_then(|rest| rest.strip_prefix(": "));
        Some(reason.unwrap_or(because)).filter(|reason| !reason.is_empty())
    }

    /// The change that undoes this one.
    pub fn inverse(&self) -> Change {
        use Change::*;
        match self.clone() {
            AddRun { run } => RemoveRun { run },
            RemoveRun { run } => AddRun { run },
            EditRun { before, after } => EditRun { before: after, after: before },
            AddFinding { finding } => RemoveFinding { finding },
            RemoveFinding { finding } => AddFinding { finding },
            EditFinding { before, after } => EditFinding { before: after, after: before },
            AddLesson { lesson, because } => {
                RemoveLesson { lesson, because: format!("undo: {because}") }
            }
            RemoveLesson { lesson, because } => {
                AddLesson { lesson, because: format!("undo: {because}") }
            }
            EditLesson { lesson, because, fields } => EditLesson {
                lesson,
                because: format!("undo: {because}"),
                fields: fields.iter().rev().map(LessonField::inverse).collect(),
            },
            AddInjection { injection } => RemoveInjection { injection },
            RemoveInjection { injection } => AddInjection { injection },
            AddEffect { effect } => RemoveEffect { effect },
            RemoveEffect { effect } => AddEffect { effect },
            AddDeliberation { deliberation } => RemoveDeliberation { deliberation },
            RemoveDeliberation { deliberation } => AddDeliberation { deliberation },
            AddAttempt { attempt } => RemoveAttempt { attempt },
            RemoveAttempt { attempt } => AddAttempt { attempt },
            AddConsultation { consultation } => RemoveConsultation { consultation },
            RemoveConsultation { consultation } => AddConsultation { consultation },
            EditConsultation { before, after } => EditConsultation { before: after, after: before },
            AddTombstone { tombstone } => RemoveTombstone { tombstone },
            RemoveTombstone { tombstone } => AddTombstone { tombstone },
            EditProject { before, after } => EditProject { before: after, after: before },
            EditFile { edit } => EditFile { edit: Box::new(edit.inverse()) },
            // Permanent: the engine refuses to undo it.
            Erase { erasure } => Erase { erasure },
        }
    }

    /// The change from one version of a lesson to the next; `None` if nothing but the
    /// time of the update differs.
    pub fn edit_lesson(before: &Lesson, after: &Lesson, because: &str) -> Option<Change> {
        let fields = fields::between(before, after);
        let is_idle = fields.iter().all(|field| matches!(field, LessonField::UpdatedAt(_)));
        (!is_idle).then(|| Change::EditLesson {
            lesson: before.id.clone(),
            because: because.to_owned(),
            fields,
        })
    }

    /// The lesson it touches, if it touches one: what `history` and `undo` look for.
    pub fn lesson(&self) -> Option<&LessonId> {
        use Change::*;
        match self {
            AddLesson { lesson, .. } | RemoveLesson { lesson, .. } => Some(&lesson.id),
            EditLesson { lesson, .. } => Some(lesson),
            AddEffect { effect } | RemoveEffect { effect } => Some(&effect.lesson),
            AddFinding { finding } | RemoveFinding { finding } => finding.lesson.as_ref(),
            EditFinding { after, .. } => after.lesson.as_ref(),
            AddTombstone { tombstone } | RemoveTombstone { tombstone } => Some(&tombstone.lesson),
            // Responses are struck for no lesson.
            Erase { erasure } => Some(&erasure.lesson).filter(|id| !id.as_str().is_empty()),
            _ => None,
        }
    }

    /// Whether it can change what memory would say. Injections cannot: they are
    /// written on the hot path and must not change the revision that another write expects.
    pub fn touches_memory(&self) -> bool {
        !matches!(self, Change::AddInjection { .. } | Change::RemoveInjection { .. })
    }
}

/// Who did what when: the head of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationHead {
    /// The command, as one would type it: `learn`, `forget`.
    pub command: String,
    pub actor: String,
    pub at: Timestamp,
    /// For an undo: the operation that it undoes.
    pub undoes: Option<OperationId>,
}

/// Changes to be written together, or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub project: ProjectId,
    pub head: OperationHead,
    /// Go on with this operation rather than begin one: a command that writes in
    /// several steps is still one operation.
    pub continues: Option<OperationId>,
    pub changes: Vec<Change>,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Counts up within the project, from one. Only together with the project it names one entry.
    pub sequence: u64,
    /// Counts up within the project, too.
    pub operation: OperationId,
    pub project: ProjectId,
    pub head: OperationHead,
    pub change: Change,
}

/// One operation of the journal that was not undone.
pub struct Operation {
    pub first: Entry,
    /// By this project, not another one's change of a global lesson.
    pub is_own: bool,
    pub changes: Vec<Change>,
}

/// Operations that are neither an undo nor undone, in the order in which they began.
pub fn standing(entries: Vec<Entry>, project: &ProjectId) -> Vec<Operation> {
    let undos = Undos::of(&entries);
    let mut places: BTreeMap<(ProjectId, OperationId), usize> = BTreeMap::new();
    let mut operations: Vec<Operation> = Vec::new();
    for entry in entries {
        let is_undone = undos.standing_undo_of(&entry.project, entry.operation).is_some();
        if entry.head.undoes.is_some() || is_undone {
            continue;
        }
        let change = entry.change.clone();
        let place = places.entry((entry.project.clone(), entry.operation));
        let is_own = entry.project == *project;
        let at = *place.or_insert_with(|| {
            operations.push(Operation { first: entry, is_own, changes: Vec::new() });
            operations.len() - 1
        });
        operations[at].changes.push(change);
    }
    operations
}
