//! How did a session end, by the checks that were run in it?

use std::collections::BTreeMap;

use super::attempt::Attempt;
use crate::command::trouble::shows_misuse;
use crate::ended::{CheckResult, Ended};
use crate::episode::StepKind;
use crate::event::{FindingStated, StepStated};
use crate::finding::{FindingState, is_test};
use crate::quote;

/// Most red tests that are named.
const MAX_TESTS: usize = 5;

/// The word of the last test, check or build; unknown if none was run. Tests that were red when
/// they were last run stay red, whatever was built or linted since. `reported` is what tools
/// found in the session.
pub fn ended(attempts: &[Attempt<'_>], steps: &[StepStated], reported: &[FindingStated]) -> Ended {
    let verdicts = || attempts.iter().filter(|attempt| is_verdict(attempt));
    let is_of_tests = |attempt: &&Attempt<'_>| attempt.command.sort.is_test;
    let red = verdicts().rfind(is_of_tests).filter(|last| !last.is_ok);
    let deciding = red.or_else(|| verdicts().next_back());
    let named = named_tests(steps);
    let red_names = named.iter().filter(|(_, is_ok)| !**is_ok).map(|(name, _)| (*name).to_owned());
    let is_open_test = |found: &&FindingStated| {
        is_test(found.category.as_deref()) && found.state == Some(FindingState::Open)
    };
    let open = reported.iter().filter(|_| red.is_some()).filter(is_open_test);
    let open = open.filter_map(|found| found.rule.clone());
    let red_tests: Vec<String> = red_names.chain(open).take(MAX_TESTS).collect();
    let by_command = deciding.map(|last| last.is_ok);
    let by_name = (!named.is_empty()).then_some(());
    let is_green = by_command.or(by_name.map(|()| true)).map(|is_ok| is_ok && red_tests.is_empty());
    let command = deciding.map(|last| last.command.text());
    Ended {
        cut_by: None,
        check: is_green.map(|ok| if ok { CheckResult::Green } else { CheckResult::Red }),
        checked: command.filter(|command| quote::is_command(command)),
        red_tests,
    }
}

/// Whether it says something about the work. What could not even begin says nothing.
fn is_verdict(attempt: &Attempt<'_>) -> bool {
    let sort = attempt.command.sort;
    let has_begun = attempt.is_ok || attempt.has_looks || !shows_misuse(attempt.output);
    (sort.is_test || sort.is_check || attempt.has_looks) && !sort.is_look && has_begun
}

/// Tests that were run one by one, with their last result.
fn named_tests(steps: &[StepStated]) -> BTreeMap<&str, bool> {
    let tests = steps.iter().filter(|step| step.kind == StepKind::Test);
    tests.filter_map(|step| Some((step.action.as_str(), step.is_ok?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::ToolLook;
    use crate::observe::observe;
    use CheckResult::{Green, Red};

    /// `+` works, `!` fails and prints what follows the bar, `?` does not tell.
    fn ran(line: &str) -> StepStated {
        let (mark, rest) = line.split_once(' ').unwrap();
        let (action, output) = rest.split_once(" | ").unwrap_or((rest, ""));
        StepStated::done(StepKind::Command, action, (mark != "?").then_some(mark == "+"), output)
    }

    fn end(steps: &[StepStated]) -> (Option<CheckResult>, Option<String>) {
        let ended = observe(steps).ended;
        (ended.check, ended.checked)
    }

    #[test]
    fn the_last_check_decides_and_red_tests_stay_red() {
        let table: [(&[&str], Option<CheckResult>, &str); 11] = [
            (&[], None, ""),
            (&["+ git status", "! cat test.txt"], None, ""),
            (&["+ cargo test"], Some(Green), "cargo test"),
            (&["! cargo test"], Some(Red), "cargo test"),
            (&["! cargo test", "+ cargo test"], Some(Green), "cargo test"),
            (&["! cargo test", "+ cargo build"], Some(Red), "cargo test"),
            (&["! cargo build", "+ cargo test"], Some(Green), "cargo test"),
            (&["+ cargo test", "! cargo clippy"], Some(Red), "cargo clippy"),
            // It never began: nothing was checked by it.
            (&["! npm test | npm error Missing script: \"test\""], None, ""),
            (&["+ cargo build", "! npm test | npm: command not found"], Some(Green), "cargo build"),
            (&["? cargo test"], None, ""),
        ];
        for (lines, check, command) in table {
            let steps: Vec<StepStated> = lines.iter().map(|line| ran(line)).collect();
            let (found, checked) = end(&steps);
            assert_eq!((found, &*checked.unwrap_or_default()), (check, command), "{lines:?}");
        }
    }

    #[test]
    fn a_tool_that_looked_is_a_check_whatever_it_was_called_by() {
        let looks = vec![ToolLook { tool: "eslint".to_owned(), findings: Vec::new() }];
        let look = |line| StepStated { looks: looks.clone(), ..ran(line) };
        assert_eq!(end(&[look("+ mise run everything")]).0, Some(Green));
        assert_eq!(end(&[look("! mise run everything")]).0, Some(Red));
        assert_eq!(end(&[ran("+ mise run everything")]).0, None);
    }

    #[test]
    fn tests_that_were_red_at_the_end_are_named() {
        let test = |name: &str, is_ok| StepStated::done(StepKind::Test, name, Some(is_ok), "");
        let steps = [test("a", false), test("b", false), test("a", true), ran("+ cargo build")];
        let ended = observe(&steps).ended;
        assert_eq!((ended.check, ended.red_tests), (Some(Red), vec!["b".to_owned()]));
        assert_eq!(end(&[test("a", true)]).0, Some(Green));
    }
}
