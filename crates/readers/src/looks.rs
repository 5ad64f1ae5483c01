//! What is this, if it is nothing that is read? Names what an input looks like, and what to
//! give instead, so that whoever gave it need not guess.

use crate::report_head::{self, Names};

/// How files begin that are no text.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "gzip: unpack it first (gunzip)"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd: unpack it first (unzstd)"),
    (b"\xfd7zXZ\x00", "xz: unpack it first (unxz)"),
    (b"BZh", "bzip2: unpack it first (bunzip2)"),
    (b"7z\xbc\xaf", "a 7z archive: unpack it first"),
    (b"\x89PNG", "an image (PNG)"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"GIF8", "an image (GIF)"),
    (b"%PDF-", "a PDF: save its text"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\xfe\xed\xfa", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (
        b"SQLite format 3",
        "an SQLite database: export the session from the program that keeps it \
         (OpenCode: opencode export SESSION)",
    ),
    (b"PAR1", "a Parquet file: write its rows as JSON lines"),
];

const TEXTS: &[(&str, &str)] = &[
    ("<!doctype html", "HTML: save the report as JSON, SARIF or JUnit XML"),
    ("<html", "HTML: save the report as JSON, SARIF or JUnit XML"),
    ("diff --git ", "a patch: give the review or the report about it"),
    ("--- a/", "a patch: give the review or the report about it"),
    ("from ", "a mail or a patch: give the review in it as text"),
    ("tap version ", "TAP: convert it to JUnit XML"),
    ("tn:", "coverage data (lcov)"),
    ("# aider chat", "a chat history of aider, which is not read"),
    ("%yaml", "YAML"),
];

/// Documents and lines by the names that they have.
const OBJECTS: &[(&[&str], &str)] = &[
    (
        &["instance_id", "model_patch"],
        "a SWE-bench predictions file: it holds patches, not what was done; give the \
         trajectories (.traj) of the run",
    ),
    (
        &["resolved_ids", "unresolved_ids"],
        "the summary of an evaluation (SWE-bench): give the trajectories of the run",
    ),
    (&["checkpoint", "session_id"], "the index of a trajectory: give the .atif.json beside it"),
    (&["nbformat", "cells"], "a Jupyter notebook"),
    (&["name", "version", "dependencies"], "a package.json"),
    (&["lockfileVersion", "packages"], "a lock file of npm"),
    (&["log", "creator"], "a recording of network traffic (HAR)"),
    (&["display", "project", "timestamp"], "Claude Code's list of prompts: give the transcript"),
    (&["session_id", "ts", "text"], "Codex's list of prompts: give the rollout"),
    (&["resourceSpans"], "OpenTelemetry traces"),
    (&["auditReportVersion", "vulnerabilities"], "a report of npm audit: give it as SARIF"),
    (&["messages", "model"], "a request to a model, or its answer: give the session"),
    (&["messages"], "training data or a bare conversation: give the session of the host"),
    (&["openapi", "paths"], "an OpenAPI description"),
    (&["$schema", "properties"], "a JSON schema"),
];

pub fn like(head: &[u8]) -> Option<&'static str> {
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(name);
    }
    if head.get(257..262) == Some(b"ustar") {
        return Some("a tar archive: unpack it first");
    }
    let head = head.trim_ascii_start();
    let lower = head[..head.len().min(200)].to_ascii_lowercase();
    if let Some((_, name)) = TEXTS.iter().find(|(text, _)| lower.starts_with(text.as_bytes())) {
        return Some(name);
    }
    match head.first()? {
        b'[' if head.get(1).is_some_and(u8::is_ascii_digit) => {
            of_lines(&String::from_utf8_lossy(head))
        }
        b'{' | b'[' => of_names(head),
        b'<' => Some("XML that is not JUnit's"),
        _ => of_lines(&String::from_utf8_lossy(head)),
    }
}

fn of_names(head: &[u8]) -> Option<&'static str> {
    let names = Names::of(head);
    let depth = if names.is_list { 2 } else { 1 };
    let has_all = |all: &[&str]| all.iter().all(|name| names.has(depth, name));
    let known = OBJECTS.iter().find(|(all, _)| has_all(all)).map(|(_, name)| *name);
    // Predictions may be kept under the names of their tasks.
    let is_keyed = names.has(2, "instance_id") && names.has(2, "model_patch");
    known.or_else(|| is_keyed.then_some(OBJECTS[0].1))
}

