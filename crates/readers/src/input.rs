//! What does one input state? Leads the lines of a file or pipe through detection and
//! the reader of their format, and says in a full sentence why an input is of no use.

use std::io::{self, BufReader, Cursor, Read};

use encoding_rs_io::DecodeReaderBytes;
use hardwon_core::event::{Event, Problem, Record, Sourced};
use hardwon_core::lesson::Origin;

use crate::archeflow::Log;
use crate::cargo_json::Built;
use crate::detect::{self, Format, Sign};
use crate::json::{self, Fields, NotObject, Object, Parsed};
use crate::lines::{Content, Lines, size};
use crate::notes::Notes;
use crate::read_error::ReadError;
use crate::report::{MAX_FINDINGS, Report, left_out};
use crate::run_log::RunLog;
use crate::{
    Limits, atif, cargo_json, document, eslint, geas, generic, github, harbor, junit, openagents,
    pytest, rdjson, report_head, run_log, run_record, sarif, transcript,
};

/// How much is looked at to tell text from binary.
const HEAD_BYTES: u64 = 8 << 10;

const UTF_8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// After this many lines that show no format, none is expected any more.
const MAX_UNCLEAR_LINES: u64 = 1000;

/// Reads a run record or event log, by file or pipe. Without a `format` the content
/// decides. Lines that cannot be used are put aside with a problem, and every good line
/// around them is used.
///
/// ```
/// use hardwon_core::event::Event;
///
/// let record = r#"{"type":"run","id":"r7","detectors":["guardian"]}
/// {"type":"finding","author":"guardian","text":"Query built by concatenation","line":"41"}
/// "#;
/// let record = hardwon_readers::read("run-r7.jsonl", record.as_bytes(), None)?;
/// assert!(matches!(&record.events[0].event, Event::Run(run) if run.id.as_deref() == Some("r7")));
/// assert_eq!(record.events[1].source.to_string(), "run-r7.jsonl:2");
/// assert_eq!(record.problems[0].reason, "field \"line\" is not a number");
/// # Ok::<(), hardwon_readers::ReadError>(())
/// ```
pub fn read(input: &str, reader: impl Read, format: Option<Format>) -> Result<Record, ReadError> {
    read_within(Limits::default(), input, reader, format)
}

/// [`read`] with other limits.
pub fn read_within(
    limits: Limits,
    input: &str,
    reader: impl Read,
    format: Option<Format>,
) -> Result<Record, ReadError> {
    read_input(limits, input, reader, format)
}

fn read_input(
    limits: Limits,
    input: &str,
    mut reader: impl Read,
    format: Option<Format>,
) -> Result<Record, ReadError> {
    let failed = |source: io::Error| ReadError::Io { input: input.to_owned(), source };
    let mut head = Vec::new();
    (&mut reader).take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
    if is_utf_16(&head) {
        let mut text = DecodeReaderBytes::new(Cursor::new(head).chain(reader));
        return read_input(limits, input, &mut text as &mut dyn Read, format);
    }
    let n_mark = if head.starts_with(UTF_8_MARK) { UTF_8_MARK.len() } else { 0 };
    head.drain(..n_mark);
    if let Some(at) = binary_at(&head) {
        return Err(ReadError::Binary { input: input.to_owned(), byte: n_mark + at + 1 });
    }
    // Says only whose lines cargo's are; what the input is, its content tells.
    let is_clippy = format == Some(Format::Clippy);
    let format = format.filter(|_| !is_clippy);
    let is_atif = format == Some(Format::Atif) || format.is_none() && report_head::is_atif(&head);
    if is_atif && !head.trim_ascii().is_empty() {
        let whole = Cursor::new(&head).chain(reader);
        return atif::read(input, limits, &head, whole).map_err(failed);
    }
    if let Some(record) = transcript::asked(input, &mut head, &mut reader, format)? {
        return Ok(record);
    }
    let format = format.or_else(|| report_head::format(&head));
    if let Some(read) = report_reader(format) {
        let mut report = Report::new(input, limits);
        if !head.trim_ascii().is_empty() {
            read(&mut Cursor::new(&head).chain(reader), limits, &mut report).map_err(failed)?;
            return Ok(report.finish());
        }
    }
    let mut reading = Reading::new(limits, input, format, is_clippy);
    let is_log = format.is_none() && run_log::looks_like(&head);
    reading.log_of_shell = (is_log || format == Some(Format::RunLog)).then(RunLog::default);
    let mut start = head.clone();
    if reading.may_be_document(&head) {
        (&mut reader).take(document::MAX_BYTES).read_to_end(&mut start).map_err(failed)?;
        if let Some(objects) = document::artifacts(&start, limits.depth, format) {
            let cut = reading.take_document(&objects);
            return reading.finish(cut, &head);
        }
    }
    let stream = BufReader::new(Cursor::new(&start).chain(reader));
    let mut lines = Lines::new(stream, limits);
    let mut cut = None;
    while let Some(line) = lines.next_line().map_err(failed)? {
        if reading.events.len() >= limits.n_events {
            cut = Some(format!("{} events", limits.n_events));
            break;
        }
        reading.take_line(line.number, line.content);
        if reading.is_hopeless() {
            break;
        }
    }
    if lines.is_cut() {
        cut = Some(size(limits.input_bytes));
    }
    reading.finish(cut, &head)
}

