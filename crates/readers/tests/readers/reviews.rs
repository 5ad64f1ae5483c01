//! Messages as reviewers write them in files of their own: each shape is read, and prose that
//! finds nothing is not.

use hardwon_readers::{Review, Reviewer, review_text};

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/reviews/", $name, ".md"))
    };
}

fn read(message: &str, is_reviewer: bool) -> Review {
    review_text(message, Reviewer { name: "code-reviewer", is_reviewer, folder: None })
}

#[test]
fn verdicts_with_a_list() {
    let list =
        r#"{"findings":[{"severity":"high","file":"src/a.rs","line":3,"title":"Leaks it"}]}"#;
    let [finding] = &read(list, true).findings[..] else { panic!("one finding") };
    assert_eq!((finding.text.as_str(), finding.path.as_deref()), ("Leaks it", Some("src/a.rs")));
    assert!(!read(fixture!("decision"), false).is_empty(), "it is the whole message");
    assert!(read(fixture!("verdict-fenced"), false).is_empty(), "a quote");
}

#[test]
fn what_is_said_to_be_fixed_was_not_seen_again() {
    for finding in &read(fixture!("fixed"), true).findings {
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
            assert!(read(message, is_reviewer).findings.is_empty(), "{name} {is_reviewer}");
        }
    }
}
