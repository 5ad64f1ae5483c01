//! What happened in a trajectory? Reads ATIF 1.0 to 1.8: whole documents, one document a
//! line, and the streamed form in which a header is followed by one step a line. A document
//! is walked, never held; of a step only what it did is kept.

mod frame;
mod result;

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};

use hardwon_core::event::{Problem, Record, Sourced};
use hardwon_core::lesson::Origin;
use serde_json::Value;

use crate::Limits;
use crate::lines::size;
use crate::notes::Notes;
use crate::run_name::run_name;
use crate::stream::{End, Kept, Shape, Take, walk_with};
use frame::Frame;

/// Outputs say at their end what went wrong, so more of a string is kept than elsewhere.
const MAX_STRING_BYTES: usize = 64 << 10;

/// What messages call it; lists begin as well, under other names.
const TRAJECTORY_NAME: &str = "the trajectory";

/// A trajectory, or a step that stands by itself in the streamed form.
static TRAJECTORY: Shape = Shape::Fields(
    TRAJECTORY_NAME,
    &[
        ("schema_version", Shape::Whole("schema_version")),
        ("session_id", Shape::Whole("session_id")),
        ("trajectory_id", Shape::Whole("trajectory_id")),
        ("parent_session_id", Shape::Whole("parent_session_id")),
        ("__header__", Shape::Whole("__header__")),
        ("created_at", Shape::Whole("created_at")),
        ("agent", Shape::Whole("agent")),
        ("notes", Shape::Whole("notes")),
        ("final_metrics", Shape::Whole("final_metrics")),
        ("continued_trajectory_ref", Shape::Whole("continued_trajectory_ref")),
        ("extra", Shape::Whole("extra")),
        ("steps", Shape::Items("field \"steps\"", &Shape::Whole(STEP))),
        ("subagent_trajectories", Shape::Items("field \"subagent_trajectories\"", &TRAJECTORY)),
        ("step_id", Shape::Whole("step_id")),
        ("timestamp", Shape::Whole("timestamp")),
        ("source", Shape::Whole("source")),
        ("message", Shape::Whole("message")),
        ("model_name", Shape::Whole("model_name")),
        ("tool_calls", Shape::Whole("tool_calls")),
        ("observation", Shape::Whole("observation")),
        ("metrics", Shape::Whole("metrics")),
        ("is_copied_context", Shape::Whole("is_copied_context")),
        ("status", Shape::Whole("status")),
        ("completed_at", Shape::Whole("completed_at")),
        ("error", Shape::Whole("error")),
    ],
);

static TOP: Shape = Shape::Either(&Shape::Items("the list", &TRAJECTORY), &TRAJECTORY);

const STEP: &str = "step";

static KEPT: Kept = Kept {
    fields: &[
        "name",
        "version",
        "model_name",
        "total_prompt_tokens",
        "total_completion_tokens",
        "total_cached_tokens",
        "total_cost_usd",
        "total_steps",
        "step_id",
        "timestamp",
        "source",
        "message",
        "tool_calls",
        "observation",
        "results",
        "metrics",
        "is_copied_context",
        "status",
        "completed_at",
        "error",
        "tool_call_id",
        "function_name",
        "source_call_id",
        "subagent_trajectory_ref",
        "session_id",
        "trajectory_id",
        "trajectory_path",
        "type",
        "text",
        "prompt_tokens",
        "completion_tokens",
        "cached_tokens",
        "cost_usd",
        "is_error",
        "isError",
        "exit_code",
        "exitCode",
        "returncode",
        "success",
        "ok",
    ],
    open: &["extra", "arguments", "content"],
};

/// Reads trajectories, by file or pipe: everything in them is an agent's word.
pub fn read(input: &str, limits: Limits, head: &[u8], reader: impl Read) -> io::Result<Record> {
    let mut reading = Reading::new(input, limits);
    if is_by_line(head) {
        reading.read_lines(reader)?
    } else {
        let max_bytes = limits.input_bytes;
        let end = walk_with(reader, max_bytes, MAX_STRING_BYTES, &TOP, &KEPT, &mut reading)?;
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

struct Reading {
    limits: Limits,
    notes: Notes,
    events: Vec<Sourced>,
    /// Trajectories that are being walked, the outermost first.
    open: Vec<Frame>,
    /// The run to which steps belong that stand by themselves.
    streamed: Option<Frame>,
    ids: BTreeSet<String>,
    /// Lines before the document that is being walked.
    n_before: u64,
    n_documents: u64,
    n_seen: u64,
    /// Something that is no document stands where one was expected.
    is_odd: bool,
    cut: Option<String>,
}

impl Take for Reading {
    fn begin(&mut self, name: &'static str, line: u64) {
        if name != TRAJECTORY_NAME {
            return;
        }
        let line = self.n_before + line;
        self.n_documents += u64::from(self.open.is_empty());
        self.open.push(Frame::new(line));
    }

    fn value(&mut self, name: &'static str, value: Value, line: u64) {
        let line = self.n_before + line;
        self.notes.go_to(line);
        let Some(frame) = self.open.last_mut() else { return };
        match (name, value) {
            (STEP, Value::Object(step)) => frame.step(&step, line, &mut self.notes),
            (STEP, _) => self.notes.problem("a step is not an object"),
            (_, Value::Null) => {}
            (name, value) => {
                frame.told.insert(name.to_owned(), value);
            }
        }
    }

    fn end(&mut self, _name: &'static str) {
        let Some(frame) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.child(frame),
            None => self.take(frame),
        }
    }

    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64) {
        if self.open.is_empty() {
            self.is_odd = true;
            return;
        }
        self.notes.go_to(self.n_before + line);
        self.notes.problem(format!("{name} is {why}"));
    }
}

