//! What happened in a trajectory? Reads ATIF 1.0 to 1.8: whole documents, one document a
//! line, and the streamed form in which a header is followed by one step a line; the header
//! may be missing. A document is walked, never held; of a step only what it did is kept.

mod frame;
mod step;

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};

use hardwon_core::event::Record;
use hardwon_core::lesson::Origin;
use hardwon_core::list;
use serde_json::Value;

use crate::Limits;
use crate::report::{Report, run_name};
use crate::stream::{Document, End, Part, Shape, walk};
use frame::Frame;

/// What messages call it; lists begin as well, under other names.
const TRAJECTORY_NAME: &str = "the trajectory";

const STEP: &str = "step";

/// A trajectory, or a step that stands by itself in the streamed form.
static TRAJECTORY: Shape = Shape::Fields(
    TRAJECTORY_NAME,
    list!("fields.txt", "atif trajectory"),
    &[
        ("steps", Shape::Items("field \"steps\"", &Shape::Whole(STEP))),
        ("subagent_trajectories", Shape::Items("field \"subagent_trajectories\"", &TRAJECTORY)),
    ],
);

static DOCUMENT: Document = Document {
    shape: &Shape::Either(&Shape::Items("the list", &TRAJECTORY), &TRAJECTORY),
    fields: list!("fields.txt", "atif"),
    open: &["extra", "arguments", "content"],
    // Outputs say at their end what went wrong, so more of a string is kept than elsewhere.
    max_string: 64 << 10,
};

/// One line, which is never a list.
static LINE: Document = Document { shape: &TRAJECTORY, ..DOCUMENT };

/// Reads trajectories, by file or pipe: everything in them is an agent's word.
pub fn read(input: &str, limits: Limits, head: &[u8], reader: impl Read) -> io::Result<Record> {
    let report = Report::new(input, limits);
    let mut reading = Reading { report, ..Reading::default() };
    if is_by_line(head) {
        reading.read_lines(reader)?
    } else {
        let end = walk(reader, limits.input_bytes, &DOCUMENT, &mut |part, line| {
            reading.part(part, line)
        })?;
        reading.ended(end);
    }
    Ok(reading.finish())
}

/// Whether each line is a document: unless the first one goes on in the second.
fn is_by_line(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    if head.first() == Some(&b'[') {
        return false;
    }
    let mut lines = head.splitn(3, |byte| *byte == b'\n');
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return true };
    let is_unfinished =
        serde_json::from_slice::<serde::de::IgnoredAny>(first).is_err_and(|error| error.is_eof());
    // A torn first line is followed by one that begins anew.
    !is_unfinished || second.starts_with(b"{\"")
}

#[derive(Default)]
struct Reading {
    report: Report,
    /// Trajectories that are being walked, the outermost first.
    open: Vec<Frame>,
    /// The run to which steps belong that stand by themselves.
    streamed: Option<Frame>,
    ids: BTreeSet<String>,
    /// Lines before the document that is being walked.
    n_before: u64,
    n_documents: u64,
    n_seen: u64,
    /// Something else stands where a document was expected.
    is_odd: bool,
}

impl Reading {
    fn part(&mut self, part: Part<'_>, line: u64) {
        let line = self.n_before + line;
        match part {
            Part::Begin(TRAJECTORY_NAME) => {
                self.n_documents += u64::from(self.open.is_empty());
                self.open.push(Frame::new(line));
            }
            Part::Begin(_) => {}
            Part::Whole(name, value) => {
                self.report.notes.go_to(line);
                let Some(frame) = self.open.last_mut() else { return };
                match (name, value) {
                    (STEP, Value::Object(step)) => frame.step(&step, line, &self.report.notes),
                    (STEP, _) => self.report.notes.problem("a step is not an object"),
                    (_, Value::Null) => {}
                    (name, value) => drop(frame.fields.insert(name.to_owned(), value)),
                }
            }
            Part::End(_) => {
                let Some(frame) = self.open.pop() else { return };
                match self.open.last_mut() {
                    Some(parent) => parent.add_child(frame),
                    None => self.take(frame),
                }
            }
            Part::Wrong(..) if self.open.is_empty() => self.is_odd = true,
            Part::Wrong(name, fault) => {
                self.report.notes.go_to(line);
                self.report.notes.problem(format!("{name} is {fault}"));
            }
        }
    }

