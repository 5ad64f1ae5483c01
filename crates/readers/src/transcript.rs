//! What did the reviewers of a recorded session find, and what was done in it? Reads the
//! sessions that coding agents keep, line by line or message by message in bounded memory.
//! Their formats are internal to their hosts: whatever is not as expected is passed over, and
//! a last line that is just being written is no trouble.

mod claude;
mod codex;
mod cut;
mod document;
mod gemini;
mod host;
mod openagents;
mod opencode;
mod openhands;
mod session;
mod swe_agent;

use std::borrow::Cow;
use std::fs;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use hardwon_core::episode::Episode;
use hardwon_core::event::{Event, Problem, Record, RunStated};
use hardwon_core::gate::without_control;
use hardwon_core::heard::What;
use hardwon_core::lesson::Origin;
use hardwon_core::message::message;
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::Limits;
use crate::detect::{self, Format, Sign};
use crate::fields::moment;
use crate::json::{self, text_of};
use crate::lines::{Content, Lines};
use crate::read_error::ReadError;
use crate::report::{MAX_FINDINGS, Report};
use crate::report_head;
use crate::review_text::{Reviewer, UNREAD, is_reviewer, review_text};
use crate::stream::End;
use host::{Form, Host};
use openagents::Rlog;
pub use session::session_run;
use session::{Session, Spoken, Statement};

/// Lines with an image or a whole file in them are long; findings never are.
const MAX_LINE_BYTES: usize = 4 << 20;

fn limits() -> Limits {
    Limits { line_bytes: MAX_LINE_BYTES, ..Limits::default() }
}

/// After this many lines that belong to neither host, it is no transcript.
const MAX_UNCLEAR_LINES: u64 = 200;

/// The same of a file that a host kept. Why it cannot be read is a problem of that file.
pub fn transcript_file(path: &Path) -> Result<Record, Problem> {
    let name = without_control(&path.display().to_string());
    let refused = |error: io::Error| Problem::new(&name, error.to_string());
    if !fs::metadata(path).map_err(refused)?.is_file() {
        return Err(refused(io::Error::other("not a file")));
    }
    let file = fs::File::open(path).map_err(refused)?;
    transcript(&name, file).map_err(|error| Problem::new(&name, error.in_short()))
}

/// Reads a session, by file or pipe: everything in it is an agent's word.
pub fn transcript(input: &str, reader: impl Read) -> Result<Record, ReadError> {
    let report = Report::new(input, limits());
    let mut reading = Reading { report, ..Reading::default() };
    let is_cut = reading.read(input, reader)?;
    reading.finish(is_cut)
}

/// By what a session is known to those that name it.
fn of_session(host: Host, id: &str) -> String {
    message(&["session", host.word(), id])
}

/// How much is looked at to tell the forms of a session apart.
const HEAD_BYTES: u64 = 64 << 10;

/// More of an input is not looked at to see that it is a transcript: copies of files may
/// stand before the first message.
const PEEK_BYTES: u64 = 4 << 20;

/// Reads an input of which this is the head, if it is a transcript or named as one. A transcript
/// without any finding is a problem.
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
    if format != Some(Format::Transcript) && !(is_open && looks_like(head)) {
        return Ok(None);
    }
    let mut record = transcript(input, (&head[..]).chain(reader))?;
    if record.events.is_empty() && record.problems.is_empty() {
        let reason = "nothing was done in this session, and no review with findings stands in it";
        record.problems.push(Problem::new(input, reason));
    }
    Ok(Some(record))
}

/// Whether the start of an input is that of a session.
pub fn looks_like(head: &[u8]) -> bool {
    host::form(head).is_some()
}

