//! `remember`: one statement, kept as a candidate.

use hardwon_engine::answer::Lesson;
use hardwon_engine::lesson::Kind;
use hardwon_engine::{AddRequest, EngineError, OpenMemory, Stated, lessons};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Does, Tool, arguments, first};
use crate::mcp::schema::{self, words};
use crate::mcp::session::Session;
use crate::mcp::trouble::{Reply, Trouble};
use crate::mcp::wire::{LessonWire, ToolAnswer, line, problem_lines};

const MAX_PATHS: usize = 32;

pub const TOOL: Tool = Tool {
    name: "remember",
    title: "Remember one thing",
    description: "State one lesson for later runs of this project, in one or two sentences that \
        say what to do or to avoid, and where or when. Use it when the person asks you to \
        remember something, or when you learned something that the code does not tell. Not for \
        what happened in this run (report_finding) and not for progress notes. It is kept as a \
        candidate and not shown until runs confirm it or the person approves it; tell the person \
        its id if they asked for it. General advice is refused.",
    does: Does::Add,
    input: schema::input::<Args>,
    output: schema::output::<ToolAnswer<Body>>,
    call,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The lesson, in one or two sentences.
    text: String,
    /// What sort of lesson it is; preference, somebody's wish, when left out.
    #[schemars(with = "Option<String>", extend("enum" = words(Kind::ALL, Kind::word)))]
    kind: Option<Kind>,
    /// Files or folders it is about. They are compared, never opened.
    paths: Option<Vec<String>>,
    /// Words to find it by.
    tags: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct Body {
    lesson: LessonWire,
    /// It had been stated before; nothing was changed.
    already_known: bool,
}

fn call(session: &Session, given: JsonObject) -> Result<Reply, Trouble> {
    let Args { text, kind, paths, tags } = arguments(given)?;
    let stated = Stated {
        paths: first(paths, MAX_PATHS),
        tags: tags.unwrap_or_default(),
        ..Stated::default()
    };
    let mut engine = session.writer()?;
    let added = lessons::add(
        &mut engine.memory,
        &engine.call,
        &AddRequest { text, kind, is_global: false, stated },
    );
    let (status, problems, lesson, already_known) = match added {
        Ok(answer) => (answer.status, answer.problems, (&answer.body).into(), false),
        Err(EngineError::Duplicate { lesson }) => {
            let (status, lesson) = known(&engine, &lesson)?;
            (status, Vec::new(), lesson, true)
        }
        Err(error) => return Err(error.into()),
    };
    let text = told(&lesson, already_known) + &problem_lines(&problems);
    let body = Body { lesson: LessonWire::of(&lesson), already_known };
    Ok(Reply::new(text, &ToolAnswer::new(status, &problems, body)))
}

fn known(
    engine: &OpenMemory,
    id: &str,
) -> Result<(hardwon_engine::answer::Status, Lesson), EngineError> {
    let answer = lessons::show(&engine.memory, &engine.call, id)?;
    Ok((answer.status, answer.body.page.lesson))
}

fn told(lesson: &Lesson, is_known: bool) -> String {
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
