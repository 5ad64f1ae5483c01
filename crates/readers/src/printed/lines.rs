//! Findings that stand in one line: `path:12:5: message (rule)` and its relatives.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;

use crate::report::cut;
use crate::terminal::plain as terminal;

/// More of a line says nothing new, in bytes.
const MAX_LINE_BYTES: usize = 600;

/// The lines without colours and without what task runners put before them.
pub fn plain(output: &str) -> Vec<String> {
    let bare = output.lines().map(|line| terminal(cut(line, MAX_LINE_BYTES)).into_owned());
    let lines: Vec<String> = bare.collect();
    let shared = |prefix: &str| lines.iter().filter(|line| line.starts_with(prefix)).count() > 1;
    let mut known: Option<String> = None;
    let without = |line: &String| {
        if let Some(rest) = known.as_deref().and_then(|prefix| line.strip_prefix(prefix)) {
            return rest.to_owned();
        }
        match prefix(line).filter(|prefix| shared(prefix)) {
            Some(prefix) => {
                let rest = line[prefix.len()..].to_owned();
                known = Some(prefix.to_owned());
                rest
            }
            None => line.clone(),
        }
    };
    lines.iter().map(without).collect()
}

/// `[lint:go] `, `web:lint: `, `web-1  | `: the name of a task before a line.
fn prefix(line: &str) -> Option<&str> {
    let is_name = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-:./@".contains(c);
        name.len() >= 2
            && name.chars().all(is_part)
            && name.chars().any(|c| c.is_ascii_alphabetic())
            && !name.contains('.')
    };
    let end = if let Some(rest) = line.strip_prefix('[') {
        let at = rest.find("] ").filter(|at| is_name(&rest[..*at]))?;
        at + 3
    } else if let Some(at) = line.find(" | ").filter(|at| is_name(line[..*at].trim_end())) {
        at + 3
    } else {
        let at = line.find(": ").filter(|at| line[..*at].contains(':') && is_name(&line[..*at]))?;
        at + 2
    };
    line.get(..end)
}

pub fn findings(lines: &[&str]) -> Vec<FindingStated> {
    lines.iter().filter_map(|line| one(line)).collect()
}

fn one(line: &str) -> Option<FindingStated> {
    let line = line.trim_end();
    test(line).or_else(|| typescript(line)).or_else(|| placed(line))
}

pub fn found(tool: &str, rule: &str, text: &str, place: (&str, Option<u32>)) -> FindingStated {
    FindingStated {
        author: Some(tool.to_owned()),
        severity: Some("warning".to_owned()),
        rule: Some(rule.to_owned()),
        text: text.trim().to_owned(),
        path: Some(place.0.trim_start_matches("./").to_owned()),
        line: place.1,
        grade: Some(Grade::Executed),
        evidence: Some(format!("error: {text}")),
        ..FindingStated::default()
    }
}

/// `--- FAIL: TestTotal (0.00s)`, `test cart::total ... FAILED`, `FAILED tests/a.py::test_b - x`.
fn test(line: &str) -> Option<FindingStated> {
    let trimmed = line.trim_start();
    let (tool, name, path) = if let Some(rest) = trimmed.strip_prefix("--- FAIL: ") {
        ("go-test", rest.split(' ').next()?, None)
    } else if let Some(name) =
        trimmed.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
    {
        ("cargo-test", name, None)
    } else if let Some(rest) = line.strip_prefix("FAILED ").filter(|rest| rest.contains("::")) {
        let name = rest.split(" - ").next()?.trim();
        ("pytest", name, name.split("::").next())
    } else {
        return None;
    };
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    if name.is_empty() || !name.chars().all(is_plain) {
        return None;
    }
    let text = format!("Test {name} fails");
    let test = found(tool, name, &text, (path.unwrap_or_default(), None));
    let path = path.map(str::to_owned);
    Some(FindingStated { category: Some("test".to_owned()), path, ..test })
}

/// `src/a.ts(12,5): error TS2345: message`, `src/a.ts:12:5 - error TS2345: message`.
fn typescript(line: &str) -> Option<FindingStated> {
    let (place, rest) = line.split_once(": error TS").or_else(|| line.split_once(" - error TS"))?;
    let (digits, message) = rest.split_once(": ")?;
    let (path, numbers) = place.split_once('(').or_else(|| place.split_once(':'))?;
    let n = numbers.split([',', ':', ')']).next()?.parse().ok();
    let is_code = digits.len() <= 5 && digits.chars().all(|c| c.is_ascii_digit());
    let is_place = is_path(path) && is_code;
    is_place.then(|| found("tsc", &format!("TS{digits}"), message, (path, n)))
}

