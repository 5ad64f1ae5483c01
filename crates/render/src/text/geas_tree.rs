//! What the commands of geas's skill print.

use super::columns::hanging;
use crate::answer::{GeasCollected, GeasEvolved, GeasIndexed, GeasLogged, GeasLogs, GeasValidated};
use crate::record::counted;

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
        "{} promoted, {} rejected, {} decayed, {} logged\n",
        evolved.promoted.len(),
        evolved.n_rejected,
        evolved.n_decayed,
        counted(evolved.logged.len() as u64, "application")
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
