//! `hardwon jkz` as far as `tests/golden/jkz.golden` does not show it, and the versions of a lesson.

use crate::harness::{Memory, text_of};

const LIMITER: &str = "Rate limiter is created per request and never shared";

#[test]
fn bad_input_a_role_is_a_name() {
    let memory = Memory::new();
    let calls: [&[&str]; 6] = [
        &["add", "Errors name the next step", "--role", "../x"],
        &["inject", "--role", "../x"],
        &["list", "--role", "a b"],
        &["jkz", "query-patterns", "--role", "../x"],
        &["jkz", "store-pattern", "--role", "", "--text", LIMITER],
        &["jkz", "format-patterns", "--role", "judge\n==="],
    ];
    for args in calls {
        let ran = memory.run(args).exits(2);
        assert!(ran.stderr.contains("letters, digits, - and _"), "{ran}");
    }
    memory.run(&["add", "Errors name the next step", "--role", "code-reviewer_2"]).exits(0);
}

/// All else of it is in `tests/golden/jkz.golden`.
#[test]
fn facts_4_5_versions_hold_no_secret_and_need_a_value() {
    let memory = Memory::new();
    let file = memory.work().join("versions.json").display().to_string();
    let memory = memory.with("JKZ_MEMORY_VERSIONS_FILE", file);
    let set = |more: &[&str]| {
        let args = [&["jkz", "versions", "--action", "set", "--key", "token"], more].concat();
        memory.run_as_script(&args)
    };
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let kept = set(&["--value", &format!("Use {secret}\nhere")]).exits(0).json();
    let value = text_of(&kept, "value");
    assert!(!value.contains(&secret) && value.ends_with("\nhere"), "{value}");
    assert!(set(&[]).exits(2).stderr.contains("--value TEXT"));
}
