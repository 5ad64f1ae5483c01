//! What fills the pages: lists page by page, an overview, what a run taught, its tree and blocks,
//! and what may be decided about a lesson.

use hardwon_core::lesson::{Decision, Lesson, State};
use hardwon_engine::lesson::Kind;
use hardwon_engine::need::Need;
use hardwon_engine::scope::Dimension;
use hardwon_engine::{
    AddRequest, DecideRequest, EngineError, FindingsRequest, ListRequest, OpenMemory, RunsRequest,
    Stated, blocks, lessons, overview, runs,
};
use serde_json::json;

use crate::harness::{
    LEAK, Pipeline, W, WISH, decision_on, reworded, role, run, run_id, run_with, warning,
};

/// Goes through all pages: how many are on each, and what is on them.
fn pages(next: &mut dyn FnMut(Option<String>) -> (Vec<String>, Option<String>)) -> Vec<String> {
    let (mut all, mut after) = (Vec::new(), None);
    for _ in 0..100 {
        let (page, further) = next(after);
        assert!(page.len() <= 2, "{page:?}");
        all.extend(page);
        match further {
            Some(_) => after = further,
            None => return all,
        }
    }
    panic!("no end: {all:?}");
}

#[test]
fn lists_go_on_where_the_page_before_ended() {
    for mut p in Pipeline::on_both() {
        for n in 1..=5 {
            p.wish(&format!("Keep the shelf number {n} free of boxes"));
            let kind = json!({"detectors": ["guardian"], "outcome": "failed"});
            p.learn(&(run_with(&format!("r{n}"), kind) + &warning(W) + &warning(LEAK)));
        }
        let OpenMemory { memory, call } = &*p;
        let list = |limit: Option<usize>, after: Option<String>| {
            let request = ListRequest { limit, after, ..ListRequest::default() };
            let body = lessons::list(memory, call, &request).unwrap().body;
            let ids = body.lessons.iter().map(|lesson| lesson.id.to_string());
            (ids.collect::<Vec<_>>(), body.next)
        };
        let (all, end) = list(None, None);
        assert_eq!((all.len(), end), (7, None));
        assert_eq!(pages(&mut |after| list(Some(2), after)), all);

        let listed = |limit: Option<usize>, after: Option<String>| {
            let request = RunsRequest { limit, after, ..RunsRequest::default() };
            let body = runs::runs_list(memory, call, &request).unwrap().body;
            assert_eq!(body.next.is_some(), body.n_more > 0);
            let ids = body.runs.iter().map(|line| line.run.id.to_string());
            (ids.collect::<Vec<_>>(), body.next)
        };
        let (all, _) = listed(None, None);
        assert_eq!(all.len(), 5);
        assert_eq!(pages(&mut |after| listed(Some(2), after)), all);

        let found = |limit: Option<usize>, after: Option<String>| {
            let request = FindingsRequest { limit, after, ..FindingsRequest::default() };
            let body = runs::findings_list(memory, call, &request).unwrap().body;
            assert_eq!(body.next.is_some(), body.n_more > 0);
            let ids = body.findings.iter().map(|line| format!("{} {}", line.run, line.id));
            (ids.collect::<Vec<_>>(), body.next)
        };
        let (all, _) = found(None, None);
        assert_eq!(all.len(), 10);
        assert!(all[0].starts_with("r5 ") && all[9].starts_with("r1 "), "{all:?}");
        assert_eq!(pages(&mut |after| found(Some(2), after)), all);

        for after in ["x", "1.zz", "1.61.62.63.64"].map(|bad| Some(bad.to_owned())) {
            let request = ListRequest { after: after.clone(), ..ListRequest::default() };
            let refused = lessons::list(memory, call, &request).unwrap_err();
            assert!(matches!(refused, EngineError::BadCursor { .. }), "{refused}");
            let request = RunsRequest { after, ..RunsRequest::default() };
            assert!(runs::runs_list(memory, call, &request).is_err());
        }
    }
}

