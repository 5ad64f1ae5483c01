//! A file of 60 lines, damaged at every byte of seven of them in four ways: every line that was
//! not touched says what it said, and what was touched is named with its place. All formats share
//! the ways of cutting lines that are tried here.

use std::fmt::Debug;

use hardwon_core::event::{Event, Problem};
use hardwon_core::foreign::ForeignFile;
use hardwon_readers::{Format, archeflow_lessons, read};

const N_LINES: usize = 60;

/// Lines that are damaged in every way.
const PICKED: [usize; 7] = [0, 1, 15, 29, 45, 58, 59];

/// What each line says, by its number, and the problems.
type Said<T> = (Vec<(u64, T)>, Vec<Problem>);

/// A damaged file: the bytes, the line (from 1) that was touched, how many line ends are
/// missing after it, and whether it must be complained about.
struct Damaged {
    what: String,
    bytes: Vec<u8>,
    line: u64,
    n_joined: u64,
    /// Lines from here on are gone.
    end: u64,
    is_told: Told,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Told {
    Yes,
    No,
    /// What is left may still be a line, or one of a type that nobody knows yet.
    Perhaps,
}

/// A file with the place at which it is damaged.
struct Place {
    whole: Vec<u8>,
    cut: usize,
    /// Where the line end is.
    end: usize,
    line: u64,
    byte: usize,
}

impl Place {
    fn new(lines: &[String], at: usize, byte: usize) -> Self {
        let whole = whole(lines);
        let before: usize = lines[..at].iter().map(|line| line.len() + 1).sum();
        let (cut, end) = (before + byte, before + lines[at].len());
        Place { whole, cut, end, line: at as u64 + 1, byte }
    }

    /// The file without the bytes from the cut to here.
    fn without(&self, to: usize) -> Vec<u8> {
        [&self.whole[..self.cut], &self.whole[to..]].concat()
    }

    fn damaged(&self, what: &str, bytes: Vec<u8>, is_told: Told) -> Damaged {
        let what = format!("{what} at byte {} of line {}", self.byte, self.line);
        Damaged { what, bytes, line: self.line, n_joined: 0, end: u64::MAX, is_told }
    }

    /// Of a line that is cut to nothing, nothing is left to complain about.
    fn torn(&self) -> Told {
        if self.byte == 0 { Told::No } else { Told::Yes }
    }
}

fn whole(lines: &[String]) -> Vec<u8> {
    (lines.join("\n") + "\n").into_bytes()
}

/// Every damage at one byte of one line.
fn damages(lines: &[String], at: usize, byte: usize) -> Vec<Damaged> {
    let place = Place::new(lines, at, byte);
    let ended = place.whole[..place.cut].to_vec();
    let mut all = vec![
        // The next writer began with a line end.
        place.damaged("torn", place.without(place.end), place.torn()),
        Damaged { end: place.line, ..place.damaged("ends", ended, place.torn()) },
        place.damaged("removed", place.without(place.cut + 1), Told::Perhaps),
    ];
    if byte > 0 && at + 1 < lines.len() {
        // The next writer went on without a line end.
        let joined = place.damaged("joined", place.without(place.end + 1), Told::Yes);
        all.push(Damaged { n_joined: 1, ..joined });
    }
    all
}

/// Whether two lines without the line end between them cost only those two.
fn without_line_end(lines: &[String], at: usize) -> Damaged {
    let mut bytes = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        bytes.extend_from_slice(line.as_bytes());
        if n != at {
            bytes.push(b'\n');
        }
    }
    let line = at as u64 + 1;
    let what = format!("no end of line {line}");
    Damaged { what, bytes, line, n_joined: 1, end: u64::MAX, is_told: Told::Yes }
}

