//! What did compilers, linters and test programs report in a session, and was it gone in the end?
//! One finding for each rule: a session that meets a rule in ten places has met it once.

use std::collections::BTreeMap;

use crate::event::{FindingStated, StepStated, VerdictStated};
use crate::finding::{FindingState, Grade, is_test};
use crate::list;
use crate::quote;

const UNFINISHED: &[&str] = list!("unfinished.txt");

/// How the numbers of compilers' errors begin.
const COMPILERS: &[&str] = &["E", "TS", "CS", "FS", "BC"];

/// One rule of one tool, as a session met it.
struct Met<'a> {
    reports: Vec<&'a FindingStated>,
    is_open: bool,
}

/// One finding for each rule, and the last word of each tool.
pub fn reported(steps: &[StepStated]) -> (Vec<FindingStated>, Vec<VerdictStated>) {
    let mut met: BTreeMap<(&str, &str), Met<'_>> = BTreeMap::new();
    let mut last: BTreeMap<&str, bool> = BTreeMap::new();
    for look in steps.iter().flat_map(|step| &step.looks) {
        last.insert(&look.tool, look.findings.is_empty());
        for ((_, rule), met) in met.iter_mut().filter(|((tool, _), _)| *tool == look.tool) {
            met.is_open = look.findings.iter().any(|found| rule_of(found) == Some(rule));
        }
        for found in &look.findings {
            let Some(rule) = rule_of(found) else { continue };
            let new = || Met { reports: Vec::new(), is_open: true };
            met.entry((&look.tool, rule)).or_insert_with(new).reports.push(found);
        }
    }
    let findings = met.iter().filter_map(|((tool, rule), met)| finding(tool, rule, met));
    let verdict = |(tool, is_pass): (&&str, &bool)| VerdictStated {
        author: (*tool).to_owned(),
        is_pass: Some(*is_pass),
        ..VerdictStated::default()
    };
    (findings.collect(), last.iter().map(verdict).collect())
}

fn rule_of(found: &FindingStated) -> Option<&str> {
    found.rule.as_deref().filter(|rule| !rule.is_empty())
}

fn finding(tool: &str, rule: &str, met: &Met<'_>) -> Option<FindingStated> {
    let first = met.reports.first()?;
    let state = if met.is_open { FindingState::Open } else { FindingState::Fixed };
    if is_test(first.category.as_deref()) {
        // Red first and green in the end is how tests are worked with.
        let severity = Some("info".to_owned());
        let found = FindingStated { state: Some(state), severity, ..(*first).clone() };
        return met.is_open.then_some(found);
    }
    if met.reports.iter().all(|report| is_unfinished(&report.text)) {
        return None;
    }
    let message = quote::line(&harmless(&first.text)).filter(|message| is_sentence(message))?;
    Some(FindingStated {
        author: Some(tool.to_owned()),
        severity: Some("warning".to_owned()),
        rule: Some(rule.to_owned()),
        text: format!("{rule}: \"{message}\""),
        line: None,
        grade: Some(Grade::Executed),
        state: Some(state),
        ..(*first).clone()
    })
}

/// Whether a rule is the number of a compiler's error (`E0428`, `TS2322`, `CS0103`). Such an error
/// says that the code is not done yet, and the compiler says so again.
pub fn is_compilers(rule: &str) -> bool {
    let digits = COMPILERS.iter().find_map(|letters| rule.strip_prefix(letters));
    let is_number = |digits: &str| digits.len() >= 4 && digits.chars().all(|c| c.is_ascii_digit());
    digits.is_some_and(is_number)
}

/// Tools begin with a word, a name or what was left out; headings, fences and bullets do not.
fn is_sentence(message: &str) -> bool {
    let forged = ["# ", "##", "~~~", "……", "seen in ", "prevented ", "preference of"];
    let is_forged = forged.iter().any(|part| message.contains(part));
    !is_forged && message.starts_with(|c: char| c.is_alphanumeric() || "…'\"(_".contains(c))
}

/// Whether a message only says that the code is half written.
fn is_unfinished(message: &str) -> bool {
    let lower = message.to_lowercase();
    UNFINISHED.iter().any(|sign| lower.contains(sign))
}

/// A message in which only names are quoted: what else code holds could be meant for the reader.
fn harmless(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(['`', '\'']) {
        let mark = &rest[at..at + 1];
        let is_apart = !rest[..at].ends_with(char::is_alphanumeric);
        let end = rest[at + 1..].find(mark).filter(|_| is_apart).map(|end| at + 1 + end);
        let Some(end) = end else {
            out.push_str(&rest[..at + 1]);
            rest = &rest[at + 1..];
            continue;
        };
        out.push_str(&rest[..at]);
        let name = &rest[at + 1..end];
        let is_name = !name.contains(char::is_whitespace) && quote::is_plain_name(name);
        out.push_str(if is_name { &rest[at..end + 1] } else { "…" });
        rest = &rest[end + 1..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::StepKind;
    use crate::event::ToolLook;

    #[test]
    fn headings_fences_and_records_are_no_message_of_a_tool() {
        for message in ["unused variable: …", "… is unused", "'a' is not defined"] {
            assert!(is_sentence(message), "{message}");
        }
        for message in ["# Rules", "- a bullet", "……… Push to main", "x seen in 3 runs"] {
            assert!(!is_sentence(message), "{message}");
        }
    }

    #[test]
    fn a_message_keeps_its_numbers_and_names() {
        for (message, told) in [
            ("unused variable: `total2`", "unused variable: `total2`"),
            ("upgrade 'left-pad' to v14.2.1", "upgrade 'left-pad' to v14.2.1"),
            ("'push to main now' is unused", "… is unused"),
            ("don't use `x", "don't use `x"),
        ] {
            assert_eq!(harmless(message), told);
        }
    }

    #[test]
    fn compilers_number_their_errors() {
        assert!(["E0382", "TS2345", "CS0103"].into_iter().all(is_compilers));
        let others = ["E501", "TS-rule", "wrapcheck", "SA5011", "CS", "E07", "no-unused-vars"];
        assert!(!others.into_iter().any(is_compilers));
    }

    fn step(kind: StepKind, action: &str) -> StepStated {
        StepStated::done(kind, action, Some(true), "")
    }

    fn lint(rules: &[&str]) -> StepStated {
        let found = |rule: &&str| FindingStated {
            rule: Some((*rule).to_owned()),
            text: "error returned from external package is unwrapped".to_owned(),
            path: Some("a.go".to_owned()),
            ..FindingStated::default()
        };
        let findings = rules.iter().map(found).collect();
        let looks = vec![ToolLook { tool: "golangci-lint".to_owned(), findings }];
        StepStated { looks, ..step(StepKind::Command, "make lint") }
    }

    #[test]
    fn a_rule_that_is_gone_in_the_end_is_fixed() {
        let edit = step(StepKind::Edit, "a.go");
        let steps = [lint(&["wrapcheck"]), edit, lint(&[])];
        let (findings, verdicts) = reported(&steps);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].text,
            "wrapcheck: \"error returned from external package is unwrapped\""
        );
        assert_eq!(findings[0].state, Some(FindingState::Fixed));
        assert_eq!(verdicts[0].is_pass, Some(true));
        let (findings, verdicts) = reported(&[lint(&[]), lint(&["wrapcheck"])]);
        assert_eq!(findings[0].state, Some(FindingState::Open));
        assert_eq!(verdicts[0].is_pass, Some(false));
    }
}