#[test]
fn an_overview_tells_what_a_report_tells() {
    for mut p in Pipeline::on_both() {
        assert_eq!(overview_of(&p).n_missing, None, "nothing is known of the lift");
        p.confirm(&[W]);
        let shown = p.inject("r3");
        assert!(shown.block.contains(W));
        p.learn_finding("r3", W);
        let doubted = p.wish(WISH);
        p.doubt(doubted.id.as_str(), "is it so?").unwrap();
        let report = p.report().unwrap().body;
        let told = overview_of(&p);
        assert_eq!(told.counts.n_lessons, report.stats.counts.n_lessons);
        assert_eq!(told.counts.n_runs, 3);
        let repeats: Vec<u64> = told.runs.iter().map(|point| point.summary.n_repeats).collect();
        assert_eq!(repeats, [0, 1, 1], "the oldest first");
        let mut reported: Vec<u64> = report.runs.iter().map(|run| run.n_repeats).collect();
        reported.reverse();
        assert_eq!(repeats, reported);
        assert_eq!((told.prompts.n_blocks, told.runs[2].n_tokens), (1, told.prompts.n_tokens));
        assert!(told.prompts.n_tokens > 0);
        assert_eq!((told.n_waiting, told.waiting.len()), (1, 1));
        assert_eq!(told.waiting[0].text, WISH);
        let queue = p.review_queue().unwrap().body.items;
        assert_eq!(queue.len(), 1);
        assert_eq!(told.lift.is_some(), report.stats.lift.is_some());
    }
}

fn overview_of(p: &Pipeline) -> hardwon_engine::answer::Overview {
    overview::with_events(&p.memory, &p.call, Vec::new()).unwrap().body
}

#[test]
fn a_run_taught_what_it_started_and_saw_again() {
    for mut p in Pipeline::on_both() {
        p.state(LEAK, Kind::Pattern);
        p.learn_finding("r1", LEAK);
        let session = json!({"detectors": ["guardian"], "session": "s-9", "outcome": "failed"});
        p.learn(&(run_with("r2", session.clone()) + &warning(W) + &warning(LEAK)));
        p.learn(&(run_with("r3", session) + &warning(W)));
        let OpenMemory { memory, call } = &*p;
        let told = |run: &str| {
            let learned = runs::learned(memory, call, &[run_id(run)]).unwrap();
            let texts = |list: &[hardwon_engine::answer::Named]| -> Vec<String> {
                list.iter().map(|named| named.text.clone()).collect()
            };
            assert_eq!(learned.by, None, "nobody looked back");
            (texts(&learned.created), texts(&learned.updated), learned.summary)
        };
        let (created, updated, summary) = told("r2");
        assert_eq!((created, updated), (vec![W.to_owned()], vec![LEAK.to_owned()]));
        assert!(!summary.is_empty());
        let (created, updated, _) = told("r3");
        assert_eq!((created, updated), (Vec::new(), vec![W.to_owned()]));
        let (created, updated, _) = told("r1");
        assert_eq!((created, updated), (Vec::new(), vec![LEAK.to_owned()]), "it was stated");
        let session = runs::learned_in_session(memory, call, "s-9").unwrap();
        assert_eq!((session.created.len(), session.updated.len()), (1, 1));
        assert!(runs::learned(memory, call, &[run_id("nobody")]).unwrap().is_empty());
    }
}

#[test]
fn a_tree_says_how_many_lessons_concern_its_tools_and_providers() {
    for mut p in Pipeline::on_both() {
        let scoped = |dimension: Dimension, value: &str| Stated {
            scope: vec![(dimension, value.to_owned())],
            ..Stated::default()
        };
        for (text, stated) in [
            ("Quote every path that goes to the shell", scoped(Dimension::Tool, "Bash")),
            ("Set a limit of time for each command", scoped(Dimension::Tool, "bash")),
            ("Ask for small steps", scoped(Dimension::Provider, "codex")),
        ] {
            p.add(&AddRequest { text: text.into(), stated, ..AddRequest::default() }).unwrap();
        }
        let root = json!({"detectors": ["guardian"], "tools": ["bash", "edit"], "session": "s"});
        p.learn(&(run_with("r1", root) + &warning(W)));
        let below = json!({"parent": "r1", "agent": "codex", "detectors": ["guardian"]});
        p.learn(&run_with("c1", below));
        let told = |nodes: Vec<hardwon_engine::answer::TreeNode>| -> Vec<String> {
            let concern = |node: &hardwon_engine::answer::TreeNode| {
                let concerns = node.concerns.iter();
                let concerns =
                    concerns.map(|it| format!(" {}={}:{}", it.dimension, it.value, it.n_lessons));
                let concerns: String = concerns.collect();
                format!("{} {}{concerns}", node.line.depth, node.line.run.id)
            };
            nodes.iter().map(concern).collect()
        };
        let expected = ["0 r1 tool=bash:2 tool=edit:0", "1 c1 provider=codex:1"];
        for run in ["r1", "c1"] {
            let nodes = runs::tree_nodes(&p.memory, &p.call, &run_id(run)).unwrap();
            assert_eq!(told(nodes), expected);
        }
        assert_eq!(told(runs::session_nodes(&p.memory, &p.call, "s").unwrap()), expected);
        // What is put away concerns nobody.
        let gone = p.lesson_saying("Quote every path that goes to the shell");
        p.forget(gone.id.as_str()).unwrap();
        let nodes = runs::tree_nodes(&p.memory, &p.call, &run_id("r1")).unwrap();
        assert_eq!(told(nodes)[0], "0 r1 tool=bash:1 tool=edit:0");
    }
}