type ReportReader = fn(&mut dyn Read, Limits, &mut Report) -> io::Result<()>;

/// Who reads a report that is one document.
fn report_reader(format: Option<Format>) -> Option<ReportReader> {
    Some(match format? {
        Format::Sarif => |input, limits, report| sarif::read(input, limits, report),
        Format::Junit => |input, limits, report| junit::read(input, limits, report),
        Format::Rdjson => |input, limits, report| rdjson::read(input, limits, report),
        Format::Github => |input, limits, report| github::read(input, limits, report),
        Format::Pytest => |input, limits, report| pytest::read(input, limits, report),
        Format::Eslint => |input, limits, report| eslint::read(input, limits, report),
        Format::HarborResult => |input, limits, report| harbor::read(input, limits, report),
        Format::Run
        | Format::Archeflow
        | Format::Geas
        | Format::Cargo
        | Format::Clippy
        | Format::Rdjsonl
        | Format::Atif
        | Format::Openagents
        | Format::RunLog
        | Format::Transcript
        | Format::Lines => return None,
    })
}

/// Whether an input begins with the mark of UTF-16: some shells write every output so. Every
/// format has ASCII in it, which UTF-16 writes with zeros: without any, the mark is a broken line.
fn is_utf_16(head: &[u8]) -> bool {
    let is_marked = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    is_marked && (head.len() == 2 || head[2..].contains(&0))
}

/// An input that is being read.
struct Reading {
    limits: Limits,
    notes: Notes,
    events: Vec<Sourced>,
    format: Option<Format>,
    log: Log,
    /// What a shell shows, as long as nothing else is known of the input.
    log_of_shell: Option<RunLog>,
    n_lines: u64,
    n_objects: u64,
    is_index: bool,
    /// Lines that are no JSON, or have no place, where others may stand between.
    n_plain: u64,
    /// What cargo built.
    built: Built,
    n_findings: usize,
    /// Findings of a tool's lines that were too many.
    n_left_out: u64,
}

impl Reading {
    fn new(limits: Limits, input: &str, format: Option<Format>, is_clippy: bool) -> Self {
        Reading {
            limits,
            notes: Notes::new(input, limits.n_problems),
            events: Vec::new(),
            format,
            log: Log::default(),
            log_of_shell: None,
            n_lines: 0,
            n_objects: 0,
            is_index: false,
            n_plain: 0,
            built: Built::new(is_clippy),
            n_findings: 0,
            n_left_out: 0,
        }
    }

    fn take_line(&mut self, number: u64, content: Content<'_>) {
        self.n_lines += 1;
        self.notes.go_to(number);
        if let (Some(log), Content::Text { text, .. }) = (&mut self.log_of_shell, &content) {
            log.line(number, text);
        }
        match content {
            Content::PutAside(reason) => self.notes.problem(reason),
            Content::Text { .. } if self.format == Some(Format::RunLog) => {}
            Content::Text { text, .. } if self.format == Some(Format::Lines) => {
                self.take_generic(text);
            }
            Content::Text { text, has_end } => match json::parse(text, self.limits.depth) {
                Ok(parsed) => self.take_object(&parsed),
                Err(NotObject::Unfinished(_)) if !has_end => {
                    self.notes.problem("the last line is torn: it has no end");
                }
                Err(NotObject::OtherType) if self.format == Some(Format::Cargo) => {
                    self.n_plain += 1;
                }
                Err(reason) => {
                    self.n_plain += u64::from(reason == NotObject::OtherType);
                    self.notes.problem(reason);
                }
            },
        }
    }

