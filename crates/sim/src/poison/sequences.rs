//! One source does whatever it likes, in any order, as often as it likes. Seeded, so that a
//! sequence that gets in can be played again.

use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Decision, Kind};
use hardwon_core::policy::Policy;
use hardwon_engine::{AddRequest, EditRequest, EngineError, InjectRequest, blocks, runs};
use serde_json::json;

use crate::random::Random;

use super::memory::{KNOWN, Memory, Reach, finding, line, run_line};
use super::{Row, Size};

/// Most steps of a sequence.
const MAX_STEPS: u64 = 12;

pub fn row(
    size: Size,
    texts: &[&str],
    policy: &Policy,
    breaches: &mut Vec<String>,
) -> Result<Row, EngineError> {
    let mut n_reached = 0;
    for n in 0..size.n_sequences {
        let mut luck = Random::seeded(&[size.seed, n]);
        let text = luck.pick(texts);
        let mut memory = Memory::new(policy)?;
        let is_agent = luck.below(3) > 0;
        for _ in 0..=luck.below(MAX_STEPS) {
            step(&mut memory, text, is_agent, &mut luck);
        }
        memory.engine.set_caller(None);
        if memory.reach(text)? != Reach::Nothing {
            n_reached += 1;
            breaches.push(format!("sequence {n} of seed {}: {}", size.seed, text.escape_debug()));
        }
    }
    let n_cases = size.n_sequences;
    let (family, way) = ("one source", "random sequences of all that it can do");
    Ok(Row { family, way, n_cases, n_reached, n_inert: 0 })
}

/// One thing that the source does, or that goes on beside it. It is one source: an agent,
/// with all that it may call, or whoever writes the record of one root run.
fn step(memory: &mut Memory, text: &str, is_agent: bool, luck: &mut Random) {
    let author = luck.pick(&["bot", "guardian", "sage", "user"]);
    let run = format!("evil-{}", luck.below(4));
    let id = any_lesson(memory, luck);
    memory.engine.set_caller(Some("bot"));
    let choice = if is_agent { 2 + luck.below(10) } else { luck.pick(&[0, 1, 10, 11]) };
    match choice {
        0 => {
            memory.engine.set_caller(None);
            let record = run_line("root", None) + &finding(author, text);
            let _ = memory.learn(&run, &record);
        }
        1 => {
            memory.engine.set_caller(None);
            let child = run_line("root", None) + &run_line(&run, Some("root"));
            let _ = memory.learn(&run, &(child + &finding(author, text)));
        }
        2 => {
            let record = run_line(&format!("own-{run}"), None) + &finding(author, text);
            let _ = memory.learn("record", &record);
        }
        3 => {
            let own = format!("own-{run}");
            memory.try_learn(&own, &line(json!({"task_id": own, "memory_candidates": [text]})));
        }
        4 => {
            let kind = Some(luck.pick(Kind::ALL));
            memory.add(&AddRequest { text: text.to_owned(), kind, ..AddRequest::default() });
        }
        5 => {
            let request = EditRequest { text: Some(text.to_owned()), ..EditRequest::default() };
            memory.edit(&id, &request);
        }
        6 => memory.pin(&id),
        7 => {
            let decision = luck.pick(Decision::ALL);
            let with = any_lesson(memory, luck);
            memory.decide(&id, decision, text, Some(&with));
        }
        8 => {
            let other = any_lesson(memory, luck);
            memory.merge(&id, &other);
        }
        9 => {
            memory.forget(&id);
            memory.restore(&id);
            memory.undo();
        }
        10 => {
            let run = RunId::parse(&run).ok();
            let _ = blocks::inject(
                &mut memory.engine.memory,
                &memory.engine.call,
                &InjectRequest { run, ..InjectRequest::default() },
            );
            let _ = runs::decay(&mut memory.engine.memory, &memory.engine.call);
        }
        // The pipeline goes on with its own work.
        _ => {
            memory.engine.set_caller(None);
            let run = format!("r-{}", luck.below(1000));
            let _ = memory.learn("record", &(run_line(&run, None) + &finding("guardian", KNOWN)));
        }
    }
}

fn any_lesson(memory: &Memory, luck: &mut Random) -> LessonId {
    let lessons = memory.lessons();
    match lessons.len() {
        0 => memory.known.clone(),
        n => lessons[luck.index(n)].clone(),
    }
}
