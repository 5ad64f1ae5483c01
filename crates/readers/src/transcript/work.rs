//! What was done in a session, and by whom? Calls wait for their results within a window,
//! so that memory stays bounded however long a session is.

use std::collections::{BTreeMap, VecDeque};

use hardwon_core::episode::{StepKind, Usage};
use hardwon_core::event::{Asked, RunStated};
use hardwon_core::gate::first_chars;
use hardwon_core::list;
use hardwon_core::time::Timestamp;
use hardwon_core::wish::{remembered, typed};
use serde_json::Value;

use super::cut::Cut;
use crate::report::Report;
use crate::steps::{Call, Ended, Steps, by_output, call, correction};

/// Most calls that wait for their result, and most messages whose usage may still change.
const MAX_WAITING: usize = 256;
const MAX_RECENT: usize = 32;

/// Most sub-agents that are kept apart.
const MAX_AGENTS: usize = 200;

/// Most characters of what the user typed at once that are looked at later.
const MAX_ASKED_CHARS: usize = 2_000;

/// Tools that plan or start others: what they do is stated elsewhere or nothing.
const NOT_WORK: &[&str] = list!("tools.txt", "not work");

/// Who did something: the main agent, or the sub-agent with this id.
pub type Who = Option<String>;

struct Waiting {
    id: String,
    who: Who,
    line: u64,
    call: Call,
    /// The folder of the session, with a slash: what it prints is told from there.
    folder: Option<String>,
    at: Option<Timestamp>,
    is_ok: Option<bool>,
    duration_ms: Option<u64>,
}

/// What one agent did.
#[derive(Default)]
pub struct Did {
    steps: Steps,
    usage: Usage,
    /// Of the latest messages, by id: a message stands in several lines, each with what
    /// was used so far.
    recent: VecDeque<(String, Usage)>,
    model: Option<String>,
}

impl Did {
    /// States the run and its steps, if anything was done.
    pub fn state(mut self, mut run: RunStated, report: &mut Report) {
        let usage = self.recent.iter().fold(self.usage, |sum, (_, used)| sum.plus(*used));
        if self.steps.done.is_empty() && usage.is_empty() {
            return;
        }
        self.steps.done.sort_by_key(|(line, _)| *line);
        run.episode.usage = usage;
        run.tags.extend(self.model);
        let line = self.steps.done.first().map_or(1, |(line, _)| *line);
        report.notes.go_to(0);
        for (line, event) in self.steps.state(line, run, &report.notes) {
            report.push_at(line, event);
        }
    }
}

/// The result of a call.
pub struct Answer {
    pub is_ok: Option<bool>,
    pub output: Option<String>,
    pub at: Option<Timestamp>,
}

#[derive(Default)]
pub struct Work {
    waiting: VecDeque<Waiting>,
    did: BTreeMap<Who, Did>,
    /// Whether somebody cut the session short, as far as it was read.
    pub cut: Cut,
    /// Whether a program or another agent speaks under the user's name.
    pub is_scripted: bool,
    /// What was asked of the session, by whomever.
    pub asked: Asked,
    /// The folder of the session, with a slash.
    folder: Option<String>,
}

