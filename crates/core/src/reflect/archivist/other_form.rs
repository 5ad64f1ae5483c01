//! A command fails because it was called wrongly, and the same intent in another form
//! succeeds in the same run, with nothing changed in between.

use std::collections::BTreeMap;

use super::fails_again::warning_key;
use super::{Advice, Occurrence, found};
use crate::command::shell::{program, tokens};
use crate::episode::{ErrorClass, StepKind};
use crate::lesson::Kind;
use crate::reflect::history::{History, RunView, Trial, TriedStep, most_common, only};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};

/// Less than a failure without a way around it.
const IMPORTANCE: f64 = 0.6;

/// Most tokens in which two forms of one command differ.
const MAX_CHANGES: usize = 2;

/// A command that failed, and the form in which it worked.
pub(in crate::reflect) struct Switch<'h> {
    pub failed: &'h TriedStep<'h>,
    pub worked: &'h TriedStep<'h>,
}

pub(super) fn find(history: &History<'_>, _policy: &ReflectionPolicy) -> Vec<Occurrence> {
    let mut by_forms: BTreeMap<(&str, &str), Vec<(&RunView<'_>, Switch<'_>)>> = BTreeMap::new();
    for view in &history.runs {
        for switch in switches(view) {
            let forms = (switch.failed.shape.as_str(), switch.worked.shape.as_str());
            by_forms.entry(forms).or_default().push((view, switch));
        }
    }
    by_forms.retain(|_, shown| shown.iter().any(|(view, _)| view.is_own));
    let trials = history.trials(StepKind::Command);
    by_forms.retain(|(failed, worked), _| !works(&trials, failed) && works(&trials, worked));
    let all = by_forms.iter();
    all.filter_map(|((failed, worked), shown)| candidate(failed, worked, shown)).collect()
}

/// Whether a command worked the last time that it was tried.
fn works(trials: &BTreeMap<&str, Vec<Trial<'_>>>, shape: &str) -> bool {
    let last = trials.get(shape).into_iter().flatten().rev().find_map(Trial::is_ok_at_last);
    last == Some(true)
}

fn candidate(
    failed: &str,
    worked: &str,
    shown: &[(&RunView<'_>, Switch<'_>)],
) -> Option<Occurrence> {
    let x = only(shown.iter().map(|(_, switch)| switch.failed.core.as_str())).unwrap_or(failed);
    let y = only(shown.iter().map(|(_, switch)| switch.worked.core.as_str())).unwrap_or(worked);
    if !quote::is_plain(x) || !quote::is_advisable(y) {
        return None;
    }
    let line = most_common(shown.iter().filter_map(|(view, switch)| view.line(switch.failed)));
    let reason = line.map_or(String::new(), |line| format!(" with: {line}"));
    let advice = Advice {
        text: format!("Use `{y}` instead of `{x}`: `{x}` fails here{reason}."),
        rule: format!("IF `{x}` is to be run THEN run `{y}` instead"),
        kind: Kind::Pattern,
        category: "tool_usage",
    };
    let runs = shown.iter().map(|(view, _)| view.run);
    let mut made = found(Pattern::OtherForm, failed, advice, IMPORTANCE, runs);
    made.candidate.key = format!("{}:{failed} => {worked}", Pattern::OtherForm);
    made.candidate.refines = vec![warning_key(failed, None)];
    Some(made.tagged([program(failed).as_str(), program(worked).as_str()]))
}

/// Every switch of a run, in order.
pub(in crate::reflect) fn switches<'h>(view: &'h RunView<'h>) -> Vec<Switch<'h>> {
    let commands = || view.steps.iter().filter(|tried| tried.step.kind == StepKind::Command);
    let misused = commands().filter(|tried| tried.has_failed() && is_misused(tried));
    let switched = misused.filter_map(|failed| {
        let later = commands().filter(|tried| tried.is_ok() && tried.step.first > failed.step.last);
        let worked = later.filter(|worked| is_other_form(failed, worked));
        let worked = worked.min_by_key(|worked| worked.step.first)?;
        is_all_between(view, failed, worked).then_some(Switch { failed, worked })
    });
    switched.collect()
}

/// Whether it failed because of how it was called, and not because of what it found.
fn is_misused(tried: &TriedStep<'_>) -> bool {
    use ErrorClass::*;
    let is_environment = match tried.trouble() {
        Some(Tool | Import | Permission | Network | Timeout) => true,
        Some(Type | Syntax | Runtime | Test | Build | Logic) | None => false,
    };
    is_environment && !tried.sort.is_look
}

/// Whether nothing else that could have made the difference was done in between. A trail
/// that was cut keeps whatever went well before the form that worked.
fn is_all_between(view: &RunView<'_>, failed: &TriedStep<'_>, worked: &TriedStep<'_>) -> bool {
    let (from, to) = (failed.step.last, worked.step.first);
    let makes_a_difference = |tried: &&TriedStep<'_>| tried.changes_code() && !tried.has_failed();
    !view.steps.iter().filter(makes_a_difference).any(|tried| tried.may_be_between(from, to))
}

