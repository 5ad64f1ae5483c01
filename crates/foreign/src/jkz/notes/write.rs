//! Every change of a folder of notes goes out here: what is decided about the files as they are
//! becomes edits, and the edits one batch of the folder's store. If a host wrote in between, it is
//! decided again.

use std::path::Path;

use hardwon_core::change::{Change, FileEdit};
use hardwon_core::gate::Gate;
use hardwon_core::ids::OperationId;
use hardwon_core::policy::Policy;
use hardwon_engine::layout::OpenRequest;
use hardwon_engine::write::Command;
use hardwon_engine::{Access, Environment, OpenMemory, Options, Result, files, policy, write};
use hardwon_render::answer::{Answer, FileChanged, NotesWritten};
use hardwon_render::diff::unified;

use super::NotesFolder;
use crate::jkz::JkzLayout;
use crate::store::layout::Layout;
use crate::{FolderError, FolderStore};

/// One file as it is and as it is to be; `None` for no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Below the folder of notes, or absolute.
    pub file: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What is to be done, and what there is to say about it.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The note that it is about.
    pub slug: Option<String>,
    pub drafts: Vec<Draft>,
    pub remarks: Vec<String>,
}

/// What a decision is made on.
pub struct Present<'a> {
    pub folder: &'a NotesFolder,
    pub gate: &'a Gate,
    pub policy: &'a Policy,
}

/// Decides on the files as they are, and writes what was decided; with `is_dry` it is only shown.
/// The command is as one would type it.
pub(super) fn run(
    environment: &Environment,
    path: &Path,
    command: &str,
    is_dry: bool,
    decide: &mut dyn FnMut(&Present<'_>) -> Result<Plan>,
) -> Result<Answer<NotesWritten>> {
    let access = if is_dry { Access::Read } else { Access::Write };
    let OpenMemory { mut memory, call } = open(environment, path, access)?;
    let mut plan = |memory: &hardwon_engine::Memory| {
        let folder = NotesFolder::read(path)?;
        decide(&Present { folder: &folder, gate: &memory.gate, policy: &memory.policy })
    };
    if is_dry {
        return Ok(told(path, plan(&memory)?, None));
    }
    let command = Command::new(command);
    let (operation, plan) = write::write(&mut memory, &call, &command, &mut |memory, _| {
        let plan = plan(memory)?;
        Ok((plan.drafts.iter().filter_map(change).collect(), plan))
    })?;
    Ok(told(path, plan, operation))
}

fn told(path: &Path, plan: Plan, operation: Option<OperationId>) -> Answer<NotesWritten> {
    let files = changed(&plan);
    let written = NotesWritten {
        folder: files::path_text(path),
        slug: plan.slug,
        operation: operation.map(|it| it.0),
        files,
        remarks: plan.remarks,
    };
    Answer::of(written, Vec::new()).empty_if(|it| it.files.is_empty())
}

pub(super) fn changed(plan: &Plan) -> Vec<FileChanged> {
    let changed = plan.drafts.iter().filter(|draft| draft.before != draft.after);
    let files = changed.map(|it| FileChanged {
        path: it.file.clone(),
        diff: unified(&it.file, it.before.as_deref(), it.after.as_deref()),
    });
    files.collect()
}

fn change(draft: &Draft) -> Option<Change> {
    let Draft { file, before, after } = draft;
    let edit = FileEdit::between(file, before.as_deref(), after.as_deref())?;
    Some(Change::EditFile { edit: Box::new(edit) })
}

/// The folder's own store.
fn open(environment: &Environment, path: &Path, access: Access) -> Result<OpenMemory> {
    let named = path.to_str().ok_or_else(|| FolderError::NoText(path.to_owned()))?;
    let store = Some(format!("{}:{named}", JkzLayout::WORD));
    let options = Options { store, foreign: crate::LAYOUTS, ..Options::default() };
    OpenMemory::open(environment, &options, access)
}

/// Finishes what a process that was killed began to write, if there is anything.
pub fn settle(environment: &Environment, path: &Path) -> Result<()> {
    let place = JkzLayout::place(path, &environment.homes());
    let journal = place.journal().read(JkzLayout::JOURNAL)?;
    let journal = journal.unwrap_or_default();
    let last = journal.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    if last.is_empty() || last.starts_with(b"{\"done\":") {
        return Ok(());
    }
    let request = OpenRequest {
        gate: Gate::standard(),
        access: Access::Write,
        policy: policy::load(JkzLayout::POLICY)?,
        now: environment.now()?,
    };
    FolderStore::<JkzLayout>::open(place, request)?.finish()?;
    Ok(())
}
