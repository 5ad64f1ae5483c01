//! Findings that stand in several lines: ESLint names the file once, rustc and clippy tell the
//! place under the message and the rule under that, and ruff likewise.

use hardwon_core::event::FindingStated;

use super::lines::{found, is_path, is_rule};

/// How many lines under its message a compiler's place and rule stand.
const MAX_BLOCK_LINES: usize = 24;

pub fn findings(lines: &[&str]) -> Vec<FindingStated> {
    let mut all = stylish(lines);
    let starts =
        (0..lines.len()).filter_map(|at| compiler(&lines[at..]).or_else(|| ruff(&lines[at..])));
    all.extend(starts);
    all
}

/// ESLint: the file, and below it `  12:5  error  message  rule`.
fn stylish(lines: &[&str]) -> Vec<FindingStated> {
    let mut file = None;
    let mut all = Vec::new();
    for line in lines {
        let trimmed = line.trim();
        if *line == trimmed && is_path(trimmed) && trimmed.contains('/') {
            file = Some(trimmed);
            continue;
        }
        if trimmed.is_empty() {
            file = None;
            continue;
        }
        let Some(file) = file else { continue };
        all.extend(stylish_row(trimmed, file));
    }
    all
}

fn stylish_row(row: &str, file: &str) -> Option<FindingStated> {
    let (place, rest) = row.split_once(char::is_whitespace)?;
    let (line, column) = place.split_once(':')?;
    let _: u32 = column.parse().ok()?;
    let n: u32 = line.parse().ok()?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("error").or_else(|| rest.strip_prefix("warning"))?;
    let (message, rule) = rest.trim().rsplit_once("  ")?;
    let rule = rule.trim();
    is_rule(rule).then(|| found("eslint", rule, message, (file, Some(n))))
}

/// rustc and clippy: `warning: message`, `  --> path:1:2`, and the lint in a note.
fn compiler(lines: &[&str]) -> Option<FindingStated> {
    let (first, rest) = lines.split_first()?;
    let head = first.strip_prefix("warning").or_else(|| first.strip_prefix("error"))?;
    let (code, message) = match head.strip_prefix('[') {
        Some(coded) => coded.split_once("]: ").map(|(code, message)| (Some(code), message))?,
        None => (None, head.strip_prefix(": ")?),
    };
    let at = arrow(rest.first()?)?;
    let block = rest.iter().take(MAX_BLOCK_LINES).take_while(|line| !line.trim().is_empty());
    let lint = block.into_iter().find_map(|line| lint(line));
    match (lint, code) {
        (Some(lint), _) if lint.starts_with("clippy::") => {
            Some(found("clippy", &lint, message, at))
        }
        (Some(lint), _) => Some(found("rustc", &lint, message, at)),
        (None, Some(code)) if is_rule(code) => Some(found("rustc", code, message, at)),
        (None, _) => None,
    }
}

/// `  --> src/a.rs:1:2`.
fn arrow(line: &str) -> Option<(&str, Option<u32>)> {
    let place = line.trim_start().strip_prefix("--> ")?;
    let (path, rest) = place.split_once(':')?;
    let n = rest.split(':').next().and_then(|n| n.parse().ok());
    is_path(path).then_some((path, n))
}

/// `` = note: `#[warn(clippy::needless_return)]` on by default ``, or the page of the lint.
fn lint(line: &str) -> Option<String> {
    let inside = ["#[warn(", "#[deny(", "#[forbid("].iter().find_map(|mark| line.split_once(mark));
    let named = inside.and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name.to_owned());
    let page = || {
        let (_, page) = line.split_once("index.html#")?;
        Some(format!("clippy::{}", page.trim()))
    };
    let flag = || {
        let (_, flag) = line.split_once("`-D ").or_else(|| line.split_once("`-W "))?;
        Some(flag.split('`').next()?.replace('-', "_"))
    };
    named.or_else(page).or_else(flag).filter(|name| is_rule(name))
}

/// ruff's long form: `F401 [*] message`, and the place below.
fn ruff(lines: &[&str]) -> Option<FindingStated> {
    let (first, rest) = lines.split_first()?;
    let (code, message) = first.split_once(' ')?;
    let digits = code.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_code = digits.len() < code.len()
        && (3..=4).contains(&digits.len())
        && digits.chars().all(|c| c.is_ascii_digit());
    let at = arrow(rest.first()?).filter(|_| is_code)?;
    Some(found("ruff", code, message.trim_start_matches("[*] "), at))
}
