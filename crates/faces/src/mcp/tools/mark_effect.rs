//! `mark_effect`: what a lesson did in a run in which it was shown.

use hardwon_engine::answer::Lesson;
use hardwon_engine::effect::EffectKind;
use hardwon_engine::{MarkRequest, runs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Reply, Session, Trouble, line, wire, words};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The lesson's id, as lessons_for gave it.
    lesson: String,
    /// What it did.
    #[schemars(with = "String", extend("enum" = words(EffectKind::ALL, EffectKind::word)))]
    effect: EffectKind,
    /// Why you think so, in a few words.
    because: String,
    /// The run's id; this session when left out.
    run: Option<String>,
}

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    let Args { lesson, effect, because, run } = args;
    let run = session.run(run.as_deref())?;
    let request = MarkRequest { lesson, effect, run: run.clone(), because };
    let mut open = session.writer()?;
    let answer = runs::mark(&mut open.memory, &open.call, &request)?;
    let lesson = Lesson::from(&answer.body);
    let text = format!("Noted: {effect} in {run}. {}", line(&lesson));
    let body = json!({"run": run.to_string(), "lesson": wire(&lesson)});
    Ok(Reply::new(text, &answer.map(|_| body)))
}
