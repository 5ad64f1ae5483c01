//! How strong is the evidence in a text, whatever it says about itself? Output that was
//! pasted is execution; a place with a line and words from it is a citation; everything
//! else is reasoning, "ran it, works" among it.

use std::collections::BTreeSet;

use crate::command::printed::{is_place, is_printed};
use crate::event::{DeliberationStated, FindingStated, VerdictStated};
use crate::finding::Grade;
use crate::lesson::Origin;
use crate::list;

// The file says what each list decides.
const TERMINALS: &[&str] = list!("evidence.txt", "terminals");
const TOOLS: &[&str] = list!("evidence.txt", "tools");

/// Shortest piece of code that can be looked up.
const MIN_FRAGMENT_CHARS: usize = 4;

/// Whether a channel may grade its own evidence.
fn is_believed(origin: Origin) -> bool {
    origin != Origin::Agent
}

/// A finding with the grade that counts. A stated grade counts where there is something to
/// look up, or where a tool states it, which does not reason; a lower one than the finding
/// shows is taken as it is. One that is not stated is read off the finding; it stays unknown
/// where that shows nothing and has no evidence.
pub fn of_finding(stated: &FindingStated, origin: Origin) -> FindingStated {
    let text = said(stated);
    let shown = recognized(&text, stated.path.as_deref(), stated.line);
    let has_place = stated.path.is_some() || text.split_whitespace().any(is_place);
    let is_tool = stated.author.as_deref().is_some_and(is_tool);
    let grade = match (stated.grade, is_believed(origin)) {
        (Some(_), false) => Some(shown),
        (Some(grade), true) if has_place || is_tool => Some(grade),
        (Some(grade), true) => Some(grade.max(shown)),
        (None, true) if is_tool && has_place => Some(shown.min(Grade::Cited)),
        (None, _) if stated.evidence.is_none() && shown == Grade::Reasoned => None,
        (None, _) => Some(shown),
    };
    FindingStated { grade, ..stated.clone() }
}

fn said(stated: &FindingStated) -> String {
    let evidence = stated.evidence.as_deref();
    evidence.map_or(stated.text.clone(), |evidence| format!("{}\n{evidence}", stated.text))
}

/// The same for a verdict. It has no place, so its evidence decides where it has any, else
/// what its reviewer states.
pub fn of_verdict(stated: &VerdictStated, origin: Origin) -> VerdictStated {
    let shown = stated.evidence.as_deref().map(|evidence| recognized(evidence, None, None));
    let grade = if is_believed(origin) {
        shown.map(|shown| stated.grade.map_or(shown, |grade| grade.max(shown)))
    } else {
        (stated.grade.is_some() || shown.is_some()).then_some(Grade::Reasoned)
    };
    VerdictStated { grade: grade.or(stated.grade), ..stated.clone() }
}

/// The same for what an agent answered: the answer itself is the evidence.
pub fn of_deliberation(stated: &DeliberationStated, origin: Origin) -> DeliberationStated {
    let shown = stated.response.as_deref().map(|response| recognized(response, None, None));
    let grade = match is_believed(origin) {
        true => shown.or(stated.grade),
        false => (shown.is_some() || stated.grade.is_some()).then_some(Grade::Reasoned),
    };
    DeliberationStated { grade, ..stated.clone() }
}

/// Whether an author is a program that looks at code or runs it: `clippy`, `cargo-test`,
/// `GitHub CodeQL`, `stylelint`.
pub fn is_tool(author: &str) -> bool {
    let author = author.to_ascii_lowercase();
    let mut words = author.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| TOOLS.contains(&word) || word.ends_with("lint"))
}

/// Detectors all of whose graded verdicts were reasoning.
pub fn reasoned_only(verdicts: &[VerdictStated]) -> BTreeSet<String> {
    let graded = |grade_is: fn(Grade) -> bool| -> BTreeSet<String> {
        let matching = verdicts.iter().filter(|verdict| verdict.grade.is_some_and(grade_is));
        matching.map(|verdict| verdict.author.clone()).collect()
    };
    let reasoned = graded(|grade| grade == Grade::Reasoned);
    let grounded = graded(|grade| grade != Grade::Reasoned);
    reasoned.difference(&grounded).cloned().collect()
}

/// The grade of a finding by its text, and by the place that stands beside it.
pub fn recognized(text: &str, path: Option<&str>, line: Option<u32>) -> Grade {
    let fences = fences(text);
    if fences.iter().any(is_output) || outside(text).any(is_printed) {
        return Grade::Executed;
    }
    let has_place = (path.is_some() && line.is_some()) || text.split_whitespace().any(is_place);
    let has_fragment = !fences.is_empty() || quotations(text).any(is_fragment);
    if has_place && has_fragment { Grade::Cited } else { Grade::Reasoned }
}

