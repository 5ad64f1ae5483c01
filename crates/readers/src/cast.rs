//! Which commands does a recording of asciinema show? Only the output counts: it repeats what
//! was typed.

use std::io::{self, BufReader, Read};

use serde_json::Value;

use crate::lines::{Content, Lines, size};
use crate::report::Report;
use crate::run_log::RunLog;

/// Longest line of a terminal that is held.
const MAX_LINE_BYTES: usize = 8 << 10;

/// Whether the start of an input is that of a recording.
pub fn is_cast(head: &[u8]) -> bool {
    let first = head.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(header) = serde_json::from_slice::<Value>(first) else { return false };
    let is_version = (1..=3).any(|version| header["version"] == version);
    is_version
        && (header["width"].is_u64() && header["height"].is_u64() || header["term"].is_object())
}

/// Reads a recording: a header, then one event a line.
pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let mut log = RunLog::default();
    let (mut shown, mut last) = (String::new(), 1);
    let mut lines = Lines::new(BufReader::new(reader), report.limits);
    while let Some(line) = lines.next_line()? {
        let Content::Text { text, .. } = line.content else { continue };
        last = line.number;
        let Ok(event) = serde_json::from_str::<Value>(text) else { continue };
        let Some(output) = event[2].as_str().filter(|_| event[1] == "o") else { continue };
        for part in output.split_inclusive('\n') {
            if shown.len() + part.len() <= MAX_LINE_BYTES {
                shown.push_str(part);
            }
            if part.ends_with('\n') {
                log.line(line.number, shown.trim_end_matches('\n'));
                shown.clear();
            }
        }
    }
    if lines.is_cut() {
        report.cut = Some(size(report.limits.input_bytes));
    }
    log.line(last, &shown);
    report.notes.go_to(0);
    log.finish(report);
    Ok(())
}