/// How much more has to be read to see whether this is a transcript: nothing where the
/// start shows it, or begins like no line of one.
fn peek(head: &[u8]) -> u64 {
    let mut lines = head.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
    let first = lines.clone().next().unwrap_or_default();
    let may_be = first.trim_start().starts_with('{') && first.contains("\"type\"");
    let is_other = |line: &str| {
        let parsed = json::parse(line, Limits::default().depth);
        parsed.is_ok_and(|parsed| detect::sign(&parsed.object) != Sign::Unclear)
    };
    let is_open = may_be && !looks_like(head) && !lines.any(|line| is_other(&line));
    if is_open { PEEK_BYTES } else { 0 }
}

#[derive(Default)]
struct Reading {
    report: Report,
    host: Option<Host>,
    /// A log is written for a run, whatever it did; a session that was only opened is none.
    is_log: bool,
    n_lines: u64,
    session: Session,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// What sub-agents found, read at once: their messages are long.
    reviews: Vec<Statement>,
    has_reviewers: bool,
    n_findings: usize,
    /// The last message of the main agent, which counts if it is a review.
    closing: Option<(u64, Spoken)>,
}

impl Reading {
    /// Says whether the input is larger than what is read of one.
    fn read(&mut self, input: &str, mut reader: impl Read) -> Result<bool, ReadError> {
        let failed = |source| ReadError::Io { input: input.to_owned(), source };
        let mut head = Vec::new();
        (&mut reader).take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
        let form = host::form(&head);
        let whole = Cursor::new(head).chain(reader);
        match form {
            Some(Form::Document(host)) => {
                self.host = Some(host);
                let end = document::read(whole, self).map_err(failed)?;
                Ok(matches!(end, End::Limit(_)))
            }
            Some(Form::Rlog) => self.read_log(whole, limits()).map_err(failed),
            Some(Form::Lines) | None => self.read_lines(whole, limits()).map_err(failed),
        }
    }

    /// One object a line.
    fn read_lines(&mut self, reader: impl Read, limits: Limits) -> io::Result<bool> {
        let mut lines = Lines::new(BufReader::new(reader), limits);
        while let Some(line) = lines.next_line()? {
            self.n_lines += 1;
            if let Content::Text { text, .. } = line.content
                && let Ok(parsed) = json::parse(text, limits.depth)
            {
                self.take(line.number, &Value::Object(parsed.object));
            }
            if self.host.is_none() && self.n_lines >= MAX_UNCLEAR_LINES {
                break;
            }
        }
        Ok(lines.is_cut())
    }

    /// The same of a log of OpenAgents.
    fn read_log(&mut self, reader: impl Read, limits: Limits) -> io::Result<bool> {
        let mut log = Rlog::default();
        let mut lines = Lines::new(BufReader::new(reader), limits);
        while let Some(line) = lines.next_line()? {
            self.n_lines += 1;
            if let Content::Text { text, .. } = line.content {
                self.session.line = line.number;
                let spoken = log.line(text, &mut self.session);
                self.hear(line.number, spoken);
            }
        }
        log.finish(&mut self.session);
        (self.host, self.is_log) = (Some(log.host()), true);
        if log.n_cut > 0 {
            self.report.notes.problem(match log.n_cut {
                1 => "1 call is cut short in this log and was left out".to_owned(),
                n => format!("{n} calls are cut short in this log and were left out"),
            });
        }
        Ok(lines.is_cut())
    }

    /// What stands above the messages of a document.
    fn header(&mut self, header: &Value) {
        let session = &mut self.session;
        match self.host {
            Some(Host::Opencode) => opencode::header(header, session),
            Some(Host::SweAgent) => swe_agent::header(header, session),
            Some(Host::Codex) => codex::header(header, session),
            Some(Host::Openagents) => {
                openagents::header(header, session);
                self.host = Some(openagents::driven(header["model"].as_str()));
            }
            Some(Host::Gemini) => session::learn(&mut session.id, &header["sessionId"]),
            Some(Host::Claude | Host::Qwen | Host::Openhands) | None => {}
        }
    }

    /// The folder is known before the messages, so that paths in them become relative.
    fn note_folder(&mut self, name: &str, value: &Value) {
        match name {
            "info" => session::learn(&mut self.session.folder, &value["directory"]),
            "cwd" => session::learn(&mut self.session.folder, value),
            _ => {}
        }
    }

