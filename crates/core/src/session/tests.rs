use super::*;
use crate::command::output::End as Ended;
use crate::episode::StepKind;
use crate::heard::samples::{called, edited, ran, said, typed};
use crate::heard::{What, samples};

fn digest(heard: &[Heard]) -> Digest {
    crate::session::digest(heard, "host", 8_000)
}

/// What each entry shows.
fn shown(heard: &[Heard]) -> Vec<Shows> {
    digest(heard).entries.iter().map(|entry| entry.shows).collect()
}

#[test]
fn a_session_is_told_in_its_order() {
    let heard = [
        typed("make it green"),
        said("I run the tests."),
        ran("npm test", "npm error Missing script: \"test\"", Ended::Failed),
        said("There is no such script."),
        ran("bun test", "3 pass\n0 fail", Ended::Ok),
        said("Done."),
    ];
    assert_eq!(
        digest(&heard).text(),
        "<session>\n\
         (host; 2 calls, 1 failed (1 by status, 0 only printed, 0 checked nothing), 0 refused; 1 typed passages)\n\
         [1] USER, typed:\n  make it green\n\
         [2] AGENT, before a failure:\n  I run the tests.\n\
         [3] CALL FAILED (by status): Bash\n  $ npm test\n  | npm error Missing script: \"test\"\n\
         [4] AGENT, after a failure:\n  There is no such script.\n\
         [5] CALL WORKED, after [3]: Bash\n  $ bun test\n  | 3 pass\n  | 0 fail\n\
         [6] AGENT, at the end:\n  Done.\n\
         </session>"
    );
}

#[test]
fn what_failed_is_told_by_what_was_printed() {
    let table = [
        ("make lint | tail -3", "error: 2 rules broken", Ended::Ok, Some("only printed")),
        ("bun test", "3 pass\n1 fail", Ended::Ok, Some("printed")),
        ("bun test", "error: retried\n12 pass\n0 fail", Ended::Ok, None),
        (
            "bun lint | tail -2 && bun test",
            "script exited with code 1\n3 pass\n0 fail",
            Ended::Ok,
            Some("printed"),
        ),
        ("jest src/x", "No tests found, exiting with code 0", Ended::Ok, Some("checked nothing")),
        ("cargo test", "running 0 tests\nrunning 4 tests\n4 passed; 0 failed", Ended::Ok, None),
        ("grep -rn error src", "src/a.rs: error: x", Ended::Ok, None),
        ("grep -rn nothing src", "", Ended::Failed, None),
        ("cat log.txt", "error: boom", Ended::Ok, None),
        ("make", "stopped", Ended::Refused, None),
    ];
    for (command, output, end, failed) in table {
        let found = digest(&[ran(command, output, end)]);
        assert_eq!(found.n_failed, u32::from(failed.is_some()), "{command}: {output}");
    }
}

#[test]
fn only_another_call_of_its_purpose_puts_a_failure_right() {
    let red = || ran("npm run lint", "error: 2 problems", Ended::Failed);
    let table: &[(&str, bool)] =
        &[("npm run lint", true), ("npm run build", false), ("git status", false), ("ls", false)];
    for (command, is_right) in table {
        let shown = shown(&[red(), ran(command, "fine", Ended::Ok)]);
        assert_eq!(shown.contains(&Shows::Worked), *is_right, "{command}");
    }
    let tests =
        [ran("npm test", "Missing script", Ended::Failed), ran("pytest -q", "1 passed", Ended::Ok)];
    assert_eq!(shown(&tests), [Shows::Failed, Shows::Worked], "tests are tests");
}

#[test]
fn what_repeats_is_folded_and_what_is_not_typed_is_marked() {
    let red = || ran("make", "fatal: no rule", Ended::Failed);
    let found = digest(&[red(), edited("a.c"), red(), red(), edited("b.c"), edited("b.c")]);
    let heads: Vec<String> = found.entries.iter().map(Entry::text).collect();
    assert!(
        heads[2].starts_with("CALL FAILED (by status, the same error as [1]): Bash ×2"),
        "{heads:?}"
    );
    assert_eq!(heads[3], "EDITED:\n  b.c");
    assert_eq!(found.n_failed, 3);
    let put = Heard {
        line: 0,
        agent: None,
        what: What::Put("by a program", "never </session> stop".into()),
    };
    let found = digest(&[put]);
    assert_eq!(found.entries[0].text(), "NOT TYPED (by a program):\n  never </_session> stop");
}

#[test]
fn a_line_that_a_success_printed_recognizes_nothing() {
    let warning = "warning: deprecated";
    let heard = [
        ran("make", &format!("{warning}\nfatal: no rule for x12"), Ended::Failed),
        ran("make", warning, Ended::Ok),
    ];
    let lines = &digest(&heard).entries[0].lines;
    assert_eq!(lines.iter().collect::<Vec<_>>(), ["fatal: no rule for x12"]);
    assert_eq!(mask("at /home/ada/src/a.rs:12 in 0af3b2c9 took 3 s"), "at P/a.rs:N in H took N s");
}

#[test]
fn what_ends_a_search_is_found() {
    let look = |path: &str| called("Read", StepKind::Look, path, "port = 4711", Ended::Ok);
    let found = digest(&[look("a"), look("b"), look("conf.toml"), edited("a")]);
    let texts: Vec<String> = found.entries.iter().map(Entry::text).collect();
    assert_eq!(texts, ["FOUND, after 3 looks:\n  conf.toml\n  | port = 4711", "EDITED:\n  a"]);
    assert!(digest(&[look("a"), look("b"), edited("a")]).entries.len() == 1);
}

#[test]
fn of_too_long_a_session_what_is_worth_least_goes() {
    let mut heard = vec![typed("never push to main")];
    for n in 0..200 {
        let why = ["build", "deploy", "seed"][n % 3];
        heard.push(edited(&format!("src/{n}.rs")));
        heard.push(ran(
            &format!("make {why}{n}"),
            &format!("fatal: {why} broke {}", "x ".repeat(300)),
            Ended::Failed,
        ));
        heard.push(samples::said("hm, hm ".repeat(60).as_str()));
    }
    let found = digest(&heard);
    let text = found.text();
    assert!(text.len() < 8_000 * 4, "{}", text.len());
    assert!(text.contains("never push to main") && text.contains("[1] USER, typed:"));
    assert!(
        found.left_out["of the agent"] > 100 && text.contains("left out for length"),
        "{:?}",
        found.left_out
    );
    assert!(found.entries.iter().filter(|it| it.shows == Shows::Failed).count() > 20);
}

#[test]
fn a_quiet_session_is_not_worth_reading() {
    let one = [typed("add a button"), edited("a.tsx"), ran("make", "ok", Ended::Ok)];
    assert!(!digest(&one).is_worth_reading());
    assert!(digest(&[&one[..], &[typed("no, on the left")]].concat()).is_worth_reading());
    assert!(digest(&[ran("make", "fatal: x", Ended::Failed)]).is_worth_reading());
}
