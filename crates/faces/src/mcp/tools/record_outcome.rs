//! `record_outcome`: how a run ended.

use hardwon_engine::run::Outcome;
use hardwon_engine::runs;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Reply, Session, Trouble, words};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// How it ended.
    #[schemars(with = "String", extend("enum" = words(Outcome::ALL, Outcome::word)))]
    outcome: Outcome,
    /// The run's id; this session when left out.
    run: Option<String>,
}

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    let run = session.run(args.run.as_deref())?;
    let mut open = session.writer()?;
    let answer = runs::outcome(&mut open.memory, &open.call, &run, args.outcome, false)?;
    let (run, outcome) = (run.to_string(), args.outcome.word());
    let text = format!("Recorded: run {run} ended as {outcome}.");
    // A run that was not known is recorded with its outcome.
    let body = json!({"run": run, "outcome": outcome, "recorded": true});
    Ok(Reply::new(text, &answer.map(|_| body)))
}
