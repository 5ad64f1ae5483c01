//! How is one thing learned that waited? In its own project and memory and in the name of its
//! own agent, whichever process reads it.

use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::voice::Speaker;
use hardwon_render::answer::Learned;

use super::{Queued, Work, read_transcript};
use crate::error::EngineError;
use crate::memory::OpenMemory;
use crate::open::{Access, Options};
use crate::place::Environment;
use crate::runs::{reflect, reviewer};

/// Learns one after the other; those of one project through the same engine.
pub(super) struct Learner<'a> {
    environment: &'a Environment,
    options: &'a Options,
    open: Option<(Environment, Options, OpenMemory)>,
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
                    let open = self.open_for(queued)?;
                    let (memory, call) = (&mut open.memory, &open.call);
                    Some(reviewer::learn_claims(memory, call, &[record], true, &mut |_, _| {})?)
                }
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            },
            Work::Message(kept) => match kept.message() {
                Some(message) => {
                    let open = self.open_for(queued)?;
                    reviewer::learn_message(&mut open.memory, &open.call, &message)?
                }
                None => None,
            },
            Work::Reflect(run) => {
                let open = self.open_for(queued)?;
                Some(reflect::learn_by_reflecting(&mut open.memory, &open.call, run)?)
            }
        };
        Ok(learned.map(|answer| {
            problems.extend(answer.problems);
            answer.body
        }))
    }

    fn open_for(&mut self, queued: &Queued) -> Result<&mut OpenMemory, EngineError> {
        let host = match &queued.work {
            Work::Transcript(_) | Work::Message(_) => Some(queued.host.clone()),
            Work::Reflect(_) => None,
        };
        let environment = Environment {
            folder: PathBuf::from(&queued.folder),
            project: queued.project.clone(),
            speaker: queued.agent.clone().or(host).map_or_else(Speaker::default, Speaker::agent),
            ..self.environment.clone()
        };
        let store = queued.store.clone().or(self.options.store.clone());
        let options = Options { project: None, store, ..self.options.clone() };
        let is_same = |open: &(Environment, Options, OpenMemory)| {
            (&open.0, &open.1) == (&environment, &options)
        };
        let open = match self.open.take().filter(is_same) {
            Some(open) => open,
            None => {
                let memory = OpenMemory::open(&environment, &options, Access::Write)?;
                (environment, options, memory)
            }
        };
        Ok(&mut self.open.insert(open).2)
    }
}
