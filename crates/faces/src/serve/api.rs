//! The same answers as `--json`, over HTTP.

mod lessons;
mod runs;

use axum::http::{Method, StatusCode};
use hardwon_engine::people::Role;
use hardwon_engine::projects::project_list;
use hardwon_engine::voice::{Speaker, Voice};
use hardwon_engine::{history, overview};
use serde_json::json;

use super::door::Via;
use super::house::House;
use super::openapi;
use super::route::{Answered, Ask, Reply, Route, Takes};
use super::trouble::Trouble;

pub use lessons::list_request;
pub use runs::{run_id, runs_request};

/// The rows of the API.
pub fn routes() -> Vec<Route> {
    let get = |path, about, query, answer, handle| {
        let row = Route::of(Method::GET, path, Takes::Nothing, handle);
        Route { about, query, answer, ..row }
    };
    let send = |method, path, about, body, answer, handle| {
        let (takes, query): (_, &[_]) = match body {
            Some("Record") => (Takes::Record, &["run", "format", "author"]),
            _ => (Takes::Json, &[]),
        };
        let row = Route::of(method, path, takes, handle);
        Route { needs: needs(path), about, query, body, answer, ..row }
    };
    let post =
        |path, about, body, answer, handle| send(Method::POST, path, about, body, answer, handle);
    vec![
        get(
            "/api/v1/lessons",
            "List lessons, the most valuable first; with `text` search them",
            &["state", "kind", "tag", "text", "all", "limit", "after"],
            "list|search",
            lessons::list,
        ),
        post("/api/v1/lessons", "State a lesson", Some("Add"), "add", lessons::add),
        get("/api/v1/lessons/{}", "One lesson", &[], "show", lessons::show),
        send(
            Method::PATCH,
            "/api/v1/lessons/{}",
            "Edit a lesson; If-Match names the version that was read",
            Some("Edit"),
            "edit",
            lessons::edit,
        ),
        get(
            "/api/v1/lessons/{}/history",
            "What became of it",
            &["limit"],
            "history",
            lessons::history,
        ),
        post("/api/v1/lessons/{}/pin", "Pin it", None, "pin", |ask| lessons::pin(ask, true)),
        post("/api/v1/lessons/{}/unpin", "Unpin it", None, "pin", |ask| lessons::pin(ask, false)),
        post("/api/v1/lessons/{}/forget", "Archive it", Some("Forget"), "forget", lessons::forget),
        post("/api/v1/lessons/{}/restore", "Bring it back", None, "restore", lessons::restore),
        post(
            "/api/v1/lessons/{}/merge",
            "Merge it into another",
            Some("Merge"),
            "edit",
            lessons::merge,
        ),
        get(
            "/api/v1/runs",
            "List runs, the newest first",
            &["session", "task", "kind", "outcome", "agent", "days", "limit", "after"],
            "runs-list",
            runs::list,
        ),
        get("/api/v1/runs/{}", "One run", &[], "runs-show", runs::show),
        get("/api/v1/sessions/{}", "What the runs of a session taught", &[], "session", |ask| {
            ask.reads(|memory, call| overview::session(memory, call, ask.id()))
        }),
        get(
            "/api/v1/findings",
            "List findings",
            &["state", "path", "author", "run", "limit", "after"],
            "findings-list",
            runs::findings,
        ),
        get("/api/v1/review", "What waits for a decision", &[], "review-list", |ask| {
            ask.reads(|memory, call| {
                overview::review_queue(&ask.house.desk.environment, memory, call)
            })
        }),
        post("/api/v1/review", "Decide about a lesson", Some("Decide"), "edit", lessons::decide),
        get("/api/v1/report", "Is it worth it?", &[], "report", |ask| ask.reads(history::report)),
        get("/api/v1/overview", "Memory at a glance", &[], "overview", |ask| {
            ask.reads(|memory, call| overview::overview(&ask.house.desk.environment, memory, call))
        }),
        get("/api/v1/projects", "All projects", &[], "project-list", |ask| ask.reads(project_list)),
        post(
            "/api/v1/inject",
            "The block for a coming run",
            Some("Inject"),
            "inject",
            runs::inject,
        ),
        post("/api/v1/learn", "Learn from a record of a run", Some("Record"), "learn", runs::learn),
        post(
            "/api/v1/outcome",
            "State how a run ended",
            Some("OutcomeBody"),
            "outcome",
            runs::outcome,
        ),
        post("/api/v1/mark", "Say what a lesson did in a run", Some("Mark"), "mark", lessons::mark),
        get(
            "/api/v1/shared",
            "What people of the project approved",
            &[],
            "shared",
            lessons::approved,
        ),
        post(
            "/api/v1/shared",
            "Propose lessons of one's own",
            Some("Propose"),
            "import",
            lessons::propose,
        ),
        post("/api/v1/undo", "Take an operation back", Some("Undo"), "undo", lessons::undo),
        post("/api/v1/trust", "Refused: only on the command line", None, "error", |_| {
            Err(Trouble::only_typed("trusting files of others", "hardwon review trust FOLDER"))
        }),
        send(
            Method::PATCH,
            "/api/v1/settings",
            "Refused: only on the command line",
            None,
            "error",
            |_| Err(Trouble::only_typed("changing settings", "hardwon config set KEY VALUE")),
        ),
        get("/api/v1/status", "Is it running?", &[], "error", status),
        get("/api/v1/openapi.json", "This description", &[], "error", |_| {
            Reply::json(openapi::document())
        }),
        post("/api/v1/code", "A new code for a browser", Some("Code"), "error", code),
    ]
}

/// What a member of a team has to be to send something there: who reports, who decides, and who
/// only wants to know.
fn needs(path: &str) -> Role {
    match path {
        "/api/v1/inject" => Role::Reader,
        "/api/v1/learn" | "/api/v1/outcome" | "/api/v1/mark" | "/api/v1/lessons"
        | "/api/v1/shared" => Role::Writer,
        "/api/v1/code" => Role::Admin,
        _ => Role::Reviewer,
    }
}

fn status(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    Reply::json(json!({
        "status": "ok",
        "problems": [],
        "version": env!("CARGO_PKG_VERSION"),
        "project": open.call.project.as_str(),
        "url": ask.house.url(),
    }))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeBody {
    /// Who wants it: `person`, `script` or `agent`.
    voice: String,
}

/// A new code, for `serve --code`. It speaks as whoever started the server, or as whoever wants
/// it, if that is less.
fn code(ask: &mut Ask<'_>) -> Answered {
    if ask.guest.via != Via::Http || ask.guest.member.is_some() {
        return Err(Trouble::only_typed("making a code", "hardwon serve --code"));
    }
    let body: CodeBody = ask.json()?;
    let own = &ask.house.desk.environment.speaker;
    let speaker = match body.voice.as_str() {
        voice if voice == "person" || own.voice == Voice::Agent => own.clone(),
        "agent" => Speaker::agent("unnamed"),
        _ => Speaker::default(),
    };
    let url = House::new_code(ask.house, speaker).map_err(|_| Trouble::fault())?;
    Ok(Reply::Json {
        status: StatusCode::CREATED,
        value: json!({"status": "ok", "problems": [], "url": url}),
        etag: None,
    })
}

/// The bodies, for the description.
#[cfg(test)]
pub fn bodies() -> Vec<(&'static str, schemars::Schema)> {
    let own = vec![("Code", schemars::schema_for!(CodeBody))];
    own.into_iter().chain(lessons::bodies()).chain(runs::bodies()).collect()
}
