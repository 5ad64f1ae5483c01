//! The worked example at the end of the design (section 16), step by step, on both
//! stores.

use hardwon_engine::answer::Status;
use hardwon_engine::lesson::State;

use crate::harness::{Pipeline, W, run, warning};

const W_IN_OTHER_WORDS: &str = "User search builds its query by concatenating strings";

#[test]
fn worked_example() {
    for mut p in Pipeline::on_both() {
        let r1 = p.learn_finding("r1", W);
        assert_eq!((r1.new.len(), r1.matched.len()), (1, 0));
        assert_eq!(p.only_lesson().state, State::Candidate);
        assert_eq!(p.inject("r2").block, "", "a candidate is not shown");

        let r2 = p.learn_finding("r2", W_IN_OTHER_WORDS);
        assert_eq!((r2.new.len(), r2.matched.len(), r2.promoted.len()), (0, 1, 1));
        assert_eq!((p.only_lesson().n_sightings, p.only_lesson().state), (2, State::Provisional));

        assert!(p.inject("r3").block.contains(W));
        assert_eq!(p.effect_after("r3", &run("r3", &["guardian"])).0, "helped");
        let r4 = run("r4", &["guardian"]) + &warning(W);
        assert_eq!(p.effect_after("r4", &r4).0, "no_help");
        assert_eq!(p.only_lesson().n_sightings, 3);

        let before = p.only_lesson();
        let again = p.learn(&(run("r2", &["guardian"]) + &warning(W_IN_OTHER_WORDS)));
        assert!(again.body.runs[0].is_known);
        assert_eq!(again.status, Status::Ok);
        assert_eq!(again.body.operation, None, "nothing was written");
        assert_eq!(p.only_lesson(), before);

        assert_eq!(p.effect_after("r5", &run("r5", &[])).0, "no_opportunity");
        assert_eq!(p.only_lesson().effects.n_tried(), 2);
        p.assert_sound();
    }
}
