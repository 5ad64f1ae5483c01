//! Records and logs: whatever comes in, what comes out is bounded, has places that exist,
//! and is the same when it is read again.

use hardwon_readers::{Format, Limits, read_within};

/// Small enough that every limit is met by small inputs.
fn limits() -> Limits {
    Limits { line_bytes: 4096, input_bytes: 16 << 10, n_events: 200, depth: 64, n_problems: 20 }
}

/// The format is told by the content.
pub fn any(bytes: &[u8]) {
    check(bytes, None);
}

pub fn run_record(bytes: &[u8]) {
    check(bytes, Some(Format::Run));
}

pub fn archeflow_log(bytes: &[u8]) {
    check(bytes, Some(Format::Archeflow));
}

pub fn geas(bytes: &[u8]) {
    check(bytes, Some(Format::Geas));
}

fn check(bytes: &[u8], format: Option<Format>) {
    let limits = limits();
    let read = || read_within(limits, "x", bytes, format);
    let record = match read() {
        Ok(record) => record,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("x "), "the input is not named: {message}");
            return;
        }
    };
    // One line may state a few events more than there was room for.
    assert!(record.events.len() <= limits.n_events + bytes.len(), "too many events");
    assert!(record.problems.len() <= limits.n_problems + 2, "too many problems");
    let n_lines = bytes.split(|byte| *byte == b'\n').count() as u64;
    for sourced in &record.events {
        assert!(sourced.source.line <= n_lines, "a place that does not exist");
    }
    for problem in &record.problems {
        assert!(problem.reason.chars().all(|c| !c.is_control()), "{problem:?}");
        assert!(problem.reason.len() < 400, "a problem repeats the input: {problem:?}");
    }
    let again = read().expect("what was readable is readable");
    assert_eq!(again.events, record.events);
    assert_eq!(again.problems, record.problems);
}
