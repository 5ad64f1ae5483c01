//! What does it mean that a tool did not find something again? Where its report says what it
//! examined, earlier findings within that reach which are gone are fixed. A reviewer's silence
//! never means that.

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::sha256;
use crate::finding::{Finding, FindingState};

/// The category of a test that passes on one try and fails on another: that it passed once more
/// says nothing.
const FLAKY: &str = "flaky";

/// What a tool examined, by its own report. Empty means unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// At everything that it ever looks at.
    pub is_whole: bool,
    /// By these rules, everywhere.
    pub rules: BTreeSet<String>,
    /// Into these files.
    pub files: BTreeSet<String>,
    /// Into everything below these folders.
    pub folders: BTreeSet<String>,
    /// Cases that it tried and that passed; see [`case`]. In any order.
    pub passed: Vec<u64>,
}

/// A case that can pass, by the signature that its failure would have.
pub fn case(signature: &str) -> u64 {
    let digest = sha256(&[signature]);
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl Reach {
    pub fn is_unknown(&self) -> bool {
        *self == Reach::default()
    }

    /// Everything that either of two reports of one tool looked at.
    pub fn extend(&mut self, other: &Reach) {
        self.is_whole |= other.is_whole;
        self.rules.extend(other.rules.iter().cloned());
        self.files.extend(other.files.iter().cloned());
        self.folders.extend(other.folders.iter().cloned());
        self.passed.extend_from_slice(&other.passed);
    }

    /// Whether the tool would have reported this finding again.
    fn covers(&self, finding: &Finding) -> bool {
        let is_rule = finding.rule.as_ref().is_some_and(|rule| self.rules.contains(rule));
        let path = finding.place.as_ref().map(|place| place.path.as_str());
        let has_folder_of = |path: &str| {
            path.match_indices('/').any(|(end, _)| self.folders.contains(&path[..end]))
        };
        let is_there = path.is_some_and(|path| self.files.contains(path) || has_folder_of(path));
        self.is_whole || is_rule || is_there
    }
}

/// Findings of earlier runs that the tools of this one show to be gone.
///
/// `now` is all that this run has found. Still there is what has the same signature, and
/// what breaks the same rule in the same file, in other words perhaps. A case that passed
/// is gone whatever else is wrong.
pub fn gone<'a>(
    earlier: &'a [Finding],
    now: &[Finding],
    reach: &BTreeMap<String, Reach>,
) -> Vec<&'a Finding> {
    let mut signatures: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut places: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for finding in now {
        signatures.insert((&finding.author, &finding.signature));
        places.extend(rule_at(finding));
    }
    let passed: BTreeMap<&str, BTreeSet<u64>> = reach
        .iter()
        .map(|(tool, reach)| (tool.as_str(), reach.passed.iter().copied().collect()))
        .collect();
    let is_gone = |finding: &&Finding| {
        let Some(reach) = reach.get(&finding.author) else { return false };
        let tool = finding.author.as_str();
        let has_passed =
            || passed.get(tool).is_some_and(|passed| passed.contains(&case(&finding.signature)));
        let is_elsewhere = || rule_at(finding).is_none_or(|place| !places.contains(&place));
        can_be_gone(finding)
            && !signatures.contains(&(tool, finding.signature.as_str()))
            && (has_passed() || reach.covers(finding) && is_elsewhere())
    };
    earlier.iter().filter(is_gone).collect()
}

/// Findings of earlier runs on a task that a reviewer's pass closes: they had reported them, and
/// do not report them again. `is_same` compares what they say.
pub fn passed<'a>(
    earlier: &'a [Finding],
    now: &[Finding],
    reviewers: &BTreeSet<String>,
    is_same: &dyn Fn(&Finding, &Finding) -> bool,
) -> Vec<&'a Finding> {
    let is_again = |old: &Finding| {
        let is_it = |new: &&Finding| {
            let is_known = old.lesson.is_some() && old.lesson == new.lesson;
            is_known || old.signature == new.signature || is_same(old, new)
        };
        now.iter().any(|new| is_it(&new))
    };
    let theirs = earlier.iter().filter(|finding| reviewers.contains(&finding.author));
    theirs.filter(|finding| can_be_gone(finding) && !is_again(finding)).collect()
}

fn can_be_gone(finding: &Finding) -> bool {
    // A regression keeps the fact that it had been fixed before.
    let is_open = finding.state == FindingState::Open;
    is_open && finding.is_sighting && finding.category.as_deref() != Some(FLAKY)
}

