//! `hardwon jkz`

pub mod notes;
mod versions;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, ForeignAnswers, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::ids::RunId;
use hardwon_engine::lesson::State;
use hardwon_engine::need::Need;
use hardwon_engine::run::Outcome;
use hardwon_engine::runs::Pair;
use hardwon_engine::{
    Access, EngineError, InjectRequest, OpenMemory, Options, Style, blocks, jkz, runs,
};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::jkz::patterns::{self, PatternQuery, PatternStated, ReinforceRequest};
use serde::Serialize;
use serde_json::{Value, json};

use super::{CommandResult, Context};
use crate::args;

/// jkz's commands: patterns of roles over your own memory, and memory in files
///
/// Of patterns answers are JSON lines, one for each; format-patterns prints a block. The policy is
/// jkz. Trouble with the store gives no answer and exit status 0: memory never stops a pipeline.
/// Memory in files is MEMORY.md and its topic files, as Claude Code keeps them: what changes them is
/// one operation, shown as a diff.
#[derive(Args)]
pub struct JkzArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    #[command(flatten)]
    Patterns(OfPatterns),
    #[command(flatten)]
    Notes(notes::Notes),
}

#[derive(Subcommand)]
enum OfPatterns {
    /// Store a pattern of a role; the same text again raises its count
    StorePattern {
        /// Whose pattern it is
        #[arg(long, value_parser = args::role)]
        role: String,
        /// One or two sentences; `-` reads them from standard input
        #[arg(long, allow_hyphen_values = true)]
        text: String,
        /// The deliberation that it came from; the same one counts once
        #[arg(long, value_name = "ID", value_parser = args::run_id)]
        delib_id: Option<RunId>,
        /// observation, causal or rule
        #[arg(long, value_parser = ["observation", "causal", "rule"])]
        category: Option<String>,
        #[command(flatten)]
        context: Learned,
    },
    /// List the patterns of a role, best first, then those of its sort
    QueryPatterns {
        /// Who asks
        #[arg(long, value_parser = args::role)]
        role: String,
        /// At most this many
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: usize,
        /// observed, candidate, verified, active or deprecated (repeatable) [default: all but
        /// deprecated]
        #[arg(long = "lifecycle-state", value_name = "STATE", value_parser = jkz_state)]
        states: Vec<State>,
        #[command(flatten)]
        context: Learned,
    },
    /// Note that a finding which is a role's pattern was a false positive
    IncrementIgnore {
        /// Whose pattern it is
        #[arg(long, value_parser = args::role)]
        role: String,
        /// The finding that was ruled out
        #[arg(long, allow_hyphen_values = true)]
        text: String,
        /// What the ruling weighs [default: 1.5 for sentinel and inspector, else 1]
        #[arg(long, value_parser = weight)]
        weight: Option<f64>,
    },
    /// Reinforce patterns after a PASS that was executed or cited
    ReinforcePatterns {
        /// Whose patterns they are
        #[arg(long, value_parser = args::role)]
        role: String,
        /// Numbers of patterns, separated by commas
        #[arg(long, value_delimiter = ',', required = true, value_name = "12,34")]
        ids: Vec<String>,
        /// What was run or cited [default: the newest PASS of the role]
        #[arg(long, conflicts_with = "run", allow_hyphen_values = true)]
        evidence: Option<String>,
        /// The run that was passed
        #[arg(long, value_parser = args::run_id)]
        run: Option<RunId>,
    },
    /// Print the block of patterns for a role
    FormatPatterns {
        /// Who will read the block
        #[arg(long, value_parser = args::role)]
        role: String,
        /// Tokens that are left in the prompt [default: 800 for auditor, judge, sentinel, else 500]
        #[arg(long, value_name = "TOKENS")]
        budget: Option<u32>,
        #[command(flatten)]
        context: Learned,
    },
    /// Penalise, reinforce and age the patterns of one of two reviewers who check each other
    Feedback {
        /// Who looks for faults [default: whom the other one checks]
        #[arg(long, value_parser = args::role, value_name = "ROLE")]
        adversarial_role: Option<String>,
        /// Who checks them [default: inspector for judge, curator for auditor, lens for sentinel]
        #[arg(long, value_parser = args::role, value_name = "ROLE")]
        validator_role: Option<String>,
        #[arg(long, value_parser = args::run_id)]
        run: RunId,
        /// What the two said; what is known of the run if left out
        files: Vec<PathBuf>,
    },
    /// State whether the work of a run held
    OutcomeScore {
        #[arg(long, value_parser = args::run_id)]
        run: RunId,
        /// pass or fail
        #[arg(long, value_parser = ["pass", "fail"])]
        result: String,
    },
    /// Keep, list and bring back versions of a value, in jkz's own file
    Versions(versions::VersionsArgs),
}

/// Where a pattern was learned, or where the work is.
#[derive(Args)]
struct Learned {
    /// Labels of the issue, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    labels: Vec<String>,
    /// Files, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "X,Y")]
    files: Vec<String>,
}

fn jkz_state(text: &str) -> Result<State, String> {
    jkz::state_of(text).ok_or_else(|| format!("not one of {}", jkz::state_words().join(", ")))
}

fn weight(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(weight) if (0.0..=100.0).contains(&weight) => Ok(weight),
        _ => Err("not a number from 0 to 100".to_owned()),
    }
}

/// What a command says: lines for standard output, or one text, and what went wrong.
#[derive(Default)]
struct Said {
    lines: Vec<Value>,
    block: Option<String>,
    problems: Vec<Problem>,
}

impl Said {
    fn lines<T: Serialize>(answer: Answer<Vec<T>>) -> Said {
        let lines = answer.body.iter().filter_map(|line| serde_json::to_value(line).ok());
        Said { lines: lines.collect(), problems: answer.problems, block: None }
    }

