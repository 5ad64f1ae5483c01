//! What each function prints, to the letter.

mod stories;

use super::*;
use crate::answer::{Lift, Report, Stats};
use crate::samples::answers;

/// Compares with a text whose common margin is that of its first line.
#[track_caller]
fn check_text(printed: &str, expected: &str) {
    let expected = expected.strip_prefix('\n').unwrap_or(expected).trim_end_matches(' ');
    let margin = expected.len() - expected.trim_start_matches(' ').len();
    let line = |line: &str| format!("{}\n", line.get(margin..).unwrap_or(""));
    let expected: String = expected.lines().map(line).collect();
    assert_eq!(printed, expected, "\n--- printed\n{printed}--- expected\n{expected}");
}

#[test]
fn what_it_is_worth() {
    let told = |value: f64| {
        let lift = Some(Lift::from(&answers::lift(value)));
        report(&Report { stats: Stats { lift, ..Stats::default() }, ..Report::default() }, 200)
    };
    let rates = |shown| {
        format!(
            "came back in {shown} % of 180 runs that were shown it, 43 % of 30 that were not: about"
        )
    };
    for (value, said, shown, times) in [
        (0.5, "showing lessons works", 22, "half (33 to 75 %)"),
        (0.9, "cannot be told yet", 39, "as often (60 to 135 %)"),
        (2.0, "showing lessons does harm", 86, "2.0 times (133 to 300 %)"),
    ] {
        let (line, told) = (format!("lift: {said}: {} {times}\n", rates(shown)), told(value));
        assert!(told.ends_with(&line), "{told}");
    }
    let stats = Stats { n_missing: Some(640), ..Stats::default() };
    let told = report(&Report { stats, ..Report::default() }, 200);
    let line = "lift: not known yet; about 640 more opportunities before a halving would be told\n";
    assert!(told.ends_with(line), "{told}");
}

#[test]
fn counting() {
    check_text(
        &stats(&Stats { counts: answers::counts(), ..Stats::default() }),
        "
        lessons   12
        state     candidate 5, provisional 4, stable 3
        kind      preference 1, pattern 11
        severity  warning 12
        global    1
        pinned    2
        runs      9
        effects   helped 9, no_help 5, hurt 0, contradicted 0, neutral 2, no_opportunity 0
        lift      not known yet (needs hold-out runs)
        ",
    );
    assert!(stats(&Stats::default()).starts_with("lessons   0\nstate     none\n"));
}

#[test]
fn problems_are_one_safe_line_each() {
    let met =
        [Problem::new("run\u{1b}[31m.jsonl:3", "not valid\nJSON"), Problem::new("store", "x")];
    assert_eq!(problems(&met), "problem: run [31m.jsonl:3: not valid JSON\nproblem: store: x\n");
}