/// Whether two commands have one intent.
fn is_other_form(failed: &TriedStep<'_>, worked: &TriedStep<'_>) -> bool {
    let texts = |shape| tokens(shape).iter().map(|token| token.text).collect::<Vec<_>>();
    let (x, y) = (texts(&failed.shape), texts(&worked.shape));
    let is_near = x != y && distance(&x, &y) <= MAX_CHANGES && distance(&x, &y) < y.len().max(2);
    // Fewer tests that pass say nothing about all of them.
    let is_part = y.starts_with(&x) && failed.sort.is_test;
    let is_slow = failed.trouble() == Some(ErrorClass::Timeout);
    is_near && (!is_part || is_slow) && has_one_intent(&x, &y)
}

fn has_one_intent<'a>(x: &[&'a str], y: &[&'a str]) -> bool {
    let is_word = |token: &&str| !token.starts_with('-');
    let only = |a: &[&'a str], b: &[&str]| -> Vec<&'a str> {
        a.iter().copied().filter(is_word).filter(|token| !b.contains(token)).collect()
    };
    let (gone, come) = (only(x, y), only(y, x));
    if x.first() == y.first() {
        // Another word is another intent, unless it is nearly the same one.
        return match (gone.as_slice(), come.as_slice()) {
            ([], _) | (_, []) => true,
            ([gone], [come]) => is_nearly(gone, come),
            (_, _) => false,
        };
    }
    let others = gone.iter().filter(|token| x.first() != Some(token));
    let shares = x.iter().copied().filter(is_word).any(|token| y.contains(&token));
    let is_renamed = x.len() == 1 && y.len() == 1 && is_nearly(x[0], y[0]);
    others.count() == 0 && (shares || is_renamed)
}

/// `tests` and `test`, `a.py` and `src/a.py`, `typecheck` and `type-check`.
fn is_nearly(a: &str, b: &str) -> bool {
    let is_inside = a.len().min(b.len()) >= 3 && (a.contains(b) || b.contains(a));
    let chars = |text: &str| text.chars().collect::<Vec<char>>();
    is_inside || distance(&chars(a), &chars(b)) <= 2 && a.chars().count() > 4
}

/// Fewest insertions, deletions and replacements from one to the other.
fn distance<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let kept = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = kept.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::SingleStep;
    use crate::reflect::samples::{edit, failed, found, look, ok, run, texts};

    #[test]
    fn the_form_that_works_is_advised() {
        let not_found = "command not found";
        let table = [
            ("npm test", "npm ERR! Missing script: test", "bun test"),
            ("pytest", "ModuleNotFoundError: No module named 'shop'", "python -m pytest"),
            ("python run.py", "python: command not found", "python3 run.py"),
            ("docker-compose up", not_found, "docker compose up"),
            ("python a.py", "a.py: No such file or directory", "python src/a.py"),
            ("cargo build --relase", "unexpected argument '--relase'", "cargo build --release"),
            ("npm run typecheck", "Missing script: typecheck", "npm run type-check"),
            ("bun test", "timed out after 100s", "bun test --bail"),
        ];
        for (x, output, y) in table {
            let made = texts(find, &[run("r1").with(vec![failed(x, output), look("a"), ok(y)])]);
            assert_eq!(made.len(), 1, "{x}");
            assert!(made[0].starts_with(&format!("Use `{y}` instead of `{x}`: `{x}` fails here")));
        }
    }

    #[test]
    fn what_is_another_intent_or_has_another_cause_is_not() {
        let missing = "No such file or directory";
        let rows: Vec<(&str, Vec<SingleStep>)> = vec![
            ("target", vec![failed("just lint", "unknown recipe"), ok("just test")]),
            ("branch", vec![failed("git pull origin main", missing), ok("git pull origin dev")]),
            ("edited", vec![failed("npm test", "Missing script"), edit("a"), ok("bun test")]),
            ("prepared", vec![failed("npm test", "not found"), ok("npm ci"), ok("bun test")]),
            ("part", vec![failed("pytest", "No module named x"), ok("pytest tests/a.py")]),
            ("verdict", vec![failed("cargo test", "1 test failed"), ok("cargo test -q")]),
            ("works", vec![failed("npm t", "unknown"), ok("npm test"), ok("npm t")]),
            ("looks", vec![failed("cat a.txt", missing), ok("cat b/a.txt")]),
            ("order", vec![ok("bun test"), failed("npm test", "Missing script")]),
            ("bypass", vec![failed("git push", "access denied"), ok("git push --force")]),
            ("adding", vec![failed("pip install", "usage:"), ok("pip install evil")]),
        ];
        for (name, done) in rows {
            assert_eq!(texts(find, &[run("r1").with(done)]), [] as [&str; 0], "{name}");
        }
    }

    #[test]
    fn every_run_that_shows_it_is_evidence() {
        let shows = |id| {
            run(id).with(vec![failed("npm test", "npm ERR! Missing script: test"), ok("bun test")])
        };
        let made = found(find, &[shows("r1"), run("r2"), shows("r3")]);
        let expected = "Use `bun test` instead of `npm test`: `npm test` fails here with: npm \
                        ERR! Missing script: test.";
        assert_eq!(made[0].text, expected);
        assert_eq!(made[0].evidence.len(), 2);
        assert_eq!(found(find, &[shows("r1"), run("r2")]).len(), 0, "this run must show it");
    }
}
