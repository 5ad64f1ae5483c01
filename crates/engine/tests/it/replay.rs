//! Recorded history under the same and under another policy.

use hardwon_engine::answer::{HistoryCounts, Replayed, Status};
use hardwon_engine::finding::Severity;
use hardwon_engine::need::Need;
use hardwon_engine::{AddRequest, EngineError, Stated};

use crate::harness::{LEAK, Pipeline, W, WISH, effect, role, run, wish};

/// Two lessons, shown and put to the test: one repeat, the rest prevented.
fn lived_in(p: &mut Pipeline) {
    p.confirm(&[W]);
    p.inject("r3");
    p.learn_clean([3]);
    p.inject("r4");
    p.learn_finding("r4", W);
    p.learn_finding("r5", LEAK);
    p.learn_finding("r6", LEAK);
    let need = Need { domain: Some("code".into()), ..role("maker") };
    p.inject_for(Some("r7"), need.clone());
    p.inject_for(Some("r7"), Need { role: Some("checker".into()), ..need });
    p.learn_clean([7]);
}

fn replay(p: &mut Pipeline, policy: &str) -> Replayed {
    p.replay(Some(policy)).unwrap().body
}

#[test]
fn the_same_policy_gives_what_happened() {
    for mut p in Pipeline::on_both() {
        lived_in(&mut p);
        let replayed = replay(&mut p, "hardwon");
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
    let mut p = Pipeline::confirmed();
    for n in 3..23 {
        p.learn_run(&run(&format!("r{n}"), &["sage"]));
    }
    p.inject("r23");
    p.learn_clean([23]);
    let replayed = replay(&mut p, "archeflow");
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
    let stated = Stated { severity: Some(Severity::Warning), ..Default::default() };
    p.add(&AddRequest { stated, ..wish(WISH) }).unwrap();
    lived_in(&mut p);
    p.forget(p.lesson_saying(LEAK).id.as_str()).unwrap();
    p.inject("r8");
    p.learn_clean([8]);
    let replayed = replay(&mut p, "hardwon");
    assert_eq!(replayed.happened, replayed.replayed);
    // The wish in every block, W in every one, the leak before it was forgotten.
    assert_eq!(replayed.happened.n_shown, 12);
}

#[test]
fn what_was_undone_did_not_happen() {
    let mut p = Pipeline::confirmed();
    p.undo().unwrap();
    let replayed = replay(&mut p, "hardwon");
    assert_eq!((replayed.n_runs, replayed.happened.n_promoted), (1, 0));
    assert_eq!(replayed.happened, replayed.replayed);
}

#[test]
fn named_causes_count_again() {
    let mut p = Pipeline::confirmed();
    let hurt = effect(&p.only_lesson(), "hurt", "it forbade streaming");
    for id in ["r3", "r4"] {
        p.effect_after(id, &(run(id, &["guardian"]) + &hurt));
    }
    assert!(p.inject("r5").lessons.is_empty(), "two hurts put it in doubt");
    let replayed = replay(&mut p, "hardwon");
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
    replay(&mut p, "archeflow");
    assert!(files() == before, "the store's bytes are the same");
    p.assert_sound();
}

#[test]
fn a_need_that_is_recorded_whole_leaves_nothing_out() {
    for mut p in Pipeline::on_both() {
        p.confirm(&[W]);
        p.inject("r3");
        p.inject_for(Some("r4"), Need { domain: Some("code".into()), ..role("maker") });
        let answer = p.replay(Some("archeflow")).unwrap();
        assert_eq!((answer.status, answer.problems), (Status::Ok, Vec::new()));
        assert_eq!(answer.body.happened.n_shown, 2);
        let paths = vec!["src/api.rs".to_owned()];
        p.inject_for(Some("r5"), Need { paths, ..Need::default() });
        assert_eq!(p.replay(None).unwrap().status, Status::Degraded);
    }
}

#[test]
fn limits_are_told_and_unknown_policies_refused() {
    let mut p = Pipeline::on_memory();
    let empty = p.replay(Some("hardwon")).unwrap();
    assert_eq!((empty.status, empty.body.n_runs), (Status::Empty, 0));
    lived_in(&mut p);
    p.inject_for(Some("r8"), Need { text: Some("import files".into()), ..Need::default() });
    p.learn_clean([8]);
    let answer = p.replay(None).unwrap();
    assert_eq!((answer.status, answer.body.policy.as_str()), (Status::Degraded, "hardwon"));
    let reason = &answer.problems[0].reason;
    assert!(reason.starts_with("1 block was asked for with more than a role"), "{reason}");
    assert!(answer.body.notes[0].contains("taken as recorded"));
    let refused = p.replay(Some("nope")).unwrap_err();
    assert!(matches!(refused, EngineError::UnknownPolicy { .. }));
}
