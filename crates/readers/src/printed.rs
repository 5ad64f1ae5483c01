//! What did compilers, linters and test programs print in a session? Only the output of commands
//! that run something is looked at: what shows a file shows whatever stands in it.
//!
//! A tool is known by the form of its lines; the rule, the place and the message are taken from
//! them. A tool that says that it found nothing has looked, too.

mod blocks;
mod lines;
mod suites;

use hardwon_core::command::parted::parted;
use hardwon_core::event::ToolLook;
use hardwon_core::list;
use hardwon_core::observe;
use hardwon_core::signature::of_rule;

/// More of an output is not looked at, in bytes.
const MAX_BYTES: usize = 256 << 10;

const MAX_FINDINGS: usize = 400;

const MAX_SIGNATURES: usize = 12;

/// Lines by which tools say that they found nothing: `golangci-lint=0 issues.`
const NOTHING: &[&str] = list!("printed.txt", "nothing");
/// Programs that print nothing if they find nothing.
const SILENT: &[&str] = list!("printed.txt", "silent");
/// Programs that show what others wrote.
const SHOWING: &[&str] = list!("printed.txt", "showing");

/// Whether a command runs something whose output is its own.
pub fn acts(command: &str) -> bool {
    let is_running = |program: String| !SHOWING.contains(&program.as_str());
    parted(command).iter().any(|part| !part.sort.is_look && is_running(part.program()))
}

/// Which tools looked in this command, and what they reported.
pub fn looks(command: &str, output: &str, is_ok: Option<bool>) -> Vec<ToolLook> {
    if !acts(command) {
        return Vec::new();
    }
    let parts = parted(command);
    let output = &output[..output.floor_char_boundary(MAX_BYTES)];
    let plain = lines::plain(output);
    let lines: Vec<&str> = plain.iter().map(String::as_str).collect();
    let mut looks: Vec<ToolLook> = Vec::new();
    let found = lines::findings(&lines).into_iter().chain(blocks::findings(&lines));
    let found = found.chain(suites::findings(&lines)).chain(suites::vetted(&parts, &lines));
    for finding in found.take(MAX_FINDINGS) {
        let tool = finding.author.clone().unwrap_or_default();
        match looks.iter_mut().find(|look| look.tool == tool) {
            Some(look) => look.findings.push(finding),
            None => looks.push(ToolLook { tool, findings: vec![finding] }),
        }
    }
    let silent = parts.iter().filter(|_| is_ok == Some(true)).filter_map(|part| {
        let words = part.words.iter().skip(part.n_wrapping).take(2);
        let name = words.map(String::as_str).collect::<Vec<_>>().join(" ");
        named(SILENT, |sign| name == sign || name.starts_with(&format!("{sign} ")))
    });
    let told = lines.iter().filter_map(|line| named(NOTHING, |sign| line.trim().starts_with(sign)));
    for tool in told.chain(silent) {
        if !looks.iter().any(|look| look.tool == tool) {
            looks.push(ToolLook { tool: tool.to_owned(), findings: Vec::new() });
        }
    }
    looks
}

/// Under which signatures a failed command is known: its error, and the rules that tools name in
/// what it printed.
pub fn signatures_of_failure(command: &str, output: &str) -> Vec<String> {
    let mut all: Vec<String> = observe::signature_of_failure(command, output).into_iter().collect();
    for look in looks(command, output, Some(false)) {
        let rules = look.findings.iter().filter_map(|found| found.rule.as_deref());
        for signature in rules.map(|rule| of_rule(&look.tool, Some(rule))) {
            if all.len() < MAX_SIGNATURES && !all.contains(&signature) {
                all.push(signature);
            }
        }
    }
    all
}

fn named(rows: &'static [&'static str], fits: impl Fn(&str) -> bool) -> Option<&'static str> {
    let rows = rows.iter().filter_map(|row| row.split_once('='));
    rows.into_iter().find(|(_, sign)| fits(sign)).map(|(tool, _)| tool)
}

#[cfg(test)]
mod tests;
