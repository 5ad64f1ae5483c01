//! Which parts of a turn did a person type, and which were pasted? Hosts mark no pastes: fences,
//! quotations, logs, diffs and long foreign texts are taken for pasted.

use crate::wish::typed;

/// A paragraph of more lines than this was not typed.
const MAX_LINES: usize = 12;

/// The parts of a turn in their order, each with whether it was typed. Nothing of it counts as
/// typed behind the first paste: what a log ends with looks like a sentence.
pub(super) fn parts(turn: &str) -> Vec<(bool, String)> {
    let Some(text) = typed(turn) else { return vec![(false, turn.trim().to_owned())] };
    let (mut own, mut pasted): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for paragraph in text.split("\n\n").filter(|it| !it.trim().is_empty()) {
        let foreign = paragraph.lines().position(is_foreign);
        let is_long = paragraph.lines().count() > MAX_LINES && !paragraph.lines().any(is_item);
        if !pasted.is_empty() || is_long {
            pasted.push(paragraph);
        } else if let Some(line) = foreign {
            let at: usize = paragraph.split_inclusive('\n').take(line).map(str::len).sum();
            own.extend(Some(&paragraph[..at]).filter(|it| !it.trim().is_empty()));
            pasted.push(&paragraph[at..]);
        } else {
            own.push(paragraph);
        }
    }
    let fenced: Vec<&str> = turn.split("```").skip(1).step_by(2).collect();
    pasted.extend(fenced);
    let join = |texts: Vec<&str>| texts.join("\n\n").trim().to_owned();
    let parts = [(true, join(own)), (false, join(pasted))];
    parts.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// A line of a list, which people do type.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['-', '*']) || line.starts_with(|c: char| c.is_ascii_digit())
}

/// A line that no person types: of a log, a trace, a diff, a document, a quotation.
fn is_foreign(line: &str) -> bool {
    let line = line.trim_start();
    let begins =
        ["> ", "| ", "{", "}", "</", "at ", "+++ ", "--- ", "@@ ", "diff --git", "Traceback"];
    let is_error = line.split_once(": ").is_some_and(|(name, _)| {
        !name.contains(' ') && (name.ends_with("Error") || name.ends_with("Exception"))
    });
    let is_stamped = line.trim_start_matches('[').get(..5).is_some_and(|start| {
        start.bytes().enumerate().all(|(at, byte)| byte.is_ascii_digit() != (at == 2))
            && start.as_bytes()[2] == b':'
    });
    let is_dated = line.get(..10).is_some_and(|start| {
        let bytes = start.as_bytes();
        bytes[4] == b'-' && bytes[7] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit)
    });
    begins.iter().any(|begin| line.starts_with(begin)) || is_error || is_stamped || is_dated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pasted_was_not_typed() {
        let table: &[(&str, &[(bool, &str)])] = &[
            ("use pnpm here", &[(true, "use pnpm here")]),
            (
                "why?\n12:04:11 WARN slow\nalways ask",
                &[(true, "why?"), (false, "12:04:11 WARN slow\nalways ask")],
            ),
            ("fix\n\n```\nnever push\n```", &[(true, "fix"), (false, "never push")]),
            (
                "look:\nTypeError: x is not a function\n    at y (z.js:1)",
                &[(true, "look:"), (false, "TypeError: x is not a function\n    at y (z.js:1)")],
            ),
            ("> never push", &[(false, "> never push")]),
            ("- one\n- two", &[(true, "- one\n- two")]),
            (
                "<task-notification>done</task-notification>",
                &[(false, "<task-notification>done</task-notification>")],
            ),
        ];
        for (turn, expected) in table {
            let found = parts(turn);
            let found: Vec<(bool, &str)> =
                found.iter().map(|(is, it)| (*is, it.as_str())).collect();
            assert_eq!(found, *expected, "{turn}");
        }
    }
}
