//! Does the format that was named fit the input? Only what fits is read: a reader that understands
//! nothing of an input would say that its tool looked and found nothing.

use hardwon_core::event::Record;

use crate::detect::{self, Format, Sign};
use crate::read_error::ReadError;
use crate::{Limits, jkz, json, looks, report_head, run_log, transcript};

/// What is read of an input with this head as the named format. Another format that the start shows
/// by its names is refused at once; lines of text may be meant otherwise, until nothing came of it.
pub fn refused(
    input: &str,
    head: &[u8],
    named: Format,
    read: impl FnOnce() -> Result<Record, ReadError>,
) -> Result<Record, ReadError> {
    let is_text = |format| matches!(format, Format::Lines | Format::RunLog | Format::Review);
    let shows = shown(head).filter(|shows| *shows != named);
    // A review may look like anything.
    let is_open = shows.is_none() && named != Format::Review;
    let seems = Some(head).filter(|_| is_open).and_then(looks::like);
    let (input, named) = (input.to_owned(), Some(named));
    let refused = ReadError::Unknown { input, named, shows, seems, problem: None };
    if !shows.is_none_or(is_text) {
        return Err(refused);
    }
    let is_other = shows.is_some() || seems.is_some();
    match read() {
        Ok(record) if record.events.is_empty() && is_other => Err(refused),
        Err(ReadError::Unknown { .. }) => Err(refused),
        read => read,
    }
}

/// The format that the start of an input shows, as it would be read without a name.
fn shown(head: &[u8]) -> Option<Format> {
    if let Some(format) = report_head::format(head) {
        return Some(format);
    }
    if transcript::looks_like(head) {
        return Some(Format::Transcript);
    }
    if run_log::looks_like(head) {
        return Some(Format::RunLog);
    }
    let text = String::from_utf8_lossy(head);
    if jkz::may_be_review(head) && jkz::is_review(&text) {
        return Some(Format::Review);
    }
    let depth = Limits::default().depth;
    if detect::may_be_document(head, depth) && detect::artifacts(head, depth, None).is_some() {
        return Some(Format::Geas);
    }
    text.lines().find_map(|line| match detect::sign(&json::parse(line, depth).ok()?.object) {
        Sign::Of(format) => Some(format),
        Sign::OfIndex | Sign::Unclear => None,
    })
}
