//! What did the reviewers of a recorded session find, and what was done in it? Reads the transcripts that Claude Code
//! keeps and the rollouts of Codex, line by line in bounded memory. Both formats are internal
//! to their hosts: whatever is not as expected is passed over, and a last line that is just
//! being written is no trouble.

mod claude;
mod codex;
mod work;

use std::io::{BufReader, Read};

use hardwon_core::episode::Episode;
use hardwon_core::event::{Event, Problem, Record, RunStated, Source, Sourced};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;
use hardwon_core::run::RunKind;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::Limits;
use crate::detect::{self, Format, Sign};
use crate::json::{self, Object};
use crate::lines::{Content, Lines};
use crate::read_error::ReadError;
use crate::report::{MAX_FINDINGS, left_out};
use crate::report_head;
use crate::review_text::{Review, Reviewer, is_reviewer, review_text};
use work::Work;

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

/// More of an input is not looked at to tell that it is a transcript: copies of files may
/// stand before the first message.
const PEEK_BYTES: u64 = 4 << 20;

/// Reads an input of which this is the head, if it is a transcript or said to be one. That nobody
/// found anything in it is worth a word.
pub fn asked(
    input: &str,
    head: &mut Vec<u8>,
    mut reader: impl Read,
    format: Option<Format>,
) -> Result<Option<Record>, ReadError> {
    let is_open = format.is_none() && report_head::format(head).is_none();
    if is_open {
        let failed = |source| ReadError::Io { input: input.to_owned(), source };
        (&mut reader).take(peek(head)).read_to_end(head).map_err(failed)?;
    }
    if format != Some(Format::Transcript) && !(is_open && is_transcript(head)) {
        return Ok(None);
    }
    let mut record = transcript(input, (&head[..]).chain(reader))?;
    if record.events.is_empty() && record.problems.is_empty() {
        let reason = "no review with findings stands in this transcript";
        record.problems.push(Problem::new(input, reason));
    }
    Ok(Some(record))
}

/// How much more has to be read to tell whether this is a transcript: nothing where the
/// start has told, or begins like no line of one.
fn peek(head: &[u8]) -> u64 {
    let mut lines = head.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
    let first = lines.clone().next().unwrap_or_default();
    let may_be = first.trim_start().starts_with('{') && first.contains("\"type\"");
    let is_other = |line: &str| {
        let parsed = json::parse(line, Limits::default().depth);
        parsed.is_ok_and(|parsed| detect::sign(&parsed.object) != Sign::Unclear)
    };
    let is_open = may_be && !is_transcript(head) && !lines.any(|line| is_other(&line));
    if is_open { PEEK_BYTES } else { 0 }
}

