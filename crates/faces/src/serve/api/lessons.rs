//! Lessons: look at them, and say something about them.

use axum::http::StatusCode;
use hardwon_engine::answer::{Answer, ApprovedLessons, OneLesson};
use hardwon_engine::effect::EffectKind;
use hardwon_engine::ids::{OperationId, RunId};
use hardwon_engine::lesson::{Decision, Kind, Lesson, State};
use hardwon_engine::{
    AddRequest, Call, DecideRequest, EditRequest, EngineError, ListRequest, MarkRequest, Memory,
    SearchRequest, Stated, history as journal, lessons, runs, transfer,
};
use hardwon_render::json;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::route::{Answered, Ask, Reply, known, word};
use super::super::trouble::Trouble;

/// How many are listed if nobody says it.
const N_LISTED: usize = 50;

pub fn list(ask: &mut Ask<'_>) -> Answered {
    let limit = ask.limit(N_LISTED)?;
    if let Some(text) = ask.query.get("text") {
        let request = SearchRequest { text: text.to_owned(), limit, is_all: is_all(ask) };
        return ask.reads(|memory, call| lessons::search(memory, call, &request, &mut |_| None));
    }
    let request = list_request(ask, limit)?;
    ask.reads(|memory, call| lessons::list(memory, call, &request))
}

pub fn list_request(ask: &Ask<'_>, limit: usize) -> Result<ListRequest, Trouble> {
    let states = ask.query.all("state").map(|it| known(it, "a state", State::from_word));
    let kinds = ask.query.all("kind").map(|it| known(it, "a kind", Kind::from_word));
    Ok(ListRequest {
        is_all: is_all(ask),
        states: states.collect::<Result<_, _>>()?,
        kinds: kinds.collect::<Result<_, _>>()?,
        tags: ask.query.all("tag").map(str::to_owned).collect(),
        limit: Some(limit),
        after: ask.query.get("after").map(str::to_owned),
        ..ListRequest::default()
    })
}

fn is_all(ask: &Ask<'_>) -> bool {
    matches!(ask.query.get("all"), Some("true" | "1" | "on"))
}

pub fn show(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    let (memory, call) = (open.memory(), &open.call);
    let lesson = hardwon_engine::lookup::lesson_named(memory, call, ask.id())?;
    let answer = lessons::show(memory, call, lesson.id.as_str())?.map(|story| story.page);
    let etag = Some(lessons::version_tag(&lesson));
    Ok(Reply::Json { status: StatusCode::OK, value: json::answer(&answer), etag })
}

pub fn history(ask: &mut Ask<'_>) -> Answered {
    let limit = ask.limit(N_LISTED)?;
    ask.reads(|memory, call| journal::history(memory, call, Some(ask.id()), Some(limit)))
}

/// Does something to the lesson of the path, and shows it with its new version. `command` is what
/// a person would type.
fn act(
    ask: &Ask<'_>,
    command: &str,
    work: impl FnOnce(&mut Memory, &Call, &str) -> Result<Answer<Lesson>, EngineError>,
) -> Answered {
    let mut open = ask.writer()?;
    open.call = open.call.if_match(version(ask).as_deref());
    let (memory, call) = open.parts();
    let typed = |error| Trouble::from(error).or_type(&command.replace("{}", ask.id()));
    let answer = work(memory, call, ask.id()).map_err(typed)?;
    let etag = Some(lessons::version_tag(&answer.body));
    let answer = answer.map(OneLesson::from);
    Ok(Reply::Json { status: StatusCode::OK, value: json::answer(&answer), etag })
}

/// The version of the lesson that was read, where it is named.
fn version(ask: &Ask<'_>) -> Option<String> {
    let given = ask.header("if-match").map(str::trim).filter(|given| *given != "*");
    given.map(|given| given.trim_matches('"').to_owned())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    text: String,
    kind: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
}

pub fn add(ask: &mut Ask<'_>) -> Answered {
    let Add { text, kind, tags, paths } = ask.json()?;
    let request = AddRequest {
        text,
        kind: word(kind, "a kind", Kind::from_word)?,
        stated: Stated { tags, paths, ..Stated::default() },
        ..AddRequest::default()
    };
    act(ask, "hardwon add TEXT", |memory, call, _| lessons::add(memory, call, &request))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    text: Option<String>,
    kind: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    untag: Vec<String>,
}

