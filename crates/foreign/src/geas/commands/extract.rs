//! `extract`, `log` and `decay`: what missions taught, what lessons did in tasks, and what fades.

use std::path::PathBuf;

use hardwon_core::event::Problem;
use hardwon_core::ids::RunId;
use hardwon_engine::{EngineError, Input, LearnRequest, Result, runs};
use hardwon_render::answer::{Answer, GeasLogged, GeasLogs, Learned, Swept};
use hardwon_store::RunQuery;

use super::Geas;

/// Which tasks are meant; all of them by default.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    pub mission: Option<String>,
    pub task: Option<String>,
}

impl Geas {
    /// Candidates from what is new below `missions`. What two tasks say, and what a trigger finds,
    /// rises at once, unless it waits for `evolve`.
    pub fn extract(
        &mut self,
        tasks: &Tasks,
        waits: bool,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Answer<Learned>> {
        let rises_at = self.memory.policy.promotion.provisional_at;
        if waits {
            self.memory.policy.promotion.provisional_at = u32::MAX;
        }
        let inputs = self.inputs(tasks)?;
        let request = LearnRequest {
            inputs: inputs.into_iter().map(Input::Path).collect(),
            folder: self.folder.base().parent().map(PathBuf::from),
            ..LearnRequest::default()
        };
        let learned = runs::learn_with(&mut self.memory, &self.call, request, progress);
        self.memory.policy.promotion.provisional_at = rises_at;
        match learned {
            // Known files that hold no findings.
            Err(EngineError::NoUsableInput(_)) => Ok(Answer::of(Learned::default(), Vec::new())
                .empty_if(|it: &Learned| it.runs.is_empty())),
            // All that there is cannot be read: a problem of that file, as it is beside others.
            Err(EngineError::Input { input, source }) => {
                let problem = Problem::new(&input, source.in_short());
                Ok(Answer::of(Learned::default(), vec![problem]))
            }
            other => other,
        }
    }

    /// The files and folders of these tasks. Everything that was written about one counts: its
    /// contract, its folder and its evidence.
    fn inputs(&self, tasks: &Tasks) -> Result<Vec<PathBuf>> {
        if tasks.mission.is_none() && tasks.task.is_none() {
            return Ok(vec![self.folder.base().to_owned()]);
        }
        let missions = self.missions(tasks.mission.as_deref())?;
        let Some(task) = &tasks.task else {
            return Ok(missions.iter().map(|mission| self.mission_folder(mission)).collect());
        };
        let mut found = Vec::new();
        for mission in &missions {
            let folder = self.mission_folder(mission);
            let places = [
                folder.join("tasks").join(task),
                folder.join("tasks").join(format!("{task}.json")),
                folder.join("evidence").join(task),
            ];
            found.extend(places.into_iter().filter(|place| place.exists()));
        }
        let is_name = !task.contains('/') && !task.contains("..") && !task.is_empty();
        if found.is_empty() || !is_name {
            return Err(EngineError::NotFound { what: "task", name: task.clone() });
        }
        Ok(found)
    }

    fn mission_folder(&self, mission: &str) -> PathBuf {
        self.folder.base().join("missions").join(mission)
    }

    /// All missions, or the one that is named.
    pub(super) fn missions(&self, named: Option<&str>) -> Result<Vec<String>> {
        let entries = std::fs::read_dir(self.folder.base().join("missions"));
        let entries = entries.into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
        let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut missions: Vec<String> =
            names.filter(|name| named.is_none_or(|named| named == name)).collect();
        missions.sort();
        match named {
            Some(named) if missions.is_empty() => {
                Err(EngineError::NotFound { what: "mission", name: named.to_owned() })
            }
            _ => Ok(missions),
        }
    }

    /// An application log for each lesson that a task was told, once its outcome is known.
    pub fn log(&mut self, tasks: &Tasks) -> Result<Answer<GeasLogs>> {
        let learned = self.extract(tasks, true, &mut |_, _| {})?;
        let mut problems = learned.problems;
        let mut logs = GeasLogs::default();
        for (run, is_over) in self.told_runs(tasks)? {
            if !is_over {
                let tree = self.memory.store.tree(&self.call.project, &run)?;
                let is_told = tree.injections.iter().any(|it| !it.shown.is_empty());
                logs.waiting.extend(is_told.then(|| run.to_string()));
                continue;
            }
            let checked = runs::check(&mut self.memory, &self.call, &run)?;
            if checked.body.n_shown == 0 {
                continue;
            }
            problems.extend(checked.problems);
            let told = |effect: &hardwon_render::answer::Effect| GeasLogged::of(&run, effect);
            logs.logs.extend(checked.body.effects.iter().map(told));
        }
        let is_empty = |it: &GeasLogs| it.logs.is_empty() && it.waiting.is_empty();
        Ok(Answer::of(logs, problems).empty_if(is_empty))
    }

    /// The runs of these tasks, the oldest first, and whether it is known how each ended.
    fn told_runs(&self, tasks: &Tasks) -> Result<Vec<(RunId, bool)>> {
        let runs = self.memory.store.runs(&self.call.project, &RunQuery::default())?;
        let is_meant = |run: &RunId| {
            let (mission, task) = run.as_str().rsplit_once('/').unwrap_or(("", run.as_str()));
            tasks.task.as_deref().is_none_or(|named| named == task)
                && tasks.mission.as_deref().is_none_or(|named| named == mission)
        };
        let meant = runs.into_iter().filter(|run| is_meant(&run.id));
        let mut found: Vec<(RunId, bool)> =
            meant.map(|run| (run.id, run.outcome.is_some())).collect();
        found.reverse();
        Ok(found)
    }

    /// Lets fade what lost its standing or went unused beyond its date.
    pub fn decay(&mut self) -> Result<Answer<Swept>> {
        runs::decay(&mut self.memory, &self.call)
    }
}
