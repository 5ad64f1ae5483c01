//! What ArcheFlow writes about its runs: the lines of an event log.

use hardwon_core::time::Timestamp;

use super::{seconds, written};
use crate::json_line::{compacted, is_json, object, text};

/// One event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventLine<'a> {
    pub ts: Timestamp,
    pub run_id: &'a str,
    pub seq: u64,
    /// The events that led to this one, by their `seq`.
    pub parents: &'a [u64],
    pub event_type: &'a str,
    pub phase: &'a str,
    pub agent: Option<&'a str>,
    /// JSON; anything else is written as a string, so that the line stays valid.
    pub data: &'a str,
}

/// A line of `events/<run_id>.jsonl`.
pub fn event_line(event: &EventLine<'_>) -> String {
    let EventLine { ts, run_id, seq, parents, event_type, phase, agent, data } = *event;
    let parents: Vec<String> = parents.iter().map(u64::to_string).collect();
    object(&written([
        ("ts", seconds(Some(ts))),
        ("run_id", text(run_id)),
        ("seq", seq.to_string()),
        ("parent", format!("[{}]", parents.join(","))),
        ("type", text(event_type)),
        ("phase", text(phase)),
        ("agent", agent.map_or_else(|| "null".to_owned(), text)),
        ("data", compact_data(data)),
    ]))
}

fn compact_data(data: &str) -> String {
    if is_json(data) {
        String::from_utf8_lossy(&compacted(data.as_bytes())).into_owned()
    } else {
        text(data)
    }
}
