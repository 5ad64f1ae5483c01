//! What does one input state? Leads the lines of a file or pipe through detection and
//! the reader of their format, and says in a full sentence why an input is of no use.

use std::io::{self, BufReader, Cursor, Read};

use hardwon_core::event::{Event, Problem, Record};
use hardwon_core::fixed::Reach;
use hardwon_core::lesson::Origin;

use crate::archeflow::Log;
use crate::cargo_json::Built;
use crate::detect::{self, Format, MAX_DOCUMENT_BYTES, Sign};
use crate::fields::Fields;
use crate::json::{self, NotObject, Object, Parsed};
use crate::lines::{BYTE_ORDER_MARK, Content, Lines, size};
use crate::read_error::ReadError;
use crate::report::Report;
use crate::run_log::RunLog;
use crate::{
    Limits, atif, cargo_json, eslint, geas, generic, github, jkz, junit, looks, misfit, openagents,
    rdjson, report_head, run_log, run_record, sarif, transcript,
};

/// How much is looked at to tell text from binary.
const HEAD_BYTES: u64 = 8 << 10;

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

pub fn read_within(
    limits: Limits,
    input: &str,
    reader: impl Read,
    format: Option<Format>,
) -> Result<Record, ReadError> {
    read_by(limits, input, &mut { reader }, format, None)
}

/// [`read`] for a caller who may know who wrote a review.
pub(crate) fn read_by(
    limits: Limits,
    input: &str,
    mut reader: &mut dyn Read,
    format: Option<Format>,
    author: Option<&str>,
) -> Result<Record, ReadError> {
    let failed = |source: io::Error| ReadError::Io { input: input.to_owned(), source };
    let mut head = Vec::new();
    (&mut reader).take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
    if is_utf_16(&head) {
        let text = of_utf_16(head, reader).map_err(failed)?;
        // Of what is longer than that, the rest is not read.
        let input_bytes = limits.input_bytes.min(text.len() as u64);
        let mut whole = text.as_bytes().chain(reader);
        return read_by(Limits { input_bytes, ..limits }, input, &mut whole, format, author);
    }
    let n_mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    head.drain(..n_mark);
    if let Some(at) = looks::binary_at(&head) {
        let seems = looks::like(&head);
        return Err(ReadError::Binary { input: input.to_owned(), byte: n_mark + at + 1, seems });
    }
    // Says only that cargo's lines are clippy's; the content shows what the input is.
    let is_clippy = format == Some(Format::Clippy);
    let named = format.filter(|_| !is_clippy);
    let Some(format) = named else {
        return read_text(limits, input, head, reader, None, (is_clippy, author));
    };
    let read = || read_text(limits, input, head.clone(), reader, named, (false, author));
    misfit::refused(input, &head, format, read)
}

/// Reads a text of which this is the head. Of cargo's lines, and of a review, the caller may know
/// whose they are.
fn read_text(
    limits: Limits,
    input: &str,
    mut head: Vec<u8>,
    mut reader: &mut dyn Read,
    format: Option<Format>,
    (is_clippy, author): (bool, Option<&str>),
) -> Result<Record, ReadError> {
    let failed = |source: io::Error| ReadError::Io { input: input.to_owned(), source };
    let is_atif = format == Some(Format::Atif) || format.is_none() && report_head::is_atif(&head);
    if is_atif && !head.trim_ascii().is_empty() {
        return atif::read(input, limits, &head, Cursor::new(&head).chain(reader)).map_err(failed);
    }
    if let Some(record) = transcript::asked(input, &mut head, &mut reader, format)? {
        return Ok(record);
    }
    let format = format.or_else(|| report_head::format(&head));
    let mut report = Report::new(input, limits);
    if let Some(read) = report_reader(format).filter(|_| !head.trim_ascii().is_empty()) {
        read(&mut Cursor::new(&head).chain(reader), &mut report).map_err(failed)?;
        // Calls state several runs, each under its own id.
        let is_report = format != Some(Format::Deliberation);
        return Ok(Record { is_report, ..report.finish() });
    }
    let is_log = format.is_none() && run_log::looks_like(&head);
    let mut start = head.clone();
    let may_be_review = format.is_none() && !is_log && jkz::may_be_review(&head);
    if may_be_review {
        (&mut reader).take(MAX_DOCUMENT_BYTES).read_to_end(&mut start).map_err(failed)?;
    }
    let is_review = may_be_review && jkz::is_review(&String::from_utf8_lossy(&start));
    if (is_review || format == Some(Format::Review)) && !head.trim_ascii().is_empty() {
        let whole = &mut Cursor::new(&start).chain(reader);
        let record = jkz::review(whole, report, author).map_err(failed)?;
        return Ok(Record { is_review: true, ..record });
    }
    let shell_log = (is_log || format == Some(Format::RunLog)).then(RunLog::default);
    let built = Built::new(is_clippy);
    let mut reading = Reading { report, format, shell_log, built, ..Reading::default() };
    let is_geas = format.is_none_or(|format| format == Format::Geas);
    if is_geas && detect::may_be_document(&head, limits.depth) {
        (&mut reader).take(MAX_DOCUMENT_BYTES).read_to_end(&mut start).map_err(failed)?;
        if let Some(objects) = detect::artifacts(&start, limits.depth, format) {
            reading.take_document(objects);
            return reading.finish(&head);
        }
    }
    let mut lines = Lines::new(BufReader::new(Cursor::new(&start).chain(reader)), limits);
    while let Some(line) = lines.next_line().map_err(failed)? {
        if reading.report.is_full() {
            break;
        }
        reading.take_line(line.number, line.content);
        if reading.is_hopeless() {
            break;
        }
    }
    if lines.is_cut() {
        reading.report.cut = Some(size(limits.input_bytes));
    }
    reading.finish(&head)
}

