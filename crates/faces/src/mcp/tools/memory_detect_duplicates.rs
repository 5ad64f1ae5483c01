//! `memory_detect_duplicates`: does memory say it already?

use hardwon_engine::answer::Answer;
use hardwon_foreign::ask::archivist;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Reply, Session, Trouble, arguments};

/// More than this nobody proposes at once.
const MAX_TEXTS: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// One to five lessons, each in one or two sentences.
    #[schemars(length(min = 1, max = 5))]
    texts: Vec<String>,
}

impl Args {
    /// The texts, if they are not too few or too many.
    pub(super) fn texts(self) -> Result<Vec<String>, Trouble> {
        if (1..=MAX_TEXTS).contains(&self.texts.len()) {
            return Ok(self.texts);
        }
        let hint = format!("give one to {MAX_TEXTS}");
        Err(Trouble::wrong(format!("{} texts were given", self.texts.len()), hint))
    }
}

#[derive(Serialize)]
pub struct Body {
    /// In the order in which they were given: `same as ID`, `extends ID`, `contradicts ID`, `new`,
    /// or why it cannot be a lesson.
    standings: Vec<String>,
}

pub fn call(session: &Session, given: JsonObject) -> Result<Reply, Trouble> {
    let texts = arguments::<Args>(given)?.texts()?;
    let open = session.reader()?;
    let standing = |text: &String| match archivist::standing(&open.memory, &open.call, text) {
        Ok(standing) => standing.to_string(),
        Err(error) => format!("no lesson: {error}"),
    };
    let standings: Vec<String> = texts.iter().map(standing).collect();
    let line = |(n, standing): (usize, &String)| format!("{}: {standing}\n", n + 1);
    let text: String = standings.iter().enumerate().map(line).collect();
    Ok(Reply::new(text, &Answer::of(Body { standings }, Vec::new())))
}
