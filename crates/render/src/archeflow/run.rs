//! What ArcheFlow notes of its runs: the lines of an event log and of the index of
//! finished runs.

use hardwon_core::time::Timestamp;

use super::{Field, compacted, entry, json_text, object, seconds};

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
    /// JSON text; what is no JSON is written as a string, so that the line stays sound.
    pub data: &'a str,
}

/// A line of `events/<run_id>.jsonl`.
pub fn event_line(event: &EventLine<'_>) -> String {
    let EventLine { ts, run_id, seq, parents, event_type, phase, agent, data } = *event;
    let parents: Vec<String> = parents.iter().map(u64::to_string).collect();
    let entries = [
        entry("ts", &json_text(&seconds(ts))),
        entry("run_id", &json_text(run_id)),
        entry("seq", &seq.to_string()),
        entry("parent", &format!("[{}]", parents.join(","))),
        entry("type", &json_text(event_type)),
        entry("phase", &json_text(phase)),
        entry("agent", &agent.map_or(Field::Null, Field::Text).json()),
        entry("data", &compact_data(data)),
    ];
    format!("{{{}}}", entries.join(","))
}

fn compact_data(data: &str) -> String {
    if super::scan::is_json(data) {
        String::from_utf8_lossy(&compacted(data.as_bytes())).into_owned()
    } else {
        json_text(data)
    }
}

/// A line of `events/index.jsonl`.
pub fn index_line(run_id: &str, status: &str, task: &str, ts: Timestamp) -> String {
    object(&[
        ("run_id", Field::Text(run_id)),
        ("status", Field::Text(status)),
        ("task", Field::Text(task)),
        ("ts", Field::Text(&seconds(ts))),
    ])
}
