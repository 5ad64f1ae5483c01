//! Reports of tools through the program: two reports are one run, what recurs becomes a
//! lesson, and the recipe for pipelines does what it says.

use std::process::Command;

use serde_json::Value;

use crate::harness::Memory;

const JUNIT: &str = "<testsuites name=\"nextest-run\"><testsuite name=\"shop\">\
    <testcase name=\"cart::rounds\" classname=\"shop\"><failure message=\"left 10, right 11\"/>\
    </testcase><testcase name=\"cart::adds\" classname=\"shop\"/></testsuite></testsuites>";

/// A report of one result, at a place below this folder.
fn sarif(folder: &str, more: &str) -> String {
    format!(
        "{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"lintfox\"}}}},\
         \"results\":[{{\"ruleId\":\"SQL001\",\"level\":\"error\",\
         \"message\":{{\"text\":\"Query is put together from user input\"}},\
         \"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\
         \"uri\":\"file://{folder}/src/search.py\"}},\"region\":{{\"startLine\":41}}}}}}]{more}}}]}}]}}"
    )
}

fn with_reports() -> Memory {
    let memory = Memory::new();
    memory.write("junit.xml", JUNIT);
    let folder = memory.work().display().to_string();
    memory.write("report.sarif", sarif(&folder, ""));
    memory.write("gone.sarif", sarif(&folder, ",\"baselineState\":\"absent\""));
    memory
}

fn learn(memory: &Memory, run: &str) -> Value {
    memory.json(&["learn", "junit.xml", "report.sarif", "--run", run])
}

#[test]
fn two_reports_are_one_run() {
    let memory = with_reports();
    let answer = learn(&memory, "ci-1");
    let runs = answer["runs"].as_array().expect("a list");
    assert_eq!((runs.len(), &runs[0]["run"]), (1, &Value::from("ci-1")), "{answer}");
    assert_eq!(runs[0]["findings"]["used"], 2, "findings of both: {answer}");
    assert_eq!(learn(&memory, "ci-1")["runs"][0]["already_known"], true);
}

#[test]
fn what_recurs_in_two_runs_becomes_a_lesson() {
    let memory = with_reports();
    learn(&memory, "ci-1");
    learn(&memory, "ci-2");
    let lessons = memory.json(&["list"]).to_string();
    assert!(lessons.contains("Query is put together from user input"), "{lessons}");
    assert!(lessons.contains("cart::rounds"), "{lessons}");
    assert!(!lessons.contains(&memory.work().display().to_string()), "a machine's path: {lessons}");
    let block = memory.run(&["inject", "--task", "search query from user input"]).exits(0);
    assert!(block.stdout.contains("Query is put together"), "{}", block.stdout);
}

/// Runs the recipe; its exit status.
fn recipe(memory: &Memory, args: &[&str], fails: &str) -> Option<i32> {
    recipe_said(memory, args, fails).0
}