pub fn edit(ask: &mut Ask<'_>) -> Answered {
    // Without the version that was read, two who edit at once would not know of each other.
    if ask.header("if-match").is_none() {
        let hint = "send the ETag of GET /api/v1/lessons/ID in If-Match, or `*`";
        let message = "say which version you read";
        return Err(Trouble::new(StatusCode::PRECONDITION_REQUIRED, message, hint));
    }
    let Edit { text, kind, tags, untag } = ask.json()?;
    let stated = Stated { tags, ..Stated::default() };
    let kind = word(kind, "a kind", Kind::from_word)?;
    let request = EditRequest { text, kind, stated, untag, ..EditRequest::default() };
    act(ask, "hardwon edit {} TEXT", |memory, call, name| {
        lessons::edit(memory, call, name, &request)
    })
}

pub fn pin(ask: &Ask<'_>, is_pinned: bool) -> Answered {
    let command = if is_pinned { "hardwon edit --pin {}" } else { "hardwon edit --pin {} --off" };
    act(ask, command, |memory, call, name| lessons::pin(memory, call, name, is_pinned))
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Forget {
    /// Erase it for good: refused here.
    #[serde(default)]
    hard: bool,
}

pub fn forget(ask: &mut Ask<'_>) -> Answered {
    let Forget { hard } = ask.json()?;
    if hard {
        let command = format!("hardwon forget {} --hard", ask.id());
        return Err(Trouble::only_typed("forgetting for good", &command));
    }
    act(ask, "hardwon forget {}", lessons::forget)
}

pub fn restore(ask: &mut Ask<'_>) -> Answered {
    act(ask, "hardwon restore {}", lessons::restore)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Merge {
    into: String,
}

pub fn merge(ask: &mut Ask<'_>) -> Answered {
    let Merge { into } = ask.json()?;
    let command = format!("hardwon review merges {} {into}", ask.id());
    act(ask, &command, |memory, call, name| lessons::merge(memory, call, name, &into))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decide {
    lesson: String,
    decision: String,
    because: String,
    with: Option<String>,
}

pub fn decide(ask: &mut Ask<'_>) -> Answered {
    let Decide { lesson, decision, because, with } = ask.json()?;
    let decided = known(&decision, "a decision", Decision::from_word)?;
    let command = format!("hardwon review {decision} {lesson} --because REASON");
    let request = DecideRequest { lesson, decision: decided, because, by: None, with };
    act(ask, &command, |memory, call, _| lessons::decide(memory, call, &request))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Mark {
    lesson: String,
    effect: String,
    run: String,
    because: String,
}

pub fn mark(ask: &mut Ask<'_>) -> Answered {
    let Mark { lesson, effect, run, because } = ask.json()?;
    let effect = known(&effect, "an effect", EffectKind::from_word)?;
    let run = RunId::named(&run).ok_or_else(|| Trouble::wrong("a run needs a name"))?;
    let request = MarkRequest { lesson, effect, run, because };
    let command = "hardwon mark LESSON EFFECT --run RUN --because TEXT";
    act(ask, command, |memory, call, _| runs::mark(memory, call, &request))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Undo {
    /// The newest if none is named.
    operation: Option<u64>,
}

pub fn undo(ask: &mut Ask<'_>) -> Answered {
    let Undo { operation } = ask.json()?;
    let mut open = ask.writer()?;
    let (memory, call) = open.parts();
    let undone = journal::undo(memory, call, operation.map(OperationId));
    let typed = |error| Trouble::from(error).or_type("hardwon undo OPERATION");
    Reply::json(json::answer(&undone.map_err(typed)?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Propose {
    /// As `hardwon export` writes it; only its lessons are taken.
    export: String,
}

pub fn approved(ask: &mut Ask<'_>) -> Answered {
    ask.reads(|memory, call| {
        let (export, n_lessons) = transfer::approved(memory, call)?;
        Ok(Answer::of(ApprovedLessons { export, n_lessons }, Vec::new()))
    })
}

pub fn propose(ask: &mut Ask<'_>) -> Answered {
    let Propose { export } = ask.json()?;
    ask.writes(|memory, call| transfer::propose(memory, call, &export))
}

/// The bodies, for the description.
#[cfg(test)]
pub fn bodies() -> Vec<(&'static str, schemars::Schema)> {
    use schemars::schema_for;
    vec![
        ("Add", schema_for!(Add)),
        ("Edit", schema_for!(Edit)),
        ("Forget", schema_for!(Forget)),
        ("Merge", schema_for!(Merge)),
        ("Decide", schema_for!(Decide)),
        ("Mark", schema_for!(Mark)),
        ("Undo", schema_for!(Undo)),
        ("Propose", schema_for!(Propose)),
    ]
}
