//! What did compilers, linters and test programs report in a session, was it gone in the end, and
//! what had been edited? One finding for each rule: a session that meets a rule in ten places has
//! met it once.

use std::collections::BTreeMap;

use super::edited;
use crate::command::shape::steady;
use crate::episode::StepKind;
use crate::event::{FindingStated, StepStated, TextChange, VerdictStated};
use crate::finding::{FindingState, Grade};
use crate::list;
use crate::matching::is_test;
use crate::quote;

const UNFINISHED: &[&str] = list!("mistakes.txt", "unfinished");

/// How the numbers of compilers' errors begin.
const COMPILERS: &[&str] = &["E", "TS", "CS", "FS", "BC"];

/// Fewest words that a message keeps when what differs is left out.
const MIN_WORDS: usize = 3;

#[derive(Default)]
pub struct Reported {
    pub findings: Vec<FindingStated>,
    pub verdicts: Vec<VerdictStated>,
}

/// One rule of one tool, as a session met it.
struct Met<'a> {
    reports: Vec<(usize, &'a FindingStated)>,
    /// The first look of the tool after a report that did not have it any more.
    gone_at: Option<usize>,
    is_open: bool,
}

pub fn reported(steps: &[StepStated]) -> Reported {
    let mut met: BTreeMap<(&str, &str), Met<'_>> = BTreeMap::new();
    let mut last: BTreeMap<&str, bool> = BTreeMap::new();
    for (place, step) in steps.iter().enumerate() {
        for look in &step.looks {
            last.insert(&look.tool, look.findings.is_empty());
            let of_tool = met.iter_mut().filter(|((tool, _), _)| *tool == look.tool);
            for ((_, rule), met) in of_tool {
                let is_there = look.findings.iter().any(|found| rule_of(found) == Some(rule));
                if met.is_open && !is_there {
                    met.gone_at.get_or_insert(place);
                }
                met.is_open = is_there;
            }
            for found in &look.findings {
                let Some(rule) = rule_of(found) else { continue };
                let new = || Met { reports: Vec::new(), gone_at: None, is_open: true };
                met.entry((&look.tool, rule)).or_insert_with(new).reports.push((place, found));
            }
        }
    }
    let findings = met.iter().filter_map(|((tool, rule), met)| finding(tool, rule, met, steps));
    let verdict = |(tool, is_pass): (&&str, &bool)| VerdictStated {
        author: (*tool).to_owned(),
        is_pass: Some(*is_pass),
        ..VerdictStated::default()
    };
    Reported { findings: findings.collect(), verdicts: last.iter().map(verdict).collect() }
}

fn rule_of(found: &FindingStated) -> Option<&str> {
    found.rule.as_deref().filter(|rule| !rule.is_empty())
}

