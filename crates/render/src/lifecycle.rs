//! The lifecycle as a diagram and as a table, drawn from core's table of steps.

use hardwon_core::lesson::State;
use hardwon_core::lifecycle::{Cause, STEPS};

/// A state diagram in Mermaid's language.
pub fn diagram() -> String {
    let mut out = String::from("stateDiagram-v2\n    [*] --> candidate\n    [*] --> quarantined\n");
    for (from, to, causes) in arrows() {
        out += &format!("    {from} --> {to}: {}\n", causes.join(", "));
    }
    out
}

/// The same as a Markdown table.
pub fn steps_table() -> String {
    let mut out = String::from("| from | to | by |\n|---|---|---|\n");
    for (from, to, causes) in arrows() {
        out += &format!("| `{from}` | `{to}` | {} |\n", causes.join(", "));
    }
    out
}

/// Each pair of states once, with everything that leads from one to the other.
fn arrows() -> Vec<(State, State, Vec<&'static str>)> {
    let mut arrows: Vec<(State, State, Vec<&'static str>)> = Vec::new();
    for &(from, to, cause) in STEPS {
        let known = arrows.iter_mut().find(|arrow| (arrow.0, arrow.1) == (from, to));
        match known {
            Some(arrow) => arrow.2.push(Cause::word(cause)),
            None => arrows.push((from, to, vec![cause.word()])),
        }
    }
    arrows
}
