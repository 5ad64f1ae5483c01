//! Do two lessons that are nearly alike say the same? A model may be asked once about a pair; its
//! yes or no is kept with its reason, and a person merges.

use hardwon_core::consult::{Consultation, Proposed, Purpose};
use hardwon_core::event::Problem;
use hardwon_engine::answer::{Answer, Asked, Decimal, Near, NearPairs};
use hardwon_engine::ids::LessonId;
use hardwon_engine::lesson::Lesson;
use hardwon_engine::model::{Model, Tool};
use hardwon_engine::{Call, Memory, Result, lessons, lookup};
use hardwon_render::advice::{MERGE, MERGE_SHAPE, data, shape_of};
use hardwon_store::ConsultationQuery;
use serde_json::{Value, json};

use super::archivist::pair;
use super::{Outcome, Question, Words, ask, consult, give_up, room};

/// Asks about the pairs that may be one, the most alike first; then all that are proposed.
pub fn ask_about_pairs(
    memory: &mut Memory,
    call: &Call,
    model: &dyn Model,
    limit: usize,
    tell: &mut dyn FnMut(&Asked),
) -> Result<Answer<NearPairs>> {
    let pairs = lessons::near_pairs(memory, call, limit)?.body;
    let mut problems = Vec::new();
    for near in &pairs.pairs {
        let ids = [&near.other.id.0, &near.base.id.0];
        let Some([other, base]) = both(memory, call, ids)? else { continue };
        let question = question(memory, model, &other, &base);
        let (outcome, asked) = ask(memory, call, model, &question)?;
        tell(&asked);
        match outcome {
            Outcome::Known => {}
            Outcome::Nothing { .. } => {
                let reason = asked.reason.unwrap_or_default();
                problems.push(Problem::new(model.backend(), reason));
                break;
            }
            Outcome::Answered(value, asked) => match verdict(memory, &value) {
                Some(proposed) => {
                    let proposed = Some(proposed);
                    let after = Consultation { proposed, is_answered: true, ..(*asked).clone() };
                    consult::settle(memory, call, &asked, &after)?;
                }
                None => {
                    let reason = "the answer has another form";
                    give_up(memory, call, &asked, reason)?;
                    problems.push(Problem::new(model.backend(), reason));
                }
            },
        }
    }
    let proposed = proposed(memory, call)?;
    Ok(Answer::of(NearPairs { n_compared: pairs.n_compared, ..proposed }, problems)
        .empty_if(|it| it.pairs.is_empty()))
}

fn question(memory: &Memory, model: &dyn Model, other: &Lesson, base: &Lesson) -> Question {
    let told =
        |lesson: &Lesson| json!({"text": lesson.text.as_str(), "rule": lesson.guidance.rule});
    let text = data(&json!([told(other), told(base)]));
    let shape = Tool {
        name: "say_whether_they_are_the_same".to_owned(),
        purpose: "Says whether two lessons tell the same.".to_owned(),
        schema: shape_of(MERGE_SHAPE),
    };
    let words = Words {
        purpose: Purpose::Merge,
        about: vec![other.id.to_string(), base.id.to_string()],
        evidence: pair(other, base),
        system: MERGE.to_owned(),
        text: memory.gate.redacted(&text),
        shape,
    };
    Question::new(model, room(&memory.settings, model), words)
}

fn verdict(memory: &Memory, value: &Value) -> Option<Proposed> {
    let is_yes = Some(value.get("same")?.as_bool()?);
    let reason = memory.gate.line(value.get("reason")?.as_str()?).as_str().to_owned();
    Some(Proposed { is_yes, reason, ..Proposed::default() })
}

/// Pairs that a model or an agent holds for one, with the reason; the newest first.
pub fn proposed(memory: &Memory, call: &Call) -> Result<NearPairs> {
    let mut pairs = Vec::new();
    for it in judged(memory, call)? {
        let Some(Proposed { is_yes: Some(true), reason, .. }) = &it.proposed else { continue };
        let ids: Vec<LessonId> = it.about.iter().map(|id| LessonId::given(id)).collect();
        let [other, base] = ids.as_slice() else { continue };
        let Some([other, base]) = both(memory, call, [other, base])? else { continue };
        let because = vec![format!("{} says: {reason}", it.model)];
        let (base, other) = ((&base).into(), (&other).into());
        pairs.push(Near { base, other, likeness: Decimal(1.0), because });
    }
    Ok(NearPairs { n_compared: pairs.len() as u64, pairs })
}

/// What was said about a lesson and another one, in words.
pub fn remarks(
    memory: &Memory,
    call: &Call,
    lesson: &LessonId,
) -> Result<Vec<(hardwon_engine::time::Timestamp, String)>> {
    let about = judged(memory, call)?.into_iter();
    let about = about.filter(|it| it.about.iter().any(|id| id == lesson.as_str()));
    let told = about.filter_map(|it| {
        let proposed = it.proposed?;
        let other = it.about.iter().find(|id| *id != lesson.as_str())?;
        let says = match proposed.is_yes {
            Some(true) => "says the same as",
            Some(false) => "does not say the same as",
            None => return None,
        };
        Some((it.at, format!("{}: it {says} {other}: {}", it.model, proposed.reason)))
    });
    Ok(told.collect())
}

fn judged(memory: &Memory, call: &Call) -> Result<Vec<Consultation>> {
    let query =
        ConsultationQuery { project: Some(call.project.clone()), ..ConsultationQuery::default() };
    let all = memory.store.consultations(&query)?.into_iter().map(|(_, it)| it);
    Ok(all.filter(|it| it.purpose == Purpose::Merge).collect())
}

/// Both lessons, if they are still there.
fn both(memory: &Memory, call: &Call, ids: [&LessonId; 2]) -> Result<Option<[Lesson; 2]>> {
    let [first, second] = ids.map(|id| lookup::find_lesson(memory, call, id));
    let is_there = |lesson: &Lesson| !lesson.state.is_put_away();
    let pair = first?.filter(is_there).zip(second?.filter(is_there));
    Ok(pair.map(|(first, second)| [first, second]))
}
