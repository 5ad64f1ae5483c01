//! Which sentences are wishes, one by one; more are in the bench of `hardwon-sim wishes`.

use super::*;

#[test]
fn a_wish_is_cut_out_and_cleaned() {
    let table = [
        (
            "no that's wrong, use pnpm not npm in this repository",
            "Use pnpm not npm in this repository.",
        ),
        ("please use the british spelling :)", "Use the british spelling."),
        (
            "Nice work. But never commit the lock file of the docs.",
            "Never commit the lock file of the docs.",
        ),
        (
            "yes do that, and from now on run clippy before every commit",
            "From now on run clippy before every commit.",
        ),
        (
            "use uv for everything python related, never pip",
            "Use uv for everything python related, never pip.",
        ),
        ("Don\u{2019}t touch the lock file", "Don\u{2019}t touch the lock file."),
        ("I said use `vitest`, not jest!!", "Use `vitest`, not jest."),
    ];
    for (said, wish) in table {
        assert_eq!(wishes(said), [wish], "{said}");
    }
}

#[test]
fn what_the_sentence_names_itself_is_no_pointing() {
    let is_wish = |said: &str| judge(said).is_ok();
    assert!(is_wish("as a rule, we keep queries in store modules, and call those modules"));
    assert!(!is_wish("as a rule, we keep queries in those modules"));
    assert!(!is_wish("the config should always use that layout"));
    assert!(is_wish("never `npm link` a package of ours"));
    assert!(is_wish("we must never swallow errors, see @docs/errors.md"));
    assert!(is_wish("you should not be editing files in the vendor folder"));
    assert!(!is_wish("do not change code, just explain where the problem is"));
    assert!(is_wish("don't use sed, just use the edit tool"));
}

#[test]
fn only_what_was_typed_counts() {
    let wish = "Never push to main.";
    assert_eq!(wishes(wish), [wish]);
    let others = [
        format!("what does this do\n```\n{wish}\n```"),
        format!("> {wish}"),
        format!("I got this feedback:\n{wish}"),
        format!("can you address this review comment: {wish}"),
        format!("the log says: {wish}"),
        format!("<system-reminder>{wish}</system-reminder>"),
        format!("<command-name>/x</command-name>\n{wish}"),
        format!("<local-command-stdout>{wish}</local-command-stdout>"),
        format!("[Request interrupted by user] {wish}"),
        format!("Caveat: {wish}"),
        format!("This session is being continued from a previous conversation. {wish}"),
        format!("Base directory for this skill: /s\n\n{wish}"),
        format!("Stop hook feedback:\n{wish}"),
        format!("You are a read-only judge of plans.\n{wish}"),
        format!("{}\n{wish}\n{}", crate::gate::BLOCK_BEGIN, crate::gate::BLOCK_END),
        format!("{}\n\n{wish}", "The report has many lines. ".repeat(60)),
        format!("the file has this\n    {wish}"),
        format!("src/a.go:12:3: {wish}"),
    ];
    for turn in &others {
        assert_eq!(wishes(turn), [] as [&str; 0], "{turn}");
    }
    let opened = "<ide_opened_file>The user opened a.rs</ide_opened_file>\nNever push to main.";
    assert_eq!(wishes(opened), [wish], "the host only adds what was open");
}

#[test]
fn each_refusal_says_why() {
    let table = [
        ("yes please", NoWish::TooShort),
        ("should we always run the linter", NoWish::Question),
        ("never push to main for now", NoWish::Moment),
        ("maybe we should never push to main", NoWish::Unsure),
        ("never touch these tests", NoWish::Pointing),
        ("fix the failing test in the parser", NoWish::NothingLasting),
    ];
    for (sentence, why) in table {
        assert_eq!(judge(sentence), Err(why), "{sentence}");
        assert!(!why.to_string().is_empty());
    }
    let long = format!("never use {}", "x ".repeat(200));
    assert_eq!(judge(&long), Err(NoWish::TooLong));
}

#[test]
fn a_turn_may_be_nothing_but_chatter() {
    for said in
        ["Great, ship it", "Why npm?", "Thanks. Looks good!", "Actually, that is a great idea"]
    {
        assert!(is_chatter(said), "{said}");
    }
    for said in ["use the api", "wrong folder", "Use good names", "never push to main"] {
        assert!(!is_chatter(said), "{said}");
    }
}

#[test]
fn a_rejection_is_against_its_call_unless_the_words_say_otherwise() {
    let table = [
        (None, true),
        (Some(""), true),
        (Some("don't run CI or integration tests, too slow."), true),
        (Some("no, I did not say commit anything"), true),
        (Some("what does lint say now?"), false),
        (Some("rebase from main first"), false),
        (Some("don't worry about linting for now, just continue."), false),
        (Some("reply to the other thread"), false),
    ];
    for (said, expected) in table {
        assert_eq!(rejected::is_against(said), expected, "{said:?}");
    }
}

#[test]
fn the_kind_of_a_command_is_what_it_does() {
    let table = [
        ("git push -u origin a 2>&1", Some("git push")),
        ("git add a && git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"", Some("git commit")),
        ("mise run fmt && mise run lint && mise run test:ci", Some("mise run test:ci")),
        ("npm run deploy -- --prod", Some("npm run deploy")),
        ("gh pr comment 112 --body x", Some("gh pr comment")),
        ("git -C /w log --oneline", None),
        ("git cat-file -p HEAD", None),
        ("cat a | grep b", None),
        ("go test ./...", None),
    ];
    for (command, expected) in table {
        assert_eq!(rejected::kind(command).as_deref(), expected, "{command}");
    }
}
