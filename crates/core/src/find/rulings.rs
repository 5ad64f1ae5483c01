//! Which findings did a verdict rule false? It names them by the id that their reviewer gave
//! them, or by their words. What it names is looked for in its own run first, then in the other
//! runs of the same tree: some pipelines keep a run for each agent.

use std::collections::BTreeMap;

use super::fixes::findings_about;
use super::trees::Parents;
use super::{FoundFinding, FoundRuns, Likeness};
use crate::event::{Problem, Source};
use crate::finding::FindingState;
use crate::ids::RunId;

/// Most other runs in which a finding is looked for.
const MAX_RUNS: usize = 64;

/// What one verdict says about one finding.
#[derive(Clone, Debug)]
pub(super) struct Ruling {
    pub source: Source,
    /// Whose verdict it is.
    pub by: String,
    /// The id of the finding, its words, or both: `A1: Unused import`.
    pub name: String,
}

/// Which findings a ruling is about.
enum Ruled {
    These(Vec<usize>),
    /// An id that different findings have: none of them can be meant for certain.
    Several,
    Nothing,
}

/// Dismisses what was ruled false in its own run; gives back the rulings that name nothing there.
pub(super) fn dismiss(
    findings: &mut [FoundFinding],
    rulings: Vec<Ruling>,
    likeness: Likeness<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<Ruling> {
    let is_open = |ruling: &Ruling| !apply(findings, ruling, likeness, problems);
    rulings.into_iter().filter(is_open).collect()
}

/// Looks for the rest in the other runs of the same tree, the nearest earlier one first. What is
/// not there either is a problem.
pub(super) fn settle(
    found: &mut FoundRuns,
    unsettled: Vec<(RunId, Vec<Ruling>)>,
    likeness: Likeness<'_>,
) {
    if unsettled.is_empty() {
        return;
    }
    let parents = Parents::of_runs(&found.runs);
    let mut trees: BTreeMap<RunId, Vec<usize>> = BTreeMap::new();
    for (at, run) in found.runs.iter().enumerate() {
        trees.entry(parents.top(&run.id).clone()).or_default().push(at);
    }
    let places: BTreeMap<RunId, usize> =
        found.runs.iter().enumerate().map(|(at, run)| (run.id.clone(), at)).collect();
    for (run, rulings) in unsettled {
        let own = places[&run];
        let tree = &trees[parents.top(&run)];
        let (before, after) = tree.split_at(tree.partition_point(|at| *at < own));
        let others = before.iter().rev().chain(after.iter().skip(1)).take(MAX_RUNS);
        let others: Vec<usize> = others.copied().collect();
        for ruling in rulings {
            let FoundRuns { runs, problems } = found;
            let is_there = |at: &usize| apply(&mut runs[*at].findings, &ruling, likeness, problems);
            if !others.iter().any(is_there) {
                let reason = "a false positive names no finding of this run";
                found.problems.push(Problem::new(&ruling.source, reason));
            }
        }
    }
}

/// A finding that was ruled a false positive is not a sighting. False if nothing is named.
fn apply(
    findings: &mut [FoundFinding],
    ruling: &Ruling,
    likeness: Likeness<'_>,
    problems: &mut Vec<Problem>,
) -> bool {
    match ruled(findings, &ruling.name, likeness) {
        Ruled::Nothing => return false,
        Ruled::Several => {
            let reason = "a false positive names an id that two findings have; none is dismissed";
            problems.push(Problem::new(&ruling.source, reason));
        }
        Ruled::These(indexes) => {
            for index in indexes {
                findings[index].state = FindingState::Dismissed;
                findings[index].is_sighting = false;
                findings[index].ruled_by = Some(ruling.by.clone());
            }
        }
    }
    true
}

/// By id, then by equal words, then by an id before the words, then by similar words.
fn ruled(findings: &[FoundFinding], name: &str, likeness: Likeness<'_>) -> Ruled {
    let name = name.trim();
    let with_id = by_id(findings, name);
    if !matches!(with_id, Ruled::Nothing) {
        return with_id;
    }
    let equal = |at: &usize| findings[*at].stated.text.trim() == name;
    let equal: Vec<usize> = (0..findings.len()).filter(equal).collect();
    if !equal.is_empty() {
        return Ruled::These(equal);
    }
    let words = match leading_id(name) {
        Some((id, words)) => match by_id(findings, id) {
            Ruled::Nothing => words,
            found => return found,
        },
        None => name,
    };
    let about = findings_about(findings, words, likeness);
    if !about.is_empty() {
        return Ruled::These(about);
    }
    // Ruled false already, in other words.
    let is_known = |found: &FoundFinding| likeness(words, found.stated.text.trim()).is_some();
    let known = findings.iter().position(is_known);
    known.map_or(Ruled::Nothing, |at| Ruled::These(vec![at]))
}

/// The findings of which this is the id. The same words twice are one finding.
fn by_id(findings: &[FoundFinding], name: &str) -> Ruled {
    let is_named = |at: &usize| {
        let id = findings[*at].stated.id.as_deref();
        id.is_some_and(|id| !name.is_empty() && id.trim().eq_ignore_ascii_case(name))
    };
    let named: Vec<usize> = (0..findings.len()).filter(is_named).collect();
    let Some(&first) = named.first() else { return Ruled::Nothing };
    let words = |at: usize| findings[at].stated.text.trim();
    match named.iter().all(|&at| words(at) == words(first)) {
        true => Ruled::These(named),
        false => Ruled::Several,
    }
}

/// `A1: not reachable`, `[A1] …`, `A1 - …`: an id and what stands behind it.
fn leading_id(name: &str) -> Option<(&str, &str)> {
    let inner = name.strip_prefix(['[', '(']).unwrap_or(name);
    let end = inner.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'))?;
    let (id, rest) = inner.split_at(end);
    let has_digit = id.contains(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    (has_digit && id.len() <= 16 && !rest.is_empty()).then_some((id, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, FindingStated, Record, RunStated, Sourced, VerdictStated};
    use crate::find::find;

    fn record(events: Vec<Event>) -> Record {
        let at = |(line, event): (usize, Event)| {
            let source = Source { input: "x".to_owned(), line: line as u64 + 1 };
            Sourced { source, event }
        };
        Record { events: events.into_iter().enumerate().map(at).collect(), ..Record::default() }
    }

    fn run(id: &str, parent: Option<&str>) -> Event {
        let parent = parent.map(str::to_owned);
        Event::Run(RunStated { id: Some(id.to_owned()), parent, ..RunStated::default() })
    }

    fn finding(id: Option<&str>, text: &str) -> Event {
        Event::Finding(FindingStated {
            id: id.map(str::to_owned),
            author: Some("auditor".to_owned()),
            severity: Some("high".to_owned()),
            text: text.to_owned(),
            ..FindingStated::default()
        })
    }

    fn ruling(names: &[&str]) -> Event {
        Event::Verdict(VerdictStated {
            author: "curator".to_owned(),
            is_pass: Some(true),
            false_positives: names.iter().map(|name| (*name).to_owned()).collect(),
            ..VerdictStated::default()
        })
    }

    /// The words of what was dismissed, and the problems.
    fn dismissed(events: Vec<Event>) -> (Vec<String>, Vec<String>) {
        let alike = |a: &str, b: &str| {
            let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
            let n = words(a).iter().filter(|word| words(b).contains(word)).count();
            (n >= 3).then_some(n as f64)
        };
        let found = find(&[record(events)], None, &alike);
        let all = found.runs.iter().flat_map(|run| &run.findings);
        let gone = all.filter(|finding| finding.state == FindingState::Dismissed);
        assert!(gone.clone().all(|finding| !finding.is_sighting));
        let problems = found.problems.iter().map(|problem| problem.reason.clone());
        (gone.map(|finding| finding.stated.text.clone()).collect(), problems.collect())
    }

    const NOTHING: &str = "a false positive names no finding of this run";

    #[test]
    fn part_1_line_2_a_false_positive_is_named_by_id_by_text_or_by_words() {
        let lock = "The lock is taken twice on retry";
        let index = "Missing index on the orders table";
        let cases: [(&[&str], &[&str], &[&str]); 11] = [
            (&["A1"], &[lock], &[]),
            (&["a2 "], &[index], &[]),
            (&["A1", "A2"], &[lock, index], &[]),
            (&["A1", "A1"], &[lock], &[]),
            (&[index], &[index], &[]),
            (&["A2: it is there"], &[index], &[]),
            (&["[A1] not so"], &[lock], &[]),
            (&["lock is taken twice"], &[lock], &[]),
            // An id that nothing has, with words that fit.
            (&["Z9: lock is taken twice"], &[lock], &[]),
            (&["A3"], &[], &[NOTHING]),
            (&["A1", "nothing like it", ""], &[lock], &[NOTHING, NOTHING]),
        ];
        for (names, expected, problems) in cases {
            let (one, two) = (finding(Some("A1"), lock), finding(Some("A2"), index));
            let events = vec![run("r1", None), one, two, ruling(names)];
            let (gone, told) = dismissed(events);
            assert_eq!((gone, told), (owned(expected), owned(problems)), "{names:?}");
        }
    }

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn part_1_line_2_an_id_that_two_findings_have_is_a_problem() {
        let twice = |second: &str| {
            let (first, second) = (finding(Some("A1"), "one thing"), finding(Some("A1"), second));
            dismissed(vec![run("r1", None), first, second, ruling(&["A1"])])
        };
        let (gone, problems) = twice("another thing");
        assert_eq!(gone.len(), 0);
        let reason = "a false positive names an id that two findings have; none is dismissed";
        assert_eq!(problems, [reason]);
        let (gone, problems) = twice("one thing");
        assert_eq!((gone.len(), problems.len()), (2, 0), "the same one, reported twice");
    }

    #[test]
    fn part_1_line_2_the_words_of_a_finding_count_more_than_an_id_in_them() {
        let text = "A1: the plan names no owner";
        let (one, two) = (finding(Some("A1"), "other"), finding(Some("A2"), text));
        let events = vec![run("r1", None), one, two, ruling(&[text])];
        assert_eq!(dismissed(events), (vec![text.to_owned()], vec![]));
    }

    #[test]
    fn a_ruling_reaches_the_nearest_earlier_run_of_its_tree_and_no_other_tree() {
        let below = |id: &str| run(id, Some("issue-7"));
        let events = vec![
            below("a"),
            finding(Some("A1"), "first round"),
            below("b"),
            finding(Some("A1"), "second round"),
            below("c"),
            ruling(&["A1"]),
            run("d", Some("issue-8")),
            finding(Some("A9"), "elsewhere"),
            below("e"),
            ruling(&["A9"]),
        ];
        let (gone, problems) = dismissed(events);
        assert_eq!(gone, ["second round"]);
        assert_eq!(problems, [NOTHING]);
    }
}