/// Runs the recipe; its exit status, and all that was said.
fn recipe_said(memory: &Memory, args: &[&str], fails: &str) -> (Option<i32>, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/ci/ci.sh");
    let mut command = Command::new("sh");
    command.arg(script).args(args);
    memory.prepare(&mut command);
    command.env("HARDWON", env!("CARGO_BIN_EXE_hardwon"));
    command.env("HARDWON_FAIL_ON_REGRESSIONS", fails);
    let ran = command.output().expect("a shell starts");
    let said = [ran.stdout, ran.stderr].concat();
    (ran.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn the_recipe_learns_and_fails_on_regressions_if_asked() {
    let memory = with_reports();
    assert_eq!(recipe(&memory, &["ci-1"], "1"), Some(2));
    assert_eq!(recipe(&memory, &["ci-1", "nothing.xml"], "1"), Some(0));
    assert_eq!(
        recipe(&memory, &["ci-1", "missing.xml", "report.sarif", "junit.xml"], "1"),
        Some(0)
    );
    assert_eq!(recipe(&memory, &["ci-2", "gone.sarif"], "1"), Some(0));
    assert_eq!(recipe(&memory, &["ci-3", "report.sarif"], "0"), Some(0));
    assert_eq!(recipe(&memory, &["ci-4", "report.sarif"], "1"), Some(1), "it had been fixed");
}

#[test]
fn the_recipe_stops_no_pipeline_because_of_a_report_that_cannot_be_read() {
    let memory = Memory::new();
    memory.write("page.xml", "<html><body>404</body></html>");
    let (status, said) = recipe_said(&memory, &["ci-1", "page.xml"], "0");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("page.xml is in none of") && said.contains("nothing was learned"));
    assert_eq!(recipe(&memory, &["--strict", "ci-1", "page.xml"], "0"), Some(2));
    assert_eq!(recipe(&memory, &["ci-1", "page.xml"], "1"), Some(2), "nobody can tell");
}

#[test]
fn a_report_belongs_to_the_run_that_the_caller_names() {
    let memory = Memory::new();
    let report = sarif("/p", "")
        .replace("\"results\":", "\"automationDetails\":{\"id\":\"other/run\"},\"results\":");
    memory.write("report.sarif", &report);
    memory.write(
        "gone.sarif",
        report.replace("\"ruleId\"", "\"baselineState\":\"absent\",\"ruleId\""),
    );
    for (run, name, status) in
        [("run-7", "report.sarif", 0), ("run-8", "gone.sarif", 0), ("run-9", "report.sarif", 1)]
    {
        let (found, said) = recipe_said(&memory, &[run, name], "1");
        assert_eq!(found, Some(status), "{run}: {said}");
        assert!(said.contains(run) && !said.contains("other-run"), "{run}: {said}");
    }
    // Nobody names a run: then the tool does.
    let answer = Memory::new();
    answer.write("report.sarif", &report);
    assert_eq!(answer.json(&["learn", "report.sarif"])["runs"][0]["run"], "other-run");
    // A line that names its run still beats the caller.
    answer.write("r.jsonl", "{\"type\":\"run\",\"id\":\"own\",\"detectors\":[\"x\"]}\n");
    assert_eq!(answer.json(&["learn", "r.jsonl", "--run", "r1"])["runs"][0]["run"], "own");
}

#[test]
fn the_workflow_keeps_memory_after_a_failure() {
    let workflow = include_str!("../../../../contrib/ci/github-actions.yml");
    let (test, learn) = workflow.split_once("\n  learn:\n").expect("a job that learns");
    assert!(!test.contains("concurrency"), "a job that tests waits for no other branch");
    assert!(learn.contains("group: hardwon-memory-${{ github.ref }}"));
    let save = learn.find("actions/cache/save@").expect("memory is saved");
    let step = &learn[learn[..save].rfind("- name").expect("a step")..save];
    assert!(step.contains("if: always()"), "{step}");
    assert!(learn.contains("actions/cache/restore@"));
    let whole = learn
        .split("actions/cache@")
        .skip(1)
        .any(|step| step.lines().take(4).any(|line| line.contains("hardwon-memory")));
    assert!(!whole, "actions/cache saves only after success");
    for needed in ["cargo-nextest", "install --locked --path crates/cli", "contrib/ci/ci.sh"] {
        assert!(workflow.contains(needed), "{needed}");
    }
}

const TRANSCRIPT: &str = include_str!("../../../readers/tests/fixtures/transcripts/claude.jsonl");
const ROLLOUT: &str = include_str!("../../../readers/tests/fixtures/transcripts/rollout.jsonl");

#[test]
fn conversations_are_learned_as_an_agents_word() {
    for (name, text) in [("x.jsonl", TRANSCRIPT), ("rollout-1.jsonl", ROLLOUT)] {
        for format in [&[][..], &["--format", "transcript"]] {
            let memory = Memory::new();
            memory.write(name, text);
            let answer = memory.json(&[&["learn", name], format].concat());
            assert_eq!(answer["runs"][0]["findings"]["used"], 1, "{answer}");
            let lessons = memory.json(&["list", "--all"]);
            let origin = &lessons["lessons"][0]["origin"];
            assert_eq!(origin, "agent", "{lessons}");
        }
    }
}

#[test]
fn a_fix_that_is_reported_is_no_second_sighting() {
    let memory = Memory::new();
    memory.write("one.jsonl", TRANSCRIPT);
    let later = TRANSCRIPT.replace("5f0a6f3e", "6a1b7c4d").replace("05-11", "05-12");
    let fixed = "injection in search - fixed by binding parameters";
    memory.write("two.jsonl", later.replace("injection in search", fixed));
    memory.json(&["learn", "one.jsonl"]);
    memory.json(&["learn", "two.jsonl"]);
    let lessons = memory.json(&["list", "--all"]);
    let lessons = lessons["lessons"].as_array().expect("a list");
    assert_eq!(lessons.len(), 1, "{lessons:?}");
    assert_eq!(lessons[0]["sightings"], 1, "{lessons:?}");
}

#[test]
fn a_test_that_passed_and_fails_again_is_a_regression() {
    let memory = Memory::new();
    memory.write("red.xml", JUNIT);
    memory.write("green.xml", JUNIT.replace("<failure message=\"left 10, right 11\"/>", ""));
    for (run, report, status) in
        [("ci-1", "red.xml", 0), ("ci-2", "green.xml", 0), ("ci-3", "red.xml", 1)]
    {
        memory.run(&["learn", report, "--run", run]).exits(0);
        let asked = memory.run(&["regressions", run]).exits(status);
        assert_eq!(asked.stdout.contains("fixed in ci-2"), status == 1, "{}", asked.stdout);
    }
    assert_eq!(
        memory.json(&["learn", "red.xml", "--run", "ci-3"])["runs"][0]["already_known"],
        true
    );
    assert_eq!(recipe(&memory, &["ci-4", "red.xml"], "1"), Some(1));
}

/// Lines of `cargo clippy --all-targets`, with a warning or without.
fn clippy(memory: &Memory, is_clean: bool) -> String {
    let folder = memory.work().canonicalize().expect("it is there").display().to_string();
    let warning = "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"warning\",\
         \"message\":\"unneeded `return` statement\",\"code\":{\"code\":\"clippy::needless_return\"},\
         \"spans\":[{\"file_name\":\"src/cart.rs\",\"line_start\":3,\"is_primary\":true}]}}\n";
    let built = format!(
        "{{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file://{folder}#shop@0.1.0\",\
         \"target\":{{\"kind\":[\"lib\"],\"src_path\":\"{folder}/src/lib.rs\",\"test\":true}},\
         \"profile\":{{\"test\":true}}}}\n{{\"reason\":\"build-finished\",\"success\":true}}\n"
    );
    if is_clean { built } else { warning.to_owned() + &built }
}

#[test]
fn a_lint_that_is_back_after_a_clean_run_of_clippy() {
    for (format, status) in [("clippy", 1), ("cargo", 0)] {
        let memory = Memory::new();
        memory.write("broken.json", clippy(&memory, false));
        memory.write("clean.json", clippy(&memory, true));
        memory.run(&["learn", "broken.json", "--run", "ci-1"]).exits(0);
        memory.run(&["learn", "clean.json", "--run", "ci-2", "--format", format]).exits(0);
        memory.run(&["learn", "broken.json", "--run", "ci-3"]).exits(0);
        // The lines of a clean run do not tell whether it was clippy's.
        memory.run(&["regressions", "ci-3"]).exits(status);
    }
}

/// Learns one file; exit status, and all that was said.
fn tried(name: &str, content: &[u8], more: &[&str]) -> (Option<i32>, String) {
    let memory = Memory::new();
    memory.write(name, content);
    let args = [&["learn", name, "--run", "r1"], more].concat();
    let ran = memory.command(&args).output().expect("it starts");
    let said = [ran.stdout, ran.stderr].concat();
    (ran.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, status: i32, words: &[&str]) {
    let (found, said) = tried(name, content.as_ref(), &[]);
    assert_eq!(found, Some(status), "{name}: {said}");
    for word in words {
        assert!(said.contains(word), "{name} does not say {word:?}: {said}");
    }
}

#[test]
fn reports_of_wrong_types_say_where() {
    let sarif = "{\"version\":7,\"runs\":[3,{\"tool\":[],\"results\":{}},\n\
        {\"tool\":{\"driver\":{\"name\":4,\"rules\":\"x\"}},\"automationDetails\":5,\"results\":[1,\n\
        {\"message\":7},\n{\"message\":{\"text\":\"Good words stand in this one\"},\"level\":[],\
        \"locations\":{}}]}]}";
    check(
        "wrong.sarif",
        sarif,
        0,
        &["1 used", "wrong.sarif:1: a run is not an object", "wrong.sarif:3: result 2 of run 2"],
    );
    check("list.sarif", "{\"version\":\"2.1.0\",\"runs\":{}}", 2, &["hint:"]);
    let (status, said) = tried("x.json", b"{\"a\":1}", &["--format", "eslint"]);
    assert_eq!((status, said.contains("x.json:1: the document is not a list")), (Some(2), true));
}

#[test]
fn a_junit_file_cut_anywhere_gives_what_was_whole() {
    let case = |n: usize| {
        format!("<testcase name=\"t{n}\"><failure message=\"left &amp; {n} differ\"/></testcase>\n")
    };
    let all: String = (0..8).map(case).collect();
    let head = "<testsuite name=\"nextest\">\n";
    let whole = format!("{head}{all}</testsuite>");
    for end in (0..whole.len()).step_by(97) {
        let (status, said) = tried("cut.xml", &whole.as_bytes()[..end], &[]);
        let n_whole = whole[..end].matches("</testcase>").count();
        let expected = if n_whole == 0 { 2 } else { 0 };
        assert_eq!(status, Some(expected), "cut at {end}: {said}");
        let is_told = said.contains(&format!("{n_whole} used")) && said.contains("ends too early");
        assert!(n_whole == 0 || is_told, "cut at {end}: {said}");
    }
}

#[test]
fn entities_are_never_expanded() {
    let entities: String = (1..9)
        .map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10)))
        .collect();
    let laughs = format!(
        "<!DOCTYPE x [<!ENTITY e0 \"ha\">{entities}]><testsuite><testcase name=\"t\">\
         <failure message=\"&e8;\"/></testcase></testsuite>"
    );
    check("laughs.xml", laughs, 2, &["laughs.xml:1", "DOCTYPE", "hint:"]);
    let unknown = "<testsuite><testcase name=\"t\"><failure message=\"&file; is &#65; &lt;\"/>\
        </testcase></testsuite>";
    check("unknown.xml", unknown, 0, &["&file; is A <"]);
}

