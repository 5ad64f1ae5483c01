//! What did the reviewers of a recorded session find, and what was done in it? Reads the
//! transcripts that Claude Code keeps and the rollouts of Codex, line by line in bounded memory.
//! Both formats are internal to their hosts: whatever is not as expected is passed over, and a
//! last line that is just being written is no trouble.

mod claude;
mod codex;
mod reported;
mod work;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;

use hardwon_core::episode::Episode;
use hardwon_core::event::{Event, Problem, Record, RunStated};
use hardwon_core::gate::without_control;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;
use hardwon_core::run::RunKind;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::Limits;
use crate::detect::{self, Format, Sign};
use crate::json::{self, text_parts};
use crate::lines::{Content, Lines};
use crate::read_error::ReadError;
use crate::report::{MAX_FINDINGS, Report};
use crate::report_head;
use crate::review_text::{Review, Reviewer, is_reviewer, review_text};
use work::Work;

/// Lines with an image or a whole file in them are long; findings never are.
const MAX_LINE_BYTES: usize = 4 << 20;

/// After this many lines that belong to neither host, it is no transcript.
const MAX_UNCLEAR_LINES: u64 = 200;

/// The same of a file that a host kept. Why it cannot be read is a problem of that file.
pub fn transcript_file(path: &Path) -> Result<Record, Problem> {
    let name = without_control(&path.display().to_string());
    let opened = match fs::metadata(path) {
        Ok(about) if !about.is_file() => Err(std::io::Error::other("not a file")),
        Ok(_) => fs::File::open(path),
        Err(error) => Err(error),
    };
    let file = opened.map_err(|error| Problem::new(&name, error.to_string()))?;
    transcript(&name, file).map_err(|error| Problem::new(&name, error.to_string()))
}

/// Reads a transcript or rollout, by file or pipe: everything in it is an agent's word.
pub fn transcript(input: &str, reader: impl Read) -> Result<Record, ReadError> {
    let limits = Limits { line_bytes: MAX_LINE_BYTES, ..Limits::default() };
    let mut reading = Reading::new(Report::new(input, limits));
    let mut lines = Lines::new(BufReader::new(reader), limits);
    let failed = |source| ReadError::Io { input: input.to_owned(), source };
    while let Some(line) = lines.next_line().map_err(failed)? {
        reading.n_lines += 1;
        if let Content::Text { text, .. } = line.content
            && let Ok(parsed) = json::parse(text, limits.depth)
        {
            reading.take(line.number, &Value::Object(parsed.object));
        }
        if reading.host.is_none() && reading.n_lines >= MAX_UNCLEAR_LINES {
            break;
        }
    }
    let is_cut = lines.is_cut();
    reading.finish(is_cut)
}

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

impl Host {
    /// Which host wrote a line.
    fn of_line(line: &Value) -> Option<Host> {
        let has = |name: &str| !line[name].is_null();
        if has("sessionId") || has("session_id") && has("uuid") {
            Some(Host::Claude)
        } else if has("payload") && has("timestamp") && has("type") {
            Some(Host::Codex)
        } else {
            None
        }
    }

    /// What ids of runs begin with.
    fn word(self) -> &'static str {
        if self == Host::Claude { "claude" } else { "codex" }
    }

    fn agent(self) -> &'static str {
        if self == Host::Claude { "claude-code" } else { "codex" }
    }
}

struct Reading {
    report: Report,
    host: Option<Host>,
    n_lines: u64,
    session: Session,
    /// Roles of sub-agents by the id of the call that started them.
    roles: BTreeMap<String, String>,
    work: Work,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// What sub-agents found, read at once: their messages are long.
    reviews: Vec<Statement>,
    has_reviewers: bool,
    n_findings: usize,
    /// The last message of the main agent, which counts if it is a review.
    closing: Option<(u64, Spoken)>,
}

/// What is known of the session so far.
#[derive(Default)]
struct Session {
    id: Option<String>,
    folder: Option<String>,
    role: Option<String>,
}

