//! How far did the tool look, by its own report? Only what says so may close findings.

use hardwon_core::event::{Event, Record};
use hardwon_core::fixed::{Reach, case};
use hardwon_core::signature::of_fingerprint;
use hardwon_readers::{Format, read};

fn reach_of(record: &Record, tool: &str) -> Reach {
    let mut all = Reach::default();
    for sourced in &record.events {
        if let Event::Verdict(verdict) = &sourced.event
            && verdict.author == tool
        {
            all.extend(&verdict.reach);
        }
    }
    all
}

fn reach(text: &str, tool: &str) -> Reach {
    reach_of(&read("x", text.as_bytes(), None).unwrap(), tool)
}

fn passed(names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| case(&of_fingerprint(name))).collect()
}

#[test]
fn tests_that_passed_are_named_and_no_others() {
    let junit = "<testsuite name=\"nextest\"><testcase name=\"a\"/><testcase name=\"b\">\
         <failure/></testcase><testcase name=\"c\"><skipped/></testcase>\
         <testcase name=\"d\"><flakyFailure/></testcase></testsuite>";
    assert_eq!(reach(junit, "nextest").passed, passed(&["nextest a"]));
    // Cut off: what passed has passed.
    assert_eq!(reach(&junit[..80], "nextest").passed, passed(&["nextest a"]));
}

fn sarif(rules: &str, results: &str, more: &str) -> Reach {
    let rules = match rules {
        "" => String::new(),
        rules => format!(",\"rules\":[{rules}]"),
    };
    let text = format!(
        "{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"t\"{rules}}}}}\
         {results}{more}}}]}}"
    );
    reach(&text, "t")
}

#[test]
fn sarif_looks_at_everything_or_by_the_rules_that_it_lists() {
    let one = ",\"results\":[{\"ruleId\":\"A\",\"message\":{\"text\":\"m\"}}]";
    let none = ",\"results\":[]";
    let (a, both) = ("{\"id\":\"A\"}", "{\"id\":\"A\"},{\"id\":\"B\"}");
    assert!(sarif("", none, "").is_whole);
    assert!(sarif("", one, "").is_whole);
    assert!(sarif(a, one, "").is_whole, "lists only what was broken");
    let listed = sarif(both, one, "");
    assert!(!listed.is_whole && listed.rules.len() == 2, "{listed:?}");
    assert_eq!(sarif(a, none, "").rules.len(), 1);
}

#[test]
fn sarif_that_may_have_missed_something_says_nothing() {
    let result = |more: &str| format!(",\"results\":[{{\"message\":{{\"text\":\"m\"}}{more}}}]");
    let failed = ",\"invocations\":[{\"executionSuccessful\":false}]";
    assert!(sarif("", "", "").is_unknown(), "no list of results");
    assert!(sarif("", ",\"results\":null", "").is_unknown());
    assert!(sarif("", ",\"results\":7", "").is_unknown());
    assert!(sarif("", &result(""), failed).is_unknown());
    assert!(sarif("", &result(",\"baselineState\":\"unchanged\""), "").is_unknown());
    assert!(sarif("", ",\"results\":[{}]", "").is_unknown(), "a result that nobody can read");
    let cut = "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"t\"}},\
         \"results\":[{\"message\":{\"text\":\"m\"}},";
    assert!(reach(cut, "t").is_unknown());
}

#[test]
fn eslint_lists_its_files() {
    let text = "[{\"filePath\":\"/p/a.js\",\"messages\":[]},{\"filePath\":\"/p/b.js\",\
         \"messages\":[{\"message\":\"Parsing error\",\"fatal\":true,\"severity\":2}]}]";
    let files: Vec<String> = reach(text, "eslint").files.into_iter().collect();
    assert_eq!(files, ["/p/a.js"], "what cannot be parsed is not looked into");
}

/// A line about one target of a package that is not downloaded.
fn artifact(kind: &str, path: &str, has_tests: bool, is_test: bool) -> String {
    format!(
        "{{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file:///p#shop@0.1.0\",\
         \"target\":{{\"kind\":[\"{kind}\"],\"src_path\":\"{path}\",\"test\":{has_tests}}},\
         \"profile\":{{\"test\":{is_test}}}}}\n"
    )
}

const FINISHED: &str = "{\"reason\":\"build-finished\",\"success\":true}\n";

#[test]
fn cargo_looks_into_what_it_built_with_tests() {
    let lib = artifact("lib", "/p/src/lib.rs", true, true);
    let folders = |text: &str| Vec::from_iter(reach(text, "cargo").folders);
    assert_eq!(folders(&(lib.clone() + FINISHED)), ["/p/src"]);
    assert!(folders(&lib).is_empty(), "no end");
    assert!(folders(&(lib.clone() + &FINISHED.replace("true", "false"))).is_empty());
    let no_tests = artifact("lib", "/p/src/lib.rs", true, false) + FINISHED;
    assert!(folders(&no_tests).is_empty(), "tests were left out");
    assert_eq!(folders(&(artifact("bin", "/p/src/main.rs", false, false) + FINISHED)), ["/p/src"]);
    let other = lib.replace("path+file:///p", "registry+https://example.org/index");
    assert!(folders(&(other + FINISHED)).is_empty());
    let one = artifact("test", "/p/tests/one.rs", true, true) + FINISHED;
    assert_eq!(reach(&one, "cargo").files.into_iter().collect::<Vec<_>>(), ["/p/tests/one.rs"]);
    assert!(
        reach(&(artifact("custom-build", "/p/build.rs", false, false) + FINISHED), "cargo")
            .is_unknown()
    );
}

#[test]
fn a_clean_run_of_clippy_has_to_be_named() {
    let lines = artifact("lib", "/p/src/lib.rs", true, true) + FINISHED;
    let plain = read("x", lines.as_bytes(), None).unwrap();
    assert!(reach_of(&plain, "clippy").is_unknown(), "these lines are those of cargo check");
    let named = read("x", lines.as_bytes(), Some(Format::Clippy)).unwrap();
    assert_eq!(reach_of(&named, "clippy").folders.len(), 1);
    // Whatever else stands beside it is told by its content.
    let junit = "<testsuite name=\"nextest\"><testcase name=\"a\"/></testsuite>";
    let other = read("x", junit.as_bytes(), Some(Format::Clippy)).unwrap();
    assert_eq!(reach_of(&other, "nextest").passed, passed(&["nextest a"]));
    let broken = "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"warning\",\
        \"message\":\"m\",\"code\":{\"code\":\"clippy::needless_return\"},\"spans\":[]}}\n";
    let told = read("x", (broken.to_owned() + &lines).as_bytes(), None).unwrap();
    assert_eq!(reach_of(&told, "clippy").folders.len(), 1, "one of its rules was broken");
}

#[test]
fn others_do_not_say_how_far_they_looked() {
    let lines = "a.c:1: error: x\na.c:2: error: y\n";
    assert!(reach(lines, "lines").is_unknown());
    let rdjsonl = "{\"message\":\"m\",\"location\":{\"path\":\"a\"},\"source\":{\"name\":\"l\"}}\n";
    assert!(reach(rdjsonl, "l").is_unknown());
}

#[test]
fn of_lines_only_so_many_findings_are_kept() {
    let line = "src/a.c:1: error: something is wrong here\n";
    let record = read("x", line.repeat(2500).as_bytes(), None).unwrap();
    assert_eq!((record.events.len(), record.n_put_aside), (2001, 500));
    let reason = "500 more findings were left out: of one report 2000 are used";
    assert_eq!(record.problems.iter().map(|p| p.reason.as_str()).collect::<Vec<_>>(), [reason]);
}
