//! Lessons: look at them, and say something about them.

use axum::http::StatusCode;
use hardwon_engine::answer::{self, Answer, OneLesson};
use hardwon_engine::effect::EffectKind;
use hardwon_engine::ids::{OperationId, RunId};
use hardwon_engine::lesson::{Decision, Kind, Lesson, State};
use hardwon_engine::{
    AddRequest, DecideRequest, EditRequest, EngineError, ListRequest, MarkRequest, SearchRequest,
    Stated, history as journal, lessons, lift, runs,
};
use hardwon_render::json;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::desk::Lent;
use super::super::route::{Ask, Reply};
use super::super::trouble::Trouble;
use super::answered;

/// How many are listed if nobody says it.
const N_LISTED: usize = 50;

pub fn list(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let limit = ask.limit(N_LISTED)?;
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    if let Some(text) = ask.query.get("text") {
        let request = SearchRequest { text: text.to_owned(), limit, is_all: is_all(ask) };
        return answered(&lessons::search(memory, call, &request, &mut |_| None)?);
    }
    answered(&lessons::list(memory, call, &list_request(ask, limit)?)?)
}

pub fn list_request(ask: &Ask<'_>, limit: usize) -> Result<ListRequest, Trouble> {
    let unknown = |what: &str| Trouble::wrong(format!("not a {what} that is known"));
    let states = ask.query.all("state").map(State::from_word).collect::<Option<_>>();
    let kinds = ask.query.all("kind").map(Kind::from_word).collect::<Option<_>>();
    Ok(ListRequest {
        is_all: is_all(ask),
        states: states.ok_or_else(|| unknown("state"))?,
        kinds: kinds.ok_or_else(|| unknown("kind"))?,
        tags: ask.query.all("tag").map(str::to_owned).collect(),
        limit: Some(limit),
        after: ask.query.get("after").map(str::to_owned),
        ..ListRequest::default()
    })
}

fn is_all(ask: &Ask<'_>) -> bool {
    matches!(ask.query.get("all"), Some("true" | "1" | "on"))
}

pub fn show(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    let lesson = hardwon_engine::lookup::lesson_named(memory, call, ask.id())?;
    let answer = lessons::show(memory, call, lesson.id.as_str())?.map(|story| story.page);
    let etag = Some(lessons::version_tag(&lesson));
    Ok(Reply::Json { status: StatusCode::OK, value: json::answer(&answer), etag })
}

pub fn history(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let limit = ask.limit(N_LISTED)?;
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    answered(&journal::history(memory, call, Some(ask.id()), Some(limit))?)
}