/// Whether a cited finding is borne out by the files that it names: one of them has that line,
/// or the words that are quoted from it. `file` gives what stands in a file, if it is there.
pub fn is_borne_out(stated: &FindingStated, file: &dyn Fn(&str) -> Option<String>) -> bool {
    let text = said(stated);
    let beside = stated.path.clone().map(|path| (path, stated.line));
    let mut places = beside.into_iter().chain(text.split_whitespace().filter_map(place));
    places.any(|(path, line)| {
        let Some(content) = file(&path) else { return false };
        let n_lines = content.lines().count();
        let has_line = line.is_some_and(|line| line >= 1 && line as usize <= n_lines);
        let mut quoted = quotations(&text).filter(|quoted| is_fragment(quoted));
        has_line || quoted.any(|quoted| content.contains(quoted.trim()))
    })
}

/// The file and the line that a word names.
fn place(word: &str) -> Option<(String, Option<u32>)> {
    if !is_place(word) {
        return None;
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_'));
    let (path, rest) = word.split_once("#L").or_else(|| word.split_once(':'))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((path.to_owned(), digits.parse().ok()))
}

/// The name and the lines of each closed fence: what is cut off may be anything.
fn fences(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut fences = Vec::new();
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        let mark = line.trim_start().strip_prefix("```");
        match (mark, &mut open) {
            (Some(_), Some(_)) => fences.extend(open.take()),
            (Some(name), None) => open = Some((name.trim(), Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    fences
}

fn is_output((name, lines): &(&str, Vec<&str>)) -> bool {
    let has_text = lines.iter().any(|line| !line.trim().is_empty());
    let is_terminal = TERMINALS.contains(&name.to_ascii_lowercase().as_str());
    has_text && (is_terminal || lines.iter().any(|line| is_printed(line)))
}

/// The lines that are not part of a fence.
fn outside(text: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    text.lines().filter(move |line| {
        let is_mark = line.trim_start().starts_with("```");
        is_inside ^= is_mark;
        !is_inside && !is_mark
    })
}

/// What stands between backticks or double quotes on one line.
fn quotations(text: &str) -> impl Iterator<Item = &str> {
    let between = |mark: char| {
        text.lines().flat_map(move |line| {
            let n_marks = line.matches(mark).count();
            // Every second piece is inside; the last one only if it was closed.
            line.split(mark).take(n_marks / 2 * 2).skip(1).step_by(2)
        })
    };
    between('`').chain(between('"'))
}

/// Words from the code: not merely the place again.
fn is_fragment(quoted: &str) -> bool {
    quoted.trim().chars().count() >= MIN_FRAGMENT_CHARS && !is_place(quoted.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_by_what_is_there() {
        let cases = [
            ("Ran it, works", Grade::Reasoned),
            ("I ran the tests and they all pass, exit code was fine", Grade::Reasoned),
            ("Ran it, exit code 0", Grade::Reasoned),
            ("The query in src/api.rs is built by concatenation", Grade::Reasoned),
            ("See src/api.rs:41, it concatenates", Grade::Reasoned),
            ("See `src/api.rs:41`, it concatenates", Grade::Reasoned),
            ("`format!(\"{user}\")` is used in src/api.rs", Grade::Reasoned),
            ("src/api.rs:41 has `format!(\"SELECT {user}\")`", Grade::Cited),
            ("api.rs#L41: \"SELECT * FROM users\"", Grade::Cited),
            ("src/api.rs:41\n```rust\nlet q = user;\n```", Grade::Cited),
            ("It fails:\n```\nassertion `left == right` failed\n```", Grade::Executed),
            ("```rust\nlet q = user;\n```", Grade::Reasoned),
            ("```rust\nlet q = user;", Grade::Reasoned),
            ("Seen:\nerror: cannot find value `x` in this scope", Grade::Executed),
            ("exit code: 101", Grade::Executed),
            ("Traceback (most recent call last):\n  File \"a.py\", line 3, in f", Grade::Executed),
            ("boom\n    at run (/app/src/a.js:3:7)", Grade::Executed),
            ("$ cargo test\nrunning 3 tests", Grade::Executed),
            ("Meet at noon, see 12:30 and \"the long note\"", Grade::Reasoned),
            ("Call 127.0.0.1:80 with \"some words\"", Grade::Reasoned),
        ];
        for (text, grade) in cases {
            assert_eq!(recognized(text, None, None), grade, "{text}");
        }
    }

    #[test]
    fn a_place_beside_the_text_counts_with_its_line() {
        let quoted = "Uses `format!(user)` for SQL";
        assert_eq!(recognized(quoted, Some("src/api.rs"), Some(41)), Grade::Cited);
        assert_eq!(recognized(quoted, Some("src/api.rs"), None), Grade::Reasoned);
        assert_eq!(recognized("Builds SQL", Some("src/api.rs"), Some(41)), Grade::Reasoned);
    }

    fn finding(author: &str, text: &str, evidence: Option<&str>) -> FindingStated {
        let (author, evidence) = (Some(author.into()), evidence.map(str::to_owned));
        FindingStated { author, text: text.into(), evidence, ..FindingStated::default() }
    }

    #[test]
    fn a_grade_that_is_not_stated_is_read_off_the_finding() {
        let output = "$ cargo test\ntest result: FAILED. 1 failed";
        let cases = [
            (finding("judge", "Builds SQL by hand", None), None),
            (finding("judge", "src/api.rs:41 has `format!(user)`", None), Some(Grade::Cited)),
            (finding("judge", "Builds SQL by hand", Some("ran it, works")), Some(Grade::Reasoned)),
            (finding("judge", "Builds SQL by hand", Some(output)), Some(Grade::Executed)),
            (finding("clippy", "Needless borrow", None), None),
        ];
        for (stated, grade) in cases {
            assert_eq!(of_finding(&stated, Origin::Reviewer).grade, grade, "{}", stated.text);
        }
        let path = Some("src/api.rs".to_owned());
        let placed = FindingStated { path, ..finding("cargo-clippy", "Needless borrow", None) };
        assert_eq!(of_finding(&placed, Origin::Reviewer).grade, Some(Grade::Cited));
        assert_eq!(of_finding(&placed, Origin::Agent).grade, None, "anyone can take that name");
    }

    #[test]
    fn a_stated_grade_needs_something_to_look_up() {
        let graded = |stated: FindingStated, grade| FindingStated { grade: Some(grade), ..stated };
        let bare = || finding("judge", "Ran it, works not with big files", None);
        let with_path = FindingStated { path: Some("src/a.rs".into()), ..bare() };
        let with_output = finding("judge", "It crashes", Some("thread 'main' panicked at a.rs"));
        let cases = [
            (graded(bare(), Grade::Executed), Grade::Reasoned),
            (graded(bare(), Grade::Cited), Grade::Reasoned),
            (graded(with_path, Grade::Executed), Grade::Executed),
            (graded(with_output.clone(), Grade::Executed), Grade::Executed),
            (graded(with_output, Grade::Reasoned), Grade::Reasoned),
            (graded(finding("cargo-test", "It crashes", None), Grade::Executed), Grade::Executed),
        ];
        for (stated, grade) in cases {
            let found = of_finding(&stated, Origin::Reviewer).grade;
            assert_eq!(found, Some(grade), "{} {:?}", stated.text, stated.grade);
        }
    }

    #[test]
    fn the_evidence_of_a_verdict_decides_where_there_is_any() {
        let verdict = |grade, evidence: Option<&str>| VerdictStated {
            grade,
            evidence: evidence.map(str::to_owned),
            ..VerdictStated::default()
        };
        let (executed, reasoned) = (Some(Grade::Executed), Some(Grade::Reasoned));
        let cases = [
            (verdict(executed, Some("ran it, works")), reasoned),
            (verdict(None, Some("ran it, works")), reasoned),
            (verdict(None, Some("$ cargo test\ntest result: ok. 3 passed")), executed),
            (verdict(reasoned, Some("$ cargo test\ntest result: ok. 3 passed")), reasoned),
            (verdict(executed, None), executed),
            (verdict(None, None), None),
        ];
        for (stated, grade) in cases {
            let found = of_verdict(&stated, Origin::Reviewer).grade;
            assert_eq!(found, grade, "{:?} {:?}", stated.grade, stated.evidence);
            let by_agent = of_verdict(&stated, Origin::Agent).grade;
            assert_ne!(by_agent, executed, "an agent is not believed");
        }
    }

    #[test]
    fn a_citation_is_checked_in_the_working_tree() {
        let file =
            |path: &str| (path == "src/api.rs").then(|| "let q = a;\nlet r = b;\n".to_owned());
        let finding = |text: &str, path: Option<&str>, line: Option<u32>| FindingStated {
            text: text.to_owned(),
            path: path.map(str::to_owned),
            line,
            ..FindingStated::default()
        };
        let holds = [
            finding("Built by `concatenation`", Some("src/api.rs"), Some(2)),
            finding("Built at src/api.rs:1 by `whatever`", None, None),
            finding("See `let r = b;` in src/api.rs:99", None, None),
        ];
        for stated in &holds {
            assert!(is_borne_out(stated, &file), "{}", stated.text);
        }
        let does_not = [
            finding("Built by `concatenation`", Some("src/api.rs"), Some(3)),
            finding("Built by `concatenation`", Some("src/other.rs"), Some(1)),
            finding("Built at ../src/api.rs:1 by `whatever`", None, None),
            finding("Built by `concatenation`", None, None),
        ];
        for stated in &does_not {
            assert!(!is_borne_out(stated, &file), "{}", stated.text);
        }
    }
}