/// `path:12:5: message` with a rule before or behind the message.
fn placed(line: &str) -> Option<FindingStated> {
    let (path, rest) = line.trim_start().split_once(':')?;
    let (number, rest) = rest.split_once(':')?;
    let n: u32 = number.parse().ok()?;
    if !is_path(path) {
        return None;
    }
    let column = rest.split_once(':').filter(|(column, _)| column.parse::<u32>().is_ok());
    let message = column.map_or(rest, |(_, rest)| rest).trim();
    let message = ["error:", "warning:", "note:", "info:", "error -", "warning -"]
        .iter()
        .find_map(|word| message.strip_prefix(word))
        .unwrap_or(message)
        .trim();
    let at = (path, Some(n));
    bracketed(message, at).or_else(|| linter(message, at)).or_else(|| coded(message, at))
}

/// mypy's `message  [rule]`, shellcheck's `message [SC2086]`.
fn bracketed(message: &str, at: (&str, Option<u32>)) -> Option<FindingStated> {
    let (text, rule) = message.strip_suffix(']')?.rsplit_once('[')?;
    let is_shell = rule.starts_with("SC") && rule[2..].chars().all(|c| c.is_ascii_digit());
    let tool = if is_shell { "shellcheck" } else { "mypy" };
    let ends = at.0.rsplit('.').next().unwrap_or_default();
    let is_known = is_shell || matches!(ends, "py" | "pyi");
    (is_rule(rule) && is_known).then(|| found(tool, rule, text, at))
}

/// golangci-lint's `message (linter)`, with the linter's own rule before the message.
fn linter(message: &str, at: (&str, Option<u32>)) -> Option<FindingStated> {
    let (text, linter) = message.strip_suffix(')')?.rsplit_once(" (")?;
    if !is_rule(linter) || linter == "typecheck" {
        return None;
    }
    if at.0.ends_with(".py") {
        // pylint: `C0114: Missing module docstring (missing-module-docstring)`.
        let text = text.split_once(": ").map_or(text, |(_, text)| text);
        return Some(found("pylint", linter, text, at));
    }
    // A word in capitals alone speaks to somebody; rules have small letters or a number.
    let is_own = |own: &str| own.contains(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let own = text.split_once(": ");
    let own = own.filter(|(own, _)| is_rule(own) && is_own(own) && own.len() <= 24);
    let (rule, text) = match own {
        Some((own, text)) => (format!("{linter}/{own}"), text),
        None => (linter.to_owned(), text),
    };
    Some(found("golangci-lint", &rule, without_code(text), at))
}

/// A message without a last clause that is only the code it was seen in.
fn without_code(text: &str) -> &str {
    let mut text = text;
    while let Some((rest, clause)) = text.rsplit_once(": ") {
        let is_code = clause.contains('(') || !clause.contains(' ') || clause.contains('.');
        if !is_code || rest.split(' ').count() < 3 {
            break;
        }
        text = rest;
    }
    text
}

/// ruff's and flake8's `E501 message`.
fn coded(message: &str, at: (&str, Option<u32>)) -> Option<FindingStated> {
    let (code, text) = message.split_once(' ')?;
    let code = code.trim_end_matches(':');
    let n_letters = code.chars().take_while(|c| c.is_ascii_uppercase()).count();
    let is_code = (1..=4).contains(&n_letters)
        && code.len() > n_letters
        && code[n_letters..].chars().all(|c| c.is_ascii_digit());
    let text = text.trim_start_matches("[*] ");
    (is_code && at.0.ends_with(".py")).then(|| found("ruff", code, text, at))
}

/// A name of a rule: one word of letters, digits, dashes and the like.
pub fn is_rule(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_/@:.".contains(c);
    (2..=60).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@')
        && word.chars().all(is_part)
}

/// A path with the ending of a file.
pub fn is_path(path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-./@+~\\[]$".contains(c);
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let has_ending = ending.is_some_and(|ending| {
        (1..=6).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    has_ending && path.len() <= 300 && path.chars().all(is_part)
}
