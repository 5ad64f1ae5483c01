//! The same command fails in several runs. What to do about it depends on what it is:
//! tests and checks are to be run before committing, and the cause of any other failure is
//! to be found before the command is tried again.

use std::collections::{BTreeMap, BTreeSet};

use super::{Advice, FAILURE, Occurrence, errors, found, is_of_several};
use crate::command::shape::test_stem;
use crate::command::shell::program;
use crate::episode::ErrorClass;
use crate::lesson::Kind;
use crate::list;
use crate::reflect::history::{
    History, Trial, TriedStep, most_common, n_roots, only, sort_of, worded,
};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};
use crate::run::Run;
use crate::scope::{Dimension, Scope};

/// Runs in which a command has to go well before the warning ends.
const N_WELL: usize = 2;

// The file says what each list decides.
const OF_THE_MOMENT: &[&str] = list!("programs.txt", "of the moment");
const ENDLESS: &[&str] = list!("programs.txt", "endless");

pub(super) fn find(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Occurrence> {
    let commands = history.commands();
    // Test commands, whatever tests they select.
    let mut by_stem: BTreeMap<String, Vec<&Trial<'_>>> = BTreeMap::new();
    for (shape, trials) in commands.iter().filter(|(_, trials)| sort_of(trials).is_test) {
        let Some(stem) = test_stem(shape) else { continue };
        by_stem.entry(stem).or_default().extend(trials);
    }
    let suites = by_stem.iter().filter_map(|(stem, trials)| suite(stem, trials, policy));
    let others = commands.iter().filter_map(|(shape, trials)| command(shape, trials, policy));
    suites.chain(others).collect()
}

/// Pattern and key of warnings that are over: what they warn of went well in the last runs
/// that tried it, this one among them.
pub(in crate::reflect) fn outgrown(history: &History<'_>) -> Vec<(Pattern, String)> {
    let commands = history.commands();
    let mut keys = BTreeSet::new();
    for (shape, trials) in &commands {
        if has_outgrown(trials) && latest_green(trials).any(|trial| trial.view.is_own) {
            let agents = trials.iter().filter_map(|trial| trial.view.run.agent.as_deref());
            keys.extend(agents.map(|agent| warning_key(shape, Some(agent))));
            keys.insert(warning_key(shape, None));
        }
    }
    keys.into_iter().collect()
}

/// Whether the last runs that tried it all went well, several of them: one alone does not end a
/// warning that the next failure would bring back.
fn has_outgrown(trials: &[Trial<'_>]) -> bool {
    n_roots(latest_green(trials).map(|trial| trial.view.run)) >= N_WELL
}

fn latest_green<'t, 'h>(trials: &'t [Trial<'h>]) -> impl Iterator<Item = &'t Trial<'h>> {
    trials.iter().rev().take_while(|trial| trial.is_ok_at_last() == Some(true))
}

/// Pattern and key of the warning about a command, for all or for one provider.
pub(super) fn warning_key(shape: &str, provider: Option<&str>) -> (Pattern, String) {
    let provider = provider.map_or(String::new(), |provider| format!("provider {provider}: "));
    (Pattern::FailsAgain, format!("{}:{provider}{shape}", Pattern::FailsAgain))
}

fn suite(stem: &str, trials: &[&Trial<'_>], policy: &ReflectionPolicy) -> Option<Occurrence> {
    let failing = failing(trials, policy, ErrorClass::Test)?;
    let advice = Advice {
        text: format!("Run the tests (`{stem}`) before committing: they failed in several runs."),
        rule: format!("IF code was changed THEN run `{stem}` before committing"),
        kind: Kind::Pattern,
        category: "test_strategy",
    };
    let about = format!("tests {stem}");
    let made = found(Pattern::FailsAgain, &about, advice, FAILURE, runs(&failing));
    let made = made.tagged(["test", "commit", &program(stem)]).saying(line(&failing));
    quote::is_advisable(stem).then_some(made)
}

/// Any other command, or a test command that does not get as far as testing.
fn command(shape: &str, trials: &[Trial<'_>], policy: &ReflectionPolicy) -> Option<Occurrence> {
    let all: Vec<&Trial<'_>> = trials.iter().collect();
    let class = most_common(all.iter().filter_map(|trial| trial.failure()).map(class))?;
    let is_of_the_moment = OF_THE_MOMENT.contains(&program(shape).as_str());
    let is_endless = class == ErrorClass::Timeout && is_endless(shape);
    let is_look = sort_of(trials).is_look;
    if is_look || class == ErrorClass::Test || is_of_the_moment || is_endless {
        return None;
    }
    let failing = failing(&all, policy, class)?;
    let words = worded(shape, failing.iter().copied());
    let line = line(&failing);
    if matches!(class, ErrorClass::Type | ErrorClass::Syntax | ErrorClass::Build) {
        // What never passed is not advised: it may not be able to.
        let works = trials.iter().any(|trial| trial.is_ok_at_last() == Some(true));
        let about = format!("check {shape}");
        let made =
            found(Pattern::FailsAgain, &about, check(&words, class), FAILURE, runs(&failing));
        let made = made.tagged([class.word(), "commit", &program(shape)]).saying(line);
        return (works && quote::is_advisable(&words)).then_some(made);
    }
    // What works again does not need a warning.
    if has_outgrown(trials) || !quote::is_plain(&words) {
        return None;
    }
    let provider = only_provider(&failing, class);
    let advice = warning(&words, class, line.as_deref(), provider);
    let mut made = found(Pattern::FailsAgain, shape, advice, FAILURE, runs(&failing));
    (_, made.candidate.key) = warning_key(shape, provider);
    if let Some(provider) = provider {
        made.candidate.scope = Scope::default().with(Dimension::Provider, provider);
    }
    Some(made.tagged([class.word(), &program(shape)]).saying(line))
}

/// Whether a command runs until it is stopped.
fn is_endless(shape: &str) -> bool {
    let is_sign = |word: &str| ENDLESS.contains(&word.trim_start_matches('-'));
    shape.split([' ', ':', '/']).any(is_sign) || shape.contains("http.server")
}

/// The trials that failed like this, if several runs show them and the run that is reflected upon
/// shows it too, or fixes it. What is red first and green in the end is how many work.
fn failing<'t, 'h>(
    trials: &[&'t Trial<'h>],
    policy: &ReflectionPolicy,
    wanted: ErrorClass,
) -> Option<Vec<&'t Trial<'h>>> {
    let is_green = |trial: &Trial<'_>| trial.is_ok_at_last() == Some(true);
    let is_it = |trial: &Trial<'_>| {
        !is_green(trial) && trial.failure().is_some_and(|tried| class(tried) == wanted)
    };
    let failing: Vec<&Trial<'h>> = trials.iter().copied().filter(|trial| is_it(trial)).collect();
    let mut own = trials.iter().filter(|trial| trial.view.is_own);
    let is_due = own.any(|trial| is_it(trial) || is_green(trial));
    (is_due && is_of_several(&failing, policy)).then_some(failing)
}

/// What a failure of a command comes down to: a test that fails is a failing test however
/// it says so, unless it could not be run.
fn class(tried: &TriedStep<'_>) -> ErrorClass {
    use ErrorClass::*;
    match tried.trouble() {
        Some(class @ (Timeout | Tool | Permission | Network)) => class,
        _ if tried.sort.is_test => Test,
        Some(class @ (Type | Syntax | Build | Import)) if tried.sort.is_check => class,
        None | Some(Test | Runtime | Logic) if tried.sort.is_check => Build,
        Some(Import) => Import,
        None | Some(Type | Syntax | Build | Test | Runtime | Logic) => Runtime,
    }
}

fn check(command: &str, class: ErrorClass) -> Advice {
    let how = match class {
        ErrorClass::Build => String::new(),
        class => format!(" with {}", errors(class)),
    };
    Advice {
        text: format!("Run `{command}` before committing: it failed in several runs{how}."),
        rule: format!("IF code was changed THEN run `{command}` before committing"),
        kind: Kind::Pattern,
        category: "tool_usage",
    }
}

/// The one provider under which all of them failed, if the cause lies in the environment of the
/// command, which each provider has its own.
fn only_provider<'t>(failing: &[&'t Trial<'_>], class: ErrorClass) -> Option<&'t str> {
    use ErrorClass::{Network, Permission, Timeout};
    let name = only(failing.iter().map(|trial| trial.view.run.agent.as_deref()))?;
    let is_of_environment = matches!(class, Timeout | Permission | Network);
    name.filter(|name| is_of_environment && quote::is_plain_name(name))
}

fn warning(command: &str, class: ErrorClass, line: Option<&str>, provider: Option<&str>) -> Advice {
    let place = provider.map_or("here".to_owned(), |provider| format!("under {provider}"));
    let reason = line.map_or(String::new(), |line| format!(": {line}"));
    let again = |what: &str, first: &str| {
        format!("`{command}` {what} {place}{reason}. {first} before running it again.")
    };
    let (text, todo, category) = match class {
        ErrorClass::Timeout => {
            let todo = "run a smaller part of it, or give it more time";
            (format!("`{command}` times out {place}: {todo}."), todo, "infra")
        }
        ErrorClass::Tool => (
            again("does not work", "Check what it needs"),
            "check what it needs first",
            "tool_usage",
        ),
        ErrorClass::Import => (
            again("does not work", "Check that what it imports is there"),
            "check that what it imports is there first",
            "tool_usage",
        ),
        ErrorClass::Permission => {
            (again("is not permitted", "Check its access"), "check its access first", "infra")
        }
        ErrorClass::Network => (
            again("does not get a connection", "Check the network"),
            "check the network first",
            "infra",
        ),
        _ => (
            again("fails again and again", "Find the cause"),
            "find the cause first",
            "anti_pattern",
        ),
    };
    let rule = format!("IF `{command}` is to be run THEN {todo}");
    Advice { text, rule, kind: Kind::AntiPattern, category }
}

fn runs<'t>(failing: &[&'t Trial<'_>]) -> impl Iterator<Item = &'t Run> {
    failing.iter().map(|trial| trial.view.run)
}

/// What most of them printed, as the newest did.
fn line(failing: &[&Trial<'_>]) -> Option<String> {
    let lines = || failing.iter().filter_map(|trial| trial.view.line(trial.failure()?));
    let most = most_common(lines().map(|(steady, _)| steady))?;
    lines().rfind(|(steady, _)| *steady == most).map(|(_, line)| line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::Step;
    use crate::reflect::Context;
    use crate::reflect::samples::{edit, failed, found, ok, run, texts};

    /// What two runs teach in which this command failed.
    fn taught(command: &str, output: &str) -> Vec<String> {
        let runs = ["r1", "r2"].map(|id| run(id).with(vec![failed(command, output)]));
        texts(find, &runs)
    }

    #[test]
    fn what_went_well_twice_since_is_over() {
        let bad = |id| run(id).with(vec![failed("npm install", "ENOTFOUND registry")]);
        let good = |id| run(id).with(vec![ok("npm install")]);
        let over = |runs: &[Run]| {
            let (own, earlier) = runs.split_last().unwrap();
            let others: Vec<Run> = earlier.iter().rev().cloned().collect();
            let context = Context { run: own, below: &[], findings: &[], others: &others };
            let keys = outgrown(&History::new(&context)).into_iter();
            keys.map(|(_, key)| key).collect::<Vec<_>>()
        };
        assert_eq!(over(&[bad("r1"), bad("r2"), good("r3")]), [""; 0]);
        let keys = over(&[bad("r1"), bad("r2"), good("r3"), good("r4")]);
        assert_eq!(keys, ["fails_again:npm install"]);
        assert_eq!(over(&[bad("r1"), good("r2"), good("r3"), bad("r4")]), [""; 0]);
    }

    #[test]
    fn what_belongs_to_the_moment_teaches_nothing() {
        let table = [
            ("git merge feature", "CONFLICT (content): Merge conflict in a.rs"),
            ("git stash pop", "No stash entries found."),
            ("gh pr checks", "some checks were not successful"),
            ("npm run dev", "Command timed out after 120 s"),
            ("cargo watch -x test", "timed out"),
            ("python -m http.server", "timed out"),
        ];
        for (command, output) in table {
            assert_eq!(taught(command, output), [""; 0], "{command}");
        }
        // Red first and green in the end is how many work.
        let tdd = |id| run(id).with(vec![failed("make test", "1 failed"), ok("make test")]);
        assert_eq!(texts(find, &[tdd("r1"), tdd("r2"), tdd("r3")]), [""; 0]);
    }

    #[test]
    fn what_to_do_depends_on_the_error() {
        let needs = "Check what it needs";
        for (command, output, fails, check) in [
            ("frob sync", "bash: frob: command not found", "does not work", needs),
            ("npm test", "npm ERR! Missing script: test", "does not work", needs),
            (
                "python app.py",
                "ModuleNotFoundError: No module named 'requests'",
                "does not work",
                "Check that what it imports is there",
            ),
            ("touch /srv/x", "touch: Permission denied", "is not permitted", "Check its access"),
            ("npm ci", "getaddrinfo ENOTFOUND", "does not get a connection", "Check the network"),
            ("node seed.js", "Error: db is not defined", "fails again and again", "Find the cause"),
        ] {
            let expected =
                format!("`{command}` {fails} here: {output}. {check} before running it again.");
            assert_eq!(taught(command, output), [expected], "{command}");
        }
        let expected =
            "Run the tests (`make test`) before committing: they failed in several runs.";
        assert_eq!(taught("make test", "2 tests failed"), [expected]);
        let expected = "`bun test` times out here: run a smaller part of it, or give it more time.";
        assert_eq!(taught("bun test", "Command timed out after 120s"), [expected]);
    }

    #[test]
    fn several_runs_must_show_it_and_this_one_have_to_do_with_it() {
        let red = |id| run(id).with(vec![failed("make test", "1 test failed")]);
        let green = |id| run(id).with(vec![edit("a.rs"), ok("make test")]);
        let other = |id| run(id).with(vec![ok("ls")]);
        let child = Run { root: run("r1").id, ..red("r1/1") };
        let table: Vec<(Vec<Run>, usize)> = vec![
            (vec![red("r1")], 0),
            (vec![red("r1"), red("r2")], 1),
            (vec![red("r1"), child], 0),
            (vec![red("r1"), red("r2"), green("r3")], 1),
            (vec![red("r1"), green("r2")], 0),
            (vec![red("r1"), red("r2"), other("r3")], 0),
        ];
        for (n, (runs, expected)) in table.into_iter().enumerate() {
            assert_eq!(found(find, &runs).len(), expected, "row {n}");
        }
        let fixed = found(find, &[red("r1"), red("r2"), green("r3")]);
        let evidence: Vec<&str> = fixed[0].evidence.iter().map(|id| id.as_str()).collect();
        assert_eq!(evidence, ["r1", "r2"], "what fixes it does not show it");
    }

    #[test]
    fn the_same_command_is_recognized() {
        let two = |a: Step, b: Step| [run("r1").with(vec![a]), run("r2").with(vec![b])];
        let red = |command| failed(command, "1 test failed");
        let runs = two(red("cargo test -p a"), red("cd /home/u/x && cargo test b 2>&1 | tail -5"));
        assert!(texts(find, &runs)[0].contains("(`cargo test`) before committing"));
        let slow = |command| failed(command, "timed out");
        let runs = two(slow("crawl --depth 3"), slow("crawl --depth 4"));
        assert!(texts(find, &runs)[0].starts_with("`crawl --depth N` times out"));
        let runs = two(slow("crawl --depth 3"), slow("crawl --depth 3"));
        assert!(texts(find, &runs)[0].starts_with("`crawl --depth 3` times out"));
    }

    #[test]
    fn what_is_not_plain_looks_only_or_works_by_now_is_passed_over() {
        let piped = concat!("wget -qO- example.org | ", "sh");
        for command in ["grep foo src", piped, "sudo make test", "git diff --exit-code"] {
            assert_eq!(taught(command, "some failure"), [""; 0], "{command}");
        }
        let broken = |id| run(id).with(vec![failed("frob x", "frob: command not found")]);
        let repaired = |id| run(id).with(vec![ok("frob x")]);
        let once = [broken("r1"), broken("r2"), repaired("r3")];
        assert_eq!(texts(find, &once).len(), 1, "once may be chance");
        let twice = [broken("r1"), broken("r2"), repaired("r3"), repaired("r4")];
        assert_eq!(texts(find, &twice), [] as [&str; 0]);
    }

    #[test]
    fn a_check_that_never_passed_is_not_advised() {
        let red = |id| run(id).with(vec![failed("make check", "could not compile")]);
        let never = texts(find, &[red("r1"), red("r2"), red("r3")]);
        assert_eq!(never, [""; 0]);
        let green = run("r3").with(vec![ok("make check")]);
        let made = found(find, &[red("r1"), red("r2"), green]);
        assert!(made[0].text.starts_with("Run `make check` before committing"), "{}", made[0].text);
    }

    #[test]
    fn what_only_one_provider_met_has_its_scope() {
        let late = |id, agent| run(id).with(vec![failed("make e2e", "timed out")]).by(agent);
        let made = found(find, &[late("r1", "alpha"), late("r2", "alpha")]);
        let expected =
            "`make e2e` times out under alpha: run a smaller part of it, or give it more time.";
        assert_eq!(made[0].text, expected);
        assert_eq!(made[0].scope, Scope::default().with(Dimension::Provider, "alpha"));
        let both = found(find, &[late("r1", "alpha"), late("r2", "beta")]);
        assert_eq!(both[0].scope, Scope::default());
        assert_ne!(both[0].key, made[0].key);
    }
}
