//! Taking operations back.

use hardwon_engine::EngineError;
use hardwon_engine::lesson::State;

use crate::harness::{Pipeline, W, WISH, run, warning};

#[test]
fn undo_takes_back_a_whole_command_and_learning_again_works() {
    for mut p in Pipeline::on_both() {
        let seen = |id: &str| run(id, &["guardian"]) + &warning(W);
        let record = seen("r1") + &seen("r2");
        let learned = p.learn(&record);
        assert_eq!(p.only_lesson().state, State::Provisional);
        assert_eq!(Some(p.undo().unwrap()), learned.body.operation);
        assert_eq!(p.lessons(), []);
        let again = p.learn(&record);
        assert!(again.body.runs.iter().all(|run| !run.is_known));
        assert_eq!(p.only_lesson().state, State::Provisional);
        p.assert_sound();
    }
}

#[test]
fn undo_is_refused_if_a_later_operation_touched_the_lesson() {
    let mut p = Pipeline::on_sqlite();
    let id = p.wish(WISH).id;
    p.pin(id.as_str(), true).unwrap();
    p.forget(id.as_str()).unwrap();
    match p.undo_operation(Some(1)) {
        Err(EngineError::UndoRefused { reason, .. }) => {
            assert!(reason.contains("2 (pin)") && reason.contains("3 (forget)"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    // Newest first, one by one.
    for expected in [3, 2, 1] {
        assert_eq!(p.undo().unwrap(), expected);
    }
    assert_eq!(p.lessons(), []);
    assert!(matches!(p.undo(), Err(EngineError::NothingToUndo)));
    assert!(matches!(p.undo_operation(Some(99)), Err(EngineError::UnknownOperation(_))));
    p.assert_sound();
}

#[test]
fn an_operation_is_taken_back_only_once() {
    let mut p = Pipeline::on_memory();
    p.wish(WISH);
    p.undo_operation(Some(1)).unwrap();
    assert!(matches!(p.undo_operation(Some(1)), Err(EngineError::UndoRefused { .. })));
}

#[test]
fn an_undo_can_be_undone_and_done_again() {
    let mut p = Pipeline::on_sqlite();
    p.wish(WISH);
    p.undo().unwrap();
    assert_eq!(p.lessons(), []);
    p.undo_operation(Some(2)).unwrap();
    assert_eq!(p.lessons().len(), 1, "the undo was taken back");
    assert_eq!(p.undo().unwrap(), 1);
    assert_eq!(p.lessons(), []);
    p.assert_sound();
}

#[test]
fn every_number_comes_back_from_the_journal_as_it_was() {
    // A similarity with many digits once kept its run from ever being undone.
    let mut p = Pipeline::on_sqlite();
    let findings = [
        [
            "Column dropped before data is copied in the migration",
            "Unbounded channel grows without limit in the event bus",
        ],
        [
            "The migration drops the column before copying its data",
            "The event bus has a channel that grows without bound",
        ],
        [
            "Data copied only after the migration dropped its column",
            "Channel of the event bus is unbounded and grows",
        ],
    ];
    for (n, texts) in findings.iter().enumerate() {
        p.learn(&(run(&format!("r{n}"), &["guardian"]) + &texts.map(warning).concat()));
    }
    for _ in findings {
        p.undo().unwrap();
        p.assert_sound();
    }
    assert_eq!(p.lessons(), []);
}
