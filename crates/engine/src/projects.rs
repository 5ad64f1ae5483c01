//! Which projects are there, which one is this, and what if that is wrong? Looking, renaming,
//! and saying by hand where a checkout belongs.

use hardwon_core::answer::{Answer, ProjectLine, ProjectShown, Projects};
use hardwon_core::change::Change;
use hardwon_core::ids::ProjectId;
use hardwon_core::project::{self, Checkout, Project, Reason};
use hardwon_store::{LessonQuery, ProjectQuery};

use crate::Engine;
use crate::checkout::Repository;
use crate::error::EngineError;
use crate::identity::edit;
use crate::write::Command;

impl Engine {
    /// Every project, by id.
    pub fn project_list(&self) -> Result<Answer<Projects>, EngineError> {
        let known = self.store.projects(&ProjectQuery::All)?;
        let lines: Result<Vec<_>, _> = known.iter().map(|known| self.project_line(known)).collect();
        let projects = lines?;
        let is_empty = projects.is_empty();
        Ok(Answer::of(Projects { projects }, Vec::new()).or_empty(is_empty))
    }

    /// One project: the one that this call belongs to if none is named.
    pub fn project_show(&self, name: Option<&str>) -> Result<Answer<ProjectShown>, EngineError> {
        let project = self.project_named(name.unwrap_or("."))?;
        let is_current = project.id == self.project;
        let lineage = project.lineage.clone().or_else(|| self.lineage().filter(|_| is_current));
        let kin = lineage.map(|lineage| self.kin_of(&lineage, &project.id)).transpose()?;
        let shown = ProjectShown {
            project: self.project_line(&project)?,
            because: is_current.then(|| self.identity.reason.to_string()),
            kin: kin.unwrap_or_default().into_iter().map(|kin| kin.id).collect(),
        };
        Ok(Answer::of(shown, Vec::new()))
    }

    /// Gives a project another name. Its id stays, and with it every lesson's.
    pub fn project_rename(
        &mut self,
        name: &str,
        to: &str,
    ) -> Result<Answer<ProjectShown>, EngineError> {
        self.needs_person("renaming a project")?;
        let id = self.project_named(name)?.id;
        let Some(to) = self.gate.word(to) else {
            let reason = "a project needs a name".into();
            return Err(EngineError::Setting { key: "project".into(), reason });
        };
        self.edit_projects(id.clone(), &mut |engine| {
            let before = engine.described(&id)?;
            let after = Project { name: Some(to.clone()), ..before.clone() };
            Ok(edit(before, after).into_iter().collect())
        })?;
        self.project_show(Some(id.as_str()))
    }

    /// Lets this checkout use the memory of a project; with `into`, lets every checkout of the
    /// named project use the memory of that one. No lesson is moved.
    pub fn project_alias(
        &mut self,
        name: &str,
        into: Option<&str>,
    ) -> Result<Answer<ProjectShown>, EngineError> {
        self.needs_person("joining a checkout to a project")?;
        let named = self.project_named(name)?;
        match into {
            Some(into) => {
                let into = self.project_named(into)?.id;
                self.hand_over(&named.id, &into)?;
                self.project_show(Some(into.as_str()))
            }
            None => {
                self.join_to(named.id)?;
                self.project_show(None)
            }
        }
    }

    /// The project of which this new checkout is a clone, if there is exactly one.
    pub fn offered_kin(&self) -> Result<Option<Project>, EngineError> {
        if !self.identity.reason.is_new() {
            return Ok(None);
        }
        let Some(lineage) = self.lineage() else { return Ok(None) };
        let mut kin = self.kin_of(&lineage, &self.project)?;
        Ok(if kin.len() == 1 { kin.pop() } else { None })
    }

    /// Makes this checkout the project of its own that it is.
    pub fn keep_apart(&mut self) -> Result<(), EngineError> {
        if self.identity.is_pending { self.join() } else { Ok(()) }
    }

    /// Why this call belongs to its project.
    pub(crate) fn project_reason(&self) -> &Reason {
        &self.identity.reason
    }

    fn lineage(&self) -> Option<String> {
        let repository = self.identity.seen.as_ref()?.repository.as_ref();
        repository.and_then(Repository::lineage)
    }

    fn kin_of(&self, lineage: &str, id: &ProjectId) -> Result<Vec<Project>, EngineError> {
        let all = self.store.projects(&ProjectQuery::All)?;
        Ok(project::kin(lineage, id, &all).into_iter().cloned().collect())
    }

