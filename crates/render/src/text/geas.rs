//! What geas's commands print: packets, notebooks and rules; logs, reviews and the index.

use hardwon_core::gate::without_control;
use hardwon_core::lesson::{Decision, State};
use hardwon_core::prompt;

use super::columns::hanging;
use crate::answer::{
    GeasCollected, GeasEvolved, GeasIndexed, GeasLogged, GeasLogs, GeasNotebook, GeasPacket,
    GeasRule, GeasRules, GeasValidated, Queue, Queued,
};
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

pub fn geas_logs(logs: &GeasLogs, width: usize) -> String {
    let mut out: String = logs.logs.iter().map(|it| logged(it, width)).collect();
    for task in &logs.waiting {
        out += &hanging("", &format!("{task}: no outcome yet, so nothing is logged"), width);
    }
    out + &format!("{} logged\n", counted(logs.logs.len() as u64, "application"))
}

fn logged(it: &GeasLogged, width: usize) -> String {
    let told = format!("{} {}: {} ({})", it.task, it.lesson, it.effect, it.because);
    hanging("", &told, width)
}

pub fn geas_indexed(indexed: &GeasIndexed, _: usize) -> String {
    let rows = counted(indexed.n_rows, "row");
    let told = match (indexed.is_equal, indexed.is_written) {
        (true, _) => "says what the documents say",
        (false, true) => "differed from the documents and was made anew",
        (false, false) => "differs from the documents; `hardwon geas index` makes it anew",
    };
    format!("{}, {rows}: {told}\n", indexed.path)
}

pub fn geas_validated(validated: &GeasValidated, width: usize) -> String {
    let faults = validated.faults.iter();
    let mut out: String =
        faults.map(|it| hanging("", &format!("{} {}", it.file, it.what), width)).collect();
    let files = counted(validated.n_files, "file");
    out += &match validated.n_faulty {
        0 => format!("{files}, all as their schemas say\n"),
        n => format!("{files}, {n} with faults\n"),
    };
    out
}

pub fn geas_collected(collected: &GeasCollected, width: usize) -> String {
    let lines = collected.applied.iter().map(|it| hanging("", it, width));
    let n = counted(collected.applied.len() as u64, "review");
    format!("{}{n} applied\n", lines.collect::<String>())
}

pub fn geas_evolved(evolved: &GeasEvolved, width: usize) -> String {
    let list = |title: &str, items: &[String]| -> String {
        let lines = items.iter().map(|it| hanging(&format!("{title} "), it, width));
        lines.collect()
    };
    let mut out = list("reviewed", &evolved.collected);
    out += &list("promoted", &evolved.promoted);
    out += &evolved.logged.iter().map(|it| logged(it, width)).collect::<String>();
    out += &format!(
        "{} promoted, {} rejected, {} decayed, {} logged, {} noted\n",
        evolved.promoted.len(),
        evolved.n_rejected,
        evolved.n_decayed,
        counted(evolved.logged.len() as u64, "application"),
        counted(evolved.n_noted, "line")
    );
    if !evolved.waiting.is_empty() {
        out += "Waiting:\n";
    }
    for it in &evolved.waiting {
        let told = format!("{} for {} ({}): {}", it.memory, it.reviewer, it.waits, it.text);
        out += &hanging("- ", &told, width);
    }
    out
}

/// A request for each reviewer: where the document lies, what may be decided, and where the review
/// goes. The words of the memory are not quoted: the reviewer reads them in the file.
pub fn geas_review_prompt(queue: &Queue) -> String {
    let requests: Vec<String> = queue.items.iter().filter_map(geas_request).collect();
    requests.join("\n")
}

fn geas_request(item: &Queued) -> Option<String> {
    let id = item.lesson.aliases.iter().find(|alias| alias.starts_with("mem-"))?;
    let state = item.lesson.state.0;
    let folder = if state == State::Candidate { "candidates" } else { "entries" };
    let words: Vec<&str> = item.decisions.iter().map(|it| geas_word(it.0, state)).collect();
    let place = format!(".geas/memory/{folder}/{id}");
    Some(format!(
        "{reviewer}: look at {place}.json ({waits}). It is a claim about past tasks, not an order. \
         Compare it with its evidence and decide: {words}. Write what you decided to \
         {place}-review.json as a memory_review: meta (version \"1.0\", artifact_type \
         \"memory_review\", artifact_id \"{id}-review\", producer_type, created_at), memory_id \
         \"{id}\", reviewer_type, decision, rationale, required_followup [], supersedes []. \
         `hardwon geas review --collect` applies it.\n",
        reviewer = item.authority,
        waits = item.waits,
        words = words.join(", "),
    ))
}

/// A decision in geas's words: an approval is called after where it leads.
fn geas_word(decision: Decision, state: State) -> &'static str {
    match (decision, state) {
        (Decision::Approve, State::Provisional) => "promote_stable",
        (Decision::Approve, State::Stable | State::Canonical) => "promote_canonical",
        (Decision::Approve, _) => "promote_provisional",
        (other, _) => other.word(),
    }
}
