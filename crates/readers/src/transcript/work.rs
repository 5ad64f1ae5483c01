//! What was done in a session, and by whom? Calls wait for their results within a window,
//! so that memory stays bounded however long a session is.

use std::collections::{BTreeMap, VecDeque};

use hardwon_core::episode::Usage;
use hardwon_core::event::{RunStated, Sourced};
use hardwon_core::list;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::correct::corrected;
use crate::steps::{Call, Ended, Steps, call, correction};

/// Most calls that wait for their result, and most messages whose usage may still change.
const MAX_WAITING: usize = 256;
const MAX_RECENT: usize = 32;

/// Most sub-agents that are told apart.
const MAX_AGENTS: usize = 200;

/// Tools that plan or start others: what they do is told elsewhere or nothing.
const NOT_WORK: &[&str] = list!("tools.txt", "not work");

/// Who did something: the main agent, or the sub-agent with this id.
pub type Who = Option<String>;

struct Waiting {
    id: String,
    who: Who,
    line: u64,
    call: Call,
    at: Option<Timestamp>,
    told: Option<bool>,
    duration_ms: Option<u64>,
}

/// What one agent did.
#[derive(Default)]
pub struct Did {
    pub steps: Steps,
    usage: Usage,
    /// Of the latest messages, by id: a message stands in several lines, each with what
    /// was used so far.
    recent: VecDeque<(String, Usage)>,
    pub model: Option<String>,
}

impl Did {
    pub fn usage(&self) -> Usage {
        self.recent.iter().fold(self.usage, |sum, (_, used)| sum.plus(*used))
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.usage().is_empty()
    }

    /// States the run and its steps.
    pub fn tell(self, input: &str, mut run: RunStated, into: &mut Vec<Sourced>) {
        run.episode.usage = self.usage();
        run.tags.extend(self.model);
        let line = self.steps.done.first().map_or(1, |(line, _)| *line);
        self.steps.tell(input, line, run, into);
    }
}

/// How a result came.
pub struct Came {
    pub is_ok: Option<bool>,
    pub output: Option<String>,
    pub at: Option<Timestamp>,
}

#[derive(Default)]
pub struct Work {
    waiting: VecDeque<Waiting>,
    did: BTreeMap<Who, Did>,
}

impl Work {
    /// A tool is called.
    pub fn call(
        &mut self,
        line: u64,
        at: Option<Timestamp>,
        who: Who,
        id: &str,
        tool: &str,
        arguments: &Value,
    ) {
        let is_work = !NOT_WORK.contains(&tool.trim().to_ascii_lowercase().as_str());
        if tool.trim().is_empty() || !is_work {
            return;
        }
        if self.waiting.len() >= MAX_WAITING
            && let Some(oldest) = self.waiting.pop_front()
        {
            self.push(oldest, Ended::default());
        }
        let (id, call) = (id.to_owned(), call(tool, arguments));
        let (told, duration_ms) = (None, None);
        self.waiting.push_back(Waiting { id, who, line, call, at, told, duration_ms });
    }

    /// Something is said about a call before its result comes.
    pub fn told(&mut self, id: &str, is_ok: Option<bool>, duration_ms: Option<u64>) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            waiting.told = is_ok.or(waiting.told);
            waiting.duration_ms = duration_ms.or(waiting.duration_ms);
        }
    }

    /// The kind of a call that waits.
    pub fn waits(&self, id: &str) -> Option<hardwon_core::episode::StepKind> {
        self.waiting.iter().find(|waiting| waiting.id == id).map(|waiting| waiting.call.kind)
    }

    /// The result of a call.
    pub fn result(&mut self, id: &str, came: Came) {
        let Some(index) = self.waiting.iter().position(|waiting| waiting.id == id) else { return };
        let Some(waiting) = self.waiting.remove(index) else { return };
        let span = came.at.zip(waiting.at).and_then(|(to, from)| u64::try_from(to.0 - from.0).ok());
        let duration_ms = waiting.duration_ms.or(span);
        let is_ok = waiting.told.or(came.is_ok);
        self.push(waiting, Ended { is_ok, output: came.output, duration_ms });
    }

    fn push(&mut self, waiting: Waiting, ended: Ended) {
        let Waiting { who, line, call, .. } = waiting;
        let Some(did) = self.of(who) else { return };
        call.steps(ended).into_iter().for_each(|step| did.steps.push(line, step));
    }

    /// A user says something to the main agent: a correction, if something was done.
    pub fn said(&mut self, line: u64, message: &str) {
        let has_work = self.did.get(&None).is_some_and(|did| did.steps.has_work());
        let is_at_it = has_work || self.waiting.iter().any(|waiting| waiting.who.is_none());
        if let Some(said) = corrected(message).filter(|_| is_at_it) {
            self.corrected(line, &said);
        }
    }

    pub fn corrected(&mut self, line: u64, said: &str) {
        if let Some(did) = self.of(None) {
            did.steps.push(line, correction(said));
        }
    }

    /// What a message used up, so far.
    pub fn used(&mut self, who: Who, message: &str, used: Usage) {
        let Some(did) = self.of(who) else { return };
        if let Some(known) = did.recent.iter_mut().find(|(id, _)| id == message) {
            known.1 = known.1.merged(used);
            return;
        }
        if did.recent.len() >= MAX_RECENT
            && let Some((_, oldest)) = did.recent.pop_front()
        {
            did.usage = did.usage.plus(oldest);
        }
        did.recent.push_back((message.to_owned(), used));
    }

    /// What everything used up, as the host sums it.
    pub fn used_in_all(&mut self, used: Usage) {
        if let Some(did) = self.of(None) {
            did.usage = did.usage.merged(used);
        }
    }

    pub fn model(&mut self, who: Who, model: Option<&str>) {
        // Hosts mark messages of their own as such.
        let model = model.filter(|model| !model.is_empty() && !model.starts_with('<'));
        if let Some((did, model)) = model.and_then(|model| Some((self.of(who)?, model))) {
            did.model.get_or_insert_with(|| model.to_owned());
        }
    }

    fn of(&mut self, who: Who) -> Option<&mut Did> {
        let is_known = self.did.len() < MAX_AGENTS || self.did.contains_key(&who);
        is_known.then(|| self.did.entry(who).or_default())
    }

    /// Everything; calls without a result ended nobody knows how.
    pub fn finish(mut self) -> BTreeMap<Who, Did> {
        while let Some(waiting) = self.waiting.pop_front() {
            let is_ok = waiting.told;
            self.push(waiting, Ended { is_ok, ..Ended::default() });
        }
        for did in self.did.values_mut() {
            did.steps.done.sort_by_key(|(line, _)| *line);
        }
        self.did
    }
}
