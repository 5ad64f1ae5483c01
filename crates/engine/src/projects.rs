//! Which projects are there, which one is this, and what if that is wrong? Looking, renaming,
//! and saying by hand where a checkout belongs.

use hardwon_core::change::Change;
use hardwon_core::gate::without_control;
use hardwon_core::ids::ProjectId;
use hardwon_core::project::{self, Checkout, Project, Reason};
use hardwon_render::answer::{Answer, ProjectLine, ProjectShown, Projects};
use hardwon_store::ProjectQuery;
use hardwon_store::checkout::Repository;

use crate::described::{described, edit, kept};
use crate::identity::Identity;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::seat;
use crate::write::{Command, is_pending, join, write};

/// Every project, by id.
pub fn project_list(memory: &Memory, call: &Call) -> Result<Answer<Projects>> {
    let known = memory.store.projects(&ProjectQuery::All)?;
    let open = known.iter().filter(|known| seat::is_open_to(call, known));
    let lines: Result<Vec<_>, _> = open.map(|known| project_line(memory, call, known)).collect();
    let projects = lines?;
    Ok(Answer::of(Projects { projects }, Vec::new()).empty_if(|it| it.projects.is_empty()))
}

/// The project with exactly this id, if anything was ever kept of it: asking makes none.
pub fn known(memory: &Memory, id: &ProjectId) -> Result<Project> {
    kept(memory, id)?.ok_or_else(|| EngineError::UnknownProject { name: id.to_string() })
}

/// One project: the one that this call belongs to if none is named.
pub fn project_show(
    memory: &Memory,
    call: &Call,
    name: Option<&str>,
) -> Result<Answer<ProjectShown>> {
    let project = project_named(memory, call, name.unwrap_or("."))?;
    let is_current = project.id == call.project;
    let lineage = project.lineage.clone().or_else(|| lineage(call).filter(|_| is_current));
    let kin = lineage.map(|lineage| kin_of(memory, &lineage, &project.id)).transpose()?;
    let shown = ProjectShown {
        project: project_line(memory, call, &project)?,
        because: is_current.then(|| without_control(&call.identity.reason.to_string())),
        kin: kin.iter().flatten().map(|kin| without_control(kin.id.as_str())).collect(),
    };
    Ok(Answer::of(shown, Vec::new()))
}

/// Gives a project another name. Its id stays, and with it every lesson's.
pub fn project_rename(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    to: &str,
) -> Result<Answer<ProjectShown>> {
    call.needs_person("renaming a project")?;
    let id = project_named(memory, call, name)?.id;
    let Some(to) = memory.gate.word(to) else {
        let reason = "a project needs a name".into();
        return Err(EngineError::Setting { key: "project".into(), reason });
    };
    edit_projects(memory, call, id.clone(), &mut |memory| {
        let before = described(memory, &id)?;
        let after = Project { name: Some(to.clone()), ..before.clone() };
        Ok(edit(before, after).into_iter().collect())
    })?;
    project_show(memory, call, Some(id.as_str()))
}

/// Lets this checkout use the memory of a project; with `into`, lets every checkout of the
/// named project use the memory of that one. No lesson is moved.
pub fn project_alias(
    memory: &mut Memory,
    call: &mut Call,
    name: &str,
    into: Option<&str>,
) -> Result<Answer<ProjectShown>> {
    call.needs_person("joining a checkout to a project")?;
    let named = project_named(memory, call, name)?;
    match into {
        Some(into) => {
            let into = project_named(memory, call, into)?.id;
            hand_over(memory, call, &named.id, &into)?;
            project_show(memory, call, Some(into.as_str()))
        }
        None => {
            join_to(memory, call, named.id)?;
            project_show(memory, call, None)
        }
    }
}

/// The project of which this new checkout is a clone, if there is exactly one.
pub fn offered_kin(memory: &Memory, call: &Call) -> Result<Option<Project>> {
    if !call.identity.reason.is_new() || memory.joined.contains(&call.project) {
        return Ok(None);
    }
    let Some(lineage) = lineage(call) else { return Ok(None) };
    let mut kin = kin_of(memory, &lineage, &call.project)?;
    Ok(if kin.len() == 1 { kin.pop() } else { None })
}

/// Makes this checkout the project of its own that it is.
pub fn keep_apart(memory: &mut Memory, call: &Call) -> Result<()> {
    if is_pending(memory, call) { join(memory, call) } else { Ok(()) }
}

