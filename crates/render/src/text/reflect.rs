//! `reflect` as text: the summary first, then what it did to lessons, then the next step.

use super::asked::asked;
use super::columns::{Side, cut, hanging, padded};
use crate::answer::{Considered, Named, Reflected, Transition};
use crate::record::counted;

const WHAT_COLUMNS: usize = 10;

const MAX_LINES: usize = 2;

pub fn reflect(reflected: &Reflected, width: usize) -> String {
    if let Some(reason) = &reflected.skipped {
        return hanging("", &format!("no reflection: {reason}"), width);
    }
    let Reflected { created, updated, candidates, transitions, .. } = reflected;
    let runs = match reflected.runs.as_slice() {
        [run] => run.to_string(),
        runs => counted(runs.len() as u64, "run"),
    };
    let is_named = |text: &str| created.iter().chain(updated).any(|named| named.text == text);
    let (taken, refused): (Vec<_>, Vec<_>) =
        candidates.iter().partition(|one| one.refused.is_none());
    let known: Vec<&Considered> = taken.into_iter().filter(|one| !is_named(&one.text)).collect();
    let named = |one: &Named| format!("{}  {}", one.id, one.text);
    let with_reason = |one: &&Considered| {
        format!("{} ({})", one.text, one.refused.as_deref().unwrap_or_default())
    };
    let step = |step: &Transition| format!("{} {} → {}", step.lesson.id, step.from, step.to);
    // All steps in one line: their lessons are above it.
    let steps: Vec<String> = transitions.iter().map(step).collect();
    let moved: Vec<String> = (!steps.is_empty()).then(|| steps.join(", ")).into_iter().collect();

    let mut out = hanging("", &format!("{runs}: reflected on ({})", reflected.scenario), width);
    out += &hanging("  ", &reflected.summary, width);
    out += &lines("worked", &reflected.worked, width, Clone::clone);
    out += &lines("failed", &reflected.failed, width, Clone::clone);
    out += &lines("decided", &reflected.decisions, width, Clone::clone);
    out += &lines("new", created, width, named);
    out += &lines("seen again", updated, width, named);
    out += &lines("known", &known, width, |one| one.text.clone());
    out += &lines("not taken", &refused, width, with_reason);
    out += &lines("moved", &moved, width, Clone::clone);
    out += &lines("model", &reflected.asked, width, asked);
    out + &next(reflected)
}

/// The first few, the word before the first.
fn lines<T>(what: &str, all: &[T], width: usize, text: impl Fn(&T) -> String) -> String {
    let line = |what: &str, text: &str| {
        let head = padded(what, WHAT_COLUMNS, Side::Left);
        cut(&format!("  {head}  {text}"), width) + "\n"
    };
    let shown = all.iter().take(MAX_LINES).enumerate();
    let mut out: String =
        shown.map(|(n, one)| line(if n == 0 { what } else { "" }, &text(one))).collect();
    if all.len() > MAX_LINES {
        out += &line("", &format!("and {} more (--json lists all)", all.len() - MAX_LINES));
    }
    out
}

/// What to type next.
fn next(reflected: &Reflected) -> String {
    let undo = match reflected.operation {
        Some(operation) => format!("; `hardwon undo {operation}` reverses it"),
        None => String::new(),
    };
    match (reflected.created.first(), reflected.updated.first(), reflected.runs.last()) {
        (Some(new), _, _) => {
            format!("next: `hardwon show {}` shows the evidence for it{undo}\n", new.id)
        }
        (None, Some(known), _) => {
            format!("nothing new; `hardwon show {}` shows what is known{undo}\n", known.id)
        }
        (None, None, Some(run)) => {
            format!("nothing new; `hardwon show {run}` shows all that is known about it\n")
        }
        (None, None, None) => "nothing new: memory stays as it is\n".to_owned(),
    }
}