    fn join_to(&mut self, target: ProjectId) -> Result<(), EngineError> {
        let seen = self.identity.seen.clone().ok_or(EngineError::NoCheckout)?;
        let checkout = seen.marked(&target, &self.identity.reason);
        let former = self.project.clone();
        self.edit_projects(target.clone(), &mut |engine| {
            let left = engine.described(&former)?;
            let leaving = edit(left.clone(), left.without(&checkout.path));
            let before = engine.described(&target)?;
            let joining = edit(before.clone(), before.with(checkout.clone()));
            Ok(leaving.filter(|_| former != target).into_iter().chain(joining).collect())
        })?;
        self.project = target;
        self.identity.is_pending = false;
        self.identity.reason = Reason::Same;
        Ok(())
    }

    fn hand_over(&mut self, from: &ProjectId, into: &ProjectId) -> Result<(), EngineError> {
        if from == into {
            return Ok(());
        }
        self.edit_projects(into.clone(), &mut |engine| {
            let giving = engine.described(from)?;
            let taking = engine.described(into)?;
            // A path that is an id is a checkout that nobody has noted yet.
            let path = Some(from.as_str()).filter(|id| id.starts_with('/'));
            let unnoted = path.filter(|_| giving.checkouts.is_empty());
            let unnoted = unnoted.map(|path| Checkout { path: path.to_owned(), mark: None });
            let checkouts = giving.checkouts.iter().cloned().chain(unnoted);
            let taken = checkouts.fold(taking.clone(), Project::with);
            let given = Project { checkouts: Vec::new(), ..giving.clone() };
            Ok(edit(giving, given).into_iter().chain(edit(taking, taken)).collect())
        })?;
        if self.project == *from && self.identity.seen.is_some() {
            self.project = into.clone();
            self.identity.is_pending = false;
            self.identity.reason = Reason::Same;
        }
        Ok(())
    }

    /// Writes into the journal of that project, whichever this call belongs to.
    fn edit_projects(
        &mut self,
        of: ProjectId,
        decide: &mut dyn FnMut(&Engine) -> Result<Vec<Change>, EngineError>,
    ) -> Result<(), EngineError> {
        let here = std::mem::replace(&mut self.project, of);
        let is_pending = std::mem::take(&mut self.identity.is_pending);
        let command = Command::new("project");
        let written = self.write(&command, &mut |engine, _| Ok((decide(engine)?, ())));
        self.project = here;
        self.identity.is_pending = is_pending;
        written.map(drop)
    }

    /// The project that is called so: `.` for this one, else by id, name, path of a checkout,
    /// or unique prefix of the id.
    fn project_named(&self, name: &str) -> Result<Project, EngineError> {
        if name == "." {
            return self.described(&self.project);
        }
        let all = self.store.projects(&ProjectQuery::All)?;
        let ways: [&dyn Fn(&Project) -> bool; 3] = [
            &|known| known.id.as_str() == name,
            &|known| known.title() == name || known.has_path(name),
            &|known| known.id.as_str().starts_with(name),
        ];
        let found = ways.into_iter().map(|fits| all.iter().filter(|known| fits(known)).collect());
        let found: Option<Vec<&Project>> =
            found.into_iter().find(|found: &Vec<_>| !found.is_empty());
        match found.unwrap_or_default()[..] {
            [] => Err(EngineError::UnknownProject { name: name.to_owned() }),
            [only] => Ok(only.clone()),
            ref several => {
                let candidates = several.iter().map(|known| known.id.to_string()).collect();
                Err(EngineError::AmbiguousProject { name: name.to_owned(), candidates })
            }
        }
    }

    fn project_line(&self, project: &Project) -> Result<ProjectLine, EngineError> {
        let lessons = self.store.lessons(&project.id, &LessonQuery::default())?;
        let is_own = |lesson: &&hardwon_core::lesson::Lesson| lesson.project.is_some();
        Ok(ProjectLine {
            id: project.id.clone(),
            name: project.title().to_owned(),
            is_current: project.id == self.project,
            n_lessons: lessons.iter().filter(is_own).count() as u64,
            n_runs: self.store.status(&project.id)?.run_number,
            checkouts: project.checkouts.iter().map(|known| known.path.clone()).collect(),
        })
    }
}
