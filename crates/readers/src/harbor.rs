//! How did a trial of Harbor end? Its `result.json` knows what the trajectory beside it does
//! not: the reward of the verifier, and what went wrong around the agent.

use std::io::{self, Read};
use std::path::Path;

use hardwon_core::command::trouble::classify;
use hardwon_core::episode::{Episode, ErrorClass, Usage};
use hardwon_core::event::{Event, Record, RunStated, VerdictStated};
use hardwon_core::finding::Grade;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::Limits;
use crate::amounts::{self, Names};
use crate::json::Object;
use crate::report::Report;
use crate::steps::{cut, moment};
use crate::stream::{Kept, Shape, Take, walk};

/// The tag of a run that is told by such a result.
const TRIAL: &str = "harbor-trial";

/// Who judges: the verifier.
const AUTHOR: &str = "harbor";

/// Longest message of an exception that is told.
const MAX_MESSAGE_BYTES: usize = 500;

static RESULT: Shape = Shape::Fields(
    "the result",
    &[
        ("task_name", Shape::Whole("task_name")),
        ("started_at", Shape::Whole("started_at")),
        ("finished_at", Shape::Whole("finished_at")),
        ("verifier_result", Shape::Whole("verifier_result")),
        ("exception_info", Shape::Whole("exception_info")),
        ("agent_result", Shape::Whole("agent_result")),
        ("agent_info", Shape::Whole("agent_info")),
    ],
);

static KEPT: Kept = Kept {
    fields: &[
        "name",
        "model_info",
        "exception_type",
        "exception_message",
        "n_input_tokens",
        "n_cache_tokens",
        "n_output_tokens",
        "cost_usd",
    ],
    open: &["rewards"],
};

const USAGE: Names = Names {
    tokens_in: "n_input_tokens",
    tokens_out: "n_output_tokens",
    tokens_cached: "n_cache_tokens",
    cost_usd: "cost_usd",
};

/// Reads a result.
pub fn read(reader: impl Read, limits: Limits, report: &mut Report) -> io::Result<()> {
    let mut result = TrialReport { told: Object::new(), report };
    let end = walk(reader, limits.input_bytes, &RESULT, &KEPT, &mut result)?;
    result.finish();
    result.report.ended(end, limits);
    Ok(())
}

struct TrialReport<'r> {
    told: Object,
    report: &'r mut Report,
}

impl Take for TrialReport<'_> {
    fn value(&mut self, name: &'static str, value: Value, line: u64) {
        self.report.notes.go_to(line);
        let is_object = matches!(name, "verifier_result" | "exception_info" | "agent_result");
        match value {
            Value::Null => {}
            value if is_object && !value.is_object() => {
                self.report.notes.problem(format!("field \"{name}\" is not an object"));
            }
            value => drop(self.told.insert(name.to_owned(), value)),
        }
    }

    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64) {
        self.report.notes.go_to(line);
        self.report.notes.problem(format!("{name} is {why}"));
    }
}

