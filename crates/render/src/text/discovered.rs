//! What sessions know, and what is proposed for notes: `notes discover`, `notes learn`.

use super::columns::hanging;
use crate::answer::{DiscoveredRule, NotesDiscovered, NotesProposal, NotesProposals, WaitingNote};
use crate::record::counted;

/// What sessions know that is not known yet.
pub fn notes_discovered(found: &NotesDiscovered, explains: bool, width: usize) -> String {
    let mut out = String::new();
    for (at, it) in found.proposals.iter().enumerate() {
        out += &hanging(&format!("{}. ", at + 1), &it.rule, width);
        out += &hanging("   ", &about(it), width);
        out += &hanging("   ", &format!("\"{}\"", it.evidence), width);
        out += "\n";
    }
    if explains && !found.left_out.is_empty() {
        out += "Left out:\n";
        for it in &found.left_out {
            out += &hanging("- ", &it.rule, width);
            out += &hanging("  ", &it.because.join("; "), width);
        }
        out += "\n";
    }
    let since = found.since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
    let sessions = counted(found.n_sessions, "conversation");
    let n_left = found.left_out.len();
    let hint = match (explains, n_left) {
        (true, _) | (_, 0) => String::new(),
        (false, n) => format!(", {n} left out (--explain)"),
    };
    out + &format!(
        "{sessions}{since}: {}{hint}\n",
        match found.proposals.len() as u64 {
            0 => "nothing to propose".to_owned(),
            n => counted(n, "proposal"),
        }
    )
}

fn about(it: &DiscoveredRule) -> String {
    let fact = it.fact.as_ref().map_or(String::new(), |fact| format!(" {fact}"));
    format!("{}{fact}, {} in {}", it.against, it.signal, it.sessions.join(", "))
}

/// What is proposed for notes.
pub fn notes_proposals(listed: &NotesProposals, width: usize) -> String {
    let mut out: String =
        listed.proposals.iter().map(|it| notes_proposal(it, width) + "\n").collect();
    out += &match listed.proposals.len() as u64 {
        0 => "nothing to propose\n".to_owned(),
        n => format!(
            "{}: `hardwon notes learn --list {} --accept N,M` carries them out\n",
            counted(n, "proposal"),
            listed.list
        ),
    };
    out + &notes_waiting(&listed.waiting, width)
}

/// What agents want to add.
pub fn notes_waiting(waiting: &[WaitingNote], width: usize) -> String {
    if waiting.is_empty() {
        return String::new();
    }
    let lines = waiting.iter().map(|it| hanging(&format!("- {} ", it.id), &it.text, width));
    let told = "Agents want to add these; `hardwon notes accept ID` makes a note of one:\n";
    format!("\n{told}{}", lines.collect::<String>())
}

/// One proposal with its number, id, reason and diff.
pub fn notes_proposal(it: &NotesProposal, width: usize) -> String {
    let into = it.into.as_ref().map_or(String::new(), |into| format!(" into {into}"));
    let title = format!("{} {}{into} [{}]", it.action, it.target, it.id);
    let mut out = hanging(&format!("{}. ", it.number), &title, width);
    out += &hanging("   ", &it.reason, width);
    for line in it.diff.lines() {
        out += &hanging("   ", line, width);
    }
    out
}