/// A CSV, a log with a time before each line, or Markdown.
fn of_lines(text: &str) -> Option<&'static str> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(5).collect();
    let first = lines.first()?;
    let n_of = |line: &str, c: char| line.matches(c).count();
    let is_table = |c: char| {
        let n = n_of(first, c);
        n >= 2
            && lines.len() >= 2
            && lines[1..lines.len() - 1].iter().all(|line| n_of(line, c) == n)
    };
    let is_timed = |line: &&str| {
        let start = line.trim_start_matches('[');
        start.get(..10).is_some_and(|date| {
            date.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
        })
    };
    if is_table('\t') {
        Some("tab-separated values: write its rows as JSON lines")
    } else if is_table(',') && !first.contains(". ") {
        Some("a CSV: write its rows as JSON lines")
    } else if lines.iter().filter(|line| is_timed(line)).count() * 2 > lines.len() {
        Some("the log of a program: give the record of the run, or a log of its commands")
    } else if first.starts_with("# ") || first.starts_with("## ") {
        Some("Markdown: if it is a review, pass --format review (docs/findings.md)")
    } else if first.trim() == "---" || is_setting(first) {
        Some("YAML or a file of settings")
    } else {
        None
    }
}

fn is_setting(line: &str) -> bool {
    let line = line.trim();
    let is_section = line.starts_with('[') && line.ends_with(']');
    let is_named = |(name, value): (&str, &str)| {
        let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        !name.is_empty()
            && name.chars().all(is_name)
            && (value.is_empty() || value.starts_with(' '))
    };
    is_section || line.split_once(':').is_some_and(is_named)
}

/// Where the head shows that this is no text: a NUL byte before anything that could be
/// a line of a record or the start of a report. (A program may well hold such lines further on.)
pub fn binary_at(head: &[u8]) -> Option<usize> {
    let at = head.iter().position(|&byte| byte == 0)?;
    let mut lines = head[..at].split(|&byte| byte == b'\n');
    let is_record = lines.any(|line| line.trim_ascii_start().starts_with(b"{"));
    let is_report = || report_head::format(&head[..at]).is_some();
    (!is_record && !is_report()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_is_named() {
        let cases: [(&[u8], Option<&str>); 17] = [
            (b"\x1f\x8b\x08\x00abc", Some("gzip")),
            (b"\x89PNG\r\n\x1a\n", Some("an image")),
            (b"SQLite format 3\0", Some("an SQLite database")),
            (b"<!DOCTYPE html><html>", Some("HTML")),
            (b"<svg/>", Some("XML")),
            (b"diff --git a/x b/x\n", Some("a patch")),
            (br#"[{"instance_id":"a-1","model_patch":"diff"}]"#, Some("a SWE-bench predictions")),
            (br#"{"instance_id":"a-1","model_patch":"diff"}"#, Some("a SWE-bench predictions")),
            (br#"{"a-1":{"instance_id":"a-1","model_patch":""}}"#, Some("a SWE-bench pred")),
            (br#"{"nbformat":4,"cells":[]}"#, Some("a Jupyter notebook")),
            (b"name,age,town\na,1,x\nb,2,y\n", Some("a CSV")),
            (b"[2025-12-08T09:13:49Z] started\n[2025-12-08T09:13:50Z] x\n", Some("the log of")),
            (b"# Title\n\ntext\n", Some("Markdown")),
            (b"key: value\nother: 1\n", Some("YAML")),
            (b"hello world\n", None),
            (b"", None),
            (br#"{"a":1}"#, None),
        ];
        for (head, expected) in cases {
            let found = like(head);
            let text = String::from_utf8_lossy(head);
            match expected {
                Some(expected) => {
                    assert!(found.is_some_and(|it| it.starts_with(expected)), "{text}: {found:?}");
                }
                None => assert_eq!(found, None, "{text}"),
            }
        }
    }
}