#[test]
fn the_exact_blocks_of_a_run_and_below_are_told() {
    for mut p in Pipeline::on_both() {
        p.wish(WISH);
        let shown = p.inject("r1").block;
        let below = p.inject_for(Some("c1"), role("maker")).block;
        p.learn(&run_with("r1", json!({"session": "s", "detectors": ["guardian"]})));
        p.learn(&run_with("c1", json!({"parent": "r1", "detectors": ["guardian"]})));
        let of = |run: &str| -> Vec<(String, Option<String>)> {
            let blocks = blocks::shown_blocks(&p.memory, &p.call, &run_id(run)).unwrap();
            blocks.into_iter().map(|it| (it.run.to_string(), it.block)).collect()
        };
        let child = ("c1".to_owned(), Some(below));
        assert_eq!(of("c1"), std::slice::from_ref(&child));
        let mut all = of("r1");
        all.sort();
        assert_eq!(all, [child, ("r1".to_owned(), Some(shown))]);
        let session = blocks::shown_in_session(&p.memory, &p.call, "s").unwrap();
        assert_eq!(session.len(), 2);
    }
}

/// Every choice keeps its word, in states that lessons come to by what happens to them.
#[test]
fn what_a_choice_promises_is_what_deciding_does() {
    let steps: [&[Decision]; 5] = [
        &[],
        &[Decision::Approve],
        &[Decision::Approve, Decision::Keep],
        &[Decision::Approve, Decision::Weaken],
        &[Decision::Archive],
    ];
    let mut n_refused = 0;
    for (is_doubted, kind) in
        [(false, Kind::Pattern), (true, Kind::Pattern), (false, Kind::Preference)]
    {
        for steps in steps {
            let prepared = || {
                let mut p = Pipeline::on_memory();
                let lesson = p.state(WISH, kind);
                let other = p.state("Name branches after the ticket", kind);
                for decision in steps {
                    let _ = p.review(&lesson, *decision);
                }
                if is_doubted {
                    let _ = p.doubt(lesson.id.as_str(), "is it so?");
                }
                let lesson = p.lesson_saying(WISH);
                (p, lesson, other)
            };
            let (p, lesson, _) = prepared();
            for choice in lessons::choices(&p.memory, &p.call, &lesson).unwrap() {
                let (mut p, lesson, other) = prepared();
                let with = Some(other.id.to_string());
                let decision = choice.decision.0;
                let with = with.filter(|_| decision == Decision::Supersede);
                let request = DecideRequest { with, ..decision_on(&lesson, decision) };
                let decided = p.decide(&request);
                match choice.to {
                    Some(to) => assert_eq!(decided.unwrap().body.state, to.0, "{choice:?}"),
                    None => {
                        n_refused += 1;
                        assert!(choice.unless.is_some() && decided.is_err(), "{choice:?}");
                    }
                }
            }
        }
    }
    assert!(n_refused > 0, "some are refused");
}

#[test]
fn an_agent_learns_that_a_person_has_to_agree() {
    let mut p = Pipeline::on_memory();
    let lesson = p.wish(WISH);
    p.set_caller(Some("codex"));
    let choices = lessons::choices(&p.memory, &p.call, &lesson).unwrap();
    assert!(!choices.is_empty() && choices.iter().all(|choice| choice.to.is_none()), "{choices:?}");
}

#[test]
fn two_who_look_at_one_version_do_not_overwrite_each_other() {
    for mut p in Pipeline::on_both() {
        let lesson = p.wish(WISH);
        let id = lesson.id.to_string();
        let tag = lessons::version_tag(&lesson);
        p.inject("r1");
        assert_eq!(lessons::version_tag(&p.only_lesson()), tag, "being shown changes nothing");
        let seen = p.call.if_match(Some(&tag));
        let edited = lessons::edit(&mut p.memory, &seen, &id, &reworded("Bundle what belongs"));
        let edited = edited.unwrap().body;
        assert_ne!(lessons::version_tag(&edited), tag);
        let late: [Result<_, EngineError>; 4] = [
            lessons::edit(&mut p.memory, &seen, &id, &reworded("Split everything up")).map(drop),
            lessons::pin(&mut p.memory, &seen, &id, true).map(drop),
            lessons::forget(&mut p.memory, &seen, &id).map(drop),
            lessons::decide(&mut p.memory, &seen, &decision_on(&lesson, Decision::Keep)).map(drop),
        ];
        for late in late {
            assert!(matches!(late, Err(EngineError::Changed { .. })), "{late:?}");
        }
        assert_eq!(p.only_lesson().text, edited.text);
        let now = p.call.if_match(Some(&lessons::version_tag(&p.only_lesson())));
        assert!(lessons::pin(&mut p.memory, &now, &id, true).is_ok());
    }
}

