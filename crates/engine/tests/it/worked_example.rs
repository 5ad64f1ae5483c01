//! The worked example at the end of the design (section 16), step by step, on both
//! stores.

use hardwon_engine::answer::Status;
use hardwon_engine::lesson::State;

use crate::bench::{Pipeline, run, warning};

const W: &str = "Query built by string concatenation in the user search";
const W_IN_OTHER_WORDS: &str = "User search builds its query by concatenating strings";

#[test]
fn worked_example() {
    for mut pipeline in Pipeline::on_both() {
        play(&mut pipeline);
        pipeline.assert_sound();
    }
}

fn play(p: &mut Pipeline) {
    let r1 = p.learn_run(&(run("r1", &["guardian"]) + &warning(W)));
    assert_eq!((r1.new.len(), r1.matched.len()), (1, 0));
    assert_eq!(p.only_lesson().state, State::Candidate);
    assert_eq!(p.inject("r2").block, "", "a candidate is not shown");

    let r2_record = run("r2", &["guardian"]) + &warning(W_IN_OTHER_WORDS);
    let r2 = p.learn_run(&r2_record);
    assert_eq!((r2.new.len(), r2.matched.len()), (0, 1));
    assert_eq!(r2.promoted.len(), 1);
    assert_eq!((p.only_lesson().n_sightings, p.only_lesson().state), (2, State::Provisional));

    assert!(p.inject("r3").block.contains(W));
    let r3 = p.learn_run(&run("r3", &["guardian"]));
    assert_eq!(effects(&r3), ["helped"]);

    assert!(p.inject("r4").block.contains(W));
    let r4 = p.learn_run(&(run("r4", &["guardian"]) + &warning(W)));
    assert_eq!(effects(&r4), ["no_help"]);
    assert_eq!(p.only_lesson().n_sightings, 3);

    let before = p.only_lesson();
    let again = p.learn(&r2_record);
    assert!(again.body.runs[0].is_known);
    assert_eq!(again.status, Status::Ok);
    assert_eq!(again.body.operation, None, "nothing was written");
    assert_eq!(p.only_lesson(), before);

    assert!(p.inject("r5").block.contains(W));
    let r5 = p.learn_run(&run("r5", &[]));
    assert_eq!(effects(&r5), ["no_opportunity"]);
    assert_eq!(p.only_lesson().effects.n_tried(), 2);
}

fn effects(learned: &hardwon_engine::answer::RunLearned) -> Vec<&'static str> {
    learned.effects.iter().map(|effect| effect.kind.word()).collect()
}
