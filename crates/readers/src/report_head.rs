//! Is this a tool's report? Decided by the names at the start of an input: the first
//! kilobytes of a document are enough, and it need not be whole.

use crate::detect::Format;
use crate::generic;

/// A name in the start of a document, how deep it stands, and how its value begins.
struct Name<'a> {
    depth: usize,
    text: &'a [u8],
    begins: u8,
    /// The head from its value on.
    value: &'a [u8],
}

/// The format of a report by its start. Records of our own formats are none.
pub fn format(head: &[u8]) -> Option<Format> {
    let head = head.trim_ascii_start();
    match head.first()? {
        b'<' => is_junit(head).then_some(Format::Junit),
        b'{' | b'[' if is_atif(head) => Some(Format::Atif),
        b'{' => format_of_object(&names(head)),
        b'[' => format_of_list(&names(head)),
        _ => has_places(head).then_some(Format::Lines),
    }
}

/// Whether the start of an input is that of an ATIF trajectory.
pub fn is_atif(head: &[u8]) -> bool {
    has_value(head, "schema_version", b"\"ATIF-v1.")
        || is_agent_first(head)
        || is_bare_atif(&TopNames::of(head), head)
}

/// Whether it is a trajectory with a bare number for its version, or a step of a stream whose
/// header is lost.
fn is_bare_atif(names: &TopNames<'_>, head: &[u8]) -> bool {
    let top = |name: &str| names.has(1, name);
    let is_trajectory = top("session_id") && (top("agent") || top("steps"));
    let is_step = top("step_id") && top("source") && (top("message") || top("observation"));
    is_trajectory && has_value(head, "schema_version", b"\"1.") || is_step && !top("type")
}

/// Whether a field of the document, or of the first one in a list, begins so.
pub fn has_value(head: &[u8], name: &str, begins: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let depth = if head.first() == Some(&b'[') { 2 } else { 1 };
    let is_it = |known: &Name<'_>| known.depth == depth && known.text == name.as_bytes();
    matches!(head.first(), Some(b'{' | b'['))
        && names(head).iter().any(|known| is_it(known) && known.value.starts_with(begins))
}

/// Whether this is the start of a document in which the tools of an agent stand first, so
/// many that nothing else is to be seen yet.
pub fn is_agent_first(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let names = if head.first() == Some(&b'{') { names(head) } else { Vec::new() };
    let has = |depth: usize, name: &str| {
        names.iter().any(|known| known.depth == depth && known.text == name.as_bytes())
    };
    let is_only = names.iter().all(|known| known.depth > 1 || known.text == b"agent");
    is_only && has(1, "agent") && has(2, "tool_definitions")
}

/// The names at the start of a document, by how deep they stand.
pub struct TopNames<'a> {
    names: Vec<Name<'a>>,
    is_list: bool,
    is_whole: bool,
}

impl<'a> TopNames<'a> {
    pub fn of(head: &'a [u8]) -> Self {
        let head = head.trim_ascii_start();
        let is_json = matches!(head.first(), Some(b'{' | b'['));
        let names = if is_json { names(head) } else { Vec::new() };
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or(head);
        let is_whole = line.len() < head.len() && line.trim_ascii_end().ends_with(b"}");
        TopNames { names, is_list: head.first() == Some(&b'['), is_whole }
    }

    pub fn has(&self, depth: usize, name: &str) -> bool {
        self.names.iter().any(|known| known.depth == depth && known.text == name.as_bytes())
    }

    /// Whether no other name stands at this depth.
    pub fn all_of(&self, depth: usize, known: &[&str]) -> bool {
        let is_known = |name: &Name<'_>| known.iter().any(|known| name.text == known.as_bytes());
        self.names.iter().all(|name| name.depth != depth || is_known(name))
    }

    pub fn is_list(&self) -> bool {
        self.is_list
    }

    /// Whether its first line is whole and more follows.
    pub fn is_whole(&self) -> bool {
        self.is_whole
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

fn format_of_object(names: &[Name<'_>]) -> Option<Format> {
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
    let is_result = ["verifier_result", "exception_info", "task_checksum", "trial_uri", "config"];
    if top("trial_name") && top("task_name") && is_result.iter().any(|name| top(name)) {
        return Some(Format::HarborResult);
    }
    let is_trial = |depth: usize| {
        let is_result = ["is_resolved", "failure_mode", "parser_results"];
        has(depth, "task_id") && is_result.iter().any(|name| has(depth, name))
    };
    if is_list("results") && is_trial(3) || top("trial_name") && is_trial(1) {
        return Some(Format::TerminalBench);
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
    let is_event =
        top("thread") && has(2, "comments") || top("comment") && has(2, "author_association");
    let is_talk =
        top("body") && top("issue_url") || is_list("comments") && has(3, "authorAssociation");
    if is_call(&top) {
        return Some(Format::Deliberation);
    }
    let is_github = is_comment || is_thread || is_event || is_talk || top("annotation_level");
    is_github.then_some(Format::Github)
}

fn format_of_list(names: &[Name<'_>]) -> Option<Format> {
    let has = |name: &str| names.iter().any(|n| n.depth == 2 && n.text == name.as_bytes());
    let is_comment = has("body") && (has("diff_hunk") || has("pull_request_review_id"));
    if has("filePath") && has("messages") {
        return Some(Format::Eslint);
    }
    if is_call(&has) {
        return Some(Format::Deliberation);
    }
    let is_thread = names.iter().any(|name| name.text == b"reviewThreads");
    // Pages may stand in a list of their own.
    let deeper = |name: &str| names.iter().any(|n| n.depth == 3 && n.text == name.as_bytes());
    let is_talk = has("body") && has("issue_url") || deeper("body") && deeper("issue_url");
    let is_github =
        is_comment || is_thread || is_talk || has("annotation_level") || has("isResolved");
    is_github.then_some(Format::Github)
}

/// Whether these are names of a call of an agent. The answer may be so long that what follows it
/// is not to be seen yet.
fn is_call(has: &dyn Fn(&str) -> bool) -> bool {
    const OTHERS: [&str; 8] =
        ["timestamp", "status", "endpoint", "phase", "command", "duration_ms", "issue", "pr"];
    let n_others = OTHERS.iter().filter(|name| has(name)).count();
    has("response") && (has("role") && n_others > 0 || n_others > 3)
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
                    let value = &head[blank(head, next + 1)..];
                    let begins = value.first().copied().unwrap_or(0);
                    let text = &head[start..at.min(head.len())];
                    names.push(Name { depth, text, begins, value });
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
            (r#"{"task_name":"t","trial_name":"t__1","config":{"#, Some(Format::HarborResult)),
            (r#"{"task_name":"t","trial_name":"t__1"}"#, None),
            (
                r#"{"id":"r","results":[{"id":"1","task_id":"t","is_resolved":true"#,
                Some(Format::TerminalBench),
            ),
            (r#"{"trial_name":"t.1","task_id":"t","failure_mode":"#, Some(Format::TerminalBench)),
            (r#"{"task_id":"t","results":[{"task_id":"u"}]}"#, None),
            (r#"{"created":1,"exitcode":0,"root":"/x"}"#, Some(Format::Pytest)),
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
