//! Messages as reviewers write them in files of their own: each shape is read, and prose that
//! finds nothing is not.

use hardwon_core::event::FindingStated;
use hardwon_readers::{Review, Reviewer, review_text};

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/reviews/", $name, ".md"))
    };
}

fn read(message: &str, is_reviewer: bool) -> Review {
    review_text(message, Reviewer { name: "code-reviewer", is_reviewer, folder: None })
}

/// `severity path:line text (state)` of every finding.
fn shorts(review: &Review) -> Vec<String> {
    let short = |finding: &FindingStated| {
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let state = finding.state.map(|state| format!(" ({state})")).unwrap_or_default();
        let worst = finding.severity.as_deref().unwrap_or("?");
        let path = finding.path.as_deref().unwrap_or("-");
        format!("{worst} {path}{line} {}{state}", finding.text)
    };
    review.findings.iter().map(short).collect()
}

#[track_caller]
fn check(message: &str, expected: &[&str]) {
    assert_eq!(shorts(&read(message, true)), expected);
}

#[test]
fn lines_as_compilers_write_them() {
    check(
        fixture!("compiler"),
        &[
            "bug src/b.rs:22 the lock is taken twice on this path",
            "warning src/b.rs:30 the timeout is never read",
        ],
    );
}

#[test]
fn items_that_begin_with_a_place() {
    check(
        fixture!("places"),
        &[
            "warning src/c.rs:22 the handle is never closed when the copy fails",
            "warning src/c.rs:40 retries have no upper limit",
            "bug src/d.rs:7 the token is written to the log",
        ],
    );
}

#[test]
fn paragraphs_that_begin_with_a_severity() {
    check(
        fixture!("paragraphs"),
        &[
            "bug src/g.rs:22 Missing check of the owner before the delete",
            "bug src/m.rs:4 src/m.rs leaks the file handle on the error path",
            "warning src/k.rs:9 The cache key in src/k.rs:9 ignores the tenant",
        ],
    );
    let by_maker = read(fixture!("paragraphs"), false);
    assert_eq!(by_maker.findings.len(), 3, "anybody may review, if it says where");
}

#[test]
fn headings_with_fields_below_them() {
    check(
        fixture!("headings"),
        &["bug src/h.rs:12 Missing auth check", "warning src/net.rs:7 Retry loop never ends"],
    );
    check(
        fixture!("bold"),
        &[
            "critical src/search.py:41 Query is put together from user input",
            "info src/util.py:3 Name of the helper says nothing",
        ],
    );
}

#[test]
fn verdicts_with_a_list() {
    check(
        fixture!("verdict-bare"),
        &[
            "bug src/auth.rs:12 Password is compared with ==",
            "info src/log.rs:8 Token is written to the log (fixed)",
            "warning src/io.rs:10 the handle leaks on error",
        ],
    );
    check(fixture!("verdict-fenced"), &["critical src/auth.rs:12 Password is compared with =="]);
    check(fixture!("decision"), &["bug src/a.rs:3 Index is one too high"]);
    for message in [fixture!("verdict-bare"), fixture!("verdict-fenced"), fixture!("decision")] {
        assert_eq!(read(message, true).verdict.expect(message).is_pass, Some(false));
    }
    let list =
        r#"{"findings":[{"severity":"high","file":"src/a.rs","line":3,"title":"Leaks it"}]}"#;
    check(list, &["bug src/a.rs:3 Leaks it"]);
    assert!(!read(fixture!("decision"), false).is_empty(), "it is the whole message");
    assert!(read(fixture!("verdict-fenced"), false).is_empty(), "somebody quotes it");
}

#[test]
fn what_is_said_to_be_fixed_is_fixed_and_was_not_seen_again() {
    let review = read(fixture!("fixed"), true);
    assert_eq!(
        shorts(&review),
        [
            "bug src/db.rs:41 SQL injection in search (fixed)",
            "bug src/a.rs:1 Lock is held over an await (fixed)",
            "warning src/b.rs:2 Retry has no limit (fixed)",
            "bug src/c.rs:3 Token is logged (fixed)",
            "bug src/d.rs:4 Fixed salt is used for every hash",
            "bug src/e.rs:5 Race between check and use - not fixed",
            "bug src/f.rs:6 Path is not checked (fixed)",
        ]
    );
    for finding in &review.findings {
        assert_eq!(finding.is_gone, finding.state.is_some(), "{}", finding.text);
    }
}

#[test]
fn prose_that_finds_nothing() {
    let messages = [
        ("plan", fixture!("no-plan")),
        ("changes", fixture!("no-changes")),
        ("log", fixture!("no-log")),
        ("files", fixture!("no-files")),
    ];
    for (name, message) in messages {
        for is_reviewer in [true, false] {
            assert_eq!(shorts(&read(message, is_reviewer)), [""; 0], "{name} {is_reviewer}");
        }
    }
}
