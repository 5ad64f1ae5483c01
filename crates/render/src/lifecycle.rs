//! The lifecycle as a diagram and as a table, drawn from core's table of steps.

use hardwon_core::lesson::State;
use hardwon_core::lifecycle::STEPS;

/// A state diagram in Mermaid's language.
pub fn diagram() -> String {
    let mut out = String::from("stateDiagram-v2\n    [*] --> candidate\n    [*] --> quarantined\n");
    for (from, to, causes) in arrows() {
        out += &format!("    {from} --> {to}: {causes}\n");
    }
    out
}

/// The same as a Markdown table.
pub fn steps_table() -> String {
    let mut out = String::from("| from | to | by |\n|---|---|---|\n");
    for (from, to, causes) in arrows() {
        out += &format!("| `{from}` | `{to}` | {causes} |\n");
    }
    out
}

/// Each pair of states, with everything that leads from one to the other.
fn arrows() -> impl Iterator<Item = (State, State, String)> {
    STEPS.iter().map(|(from, to, causes)| {
        let causes: Vec<&str> = causes.iter().map(|cause| cause.word()).collect();
        (*from, *to, causes.join(", "))
    })
}