#[test]
fn lines_between_nul_bytes_and_other_encodings() {
    let good = |text: &str| {
        format!(
            "{{\"reason\":\"compiler-message\",\"message\":{{\"level\":\"error\",\"message\":\"{text}\",\
             \"code\":{{\"code\":\"E1\"}},\"spans\":[]}}}}\n"
        )
    };
    let (one, two) = (good("Types of the call differ"), good("Name of the crate is unknown"));
    let mixed = format!("warming up\n{one}[1]\nrunning 2 tests\n{two}");
    check("mixed.json", mixed, 0, &["2 used", "mixed.json: 3 lines are no JSON"]);
    check("nul.json", format!("{one}\0\0\0\n{two}"), 0, &["2 used", "1 line is no JSON"]);
    check("nul.xml", JUNIT.replace("left 10", "left\0 10"), 0, &["1 used", "cart::rounds"]);
    check(
        "zip.xml",
        b"PK\x03\x04\0\0\0\0",
        2,
        &["zip.xml is not text", "byte 5", "UTF-8", "hint:"],
    );
    let utf_16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    check("utf16.xml", utf_16(JUNIT), 0, &["1 used", "cart::rounds"]);
    check("utf16.json", utf_16(&(one + &two)), 0, &["2 used"]);
    check("utf16.sarif", utf_16(&sarif("/p", "")), 0, &["1 used"]);
}

#[test]
fn nothing_to_read_is_told_with_what_to_do() {
    for name in ["empty.xml", "empty.sarif", "empty.jsonl"] {
        check(name, "", 2, &[&format!("{name} is empty"), "hint:"]);
        check(name, " \n\n", 2, &["is empty"]);
    }
    check("page.xml", "<html><body>404</body></html>", 2, &["page.xml is in none of", "--format"]);
    let memory = Memory::new();
    std::fs::create_dir(memory.work().join("folder.xml")).expect("a folder");
    let ran = memory.run(&["learn", "folder.xml"]).exits(2);
    assert!(ran.stderr.contains("folder.xml: the folder holds no"), "{}", ran.stderr);
    // One bad file hides no other.
    memory.write("folder.xml/bad.xml", "");
    memory.write("folder.xml/good.xml", JUNIT);
    let ran = memory.run(&["learn", "folder.xml", "--run", "r1"]).exits(0);
    assert!(ran.stdout.contains("1 used") && ran.stderr.contains("bad.xml is empty"));
}