/// Whether the start of an input is that of a transcript or a rollout.
fn is_transcript(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let has = |name: &str, begins: &str| {
        let is_it = |gap: &str| head.contains(&format!("\"{name}\":{gap}{begins}"));
        is_it("") || is_it(" ")
    };
    let is_claude = (has("sessionId", "\"") || has("session_id", "\"") && has("uuid", "\""))
        && (has("parentUuid", "") || has("message", "{"));
    head.trim_start_matches('\u{feff}').trim_start().starts_with('{')
        && (is_claude || has("type", "\"session_meta\"") && has("payload", "{"))
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
    work: Work,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// What sub-agents found, read at once: their messages are long.
    said: Vec<Statement>,
    has_reviewers: bool,
    n_findings: usize,
    n_left_out: u64,
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

/// What somebody found, and where it stands.
struct Statement {
    line: u64,
    agent: Option<String>,
    role: Option<String>,
    review: Review,
}

impl Reading {
    fn take(&mut self, number: u64, object: &Object) {
        let host = self.host.or_else(|| sign(object));
        self.host = host;
        let at = object.get("timestamp").and_then(Value::as_str).and_then(Timestamp::parse);
        self.first = self.first.or(at);
        self.last = at.or(self.last);
        let spoken = match host {
            Some(Host::Claude) => {
                claude::work(number, object, at, &mut self.work);
                self.claude.take(object)
            }
            Some(Host::Codex) => {
                codex::work(number, object, at, &mut self.work);
                self.codex.take(object)
            }
            None => None,
        };
        match spoken {
            Some(spoken) if spoken.role.is_some() => {
                self.has_reviewers = true;
                self.listen(number, spoken);
            }
            Some(spoken) => self.closing = Some((number, spoken)),
            None => {}
        }
    }

    /// Reads a message as a review, and keeps what it found.
    fn listen(&mut self, line: u64, Spoken { agent, role, message }: Spoken) {
        let folder = match self.host {
            Some(Host::Codex) => self.codex.folder.as_deref(),
            Some(Host::Claude) | None => self.claude.folder.as_deref(),
        };
        let is_reviewer = role.as_deref().is_some_and(is_reviewer);
        let name = role.as_deref().unwrap_or(self.agent());
        let mut review = review_text(&message, Reviewer { name, is_reviewer, folder });
        let n_room = MAX_FINDINGS - self.n_findings;
        self.n_left_out += review.findings.len().saturating_sub(n_room) as u64;
        review.findings.truncate(n_room);
        self.n_findings += review.findings.len();
        if !review.is_empty() && self.said.len() < MAX_FINDINGS {
            self.said.push(Statement { line, agent, role, review });
        }
    }

    /// What the host is called.
    fn agent(&self) -> &'static str {
        match self.host {
            Some(Host::Codex) => "codex",
            Some(Host::Claude) | None => "claude-code",
        }
    }

    fn finish(mut self, is_cut: bool) -> Result<Record, ReadError> {
        let Some(host) = self.host else {
            return Err(match self.n_lines {
                0 => ReadError::Empty { input: self.input },
                _ => ReadError::Unknown { input: self.input, problem: None },
            });
        };
        if let (false, Some((line, closing))) = (self.has_reviewers, self.closing.take()) {
            self.listen(line, closing);
        }
        let agent = self.agent();
        let session = match host {
            Host::Claude => &self.claude.id,
            Host::Codex => &self.codex.id,
        };
        let word = if host == Host::Claude { "claude" } else { "codex" };
        let root = session.as_deref().map(|session| session_run(word, session, None));
        let mut events = Vec::new();
        let mut state = |line: u64, event: Event| {
            let source = Source { input: self.input.clone(), line };
            events.push(Sourced { source, event });
        };
        for Statement { line, agent: child, role, review } in self.said {
            let is_child = role.is_some() && child.is_some();
            let own = session.as_deref().filter(|_| is_child);
            let own = own.map(|session| session_run(word, session, child.as_deref()));
            let stated = RunStated {
                id: own.clone().or(root.clone()),
                parent: root.clone().filter(|_| own.is_some()),
                kind: Some(if is_child { RunKind::Subagent } else { RunKind::Session }),
                role,
                agent: Some(agent.to_owned()),
                started: self.first,
                finished: self.last,
                episode: Episode { session: session.clone(), ..Episode::default() },
                ..RunStated::default()
            };
            state(line, Event::Run(stated));
            let Review { findings, verdict } = review;
            verdict.into_iter().for_each(|verdict| state(line, Event::Verdict(verdict)));
            findings.into_iter().for_each(|finding| state(line, Event::Finding(finding)));
        }
        let reason = "the transcript is larger than what is read of one; the rest was not read";
        let n = self.n_left_out;
        let problems = is_cut.then(|| reason.to_owned()).into_iter();
        let problems = problems.chain((n > 0).then(|| left_out(n)));
        let mut problems: Vec<Problem> =
            problems.map(|reason| Problem::new(&self.input, reason)).collect();
        for (who, did) in self.work.finish() {
            if did.is_empty() {
                continue;
            }
            problems.extend(did.steps.left_out().map(|why| Problem::new(&self.input, why)));
            let own = session.as_deref().zip(who.as_deref());
            let own = own.map(|(session, who)| session_run(word, session, Some(who)));
            let run = RunStated {
                id: own.or(root.clone()),
                parent: root.clone().filter(|_| who.is_some()),
                kind: Some(if who.is_some() { RunKind::Subagent } else { RunKind::Session }),
                agent: Some(agent.to_owned()),
                started: self.first,
                finished: self.last,
                episode: Episode { session: session.clone(), ..Episode::default() },
                ..RunStated::default()
            };
            did.tell(&self.input, run, &mut events);
        }
        let channel = Some(Origin::Agent);
        let is_cut = is_cut || n > 0;
        Ok(Record { events, problems, n_put_aside: n, is_cut, channel, ..Record::default() })
    }
}

/// Which host wrote a line.
fn sign(object: &Object) -> Option<Host> {
    let has = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
    if has("sessionId") || has("session_id") && has("uuid") {
        Some(Host::Claude)
    } else if has("payload") && has("timestamp") && has("type") {
        Some(Host::Codex)
    } else {
        None
    }
}

/// The run of a session, and of a sub-agent in it: the same that its hooks name.
pub fn session_run(host: &str, session: &str, agent: Option<&str>) -> String {
    let name = match agent {
        Some(agent) => format!("{host}-{session}/{agent}"),
        None => format!("{host}-{session}"),
    };
    RunId::named(&name).map_or(name, |run| run.as_str().to_owned())
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
