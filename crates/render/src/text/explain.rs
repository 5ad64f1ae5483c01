//! `inject --explain`: every candidate, with its score and the parts of it, or with the
//! reason why it was not scored at all.

use super::columns::{Side, cut, padded, table, width_of};
use crate::answer::{Injected, LeftOut};
use crate::record::counted;

/// One candidate that came as far as a score.
struct Scored<'a> {
    id: &'a str,
    score: f64,
    parts: &'a [(&'static str, f64)],
    /// `shown`, or why not.
    fate: String,
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
        out += "\nleft out before scoring\n";
        out += &reason_table(&unscored, width);
    }
    out
}

fn head(injected: &Injected) -> String {
    let run = match &injected.run {
        Some(run) => format!(" for {run}"),
        None => ", not recorded (no run named)".to_owned(),
    };
    let repeat = if injected.is_repeat { "; served before, the same bytes again" } else { "" };
    let held_out = match injected.held_out.len() {
        0 => String::new(),
        n => format!(", {n} of them held out by chance"),
    };
    let size = format!(
        "{}, {}, {} left out{held_out}",
        counted(injected.n_tokens, "token"),
        counted(injected.n_chars, "character"),
        injected.left_out.len()
    );
    let shown = counted(injected.lessons.len() as u64, "lesson");
    format!("{shown} shown{run}: {size}{repeat}\n")
}

fn scored(injected: &Injected) -> Vec<Scored<'_>> {
    let shown = injected.lessons.iter().map(|shown| Scored {
        id: shown.id.as_str(),
        score: shown.score.0,
        parts: &shown.parts,
        fate: if shown.is_randomised {
            "shown, as chance decided".to_owned()
        } else {
            "shown".to_owned()
        },
        text: &shown.text,
    });
    let left_out = injected.left_out.iter().filter_map(|left_out| {
        Some(Scored {
            id: left_out.id.as_str(),
            score: left_out.score?.0,
            parts: &left_out.parts,
            fate: format!("left out, {}", left_out.reason),
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
        let numbers = [Some(one.score)].into_iter().chain(parts).map(number);
        out += &row(one.id, numbers.collect());
        out += &format!(
            "  {}\n",
            cut(&format!("{}: {}", one.fate, one.text), width.saturating_sub(2))
        );
    }
    out
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2}"))
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

fn reason_table(left_out: &[&LeftOut], width: usize) -> String {
    let head = ["ID", "REASON", "TEXT"].map(str::to_owned).to_vec();
    let rows = left_out.iter().map(|left_out| {
        vec![left_out.id.to_string(), left_out.reason.clone(), left_out.text.clone()]
    });
    let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    table(&rows, &[Side::Left; 3], width)
}
