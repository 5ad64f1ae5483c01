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
    let measured = "210 opportunities (came back in 23 of 180 when shown, 13 of 30 when held out)";
    let (good, bad) = (told(0.31), told(-0.052));
    let line = format!("lift: all lessons together prevent 31 % ± 9 of repeats, {measured}\n");
    assert!(good.ends_with(&line), "{good}");
    let line = format!("lift: all lessons together bring 5 % ± 9 more repeats, {measured}\n");
    assert!(bad.ends_with(&line), "{bad}");
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
