//! What passes, and what is refused with which words.

use super::*;

const PNPM: &str = "In March the nightly build of the web package failed again because the \
    workspace root has no scripts at all, so run `pnpm --filter web build` and never `pnpm build` \
    at the root; the timeout of 90 seconds in ci/build.yml is too short for PaymentService";

fn checked(new: &str, form: Form, old: &[&str], evidence: &[&str]) -> Result<Vec<String>, String> {
    check(new, form, &Said { lessons: old, evidence }, 120).map(|fair| fair.new_words)
}

/// One lesson, one proposal; empty = it passes.
#[test]
fn a_line_says_less_and_nothing_else() {
    let evidence = ["ERR_PNPM_NO_SCRIPT Missing script: build", "seen in apps/web/package.json"];
    let cases = [
        ("Run `pnpm --filter web build`, never `pnpm build` at the root", ""),
        ("Never run `pnpm build` at the workspace root: it has no scripts", ""),
        ("Never run pnpm at the root: ERR_PNPM_NO_SCRIPT", ""),
        ("Never build the web package at the root (apps/web/package.json)", ""),
        ("Never wait ninety seconds", "`ninety`"),
        ("Never set the timeout of 90 seconds", ""),
        ("Never set the timeout of 91 seconds", "`91`"),
        ("Never set the timeout of 9 seconds", "`9`"),
        ("Never run `yarn build` at the root", "`yarn build`"),
        ("Never run yarn at the root", "`yarn`"),
        ("Never run pnpm with --recursive at the root", "`--recursive`"),
        ("Never edit ci/deploy.yml", "`ci/deploy.yml`"),
        ("Never call OrderService at the root", "`orderservice`"),
        ("Never trust Jenkins at the root", "`jenkins`"),
        ("Never run ERR_NPM at the root", "`err_npm`"),
        ("Do not run \"pnpm install\" at the root", "`pnpm install`"),
        ("Run `pnpm build` at the root", "forbids"),
        ("Never run pnpm at the root, see https://pnpm.example/docs", "link"),
        ("Never run pnpm at the root, ask ops@example.org", "link"),
        ("Never run pnpm at the root, [see](ci/build.yml)", "link"),
        ("Sure, never run pnpm at the root", "talks"),
        ("Here is the line: never run pnpm at the root", "talks"),
        ("Why not run pnpm with a filter?", "question"),
        ("Never run\npnpm at the root", "several lines"),
        ("  ", "says nothing"),
        ("", "says nothing"),
    ];
    for (new, expected) in cases {
        let found = checked(new, Form::Line, &[PNPM], &evidence).err().unwrap_or_default();
        assert_eq!(found.is_empty(), expected.is_empty(), "{new}: {found}");
        assert!(found.contains(expected), "{new}: {found}");
    }
}

#[test]
fn it_is_shorter_than_before() {
    let old = "Run pnpm with --filter PACKAGE at the root";
    let same = checked(old, Form::Line, &[old], &[]).unwrap_err();
    assert!(same.contains("fewer than now"), "{same}");
    let long = format!("Never {}", "run pnpm ".repeat(20));
    let long = checked(&long, Form::Line, &[PNPM], &[]).unwrap_err();
    assert!(long.contains("at most 120"), "{long}");
}

#[test]
fn a_rule_may_generalize_by_two_words_that_are_told() {
    let lessons = [
        "Run `pnpm --filter web build`: the root has no script build",
        "Run `pnpm --filter api test`: the root has no script test",
    ];
    let fair = "Run every script with `pnpm --filter`: the root has no script";
    assert_eq!(checked(fair, Form::Rule, &lessons, &[]), Ok(Vec::new()));
    let wide = "Run every script of a monorepo package with `pnpm --filter`";
    let told = checked(wide, Form::Rule, &lessons, &[]).unwrap();
    assert_eq!(told, ["monorepo", "package"]);
    let wider = "Run every script of a monorepo package anywhere remotely with `pnpm --filter`";
    assert!(checked(wider, Form::Rule, &lessons, &[]).is_err());
    let invented = "Run every script with `pnpm --filter` and --silent";
    assert!(checked(invented, Form::Rule, &lessons, &[]).unwrap_err().contains("--silent"));
}

#[test]
fn numbers_stand_in_words_or_digits() {
    let old = ["The payment call gives up after 3 attempts, so retry it at most twice in a job"];
    assert!(checked("Payment gives up after three attempts", Form::Summary, &old, &[]).is_ok());
    assert!(checked("Payment gives up after four attempts", Form::Summary, &old, &[]).is_err());
    assert!(checked("Payment gives up after 13 attempts", Form::Summary, &old, &[]).is_err());
}

/// The ladder of a block: what is cut even in full needs a line, what is cut in short a summary.
#[test]
fn which_form_helps() {
    let ladder = Ladder { line_chars: 400, short_chars: 160 };
    let form = |n: usize| ladder.form_for(&"x".repeat(n));
    assert_eq!([form(100), form(120)], [None, None]);
    assert_eq!([form(121), form(400)], [Some(Form::Summary); 2]);
    assert_eq!(form(401), Some(Form::Line));
}
