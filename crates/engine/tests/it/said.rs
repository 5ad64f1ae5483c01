//! What users type behind `remember:` in conversations: whose wish it is, when it is shown, and what
//! ends it.

use hardwon_core::lesson::{Decision, Kind, Lesson, State, Trust};
use hardwon_core::lifecycle::Waiting;
use hardwon_core::need::Need;
use hardwon_core::scope::{Dimension, OWN_PERSON};
use hardwon_engine::voice::Speaker;
use serde_json::json;

use crate::harness::{Pipeline, turn};

const PNPM: &str = "Use pnpm in this repo, not npm.";

/// The user types this, to be kept.
fn wish(text: &str) -> String {
    turn("user", json!(format!("remember: {text}")), json!({}))
}

impl Pipeline {
    fn wishes(&self) -> Vec<Lesson> {
        let mut all = self.lessons();
        all.retain(|lesson| lesson.kind == Kind::Preference);
        all
    }

    fn block(&mut self) -> String {
        self.inject_for(None, Need::default()).block
    }

    fn waits(&mut self) -> Vec<Waiting> {
        let queue = self.review_queue().unwrap().body;
        queue.items.iter().map(|item| item.waits.0).collect()
    }
}

#[test]
fn a_wish_waits_after_the_first_time_and_is_shown_after_the_second() {
    for mut p in Pipeline::on_both() {
        p.keep("a", &wish("use pnpm in this repo, not npm.\n\nNow fix the test"));
        let first = p.only_lesson();
        assert_eq!((first.text.as_str(), first.state), (PNPM, State::Candidate));
        assert_eq!((first.kind, first.trust), (Kind::Preference, Trust::Claimed));
        assert_eq!(first.scope.0.get(&Dimension::Person).map(String::as_str), Some(OWN_PERSON));
        assert_eq!(p.waits(), [Waiting::Said]);
        assert_eq!(p.block(), "");
        p.keep("a", &wish("use pnpm in this repo, not npm.\n\nNow fix the test"));
        assert_eq!(p.only_lesson().n_sightings, 1, "the same session counts once");
        p.keep("b", &wish("Use pnpm in this repo, not npm!"));
        let second = p.only_lesson();
        assert_eq!((second.state, second.trust), (State::Provisional, Trust::Claimed));
        assert!(!second.is_pinned);
        let block = p.block();
        assert!(block.contains(PNPM) && block.contains("(user, 2 sessions)"), "{block}");
        assert_eq!(p.waits(), [Waiting::Said], "until the user decides");
        p.assert_sound();
    }
}

#[test]
fn the_user_approves_or_rejects_it() {
    let mut p = Pipeline::on_memory();
    for session in ["a", "b"] {
        p.keep(session, &(wish(PNPM) + &wish("Never commit generated files.")));
    }
    let kept = p.lesson_saying(PNPM);
    let kept = p.review(&kept, Decision::Approve).unwrap();
    assert_eq!((kept.state, kept.trust), (State::Provisional, Trust::Trusted));
    assert!(kept.is_wish() && !kept.is_personal());
    let other = p.lesson_saying("Never commit generated files.");
    p.review(&other, Decision::Reject).unwrap();
    p.keep("c", &wish("Never commit generated files."));
    assert_eq!(p.again(&other).state, State::Rejected, "it does not come back");
    let block = p.block();
    assert!(block.contains(PNPM) && !block.contains("generated"), "{block}");
    assert_eq!(p.waits(), []);
}

#[test]
fn a_wish_in_other_words_is_the_same_wish() {
    let mut p = Pipeline::on_memory();
    p.keep("a", &wish("Never commit generated files to the repository."));
    p.keep("b", &wish("please never commit any generated files"));
    assert_eq!(p.wishes().len(), 1, "{:#?}", p.wishes());
    assert_eq!(p.only_lesson().state, State::Provisional);
}

#[test]
fn a_later_wish_that_says_the_opposite_ends_the_earlier_one() {
    let mut p = Pipeline::on_memory();
    for session in ["a", "b"] {
        p.keep(session, &wish("please use the british spelling"));
    }
    let british = p.only_lesson();
    assert_eq!(british.state, State::Provisional);
    p.keep("c", &wish("let's make sure we're using US English everywhere"));
    let ended = p.again(&british);
    assert_eq!(ended.state, State::Superseded);
    let story = p.history(Some(british.id.as_str()), None).unwrap().body;
    let told = format!("{story:?}");
    assert!(told.contains("the user said the opposite later"), "{told}");
    p.keep("d", &wish("please use the british spelling"));
    assert_eq!(p.again(&british).state, State::Candidate, "said anew");
    p.assert_sound();
}

#[test]
fn an_agent_cannot_make_a_wish_by_writing_a_transcript() {
    let mut p = Pipeline::on_memory();
    p.call.speaker = Speaker::agent("claude-code");
    for id in ["a", "b", "c"] {
        let written = wish(PNPM).replace("SESSION", id);
        let _ = p.learn_inputs(None, &[&written]);
    }
    assert_eq!(p.wishes(), [], "whatever it says that somebody said");
}

#[test]
fn somebody_elses_wish_is_shown_only_after_it_is_approved() {
    let mut p = Pipeline::on_memory();
    for session in ["a", "b"] {
        p.keep(session, &wish(PNPM));
    }
    let ann = Need { person: Some("ann".into()), ..Need::default() };
    let shown = p.inject_for(None, ann.clone());
    assert_eq!(shown.block, "");
    let lesson = p.only_lesson();
    p.review(&lesson, Decision::Approve).unwrap();
    assert!(p.inject_for(None, ann).block.contains(PNPM));
}

#[test]
fn an_export_leaves_out_what_one_person_typed() {
    let mut p = Pipeline::on_memory();
    for session in ["a", "b"] {
        p.keep(session, &wish(PNPM));
    }
    let (text, exported) = p.export_own().unwrap();
    assert!(!text.contains("pnpm"), "{text}");
    assert!(exported.unplaced.iter().any(|left| left.what.contains("wishes") && left.n == 1));
    let lesson = p.lesson_saying(PNPM);
    p.review(&lesson, Decision::Approve).unwrap();
    assert!(p.export_own().unwrap().0.contains("pnpm"));
}
