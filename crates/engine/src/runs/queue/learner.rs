//! How is one thing learned that waited? In its own project and memory and in the name of its
//! own agent, whoever reads it.

use std::path::{Path, PathBuf};

use hardwon_core::answer::Learned;
use hardwon_core::event::Problem;

use super::{Queued, Work, read_transcript};
use crate::error::EngineError;
use crate::place::Environment;
use crate::{Access, Engine, Options};

/// Learns one after the other; those of one project through the same engine.
pub(super) struct Learner<'a> {
    environment: &'a Environment,
    options: &'a Options,
    open: Option<(Environment, Options, Engine)>,
}

impl<'a> Learner<'a> {
    pub(super) fn new(environment: &'a Environment, options: &'a Options) -> Self {
        Learner { environment, options, open: None }
    }

    pub(super) fn learn(
        &mut self,
        queued: &Queued,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Learned>, EngineError> {
        let learned = match &queued.work {
            Work::Transcript(path) => match read_transcript(Path::new(path)) {
                // What the host kept, it saw itself.
                Ok(record) => {
                    Some(self.engine(queued)?.learn_claims(&[record], true, &mut |_, _| {})?)
                }
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            },
            Work::Said(kept) => match kept.said() {
                Some(said) => self.engine(queued)?.learn_said(&said)?,
                None => None,
            },
            Work::Reflect(run) => Some(self.engine(queued)?.learn_by_reflecting(run)?),
        };
        Ok(learned.map(|answer| {
            problems.extend(answer.problems);
            answer.body
        }))
    }

    fn engine(&mut self, queued: &Queued) -> Result<&mut Engine, EngineError> {
        let host = match &queued.work {
            Work::Transcript(_) | Work::Said(_) => Some(queued.host.clone()),
            Work::Reflect(_) => None,
        };
        let environment = Environment {
            folder: PathBuf::from(&queued.folder),
            project: queued.project.clone(),
            agent: queued.agent.clone().or(host),
            ..self.environment.clone()
        };
        let store = queued.store.clone().or(self.options.store.clone());
        let options = Options { project: None, store, ..self.options.clone() };
        let is_same =
            |open: &(Environment, Options, Engine)| (&open.0, &open.1) == (&environment, &options);
        let open = match self.open.take().filter(is_same) {
            Some(open) => open,
            None => {
                let engine = Engine::open(&environment, &options, Access::Write)?;
                (environment, options, engine)
            }
        };
        Ok(&mut self.open.insert(open).2)
    }
}