#[test]
fn lessons_that_could_be_merged_are_near() {
    let mut p = Pipeline::on_memory();
    let text = "Query built by string concatenation in the user search of the shop";
    let first = p.state(W, Kind::Pattern);
    let second = p.state(text, Kind::Pattern);
    p.state(LEAK, Kind::Pattern);
    let wish = p.state("Query built by string concatenation in the search", Kind::Preference);
    let near = |lesson: &Lesson| -> Vec<String> {
        let near = lessons::near(&p.memory, &p.call, lesson, 5).unwrap();
        near.iter().map(|named| named.id.to_string()).collect()
    };
    assert_eq!(near(&first), [second.id.to_string()]);
    assert_eq!(near(&second), [first.id.to_string()]);
    assert_eq!(near(&wish), [""; 0], "another kind");
    assert_eq!(p.lesson_saying(W).state, State::Candidate);
}

/// What one asks after the other gives the same as if nothing were kept, whatever was written or
/// how much time went by in between.
#[test]
fn blocks_that_are_kept_are_those_that_would_be_made() {
    const TEXTS: [&str; 3] = [
        "Upload handler forgets the size limit of large attachments",
        "The importer drops the last row of every sheet",
        "Retries of the mailer have no upper bound",
    ];
    let mut plain = Pipeline::on_sqlite();
    let mut keeping = Pipeline::on_sqlite();
    keeping.memory.keep_needs();
    let mut n_shown = 0;
    for step in 0..40 {
        for p in [&mut plain, &mut keeping] {
            match step % 5 {
                0 | 1 => drop(p.learn_finding(&format!("r{step}"), TEXTS[step % 3])),
                2 => p.later(20),
                3 if step > 20 => drop(p.review(&p.lessons()[0], Decision::Archive)),
                _ => drop(p.learn_run(&run(&format!("r{step}"), &["guardian"]))),
            }
        }
        for (name, text) in [(None, "uploads"), (Some("s"), "mailer"), (None, "uploads")] {
            let asked = name.map(|name| format!("{name}{step}"));
            let need = || Need { text: Some(text.to_owned()), ..Need::default() };
            let [made, kept] = [&mut plain, &mut keeping]
                .map(|p| format!("{:?}", p.inject_for(asked.as_deref(), need())));
            assert_eq!(made, kept, "step {step}, {text}");
            n_shown += usize::from(kept.contains("upper bound"));
        }
    }
    assert!((10..110).contains(&n_shown), "{n_shown}");
}

/// The line that is kept and brought up to date is the one that a new memory reads.
#[test]
fn the_line_is_that_of_a_memory_that_never_looked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut p = Pipeline::at(&path, "shop");
    let mut other = Pipeline::at(&path, "bakery");
    let line = |p: &Pipeline| lessons::waiting(&p.memory, &p.call, 100).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for step in 0..60 {
        let text = [
            "Orders are sent twice after a timeout",
            "The invoice shows prices without tax",
            "A password is written to the audit log",
            "Deadlock between scheduler locks at shutdown",
            "Thumbnails keep the metadata of cameras",
            "The importer reads every file into memory",
            "Dates of the calendar ignore the time zone",
        ][step % 7];
        match step % 6 {
            0 | 1 => drop(p.learn_finding(&format!("r{step}"), text)),
            2 => drop(other.learn_finding(&format!("r{step}"), text)),
            3 => {
                let of = p.lessons();
                let asked = &of[step % of.len()];
                let OpenMemory { memory, call } = &mut *p;
                drop(lessons::doubt(memory, call, asked.id.as_str(), "old"));
            }
            4 if step % 4 == 0 => p.later(3),
            _ => {
                let waits = line(&p).1;
                let is_first = |own: &Lesson| waits.first().is_some_and(|it| it.id.0 == own.id);
                if let Some(lesson) = p.lessons().into_iter().find(is_first) {
                    let _ = p.review(&lesson, Decision::Keep);
                }
            }
        }
        let kept = line(&p);
        let fresh = line(&Pipeline::at(&path, "shop"));
        assert_eq!(format!("{kept:?}"), format!("{fresh:?}"), "step {step}");
        seen.insert(kept.0);
    }
    assert!(seen.len() > 2, "something waits now and then: {seen:?}");
}
