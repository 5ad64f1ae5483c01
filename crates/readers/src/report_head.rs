//! Is this a tool's report? Decided by the names at the start of an input: the first
//! kilobytes of a document are enough, and it need not be whole.

use crate::detect::Format;
use crate::generic;

/// A name in the start of a document, how deep it stands, and the head from its value on.
struct Name<'a> {
    depth: usize,
    text: &'a [u8],
    value: &'a [u8],
}

/// The format of a report by its start. Records of our own formats are none.
pub fn format(head: &[u8]) -> Option<Format> {
    let head = head.trim_ascii_start();
    match head.first()? {
        b'<' => is_junit(head).then_some(Format::Junit),
        b'{' | b'[' => {
            let names = Names::of(head);
            match names.is_list {
                _ if names.are_atif() => Some(Format::Atif),
                true => format_of_list(&names),
                false => format_of_object(&names),
            }
        }
        _ => has_places(head).then_some(Format::Lines),
    }
}

pub fn is_atif(head: &[u8]) -> bool {
    Names::of(head).are_atif()
}

/// The names at the start of a document, by how deep they stand.
pub struct Names<'a> {
    all: Vec<Name<'a>>,
    pub is_list: bool,
    /// Its first line is whole and more follows.
    pub is_whole: bool,
}

impl<'a> Names<'a> {
    pub fn of(head: &'a [u8]) -> Self {
        let head = head.trim_ascii_start();
        let is_json = matches!(head.first(), Some(b'{' | b'['));
        let all = if is_json { names(head) } else { Vec::new() };
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or(head);
        let is_whole = line.len() < head.len() && line.trim_ascii_end().ends_with(b"}");
        Names { all, is_list: head.first() == Some(&b'['), is_whole }
    }

    pub fn has(&self, depth: usize, name: &str) -> bool {
        self.begins(depth, name, b"")
    }