impl Reading {
    fn new(input: &str, limits: Limits) -> Self {
        Reading {
            limits,
            notes: Notes::new(input, limits.n_problems),
            events: Vec::new(),
            open: Vec::new(),
            streamed: None,
            ids: BTreeSet::new(),
            n_before: 0,
            n_documents: 0,
            n_seen: 0,
            is_odd: false,
            cut: None,
        }
    }

    /// One document a line: a torn one costs only itself.
    fn read_lines(&mut self, reader: impl Read) -> io::Result<()> {
        let mut reader = BufReader::new(reader.take(self.limits.input_bytes.saturating_add(1)));
        let mut n_bytes = 0;
        while !reader.fill_buf()?.is_empty() && n_bytes <= self.limits.input_bytes {
            let mut line = Line { reader: &mut reader, is_over: false, is_blank: true, n_bytes: 0 };
            self.n_documents = 0;
            let max_string = MAX_STRING_BYTES;
            let end = walk_with(&mut line, u64::MAX, max_string, &TRAJECTORY, &KEPT, self)?;
            line.skip()?;
            let is_blank = line.is_blank;
            n_bytes += line.n_bytes;
            if n_bytes > self.limits.input_bytes {
                self.ended(End::Limit(1));
            } else if !is_blank {
                self.ended(end);
            }
            if self.n_documents > 1 && end == End::Whole {
                self.notes.go_to(self.n_before + 1);
                self.notes.problem("more than one document stands in this line");
            }
            self.n_before += 1;
        }
        Ok(())
    }

    /// Says how the walk ended; of a document that is not whole, what was whole is used.
    fn ended(&mut self, end: End) {
        let reason = match end {
            End::Whole if self.is_odd => Some((1, "not a JSON object")),
            End::Whole => None,
            End::Limit(_) => {
                self.cut = Some(size(self.limits.input_bytes));
                None
            }
            End::Early(line) => Some((line, "the document ends too early; what was whole is used")),
            End::Broken(line) => {
                Some((line, "not valid JSON from here on; what was whole is used"))
            }
        };
        self.is_odd = false;
        if let Some((line, reason)) = reason {
            self.notes.go_to(self.n_before + line);
            self.notes.problem(reason);
        }
        while let Some(frame) = self.open.pop() {
            match self.open.last_mut() {
                Some(parent) => parent.child(frame),
                None if frame.has_steps() => self.tell(frame),
                None => {}
            }
        }
    }

    /// A document is whole: a trajectory, the header of a streamed one, or one step of it.
    fn take(&mut self, frame: Frame) {
        self.n_seen += 1;
        if frame.is_step() {
            let streamed = self.streamed.get_or_insert_with(|| Frame::new(1));
            self.notes.go_to(frame.line);
            streamed.step(&frame.told, frame.line, &mut self.notes);
        } else if frame.has_steps() || frame.has_children() {
            self.tell(frame);
        } else if frame.is_header() {
            // A writer that starts again says so again.
            match &self.streamed {
                Some(streamed) if streamed.is_same_run(&frame) => {}
                _ => {
                    if let Some(done) = self.streamed.replace(frame) {
                        self.tell(done);
                    }
                }
            }
        }
    }

    fn tell(&mut self, frame: Frame) {
        let id = self.id(&frame, None);
        self.tell_tree(frame, id, None);
    }

    /// Tells a run, the runs that it only names, and those that stand in it.
    fn tell_tree(&mut self, mut frame: Frame, id: Option<String>, parent: Option<String>) {
        if self.events.len() >= self.limits.n_events {
            self.cut = Some(format!("{} events", self.limits.n_events));
            return;
        }
        let children = frame.take_children();
        let elsewhere = frame.named_elsewhere(&children);
        frame.tell(id.clone(), parent, &mut self.notes, &mut self.events);
        let Some(id) = id else { return };
        for named in elsewhere {
            let line = named.line;
            Frame::new(line).tell(
                Some(named.id),
                Some(id.clone()),
                &mut self.notes,
                &mut self.events,
            );
        }
        for child in children {
            let own = self.id(&child, Some(&id));
            self.tell_tree(child, own, Some(id.clone()));
        }
    }

    /// The id of a run: that of the document, or else of the session unless it is taken.
    fn id(&mut self, frame: &Frame, parent: Option<&str>) -> Option<String> {
        let session = || frame.text("session_id").filter(|id| !id.trim().is_empty());
        let named = frame.text("trajectory_id").filter(|id| !id.trim().is_empty());
        let named = match (named.or_else(session), parent) {
            (Some(id), _) => id,
            (None, Some(parent)) => format!("{parent}/subagent"),
            (None, None) => return None,
        };
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
            self.tell(streamed);
        }
        self.notes.go_to(0);
        if self.n_seen == 0 && self.events.is_empty() && self.notes.first().is_none() {
            self.notes.problem("no trajectory stands in this input");
        }
        let input = self.notes.source().input.clone();
        let is_cut = self.cut.is_some();
        let mut problems = self.notes.into_problems();
        problems.extend(self.cut.map(|limit| {
            Problem::new(input, format!("the input is larger than {limit}; the rest was not read"))
        }));
        let channel = Some(Origin::Agent);
        Record { events: self.events, problems, is_cut, channel, ..Record::default() }
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
    /// Goes to the next line.
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