fn finding(tool: &str, rule: &str, met: &Met<'_>, steps: &[StepStated]) -> Option<FindingStated> {
    let (_, first) = met.reports.first()?;
    let state = if met.is_open { FindingState::Open } else { FindingState::Fixed };
    if is_test(first.category.as_deref()) {
        // Red first and green in the end is how tests are worked with.
        let severity = Some("info".to_owned());
        let found = FindingStated { state: Some(state), severity, ..(*first).clone() };
        return met.is_open.then_some(found);
    }
    let messages: Vec<&str> = met.reports.iter().map(|(_, found)| found.text.as_str()).collect();
    if messages.iter().all(|message| is_unfinished(message)) {
        return None;
    }
    let general: Vec<String> = messages.iter().map(|message| general(message)).collect();
    let general: Vec<&str> = general.iter().map(String::as_str).collect();
    let message = quote::line(&common(&general)).filter(|message| is_sentence(message))?;
    let changes = changes(met, steps);
    Some(FindingStated {
        author: Some(tool.to_owned()),
        severity: Some("warning".to_owned()),
        rule: Some(rule.to_owned()),
        text: format!("{rule}: \"{message}\""),
        line: None,
        grade: Some(Grade::Executed),
        state: Some(state),
        repair: edited::repair(rule, &messages.join("\n"), &changes),
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

/// The edits of the files that were reported, up to the look that did not have the rule any more.
fn changes<'s>(met: &Met<'_>, steps: &'s [StepStated]) -> Vec<&'s TextChange> {
    let (Some((from, _)), Some(to)) = (met.reports.first(), met.gone_at) else { return Vec::new() };
    let is_reported = |path: &str| {
        let named = met.reports.iter().filter_map(|(_, found)| found.path.as_deref());
        named.into_iter().any(|known| path.ends_with(known) || known.ends_with(path))
    };
    let between = steps.get(from + 1..to).unwrap_or_default().iter();
    let edits = between.filter(|step| step.kind == StepKind::Edit && is_reported(&step.action));
    edits.filter_map(|step| step.change.as_ref()).collect()
}

/// A message without the names and numbers of the place that it was seen in.
fn general(message: &str) -> String {
    let message = steady(message);
    let mut out = String::with_capacity(message.len());
    let mut rest = message.as_str();
    while let Some(at) = rest.find(['`', '\'']) {
        let mark = &rest[at..at + 1];
        let is_apart = !rest[..at].ends_with(char::is_alphanumeric);
        let end = rest[at + 1..].find(mark).filter(|_| is_apart);
        let Some(end) = end else {
            out.push_str(&rest[..at + 1]);
            rest = &rest[at + 1..];
            continue;
        };
        out.push_str(&rest[..at]);
        out.push('…');
        rest = &rest[at + 1 + end + 1..];
    }
    out + rest
}

/// What all messages of a rule have in common; where they differ stands an ellipsis.
fn common(messages: &[&str]) -> String {
    let first = messages.first().copied().unwrap_or_default();
    let words = |text: &'_ str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut kept = words(first);
    for message in messages.iter().skip(1).filter(|message| **message != first) {
        kept = shared(&kept, &words(message));
    }
    let n_words = kept.iter().filter(|word| *word != "…").count();
    if n_words < MIN_WORDS { first.to_owned() } else { kept.join(" ") }
}

/// The longest sequence of words in both, with an ellipsis for whatever stands between.
fn shared(a: &[String], b: &[String]) -> Vec<String> {
    let mut best = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i][j] = if a[i] == b[j] && a[i] != "…" {
                best[i + 1][j + 1] + 1
            } else {
                best[i + 1][j].max(best[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out: Vec<String> = Vec::new();
    let gap = |out: &mut Vec<String>| {
        if out.last().is_none_or(|last| last != "…") {
            out.push("…".to_owned());
        }
    };
    while i < a.len() && j < b.len() {
        if a[i] == b[j] && a[i] != "…" {
            out.push(a[i].clone());
            (i, j) = (i + 1, j + 1);
        } else {
            gap(&mut out);
            if best[i + 1][j] >= best[i][j + 1] { i += 1 } else { j += 1 }
        }
    }
    if i < a.len() || j < b.len() {
        gap(&mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn compilers_number_their_errors() {
        assert!(["E0382", "TS2345", "CS0103"].into_iter().all(is_compilers));
        let others = ["E501", "TS-rule", "wrapcheck", "SA5011", "CS", "E07", "no-unused-vars"];
        assert!(!others.into_iter().any(is_compilers));
    }

    #[test]
    fn messages_of_one_rule_become_one() {
        let table: &[(&[&str], &str)] = &[
            (
                &["Error return value of `a` is not checked"],
                "Error return value of `a` is not checked",
            ),
            (
                &[
                    "Error return value of `a` is not checked",
                    "Error return value of `b.C` is not checked",
                ],
                "Error return value of … is not checked",
            ),
            (&["x is bad", "y was good"], "x is bad"),
            (&["a b c d", "a b c e", "a b c f"], "a b c …"),
        ];
        for (messages, expected) in table {
            assert_eq!(common(messages), *expected);
        }
    }

    fn step(kind: StepKind, action: &str) -> StepStated {
        StepStated {
            kind,
            tool: "bash".to_owned(),
            action: action.to_owned(),
            is_ok: Some(true),
            output: None,
            duration_ms: None,
            looks: Vec::new(),
            change: None,
        }
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
    fn red_and_then_green_after_an_edit_is_found_and_fixed() {
        let change = TextChange {
            removed: "return err".to_owned(),
            added: "Errorf(\"%w\", err)".to_owned(),
        };
        let edit = StepStated { change: Some(change), ..step(StepKind::Edit, "/home/u/x/a.go") };
        let steps = [lint(&["wrapcheck"]), edit, lint(&[])];
        let Reported { findings, verdicts } = reported(&steps);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].text,
            "wrapcheck: \"error returned from external package is unwrapped\""
        );
        assert_eq!(findings[0].state, Some(FindingState::Fixed));
        assert_eq!(findings[0].repair.as_deref(), Some("add `%w`"));
        assert_eq!(verdicts[0].is_pass, Some(true));
        let open = reported(&[lint(&[]), lint(&["wrapcheck"])]);
        assert_eq!(open.findings[0].state, Some(FindingState::Open));
        assert_eq!(
            (open.findings[0].repair.as_deref(), open.verdicts[0].is_pass),
            (None, Some(false))
        );
    }
}