    fn take_object(&mut self, parsed: &Parsed) {
        let object = &parsed.object;
        self.n_objects += 1;
        if parsed.has_duplicate_keys {
            self.notes.problem("a key stands twice in an object; the last one is used");
        }
        // Lines before the first that shows a format state nothing in any format.
        let Some(format) = self.format.or_else(|| self.detect(object)) else {
            return;
        };
        if self.format.is_none() && format == Format::Cargo {
            // What was printed before the first line of JSON is counted, not complained about.
            self.notes.start_over();
        }
        self.format = Some(format);
        self.log_of_shell = None;
        let events = match format {
            Format::Geas => geas::events(object, &mut self.notes),
            Format::Cargo | Format::Clippy => {
                let events = cargo_json::events(object, &mut self.notes);
                self.built.see(object, &events);
                events
            }
            Format::Rdjsonl => {
                rdjson::line(object, &mut self.notes).map(Event::Finding).into_iter().collect()
            }
            Format::Sarif
            | Format::Junit
            | Format::Rdjson
            | Format::Github
            | Format::Pytest
            | Format::Eslint
            | Format::Atif
            | Format::HarborResult
            | Format::RunLog
            | Format::Transcript
            | Format::Lines => return,
            Format::Openagents => openagents::events(object, &mut self.notes),
            _ if !self.has_type(object) => return,
            Format::Run => run_record::event(object, &mut self.notes).into_iter().collect(),
            Format::Archeflow => self.log.events(object, &mut self.notes),
        };
        for event in events {
            self.push(event);
        }
    }

    /// Keeps an event. Of a tool's findings only so many are, as in its other reports.
    fn push(&mut self, event: Event) {
        let is_report =
            matches!(self.format, Some(Format::Cargo | Format::Rdjsonl | Format::Lines));
        if is_report && matches!(event, Event::Finding(_)) {
            if self.n_findings >= MAX_FINDINGS {
                self.n_left_out += 1;
                return;
            }
            self.n_findings += 1;
        }
        self.events.push(Sourced { source: self.notes.source().clone(), event });
    }

    fn take_generic(&mut self, line: &str) {
        let Some(finding) = generic::finding(line) else {
            self.n_plain += 1;
            return;
        };
        if self.events.is_empty() {
            self.push(cargo_json::looked(generic::author()));
        }
        self.push(Event::Finding(finding));
    }

    /// Whether an object says what it is, as every line of the other formats has to.
    fn has_type(&mut self, object: &Object) -> bool {
        let mut fields = Fields::new(object, &mut self.notes);
        if !fields.has("type") {
            self.notes.problem("no field \"type\": the line is skipped");
            return false;
        }
        fields.text("type").is_some()
    }

    /// Whether the input has to be looked at as a whole.
    fn may_be_document(&self, head: &[u8]) -> bool {
        let is_geas = self.format.is_none_or(|format| format == Format::Geas);
        is_geas && document::may_be(head, self.limits.depth)
    }

    /// Takes every artifact of a document; names the limit that was met, if one was.
    fn take_document(&mut self, objects: &[Parsed]) -> Option<String> {
        (self.n_lines, self.format) = (1, Some(Format::Geas));
        for object in objects {
            if self.events.len() >= self.limits.n_events {
                return Some(format!("{} events", self.limits.n_events));
            }
            self.take_object(object);
        }
        None
    }

    fn detect(&mut self, object: &Object) -> Option<Format> {
        match detect::sign(object) {
            Sign::Of(format) => Some(format),
            Sign::OfIndex => {
                self.is_index = true;
                None
            }
            Sign::Unclear => None,
        }
    }

    fn is_hopeless(&self) -> bool {
        let is_log = self.log_of_shell.is_some();
        self.format.is_none() && !is_log && self.n_lines >= MAX_UNCLEAR_LINES
    }

