//! `memory_detect_duplicates`: does memory say it already?

use hardwon_engine::answer::Answer;
use hardwon_foreign::ask::archivist;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Reply, Session, Trouble};

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

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
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