    fn line<T: Serialize>(answer: Answer<T>) -> Said {
        Said::lines(answer.map(|line| vec![line]))
    }
}

impl JkzArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        if let Some(policy) = context.options.policy.as_deref().filter(|name| *name != "jkz") {
            let reason = format!("these commands go by the policy jkz, not by {policy}");
            return Err(Failure::usage(reason, None));
        }
        let said = match self.what {
            What::Notes(notes) => return notes.run(context),
            What::Patterns(patterns) => patterns.run(context),
        };
        match said {
            Ok(said) => say(context, said),
            Err(failure) if failure.exit == Exit::Store => {
                let problem = Problem::new(failure.place, failure.message);
                say(context, Said { problems: vec![problem], ..Said::default() })
            }
            Err(failure) => return Err(failure),
        }
        Ok(Exit::Done)
    }
}

fn say(context: &Context, said: Said) {
    if context.printer.is_json() {
        let blocks = said.block.iter().map(|block| json!({"block": block}));
        let answers: Vec<Value> = said.lines.into_iter().chain(blocks).collect();
        let status = match (answers.is_empty(), said.problems.is_empty()) {
            (_, false) => Status::Degraded,
            (true, true) => Status::Empty,
            (false, true) => Status::Ok,
        };
        let messages = said.problems.iter().map(|it| format!("{}: {}", it.at, it.reason)).collect();
        let body = ForeignAnswers { answers, messages };
        let answer = Answer { status, problems: said.problems, body };
        context.printer.json(&hardwon_render::json::answer(&answer));
        return;
    }
    said.lines.iter().for_each(|line| context.printer.json_line(line));
    said.block.iter().for_each(|block| context.printer.data(block));
    context.printer.problems(&said.problems);
}

fn open(context: &Context, access: Access) -> Result<OpenMemory, EngineError> {
    let options = Options { policy: Some("jkz".to_owned()), ..context.options.clone() };
    OpenMemory::open(&context.environment, &options, access)
}

impl OfPatterns {
    fn run(self, context: &Context) -> Result<Said, Failure> {
        Ok(match self {
            OfPatterns::Versions(args) => args.run(context)?,
            OfPatterns::StorePattern { role, text, delib_id, category, context: learned } => {
                let text = super::text_or_stdin(text)?;
                let Learned { labels, files } = learned;
                let deliberation = delib_id;
                let stated = PatternStated { role, text, category, deliberation, labels, files };
                let OpenMemory { mut memory, call } = open(context, Access::Write)?;
                Said::line(patterns::store_pattern(&mut memory, &call, &stated)?)
            }
            OfPatterns::QueryPatterns {
                role,
                limit,
                states,
                context: Learned { labels, files },
            } => {
                let query = PatternQuery { role, limit, labels, files, states };
                let OpenMemory { memory, call } = open(context, Access::Read)?;
                Said::lines(patterns::patterns(&memory, &call, &query)?)
            }
            OfPatterns::IncrementIgnore { role, text, weight } => {
                let OpenMemory { mut memory, call } = open(context, Access::Write)?;
                let ruled = patterns::ignore_pattern(&mut memory, &call, &role, &text, weight)?;
                Said::lines(ruled.map(Vec::from_iter))
            }
            OfPatterns::ReinforcePatterns { role, ids, evidence, run } => {
                let request = ReinforceRequest { role, ids, evidence, run };
                let OpenMemory { mut memory, call } = open(context, Access::Write)?;
                Said::lines(patterns::reinforce_patterns(&mut memory, &call, &request)?)
            }
            OfPatterns::FormatPatterns { role, budget, context: Learned { labels, files } } => {
                let need = Need { role: Some(role), tags: labels, paths: files, ..Need::default() };
                let style = Some(Style::Jkz);
                let request = InjectRequest { need, budget, style, ..InjectRequest::default() };
                let OpenMemory { memory, call } = open(context, Access::Read)?;
                let block = blocks::compose(&memory, &call, &request)?.block;
                Said { block: Some(block).filter(|block| !block.is_empty()), ..Said::default() }
            }
            OfPatterns::Feedback { adversarial_role, validator_role, run, files } => feedback(
                context,
                adversarial_role.as_deref(),
                validator_role.as_deref(),
                &run,
                files,
            )?,
            OfPatterns::OutcomeScore { run, result } => {
                let outcome = if result == "pass" { Outcome::Success } else { Outcome::Failed };
                let OpenMemory { mut memory, call } = open(context, Access::Write)?;
                // Work that was reverted days later had passed before.
                Said::line(runs::outcome(&mut memory, &call, &run, outcome, true)?)
            }
        })
    }
}

fn feedback(
    context: &Context,
    adversary: Option<&str>,
    validator: Option<&str>,
    run: &RunId,
    files: Vec<PathBuf>,
) -> Result<Said, Failure> {
    let inputs = if files.is_empty() { Vec::new() } else { super::learn::inputs(files)? };
    let OpenMemory { mut memory, call } = open(context, Access::Write)?;
    let pair = Pair::of(adversary, validator, &memory.policy.credit.pairs);
    let pair = pair.map_err(|reason| Failure::usage(reason, None))?;
    let answer = runs::feedback(&mut memory, &call, run, pair, inputs)?;
    let runs = &answer.body.runs;
    let effects = runs.iter().flat_map(|run| &run.effects).map(|effect| json!(effect));
    let steps = runs.iter().flat_map(|run| &run.transitions).map(|step| json!(step));
    Ok(Said { lines: effects.chain(steps).collect(), problems: answer.problems, block: None })
}
