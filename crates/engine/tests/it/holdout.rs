//! Chance keeps lessons back, and what that shows: recorded, judged, and of no other
//! consequence.

use hardwon_engine::answer::Injected;
use hardwon_engine::effect::{Arm, EffectKind};
use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::need::Need;
use hardwon_engine::voice::Speaker;
use hardwon_engine::{InjectRequest, policy};
use serde_json::json;

use crate::harness::{Home, LEAK, Pipeline, W, run, run_id, run_with, warning};

/// A pipeline in which `share` of the showings is held out.
fn with_share(share: f64) -> Pipeline {
    let mut rules = policy::load("hardwon").unwrap();
    rules.holdout.share = share;
    let mut p = Pipeline::with_rules(rules);
    p.call.speaker = Speaker::default();
    show_thrice(&mut p, &[W]);
    p
}

/// A person's sessions are too few to learn from; a script is a pipeline, and whoever sets it gets it.
#[test]
fn nothing_is_held_out_of_one_persons_sessions() {
    let mut p = with_share(1.0);
    for (speaker, is_held_out) in [
        (Speaker::person(), false),
        (Speaker::agent("claude-code"), false),
        (Speaker::default(), true),
    ] {
        p.call.speaker = speaker.clone();
        let run = format!("r-{:?}", speaker.voice);
        assert_eq!(p.inject(&run).block.is_empty(), is_held_out, "{speaker:?}");
    }
    let home = Home::new();
    home.write("home/config.toml", "holdout = \"on\"\n");
    let mut p = home.open("home");
    show_thrice(&mut p, &[W]);
    p.memory.policy.holdout.share = 1.0;
    assert_eq!(p.inject("r6").block, "", "a person wants it");
}

/// Confirms these lessons and shows them three times.
fn show_thrice(p: &mut Pipeline, texts: &[&str]) {
    p.confirm(texts);
    for n in 3..=5 {
        let injected = p.inject(&format!("r{n}"));
        assert_eq!(injected.lessons.len(), texts.len(), "what is new is not left to chance");
        assert!(injected.lessons.iter().all(|lesson| !lesson.is_randomised));
        p.learn_clean([n]);
    }
}

fn reason(injected: &Injected, lesson: &Lesson) -> Option<String> {
    let left_out = injected.left_out.iter().find(|left_out| left_out.id == lesson.id);
    left_out.map(|left_out| left_out.reason.clone())
}

#[test]
fn what_is_held_out_is_named_recorded_and_served_alike() {
    for share in [1.0, 0.0] {
        let mut p = with_share(share);
        let lesson = p.only_lesson();
        let injected = p.inject("r6");
        let is_held_out = share > 0.0;
        assert_eq!(injected.held_out.contains(&lesson.id.clone().into()), is_held_out);
        assert_eq!(injected.block.is_empty(), is_held_out);
        let expected = is_held_out.then(|| "held out by chance to measure its worth".to_owned());
        assert_eq!(reason(&injected, &lesson), expected);
        let again = p.inject("r6");
        assert!(again.is_repeat);
        assert_eq!((again.block, again.held_out), (injected.block, injected.held_out));
        let without_run = p.inject_for(None, Need::default());
        assert!(without_run.block.contains(W) && without_run.held_out.is_empty());
        p.assert_sound();
    }
}

#[test]
fn its_place_goes_to_the_next_lesson() {
    let mut p = with_share(1.0);
    // Never shown yet, so chance has no say about it.
    p.learn_finding("r6", LEAK);
    p.learn_finding("r7", LEAK);
    // Seen last, so it is the first.
    p.learn_finding("r8", W);
    let request = |run: Option<&str>| InjectRequest {
        run: run.map(run_id),
        need: Need { text: Some(format!("{W} {LEAK} {W}")), ..Need::default() },
        max_lessons: Some(1),
        ..InjectRequest::default()
    };
    assert!(p.serve(&request(None)).block.contains(W));
    let drawn = p.serve(&request(Some("r9")));
    assert!(drawn.block.contains(LEAK) && !drawn.block.contains(W), "{}", drawn.block);
    assert_eq!(drawn.held_out, [p.lesson_saying(W).id]);
}

#[test]
fn a_held_out_lesson_gets_no_credit_and_no_blame() {
    let mut p = with_share(1.0);
    let before = p.only_lesson();
    p.inject("r6");
    let clean = p.learn_run(&run("r6", &["guardian"]));
    assert!(clean.effects.is_empty() && clean.transitions.is_empty());
    p.inject("r7");
    assert!(p.learn_finding("r7", W).effects.is_empty());
    p.inject("r8");
    p.learn_run(&run("r8", &["sage"]));
    let after = p.only_lesson();
    assert_eq!((after.effects, after.confidence), (before.effects, before.confidence));
    assert_eq!(after.upkeep.used_at, before.upkeep.used_at);
    assert_eq!(after.n_sightings, before.n_sightings + 1, "it was seen all the same");
    assert_eq!((after.arms.n_held_out, after.arms.n_held_out_again), (2, 1));
    let story = p.show(after.id.as_str()).unwrap().body;
    let whys = story.page.effects.iter().filter(|effect| effect.arm == Some(Arm::HeldOut.into()));
    let whys: Vec<&str> = whys.map(|effect| effect.why.as_str()).collect();
    assert_eq!(whys.len(), 3);
    assert!(whys.iter().all(|why| why.starts_with("held out by chance: ")), "{whys:?}");
    p.assert_sound();
}

