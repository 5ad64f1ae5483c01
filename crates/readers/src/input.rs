//! What does one input state? Leads the lines of a file or pipe through detection and
//! the reader of their format, and says in a full sentence why an input is of no use.

use std::io::{self, BufReader, Cursor, Read};

use hardwon_core::event::{Event, Problem, Record, Sourced};
use hardwon_core::lesson::Origin;

use crate::archeflow::Log;
use crate::detect::{self, Format, Sign};
use crate::json::{self, Fields, NotObject, Object, Parsed};
use crate::lines::{Content, Lines, size};
use crate::notes::Notes;
use crate::report::Report;
use crate::{
    Limits, cargo_json, document, eslint, geas, generic, github, junit, pytest, rdjson,
    report_head, run_record, sarif, transcript,
};

/// How much is looked at to tell text from binary.
const HEAD_BYTES: u64 = 8 << 10;

/// After this many lines that show no format, none is expected any more.
const MAX_UNCLEAR_LINES: u64 = 1000;

/// Why an input is of no use as a whole. A bad line is never an error, only a problem
/// in the record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No line at all.
    #[error(
        "{input} is empty. Give a record with at least one line; a run that found nothing \
         is one \"run\" line that lists its \"detectors\"."
    )]
    Empty { input: String },
    /// Not text.
    #[error(
        "{input} is not text: it has a NUL byte at byte {byte}. Unpack it or save it as \
         UTF-8, with one JSON object per line."
    )]
    Binary { input: String, byte: usize },
    /// ArcheFlow's list of finished runs: nothing to learn, and nothing wrong with it.
    #[error(
        "{input} is ArcheFlow's index of finished runs and holds no findings. Give the \
         event log of a run, which stands beside it."
    )]
    Index { input: String },
    /// One JSON document where lines were expected.
    #[error(
        "{input} is a single JSON document in none of the formats that are read ({formats}), \
         or too large or too deep for one. Write one JSON object per line (jq -c '.[]' does \
         that for a list), or name the format with --format.",
        formats = Format::words()
    )]
    Document { input: String },
    /// None of our formats.
    #[error(
        "{input} is in none of the formats that are read ({formats}){}. If it should be, \
         name the format with --format and look at the problems.",
        first_problem(problem),
        formats = Format::words()
    )]
    Unknown { input: String, problem: Option<Problem> },
    /// The input could not be read to its end; nothing of it was used.
    #[error("{input} could not be read: {source}. Check that it exists and may be read.")]
    Io { input: String, source: io::Error },
}

impl ReadError {
    /// Whether there is simply nothing to learn from this input: to be passed over in
    /// silence when it was met in a folder.
    pub fn is_nothing_to_learn(&self) -> bool {
        matches!(self, ReadError::Index { .. })
    }
}

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
        .unwrap_or_else(|source| Err(ReadError::Io { input: input.to_owned(), source }))
}

fn read_input(
    limits: Limits,
    input: &str,
    mut reader: impl Read,
    format: Option<Format>,
) -> io::Result<Result<Record, ReadError>> {
    let mut head = Vec::new();
    (&mut reader).take(HEAD_BYTES).read_to_end(&mut head)?;
    if let Some(at) = binary_at(&head) {
        return Ok(Err(ReadError::Binary { input: input.to_owned(), byte: at + 1 }));
    }
    if format.is_none() && transcript::is_transcript(&head) {
        return Ok(transcript::transcript(input, Cursor::new(head).chain(reader)));
    }
    let format = format.or_else(|| report_head::format(&head));
    if let Some(read) = report_reader(format) {
        let mut report = Report::new(input, limits);
        if !head.trim_ascii().is_empty() {
            let head = without_mark(&head);
            read(&mut Cursor::new(head).chain(reader), limits, &mut report)?;
            return Ok(Ok(report.finish()));
        }
    }
    let mut reading = Reading::new(limits, input, format);
    let mut start = head.clone();
    if reading.may_be_document(&head) {
        (&mut reader).take(document::MAX_BYTES).read_to_end(&mut start)?;
        if let Some(objects) = document::artifacts(&start, limits.depth, format) {
            let cut = reading.take_document(&objects);
            return Ok(reading.finish(cut, &head));
        }
    }
    let stream = BufReader::new(Cursor::new(&start).chain(reader));
    let mut lines = Lines::new(stream, limits);
    let mut cut = None;
    while let Some(line) = lines.next_line()? {
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
    Ok(reading.finish(cut, &head))
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
        Format::Run
        | Format::Archeflow
        | Format::Geas
        | Format::Cargo
        | Format::Rdjsonl
        | Format::Lines => return None,
    })
}

fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head)
}

/// An input that is being read.
struct Reading {
    limits: Limits,
    notes: Notes,
    events: Vec<Sourced>,
    format: Option<Format>,
    log: Log,
    n_lines: u64,
    n_objects: u64,
    is_index: bool,
    /// Lines that are no JSON, or have no place, where others may stand between.
    n_plain: u64,
}

impl Reading {
    fn new(limits: Limits, input: &str, format: Option<Format>) -> Self {
        Reading {
            limits,
            notes: Notes::new(input, limits.n_problems),
            events: Vec::new(),
            format,
            log: Log::default(),
            n_lines: 0,
            n_objects: 0,
            is_index: false,
            n_plain: 0,
        }
    }

    fn take_line(&mut self, number: u64, content: Content<'_>) {
        self.n_lines += 1;
        self.notes.go_to(number);
        match content {
            Content::PutAside(reason) => self.notes.problem(reason),
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
        let is_first = self.events.is_empty();
        if self.format.is_none() && format == Format::Cargo {
            // What was printed before the first line of JSON is counted, not complained about.
            self.notes.start_over();
        }
        self.format = Some(format);
        let events = match format {
            Format::Geas => geas::events(object, &mut self.notes),
            Format::Cargo => cargo_json::events(object, is_first, &mut self.notes),
            Format::Rdjsonl => {
                rdjson::line(object, &mut self.notes).map(Event::Finding).into_iter().collect()
            }
            Format::Sarif
            | Format::Junit
            | Format::Rdjson
            | Format::Github
            | Format::Pytest
            | Format::Eslint
            | Format::Lines => return,
            _ if !self.has_type(object) => return,
            Format::Run => run_record::event(object, &mut self.notes).into_iter().collect(),
            Format::Archeflow => self.log.events(object, &mut self.notes),
        };
        let source = self.notes.source();
        self.events
            .extend(events.into_iter().map(|event| Sourced { source: source.clone(), event }));
    }

    fn take_generic(&mut self, line: &str) {
        let Some(finding) = generic::finding(line) else {
            self.n_plain += 1;
            return;
        };
        let source = self.notes.source().clone();
        if self.events.is_empty() {
            let event = cargo_json::looked(generic::author());
            self.events.push(Sourced { source: source.clone(), event });
        }
        self.events.push(Sourced { source, event: Event::Finding(finding) });
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
        self.format.is_none() && self.n_lines >= MAX_UNCLEAR_LINES
    }

    /// `cut` names the limit that was met, if one was.
    fn finish(self, cut: Option<String>, head: &[u8]) -> Result<Record, ReadError> {
        let input = self.notes.source().input.clone();
        if let Some(error) = self.error(cut.is_some(), head) {
            return Err(error);
        }
        let n_put_aside = self.notes.n_put_aside();
        let plain = self.plain();
        let mut problems = self.notes.into_problems();
        problems.extend(plain.map(|reason| Problem::new(&input, reason)));
        let is_cut = cut.is_some();
        problems.extend(cut.map(|limit| {
            let reason = format!("the input is larger than {limit}; the rest was not read");
            Problem::new(input, reason)
        }));
        let channel = Some(Origin::Reviewer);
        let is_run_by_task = self.format == Some(Format::Geas);
        Ok(Record { events: self.events, problems, n_put_aside, is_cut, channel, is_run_by_task })
    }

    /// One word about all lines that were passed over.
    fn plain(&self) -> Option<String> {
        let n = self.n_plain;
        match self.format {
            Some(Format::Cargo) if n > 0 => Some(format!("{n} lines are no JSON and were skipped")),
            Some(Format::Lines) if n > 0 => {
                Some(format!("{n} lines are not of the form path:line: message and were skipped"))
            }
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

/// Where the head shows that this is no text: a NUL byte before anything that could be
/// a line of a record. (A program may well hold such lines further on.)
fn binary_at(head: &[u8]) -> Option<usize> {
    let at = head.iter().position(|&byte| byte == 0)?;
    let mut lines = head[..at].split(|&byte| byte == b'\n');
    let is_record = lines.any(|line| line.trim_ascii_start().starts_with(b"{"));
    (!is_record).then_some(at)
}

fn first_problem(problem: &Option<Problem>) -> String {
    match problem {
        Some(problem) => format!(" (first problem: {}: {})", problem.at, problem.reason),
        None => String::new(),
    }
}
