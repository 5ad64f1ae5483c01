//! `memory_merge`: two lessons may be one. Noted for a person.

use hardwon_engine::answer::Answer;
use hardwon_foreign::ask::archivist::propose_merge;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Reply, Session, Trouble};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The id of the lesson that goes.
    lesson: String,
    /// The id of the lesson that stays.
    into: String,
    /// Why they say the same.
    because: String,
}

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    if args.because.trim().is_empty() {
        return Err(Trouble::wrong("no reason is given", "say why they say the same"));
    }
    let mut open = session.writer()?;
    let proposed = hardwon_foreign::ask::proposal(Some(true), args.because);
    let pair = (args.lesson.as_str(), args.into.as_str());
    let noted = propose_merge(&mut open.memory, &open.call, pair, proposed, "host")?;
    let reason = noted.proposed.map(|it| it.reason).unwrap_or_default();
    let text = format!(
        "Noted for a person: {} may become part of {} ({reason}). `hardwon review merges --proposed` lists it.",
        noted.about[0], noted.about[1]
    );
    let body = json!({"proposal": noted.id, "lessons": noted.about, "reason": reason});
    Ok(Reply::new(text, &Answer::of(body, Vec::new())))
}
