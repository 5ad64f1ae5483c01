//! A trajectory that is read, kept as a run's account of itself, written and read again says
//! the same: what was done, what it cost, and what its writer said beyond the format.

use hardwon_core::command::trouble::{classify, telling_line};
use hardwon_core::episode::{Episode, Step, StepError, StepResult, trail};
use hardwon_core::event::StepStated;
use hardwon_core::find::{FoundRun, find};
use hardwon_core::gate::Gate;
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;
use hardwon_readers::read;
use hardwon_render::atif::atif;

const SHOP: &str = include_str!("../../../readers/tests/fixtures/episodes/shop.atif.json");
const STREAMED: &str = include_str!("../../../readers/tests/fixtures/episodes/shop.atif.jsonl");
const HARBOR: &str = include_str!("../../../readers/tests/fixtures/episodes/harbor.json");

/// A step behind the gate, as learning does it.
fn done(gate: &Gate, step: &StepStated) -> Option<Step> {
    let result = match step.is_ok {
        Some(true) => StepResult::Ok,
        Some(false) => StepResult::Failed,
        None => StepResult::Unknown,
    };
    let error = step.output.as_deref().and_then(|output| {
        let line = telling_line(output).and_then(|line| gate.word(&line))?;
        Some(StepError { class: classify(output), line })
    });
    let (tool, action) = (gate.word(&step.tool)?.to_lowercase(), gate.word(&step.action)?);
    Some(Step {
        error: error.filter(|_| result == StepResult::Failed),
        duration_ms: step.duration_ms,
        ..Step::once(step.kind, tool, action, result)
    })
}

fn kept(gate: &Gate, found: &FoundRun) -> Run {
    let stated = &found.stated;
    let steps = found.steps.iter().filter_map(|step| done(gate, step));
    let extra = stated.episode.extra.as_deref();
    Run {
        agent: stated.agent.clone(),
        task: stated.task.clone(),
        started: stated.started,
        finished: stated.finished,
        outcome: stated.outcome,
        episode: Episode {
            trail: trail(steps),
            extra: extra.map(|extra| gate.line(extra).as_str().to_owned()),
            ..stated.episode.clone()
        },
        ..Run::stub(found.id.clone(), Timestamp(0))
    }
}

fn runs(text: &str) -> Vec<Run> {
    let record = read("x", text.as_bytes(), None).unwrap();
    let gate = Gate::standard();
    find(&[record], None, &|_, _| None).runs.iter().map(|found| kept(&gate, found)).collect()
}

#[test]
fn a_trajectory_comes_back_as_it_was() {
    for text in [SHOP, STREAMED, HARBOR] {
        for run in runs(text) {
            let [again] = runs(&atif(&run)).try_into().unwrap();
            let (was, is) = (&run.episode, &again.episode);
            assert_eq!(again.id, run.id);
            assert_eq!(is.trail, was.trail, "{}", run.id.as_str());
            assert_eq!((is.usage, &is.extra), (was.usage, &was.extra), "{}", run.id.as_str());
            assert_eq!((&is.session, again.task), (&was.session, run.task));
            assert_eq!((again.started, again.finished), (run.started, run.finished));
        }
    }
    assert!(runs(SHOP).iter().any(|run| run.episode.extra.is_some()));
}
