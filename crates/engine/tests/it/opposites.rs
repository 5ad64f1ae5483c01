//! What is one lesson by what it says, and what tells the opposite of another: the same answer for
//! what is stated, learned and shown.

use hardwon_core::lesson::{Lesson, State};
use hardwon_core::need::Need;
use hardwon_engine::AddRequest;
use serde_json::json;

use crate::harness::{Pipeline, finding, run, warning_with, wish};

const MAIN: &str = "Never commit directly to main";
const TO_MAIN: &str = "Commit directly to main, no feature branches";

impl Pipeline {
    fn shown(&mut self) -> Vec<String> {
        let lessons = self.inject_for(None, Need::default()).lessons;
        lessons.into_iter().map(|shown| shown.lesson.text.as_str().to_owned()).collect()
    }

    fn told(&mut self, request: &AddRequest) -> (Lesson, String) {
        let answer = self.add(request).unwrap();
        let reasons: Vec<String> = answer.problems.into_iter().map(|it| it.reason).collect();
        (answer.body, reasons.join("\n"))
    }
}

#[test]
fn the_same_mistake_in_another_place_is_one_lesson() {
    let mut p = Pipeline::on_memory();
    for (n, thing) in ["user", "item", "order"].into_iter().enumerate() {
        let text = format!("the {thing} search builds its SQL by concatenation");
        let place = json!({"path": format!("src/{thing}s/search.rs")});
        p.learn_run(&(run(&format!("r{n}"), &["guardian"]) + &warning_with(&text, place)));
    }
    assert_eq!(p.only_lesson().n_sightings, 3);
}

#[test]
fn two_findings_of_one_review_are_two() {
    let told = [
        "The upload handler does not check the size of the file that it is sent",
        "The upload handler does not check who owns the file that it is sent",
    ];
    let of = |author: &str, text: &str| finding(author, "warning", text);
    let mut p = Pipeline::on_memory();
    let record = run("r1", &["guardian"]) + &of("guardian", told[0]) + &of("guardian", told[1]);
    p.learn_run(&record);
    assert_eq!(p.lessons().len(), 2);
    assert!(p.lessons().iter().all(|lesson| lesson.n_sightings == 1));
    // What is said twice in the same words is one.
    p.learn_run(&(run("r2", &["guardian"]) + &of("guardian", told[0]) + &of("guardian", told[0])));
    assert_eq!(p.lessons().len(), 2);
}

#[test]
fn of_two_wishes_the_later_is_shown_and_may_replace_the_earlier() {
    let mut p = Pipeline::on_memory();
    let (earlier, said) = p.told(&wish(MAIN));
    assert_eq!(said, "");
    p.later(1);
    let (later, said) = p.told(&wish(TO_MAIN));
    let offer = format!("contradicts {}: {MAIN}", earlier.id);
    assert!(said.starts_with(&offer) && said.contains("--supersedes"), "{said}");
    assert_eq!(p.shown(), [TO_MAIN]);
    let supersedes = Some(earlier.id.to_string());
    let (_, said) = p.told(&AddRequest { supersedes, ..wish(TO_MAIN) });
    assert_eq!(said, "");
    let ended = p.again(&earlier);
    assert_eq!((ended.state, ended.superseded_by), (State::Superseded, Some(later.id)));
    p.undo().unwrap();
    assert_eq!(p.again(&earlier).state, earlier.state);
    // Nothing in common but what only one of can be had.
    p.told(&wish("Use tabs for indentation"));
    let (_, said) = p.told(&wish("Indent with two spaces"));
    assert!(said.contains("Use tabs for indentation"), "{said}");
    p.assert_sound();
}

#[test]
fn of_what_runs_taught_both_wait_for_a_decision() {
    let mut p = Pipeline::on_memory();
    let texts = ["Always retry failed payment requests", "Never retry failed payment requests"];
    for (n, text) in texts.iter().flat_map(|text| [text, text]).enumerate() {
        let role = format!("role-{}", n / 2);
        p.learn_run(&(run(&format!("r{n}"), &[&role]) + &finding(&role, "warning", text)));
    }
    let states: Vec<State> = p.lessons().iter().map(|lesson| lesson.state).collect();
    assert_eq!(states, [State::UnderReview, State::UnderReview]);
    assert_eq!(p.shown(), Vec::<String>::new());
}