#[test]
fn arms_are_counted_anew_with_the_effects() {
    let mut p = with_share(1.0);
    p.inject("r6");
    p.learn_clean([6]);
    assert_eq!(p.only_lesson().arms.n_held_out_again, 0);
    p.learn_finding("r6", W);
    let arms = p.only_lesson().arms;
    assert_eq!((arms.n_held_out, arms.n_held_out_again), (1, 1));
    p.assert_sound();
}

#[test]
fn by_default_about_a_tenth_is_held_out_and_lift_is_known_in_the_end() {
    let mut p = Pipeline::on_memory();
    p.call.speaker = Speaker::default();
    show_thrice(&mut p, &[W, LEAK]);
    assert!(p.report().unwrap().body.stats.lift.is_none());
    let mut n_held_out = 0;
    for n in 6..120 {
        let id = format!("r{n}");
        let held_out = p.inject(&id).held_out;
        n_held_out += held_out.len();
        // Held out, the mistake is made again; shown, it is not.
        let is_back = |text: &&str| held_out.contains(&p.lesson_saying(text).id.into());
        let back: String = [W, LEAK].into_iter().filter(is_back).map(warning).collect();
        p.learn_run(&(run(&id, &["guardian"]) + &back));
    }
    assert!((12..35).contains(&n_held_out), "{n_held_out}");
    let lift = p.report().unwrap().body.stats.lift.unwrap();
    assert_eq!(lift.n_held_out as usize, n_held_out);
    assert!(lift.high.0 < 0.5 && lift.rate_shown.0 == 0.0, "{lift:?}");
    assert_eq!(p.lesson_saying(W).state, State::Stable);
    p.assert_sound();
}

#[test]
fn a_second_hurt_takes_a_lesson_out_of_every_block() {
    for mut p in Pipeline::on_both() {
        show_thrice(&mut p, &[W]);
        let lesson = p.only_lesson();
        let once = p.mark(&lesson, EffectKind::Hurt, "r3").unwrap();
        assert_eq!((once.effects.n_hurt, once.effects.n_helped), (1, 2));
        let n_before = p.n_entries();
        assert_eq!(p.mark(&lesson, EffectKind::Hurt, "r3").unwrap(), once);
        assert_eq!(p.n_entries(), n_before, "saying it twice changes nothing");
        let other = p.mark(&lesson, EffectKind::Neutral, "r3").unwrap();
        assert_eq!((other.effects.n_hurt, other.effects.n_neutral), (0, 1));
        p.mark(&lesson, EffectKind::Hurt, "r3").unwrap();
        // More about the run does not wash it out.
        p.learn_finding("r3", LEAK);
        assert_eq!(p.lesson_saying(W).effects.n_hurt, 1);
        let twice = p.mark(&lesson, EffectKind::Hurt, "r4").unwrap();
        assert_eq!(twice.state, State::UnderReview);
        assert!(!p.inject("r9").block.contains(W));
        assert!(!p.inject_for(None, Need::default()).block.contains(W));
        p.assert_sound();
    }
}

#[test]
fn only_what_was_shown_can_be_marked() {
    let mut p = with_share(1.0);
    p.inject("r6");
    let (lesson, n_before) = (p.only_lesson(), p.n_entries());
    for (run, expected) in [
        ("r1", "it was not shown in r1"),
        ("r6", "it was held out of r6"),
        ("r99", "no run is called r99"),
    ] {
        let refused = p.mark(&lesson, EffectKind::Hurt, run).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    assert_eq!((p.n_entries(), p.only_lesson()), (n_before, lesson));
}

#[test]
fn a_mark_may_come_before_the_record() {
    let mut p = with_share(0.0);
    let lesson = p.only_lesson();
    let looked = json!({"detectors": ["guardian"]});
    let below = json!({"detectors": ["guardian"], "parent": "r7"});
    for (child, fields) in [("r6", looked), ("r7-maker", below)] {
        p.inject(child);
        p.mark(&lesson, EffectKind::Contradicted, child).unwrap();
        p.learn_run(&run_with(child, fields));
    }
    let after = p.only_lesson();
    assert_eq!((after.effects.n_contradicted, after.effects.n_helped), (2, 3));
    let story = p.show(after.id.as_str()).unwrap().body;
    let roots: Vec<&str> = story.page.effects.iter().map(|effect| effect.run.as_str()).collect();
    assert_eq!(roots, ["r3", "r4", "r5", "r6", "r7"]);
    p.assert_sound();
}
