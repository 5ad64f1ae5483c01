//! What `go vet` reports: a place and a message without the name of the check. The check is known by
//! the words of its message. What the compiler says of unfinished code is none of it.

use hardwon_core::command::parted::Parted;
use hardwon_core::event::FindingStated;
use hardwon_core::list;

use super::lines::{found, is_path};

/// Checks, each with words of its messages: `copylocks=passes lock by value`.
const CHECKS: &[&str] = list!("printed.txt", "vet");
/// How the compiler's messages begin.
const COMPILER: &[&str] = list!("printed.txt", "go compiler");

/// The findings, if one of the commands is `go vet`, or `go test` shows what it said.
pub fn findings(parts: &[Parted], lines: &[&str]) -> Vec<FindingStated> {
    let runs = |name: &str| {
        parts.iter().any(|part| {
            let words: Vec<&str> =
                part.words.iter().skip(part.n_wrapping).take(2).map(String::as_str).collect();
            words == ["go", name]
        })
    };
    // `# [shop/cart]` stands above what was found while testing.
    let is_headed = || lines.iter().any(|line| line.starts_with("# [") && line.ends_with(']'));
    if !(runs("vet") || runs("test") && is_headed()) {
        return Vec::new();
    }
    lines.iter().filter_map(|line| one(line)).collect()
}

fn one(line: &str) -> Option<FindingStated> {
    let (path, rest) = line.split_once(".go:")?;
    let path = format!("{path}.go");
    let (number, rest) = rest.split_once(':')?;
    let (column, message) = rest.split_once(": ")?;
    let n: u32 = number.parse().ok()?;
    let _: u32 = column.parse().ok()?;
    let is_vet = is_path(&path) && !COMPILER.iter().any(|begin| message.starts_with(begin));
    // `(govet)` behind it is golangci-lint's.
    if !is_vet || message.ends_with(')') && message.contains(" (") {
        return None;
    }
    let checks = CHECKS.iter().filter_map(|row| row.split_once('='));
    let check = checks.into_iter().find(|(_, words)| message.contains(words));
    let rule = check.map_or("vet", |(check, _)| check);
    Some(found("go-vet", rule, message, (&path, Some(n))))
}
