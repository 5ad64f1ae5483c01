//! What does a line like `src/a.c:12:5: warning: unused variable` state? The form that
//! compilers, linters and `grep -n` share.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;

use crate::report::shortened;

/// The form does not show which tool wrote it.
pub const AUTHOR: &str = "lines";

/// Words before the message that say how bad it is.
const LEVELS: [(&str, &str); 9] = [
    ("fatal error", "critical"),
    ("fatal", "critical"),
    ("error", "error"),
    ("warning", "warning"),
    ("warn", "warning"),
    ("note", "info"),
    ("info", "info"),
    ("style", "recommendation"),
    ("hint", "recommendation"),
];

pub fn finding(line: &str) -> Option<FindingStated> {
    let (path, line, rest) = place(line.trim())?;
    let (severity, text) = level(rest);
    let (text, rule) = trailing_rule(text);
    (!text.is_empty()).then(|| FindingStated {
        author: Some(AUTHOR.to_owned()),
        severity: Some(severity.to_owned()),
        rule,
        text: shortened(text),
        path: Some(path.strip_prefix("./").unwrap_or(path).to_owned()),
        line: Some(line),
        grade: Some(Grade::Cited),
        ..FindingStated::default()
    })
}

/// Whether most of a text's whole lines have the form.
pub fn are_lines(head: &str) -> bool {
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).collect();
    let n_found = lines.iter().filter(|line| finding(line).is_some()).count();
    n_found * 2 > lines.len()
}

/// Path, line and what follows.
fn place(text: &str) -> Option<(&str, u32, &str)> {
    // A drive letter is part of the path.
    let is_drive = text.len() > 2
        && text.as_bytes()[1] == b':'
        && text.as_bytes()[0].is_ascii_alphabetic()
        && matches!(text.as_bytes()[2], b'\\' | b'/');
    let from = if is_drive { 2 } else { 0 };
    let at = from + text.get(from..)?.find(':')?;
    let (path, rest) = (&text[..at], &text[at + 1..]);
    let (number, rest) = rest.split_once(':')?;
    let line: u32 = number.parse().ok().filter(|line| *line > 0)?;
    let column = rest.split_once(':').filter(|(column, _)| column.parse::<u32>().is_ok());
    let rest = column.map_or(rest, |(_, rest)| rest);
    // `12:30:45: started` is a time, and so is `2026-05-11 12:30:45: started`.
    let is_path =
        path.contains(['/', '.', '\\']) || path.chars().next().is_some_and(char::is_alphabetic);
    let is_word =
        !path.is_empty() && !path.contains(['"', '{', '<', '\t']) && !path.starts_with(' ');
    let has_name = path
        .rsplit(['/', '\\'])
        .next()
        .is_some_and(|name| !name.is_empty() && (name.contains('.') || !name.contains(' ')));
    let is_address = path.contains("://") || path.split('.').all(|part| part.parse::<u8>().is_ok());
    (is_path && is_word && has_name && !is_address).then_some((path, line, rest.trim()))
}

fn level(text: &str) -> (&'static str, &str) {
    let lower = text.to_ascii_lowercase();
    for (word, severity) in LEVELS {
        let Some(rest) = lower.strip_prefix(word) else { continue };
        // `error: x`, `error[E0308]: x`, `[error] x` has its own form.
        if rest.starts_with(':') {
            return (severity, text[word.len() + 1..].trim());
        }
        if rest.starts_with('[')
            && let Some(end) = rest.find("]:")
        {
            return (severity, text[word.len() + end + 2..].trim());
        }
    }
    ("warning", text)
}

/// `unused variable [-Wunused-variable]`: the name of the rule at the end.
fn trailing_rule(text: &str) -> (&str, Option<String>) {
    let Some((before, rule)) = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["))
    else {
        return (text, None);
    };
    let is_name =
        !rule.is_empty() && !rule.contains(' ') && rule.contains(|c: char| c.is_alphabetic());
    if is_name && !before.trim().is_empty() {
        (before.trim(), Some(rule.to_owned()))
    } else {
        (text, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(line: &str) -> Option<String> {
        let found = finding(line)?;
        let rule = found.rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
        Some(format!(
            "{} {} {} | {}{rule}",
            found.severity.unwrap(),
            found.path.unwrap(),
            found.line.unwrap(),
            found.text
        ))
    }

    #[test]
    fn lines_with_a_place_are_findings() {
        let cases = [
            ("src/a.c:12: unused", Some("warning src/a.c 12 | unused")),
            ("src/a.c:12:5: error: no such type", Some("error src/a.c 12 | no such type")),
            ("./a.py:3:1: F401 unused import", Some("warning a.py 3 | F401 unused import")),
            ("a.c:1:2: warning: unused x [-Wunused]", Some("warning a.c 1 | unused x (-Wunused)")),
            ("C:\\src\\a.c:7: note: here", Some("info C:\\src\\a.c 7 | here")),
            ("Makefile:3: fatal error: x", Some("critical Makefile 3 | x")),
            ("my file.txt:3: x", Some("warning my file.txt 3 | x")),
            ("src/a.c:12:", None),
            ("src/a.c:0: x", None),
            ("src/a.c: x", None),
            ("12:30:45: started", None),
            ("2026-05-11 12:30:45: started", None),
            ("127.0.0.1:80: refused", None),
            ("http://x.y:80: refused", None),
            ("{\"a\":1:2: x", None),
            ("    ^~~~", None),
            ("é:1: x", Some("warning é 1 | x")),
            ("", None),
        ];
        for (line, expected) in cases {
            assert_eq!(short(line).as_deref(), expected, "{line}");
        }
    }
}
