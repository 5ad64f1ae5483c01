//! A question about the project, answered from memory: with a model in a few sentences that cite
//! lessons, without one by the lessons that fit best.

use hardwon_core::consult::Purpose;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::event::Problem;
use hardwon_engine::answer::{Answer, AskAnswered, Hit, Hits};
use hardwon_engine::lesson::State;
use hardwon_engine::model::{Model, Tool};
use hardwon_engine::{Call, Memory, Result};
use hardwon_render::advice::{ASK, ASK_SHAPE, data, shape_of};
use serde_json::{Value, json};

use super::{Outcome, Question, Words, ask, conclude, give_up, room};

/// So many lessons are told to a model.
const N_TOLD: usize = 12;

/// The hits alone, where no model is set.
pub fn by_words(question: &str, hits: Hits) -> AskAnswered {
    AskAnswered {
        question: question.to_owned(),
        answer: None,
        is_known: !hits.lessons.is_empty(),
        lessons: hits.lessons,
        notes: hits.notes,
        runs: Vec::new(),
        asked: None,
    }
}

/// Has a model answer from these hits.
pub fn answer(
    memory: &mut Memory,
    call: &Call,
    model: &dyn Model,
    question: &str,
    hits: Hits,
) -> Result<Answer<AskAnswered>> {
    let is_told = |hit: &&Hit| hit.lesson.state.0 != State::Quarantined;
    let told: Vec<Hit> = hits.lessons.iter().filter(is_told).take(N_TOLD).cloned().collect();
    if told.is_empty() {
        // Nothing to answer from: no money is spent on that.
        return Ok(Answer::of(by_words(question, hits), Vec::new()).empty_if(|it| !it.is_known));
    }
    let planned = planned(memory, model, question, &told);
    let (outcome, asked) = ask(memory, call, model, &planned)?;
    let mut answered = by_words(question, hits);
    let refused = asked.reason.clone();
    answered.asked = Some(asked);
    let problem = match outcome {
        Outcome::Answered(value, asked) => match read(memory, &value, &told) {
            Ok((said, cited)) => {
                conclude(memory, call, &asked)?;
                answered.is_known = !cited.is_empty();
                answered.answer = Some(said);
                answered.lessons = cited;
                answered.notes = Vec::new();
                None
            }
            Err(reason) => {
                give_up(memory, call, &asked, reason)?;
                Some(reason.to_owned())
            }
        },
        // The answer itself is not kept: it is the lessons that count.
        Outcome::Known => Some("asked before; these are the lessons that fit".to_owned()),
        Outcome::Nothing { .. } => refused,
    };
    let problems = problem.map(|reason| Problem::new(model.backend(), reason));
    Ok(Answer::of(answered, problems.into_iter().collect()))
}

fn planned(memory: &Memory, model: &dyn Model, question: &str, told: &[Hit]) -> Question {
    let lesson = |hit: &Hit| json!({"id": hit.lesson.id, "state": hit.lesson.state, "text": hit.lesson.text});
    let lessons: Vec<Value> = told.iter().map(lesson).collect();
    let text = memory.gate.redacted(&data(&json!({"question": question, "lessons": lessons})));
    let shape = Tool {
        name: "answer_from_memory".to_owned(),
        purpose: "Answers the question from the lessons.".to_owned(),
        schema: shape_of(ASK_SHAPE),
    };
    let words = Words {
        purpose: Purpose::Ask,
        about: Vec::new(),
        evidence: sha256_of_bytes(text.as_bytes()),
        system: ASK.to_owned(),
        text,
        shape,
    };
    Question::new(model, room(&memory.settings, model), words)
}

/// The answer and the lessons that it cites, if it says only what it was told.
fn read(memory: &Memory, value: &Value, told: &[Hit]) -> Result<(String, Vec<Hit>), &'static str> {
    let form = "the answer has another form";
    let said = value.get("answer").and_then(Value::as_str).ok_or(form)?;
    let is_known = value.get("known").and_then(Value::as_bool).ok_or(form)?;
    let cites = value.get("cites").and_then(Value::as_array).ok_or(form)?;
    let said = memory.gate.line(said).as_str().to_owned();
    let is_cited = |hit: &&Hit| {
        let id = hit.lesson.id.to_string();
        cites.iter().filter_map(Value::as_str).any(|cite| cite == id)
    };
    let cited: Vec<Hit> = told.iter().filter(is_cited).cloned().collect();
    if cited.len() != cites.len() {
        return Err("the answer cites what it was not told");
    }
    if is_known && cited.is_empty() {
        return Err("the answer cites nothing");
    }
    Ok((said, if is_known { cited } else { Vec::new() }))
}

/// Which runs show the lessons that are cited.
pub fn runs_of(memory: &Memory, call: &Call, hits: &[Hit]) -> Result<Vec<String>> {
    let mut runs: Vec<String> = Vec::new();
    for hit in hits {
        let query = hardwon_store::FindingQuery::OfLesson(hit.lesson.id.0.clone());
        for finding in memory.store.findings(&call.project, &query)? {
            let run = finding.run.to_string();
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    Ok(runs)
}