type ReportReader = fn(&mut dyn Read, &mut Report) -> io::Result<()>;

fn report_reader(format: Option<Format>) -> Option<ReportReader> {
    match format? {
        Format::Sarif => Some(sarif::read),
        Format::Junit => Some(junit::read),
        Format::Rdjson => Some(rdjson::read),
        Format::Github => Some(github::read),
        Format::Eslint => Some(eslint::read),
        Format::Deliberation => Some(jkz::deliberations),
        _ => None,
    }
}

/// Whether an input begins with the mark of UTF-16: some shells write every output so. Every
/// format has ASCII in it, which UTF-16 writes with zeros: without any, the mark is a broken line.
fn is_utf_16(head: &[u8]) -> bool {
    let is_marked = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    is_marked && (head.len() == 2 || head[2..].contains(&0))
}

/// The text of an input in UTF-16, as some shells write every output, as far as one document is
/// held in memory. What is no character becomes a replacement sign.
fn of_utf_16(mut bytes: Vec<u8>, reader: &mut dyn Read) -> io::Result<String> {
    reader.take(MAX_DOCUMENT_BYTES).read_to_end(&mut bytes)?;
    let is_big_endian = bytes.starts_with(b"\xFE\xFF");
    let unit = |two: &[u8]| match *two {
        [high, low] if is_big_endian => u16::from_be_bytes([high, low]),
        [low, high] => u16::from_le_bytes([low, high]),
        // Half a unit at the end is half a character.
        _ => 0xDC00,
    };
    let letters = char::decode_utf16(bytes[2..].chunks(2).map(unit));
    Ok(letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

#[derive(Default)]
struct Reading {
    report: Report,
    format: Option<Format>,
    log: Log,
    /// What a shell shows, as long as the input shows no format.
    shell_log: Option<RunLog>,
    n_lines: u64,
    n_objects: u64,
    is_index: bool,
    /// Lines that are no JSON, or have no place, where others may stand between.
    n_plain: u64,
    built: Built,
}

impl Reading {
    fn take_line(&mut self, number: u64, content: Content<'_>) {
        self.n_lines += 1;
        self.report.notes.go_to(number);
        let (text, has_end) = match content {
            Content::Text { text, has_end } => (text, has_end),
            Content::PutAside(reason) => return self.report.notes.problem(reason),
        };
        if let Some(log) = &mut self.shell_log {
            log.line(number, text);
        }
        match self.format {
            Some(Format::RunLog) => return,
            Some(Format::Lines) => return self.take_generic(text),
            _ => {}
        }
        match json::parse(text, self.report.limits.depth) {
            Ok(parsed) => self.take_object(parsed),
            Err(NotObject::Unfinished(_)) if !has_end => {
                self.report.is_partial = true;
                self.report.notes.problem("the last line is torn: it has no end");
            }
            Err(reason) => {
                let is_plain = reason == NotObject::OtherType;
                self.n_plain += u64::from(is_plain);
                if !is_plain || self.format != Some(Format::Cargo) {
                    self.report.notes.problem(reason);
                }
            }
        }
    }

    fn take_object(&mut self, parsed: Parsed) {
        self.n_objects += 1;
        let object = &parsed.checked(&self.report.notes);
        // Lines before the first that shows a format state nothing in any format.
        let Some(format) = self.format.or_else(|| self.detect(object)) else { return };
        if self.format.is_none() && format == Format::Cargo {
            // What was printed before the first line of JSON is counted, not complained about.
            self.report.notes.start_over();
        }
        self.format = Some(format);
        self.shell_log = None;
        let line = self.report.fields(object);
        let events = match format {
            Format::Geas => geas::events(object, line.notes),
            Format::Cargo | Format::Clippy => {
                let events = Vec::from_iter(cargo_json::events(line));
                self.built.see(line, &events);
                events
            }
            Format::Rdjsonl => rdjson::line(line).map(Event::Finding).into_iter().collect(),
            Format::Openagents => openagents::events(line),
            Format::Run if has_type(line) => run_record::event(line).into_iter().collect(),
            Format::Archeflow if has_type(line) => self.log.events(line),
            _ => return,
        };
        events.into_iter().for_each(|event| self.push(event));
    }

    /// Keeps an event. Of a tool's findings only so many are, as in its other reports.
    fn push(&mut self, event: Event) {
        let is_report =
            matches!(self.format, Some(Format::Cargo | Format::Rdjsonl | Format::Lines));
        match event {
            Event::Finding(finding) if is_report => self.report.finding(finding),
            event => self.report.push(event),
        }
    }

    fn take_generic(&mut self, line: &str) {
        let Some(finding) = generic::finding(line) else {
            self.n_plain += 1;
            return;
        };
        if self.report.events.is_empty() {
            self.push(cargo_json::looked(generic::AUTHOR, Reach::default()));
        }
        self.push(Event::Finding(finding));
    }

    fn take_document(&mut self, objects: Vec<Parsed>) {
        (self.n_lines, self.format) = (1, Some(Format::Geas));
        for object in objects {
            if self.report.is_full() {
                return;
            }
            self.take_object(object);
        }
    }

    fn detect(&mut self, object: &Object) -> Option<Format> {
        let sign = detect::sign(object);
        self.is_index |= sign == Sign::OfIndex;
        if let Sign::Of(format) = sign { Some(format) } else { None }
    }

    fn is_hopeless(&self) -> bool {
        self.format.is_none() && self.shell_log.is_none() && self.n_lines >= MAX_UNCLEAR_LINES
    }

    fn finish(mut self, head: &[u8]) -> Result<Record, ReadError> {
        // What a shell shows counts when nothing else was found in the input.
        if let Some(log) = self.shell_log.take().filter(|_| !self.is_index) {
            if self.format.is_none() {
                // Lines that are no JSON are what a log is made of.
                self.report.notes.start_over();
            }
            self.format = Some(Format::RunLog);
            self.report.notes.go_to(0);
            log.finish(&mut self.report);
        }
        if let Some(error) = self.error(head) {
            return Err(error);
        }
        if self.format == Some(Format::Cargo) && self.n_objects > 0 {
            self.report.notes.go_to(0);
            let built = std::mem::take(&mut self.built);
            self.report.is_partial |= !built.has_end;
            let looked = built.looked(!self.report.has_missed());
            looked.into_iter().for_each(|event| self.push(event));
        }
        let input = self.report.notes.source().input;
        let mut record = self.report.finish();
        let why = match self.format {
            Some(Format::Cargo) => Some("no JSON"),
            Some(Format::Lines) => Some("not of the form path:line: message"),
            _ => None,
        };
        if let Some(why) = why.filter(|_| self.n_plain > 0) {
            record.problems.push(Problem::new(input, skipped(self.n_plain, why)));
        }
        if matches!(self.format, Some(Format::Openagents | Format::RunLog)) {
            record.channel = Some(Origin::Agent);
        }
        let is_run_by_task = self.format == Some(Format::Geas);
        Ok(Record { is_run_by_task, is_report: false, ..record })
    }

    fn error(&self, head: &[u8]) -> Option<ReadError> {
        let input = self.report.notes.source().input;
        if self.n_lines == 0 && self.report.cut.is_none() {
            return Some(ReadError::Empty { input });
        }
        // A crash can leave NUL bytes in a good log, so they count only when no line
        // was of use.
        let is_useless = self.n_objects == 0 && self.report.events.is_empty();
        if self.format.is_none() || is_useless {
            let nul = head.iter().position(|&byte| byte == 0);
            if let Some(at) = nul {
                return Some(ReadError::Binary { input, byte: at + 1, seems: looks::like(head) });
            }
        }
        if self.format.is_some() {
            return None;
        }
        let (problem, seems) = (self.report.notes.first(), looks::like(head));
        Some(match self.is_index {
            true => ReadError::Index { input },
            false => ReadError::Unknown { input, named: None, shows: None, seems, problem },
        })
    }
}

/// Whether an object says what it is, as every line of these formats has to.
fn has_type(line: Fields<'_>) -> bool {
    if !line.has("type") {
        line.notes.problem("no field \"type\": the line is skipped");
    }
    line.text("type").is_some()
}

fn skipped(n: u64, why: &str) -> String {
    match n {
        1 => format!("1 line is {why} and was skipped"),
        n => format!("{n} lines are {why} and were skipped"),
    }
}
