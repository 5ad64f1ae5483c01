//! How is one thing learned that waited? In its own project and memory and in the name of its
//! own agent, whichever process reads it.

use std::path::Path;

use hardwon_core::event::{Problem, Record};
use hardwon_core::voice::Speaker;
use hardwon_readers::transcript_file;
use hardwon_render::answer::Learned;
use hardwon_store::files::text_path;

use super::{Queued, Then, Work, keep, pending};
use crate::memory::{OpenMemory, Result};
use crate::open::{Access, Options};
use crate::place::Environment;
use crate::runs::learn::reviewer;
use crate::waiting;

/// Reads a job; no store is needed. Gives what stands in a file of its host, and nothing if the job
/// says nothing.
pub(super) fn read(queued: &Queued) -> Result<Option<Record>, Problem> {
    match &queued.work {
        Work::Transcript(path) => transcript_file(Path::new(path)).map(Some),
        Work::Message(message) if !message.names_runs() => {
            Err(Problem::new("queue", "a message that names no run"))
        }
        Work::Message(message) if !message.is_review() => Ok(None),
        Work::Message(_) | Work::Reflect(_) | Work::Record(_) => Ok(Some(Record::default())),
    }
}

/// Learns one after the other; those of one project through the same engine.
pub(super) struct Learner<'a> {
    environment: &'a Environment,
    options: &'a Options,
    open: Option<(Environment, Options, OpenMemory)>,
    /// Done with what was learned, while its memory is open.
    pub(super) then: Option<Then<'a>>,
}

impl<'a> Learner<'a> {
    pub(super) fn new(environment: &'a Environment, options: &'a Options) -> Self {
        Learner { environment, options, open: None, then: None }
    }

    /// Learns what was read, each in its own project.
    pub(super) fn learn(
        &mut self,
        queued: &Queued,
        record: Record,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Learned>> {
        let (then, environment) = (self.then, self.environment);
        let open = self.open_for(queued)?;
        let OpenMemory { memory, call } = open;
        let answer = match &queued.work {
            // What the host kept, it saw itself.
            Work::Transcript(_) => {
                Some(reviewer::learn_claims(memory, call, vec![record], true, &mut |_, _| {})?)
            }
            Work::Message(message) => reviewer::learn_message(memory, call, message)?,
            Work::Reflect(run) => Some(pending::learn_by_reflecting(memory, call, run)?),
            Work::Record(kept) => Some(keep::learn(memory, call, kept)?),
        };
        let digests = answer.iter().flat_map(|answer| &answer.body.digests).cloned();
        let digests: Vec<_> = digests.collect();
        waiting::keep(environment, &text_path(&queued.folder), call, &digests)?;
        Ok(answer.map(|answer| {
            problems.extend(answer.problems);
            problems.extend(then.iter().flat_map(|then| then(open, &answer.body)));
            answer.body
        }))
    }

    fn open_for(&mut self, queued: &Queued) -> Result<&mut OpenMemory> {
        let host = match &queued.work {
            Work::Transcript(_) | Work::Message(_) => Some(queued.host.clone()),
            Work::Reflect(_) | Work::Record(_) => None,
        };
        let environment = Environment {
            folder: text_path(&queued.folder),
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
