//! What geas's commands print about what agents are told: packets, notebooks and rules.

use hardwon_core::gate::without_control;
use hardwon_core::prompt;

use super::columns::hanging;
use crate::answer::{GeasNotebook, GeasPacket, GeasRule, GeasRules};
use crate::record::counted;

/// The section of the context packet, to the letter: it goes into a prompt. Where the packet lies
/// and why it was made is talk.
pub fn geas_packet(packet: &GeasPacket) -> (String, String) {
    let step = if packet.is_written { "written" } else { "as it was" };
    let talk = format!("{}: {step}; {}", packet.path, packet.because);
    (packet.section.clone(), without_control(&talk) + "\n")
}

/// The lines of a notebook, as the role may be told them.
pub fn geas_notebook(notebook: &GeasNotebook, width: usize) -> String {
    let agent = prompt::printed(&notebook.agent);
    let step = match (&notebook.added, notebook.is_known) {
        (Some(_), _) => format!("added to the notebook of {agent}\n"),
        (None, true) => format!("already in the notebook of {agent}\n"),
        (None, false) => String::new(),
    };
    if notebook.lines.is_empty() {
        return format!("{step}no notes of {agent}\n");
    }
    let line = |line: &String| hanging("- ", &prompt::printed(line), width);
    step + &notebook.lines.iter().map(line).collect::<String>()
}

/// The rules that are proposed, as a diff, and what was left out.
pub fn geas_rules(rules: &GeasRules, width: usize) -> String {
    let GeasRules { path, diff, is_written, .. } = rules;
    let mut out = match (rules.rules.len(), diff.is_empty()) {
        (0, _) | (_, true) => format!("no new rules for {path}\n"),
        (n, false) if *is_written => format!("{} written to {path}\n", counted(n as u64, "rule")),
        (n, false) => format!("{} for {path}; add --apply to write\n", counted(n as u64, "rule")),
    };
    if !diff.is_empty() {
        let safe = |line: &str| without_control(line) + "\n";
        out += "\n";
        out += &diff.lines().map(safe).collect::<String>();
    }
    if !rules.left_out.is_empty() {
        out += "\nleft out:\n";
        let line = |rule: &GeasRule| {
            hanging("- ", &prompt::printed(&format!("{} ({})", rule.text, rule.because)), width)
        };
        out += &rules.left_out.iter().map(line).collect::<String>();
    }
    out
}
