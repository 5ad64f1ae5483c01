//! Pages: what memory answers, put into the templates of `render`.

mod deeds;
mod lists;
mod single;

use axum::http::Method;
use hardwon_engine::answer::ProjectLine;
use hardwon_engine::people::Role;
use hardwon_engine::projects::project_list;
use hardwon_engine::voice::Voice;
use hardwon_engine::{Access, Call, lessons};
use hardwon_render::page::{ProjectChoice, Says, Shell};

use super::desk::Lent;
use super::route::{Answered, Ask, Reply, Route, Takes};

/// The rows of the pages.
pub fn routes() -> Vec<Route> {
    let page = |path, handle| Route::of(Method::GET, path, Takes::Nothing, handle);
    let form = |path, handle| {
        let row = Route::of(Method::POST, path, Takes::Form, handle);
        Route { needs: Role::Reviewer, ..row }
    };
    vec![
        page("/", lists::overview),
        page("/lessons", lists::lessons),
        page("/lessons/{}", single::lesson),
        page("/runs", lists::runs),
        page("/runs/{}", single::run),
        page("/sessions/{}", single::session),
        page("/review", single::review),
        form("/lessons/{}/edit", deeds::edit),
        form("/lessons/{}/pin", |ask| deeds::pin(ask, true)),
        form("/lessons/{}/unpin", |ask| deeds::pin(ask, false)),
        form("/lessons/{}/forget", |ask| {
            deeds::act(ask, &ask.form()?, "forgotten", lessons::forget)
        }),
        form("/lessons/{}/restore", |ask| {
            deeds::act(ask, &ask.form()?, "restored", lessons::restore)
        }),
        form("/lessons/{}/merge", deeds::merge),
        form("/lessons/{}/decide", deeds::decide),
        form("/undo", deeds::undo),
        Route { needs: Role::Reader, ..form("/leave", deeds::leave) },
    ]
}

/// Most projects that the switcher offers.
const MAX_PROJECTS: usize = 200;

/// Whether this guest may decide. The engine has the last word; this spares a useless form.
fn says(call: &Call) -> Says {
    let reason = match (&call.seat, call.speaker.voice) {
        (Some(seat), _) if seat.role < Role::Reviewer => "your role lets you look, not decide",
        (Some(_), Voice::Script) => "your token speaks as a script, not as you",
        (_, Voice::Person) => return Says::Person,
        (_, Voice::Agent) => "`hardwon serve` was started in an agent's shell",
        (_, Voice::Script) => "`hardwon serve` was not started at a terminal",
    };
    Says::Reader { reason: reason.to_owned() }
}

/// A page, with what surrounds it.
fn page(ask: &Ask<'_>, open: &Lent<'_>, make: impl FnOnce(&Shell<'_>) -> String) -> Answered {
    let (memory, call) = (open.memory(), &open.call);
    let is_default_project = ask.lend(Access::Read, None)?.call.project == call.project;
    let n_waiting = lessons::waiting(memory, call, 0)?.0;
    let project = call.project.as_str();
    let listed = project_list(memory, call)?.body.projects.into_iter().take(MAX_PROJECTS);
    let choice = |line: ProjectLine| ProjectChoice { id: line.id.to_string(), name: line.name };
    let mut projects: Vec<ProjectChoice> = listed.map(choice).collect();
    if projects.iter().all(|one| one.id != project) {
        let (id, name) = (project.to_owned(), project.to_owned());
        projects.insert(0, ProjectChoice { id, name });
    }
    let named = projects.iter().find(|one| one.id == project);
    Ok(Reply::Html(make(&Shell {
        project,
        project_name: named.map_or(project, |one| &one.name),
        is_default_project,
        projects: &projects,
        csrf: &ask.guest.csrf,
        speaker: says(call),
        member: call.seat.as_ref().map(|seat| seat.member.as_str()),
        now: call.now,
        n_waiting: usize::try_from(n_waiting).unwrap_or(usize::MAX),
        notice: deeds::notice(ask),
    })))
}