/// A message, and who spoke.
#[derive(Clone, Debug, Default)]
struct Spoken {
    /// The sub-agent's id, if it is known.
    agent: Option<String>,
    role: Option<String>,
    /// It reviews here, without a role for it.
    reviewer: Option<&'static str>,
    message: String,
}

/// What an agent found, and where it stands.
struct Statement {
    line: u64,
    agent: Option<String>,
    role: Option<String>,
    review: Review,
}

impl Reading {
    fn new(report: Report) -> Self {
        Reading {
            report,
            host: None,
            n_lines: 0,
            session: Session::default(),
            roles: BTreeMap::new(),
            work: Work::default(),
            first: None,
            last: None,
            reviews: Vec::new(),
            has_reviewers: false,
            n_findings: 0,
            closing: None,
        }
    }

    fn take(&mut self, number: u64, line: &Value) {
        self.host = self.host.or_else(|| Host::of_line(line));
        let at = line["timestamp"].as_str().and_then(Timestamp::parse);
        self.first = self.first.or(at);
        self.last = at.or(self.last);
        let spoken = match self.host {
            Some(Host::Claude) => {
                claude::work(number, line, at, &mut self.work);
                claude::take(line, &mut self.session, &mut self.roles)
            }
            Some(Host::Codex) => {
                let spoken = codex::take(line, &mut self.session);
                codex::work(number, line, at, self.session.folder.as_deref(), &mut self.work);
                spoken
            }
            None => None,
        };
        match spoken {
            Some(spoken) if spoken.role.is_some() || spoken.reviewer.is_some() => {
                self.has_reviewers |= spoken.role.is_some();
                self.review(number, spoken);
            }
            Some(spoken) => self.closing = Some((number, spoken)),
            None => {}
        }
    }

    /// Reads a message as a review, and keeps what it found.
    fn review(&mut self, line: u64, Spoken { agent, role, reviewer, message }: Spoken) {
        let is_reviewer = reviewer.is_some() || role.as_deref().is_some_and(is_reviewer);
        let name = reviewer.or(role.as_deref()).unwrap_or(self.host.map_or("", Host::agent));
        let folder = self.session.folder.as_deref();
        let mut review = review_text(&message, Reviewer { name, is_reviewer, folder });
        let n_free = MAX_FINDINGS - self.n_findings;
        self.report.left_out(review.findings.len().saturating_sub(n_free) as u64);
        review.findings.truncate(n_free);
        self.n_findings += review.findings.len();
        if !review.is_empty() && self.reviews.len() < MAX_FINDINGS {
            self.reviews.push(Statement { line, agent, role, review });
        }
    }

    fn finish(mut self, is_cut: bool) -> Result<Record, ReadError> {
        let input = self.report.notes.source().input;
        let Some(host) = self.host else {
            return Err(match self.n_lines {
                0 => ReadError::Empty { input },
                _ => ReadError::Unknown { input, problem: None },
            });
        };
        if let (false, Some((line, closing))) = (self.has_reviewers, self.closing.take()) {
            self.review(line, closing);
        }
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
        for (who, did) in std::mem::take(&mut self.work).finish() {
            let run = self.run(host, who.as_deref());
            did.state(run, &mut self.report);
        }
        let record = self.report.finish();
        let is_cut = is_cut || record.is_cut;
        Ok(Record { is_cut, channel: Some(Origin::Agent), is_report: false, ..record })
    }

    /// The run of the session, or of a sub-agent in it.
    fn run(&self, host: Host, agent: Option<&str>) -> RunStated {
        let session = self.session.id.as_deref();
        let root = session.map(|session| session_run(host.word(), session, None));
        let own = session.filter(|_| agent.is_some());
        let own = own.map(|session| session_run(host.word(), session, agent));
        RunStated {
            parent: root.clone().filter(|_| own.is_some()),
            id: own.or(root),
            kind: Some(if agent.is_some() { RunKind::Subagent } else { RunKind::Session }),
            agent: Some(host.agent().to_owned()),
            started: self.first,
            finished: self.last,
            episode: Episode { session: self.session.id.clone(), ..Episode::default() },
            ..RunStated::default()
        }
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

/// The text of a message's content: a string, or parts.
fn text_of(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => text_parts(parts),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;