    /// `cut` names the limit that was met, if one was.
    fn finish(mut self, cut: Option<String>, head: &[u8]) -> Result<Record, ReadError> {
        let input = self.notes.source().input.clone();
        self.take_log_of_shell(&input);
        if let Some(error) = self.error(cut.is_some(), head) {
            return Err(error);
        }
        self.finish_report(cut.is_some());
        let n_put_aside = self.notes.n_put_aside() + self.n_left_out;
        let plain = self.plain();
        let mut problems = self.notes.into_problems();
        problems.extend(plain.map(|reason| Problem::new(&input, reason)));
        let is_cut = cut.is_some() || self.n_left_out > 0;
        problems.extend(cut.map(|limit| {
            let reason = format!("the input is larger than {limit}; the rest was not read");
            Problem::new(input, reason)
        }));
        let is_agents_word = matches!(self.format, Some(Format::Openagents | Format::RunLog));
        let channel = Some(if is_agents_word { Origin::Agent } else { Origin::Reviewer });
        let is_run_by_task = self.format == Some(Format::Geas);
        let record = Record { problems, n_put_aside, is_cut, channel, ..Record::default() };
        Ok(Record { events: self.events, is_run_by_task, ..record })
    }

    /// What a shell shows counts when nothing else was found in the input.
    fn take_log_of_shell(&mut self, input: &str) {
        let Some(log) = self.log_of_shell.take().filter(|_| !self.is_index) else { return };
        if self.format.is_none() {
            // Lines that are no JSON are what a log is made of.
            self.notes.start_over();
        }
        self.format = Some(Format::RunLog);
        let (events, left_out) = log.finish(input);
        self.events = events;
        self.notes.go_to(0);
        left_out.into_iter().for_each(|reason| self.notes.problem(reason));
        if self.events.is_empty() {
            self.notes.problem("no line begins with \"$ \" or \"+ \" and a command");
        }
    }

    /// What can be said of a tool's lines only when all were read.
    fn finish_report(&mut self, is_cut: bool) {
        self.notes.go_to(0);
        if self.n_left_out > 0 {
            self.notes.problem(left_out(self.n_left_out));
        }
        if self.format == Some(Format::Cargo) && self.n_objects > 0 {
            let has_missed = is_cut || self.n_left_out > 0 || self.notes.n_put_aside() > 0;
            for event in std::mem::take(&mut self.built).looked(!has_missed) {
                self.push(event);
            }
        }
    }

    /// One word about all lines that were passed over.
    fn plain(&self) -> Option<String> {
        let n = self.n_plain;
        match self.format {
            Some(Format::Cargo) if n > 0 => Some(skipped(n, "no JSON")),
            Some(Format::Lines) if n > 0 => Some(skipped(n, "not of the form path:line: message")),
            _ => None,
        }
    }

    /// Why the input as a whole is of no use, if it is not.
    fn error(&self, is_cut: bool, head: &[u8]) -> Option<ReadError> {
        let input = self.notes.source().input.clone();
        if self.n_lines == 0 && !is_cut {
            return Some(ReadError::Empty { input });
        }
        // A crash can leave NUL bytes in a good log, so they count only when no line
        // was of use.
        let nul = head.iter().position(|&byte| byte == 0);
        if let Some(at) =
            nul.filter(|_| self.format.is_none() || self.n_objects == 0 && self.events.is_empty())
        {
            return Some(ReadError::Binary { input, byte: at + 1 });
        }
        if self.format.is_some() {
            return None;
        }
        Some(match self.is_index {
            true => ReadError::Index { input },
            false if detect::looks_like_document(head) => ReadError::Document { input },
            false => ReadError::Unknown { input, problem: self.notes.first().cloned() },
        })
    }
}

fn skipped(n: u64, why: &str) -> String {
    match n {
        1 => format!("1 line is {why} and was skipped"),
        n => format!("{n} lines are {why} and were skipped"),
    }
}

/// Where the head shows that this is no text: a NUL byte before anything that could be
/// a line of a record or the start of a report. (A program may well hold such lines further on.)
fn binary_at(head: &[u8]) -> Option<usize> {
    let at = head.iter().position(|&byte| byte == 0)?;
    let mut lines = head[..at].split(|&byte| byte == b'\n');
    let is_record = lines.any(|line| line.trim_ascii_start().starts_with(b"{"));
    let is_report = || report_head::format(&head[..at]).is_some();
    (!is_record && !is_report()).then_some(at)
}
