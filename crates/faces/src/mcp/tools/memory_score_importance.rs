//! `memory_score_importance`: how much candidate lessons matter.

use hardwon_engine::answer::Answer;
use hardwon_foreign::ask::archivist;
use serde_json::{Value, json};

pub use super::memory_detect_duplicates::Args;
use super::{Reply, Session, Trouble};

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    let (texts, open) = (args.texts()?, session.reader()?);
    // From 0 to 1; none for a text that cannot be a lesson.
    let score = |text: &String| match archivist::importance(&open.memory, &open.call, text) {
        Ok(scored) => (Some(scored.importance), scored.reasons),
        Err(error) => (None, vec![error.to_string()]),
    };
    let (mut text, mut scores) = (String::new(), Vec::<Value>::new());
    for (n, (importance, reasons)) in (1..).zip(texts.iter().map(score)) {
        let value = importance.map_or("none".to_owned(), |value| value.to_string());
        text += &format!("{n}: {value} ({})\n", reasons.join("; "));
        scores.push(json!({"importance": importance, "reasons": reasons}));
    }
    Ok(Reply::new(text, &Answer::of(json!({"scores": scores}), Vec::new())))
}