/// Marks the git directory of a checkout that is new here, so that it is found again after a
/// move even before anything was learned in it. Nothing is stored yet.
pub fn mark_checkout(call: &Call) {
    if let (Some(seen), Reason::Unknown) = (&call.identity.seen, &call.identity.reason) {
        seen.marked(&call.project, &Reason::Unknown);
    }
}

fn lineage(call: &Call) -> Option<String> {
    let repository = call.identity.seen.as_ref()?.repository.as_ref();
    repository.and_then(Repository::lineage)
}

fn kin_of(memory: &Memory, lineage: &str, id: &ProjectId) -> Result<Vec<Project>> {
    let all = memory.store.projects(&ProjectQuery::All)?;
    Ok(project::with_lineage(lineage, id, &all).into_iter().cloned().collect())
}

fn join_to(memory: &mut Memory, call: &mut Call, target: ProjectId) -> Result<()> {
    let seen = call.identity.seen.clone().ok_or(EngineError::NoCheckout)?;
    let checkout = seen.marked(&target, &call.identity.reason);
    let former = call.project.clone();
    edit_projects(memory, call, target.clone(), &mut |memory| {
        let left = described(memory, &former)?;
        let leaving = edit(left.clone(), left.without(&checkout.path));
        let before = described(memory, &target)?;
        let joining = edit(before.clone(), before.with(checkout.clone()));
        Ok(leaving.filter(|_| former != target).into_iter().chain(joining).collect())
    })?;
    belongs_to(call, target);
    Ok(())
}

fn hand_over(
    memory: &mut Memory,
    call: &mut Call,
    from: &ProjectId,
    into: &ProjectId,
) -> Result<()> {
    if from == into {
        return Ok(());
    }
    edit_projects(memory, call, into.clone(), &mut |memory| {
        let giving = described(memory, from)?;
        let taking = described(memory, into)?;
        // A path that is an id is a checkout that was not recorded yet.
        let path = Some(from.as_str()).filter(|id| id.starts_with('/'));
        let unnoted = path.filter(|_| giving.checkouts.is_empty());
        let unnoted = unnoted.map(|path| Checkout { path: path.to_owned(), mark: None });
        let checkouts = giving.checkouts.iter().cloned().chain(unnoted);
        let taken = checkouts.fold(taking.clone(), Project::with);
        let given = Project { checkouts: Vec::new(), ..giving.clone() };
        Ok(edit(giving, given).into_iter().chain(edit(taking, taken)).collect())
    })?;
    if call.project == *from && call.identity.seen.is_some() {
        belongs_to(call, into.clone());
    }
    Ok(())
}

/// From now on the call is about this project, and its checkout is one of it.
fn belongs_to(call: &mut Call, project: ProjectId) {
    call.project = project;
    call.identity = Identity { reason: Reason::Same, is_pending: false, ..call.identity.clone() };
}

/// Writes into the journal of that project, whichever this call belongs to.
fn edit_projects(
    memory: &mut Memory,
    call: &Call,
    of: ProjectId,
    decide: &mut dyn FnMut(&Memory) -> Result<Vec<Change>>,
) -> Result<()> {
    let there = call.about(of);
    let command = Command::new("project");
    write(memory, &there, &command, &mut |memory, _| Ok((decide(memory)?, ()))).map(drop)
}

/// The project that is called so: `.` for this one, else by id, name, path of a checkout,
/// or unique prefix of the id.
pub fn project_named(memory: &Memory, call: &Call, name: &str) -> Result<Project> {
    if name == "." {
        return described(memory, &call.project);
    }
    let all = memory.store.projects(&ProjectQuery::All)?;
    match project::named(&all, name)[..] {
        [] => Err(EngineError::UnknownProject { name: name.to_owned() }),
        [only] => Ok(only.clone()),
        ref several => {
            let candidates = several.iter().map(|known| known.id.to_string()).collect();
            Err(EngineError::AmbiguousProject { name: name.to_owned(), candidates })
        }
    }
}

fn project_line(memory: &Memory, call: &Call, project: &Project) -> Result<ProjectLine> {
    let totals = memory.store.totals(&project.id)?;
    Ok(ProjectLine {
        id: without_control(project.id.as_str()),
        name: without_control(project.title()),
        is_current: project.id == call.project,
        n_lessons: totals.n_lessons - totals.n_global,
        n_runs: memory.store.status(&project.id)?.run_number,
        checkouts: project.checkouts.iter().map(|known| without_control(&known.path)).collect(),
    })
}
