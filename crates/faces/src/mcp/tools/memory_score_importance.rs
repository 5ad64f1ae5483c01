//! `memory_score_importance`: how much candidate lessons matter.

use hardwon_engine::answer::Answer;
use hardwon_foreign::ask::archivist;
use rmcp::model::JsonObject;
use serde::Serialize;

pub use super::memory_detect_duplicates::Args;
use super::{Reply, Session, Trouble, arguments};

#[derive(Serialize)]
pub struct Body {
    /// In the order in which they were given.
    scores: Vec<Score>,
}

#[derive(Serialize)]
struct Score {
    /// From 0 to 1; null for a text that cannot be a lesson.
    importance: Option<f64>,
    reasons: Vec<String>,
}

pub fn call(session: &Session, given: JsonObject) -> Result<Reply, Trouble> {
    let texts = arguments::<Args>(given)?.texts()?;
    let open = session.reader()?;
    let score = |text: &String| match archivist::importance(&open.memory, &open.call, text) {
        Ok(scored) => Score { importance: Some(scored.importance), reasons: scored.reasons },
        Err(error) => Score { importance: None, reasons: vec![error.to_string()] },
    };
    let scores: Vec<Score> = texts.iter().map(score).collect();
    let line = |(n, score): (usize, &Score)| {
        let value = score.importance.map_or("none".to_owned(), |value| value.to_string());
        format!("{}: {value} ({})\n", n + 1, score.reasons.join("; "))
    };
    let text: String = scores.iter().enumerate().map(line).collect();
    Ok(Reply::new(text, &Answer::of(Body { scores }, Vec::new())))
}