    fn take(&mut self, number: u64, line: &Value) {
        self.host = self.host.or_else(|| Host::of_line(line));
        let plain = match self.host {
            Some(Host::Claude) => claude::plain(line, &mut self.session),
            Some(Host::Codex) => codex::plain(line),
            _ => None,
        };
        let line = plain.map_or(Cow::Borrowed(line), Cow::Owned);
        let at = self.time(&line);
        self.first = self.first.or(at);
        self.last = at.or(self.last);
        (self.session.line, self.session.at) = (number, at);
        let spoken = self.said(&line);
        self.hear(number, spoken);
        self.note_message(number, &line);
    }

    /// By what the line is known wherever it is copied to: ids of its host, else who said what when.
    fn note_message(&mut self, number: u64, line: &Value) {
        let payload = &line["payload"];
        let own = [&line["uuid"], &line["id"], &line["info"]["id"], &payload["id"]];
        for id in own.into_iter().filter_map(Value::as_str) {
            self.session.note_id(id);
        }
        if let (Some(host), Some(id)) = (self.host, payload["forked_from_id"].as_str()) {
            self.session.messages.push((number, of_session(host, id)));
        }
        let is_known = self.session.messages.last().is_some_and(|(at, _)| *at == number);
        if let (false, Some(at)) = (is_known, self.session.at) {
            let said = [line, payload, &line["message"], &line["llm_message"], &line["args"]];
            let said = said.iter().find_map(|part| text_of(&part["content"]));
            let who = ["role", "source", "type"].iter().find_map(|name| line[*name].as_str());
            let said = said.unwrap_or_else(|| line.to_string());
            let digest = message(&[who.unwrap_or_default(), &at.to_string(), &said]);
            self.session.messages.push((number, digest));
        }
    }

    fn time(&self, line: &Value) -> Option<Timestamp> {
        match self.host {
            Some(Host::Opencode) => line["info"]["time"]["created"].as_i64().map(Timestamp),
            Some(Host::Openhands) => line["timestamp"].as_str().and_then(moment),
            _ => session::time(&line["timestamp"]),
        }
    }

    fn said(&mut self, line: &Value) -> Option<Spoken> {
        let session = &mut self.session;
        match self.host? {
            Host::Claude => claude::take(line, session),
            Host::Codex => codex::take(line, session),
            Host::Gemini => gemini::take(line, session),
            Host::Qwen => gemini::take_qwen(line, session),
            Host::Opencode => opencode::take(line, session),
            Host::Openhands => openhands::take(line, session),
            Host::Openagents => openagents::take(line, session),
            Host::SweAgent => {
                swe_agent::take(line, session);
                None
            }
        }
    }

    /// A sub-agent's message is read at once, the main agent's last one at the end.
    fn hear(&mut self, number: u64, spoken: Option<Spoken>) {
        match spoken {
            Some(spoken) if spoken.role.is_some() || spoken.reviewer.is_some() => {
                self.has_reviewers |= spoken.role.is_some();
                self.review(number, spoken);
            }
            Some(spoken) => {
                self.session.hear(What::Said(spoken.message.clone()));
                self.closing = Some((number, spoken));
            }
            None => {}
        }
    }

    /// Reads a message as a review, and keeps what it found.
    fn review(&mut self, line: u64, spoken: Spoken) {
        let Spoken { agent, role, reviewer, is_of_host, message } = spoken;
        let is_reviewer = reviewer.is_some() || role.as_deref().is_some_and(is_reviewer);
        let name = reviewer.or(role.as_deref()).unwrap_or(self.host.map_or("", Host::agent));
        let folder = self.session.folder.as_deref();
        let mut review = review_text(&message, Reviewer { name, is_reviewer, folder });
        let is_prose = review.is_empty();
        let n_free = MAX_FINDINGS - self.n_findings;
        self.report.left_out(review.findings.len().saturating_sub(n_free) as u64);
        review.findings.truncate(n_free);
        self.n_findings += review.findings.len();
        review.verdict.iter_mut().for_each(|verdict| verdict.is_of_host = is_of_host);
        if is_reviewer && is_prose && !message.trim().is_empty() {
            self.report.notes.go_to(line);
            self.report.notes.problem(UNREAD);
        }
        if !review.is_empty() && self.reviews.len() < MAX_FINDINGS {
            self.reviews.push(Statement { line, agent, role, review });
        }
    }

