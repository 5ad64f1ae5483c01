//! Runs: a block before one, its record after it, and what is known of it.

use std::{io, mem};

use hardwon_engine::answer::{Answer, Id, Injected, Status};
use hardwon_engine::effect::Surface;
use hardwon_engine::event::Problem;
use hardwon_engine::finding::FindingState;
use hardwon_engine::ids::RunId;
use hardwon_engine::need::Need;
use hardwon_engine::run::{Outcome, RunKind};
use hardwon_engine::scope::Bound;
use hardwon_engine::{
    Access, FindingsRequest, Format, InjectRequest, Input, LearnRequest, RunsRequest, Style,
    blocks, runs,
};
use hardwon_render::json;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::route::{Answered, Ask, Reply, known, word};
use super::super::trouble::Trouble;

/// How many are listed if nobody says it.
const N_LISTED: usize = 50;

pub fn list(ask: &mut Ask<'_>) -> Answered {
    let request = runs_request(ask, N_LISTED)?;
    ask.reads(|memory, call| runs::runs_list(memory, call, &request))
}

pub fn runs_request(ask: &Ask<'_>, usual: usize) -> Result<RunsRequest, Trouble> {
    let text = |name| ask.query.get(name).map(str::to_owned);
    Ok(RunsRequest {
        session: text("session"),
        task: text("task"),
        kind: ask.parsed("kind", RunKind::from_word)?,
        outcome: ask.parsed("outcome", Outcome::from_word)?,
        agent: text("agent"),
        days: ask.parsed("days", |text| text.parse().ok())?,
        limit: Some(ask.limit(usual)?),
        after: text("after"),
    })
}

/// The run of a path: whatever was called a run is one.
pub fn run_id(name: &str) -> Result<RunId, Trouble> {
    RunId::named(name).ok_or_else(Trouble::not_found)
}

pub fn show(ask: &mut Ask<'_>) -> Answered {
    let run = run_id(ask.id())?;
    ask.reads(|memory, call| runs::runs_show(memory, call, &run))
}

pub fn findings(ask: &mut Ask<'_>) -> Answered {
    let text = |name| ask.query.get(name).map(str::to_owned);
    let request = FindingsRequest {
        state: ask.parsed("state", FindingState::from_word)?,
        path: text("path"),
        author: text("author"),
        run: ask.parsed("run", RunId::named)?,
        limit: Some(ask.limit(N_LISTED)?),
        after: text("after"),
    };
    ask.reads(|memory, call| runs::findings_list(memory, call, &request))
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Inject {
    run: Option<String>,
    role: Option<String>,
    domain: Option<String>,
    tool: Option<String>,
    provider: Option<String>,
    session: Option<String>,
    task: Option<String>,
    repo: Option<String>,
    phase: Option<String>,
    error_class: Option<String>,
    only: Option<String>,
    paths: Vec<String>,
    tags: Vec<String>,
    text: Option<String>,
    budget: Option<u32>,
    max: Option<u32>,
    style: Option<String>,
    surface: Option<String>,
    /// Also list what was left out, with reasons.
    explain: bool,
}

fn inject_request(body: Inject) -> Result<InjectRequest, Trouble> {
    Ok(InjectRequest {
        run: word(body.run, "a run", RunId::named)?,
        need: Need {
            role: body.role,
            domain: body.domain,
            tool: body.tool,
            provider: body.provider,
            session: body.session,
            task: body.task,
            repo: body.repo,
            phase: body.phase,
            error_class: body.error_class,
            person: None,
            bound: word(body.only, "a scope", Bound::from_word)?,
            paths: body.paths,
            tags: body.tags,
            text: body.text,
        },
        budget: body.budget,
        max_lessons: body.max,
        style: word(body.style, "a style", Style::from_word)?,
        surface: word(body.surface, "a surface", Surface::from_word)?,
        is_explained: body.explain,
        ..InjectRequest::default()
    })
}

/// A block, whatever happens: a store that cannot be used gives an empty one, as on the command
/// line. Only a wrong call is refused.
pub fn inject(ask: &mut Ask<'_>) -> Answered {
    let request = inject_request(ask.json()?)?;
    match injected(ask, &request) {
        Err(trouble) if trouble.kind == "store" => {
            let run = request.run.clone().map(Id);
            let body = Injected { run, ..Injected::default() };
            let problems = vec![Problem { at: "store".to_owned(), reason: trouble.message }];
            Reply::json(json::answer(&Answer { status: Status::Failed, problems, body }))
        }
        done => done,
    }
}

fn injected(ask: &Ask<'_>, request: &InjectRequest) -> Answered {
    let access = if request.run.is_some() { Access::Record } else { Access::Read };
    let mut open = ask.lend(access, ask.query.get("project"))?;
    let (memory, call) = open.parts();
    Reply::json(json::answer(&blocks::inject(memory, call, request)?))
}

pub fn learn(ask: &mut Ask<'_>) -> Answered {
    let run = ask.parsed("run", RunId::named)?;
    let format = ask.parsed("format", Format::from_word)?;
    let author = ask.query.get("author").map(str::to_owned);
    let body = io::Cursor::new(mem::take(&mut ask.body.bytes));
    let inputs = vec![Input::Stream("body".to_owned(), Box::new(body))];
    let request = LearnRequest { inputs, run, format, author, ..LearnRequest::default() };
    ask.writes(|memory, call| runs::learn(memory, call, request))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OutcomeBody {
    run: String,
    outcome: String,
    /// Replaces what was stated before.
    #[serde(default)]
    correct: bool,
}

pub fn outcome(ask: &mut Ask<'_>) -> Answered {
    let OutcomeBody { run, outcome, correct } = ask.json()?;
    let run = known(&run, "a run", RunId::named)?;
    let ended = known(&outcome, "an outcome", Outcome::from_word)?;
    ask.writes(|memory, call| {
        let answer = runs::outcome(memory, call, &run, ended, correct)?;
        runs::reflect_later(memory, call, &ask.house.desk.environment, &run);
        Ok(answer)
    })
}

/// The bodies, for the description.
#[cfg(test)]
pub fn bodies() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        ("Inject", schemars::schema_for!(Inject)),
        ("OutcomeBody", schemars::schema_for!(OutcomeBody)),
    ]
}
