//! Recorded history under the same and under another policy.

use hardwon_engine::answer::{HistoryCounts, Replayed, Status};
use hardwon_engine::finding::Severity;
use hardwon_engine::need::Need;
use hardwon_engine::{EngineError, history, lessons, replay};

use crate::bench::{Pipeline, run, warning};

const W: &str = "Query built by string concatenation in the user search";
const LEAK: &str = "Temporary files stay behind after a failed import";

fn clean(p: &mut Pipeline, id: &str) {
    p.learn_run(&run(id, &["guardian"]));
}

fn seen(p: &mut Pipeline, id: &str, text: &str) {
    p.learn_run(&(run(id, &["guardian"]) + &warning(text)));
}

/// Two lessons, shown and put to the test: one repeat, the rest prevented.
fn lived_in(p: &mut Pipeline) {
    for id in ["r1", "r2"] {
        seen(p, id, W);
    }
    p.inject("r3");
    clean(p, "r3");
    p.inject("r4");
    seen(p, "r4", W);
    for id in ["r5", "r6"] {
        seen(p, id, LEAK);
    }
    let need = Need { role: Some("maker".into()), domain: Some("code".into()), ..Need::default() };
    p.inject_for(Some("r7"), need.clone());
    let other = Need { text: Some("import files".into()), ..need };
    p.inject_for(Some("r7"), other);
    clean(p, "r7");
}

fn replay(p: &Pipeline, policy: &str) -> Replayed {
    replay::replay(&p.engine.memory, &p.engine.call, Some(policy)).unwrap().body
}

#[test]
fn the_same_policy_gives_what_happened() {
    for mut p in Pipeline::on_both() {
        lived_in(&mut p);
        let replayed = replay(&p, "hardwon");
        assert_eq!(replayed.happened, replayed.replayed);
        assert_eq!(replayed.n_runs, 7);
        assert_eq!((&replayed.only_happened, &replayed.only_replayed), (&vec![], &vec![]));
        let expected = HistoryCounts {
            // W in r3 and r4; W and the leak for both needs of r7.
            n_shown: 6,
            n_prevented: 3,
            n_repeated: 1,
            n_promoted: 2,
            n_decayed: 0,
        };
        assert_eq!(replayed.happened, expected);
    }
}

/// Under ArcheFlow's rules every run counts against a lesson, ours only those in which
/// somebody looked who could have seen it: after twenty runs of others one is left.
#[test]
fn archeflow_lets_a_lesson_fade_that_nobody_could_see() {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        seen(&mut p, id, W);
    }
    for n in 3..23 {
        p.learn_run(&run(&format!("r{n}"), &["sage"]));
    }
    p.inject("r23");
    clean(&mut p, "r23");
    let replayed = replay(&p, "archeflow");
    let promoted = HistoryCounts { n_promoted: 1, ..HistoryCounts::default() };
    let was = HistoryCounts { n_shown: 1, n_prevented: 1, ..promoted };
    assert_eq!(replayed.happened, was);
    assert_eq!(replayed.replayed, HistoryCounts { n_decayed: 1, ..promoted });
    assert_eq!(replayed.only_happened, [W]);
    assert_eq!(replayed.only_replayed, [""; 0]);
}

#[test]
fn what_people_stated_and_decided_is_kept() {
    let mut p = Pipeline::on_memory();
    let wish = hardwon_engine::AddRequest {
        text: "Bundle related changes into one request".into(),
        stated: hardwon_engine::Stated { severity: Some(Severity::Warning), ..Default::default() },
        ..Default::default()
    };
    lessons::add(&mut p.engine.memory, &p.engine.call, &wish).unwrap();
    lived_in(&mut p);
    let lessons = p.lessons();
    let leak = lessons.iter().find(|lesson| lesson.text.as_str() == LEAK).unwrap();
    lessons::forget(&mut p.engine.memory, &p.engine.call, leak.id.as_str()).unwrap();
    p.inject("r8");
    clean(&mut p, "r8");
    let replayed = replay(&p, "hardwon");
    assert_eq!(replayed.happened, replayed.replayed);
    // The wish in every block, W in every one, the leak before it was forgotten.
    assert_eq!(replayed.happened.n_shown, 12);
}

#[test]
fn what_was_undone_did_not_happen() {
    let mut p = Pipeline::on_memory();
    seen(&mut p, "r1", W);
    seen(&mut p, "r2", W);
    history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap();
    let replayed = replay(&p, "hardwon");
    assert_eq!((replayed.n_runs, replayed.happened.n_promoted), (1, 0));
    assert_eq!(replayed.happened, replayed.replayed);
}

#[test]
fn named_causes_count_again() {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        seen(&mut p, id, W);
    }
    let lesson = p.only_lesson().id;
    for id in ["r3", "r4"] {
        p.inject(id);
        let effect = format!(
            "{{\"type\":\"effect\",\"lesson\":\"{lesson}\",\"effect\":\"hurt\",\
             \"because\":\"it forbade streaming\"}}\n"
        );
        p.learn_run(&(run(id, &["guardian"]) + &effect));
    }
    assert!(p.inject("r5").lessons.is_empty(), "two hurts put it in doubt");
    let replayed = replay(&p, "hardwon");
    assert_eq!(replayed.happened.n_shown, 2);
    assert_eq!(replayed.happened, replayed.replayed);
}

#[test]
fn nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let files = || {
        let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
            // Readers of a shared file take turns in it; what is kept is beside it.
            .filter(|(name, _)| !name.ends_with("-shm"))
            .collect();
        files.sort();
        files
    };
    let mut p = Pipeline::at(&path, "demo");
    lived_in(&mut p);
    let before = files();
    replay(&p, "archeflow");
    assert!(files() == before, "the store's bytes are the same");
    p.assert_sound();
}

#[test]
fn a_need_that_is_recorded_whole_leaves_nothing_out() {
    for mut p in Pipeline::on_both() {
        for id in ["r1", "r2"] {
            seen(&mut p, id, W);
        }
        p.inject("r3");
        let (role, domain) = (Some("maker".into()), Some("code".into()));
        p.inject_for(Some("r4"), Need { role, domain, ..Need::default() });
        let answer = replay::replay(&p.engine.memory, &p.engine.call, Some("archeflow")).unwrap();
        assert_eq!((answer.status, answer.problems), (Status::Ok, Vec::new()));
        assert_eq!(answer.body.happened.n_shown, 2);
        let paths = vec!["src/api.rs".to_owned()];
        p.inject_for(Some("r5"), Need { paths, ..Need::default() });
        assert_eq!(
            replay::replay(&p.engine.memory, &p.engine.call, None).unwrap().status,
            Status::Degraded
        );
    }
}

#[test]
fn limits_are_told_and_unknown_policies_refused() {
    let mut p = Pipeline::on_memory();
    let empty = replay::replay(&p.engine.memory, &p.engine.call, Some("hardwon")).unwrap();
    assert_eq!((empty.status, empty.body.n_runs), (Status::Empty, 0));
    lived_in(&mut p);
    let answer = replay::replay(&p.engine.memory, &p.engine.call, None).unwrap();
    assert_eq!((answer.status, answer.body.policy.as_str()), (Status::Degraded, "hardwon"));
    let reason = &answer.problems[0].reason;
    assert!(reason.starts_with("1 block was asked for with more than a role"), "{reason}");
    assert!(answer.body.notes[0].contains("taken as recorded"));
    let refused = replay::replay(&p.engine.memory, &p.engine.call, Some("nope")).unwrap_err();
    assert!(matches!(refused, EngineError::UnknownPolicy { .. }));
}
