//! Is this input one JSON document rather than lines, and one that is read? Some systems keep
//! an artifact a file, written over many lines.

use crate::detect::{Format, Sign, sign};
use crate::json::{self, Parsed};

/// More than this of one document is never held in memory.
pub const MAX_BYTES: u64 = 16 << 20;

/// Whether the start of an input could be that of a document: JSON whose first line is not
/// whole by itself.
pub fn may_be(head: &[u8], max_depth: usize) -> bool {
    let head = head.trim_ascii_start();
    let first_line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    match head.first() {
        Some(b'[') => true,
        Some(b'{') => {
            !std::str::from_utf8(first_line).is_ok_and(|line| json::parse(line, max_depth).is_ok())
        }
        _ => false,
    }
}

/// The artifacts in a document: an object or a list of them, of which one at least shows
/// that it is one, unless the caller names the format. `None` = to be read line by line.
pub fn artifacts(bytes: &[u8], max_depth: usize, format: Option<Format>) -> Option<Vec<Parsed>> {
    if bytes.len() as u64 >= MAX_BYTES {
        return None;
    }
    let objects = json::parse_document(std::str::from_utf8(bytes).ok()?, max_depth).ok()?;
    let is_artifact = |parsed: &Parsed| sign(&parsed.object) == Sign::Of(Format::Geas);
    let is_read = format == Some(Format::Geas) || objects.iter().any(is_artifact);
    is_read.then_some(objects)
}