impl Work {
    /// What is called from now on is called in this folder.
    pub fn in_folder(&mut self, folder: Option<&str>) {
        let is_other = |known: &String| known.strip_suffix('/') != folder;
        if self.folder.as_ref().is_none_or(is_other) {
            let folder = folder.map(|folder| format!("{}/", folder.trim_end_matches('/')));
            self.folder = folder.filter(|folder| folder.len() > 2);
        }
    }

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
        let (is_ok, duration_ms) = (None, None);
        let (folder, call) = (self.folder.clone(), call.inside(self.folder.as_deref()));
        self.waiting.push_back(Waiting { id, who, line, call, folder, at, is_ok, duration_ms });
    }

    /// How a call ended, where that is known before its result comes.
    pub fn end(&mut self, id: &str, is_ok: Option<bool>, duration_ms: Option<u64>) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            waiting.is_ok = is_ok.or(waiting.is_ok);
            waiting.duration_ms = duration_ms.or(waiting.duration_ms);
        }
    }

    /// The call that waits under this id.
    pub fn waiting_call(&self, id: &str) -> Option<&Call> {
        self.waiting.iter().find(|waiting| waiting.id == id).map(|waiting| &waiting.call)
    }

    /// The kind of a call that waits.
    pub fn waiting_kind(&self, id: &str) -> Option<StepKind> {
        self.waiting_call(id).map(|call| call.kind)
    }

    pub fn answer(&mut self, id: &str, answer: Answer) {
        let index = self.waiting.iter().position(|waiting| waiting.id == id);
        let Some(waiting) = index.and_then(|index| self.waiting.remove(index)) else { return };
        let span = answer.at.zip(waiting.at);
        let span = span.and_then(|(to, from)| u64::try_from(to.0 - from.0).ok());
        let duration_ms = waiting.duration_ms.or(span);
        let is_hidden = waiting.call.hides_status();
        // What stands behind a pipe says how it ended itself.
        let shown = || by_output(waiting.call.kind, answer.output.as_deref().unwrap_or_default());
        let is_ok = match waiting.is_ok.or(answer.is_ok) {
            Some(true) if is_hidden => shown(),
            is_ok => is_ok,
        };
        let output = answer.output.map(|output| match &waiting.folder {
            Some(folder) if waiting.call.kind == StepKind::Command => output.replace(folder, ""),
            _ => output,
        });
        self.push(waiting, Ended { is_ok, output, duration_ms });
    }

    fn push(&mut self, waiting: Waiting, ended: Ended) {
        if let Some(did) = self.did_by(waiting.who) {
            did.steps.push_call(waiting.line, waiting.call, ended);
        }
    }

    /// A user's message to the main agent: what it wants remembered is kept.
    pub fn user_message(&mut self, line: u64, message: &str) {
        if let Some(typed) = typed(message) {
            self.asked.hear(first_chars(&typed, MAX_ASKED_CHARS));
        }
        if self.is_scripted {
            return;
        }
        if let (Some(wish), Some(did)) = (remembered(message), self.did_by(None)) {
            did.steps.push(line, correction(&wish));
        }
    }

    /// The user rejected a call of the main agent, with these words if there were any.
    pub fn reject(&mut self, line: u64, id: &str, said: Option<&str>) {
        let Some(waiting) = self.waiting.iter().find(|waiting| waiting.id == id) else { return };
        if waiting.who.is_none() && !self.is_scripted {
            self.cut.by_user();
        }
        said.into_iter().for_each(|said| self.user_message(line, said));
    }

    /// What a message used up, so far.
    pub fn used(&mut self, who: Who, message: &str, used: Usage) {
        let Some(did) = self.did_by(who) else { return };
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
        if let Some(did) = self.did_by(None) {
            did.usage = did.usage.merged(used);
        }
    }

    pub fn model(&mut self, who: Who, model: Option<&str>) {
        // Hosts mark messages of their own as such.
        let model = model.filter(|model| !model.is_empty() && !model.starts_with('<'));
        if let Some((did, model)) = model.and_then(|model| Some((self.did_by(who)?, model))) {
            did.model.get_or_insert_with(|| model.to_owned());
        }
    }

    fn did_by(&mut self, who: Who) -> Option<&mut Did> {
        let is_kept = self.did.len() < MAX_AGENTS || self.did.contains_key(&who);
        is_kept.then(|| self.did.entry(who).or_default())
    }

    /// Everything; calls without a result ended in an unknown way.
    pub fn finish(mut self) -> BTreeMap<Who, Did> {
        while let Some(waiting) = self.waiting.pop_front() {
            let is_ok = waiting.is_ok;
            self.push(waiting, Ended { is_ok, ..Ended::default() });
        }
        self.did
    }
}
