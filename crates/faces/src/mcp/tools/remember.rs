//! `remember`: one statement, kept as a candidate.

use hardwon_engine::answer::{Answer, Lesson};
use hardwon_engine::lesson::Kind;
use hardwon_engine::{AddRequest, EngineError, Stated, lessons};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Reply, Session, Trouble, first, line, wire, words};

const MAX_PATHS: usize = 32;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The lesson, in one or two sentences.
    text: String,
    /// What sort of lesson it is; a preference of the person when left out.
    #[schemars(with = "Option<String>", extend("enum" = words(Kind::ALL, Kind::word)))]
    kind: Option<Kind>,
    /// Files or folders it is about. They are compared, never opened.
    paths: Option<Vec<String>>,
    /// Words to find it by.
    tags: Option<Vec<String>>,
}

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    let Args { text, kind, paths, tags } = args;
    let stated = Stated {
        paths: first(paths, MAX_PATHS),
        tags: tags.unwrap_or_default(),
        ..Stated::default()
    };
    let mut open = session.writer()?;
    let request = AddRequest { text, kind, stated, ..AddRequest::default() };
    let (answer, already_known) = match lessons::add(&mut open.memory, &open.call, &request) {
        Ok(answer) => (answer.map(|lesson| Lesson::from(&lesson)), false),
        Err(EngineError::Duplicate { lesson }) => {
            let known = lessons::show(&open.memory, &open.call, &lesson)?;
            (Answer { problems: Vec::new(), ..known.map(|story| story.page.lesson) }, true)
        }
        Err(error) => return Err(error.into()),
    };
    let text = text_for(&answer.body, already_known);
    let body = |lesson: Lesson| json!({"lesson": wire(&lesson), "already_known": already_known});
    Ok(Reply::new(text, &answer.map(body)))
}

fn text_for(lesson: &Lesson, is_known: bool) -> String {
    let line = line(lesson);
    match (is_known, lesson.is_injectable) {
        (true, _) => format!("Known already: {line}"),
        (false, true) => format!("Kept: {line}"),
        (false, false) => format!(
            "Kept: {line}\nNot shown yet: the person can type `hardwon review approve {} \
             --because …`",
            lesson.id
        ),
    }
}