impl TrialReport<'_> {
    fn object(&self, name: &str) -> Option<Object> {
        self.told.get(name)?.as_object().cloned()
    }

    fn time(&mut self, name: &'static str) -> Option<hardwon_core::time::Timestamp> {
        let value = self.told.get(name)?;
        let parsed = value.as_str().and_then(moment);
        if parsed.is_none() {
            self.report.notes.problem(format!("field \"{name}\" is not an RFC 3339 time"));
        }
        parsed
    }

    fn finish(&mut self) {
        let exception = self.object("exception_info");
        let rewarded = self.rewarded();
        let (started, finished) = (self.time("started_at"), self.time("finished_at"));
        let used = self.object("agent_result");
        let used = used.map(|used| amounts::usage(&used, &USAGE, &mut self.report.notes));
        let agent = self.object("agent_info").unwrap_or_default();
        let model = agent.get("model_info").and_then(|model| model.get("name")?.as_str());
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let run = RunStated {
            task: text(self.told.get("task_name")),
            agent: text(agent.get("name")),
            started,
            finished,
            outcome: match &exception {
                Some(_) => Some(Outcome::Failed),
                None => rewarded,
            },
            tags: std::iter::once(TRIAL).chain(model).map(str::to_owned).collect(),
            episode: Episode {
                usage: used.unwrap_or_default(),
                error_class: exception.as_ref().map(error_class),
                summary: exception.as_ref().map(said),
                ..Episode::default()
            },
            ..RunStated::default()
        };
        *self.report.run() = run;
        if let Some(outcome) = rewarded {
            let is_pass = Some(outcome == Outcome::Success);
            let grade = Some(Grade::Executed);
            let author = AUTHOR.to_owned();
            self.report.push(Event::Verdict(VerdictStated {
                author,
                is_pass,
                grade,
                ..VerdictStated::default()
            }));
        }
    }

    /// What the rewards amount to: the one called `reward`, or else all together.
    fn rewarded(&mut self) -> Option<Outcome> {
        let result = self.object("verifier_result")?;
        let rewards = result.get("rewards").filter(|rewards| !rewards.is_null())?;
        let numbers: Vec<f64> = match rewards {
            Value::Object(named) => match named.get("reward") {
                Some(reward) => reward.as_f64().into_iter().collect(),
                None => named.values().filter_map(Value::as_f64).collect(),
            },
            reward => reward.as_f64().into_iter().collect(),
        };
        let Some(least) = numbers.iter().copied().reduce(f64::min) else {
            self.report.notes.problem("field \"rewards\" has no number");
            return None;
        };
        Some(if least >= 1.0 {
            Outcome::Success
        } else if numbers.iter().any(|reward| *reward > 0.0) {
            Outcome::Partial
        } else {
            Outcome::Failed
        })
    }
}

fn parts(exception: &Object) -> (&str, &str) {
    let text = |name: &str| exception.get(name).and_then(Value::as_str).unwrap_or_default();
    (text("exception_type"), cut(text("exception_message"), MAX_MESSAGE_BYTES))
}

fn error_class(exception: &Object) -> String {
    let (kind, message) = parts(exception);
    // The name says it better than the message, which may quote anything.
    let class = classify(kind).or_else(|| classify(message)).unwrap_or(ErrorClass::Runtime);
    class.word().to_owned()
}

fn said(exception: &Object) -> String {
    let (kind, message) = parts(exception);
    format!("{kind}: {message}").trim_matches([':', ' ']).to_owned()
}

/// Gives each result of a trial to the trajectory it belongs to: the one below its folder,
/// or the only one there is. One that belongs to none stays as it is.
pub fn join_trials(records: &mut [Record]) {
    let targets: Vec<(String, RunStated)> = records.iter().filter_map(target).collect();
    let n_results = records.iter_mut().filter_map(result).count();
    for record in records.iter_mut() {
        let input = record.events.first().map(|first| first.source.input.clone());
        let Some((input, stated)) = input.zip(result(record)) else { continue };
        let folder = Path::new(&input).parent().filter(|folder| folder.file_name().is_some());
        let is_below =
            |path: &str| folder.is_some_and(|folder| Path::new(path).starts_with(folder));
        let below = targets.iter().find(|(path, _)| is_below(path));
        let only = targets.first().filter(|_| targets.len() == 1 && n_results == 1);
        let Some((_, target)) = below.or(only) else { continue };
        stated.id.clone_from(&target.id);
        // What the trajectory says about itself is nearer than what surrounds it.
        stated.started = stated.started.filter(|_| target.started.is_none());
        stated.finished = stated.finished.filter(|_| target.finished.is_none());
        let duration_s = target.episode.usage.duration_s;
        if target.episode.usage != (Usage { duration_s, ..Usage::default() }) {
            stated.episode.usage = Usage::default();
        }
    }
}

/// The outermost run of a record, if it names one.
fn target(record: &Record) -> Option<(String, RunStated)> {
    let mut runs = record.events.iter().filter_map(|sourced| match &sourced.event {
        Event::Run(run) => Some((sourced.source.input.clone(), run.clone())),
        _ => None,
    });
    runs.find(|(_, run)| run.id.is_some() && run.parent.is_none())
}

/// What a record says about a trial that has no run yet.
fn result(record: &mut Record) -> Option<&mut RunStated> {
    record.events.iter_mut().find_map(|sourced| match &mut sourced.event {
        Event::Run(run) if run.id.is_none() && run.tags.iter().any(|tag| tag == TRIAL) => Some(run),
        _ => None,
    })
}