/// Damages a file at every byte, and compares with what it said before.
fn sweep<T: PartialEq + Debug>(lines: &[String], read: impl Fn(&[u8]) -> Said<T>) {
    assert_eq!(lines.len(), N_LINES);
    let (said, problems) = read(&whole(lines));
    assert_eq!(problems, []);
    let n_saying = (1..=N_LINES as u64).filter(|n| said.iter().any(|(line, _)| line == n)).count();
    assert_eq!(n_saying, N_LINES, "every line says something");
    for at in 0..lines.len() {
        if PICKED.contains(&at) {
            let damages = (0..lines[at].len()).flat_map(|byte| damages(lines, at, byte));
            damages.into_iter().for_each(|damaged| check(&said, &damaged, &read));
        }
        if at + 1 < lines.len() {
            check(&said, &without_line_end(lines, at), &read);
        }
    }
}

fn check<T: PartialEq + Debug>(
    said: &[(u64, T)],
    damaged: &Damaged,
    read: impl Fn(&[u8]) -> Said<T>,
) {
    let Damaged { what, line, n_joined, end, .. } = damaged;
    let (now, problems) = read(&damaged.bytes);
    let touched = *line..=line + n_joined;
    let expected = said.iter().filter(|(n, _)| !touched.contains(n) && n < end);
    // Behind a line end that is missing every line has one number less.
    let expected = expected.map(|(n, said)| (if n > line { n - n_joined } else { *n }, said));
    let kept = now.iter().filter(|(n, _)| n != line).map(|(n, said)| (*n, said));
    assert!(kept.eq(expected), "{what}: another line was lost or changed");
    assert!(problems.len() <= 1, "{what}: {problems:?}");
    for problem in &problems {
        assert_eq!(problem.at, format!("x:{line}"), "{what}: {problems:?}");
    }
    match damaged.is_told {
        Told::Yes => assert_eq!(problems.len(), 1, "{what}: not told"),
        Told::No => assert_eq!(problems, [], "{what}"),
        Told::Perhaps => {}
    }
}

/// A record or log, with its format named: what a single line is left of may not tell it.
fn read_events(format: Format) -> impl Fn(&[u8]) -> Said<Event> {
    move |bytes| match read("x", bytes, Some(format)) {
        Ok(record) => {
            let said = record.events.into_iter().map(|it| (it.source.line, it.event));
            (said.collect(), record.problems)
        }
        // Not a single line is left.
        Err(error) => {
            assert!(error.to_string().starts_with("x is empty."), "{error}");
            (Vec::new(), Vec::new())
        }
    }
}

fn said_by_lines<T>((file, problems): (ForeignFile<T>, Vec<Problem>)) -> Said<T> {
    let lines = (1..).zip(file.lines);
    (lines.filter_map(|(n, line)| Some((n, line.record?))).collect(), problems)
}

fn lines(line: impl Fn(usize) -> String) -> Vec<String> {
    (0..N_LINES).map(line).collect()
}

#[test]
fn run_records() {
    let lines = lines(|n| match n {
        0 => "{\"type\":\"run\",\"id\":\"r1\"}".to_owned(),
        n => format!("{{\"type\":\"finding\",\"text\":\"ä{n}\"}}"),
    });
    sweep(&lines, read_events(Format::Run));
}

#[test]
fn streamed_trajectories() {
    let lines = lines(|n| match n {
        0 => "{\"schema_version\":\"ATIF-v1.4\",\"session_id\":\"s\"}".to_owned(),
        n => format!(
            "{{\"source\":\"a\",\"tool_calls\":[{{\"function_name\":\"sh\",\"arguments\":\"ä{n}\"}}]}}"
        ),
    });
    // Which tools a run used is told by all of its lines together.
    let read = |bytes: &[u8]| {
        let (mut said, problems) = read_events(Format::Atif)(bytes);
        for (_, event) in &mut said {
            if let Event::Run(run) = event {
                run.tools.clear();
            }
        }
        (said, problems)
    };
    sweep(&lines, read);
}

#[test]
fn trajectories_of_openagents() {
    let lines = lines(|n| format!("{{\"id\":\"ä{n}\",\"taskId\":\"t\",\"actions\":[]}}"));
    sweep(&lines, read_events(Format::Openagents));
}

#[test]
fn archeflow_lesson_files() {
    let lines = lines(|n| format!("{{\"id\":\"m-{n}\",\"description\":\"ä{n}\"}}"));
    sweep(&lines, |bytes| said_by_lines(archeflow_lessons("x", bytes)));
}
