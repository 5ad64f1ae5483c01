//! `record_outcome`: how a run ended.

use hardwon_engine::answer::Status;
use hardwon_engine::run::Outcome;
use hardwon_engine::{EngineError, runs};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Does, Tool, arguments};
use crate::mcp::schema::{self, words};
use crate::mcp::session::Session;
use crate::mcp::trouble::{Reply, Trouble};
use crate::mcp::wire::Said;

pub const TOOL: Tool = Tool {
    name: "record_outcome",
    title: "Record how a run ended",
    description: "How the run ended: success, partial, failed or aborted. Call it once, when the \
        work is over. A failed run blames no lesson by itself; if one was wrong, say so with \
        mark_effect. An outcome that was recorded stays.",
    does: Does::Add,
    input: schema::input::<Args>,
    output: schema::output::<Said<Body>>,
    call,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// How it ended.
    #[schemars(with = "String", extend("enum" = words(Outcome::ALL, Outcome::word)))]
    outcome: Outcome,
    /// The run's id; this session when left out.
    run: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Body {
    run: String,
    outcome: &'static str,
    /// False if nothing is known of the run, so that there is nothing to add it to.
    recorded: bool,
}

fn call(session: &Session, given: JsonObject) -> Result<Reply, Trouble> {
    let args: Args = arguments(given)?;
    let run = session.run(args.run.as_deref())?;
    let mut open = session.writer()?;
    let recorded = runs::outcome(&mut open.memory, &open.call, &run, args.outcome, false);
    let (status, problems, recorded) = match recorded {
        Ok(answer) => (answer.status, answer.problems, true),
        // Nobody named a wrong run: nothing was shown in this session, and nothing reported.
        Err(EngineError::UnknownRun { .. }) if args.run.is_none() => {
            (Status::Empty, Vec::new(), false)
        }
        Err(error) => return Err(error.into()),
    };
    let (run, outcome) = (run.to_string(), args.outcome.word());
    let text = match recorded {
        true => format!("Recorded: run {run} ended as {outcome}."),
        false => "Nothing to record: this session was shown no lesson and reported nothing.".into(),
    };
    Ok(Reply::new(text, &Said::new(status, &problems, Body { run, outcome, recorded })))
}
