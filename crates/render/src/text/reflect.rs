//! What looking back came to, for a person: the account first, then what memory made of
//! it, then what to do with that.

use super::columns::{Side, cut, hanging, padded};
use crate::answer::{Considered, Named, Reflected, Transition};
use crate::record::counted;

/// Width of the word on the left.
const WHAT_COLUMNS: usize = 10;

/// Most lines of one sort.
const MAX_LINES: usize = 2;

/// `reflect`.
pub fn reflect(reflected: &Reflected, width: usize) -> String {
    if let Some(reason) = &reflected.skipped {
        return hanging("", &format!("nothing looked back upon: {reason}"), width);
    }
    let mut out = hanging("", &head(reflected), width);
    out += &hanging("  ", &reflected.summary, width);
    out += &said("worked", &reflected.worked, width);
    out += &said("failed", &reflected.failed, width);
    out += &said("decided", &reflected.decisions, width);
    out += &lessons("new", &reflected.created, width);
    out += &lessons("seen again", &reflected.updated, width);
    out += &known(reflected, width);
    out += &refused(reflected, width);
    out += &moved(reflected, width);
    out + &next(reflected)
}

fn head(reflected: &Reflected) -> String {
    let runs = match reflected.runs.as_slice() {
        [run] => run.to_string(),
        runs => counted(runs.len() as u64, "run"),
    };
    format!("{runs}: looked back upon ({})", reflected.scenario)
}

fn said(what: &str, all: &[String], width: usize) -> String {
    lines(what, all, width, |text| text.clone())
}

fn lessons(what: &str, all: &[Named], width: usize) -> String {
    lines(what, all, width, |named| format!("{}  {}", named.id, named.text))
}

/// What it came to and memory has already.
fn known(reflected: &Reflected, width: usize) -> String {
    let all = || reflected.created.iter().chain(&reflected.updated);
    let is_told = |text: &str| all().any(|named| named.text == text);
    let known = reflected.candidates.iter().filter(|one| one.refused.is_none());
    let known: Vec<&Considered> = known.filter(|one| !is_told(&one.text)).collect();
    lines("known", &known, width, |one| one.text.clone())
}

fn refused(reflected: &Reflected, width: usize) -> String {
    let refused = reflected.candidates.iter().filter(|one| one.refused.is_some());
    let refused: Vec<&Considered> = refused.collect();
    lines("not taken", &refused, width, |one| {
        let reason = one.refused.as_deref().unwrap_or_default();
        format!("{} ({reason})", one.text)
    })
}

/// All steps in one line: the lessons stand above it.
fn moved(reflected: &Reflected, width: usize) -> String {
    let step = |step: &Transition| format!("{} {} → {}", step.lesson.id, step.from, step.to);
    let steps: Vec<String> = reflected.transitions.iter().map(step).collect();
    if steps.is_empty() {
        String::new()
    } else {
        lines("moved", &[steps.join(", ")], width, Clone::clone)
    }
}

/// The first few, the word before the first.
fn lines<T>(what: &str, all: &[T], width: usize, told: impl Fn(&T) -> String) -> String {
    let line = |what: &str, text: &str| {
        let head = padded(what, WHAT_COLUMNS, Side::Left);
        format!("  {}\n", cut(&format!("{head}  {text}"), width.saturating_sub(2)))
    };
    let shown = all.iter().take(MAX_LINES).enumerate();
    let mut out: String =
        shown.map(|(n, one)| line(if n == 0 { what } else { "" }, &told(one))).collect();
    match all.len().saturating_sub(MAX_LINES) {
        0 => {}
        n => out += &line("", &format!("and {n} more (--json lists all)")),
    }
    out
}

/// What to type next.
fn next(reflected: &Reflected) -> String {
    let undo =
        reflected.operation.map(|operation| format!("; `hardwon undo {operation}` takes it back"));
    let undo = undo.unwrap_or_default();
    match (reflected.created.first(), reflected.updated.first()) {
        (Some(new), _) => {
            format!("next: `hardwon show {}` tells what stands behind it{undo}\n", new.id)
        }
        (None, Some(known)) => {
            format!("nothing new; `hardwon show {}` tells what is known{undo}\n", known.id)
        }
        (None, None) => match reflected.runs.last() {
            Some(run) => {
                format!("nothing new; `hardwon runs show {run}` tells all that is known of it\n")
            }
            None => "nothing new: memory stays as it is\n".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use hardwon_core::lesson::{Guidance, Kind, State};
    use hardwon_core::reflect::{Candidate, Pattern, Scenario};
    use hardwon_core::scope::Scope;

    use super::*;
    use crate::samples;

    fn considered(text: &str, refused: Option<&str>) -> Considered {
        let candidate = Candidate {
            pattern: Pattern::FailsAgain,
            key: text.to_owned(),
            text: text.to_owned(),
            kind: Kind::AntiPattern,
            category: "infra",
            scope: Scope::default(),
            tags: Vec::new(),
            paths: Vec::new(),
            importance: 0.6,
            guidance: Guidance::default(),
            evidence: Vec::new(),
            refines: Vec::new(),
        };
        Considered::of(&candidate, refused.map(str::to_owned))
    }

    fn reflected() -> Reflected {
        let new = "`bun test` times out: run a smaller part of it";
        Reflected {
            skipped: None,
            runs: vec![samples::run_id("r7").into()],
            created: vec![samples::named("l-new0001", new)],
            transitions: vec![Transition::new(
                samples::named("l-new0001", new),
                &samples::transition(State::Candidate, State::Provisional, "seen in 2 runs"),
            )],
            summary: "A run on T-12 failed with timeouts.".to_owned(),
            worked: vec!["`bun test src/api` went well".to_owned()],
            failed: (1..=5).map(|n| format!("step {n} failed")).collect(),
            candidates: vec![
                considered(new, None),
                considered("Slow builds", None),
                considered("Do it", Some("says too little")),
            ],
            operation: Some(12),
            ..Reflected::skipped(Scenario::SessionFailed, "")
        }
    }

    #[test]
    fn the_account_comes_first_and_the_next_step_last() {
        let expected = "\
r7: looked back upon (session_failed)
  A run on T-12 failed with timeouts.
  worked      `bun test src/api` went well
  failed      step 1 failed
              step 2 failed
              and 3 more (--json lists all)
  new         l-new0001  `bun test` times out: run a smaller part of it
  known       Slow builds
  not taken   Do it (says too little)
  moved       l-new0001 candidate → provisional
next: `hardwon show l-new0001` tells what stands behind it; `hardwon undo 12` takes it back
";
        assert_eq!(reflect(&reflected(), 76), expected);
    }

    #[test]
    fn what_was_skipped_has_a_reason_and_what_taught_nothing_a_next_step() {
        let skipped = Reflected::skipped(Scenario::SessionComplete, "reflection is switched off");
        assert_eq!(reflect(&skipped, 80), "nothing looked back upon: reflection is switched off\n");
        let mut known = reflected();
        known.created.clear();
        assert!(
            reflect(&known, 80)
                .ends_with("nothing new; `hardwon runs show r7` tells all that is known of it\n")
        );
        let again = Reflected { updated: vec![samples::named("l-old0001", "Old")], ..known };
        assert!(reflect(&again, 80).contains("nothing new; `hardwon show l-old0001`"));
    }
}
