//! The Archivist's tools: does memory say it already, how much does it matter, may two be one?

use hardwon_engine::answer::Answer;
use hardwon_foreign::ask::archivist;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Reply, Session, Trouble};

/// More than this nobody proposes at once.
const MAX_TEXTS: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// One to five lessons, each in one or two sentences.
    #[schemars(length(min = 1, max = 5))]
    texts: Vec<String>,
}

impl Texts {
    /// The texts, if they are not too few or too many.
    fn texts(self) -> Result<Vec<String>, Trouble> {
        if (1..=MAX_TEXTS).contains(&self.texts.len()) {
            return Ok(self.texts);
        }
        let hint = format!("give one to {MAX_TEXTS}");
        Err(Trouble::wrong(format!("{} texts were given", self.texts.len()), hint))
    }
}

/// `memory_detect_duplicates`.
pub fn detect_duplicates(session: &Session, args: Texts) -> Result<Reply, Trouble> {
    let texts = args.texts()?;
    let open = session.reader()?;
    let standing = |text: &String| match archivist::standing(&open.memory, &open.call, text) {
        Ok(standing) => standing.to_string(),
        Err(error) => format!("no lesson: {error}"),
    };
    let standings: Vec<String> = texts.iter().map(standing).collect();
    let line = |(n, standing): (usize, &String)| format!("{}: {standing}\n", n + 1);
    let text: String = standings.iter().enumerate().map(line).collect();
    Ok(Reply::new(text, &Answer::of(json!({"standings": standings}), Vec::new())))
}

/// `memory_score_importance`.
pub fn score_importance(session: &Session, args: Texts) -> Result<Reply, Trouble> {
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

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The id of the lesson that goes.
    lesson: String,
    /// The id of the lesson that stays.
    into: String,
    /// Why they say the same.
    because: String,
}

/// `memory_merge`: noted for a person.
pub fn merge(session: &Session, args: Pair) -> Result<Reply, Trouble> {
    if args.because.trim().is_empty() {
        return Err(Trouble::wrong("no reason is given", "say why they say the same"));
    }
    let mut open = session.writer()?;
    let proposed = hardwon_foreign::ask::proposal(Some(true), args.because);
    let pair = (args.lesson.as_str(), args.into.as_str());
    let noted = archivist::propose_merge(&mut open.memory, &open.call, pair, proposed, "host")?;
    let reason = noted.proposed.map(|it| it.reason).unwrap_or_default();
    let text = format!(
        "Noted for a person: {} may become part of {} ({reason}). `hardwon review merges --proposed` lists it.",
        noted.about[0], noted.about[1]
    );
    let body = json!({"proposal": noted.id, "lessons": noted.about, "reason": reason});
    Ok(Reply::new(text, &Answer::of(body, Vec::new())))
}