    pub fn has_any(&self, depth: usize, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(depth, name))
    }

    pub fn begins(&self, depth: usize, name: &str, begins: &[u8]) -> bool {
        self.all.iter().any(|known| {
            known.depth == depth && known.text == name.as_bytes() && known.value.starts_with(begins)
        })
    }

    /// Whether no other name stands at this depth.
    pub fn all_of(&self, depth: usize, known: &[&str]) -> bool {
        let is_known = |name: &Name<'_>| known.iter().any(|known| name.text == known.as_bytes());
        self.all.iter().all(|name| name.depth != depth || is_known(name))
    }

    fn anywhere(&self, name: &str) -> bool {
        self.all.iter().any(|known| known.text == name.as_bytes())
    }

    /// Whether they are those of a trajectory, whose version may be a bare number; of one in which
    /// the tools of the agent stand first, so many that nothing else is to be seen yet; or of a
    /// step of a stream whose header is lost.
    fn are_atif(&self) -> bool {
        let top = |name: &str| self.has(1, name);
        let depth = if self.is_list { 2 } else { 1 };
        let is_version = |begins: &[u8]| self.begins(depth, "schema_version", begins);
        let is_trajectory = top("session_id") && (top("agent") || top("steps"));
        let is_agent_only = top("agent") && self.all_of(1, &["agent"]);
        let is_step = top("step_id") && top("source") && (top("message") || top("observation"));
        is_version(b"\"ATIF-v1.")
            || is_agent_only && self.has(2, "tool_definitions")
            || is_trajectory && is_version(b"\"1.")
            || is_step && !top("type")
    }

    /// Whether they are those of a call of an agent. The answer may be so long that what follows
    /// it is not to be seen yet.
    fn are_of_call(&self, depth: usize) -> bool {
        const OTHERS: [&str; 8] =
            ["timestamp", "status", "endpoint", "phase", "command", "duration_ms", "issue", "pr"];
        let n_others = OTHERS.iter().filter(|name| self.has(depth, name)).count();
        let is_named = self.has(depth, "role") && n_others > 0;
        self.has(depth, "response") && (is_named || n_others > 3)
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

fn format_of_object(names: &Names<'_>) -> Option<Format> {
    let top = |name: &str| names.has(1, name);
    let any = |all: &[&str]| names.has_any(1, all);
    let is_list = |name: &str| names.begins(1, name, b"[");
    let is_report = any(&["version", "$schema"]) || names.has_any(3, &["tool", "results"]);
    if is_list("runs") && is_report || top("$schema") && top("version") && top("runs") {
        return Some(Format::Sarif);
    }
    if any(&["type", "run_id"]) {
        return None;
    }
    if is_list("diagnostics") {
        return Some(Format::Rdjson);
    }
    if names.are_of_call(1) {
        return Some(Format::Deliberation);
    }
    let is_comment = top("body") && any(&["diff_hunk", "pull_request_review_id", "issue_url"]);
    let is_thread = names.anywhere("reviewThreads") || names.anywhere("isResolved");
    let is_event = top("thread") && names.has(2, "comments")
        || top("comment") && names.has(2, "author_association");
    let is_talk = is_list("comments") && names.has(3, "authorAssociation");
    let is_github = is_comment || is_thread || is_event || is_talk || top("annotation_level");
    is_github.then_some(Format::Github)
}

fn format_of_list(names: &Names<'_>) -> Option<Format> {
    let has = |name: &str| names.has(2, name);
    if has("filePath") && has("messages") {
        return Some(Format::Eslint);
    }
    if names.are_of_call(2) {
        return Some(Format::Deliberation);
    }
    let of_comment = ["diff_hunk", "pull_request_review_id", "issue_url"];
    let is_comment = has("body") && names.has_any(2, &of_comment);
    // Pages may stand in a list of their own.
    let is_paged = names.has(3, "body") && names.has(3, "issue_url");
    let is_thread = names.anywhere("reviewThreads") || has("isResolved");
    let is_github = is_comment || is_paged || is_thread || has("annotation_level");
    is_github.then_some(Format::Github)
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
                let behind = head.get(at + 1..).unwrap_or_default().trim_ascii_start();
                if let Some(value) = behind.strip_prefix(b":") {
                    let (text, value) = (&head[start..at], value.trim_ascii_start());
                    names.push(Name { depth, text, value });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_recognized_by_its_start() {
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
            (r#"{"session_id":"s", "schema_version" : "ATIF-v1.4", "agent":{"#, Some(Format::Atif)),
            (r#"[{"schema_version":"ATIF-v1.8"}]"#, Some(Format::Atif)),
            (r#"{"agent":{"name":"x","tool_definitions":[{"name":"#, Some(Format::Atif)),
            (r#"{"type":"run","extra":{"schema_version":"ATIF-v1.4"}}"#, None),
            (r#"{"schema_version":"1.4","session_id":"s","agent":{"#, Some(Format::Atif)),
            (r#"{"step_id":12,"source":"system","message":"x"}"#, Some(Format::Atif)),
            (r#"{"step_id":12,"type":"x","source":"system","message":"x"}"#, None),
            (r#"{"schema_version":"1.0"}"#, None),
            (r#"[{"filePath":"/x","messages":[{"#, Some(Format::Eslint)),
            (r#"[{"path":"x","annotation_level":"failure"}]"#, Some(Format::Github)),
            (r#"[{"diff_hunk":"\"x\":","body":"y"}]"#, Some(Format::Github)),
            (r#"{"data":{"repository":{"pullRequest":{"reviewThreads":{"#, Some(Format::Github)),
            (
                r#"[{"url":"u","issue_url":"i","user":{"login":"x"},"body":"y"}]"#,
                Some(Format::Github),
            ),
            (r#"[[{"issue_url":"i","body":"y"}]]"#, Some(Format::Github)),
            (r#"{"issue_url":"i","body":"y"}"#, Some(Format::Github)),
            (r#"{"comments":[{"id":"1","authorAssociation":"OWNER"}]}"#, Some(Format::Github)),
            (r#"{"comments":[{"id":"1","text":"x"}]}"#, None),
            (r#"{"role":"judge","timestamp":"t","response":"x"}"#, Some(Format::Deliberation)),
            (r#"[{"role":"judge","response":"x","status":"ok"}]"#, Some(Format::Deliberation)),
            (r#"{"role":"judge","response":"x"}"#, None),
            (r#"{"type":"deliberation","role":"judge","response":"x","status":"y"}"#, None),
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
