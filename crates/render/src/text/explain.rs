//! `inject --explain`: every candidate, with its score and the parts of it, or with the
//! reason why it was not scored at all.

use super::columns::{Side, cut, headed_table, padded, section, width_of};
use crate::answer::{Injected, LeftOut};
use crate::record::counted;

/// One candidate that came as far as a score.
struct Scored<'a> {
    id: &'a str,
    score: f64,
    parts: &'a [(&'static str, f64)],
    /// `shown`, or why not.
    fate: String,
    /// What its score means.
    means: Option<&'a str>,
    text: &'a str,
}

/// Scored candidates first, best first, the parts of each score below their names; then
/// those that were left out before, with the reason.
pub fn explain(injected: &Injected, width: usize) -> String {
    let scored = scored(injected);
    let unscored: Vec<&LeftOut> =
        injected.left_out.iter().filter(|left_out| left_out.score.is_none()).collect();
    let mut out = head(injected);
    if !scored.is_empty() {
        out += "\n";
        out += &score_table(&scored, width);
    }
    if !unscored.is_empty() {
        let row = |one: &&LeftOut| vec![one.id.to_string(), one.reason.clone(), one.text.clone()];
        let table = headed_table("ID REASON TEXT", unscored.iter().map(row), width);
        out += &section("left out before scoring", &table);
    }
    out
}

fn head(injected: &Injected) -> String {
    let run = match &injected.run {
        Some(run) => format!(" for {run}"),
        None => ", not recorded (no run named)".to_owned(),
    };
    let held_out = match injected.held_out.len() {
        0 => String::new(),
        n => format!(", {n} of them held out by chance"),
    };
    let repeat = if injected.is_repeat { "; served before, the same bytes again" } else { "" };
    format!(
        "{} shown{run}: {}, {}, {} left out{held_out}{repeat}\n",
        counted(injected.lessons.len() as u64, "lesson"),
        counted(injected.n_tokens, "token"),
        counted(injected.n_chars, "character"),
        injected.left_out.len()
    )
}

fn scored(injected: &Injected) -> Vec<Scored<'_>> {
    let shown = injected.lessons.iter().map(|shown| Scored {
        id: shown.id.as_str(),
        score: shown.score.0,
        parts: &shown.parts,
        fate: if shown.is_randomised { "shown, as chance decided" } else { "shown" }.to_owned(),
        means: shown.means.as_deref(),
        text: &shown.text,
    });
    let left_out = injected.left_out.iter().filter_map(|left_out| {
        Some(Scored {
            id: left_out.id.as_str(),
            score: left_out.score?.0,
            parts: &left_out.parts,
            fate: format!("left out, {}", left_out.reason),
            means: None,
            text: &left_out.text,
        })
    });
    shown.chain(left_out).collect()
}

/// Each candidate takes two lines: its numbers, then what it is and became.
fn score_table(scored: &[Scored<'_>], width: usize) -> String {
    let names = part_names(scored);
    let id_width = scored.iter().map(|one| width_of(one.id)).max().unwrap_or(2);
    let heads: Vec<&str> = ["score"].into_iter().chain(names.iter().copied()).collect();
    let row = |id: &str, cells: Vec<String>| {
        let cells = cells.iter().zip(&heads);
        let cells = cells.map(|(cell, head)| padded(cell, head.len().max(4), Side::Right));
        let cells: Vec<String> = cells.collect();
        format!("{}  {}\n", padded(id, id_width, Side::Left), cells.join(" "))
    };
    let mut out = row("ID", heads.iter().map(|head| (*head).to_owned()).collect());
    for one in scored {
        let part = |name: &&str| one.parts.iter().find(|(known, _)| known == name);
        let parts = names.iter().map(|name| part(name).map(|(_, value)| *value));
        let number = |n: Option<f64>| n.map_or("-".to_owned(), |n| format!("{n:.2}"));
        out += &row(one.id, [Some(one.score)].into_iter().chain(parts).map(number).collect());
        out += &(cut(&format!("  {}: {}", one.fate, one.text), width) + "\n");
        if let Some(means) = one.means {
            out += &(cut(&format!("  {means}"), width) + "\n");
        }
    }
    out
}

fn part_names(scored: &[Scored<'_>]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for (name, _) in scored.iter().flat_map(|one| one.parts) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
}
