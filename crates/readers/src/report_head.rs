//! Is this a tool's report? Told by the names that stand at the start of an input: the first
//! kilobytes of a document are enough, and it need not be whole.

use crate::detect::Format;
use crate::generic;

/// A name in the start of a document, how deep it stands, and how its value begins.
struct Name<'a> {
    depth: usize,
    text: &'a [u8],
    begins: u8,
}

/// The format of a report by its start. Records of our own formats are none.
pub fn format(head: &[u8]) -> Option<Format> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    match head.first()? {
        b'<' => is_junit(head).then_some(Format::Junit),
        b'{' => of_object(&names(head)),
        b'[' => of_list(&names(head)),
        _ => has_places(head).then_some(Format::Lines),
    }
}

fn is_junit(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    ["<testsuite", ":testsuite"].iter().any(|name| {
        let after = text.find(name).map(|at| &text[at + name.len()..]);
        let after = after.map(|after| after.strip_prefix('s').unwrap_or(after));
        after.is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || "/>".contains(c)))
    })
}

fn of_object(names: &[Name<'_>]) -> Option<Format> {
    let has = |depth: usize, name: &str| {
        names.iter().any(|known| known.depth == depth && known.text == name.as_bytes())
    };
    let is_list = |name: &str| {
        let is_it = |known: &&Name| known.depth == 1 && known.text == name.as_bytes();
        names.iter().find(is_it).is_some_and(|known| known.begins == b'[')
    };
    let top = |name: &str| has(1, name);
    let is_report = top("version") || top("$schema") || has(3, "tool") || has(3, "results");
    if is_list("runs") && is_report || top("$schema") && top("version") && top("runs") {
        return Some(Format::Sarif);
    }
    if top("type") || top("run_id") {
        return None;
    }
    if is_list("diagnostics") {
        return Some(Format::Rdjson);
    }
    let is_pytest =
        ["root", "summary", "environment", "tests", "collectors"].iter().any(|n| top(n));
    if top("exitcode") && is_pytest || top("collectors") && has(3, "nodeid") {
        return Some(Format::Pytest);
    }
    let is_comment = top("body") && (top("diff_hunk") || top("pull_request_review_id"));
    let anywhere = |name: &str| names.iter().any(|known| known.text == name.as_bytes());
    let is_thread = anywhere("reviewThreads") || anywhere("isResolved");
    let is_event = top("thread") && has(2, "comments");
    let is_github = is_comment || is_thread || is_event || top("annotation_level");
    is_github.then_some(Format::Github)
}

fn of_list(names: &[Name<'_>]) -> Option<Format> {
    let has = |name: &str| names.iter().any(|n| n.depth == 2 && n.text == name.as_bytes());
    let is_comment = has("body") && (has("diff_hunk") || has("pull_request_review_id"));
    if has("filePath") && has("messages") {
        return Some(Format::Eslint);
    }
    (is_comment || has("annotation_level") || has("isResolved")).then_some(Format::Github)
}

/// Whether most lines have a place; the last one may be cut.
fn has_places(head: &[u8]) -> bool {
    let end = head.iter().rposition(|byte| *byte == b'\n').unwrap_or(head.len());
    let head = String::from_utf8_lossy(&head[..end]);
    generic::are_lines(&head)
}

/// The names of the first value, as far as they stand in the head.
fn names(head: &[u8]) -> Vec<Name<'_>> {
    let mut names = Vec::new();
    let (mut at, mut depth) = (0, 0usize);
    while at < head.len() {
        match head[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            b'"' => {
                let start = at + 1;
                at = end_of_string(head, start);
                let next = blank(head, at + 1);
                if head.get(next) == Some(&b':') {
                    let begins = head.get(blank(head, next + 1)).copied().unwrap_or(0);
                    names.push(Name { depth, text: &head[start..at.min(head.len())], begins });
                }
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// Where the quote stands that ends a string, or behind the end.
fn end_of_string(head: &[u8], mut at: usize) -> usize {
    while at < head.len() {
        match head[at] {
            b'\\' => at += 1,
            b'"' => return at,
            _ => {}
        }
        at += 1;
    }
    head.len()
}

fn blank(head: &[u8], mut at: usize) -> usize {
    while head.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_told_by_its_start() {
        let cases = [
            (r#"{"version":"2.1.0","runs":[{"tool":"#, Some(Format::Sarif)),
            (r#"{"runs":[{"results":[],"tool":{}}],"version":"2.1.0"}"#, Some(Format::Sarif)),
            (r#"{"runs":[{"id":7}]}"#, None),
            (r#"{"type":"run","runs":[1]}"#, None),
            ("<?xml version=\"1.0\"?>\n<testsuites/>", Some(Format::Junit)),
            ("<testsuite name='x'>", Some(Format::Junit)),
            ("<testsuiteful/>", None),
            ("<html>", None),
            (r#"{"source":{},"diagnostics":[]}"#, Some(Format::Rdjson)),
            (r#"{"diagnostics":{}}"#, None),
            (r#"{"created":1,"exitcode":0,"root":"/x"}"#, Some(Format::Pytest)),
            (r#"[{"filePath":"/x","messages":[{"#, Some(Format::Eslint)),
            (r#"[{"path":"x","annotation_level":"failure"}]"#, Some(Format::Github)),
            (r#"[{"diff_hunk":"\"x\":","body":"y"}]"#, Some(Format::Github)),
            (r#"{"data":{"repository":{"pullRequest":{"reviewThreads":{"#, Some(Format::Github)),
            (r#"[{"task_id":"T"}]"#, None),
            ("a.c:1: x\nb.c:2: y\nhello", Some(Format::Lines)),
            ("hello\nb.c:2: y\nhello again\n", None),
            ("{\"type\":\"run\",\"id\":\"r\"}\n", None),
            ("", None),
            ("\"", None),
        ];
        for (head, expected) in cases {
            assert_eq!(format(head.as_bytes()), expected, "{head}");
            for end in 0..head.len() {
                // Whatever the start of a start says, it does not panic.
                format(&head.as_bytes()[..end]);
            }
        }
    }
}