    /// One document a line: a torn one costs only itself.
    fn read_lines(&mut self, reader: impl Read) -> io::Result<()> {
        let max_bytes = self.report.limits.input_bytes;
        let mut reader = BufReader::new(reader.take(max_bytes.saturating_add(1)));
        let mut n_bytes = 0;
        while !reader.fill_buf()?.is_empty() && n_bytes <= max_bytes {
            let mut line = Line { reader: &mut reader, is_over: false, is_blank: true, n_bytes: 0 };
            self.n_documents = 0;
            let end = walk(&mut line, u64::MAX, &LINE, &mut |part, line| self.part(part, line))?;
            line.skip()?;
            n_bytes += line.n_bytes;
            if n_bytes > max_bytes {
                self.ended(End::Limit(1));
            } else if !line.is_blank {
                self.ended(end);
            }
            if self.n_documents > 1 && end == End::Whole {
                self.report.notes.go_to(self.n_before + 1);
                self.report.notes.problem("more than one document stands in this line");
            }
            self.n_before += 1;
        }
        Ok(())
    }

    /// Notes how the walk ended; of a document that is not whole, what was whole is used.
    fn ended(&mut self, end: End) {
        if end == End::Whole && self.is_odd {
            self.report.notes.go_to(self.n_before + 1);
            self.report.notes.problem("not a JSON object");
        }
        self.is_odd = false;
        self.report.ended(end, self.n_before);
        while let Some(frame) = self.open.pop() {
            match self.open.last_mut() {
                Some(parent) => parent.add_child(frame),
                None if frame.has_steps() => self.state(frame),
                None => {}
            }
        }
    }

    /// Takes a whole document: a trajectory, the header of a streamed one, or one step of it.
    fn take(&mut self, frame: Frame) {
        self.n_seen += 1;
        if frame.is_step() {
            let streamed = self.streamed.get_or_insert_with(|| Frame::new(1));
            self.report.notes.go_to(frame.line);
            streamed.step(&frame.fields, frame.line, &self.report.notes);
        } else if frame.has_steps() || !frame.children.is_empty() {
            self.state(frame);
        } else if frame.is_header() {
            // A writer that starts again writes its header again.
            let is_same = self.streamed.as_ref().is_some_and(|known| known.is_same_run(&frame));
            if !is_same && let Some(done) = self.streamed.replace(frame) {
                self.state(done);
            }
        }
    }

    fn state(&mut self, frame: Frame) {
        let id = self.id(&frame, None);
        self.state_tree(frame, id, None);
    }

    /// States a run, the runs that it only names, and those that stand in it.
    fn state_tree(&mut self, mut frame: Frame, id: Option<String>, parent: Option<String>) {
        if self.report.is_full() {
            return;
        }
        let children = std::mem::take(&mut frame.children);
        let elsewhere = frame.named_elsewhere(&children);
        frame.state(id.clone(), parent, &mut self.report);
        let Some(id) = id else { return };
        for (named, line) in elsewhere {
            Frame::new(line).state(Some(named), Some(id.clone()), &mut self.report);
        }
        for child in children {
            let own = self.id(&child, Some(&id));
            self.state_tree(child, own, Some(id.clone()));
        }
    }

    /// The id of a run: that of the document, or else of the session unless it is taken.
    fn id(&mut self, frame: &Frame, parent: Option<&str>) -> Option<String> {
        let named = ["trajectory_id", "session_id"]
            .iter()
            .find_map(|name| frame.text(name).filter(|id| !id.trim().is_empty()));
        let named = named.or_else(|| parent.map(|parent| format!("{parent}/subagent")))?;
        let mut id = run_name(&named);
        let mut n = 1;
        while !self.ids.insert(id.clone()) {
            n += 1;
            id = run_name(&format!("{named}/{n}"));
        }
        Some(id)
    }

    fn finish(mut self) -> Record {
        self.ended(End::Whole);
        if let Some(streamed) = self.streamed.take() {
            self.state(streamed);
        }
        let notes = &self.report.notes;
        notes.go_to(0);
        if self.n_seen == 0 && self.report.events.is_empty() && notes.first().is_none() {
            notes.problem("no trajectory stands in this input");
        }
        Record { channel: Some(Origin::Agent), is_report: false, ..self.report.finish() }
    }
}

/// One line of a stream, as a stream of its own.
struct Line<'r, R> {
    reader: &'r mut R,
    is_over: bool,
    is_blank: bool,
    n_bytes: u64,
}

impl<R: BufRead> Line<'_, R> {
    fn skip(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        while self.read(&mut buffer)? > 0 {}
        Ok(())
    }
}

impl<R: BufRead> Read for Line<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over || into.is_empty() {
            return Ok(0);
        }
        let bytes = self.reader.fill_buf()?;
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let n = end.min(into.len());
        into[..n].copy_from_slice(&bytes[..n]);
        self.is_blank &= bytes[..n].trim_ascii().is_empty();
        self.is_over = bytes.is_empty() || n == end && end < bytes.len();
        let n_used = n + usize::from(self.is_over && !bytes.is_empty());
        self.reader.consume(n_used);
        self.n_bytes += n_used as u64;
        Ok(n)
    }
}
