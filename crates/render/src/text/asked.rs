//! What was asked of models, as text: what it cost first.

use hardwon_core::consult::cap::dollars;

use super::columns::{Side, hanging, padded};
use crate::answer::{
    AskAnswered, Asked, AskedOutcome, Decimal, ModelUsage, ModelUsed, PromptPrinted, SpentNow,
    WouldAsk,
};
use crate::record::counted;

/// One question, in a line.
pub fn asked(asked: &Asked) -> String {
    let Asked { backend, model, cost, .. } = asked;
    let reason = asked.reason.as_deref().unwrap_or_default();
    match asked.outcome {
        AskedOutcome::Answered => {
            format!("asked {backend} ({model}): {cost}{}", guessed(asked.price))
        }
        AskedOutcome::Known => format!("{backend} was not asked again: {reason}"),
        AskedOutcome::NotAsked => format!("{backend} was not asked: {reason}"),
        AskedOutcome::Failed => format!("{backend} ({model}) gave no answer: {reason}; {cost}"),
    }
}

fn guessed(price: &str) -> &'static str {
    if price == "dearest" {
        " (the model is in no list of prices: the dearest one is taken; `reflect.usd_per_mtok` sets it)"
    } else {
        ""
    }
}

/// `reflect --dry-run`, and what `model use` shows first.
pub fn would_ask(would: &WouldAsk, width: usize) -> String {
    let WouldAsk { backend, model, runs, most, .. } = would;
    let mut out =
        hanging("", &format!("{backend} ({model}) would be asked; nothing was sent"), width);
    for run in runs {
        let what = match (&run.reason, run.n_left_out) {
            (Some(reason), _) => format!("not asked: {reason}"),
            (None, 0) => format!("at most {}", run.most),
            (None, n) => format!("at most {}; {n} lines of its record left out", run.most),
        };
        out += &hanging("  ", &format!("{}  {what}", run.run), width);
    }
    let n = runs.iter().filter(|run| run.reason.is_none()).count() as u64;
    out += &hanging(
        "",
        &format!("{}: at most {most}{}", counted(n, "run"), guessed(would.price)),
        width,
    );
    out + &hanging("", &spent(&would.spent), width)
}

fn spent(now: &SpentNow) -> String {
    let sum = |it: Decimal| dollars((it.0 * 1e6).round() as u64);
    format!(
        "spent: today {} of {}, this month {} of {}; a run at most {} and {} tokens",
        sum(now.today_usd),
        sum(now.max_usd_day),
        sum(now.month_usd),
        sum(now.max_usd_month),
        sum(now.max_usd_run),
        now.max_tokens_run
    )
}

pub fn usage(usage: &ModelUsage, width: usize) -> String {
    if usage.rows.is_empty() {
        let nothing = "no model was asked; `hardwon config model use BACKEND` sets one up";
        return hanging("", nothing, width) + &hanging("", &spent(&usage.spent), width);
    }
    let columns = usage.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(60);
    let mut out = String::new();
    for row in &usage.rows {
        let name = padded(&row.name, columns, Side::Left);
        let (n, answered) = (counted(row.n_asked, "question"), row.n_answered);
        out += &hanging("", &format!("{name}  {n}, {answered} answered: {}", row.cost), width);
    }
    out += &hanging("", &format!("together: {}", usage.total), width);
    out += &hanging("", &spent(&usage.spent), width);
    if let Some(failure) = &usage.last_failure {
        out += &hanging("", &format!("last failure: {failure}"), width);
    }
    out + &hanging("", &format!("prices as of {}", usage.prices_of), width)
}

/// `reflect --print-prompt`.
pub fn prompt(prompt: &PromptPrinted, _width: usize) -> String {
    let schema = serde_json::to_string_pretty(&prompt.schema).unwrap_or_default();
    format!("{}\n---\n{}---\n{schema}\n", prompt.system.trim_end(), prompt.text)
}

pub fn model_used(used: &ModelUsed, width: usize) -> String {
    let said = match (used.is_set, used.backend.as_str()) {
        (false, backend) => format!("{backend} is not set: everything stays as it is"),
        (true, "heuristic") => "no model is asked any more; fixed patterns go on".to_owned(),
        (true, "host") => {
            "your agents hand in what they learned through MCP; no other model is asked".to_owned()
        }
        (true, backend) => format!(
            "{backend} is set: `hardwon reflect` asks it, and the worker does after sessions; \
             `hardwon report --costs` says what it cost, `hardwon config model use heuristic` ends it"
        ),
    };
    hanging("", &said, width)
}

pub fn answered(answered: &AskAnswered, width: usize) -> String {
    let mut out = match (&answered.answer, answered.is_known) {
        (Some(answer), true) => hanging("", answer, width),
        (Some(answer), false) => hanging("", &format!("memory does not know: {answer}"), width),
        (None, true) => hanging("", "what memory says about it, best first:", width),
        (None, false) => {
            let next = "memory does not know; `hardwon list WORDS` looks for other words";
            return hanging("", next, width);
        }
    };
    for hit in &answered.lessons {
        let line = format!("{}  {} ({})", hit.lesson.id, hit.lesson.text, hit.lesson.state);
        out += &hanging("  ", &line, width);
    }
    for note in &answered.notes {
        out += &hanging("  ", &format!("note {}  {}", note.slug, note.text), width);
    }
    if !answered.runs.is_empty() {
        out += &hanging("", &format!("seen in: {}", answered.runs.join(", ")), width);
    }
    let line = answered.asked.as_ref().map(|it| hanging("", &asked(it), width));
    out + &line.unwrap_or_default()
}
