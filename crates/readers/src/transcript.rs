//! What did the reviewers of a recorded session find? Reads the transcripts that Claude Code
//! keeps and the rollouts of Codex, line by line in bounded memory. Both formats are internal
//! to their hosts: whatever is not as expected is passed over, and a last line that is just
//! being written is no trouble.

mod claude;
mod codex;

use std::io::{BufReader, Read};

use hardwon_core::event::{Event, Problem, Record, RunStated, Source, Sourced};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;
use hardwon_core::run::RunKind;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::Limits;
use crate::input::ReadError;
use crate::json::{self, Object};
use crate::lines::{Content, Lines};
use crate::review_text::{Review, Reviewer, is_reviewer, review_text};

/// Lines with an image or a whole file in them are long; findings never are.
const MAX_LINE_BYTES: usize = 4 << 20;

/// After this many lines that belong to neither host, it is no transcript.
const MAX_UNCLEAR_LINES: u64 = 200;

/// Reads a transcript or rollout, by file or pipe: everything in it is an agent's word.
pub fn transcript(input: &str, reader: impl Read) -> Result<Record, ReadError> {
    let limits = Limits { line_bytes: MAX_LINE_BYTES, ..Limits::default() };
    let mut reading = Reading { input: input.to_owned(), ..Reading::default() };
    let mut lines = Lines::new(BufReader::new(reader), limits);
    let failed = |source| ReadError::Io { input: input.to_owned(), source };
    while let Some(line) = lines.next_line().map_err(failed)? {
        reading.n_lines += 1;
        let (number, content) = (line.number, line.content);
        match content {
            Content::PutAside(_) => reading.n_passed_over += 1,
            Content::Text { text, .. } => match json::parse(text, limits.depth) {
                Ok(parsed) => reading.take(number, &parsed.object),
                Err(_) => reading.n_passed_over += 1,
            },
        }
        if reading.host.is_none() && reading.n_lines >= MAX_UNCLEAR_LINES {
            break;
        }
    }
    let is_cut = lines.is_cut();
    reading.finish(is_cut)
}

/// Whether the start of an input is that of a transcript or a rollout.
pub fn is_transcript(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let has = |mark: &str| head.contains(mark);
    let is_claude = has("\"sessionId\":\"") && (has("\"parentUuid\":") || has("\"message\":{"));
    head.trim_start().starts_with('{')
        && (is_claude || has("\"type\":\"session_meta\"") && has("\"payload\":{"))
}

/// Who keeps such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    Claude,
    Codex,
}

#[derive(Default)]
struct Reading {
    input: String,
    host: Option<Host>,
    n_lines: u64,
    n_passed_over: u64,
    claude: claude::Session,
    codex: codex::Session,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    said: Vec<(u64, Spoken)>,
    /// The last message of the main agent, which counts if it is a review.
    closing: Option<(u64, Spoken)>,
}

/// A message, and who spoke.
#[derive(Clone, Debug, Default)]
struct Spoken {
    /// The sub-agent's id, if it is known.
    agent: Option<String>,
    role: Option<String>,
    message: String,
}

impl Reading {
    fn take(&mut self, number: u64, object: &Object) {
        let host = self.host.or_else(|| sign(object));
        self.host = host;
        let at = object.get("timestamp").and_then(Value::as_str).and_then(Timestamp::parse);
        self.first = self.first.or(at);
        self.last = at.or(self.last);
        let spoken = match host {
            Some(Host::Claude) => self.claude.take(object),
            Some(Host::Codex) => self.codex.take(object),
            None => None,
        };
        match spoken {
            Some(spoken) if spoken.role.is_some() => self.said.push((number, spoken)),
            Some(spoken) => self.closing = Some((number, spoken)),
            None => {}
        }
    }

    fn finish(self, is_cut: bool) -> Result<Record, ReadError> {
        let Some(host) = self.host else {
            return Err(match self.n_lines {
                0 => ReadError::Empty { input: self.input },
                _ => ReadError::Unknown { input: self.input, problem: None },
            });
        };
        let (agent, session, folder) = match host {
            Host::Claude => ("claude-code", &self.claude.id, &self.claude.folder),
            Host::Codex => ("codex", &self.codex.id, &self.codex.folder),
        };
        let word = if host == Host::Claude { "claude" } else { "codex" };
        let root = session.as_deref().map(|session| session_run(word, session, None));
        let mut events = Vec::new();
        let mut state = |line: u64, event: Event| {
            let source = Source { input: self.input.clone(), line };
            events.push(Sourced { source, event });
        };
        let has_reviewers = !self.said.is_empty();
        let closing = self.closing.clone().filter(|_| !has_reviewers);
        for (line, spoken) in self.said.iter().chain(closing.iter()) {
            let name = spoken.role.as_deref().unwrap_or(agent);
            let is_reviewer = spoken.role.as_deref().is_some_and(is_reviewer);
            let by = Reviewer { name, is_reviewer, folder: folder.as_deref() };
            let review = review_text(&spoken.message, by);
            if review.is_empty() {
                continue;
            }
            let is_child = spoken.role.is_some() && spoken.agent.is_some();
            let own = session.as_deref().filter(|_| is_child);
            let own = own.map(|session| session_run(word, session, spoken.agent.as_deref()));
            let stated = RunStated {
                id: own.clone().or(root.clone()),
                parent: root.clone().filter(|_| own.is_some()),
                kind: Some(if is_child { RunKind::Subagent } else { RunKind::Session }),
                role: spoken.role.clone(),
                agent: Some(agent.to_owned()),
                started: self.first,
                finished: self.last,
                ..RunStated::default()
            };
            state(*line, Event::Run(stated));
            let Review { findings, verdict } = review;
            verdict.into_iter().for_each(|verdict| state(*line, Event::Verdict(verdict)));
            findings.into_iter().for_each(|finding| state(*line, Event::Finding(finding)));
        }
        let reason = "the transcript is larger than what is read of one; the rest was not read";
        let problems = is_cut.then(|| Problem::new(&self.input, reason)).into_iter().collect();
        let channel = Some(Origin::Agent);
        Ok(Record { events, problems, is_cut, channel, ..Record::default() })
    }
}

/// Which host wrote a line.
fn sign(object: &Object) -> Option<Host> {
    let has = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
    match () {
        () if has("sessionId") || has("session_id") && has("uuid") => Some(Host::Claude),
        () if has("payload") && has("timestamp") && has("type") => Some(Host::Codex),
        () => None,
    }
}

/// The run of a session, and of a sub-agent in it: the same that its hooks name.
pub fn session_run(host: &str, session: &str, agent: Option<&str>) -> String {
    let name = match agent {
        Some(agent) => format!("{host}-{session}/{agent}"),
        None => format!("{host}-{session}"),
    };
    match RunId::parse(&name) {
        Ok(_) => name,
        Err(_) => RunId::derived(&hardwon_core::digest::sha256(&[&name])).as_str().to_owned(),
    }
}

/// The texts of a message's content: a string, or parts with a `text`.
fn text_of(content: Option<&Value>) -> Option<String> {
    let text = match content? {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> =
                parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;