fn rule_at(finding: &Finding) -> Option<(&str, &str, &str)> {
    let path = finding.place.as_ref()?.path.as_str();
    Some((finding.author.as_str(), finding.rule.as_deref()?, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Place;
    use crate::gate::Gate;
    use crate::ids::RunId;
    use crate::run::Run;
    use crate::time::Timestamp;

    fn finding(author: &str, rule: &str, path: &str, signature: &str) -> Finding {
        let run = Run::stub(RunId::parse("r1").unwrap(), Timestamp(0));
        let place = Some(Place { path: path.to_owned(), line: None });
        let text = Gate::standard().line("something is wrong");
        let rule = Some(rule.to_owned());
        Finding { rule, ..run.new_finding(author.to_owned(), signature.to_owned(), text, place) }
    }

    fn set(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[track_caller]
    fn check(earlier: Finding, now: &[Finding], reach: Reach, expected: bool) {
        let reach = BTreeMap::from([("lint".to_owned(), reach)]);
        assert_eq!(!gone(&[earlier], now, &reach).is_empty(), expected);
    }

    #[test]
    fn only_within_the_reach_of_the_report() {
        let old = || finding("lint", "R1", "src/a/x.rs", "s-1");
        let whole = Reach { is_whole: true, ..Reach::default() };
        let rules = |words: &[&str]| Reach { rules: set(words), ..Reach::default() };
        let files = |words: &[&str]| Reach { files: set(words), ..Reach::default() };
        let folders = |words: &[&str]| Reach { folders: set(words), ..Reach::default() };
        let passed =
            |signature: &str| Reach { passed: vec![9, case(signature), 1], ..Reach::default() };
        check(old(), &[], Reach::default(), false);
        check(old(), &[], whole.clone(), true);
        check(old(), &[], rules(&["R1"]), true);
        check(old(), &[], rules(&["R2"]), false);
        check(old(), &[], files(&["src/a/x.rs"]), true);
        check(old(), &[], files(&["src/a/y.rs"]), false);
        check(old(), &[], folders(&["src/a"]), true);
        check(old(), &[], folders(&["src"]), true);
        check(old(), &[], folders(&["src/a/x.rs", "src/b", "sr", ""]), false);
        check(old(), &[], passed("s-1"), true);
        check(old(), &[], passed("s-2"), false);
        check(finding("guardian", "R1", "src/a/x.rs", "s-1"), &[], whole, false);
    }

    #[test]
    fn what_is_still_there_is_not_gone() {
        let whole = || Reach { is_whole: true, passed: vec![case("s-9")], ..Reach::default() };
        let old = || finding("lint", "R1", "src/x.rs", "s-1");
        check(old(), &[finding("lint", "R1", "src/y.rs", "s-1")], whole(), false);
        check(old(), &[finding("lint", "R1", "src/x.rs", "s-2")], whole(), false);
        check(old(), &[finding("lint", "R2", "src/x.rs", "s-2")], whole(), true);
        check(old(), &[finding("other", "R1", "src/x.rs", "s-1")], whole(), true);
        // A case that passed, and failed in another report of the same run.
        let case = || finding("lint", "T", "src/x.rs", "s-9");
        check(case(), &[finding("lint", "T", "src/x.rs", "s-8")], whole(), true);
        check(case(), &[case()], whole(), false);
    }

    #[test]
    fn only_open_sightings_that_are_not_flaky() {
        let whole = || Reach { is_whole: true, ..Reach::default() };
        let old = || finding("lint", "R1", "src/x.rs", "s-1");
        for &state in FindingState::ALL {
            check(Finding { state, ..old() }, &[], whole(), state == FindingState::Open);
        }
        check(Finding { is_sighting: false, ..old() }, &[], whole(), false);
        check(Finding { category: Some("flaky".to_owned()), ..old() }, &[], whole(), false);
        check(Finding { category: Some("test".to_owned()), ..old() }, &[], whole(), true);
    }

    #[test]
    fn two_reports_of_one_tool_reach_further() {
        let mut reach = Reach::default();
        assert!(reach.is_unknown());
        reach.extend(&Reach { files: set(&["a"]), passed: vec![1], ..Reach::default() });
        reach.extend(&Reach { rules: set(&["R"]), passed: vec![2], ..Reach::default() });
        assert_eq!((reach.files, reach.rules), (set(&["a"]), set(&["R"])));
        assert_eq!((reach.passed, reach.is_whole), (vec![1, 2], false));
    }
}
