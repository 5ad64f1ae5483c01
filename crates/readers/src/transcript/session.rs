//! What is known of a session while it is read, what was done in it, and by whom? Calls wait for
//! their results within a window, so that memory stays bounded however long a session is.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hardwon_core::command::output::{CallResult, End, ending};
use hardwon_core::episode::{ErrorClass, StepKind, Usage};
use hardwon_core::event::{Asked, RunStated};
use hardwon_core::gate::{end_of, first_chars};
use hardwon_core::heard::{Called, HEAD_BYTES, Heard, MAX_HEARD, TAIL_BYTES, What};
use hardwon_core::ids::RunId;
use hardwon_core::list;
use hardwon_core::message::message;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use hardwon_core::wish::{remembered, typed};
use serde_json::Value;

use super::cut::Cut;
use crate::fields::count;
use crate::report::{Report, cut, first_line};
use crate::review_text::Review;
use crate::steps::{Call, Ended, Steps, by_output, call, correction};

/// Most calls that wait for their result, and most messages whose usage may still change.
const MAX_WAITING: usize = 256;
const MAX_RECENT: usize = 32;

const MAX_AGENTS: usize = 200;

/// Shortest id that is one in all sessions.
const MIN_ID_CHARS: usize = 12;

/// Most characters of what the user typed at once that are looked at later.
const MAX_ASKED_CHARS: usize = 2_000;

/// Tools that plan or start others: what they do is stated elsewhere or nothing.
const NOT_WORK: &[&str] = list!("tools.txt", "not work");

/// Who did something: the main agent, or the sub-agent with this id.
pub type Who = Option<String>;

#[derive(Default)]
pub struct Session {
    /// The line that is being read, and when it was written.
    pub line: u64,
    pub at: Option<Timestamp>,
    pub id: Option<String>,
    pub folder: Option<String>,
    pub role: Option<String>,
    pub task: Option<String>,
    pub started: Option<Timestamp>,
    /// How it ended, where its record says more than that it did.
    pub outcome: Option<Outcome>,
    pub error_class: Option<String>,
    pub summary: Option<String>,
    /// Whether somebody cut it short, as far as it was read.
    pub cut: Cut,
    /// Sub-agents by the call that started them: their ids, and their roles.
    pub agents: BTreeMap<String, String>,
    pub roles: BTreeMap<String, String>,
    /// Calls that stand in several lines, and were read.
    pub seen: BTreeSet<String>,
    /// Whether a program or another agent speaks under the user's name.
    pub is_scripted: bool,
    /// What was asked of the session, by whomever.
    pub asked: Asked,
    /// Its messages, by what each is known wherever it stands, with their lines.
    pub messages: Vec<(u64, String)>,
    /// What was said and done, in order.
    pub heard: Vec<Heard>,
    waiting: VecDeque<Waiting>,
    did: BTreeMap<Who, Did>,
}

/// A message, and who spoke.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    /// The sub-agent's id, if it is known.
    pub agent: Option<String>,
    pub role: Option<String>,
    /// It reviews here, without a role for it.
    pub reviewer: Option<&'static str>,
    /// The user had the host itself review.
    pub is_of_host: bool,
    pub message: String,
}

impl Spoken {
    /// A message of the main agent, if it says something.
    pub fn main(message: &str) -> Option<Spoken> {
        let message = Some(message).filter(|message| !message.trim().is_empty())?.to_owned();
        Some(Spoken { message, ..Spoken::default() })
    }
}

/// What an agent found, and where it stands.
pub struct Statement {
    pub line: u64,
    pub agent: Option<String>,
    pub role: Option<String>,
    pub review: Review,
}

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
    /// Its place among what was heard.
    heard: Option<usize>,
}

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

impl Session {
    /// The main agent calls a tool.
    pub fn call(&mut self, id: &str, tool: &str, arguments: &Value) {
        self.call_of(None, id, tool, arguments);
    }

    pub fn call_of(&mut self, who: Who, id: &str, tool: &str, arguments: &Value) {
        self.note_id(id);
        let is_work = !NOT_WORK.contains(&tool.trim().to_ascii_lowercase().as_str());
        if tool.trim().is_empty() || !is_work {
            return;
        }
        if self.waiting.len() >= MAX_WAITING
            && let Some(oldest) = self.waiting.pop_front()
        {
            self.push(oldest, Ended::default());
        }
        let folder = self.folder.as_deref().map(|it| format!("{}/", it.trim_end_matches('/')));
        let folder = folder.filter(|folder| folder.len() > 2);
        let call = call(tool, arguments).inside(folder.as_deref());
        let what = What::Called(Box::new(heard(tool, &call, arguments)));
        let heard = self.hear_of(who.clone(), what);
        self.waiting.push_back(Waiting {
            id: id.to_owned(),
            who,
            line: self.line,
            call,
            folder,
            heard,
            at: self.at,
            is_ok: None,
            duration_ms: None,
        });
    }

