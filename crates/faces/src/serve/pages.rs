//! Pages: what memory answers, put into the templates of `render`.

mod deeds;
mod lists;
mod single;

use axum::http::Method;
use hardwon_engine::people::Role;
use hardwon_engine::voice::Voice;
use hardwon_engine::{Call, projects};
use hardwon_render::page::{Notice, ProjectChoice, Says, Shell};

use super::desk::Lent;
use super::route::{Ask, Reply, Route, Takes};
use super::trouble::Trouble;
use super::views;

/// The rows of the pages.
pub fn routes() -> Vec<Route> {
    let row = |method, path, takes, handle| Route {
        method,
        path,
        takes,
        needs: if takes == Takes::Form { Role::Reviewer } else { Role::Reader },
        about: "",
        query: &[],
        body: None,
        answer: "",
        handle,
    };
    let page = |path, handle| row(Method::GET, path, Takes::Nothing, handle);
    let form = |path, handle| row(Method::POST, path, Takes::Form, handle);
    vec![
        page("/", lists::overview),
        page("/lessons", lists::lessons),
        page("/lessons/{}", single::lesson),
        page("/runs", lists::runs),
        page("/runs/{}", single::run),
        page("/sessions/{}", single::session),
        page("/review", single::review),
        form("/lessons/{}/edit", deeds::edit),
        form("/lessons/{}/pin", deeds::pin),
        form("/lessons/{}/unpin", deeds::unpin),
        form("/lessons/{}/forget", deeds::forget),
        form("/lessons/{}/restore", deeds::restore),
        form("/lessons/{}/merge", deeds::merge),
        form("/lessons/{}/decide", deeds::decide),
        form("/undo", deeds::undo),
        Route { needs: Role::Reader, ..form("/leave", deeds::leave) },
    ]
}

/// What surrounds a page, owned.
struct Around {
    project: String,
    name: String,
    is_default: bool,
    projects: Vec<ProjectChoice>,
    csrf: String,
    says: Says,
    member: Option<String>,
    now: hardwon_engine::time::Timestamp,
    n_waiting: usize,
    notice: Option<Notice>,
}

/// Most projects that the switcher offers.
const MAX_PROJECTS: usize = 200;

impl Around {
    fn look(ask: &Ask<'_>, open: &mut Lent<'_>) -> Result<Around, Trouble> {
        let own = ask.lend(hardwon_engine::Access::Read, None)?;
        let is_default = own.call.project == open.call.project;
        drop(own);
        let n_waiting = views::n_waiting(open)?;
        let (memory, call) = open.parts();
        let listed = projects::project_list(memory, call)?.body.projects;
        let project = call.project.to_string();
        let mut choices: Vec<ProjectChoice> = Vec::new();
        for line in listed.into_iter().take(MAX_PROJECTS) {
            choices.push(ProjectChoice { id: line.id.to_string(), name: line.name });
        }
        if choices.iter().all(|one| one.id != project) {
            choices.insert(0, ProjectChoice { id: project.clone(), name: project.clone() });
        }
        let named = choices.iter().find(|one| one.id == project);
        let name = named.map_or_else(|| project.clone(), |one| one.name.clone());
        Ok(Around {
            project,
            name,
            is_default,
            projects: choices,
            csrf: ask.guest.csrf.clone(),
            says: says(call),
            member: call.seat.as_ref().map(|seat| seat.member.clone()),
            now: call.now,
            n_waiting,
            notice: deeds::notice(ask),
        })
    }

    fn shell(&self) -> Shell<'_> {
        Shell {
            project: &self.project,
            project_name: &self.name,
            is_default_project: self.is_default,
            projects: &self.projects,
            csrf: &self.csrf,
            speaker: self.says.clone(),
            member: self.member.as_deref(),
            now: self.now,
            n_waiting: self.n_waiting,
            notice: self.notice.clone(),
        }
    }
}

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
fn page(
    ask: &Ask<'_>,
    open: &mut Lent<'_>,
    make: impl FnOnce(&Shell<'_>) -> String,
) -> Result<Reply, Trouble> {
    let around = Around::look(ask, open)?;
    Ok(Reply::Html(make(&around.shell())))
}
