//! What does a session say that is kept as one document? It is walked, never held: the
//! messages go one by one to the reader of their host, whatever they are called there.

use std::io::{self, Read};

use serde_json::Value;

use super::Reading;
use crate::json::Object;
use crate::stream::{Document, End, Part, Shape, walk};
use hardwon_core::list;

/// One message, step or event.
const MESSAGE: &str = "message";

static SESSION: Shape = Shape::Fields(
    "the session",
    list!("fields.txt", "session"),
    &[
        ("messages", Shape::Items("field \"messages\"", &Shape::Whole(MESSAGE))),
        ("items", Shape::Items("field \"items\"", &Shape::Whole(MESSAGE))),
        ("steps", Shape::Items("field \"steps\"", &Shape::Whole(MESSAGE))),
        ("trajectory", Shape::Items("field \"trajectory\"", &Shape::Whole(MESSAGE))),
    ],
);

static DOCUMENT: Document = Document {
    shape: &Shape::Either(&Shape::Items("the list", &Shape::Whole(MESSAGE)), &SESSION),
    fields: &[],
    // What is called so is kept with everything in it.
    open: list!("fields.txt", "session whole"),
    max_string: 64 << 10,
};

/// Walks the document; of one that is not whole, what was whole is used.
pub fn read(reader: impl Read, reading: &mut Reading) -> io::Result<End> {
    let max_bytes = reading.report.limits.input_bytes;
    reading.n_lines = 1;
    let mut header = Object::new();
    let end = walk(reader, max_bytes, &DOCUMENT, &mut |part, line| match part {
        Part::Whole(MESSAGE, value) => {
            reading.n_lines = line;
            if value.is_object() {
                reading.take(line, &value);
            }
        }
        Part::Whole(name, value) => {
            reading.n_lines = line;
            reading.note_folder(name, &value);
            header.insert(name.to_owned(), value);
        }
        Part::Wrong(name, fault) => {
            reading.report.notes.go_to(line);
            reading.report.notes.problem(format!("{name} is {fault}"));
        }
        Part::Begin(_) | Part::End(_) => {}
    })?;
    reading.header(&Value::Object(header));
    reading.report.ended(end, 0);
    Ok(end)
}
