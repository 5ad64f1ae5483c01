//! The block: recorded, repeated, within its budget, the same bytes for the same need.

use hardwon_engine::answer::InjectedLesson;
use hardwon_engine::need::Need;
use hardwon_engine::{InjectRequest, Style};
use serde_json::json;

use crate::harness::{Pipeline, W, WISH, role, run, warning_with, wish};

#[test]
fn what_was_served_is_served_again_as_one_injection() {
    for mut p in Pipeline::on_both() {
        p.confirm(&[W]);
        let first = p.inject("r3");
        assert!(!first.is_repeat);
        p.wish(WISH);
        let second = p.inject("r3");
        assert!(second.is_repeat);
        assert_eq!((second.block, second.digest), (first.block, first.digest));
        let id = first.lessons[0].lesson.id.clone();
        let injections = p.memory.store.injections(&p.call.project, &id).unwrap();
        assert_eq!(injections.len(), 1);
        let other = p.inject_for(Some("r3"), role("sage"));
        assert!(other.block.contains(WISH), "another role is another need");
    }
}

#[test]
fn without_a_run_nothing_is_recorded() {
    let mut p = Pipeline::confirmed();
    let before = p.memory.store.journal(&p.call.project, &Default::default()).unwrap().len();
    assert!(!p.inject_for(None, Need::default()).block.is_empty());
    let after = p.memory.store.journal(&p.call.project, &Default::default()).unwrap().len();
    assert_eq!(before, after);
}

#[test]
fn a_block_speaks_of_another_file_before_it_says_more_about_one() {
    let (often, too, other) = (
        "Retry loop hammers the server without any back-off",
        "Responses of other tenants are cached under one key",
        "Dates are parsed without a timezone",
    );
    let mut p = Pipeline::on_memory();
    for number in 1..=6 {
        let at = |text: &str, path: &str| warning_with(text, json!({ "path": path }));
        let in_some = if number == 1 { String::new() } else { at(other, "src/time.rs") };
        p.learn(&format!(
            "{}{}{}{in_some}",
            run(&format!("r{number}"), &["guardian"]),
            at(often, "src/net.rs"),
            at(too, "src/net.rs"),
        ));
    }
    let paths = vec!["src/net.rs".to_owned(), "src/time.rs".to_owned()];
    let need = Need { paths, ..Need::default() };
    let shown = |p: &mut Pipeline, max_lessons| {
        let need = need.clone();
        let request = InjectRequest { need, max_lessons, ..InjectRequest::default() };
        p.serve(&request).lessons
    };
    let two = shown(&mut p, Some(2));
    assert!(two.iter().any(|shown| shown.text.as_str() == other), "{two:?}");
    let all = shown(&mut p, None);
    assert_eq!(all.len(), 3);
    let is_lowered = |it: &InjectedLesson| it.parts.iter().any(|(name, _)| *name == "same_file");
    let lowered: Vec<bool> = all.iter().map(is_lowered).collect();
    assert_eq!(lowered, [false, false, true], "the first line about a file counts whole");
}

/// Two rules say nearly the same of one file, and are problems of their own.
#[test]
fn rules_with_like_messages_are_all_told() {
    let mut p = Pipeline::on_memory();
    for number in 1..=3 {
        let broken = |text: &str, rule: &str| {
            warning_with(text, json!({"author": "ruff", "rule": rule, "path": "src/net.py"}))
        };
        p.learn(&format!(
            "{}{}{}",
            run(&format!("r{number}"), &["ruff"]),
            broken("Too many arguments in function definition (8 > 5)", "PLR0913"),
            broken("Too many positional arguments in function definition (8 > 5)", "PLR0917"),
        ));
    }
    let need = Need { paths: vec!["src/net.py".to_owned()], ..Need::default() };
    let shown = p.serve(&InjectRequest { need, ..InjectRequest::default() }).lessons;
    let scores: Vec<_> = shown.iter().map(|shown| shown.score).collect();
    assert!(scores.len() == 2 && scores[0] == scores[1], "{shown:?}");
}

#[test]
fn no_wish_is_left_out_in_silence() {
    let mut p = Pipeline::on_memory();
    let need = Need { text: Some("Repair the price import".to_owned()), ..Need::default() };
    for part in ["parser", "cache", "report", "backup", "login", "search", "export", "mailer"] {
        p.wish(&format!("Keep the {part} small"));
    }
    for wish in ["Use pnpm", "Ask before a rebase", "Name the next step", "Never push to main"] {
        assert_eq!(p.add(&crate::harness::wish(wish)).unwrap().problems, []);
    }
    let all = p.inject_for(None, need.clone());
    assert_eq!((all.lessons.len(), all.left_out.len()), (12, 0), "{}", all.block);
    assert!(all.block.contains("Never push to main") && !all.block.contains("fit here"));
    let told = p.add(&wish("Log every import of prices")).unwrap().problems;
    let told = &told.last().unwrap().reason;
    assert!(
        told.contains("wishes that do not fit") || told.contains("do not fit any more"),
        "{told}"
    );
    let block = p.inject_for(None, need).block;
    assert!(block.contains("Log every import"), "it is about the work: {block}");
    assert!(
        block.ends_with("(not all wishes of the user fit here)\n</hardwon-memory>\n"),
        "{block}"
    );
}

/// Numbers and names are put aside to recognize it, not to tell it.
#[test]
fn the_newest_words_of_a_program_are_told() {
    let mut p = Pipeline::on_memory();
    let mut ids = Vec::new();
    for (id, name, version) in [("r1", "left-pad", "14.2.1"), ("r2", "right-pad", "15.0.3")] {
        let text = format!("Package `{name}` is outdated: upgrade to v{version}");
        let broken = warning_with(&text, json!({"author": "eslint", "rule": "outdated"}));
        p.learn(&(run(id, &["eslint"]) + &broken));
        ids.push(p.only_lesson().id);
    }
    assert_eq!(ids[0], ids[1], "it stays the lesson that it was");
    let block = p.inject("r3").block;
    assert!(block.contains("Package `right-pad` is outdated: upgrade to v15.0.3 ("), "{block}");
    p.assert_sound();
}

#[test]
fn a_candidate_is_told_what_it_waits_for() {
    let mut p = Pipeline::confirmed();
    p.learn_clean(3..=80);
    p.learn_finding("r99", W);
    let reason = "candidate: seen in 3 runs, but 1 of 2 count: it faded since";
    assert_eq!(p.inject("r100").left_out[0].reason, reason);
    let id = p.only_lesson().id;
    assert_eq!(p.show(id.as_str()).unwrap().body.page.excluded.as_deref(), Some(reason));
}

#[test]
fn archeflow_style_is_the_documented_section() {
    let mut p = Pipeline::on_memory();
    p.confirm(&["Timeline references must match story start day"]);
    let request = InjectRequest { style: Some(Style::Archeflow), ..InjectRequest::default() };
    assert_eq!(
        p.serve(&request).block,
        "## Known Issues (from past runs)\n\
         - Timeline references must match story start day [seen 2x, guardian]\n"
    );
}
