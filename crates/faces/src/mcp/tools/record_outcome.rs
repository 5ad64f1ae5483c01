//! `record_outcome`: how a run ended.

use hardwon_engine::run::Outcome;
use hardwon_engine::runs;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Reply, Session, Trouble, arguments, words};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// How it ended.
    #[schemars(with = "String", extend("enum" = words(Outcome::ALL, Outcome::word)))]
    outcome: Outcome,
    /// The run's id; this session when left out.
    run: Option<String>,
}

#[derive(Serialize)]
pub struct Body {
    run: String,
    outcome: &'static str,
    /// Always true: a run that was not known is recorded with its outcome.
    recorded: bool,
}

pub fn call(session: &Session, given: JsonObject) -> Result<Reply, Trouble> {
    let args: Args = arguments(given)?;
    let run = session.run(args.run.as_deref())?;
    let mut open = session.writer()?;
    let answer = runs::outcome(&mut open.memory, &open.call, &run, args.outcome, false)?;
    let (run, outcome) = (run.to_string(), args.outcome.word());
    let text = format!("Recorded: run {run} ended as {outcome}.");
    Ok(Reply::new(text, &answer.map(|_| Body { run, outcome, recorded: true })))
}