/// A lesson that was just changed, with its new version.
fn changed(open: &mut Lent<'_>, answer: Answer<Lesson>) -> Result<Reply, Trouble> {
    let (memory, call) = open.parts();
    let lift = lift::lift_of(memory, call, &answer.body)?;
    let etag = Some(lessons::version_tag(&answer.body));
    let answer = answer
        .map(|lesson| OneLesson { lesson: answer::Lesson::with_lift(&lesson, lift.as_ref()) });
    Ok(Reply::Json { status: StatusCode::OK, value: json::answer(&answer), etag })
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

fn kind(word: Option<&str>) -> Result<Option<Kind>, Trouble> {
    let unknown = || Trouble::wrong("not a kind that is known");
    word.map(|word| Kind::from_word(word).ok_or_else(unknown)).transpose()
}

pub fn add(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let Add { text, kind: word, tags, paths } = ask.json()?;
    let request = AddRequest {
        text,
        kind: kind(word.as_deref())?,
        stated: Stated { tags, paths, ..Stated::default() },
        ..AddRequest::default()
    };
    let mut open = ask.writer()?;
    let (memory, call) = open.parts();
    let answer = lessons::add(memory, call, &request)
        .map_err(|error| Trouble::from(error).or_type("hardwon add TEXT"))?;
    changed(&mut open, answer)
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

/// Which version was read: without it, two who edit at once would not know of each other.
fn if_match(ask: &Ask<'_>) -> Result<Option<String>, Trouble> {
    let missing = || {
        let hint = "send the ETag of GET /api/v1/lessons/ID in If-Match, or `*`";
        Trouble::new(StatusCode::PRECONDITION_REQUIRED, "say which version you read", hint)
    };
    let given = ask.header("if-match").ok_or_else(missing)?.trim();
    Ok((given != "*").then(|| given.trim_matches('"').to_owned()))
}

pub fn edit(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let version = if_match(ask)?;
    let Edit { text, kind: word, tags, untag } = ask.json()?;
    let stated = Stated { tags, ..Stated::default() };
    let kind = kind(word.as_deref())?;
    let request = EditRequest { text, kind, stated, untag, ..EditRequest::default() };
    let command = format!("hardwon edit {} TEXT", ask.id());
    act(ask, version, &command, |open, name| {
        let (memory, call) = open.parts();
        lessons::edit(memory, call, name, &request)
    })
}

/// Does something to the lesson of the path.
fn act(
    ask: &Ask<'_>,
    version: Option<String>,
    command: &str,
    work: impl FnOnce(&mut Lent<'_>, &str) -> Result<Answer<Lesson>, EngineError>,
) -> Result<Reply, Trouble> {
    let mut open = ask.writer()?;
    open.call = open.call.if_match(version.as_deref());
    let answer =
        work(&mut open, ask.id()).map_err(|error| Trouble::from(error).or_type(command))?;
    changed(&mut open, answer)
}

/// The version of a header that need not be there.
fn version(ask: &Ask<'_>) -> Option<String> {
    ask.header("if-match").and_then(|_| if_match(ask).ok().flatten())
}

pub fn pin(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    act(ask, version(ask), &format!("hardwon edit --pin {}", ask.id()), |open, name| {
        let (memory, call) = open.parts();
        lessons::pin(memory, call, name, true)
    })
}

pub fn unpin(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    act(ask, version(ask), &format!("hardwon edit --pin {} --off", ask.id()), |open, name| {
        let (memory, call) = open.parts();
        lessons::pin(memory, call, name, false)
    })
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Forget {
    /// Erase it for good: refused here.
    #[serde(default)]
    hard: bool,
}

pub fn forget(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let Forget { hard } = ask.json()?;
    if hard {
        let command = format!("hardwon forget {} --hard", ask.id());
        return Err(Trouble::only_typed("forgetting for good", &command));
    }
    act(ask, version(ask), &format!("hardwon forget {}", ask.id()), |open, name| {
        let (memory, call) = open.parts();
        lessons::forget(memory, call, name)
    })
}

pub fn restore(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    act(ask, version(ask), &format!("hardwon restore {}", ask.id()), |open, name| {
        let (memory, call) = open.parts();
        lessons::restore(memory, call, name)
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Merge {
    into: String,
}

pub fn merge(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let Merge { into } = ask.json()?;
    let command = format!("hardwon review merges {} {into}", ask.id());
    act(ask, version(ask), &command, |open, name| {
        let (memory, call) = open.parts();
        lessons::merge(memory, call, name, &into)
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decide {
    lesson: String,
    decision: String,
    because: String,
    with: Option<String>,
}

pub fn decide(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let Decide { lesson, decision, because, with } = ask.json()?;
    let unknown = || Trouble::wrong("not a decision that is known");
    let decided = Decision::from_word(&decision).ok_or_else(unknown)?;
    let command = format!("hardwon review {decision} {lesson} --because REASON");
    let request = DecideRequest { lesson, decision: decided, because, by: None, with };
    act(ask, version(ask), &command, |open, _| {
        let (memory, call) = open.parts();
        lessons::decide(memory, call, &request)
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Mark {
    lesson: String,
    effect: String,
    run: String,
    because: String,
}

pub fn mark(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let Mark { lesson, effect, run, because } = ask.json()?;
    let unknown = || Trouble::wrong("not an effect that is known");
    let effect = EffectKind::from_word(&effect).ok_or_else(unknown)?;
    let run = RunId::named(&run).ok_or_else(|| Trouble::wrong("a run needs a name"))?;
    let request = MarkRequest { lesson, effect, run, because };
    act(ask, None, "hardwon mark LESSON EFFECT --run RUN --because TEXT", |open, _| {
        let (memory, call) = open.parts();
        runs::mark(memory, call, &request)
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Undo {
    /// The newest if none is named.
    operation: Option<u64>,
}

pub fn undo(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let Undo { operation } = ask.json()?;
    let mut open = ask.writer()?;
    let (memory, call) = open.parts();
    let command = "hardwon undo OPERATION";
    let undone = journal::undo(memory, call, operation.map(OperationId));
    answered(&undone.map_err(|error| Trouble::from(error).or_type(command))?)
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
    ]
}
