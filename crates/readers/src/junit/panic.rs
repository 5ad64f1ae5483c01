//! What did a Rust program print when it panicked, and where? The message stands behind the
//! place, and is kept apart from it because lines move.

use crate::archeflow::place;

const MAX_LINES: usize = 3;

pub struct Panic {
    pub message: String,
    pub place: Option<(String, u32)>,
}

/// The first panic in the output, or else the one that the message names.
pub fn find(output: &str, message: &str) -> Option<Panic> {
    [output, message].into_iter().find_map(read)
}

fn read(text: &str) -> Option<Panic> {
    const MARK: &str = "panicked at ";
    let rest = &text[text.find(MARK)? + MARK.len()..];
    let (first, below) = rest.split_once('\n').unwrap_or((rest, ""));
    let first = first.trim();
    // Before Rust 1.73: `'words', src/a.rs:1:2`.
    let old = first.strip_prefix('\'').and_then(|first| first.rsplit_once("', "));
    let (message, at) = match old {
        Some((message, at)) => (message.to_owned(), at),
        None => (words(below), first.trim_end_matches(':')),
    };
    let (path, line) = place(at);
    let place = path.zip(line);
    let message = match (message.is_empty(), &place) {
        (false, _) => message,
        (true, Some((path, _))) => format!("panicked in {path}"),
        (true, None) => "panicked".to_owned(),
    };
    Some(Panic { message, place: place.filter(|(path, _)| is_own(path)) })
}

fn words(below: &str) -> String {
    let lines = below.lines().map(str::trim);
    let is_over =
        |line: &&str| line.starts_with("note: run with") || line.starts_with("stack backtrace:");
    let lines = lines.skip_while(|line| line.is_empty()).take_while(|line| !is_over(line));
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).take(MAX_LINES).collect();
    lines.join(" ")
}

/// Neither in the standard library nor in a third-party crate.
fn is_own(path: &str) -> bool {
    !path.contains("/rustc/") && !path.contains("/registry/src/") && !path.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_place_of_a_panic() {
        let cases = [
            (
                "thread 'db' (7) panicked at src/db.rs:41:10:\ncalled `Result::unwrap()` on an \
                 `Err` value: PoolTimedOut\nnote: run with `RUST_BACKTRACE=1`\n",
                "called `Result::unwrap()` on an `Err` value: PoolTimedOut",
                Some(("src/db.rs", 41)),
            ),
            (
                "panicked at a.rs:1:2:\nassertion `left == right` failed\n  left: 1\n right: 2\nmore",
                "assertion `left == right` failed left: 1 right: 2",
                Some(("a.rs", 1)),
            ),
            ("x panicked at 'no such user', src/a.rs:3:4\n", "no such user", Some(("src/a.rs", 3))),
            ("panicked at src/a.rs:3:4", "panicked in src/a.rs", Some(("src/a.rs", 3))),
            ("panicked at /rustc/0/library/core/src/x.rs:3:4:\ngone", "gone", None),
            ("panicked at ", "panicked", None),
        ];
        for (text, message, place) in cases {
            let panic = find(text, "").expect(text);
            let found = panic.place.as_ref().map(|(path, line)| (path.as_str(), *line));
            assert_eq!((panic.message.as_str(), found), (message, place), "{text}");
        }
        assert!(find("it failed", "").is_none());
    }
}