    /// The main agent, or the person who speaks with it.
    pub(super) fn hear(&mut self, what: What) {
        self.hear_of(None, what);
    }

    /// Keeps what was heard, and says in which place.
    fn hear_of(&mut self, agent: Who, what: What) -> Option<usize> {
        let is_room = self.heard.len() < MAX_HEARD;
        is_room.then(|| {
            self.heard.push(Heard { line: self.line, agent, what });
            self.heard.len() - 1
        })
    }

    /// What came of a call that was heard.
    fn heard_call(&mut self, heard: Option<usize>) -> Option<&mut Called> {
        match self.heard.get_mut(heard?) {
            Some(Heard { what: What::Called(called), .. }) => Some(called),
            _ => None,
        }
    }

    /// An id that its host gave to a message or a call of this line. A short one counts within its
    /// session: another has the same.
    pub fn note_id(&mut self, id: &str) {
        if id.len() >= MIN_ID_CHARS {
            self.messages.push((self.line, message(&[id])));
        }
    }

    /// How a call ended, where that is known before its result comes.
    pub fn end(&mut self, id: &str, is_ok: Option<bool>, duration_ms: Option<u64>) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            waiting.is_ok = is_ok.or(waiting.is_ok);
            waiting.duration_ms = duration_ms.or(waiting.duration_ms);
        }
    }

    pub fn waiting_kind(&self, id: &str) -> Option<StepKind> {
        let waiting = self.waiting.iter().find(|waiting| waiting.id == id);
        waiting.map(|waiting| waiting.call.kind)
    }

    pub fn answer(&mut self, id: &str, is_ok: Option<bool>, output: Option<String>) {
        self.note_id(id);
        let index = self.waiting.iter().position(|waiting| waiting.id == id);
        let Some(waiting) = index.and_then(|index| self.waiting.remove(index)) else { return };
        let span = self.at.zip(waiting.at);
        let span = span.and_then(|(to, from)| u64::try_from(to.0 - from.0).ok());
        let duration_ms = waiting.duration_ms.or(span);
        let is_hidden = waiting.call.hides_status();
        // What stands behind a pipe says how it ended itself.
        let shown = || by_output(waiting.call.kind, output.as_deref().unwrap_or_default());
        let stated = waiting.is_ok.or(is_ok);
        let is_ok = match stated {
            Some(true) if is_hidden => shown(),
            is_ok => is_ok,
        };
        let output = output.map(|output| match &waiting.folder {
            Some(folder) if waiting.call.kind == StepKind::Command => output.replace(folder, ""),
            _ => output,
        });
        self.hear_answer(&waiting, stated, output.as_deref().unwrap_or_default());
        self.push(waiting, Ended { is_ok, output, duration_ms });
    }

    fn hear_answer(&mut self, waiting: &Waiting, is_ok: Option<bool>, output: &str) {
        if waiting.call.tool == "askuserquestion" {
            self.hear(What::Put("chosen from a question of the agent", output.to_owned()));
        }
        let Some(called) = self.heard_call(waiting.heard) else { return };
        called.output = match output.len() > HEAD_BYTES + TAIL_BYTES {
            true => format!("{}\n{}", cut(output, HEAD_BYTES), end_of(output, TAIL_BYTES)),
            false => output.to_owned(),
        };
        let is_well = Some(is_ok.unwrap_or(true));
        let stopped = ending(&CallResult {
            kind: called.kind,
            is_ok: is_well,
            output,
            ..CallResult::default()
        });
        called.end = match is_ok {
            _ if called.end == End::Refused => End::Refused,
            _ if matches!(stopped, End::Refused | End::Interrupted) => stopped,
            Some(true) => End::Ok,
            Some(false) => End::Failed,
            None => End::Unknown,
        };
    }

    fn push(&mut self, waiting: Waiting, ended: Ended) {
        if let Some(did) = self.did_by(waiting.who) {
            did.steps.push_call(waiting.line, waiting.call, ended);
        }
    }

    /// A user's message to the main agent: what it wants remembered is kept.
    pub fn user_message(&mut self, message: &str) {
        turn(message, self.is_scripted).into_iter().for_each(|turn| self.hear(turn));
        if let Some(typed) = typed(message) {
            self.asked.hear(first_chars(&typed, MAX_ASKED_CHARS));
        }
        if self.is_scripted {
            return;
        }
        let line = self.line;
        if let (Some(wish), Some(did)) = (remembered(message), self.did_by(None)) {
            did.steps.push(line, correction(&wish));
        }
    }

    /// The user rejected a call of the main agent, with these words if there were any.
    pub fn reject(&mut self, id: &str, said: Option<&str>) {
        let Some(waiting) = self.waiting.iter().find(|waiting| waiting.id == id) else { return };
        let (heard, is_main) = (waiting.heard, waiting.who.is_none());
        if let Some(called) = self.heard_call(heard) {
            called.end = End::Refused;
        }
        if is_main && !self.is_scripted {
            self.cut.by_user();
        }
        said.into_iter().for_each(|said| self.user_message(said));
    }

    pub fn failed(&mut self, why: Option<&str>, is_late: bool) {
        self.outcome = Some(Outcome::Failed);
        self.summary = why.and_then(first_line);
        self.error_class = is_late.then(|| ErrorClass::Timeout.word().to_owned());
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

    pub fn model(&mut self, who: Who, model: &Value) {
        // Hosts mark messages of their own as such.
        let model = model.as_str().filter(|model| !model.is_empty() && !model.starts_with('<'));
        if let Some((did, model)) = model.and_then(|model| Some((self.did_by(who)?, model))) {
            did.model.get_or_insert_with(|| model.to_owned());
        }
    }

    fn did_by(&mut self, who: Who) -> Option<&mut Did> {
        let is_kept = self.did.len() < MAX_AGENTS || self.did.contains_key(&who);
        is_kept.then(|| self.did.entry(who).or_default())
    }

    /// Everything that was done; calls without a result ended in an unknown way.
    pub fn done(&mut self) -> BTreeMap<Who, Did> {
        while let Some(waiting) = self.waiting.pop_front() {
            let is_ok = waiting.is_ok;
            self.push(waiting, Ended { is_ok, ..Ended::default() });
        }
        std::mem::take(&mut self.did)
    }
}

