//! A crash can tear a record anywhere: every line that is still whole is used.

use crate::{record, texts};

const N_LINES: usize = 200;

fn lines() -> Vec<String> {
    let finding = |n: usize| {
        format!("{{\"type\":\"finding\",\"author\":\"guardian\",\"text\":\"Größe {n} 日本\"}}")
    };
    let run = "{\"type\":\"run\",\"id\":\"r1\"}".to_owned();
    std::iter::once(run).chain((1..N_LINES).map(finding)).collect()
}

/// The bytes of the record in which line `n` ends after `n_bytes` of its own.
fn with_cut_line(lines: &[String], n: usize, n_bytes: usize) -> Vec<u8> {
    let cut = lines.iter().enumerate().map(|(at, line)| match at == n {
        true => [&line.as_bytes()[..n_bytes], b"\n"].concat(),
        false => [line.as_bytes(), b"\n"].concat(),
    });
    cut.collect::<Vec<_>>().concat()
}

#[test]
fn a_torn_line_anywhere_costs_only_itself() {
    let lines = lines();
    for n in [0, 1, 99, N_LINES - 1] {
        for n_bytes in 0..lines[n].len() {
            let record = record(with_cut_line(&lines, n, n_bytes));
            assert_eq!(record.events.len(), N_LINES - 1, "line {n} cut at {n_bytes}");
            // Of a line that is cut to nothing, nothing is left to complain about.
            let n_problems = usize::from(n_bytes > 0);
            assert_eq!(record.problems.len(), n_problems, "line {n} cut at {n_bytes}");
            assert!(record.problems.iter().all(|p| p.at == format!("x:{}", n + 1)));
        }
    }
}

#[test]
fn a_record_that_ends_anywhere_keeps_what_came_before() {
    let lines = lines();
    let whole = lines[..100].join("\n");
    let last = lines[99].len();
    for n_missing in 0..=last {
        let record = record(&whole.as_bytes()[..whole.len() - n_missing]);
        let n_findings = if n_missing == 0 { 99 } else { 98 };
        assert_eq!(texts(&record).len(), n_findings, "{n_missing} bytes missing");
        let is_torn = n_missing > 0 && n_missing < last;
        assert_eq!(record.problems.len(), usize::from(is_torn), "{n_missing} bytes missing");
    }
}