    fn finish(mut self, is_cut: bool) -> Result<Record, ReadError> {
        let input = self.report.notes.source().input;
        let Some(host) = self.host else {
            return Err(match self.n_lines {
                0 => ReadError::Empty { input },
                _ => ReadError::Unknown {
                    input,
                    named: None,
                    shows: None,
                    seems: None,
                    problem: None,
                },
            });
        };
        if let (false, Some((line, closing))) = (self.has_reviewers, self.closing.take()) {
            self.review(line, closing);
        }
        self.session.summary =
            self.session.summary.take().or(self.session.cut.said().map(str::to_owned));
        for Statement { line, agent, role, review } in std::mem::take(&mut self.reviews) {
            let agent = agent.filter(|_| role.is_some());
            let run = RunStated { role, ..self.run(host, agent.as_deref()) };
            self.report.push_at(line, Event::Run(run));
            review.verdict.into_iter().for_each(|it| self.report.push(Event::Verdict(it)));
            review.findings.into_iter().for_each(|it| self.report.push(Event::Finding(it)));
        }
        self.report.notes.go_to(0);
        if is_cut {
            let reason = "the transcript is larger than what is read of one; the rest was not read";
            self.report.notes.problem(reason);
        }
        let asked = std::mem::take(&mut self.session.asked);
        for (who, did) in self.session.done() {
            let run = self.run(host, who.as_deref());
            did.state(run, &mut self.report);
        }
        // That it came to a bad end is worth knowing, whatever was done before.
        let is_told = self.session.outcome.is_some() || self.is_log;
        if is_told && !self.report.events.iter().any(|it| matches!(it.event, Event::Run(_))) {
            self.report.push_at(1, Event::Run(self.run(host, None)));
        }
        let record = self.report.finish();
        let is_cut = is_cut || record.is_cut;
        let channel = Some(Origin::Agent);
        // A fork names the session that it came from.
        let (heard, mut messages) = (self.session.heard, self.session.messages);
        messages.extend(self.session.id.iter().map(|id| (0, of_session(host, id))));
        Ok(Record { is_cut, channel, is_report: false, asked, messages, heard, ..record })
    }

    /// The run of the session, or of a sub-agent in it.
    fn run(&self, host: Host, agent: Option<&str>) -> RunStated {
        let session = self.session.id.as_deref();
        let root = session.map(|session| session_run(host.word(), session, None));
        let own = session.filter(|_| agent.is_some());
        let own = own.map(|session| session_run(host.word(), session, agent));
        let ended = self.session.cut.ended();
        let cut = ended.as_ref().and_then(Outcome::of);
        RunStated {
            parent: root.clone().filter(|_| own.is_some()),
            id: own.or(root),
            kind: Some(if agent.is_some() { RunKind::Subagent } else { RunKind::Session }),
            agent: Some(host.agent().to_owned()),
            task: self.session.task.clone().filter(|_| agent.is_none()),
            started: self.session.started.or(self.first),
            finished: self.last,
            outcome: self.session.outcome.or(cut).filter(|_| agent.is_none()),
            episode: Episode {
                session: self.session.id.clone(),
                error_class: self.session.error_class.clone().filter(|_| agent.is_none()),
                summary: self.session.summary.clone().filter(|_| agent.is_none()),
                ended: ended.filter(|_| agent.is_none()),
                ..Episode::default()
            },
            ..RunStated::default()
        }
    }
}

#[cfg(test)]
mod tests;
