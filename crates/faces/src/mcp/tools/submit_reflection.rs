//! `submit_reflection`: what a run taught, in the words of the agent that did it. Each
//! statement is checked by itself; those that are refused are returned with the reason.
//!
//! Evidence that names a step, a place or a quotation is looked up in the run, as it is for any
//! model; a run of which no record was learned yet cannot be looked up, so of evidence in prose
//! only the places are kept, as findings of the run that support the lesson.

use std::collections::BTreeMap;

use hardwon_engine::answer::{Answer, Status};
use hardwon_engine::finding::Severity;
use hardwon_engine::ids::{LessonId, RunId};
use hardwon_engine::run::Run;
use hardwon_engine::{EngineError, Format, Input, LearnRequest, OpenMemory, first_place, runs};
use hardwon_foreign::ask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Reply, Session, Trouble};

/// A model that submits more has not chosen.
const MAX_CANDIDATES: usize = 5;

/// Most places that are kept of the evidence for one.
const MAX_PLACES: usize = 3;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// At most five; none if the run taught nothing new and only its account is handed in.
    #[serde(default)]
    #[schemars(length(max = 5))]
    candidates: Vec<Candidate>,
    /// The run's id; this session when left out.
    run: Option<String>,
    /// How the run went, in one to three sentences.
    summary: Option<String>,
    /// What worked.
    worked: Option<Vec<String>>,
    /// What failed.
    failed: Option<Vec<String>>,
    /// What was decided.
    decisions: Option<Vec<String>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Candidate {
    /// The lesson, in one or two sentences.
    text: String,
    /// What in this run shows it, in words. A list of the form of `cited` is taken as that.
    #[schemars(with = "Option<String>")]
    evidence: Option<Evidence>,
    /// What shows it, to be looked up in the record of the run.
    cited: Option<Vec<Cited>>,
    /// heuristic, anti_pattern, tool_usage, provider_quirk, test_strategy, infra, prompting or
    /// bugfix_pattern.
    category: Option<String>,
    title: Option<String>,
    /// IF … THEN …
    rule: Option<String>,
    description: Option<String>,
    /// Where it holds: tool, provider, role, domain, phase or error_class, and its value.
    scope: Option<BTreeMap<String, String>>,
    tags: Option<Vec<String>>,
    /// From 0 to 1.
    importance: Option<f64>,
    /// From 0 to 1.
    confidence: Option<f64>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Evidence {
    Prose(String),
    Cited(Vec<Cited>),
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cited {
    /// Another run than this one.
    run: Option<String>,
    /// The number of a step, as `reflect --print-prompt` numbers them.
    step: Option<u64>,
    /// A file with a line: src/a.rs:12.
    place: Option<String>,
    /// Words exactly as they stand there.
    quote: Option<String>,
}

impl Candidate {
    /// What is to be looked up.
    fn cited(&self) -> &[Cited] {
        match (&self.cited, &self.evidence) {
            (Some(cited), _) | (None, Some(Evidence::Cited(cited))) => cited,
            (None, Some(Evidence::Prose(_)) | None) => &[],
        }
    }

    /// Its evidence in prose, as far as it can be said so.
    fn prose(&self) -> String {
        let words = match &self.evidence {
            Some(Evidence::Prose(text)) => Some(text.clone()),
            Some(Evidence::Cited(_)) | None => None,
        };
        let cited = self.cited().iter().flat_map(|it| [it.place.clone(), it.quote.clone()]);
        words.into_iter().chain(cited.flatten()).collect::<Vec<_>>().join(" ")
    }

    /// As a model's answer has it.
    fn advised(&self) -> Value {
        let mut candidate = serde_json::to_value(self).unwrap_or_default();
        let evidence = match self.cited() {
            [] => json!([self.prose()]),
            cited => serde_json::to_value(cited).unwrap_or_default(),
        };
        candidate["evidence"] = evidence;
        candidate
    }
}

/// What became of one of them.
#[derive(Serialize)]
struct JudgedWire {
    accepted: bool,
    /// The lesson that it started or confirmed.
    lesson: Option<String>,
    /// Places in its evidence that are kept with the run: `path:line`.
    places: Vec<String>,
    /// Why it was refused.
    reason: Option<String>,
}

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    let n_given = args.candidates.len();
    if n_given > MAX_CANDIDATES || n_given == 0 && !args.has_account() {
        let hint =
            format!("give one to {MAX_CANDIDATES}, the ones that matter most, or an account");
        return Err(Trouble::wrong(format!("{n_given} candidates were given"), hint));
    }
    let run = session.run(args.run.as_deref())?;
    let mut open = session.writer()?;
    let agent = session.agent();
    let tree = open.memory.store.tree(&open.call.project, &run).map_err(EngineError::from)?;
    let learned: Vec<Run> = tree.runs.into_iter().filter(|it| it.is_learned).collect();
    if n_given == 0 && learned.is_empty() {
        let hint = "hand it in after the run was learned, or with candidates";
        return Err(Trouble::wrong(format!("no record of run {run} was learned"), hint));
    }
    let candidates = if n_given == 0 || can_be_looked_up(&learned, &args) {
        advise(&mut open, &run, agent, &args)?
    } else {
        let judge = |candidate| judge(&mut open, &run, agent, candidate);
        let judged: Result<Vec<JudgedWire>, EngineError> =
            args.candidates.iter().map(judge).collect();
        judged?
    };
    let n_accepted = candidates.iter().filter(|judged| judged.accepted).count();
    let status = match n_accepted {
        0 if n_given > 0 => Status::Empty,
        n if n < n_given => Status::Degraded,
        _ => Status::Ok,
    };
    let text = text(&run, &candidates, n_accepted);
    let body = json!({
        "run": run.to_string(), "candidates": candidates, "n_accepted": n_accepted,
    });
    Ok(Reply::new(text, &Answer { status, problems: Vec::new(), body }))
}

impl Args {
    /// Whether it says how the run went.
    fn has_account(&self) -> bool {
        let lists = [&self.worked, &self.failed, &self.decisions].into_iter().flatten();
        let said = lists.flatten().chain(&self.summary);
        said.into_iter().any(|text| !text.trim().is_empty())
    }
}

/// Whether evidence is cited, and a record of the run is there to look it up in.
fn can_be_looked_up(learned: &[Run], args: &Args) -> bool {
    let is_cited = args.candidates.iter().any(|it| !it.cited().is_empty());
    is_cited && learned.iter().any(|it| !it.episode.trail.is_empty())
}

/// Hands it in as any model's answer is taken.
fn advise(
    open: &mut OpenMemory,
    run: &RunId,
    agent: &str,
    args: &Args,
) -> Result<Vec<JudgedWire>, EngineError> {
    let candidates: Vec<Value> = args.candidates.iter().map(Candidate::advised).collect();
    let answer = json!({
        "summary": args.summary, "worked": args.worked, "failed": args.failed,
        "decisions": args.decisions, "candidates": candidates,
    });
    let taken = ask::handed_in(&mut open.memory, &open.call, run, agent, &answer)?;
    let judged = |(n, it): (usize, Option<LessonId>)| match it {
        Some(lesson) => accepted(Some(lesson.to_string()), Vec::new()),
        None => {
            let at = format!("candidates[{n}]");
            let mut reasons = taken.problems.iter().filter(|problem| problem.at == at);
            refused(reasons.next_back().map_or("not taken", |problem| problem.reason.as_str()))
        }
    };
    Ok(taken.body.into_iter().enumerate().map(judged).collect())
}

fn judge(
    open: &mut OpenMemory,
    run: &RunId,
    agent: &str,
    candidate: &Candidate,
) -> Result<JudgedWire, EngineError> {
    let evidence = candidate.prose();
    if evidence.trim().is_empty() {
        return Ok(refused("no evidence: say what in this run shows it"));
    }
    let document = json!({ "memory_candidates": [candidate.text] });
    let request = LearnRequest {
        inputs: vec![Input::text("submit_reflection", &document.to_string())],
        run: Some(run.clone()),
        format: Some(Format::Geas),
        ..LearnRequest::default()
    };
    let answer = match runs::learn(&mut open.memory, &open.call, request) {
        Ok(answer) => answer,
        Err(EngineError::NoUsableInput(reason)) => return Ok(refused(&reason)),
        Err(EngineError::Input { source, .. }) => return Ok(refused(&source.to_string())),
        Err(error) => return Err(error),
    };
    let learned = answer.body.runs.first().filter(|learned| learned.findings.n_used > 0);
    let Some(learned) = learned else {
        let reasons: Vec<&str> = answer.problems.iter().map(|p| p.reason.as_str()).collect();
        return Ok(refused(&reasons.join("; ")));
    };
    let lesson = learned.new.iter().chain(&learned.matched).next();
    let lesson = lesson.map(|named| named.id.to_string());
    let places = keep_places(open, run, agent, &candidate.text, &evidence)?;
    Ok(accepted(lesson, places))
}

/// Records where the evidence points, with the lesson's own text: that starts no lesson and
/// does not count as a second witness.
fn keep_places(
    open: &mut OpenMemory,
    run: &RunId,
    agent: &str,
    text: &str,
    evidence: &str,
) -> Result<Vec<String>, EngineError> {
    let mut places: Vec<(String, Option<u32>)> = Vec::new();
    for place in evidence.split_whitespace().filter_map(first_place) {
        if places.len() < MAX_PLACES && !places.contains(&place) {
            places.push(place);
        }
    }
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let mut record = format!("{}\n", json!({"type": "run", "id": run.as_str()}));
    for (path, line) in &places {
        let finding = json!({
            "type": "finding", "author": agent, "severity": Severity::Info.word(),
            "text": text, "path": path, "line": line,
        });
        record += &format!("{finding}\n");
    }
    let input = Input::text("submit_reflection", &record);
    let learned = runs::learn(&mut open.memory, &open.call, LearnRequest::of(input))?.body;
    let n_kept = learned.runs.first().map_or(0, |run| run.findings.n_used) as usize;
    let place = |(path, line): (String, Option<u32>)| match line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    };
    Ok(places.into_iter().take(n_kept).map(place).collect())
}

fn accepted(lesson: Option<String>, places: Vec<String>) -> JudgedWire {
    JudgedWire { accepted: true, lesson, places, reason: None }
}

fn refused(reason: &str) -> JudgedWire {
    let prefixes = ["memory_candidates[0] not used: ", "finding not used: ", "not taken: "];
    let reason = prefixes.iter().find_map(|prefix| reason.strip_prefix(prefix)).unwrap_or(reason);
    let reason = Some(reason.to_owned());
    JudgedWire { accepted: false, lesson: None, places: Vec::new(), reason }
}

fn text(run: &RunId, candidates: &[JudgedWire], n_accepted: usize) -> String {
    let line = |(n, judged): (usize, &JudgedWire)| match (&judged.lesson, &judged.reason) {
        (_, Some(reason)) => format!("\n{n}: refused: {reason}"),
        (Some(lesson), None) => format!("\n{n}: kept as {lesson}"),
        (None, None) => format!("\n{n}: known already in this run"),
    };
    let lines: String = (1..).zip(candidates).map(line).collect();
    if candidates.is_empty() {
        return format!("The account of run {run} is kept.");
    }
    format!("{n_accepted} of {} kept as candidates for run {run}.{lines}", candidates.len())
}