/// A call as it is heard: without its answer.
fn heard(tool: &str, call: &Call, arguments: &Value) -> Called {
    let text = |names: &[&str]| names.iter().find_map(|name| arguments[*name].as_str());
    let came = text(&["new_string", "new_str", "newString", "content"]);
    let went = text(&["old_string", "old_str", "oldString"]).unwrap_or_default();
    let change = came.filter(|_| call.kind == StepKind::Edit);
    Called {
        tool: tool.trim().to_owned(),
        kind: call.kind,
        action: call.actions.join(" "),
        change: change.map(|came| (went.to_owned(), came.to_owned())),
        output: String::new(),
        end: End::Unknown,
    }
}

/// What stands under the user's name: typed, or put there by somebody else. A command that needed
/// no words says nothing.
fn turn(message: &str, is_scripted: bool) -> Option<What> {
    let between = |name: &str| {
        let (_, rest) = message.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0.trim())
    };
    let put = |why| What::Put(why, message.to_owned());
    let begins = |start: &str| message.trim_start().starts_with(start);
    Some(match (between("command-name"), between("command-args")) {
        _ if begins("[Request interrupted") => What::Interrupted,
        _ if is_scripted => put("by a program"),
        (Some(name), Some(arguments)) if !arguments.is_empty() => {
            What::Typed(format!("{name} {arguments}"))
        }
        (Some(_), _) => return None,
        _ if begins("<local-command") => return None,
        _ if begins("Implement the following plan") => put("a plan handed over"),
        _ if typed(message).is_none() => put("by a hook or the host"),
        _ => What::Typed(message.to_owned()),
    })
}

/// Keeps a text that was not known before.
pub fn learn(known: &mut Option<String>, text: &Value) {
    *known = known.take().or_else(|| text.as_str().map(str::to_owned));
}

/// The tokens read, written and cached, by the names of the fields.
pub fn tokens(account: &Value, [read, written, cached]: [&str; 3]) -> Usage {
    Usage {
        tokens_in: count(&account[read]),
        tokens_out: count(&account[written]),
        tokens_cached: count(&account[cached]),
        ..Usage::default()
    }
}

/// A cost; nothing is what hosts write that do not know it.
pub fn cost(value: &Value) -> Option<f64> {
    value.as_f64().filter(|cost| *cost > 0.0)
}

pub fn time(value: &Value) -> Option<Timestamp> {
    value.as_str().and_then(Timestamp::parse)
}

/// The run of a session, and of a sub-agent in it: the same that its hooks name.
pub fn session_run(host: &str, session: &str, agent: Option<&str>) -> String {
    let name = match agent {
        Some(agent) => format!("{host}-{session}/{agent}"),
        None => format!("{host}-{session}"),
    };
    RunId::named(&name).map_or(name, |run| run.as_str().to_owned())
}
