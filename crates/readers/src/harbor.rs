//! How did a trial of Harbor end? Its `result.json` knows what the trajectory beside it does
//! not: the reward of the verifier, and what went wrong around the agent.

use std::io::{self, Read};

use hardwon_core::command::trouble::classify;
use hardwon_core::episode::{Episode, ErrorClass};
use hardwon_core::event::{Event, RunStated, VerdictStated};
use hardwon_core::finding::Grade;
use hardwon_core::list;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::report::{Report, cut};
use crate::stream::{Document, MAX_STRING_BYTES, Part, Shape};

/// The tag of a run that comes from such a result.
pub const TRIAL: &str = "harbor-trial";

/// Who judges: the verifier.
const AUTHOR: &str = "harbor";

/// Longest message of an exception that is kept.
const MAX_MESSAGE_BYTES: usize = 500;

static DOCUMENT: Document = Document {
    shape: &Shape::Fields("the result", list!("fields.txt", "harbor result"), &[]),
    fields: list!("fields.txt", "harbor"),
    open: &["rewards"],
    max_string: MAX_STRING_BYTES,
};

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let mut result = Object::new();
    let end = report.walk(reader, &DOCUMENT, |report, part, _| {
        let Part::Whole(name, value) = part else { return };
        let is_object = matches!(name, "verifier_result" | "exception_info" | "agent_result");
        if is_object && !value.is_object() && !value.is_null() {
            report.notes.problem(format!("field \"{name}\" is not an object"));
        } else if !value.is_null() {
            result.insert(name.to_owned(), value);
        }
    })?;
    let (run, verdict) = state(report.fields(&result));
    *report.run() = run;
    verdict.into_iter().for_each(|verdict| report.push(Event::Verdict(verdict)));
    report.ended(end, 0);
    Ok(())
}

/// The run of a trial, and what its verifier says.
fn state(result: Fields<'_>) -> (RunStated, Option<VerdictStated>) {
    let exception = result.object("exception_info").map(exception);
    let rewarded = rewarded(result.inside("verifier_result"));
    let (started, finished) = (result.moment("started_at"), result.moment("finished_at"));
    let usage = result.inside("agent_result").usage([
        "n_input_tokens",
        "n_output_tokens",
        "n_cache_tokens",
        "cost_usd",
    ]);
    let agent = result.value("agent_info").unwrap_or(&Value::Null);
    let model = agent["model_info"]["name"].as_str();
    let (error_class, summary) = exception.unzip();
    let run = RunStated {
        task: result.silent("task_name").map(str::to_owned),
        agent: agent["name"].as_str().map(str::to_owned),
        started,
        finished,
        outcome: if summary.is_some() { Some(Outcome::Failed) } else { rewarded },
        tags: std::iter::once(TRIAL).chain(model).map(str::to_owned).collect(),
        episode: Episode { usage, error_class, summary, ..Episode::default() },
        ..RunStated::default()
    };
    let verdict = rewarded.map(|outcome| VerdictStated {
        author: AUTHOR.to_owned(),
        is_pass: Some(outcome == Outcome::Success),
        grade: Some(Grade::Executed),
        ..VerdictStated::default()
    });
    (run, verdict)
}

/// What the rewards amount to: the one called `reward`, or else all together.
fn rewarded(result: Fields<'_>) -> Option<Outcome> {
    let rewards = result.value("rewards")?;
    let numbers: Vec<f64> = match rewards {
        Value::Object(named) if !named.contains_key("reward") => {
            named.values().filter_map(Value::as_f64).collect()
        }
        other => other.get("reward").unwrap_or(other).as_f64().into_iter().collect(),
    };
    let Some(least) = numbers.iter().copied().reduce(f64::min) else {
        result.notes.problem("field \"rewards\" has no number");
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

/// The class of an exception, and what it says.
fn exception(exception: Fields<'_>) -> (String, String) {
    let kind = exception.silent("exception_type").unwrap_or_default();
    let message = exception.silent("exception_message").unwrap_or_default();
    let message = cut(message, MAX_MESSAGE_BYTES);
    // The name says it better than the message, which may quote anything.
    let class = classify(kind).or_else(|| classify(message)).unwrap_or(ErrorClass::Runtime);
    let summary = format!("{kind}: {message}").trim_matches([':', ' ']).to_owned();
    (class.word().to_owned(), summary)
}
