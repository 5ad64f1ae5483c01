//! Taking operations back.

use hardwon_engine::ids::OperationId;
use hardwon_engine::lesson::State;
use hardwon_engine::{AddRequest, EngineError, history, lessons};

use crate::bench::{Pipeline, run, warning};

const W: &str = "Query built by string concatenation in the user search";

#[test]
fn undo_takes_back_a_whole_command_and_learning_again_works() {
    for mut p in Pipeline::on_both() {
        let record =
            run("r1", &["guardian"]) + &warning(W) + &run("r2", &["guardian"]) + &warning(W);
        let learned = p.learn(&record);
        assert_eq!(p.only_lesson().state, State::Provisional);
        let undone = history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap().body;
        assert_eq!(Some(undone.operation), learned.body.operation);
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
    let wish = AddRequest {
        text: "Bundle related changes into one pull request".into(),
        ..AddRequest::default()
    };
    let id = lessons::add(&mut p.engine.memory, &p.engine.call, &wish).unwrap().body.id;
    lessons::pin(&mut p.engine.memory, &p.engine.call, id.as_str(), true).unwrap();
    lessons::forget(&mut p.engine.memory, &p.engine.call, id.as_str()).unwrap();
    match history::undo(&mut p.engine.memory, &p.engine.call, Some(OperationId(1))) {
        Err(EngineError::UndoRefused { reason, .. }) => {
            assert!(reason.contains("2 (pin)") && reason.contains("3 (forget)"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    // Newest first, one by one.
    for expected in [3, 2, 1] {
        assert_eq!(
            history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap().body.operation,
            OperationId(expected)
        );
    }
    assert_eq!(p.lessons(), []);
    assert!(matches!(
        history::undo(&mut p.engine.memory, &p.engine.call, None),
        Err(EngineError::NothingToUndo)
    ));
    assert!(matches!(
        history::undo(&mut p.engine.memory, &p.engine.call, Some(OperationId(99))),
        Err(EngineError::UnknownOperation(_))
    ));
    p.assert_sound();
}

#[test]
fn an_operation_is_taken_back_only_once() {
    let mut p = Pipeline::on_memory();
    let wish = AddRequest {
        text: "Bundle related changes into one pull request".into(),
        ..AddRequest::default()
    };
    lessons::add(&mut p.engine.memory, &p.engine.call, &wish).unwrap();
    history::undo(&mut p.engine.memory, &p.engine.call, Some(OperationId(1))).unwrap();
    assert!(matches!(
        history::undo(&mut p.engine.memory, &p.engine.call, Some(OperationId(1))),
        Err(EngineError::UndoRefused { .. })
    ));
}

#[test]
fn undoing_a_run_that_was_built_upon_is_refused_without_damage() {
    let mut p = Pipeline::on_sqlite();
    p.learn_run(&(run("r1", &["guardian"]) + &warning(W)));
    p.learn_run(&(run("r2", &["guardian"]) + &warning(W)));
    assert!(matches!(
        history::undo(&mut p.engine.memory, &p.engine.call, Some(OperationId(1))),
        Err(EngineError::UndoRefused { .. })
    ));
    assert_eq!(p.only_lesson().n_sightings, 2);
    p.assert_sound();
}

#[test]
fn an_undo_can_be_undone_and_done_again() {
    let mut p = Pipeline::on_sqlite();
    let text = "Bundle related changes into one pull request";
    let wish = AddRequest { text: text.into(), ..AddRequest::default() };
    lessons::add(&mut p.engine.memory, &p.engine.call, &wish).unwrap();
    history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap();
    assert_eq!(p.lessons(), []);
    history::undo(&mut p.engine.memory, &p.engine.call, Some(OperationId(2))).unwrap();
    assert_eq!(p.lessons().len(), 1, "the undo was taken back");
    assert_eq!(
        history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap().body.operation,
        OperationId(1)
    );
    assert_eq!(p.lessons(), []);
    p.assert_sound();
}

#[test]
fn every_number_comes_back_from_the_journal_as_it_was() {
    // A likeness with many digits once kept its run from ever being undone.
    let mut p = Pipeline::on_sqlite();
    let told = [
        (
            "Column dropped before data is copied in the migration",
            "Unbounded channel grows without limit in the event bus",
        ),
        (
            "The migration drops the column before copying its data",
            "The event bus has a channel that grows without bound",
        ),
        (
            "Data copied only after the migration dropped its column",
            "Channel of the event bus is unbounded and grows",
        ),
    ];
    for (n, (first, second)) in told.iter().enumerate() {
        p.learn(&(run(&format!("r{n}"), &["guardian"]) + &warning(first) + &warning(second)));
    }
    for _ in told {
        history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap();
        p.assert_sound();
    }
    assert_eq!(p.lessons(), []);
}
