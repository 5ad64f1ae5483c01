//! The pages that a browser shows, each a pure function from answers to HTML.
//!
//! Nothing here fetches or decides. Text is escaped by the templates, and characters that steer
//! a display are taken out of the whole page at the end, so that no page can forget it. There is
//! no inline script or style: a strict Content-Security-Policy holds. Every page works without
//! JavaScript; `assets/page.js` adds keys, live updates and focus.

mod forms;
mod lesson;
mod lessons;
mod link;
mod overview;
mod panel;
mod parts;
mod plot;
mod review;
mod run;
mod runs;
mod shell;
mod tree;

use hardwon_core::time::Timestamp;
use maud::html;

use crate::answer::{
    BlockShown, Choice, Lesson, LessonStory, LessonsLearned, Named, ProposedSetting, Queued,
    RunLine, RunStory, TreeNode,
};

pub use lesson::lesson;
pub use lessons::lessons;
pub use overview::overview;
pub use review::review;
pub use run::{run, session};
pub use runs::runs;

/// What surrounds every page.
#[derive(Clone, Debug)]
pub struct Shell<'a> {
    /// The id of the project that is looked at.
    pub project: &'a str,
    pub project_name: &'a str,
    /// Whether links need not name the project.
    pub is_default_project: bool,
    /// What may be looked at instead; the one that is looked at among them.
    pub projects: &'a [ProjectChoice],
    /// Goes with every form.
    pub csrf: &'a str,
    pub speaker: Says,
    /// The member of a team who is signed in.
    pub member: Option<&'a str>,
    pub now: Timestamp,
    pub n_waiting: usize,
    /// What was just done, or failed.
    pub notice: Option<Notice>,
}

#[derive(Clone, Debug)]
pub struct ProjectChoice {
    pub id: String,
    pub name: String,
}

/// Who looks at the page, and may they decide?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    Person,
    /// Forms are replaced by this reason and the command to type.
    Reader {
        reason: String,
    },
}

/// What was just done, or failed.
#[derive(Clone, Debug)]
pub struct Notice {
    pub text: String,
    pub is_failure: bool,
    /// What `undo` takes back.
    pub operation: Option<u64>,
}

/// Where a list can be turned to. Cursors are whatever the server gave out.
#[derive(Clone, Debug, Default)]
pub struct Paging<'a> {
    /// The cursor of this page; empty on the first one.
    pub after: &'a str,
    /// The cursor of the page before; `Some("")` is the first page.
    pub previous: Option<&'a str>,
    pub next: Option<&'a str>,
    /// How many the filter lets through, where that is known.
    pub n_all: Option<u64>,
}

/// What a list of lessons shows, as it was asked for; empty is "any".
#[derive(Clone, Debug, Default)]
pub struct LessonFilter<'a> {
    pub state: &'a str,
    pub kind: &'a str,
    pub text: &'a str,
    pub tag: &'a str,
    /// `dimension=value`, e.g. `tool=bash`.
    pub scope: &'a str,
}

#[derive(Clone, Debug, Default)]
pub struct LessonList<'a> {
    pub filter: LessonFilter<'a>,
    pub rows: Vec<LessonRow<'a>>,
    pub paging: Paging<'a>,
}

#[derive(Clone, Debug)]
pub struct LessonRow<'a> {
    pub lesson: &'a Lesson,
    /// What it has in common with a search; empty in a list.
    pub why: &'a [String],
}

/// Everything about one lesson.
#[derive(Clone, Debug)]
pub struct LessonPage<'a> {
    pub story: &'a LessonStory,
    /// The lesson's version, which every form hands back.
    pub if_match: &'a str,
    /// Lessons that may say the same, to be offered for a merge.
    pub near: &'a [Named],
    /// What may be decided about it now.
    pub choices: &'a [Choice],
}

#[derive(Clone, Debug, Default)]
pub struct RunFilter<'a> {
    pub outcome: &'a str,
    pub agent: &'a str,
    pub session: &'a str,
    pub text: &'a str,
}

#[derive(Clone, Debug, Default)]
pub struct RunList<'a> {
    pub filter: RunFilter<'a>,
    pub runs: &'a [RunLine],
    pub paging: Paging<'a>,
}

#[derive(Clone, Debug)]
pub struct RunPage<'a> {
    pub story: &'a RunStory,
    /// The whole tree that it belongs to, each run behind the one that contains it.
    pub tree: &'a [TreeNode],
    /// What it and the runs below it were shown, the oldest first.
    pub blocks: &'a [BlockShown],
    pub panel: &'a LessonsLearned,
}

/// One lesson that waits.
#[derive(Clone, Debug, Default)]
pub struct ReviewPage<'a> {
    /// `None` if nothing waits, or all of it was skipped.
    pub item: Option<ReviewItem<'a>>,
    /// Ids that were passed over, in the order of `?skip=`.
    pub skipped: &'a [String],
    /// How many wait in all, skipped ones among them.
    pub n_waiting: usize,
    pub settings: &'a [ProposedSetting],
    pub is_team: bool,
}

#[derive(Clone, Debug)]
pub struct ReviewItem<'a> {
    pub queued: &'a Queued,
    pub if_match: &'a str,
    pub choices: &'a [Choice],
    /// Its story, for the evidence.
    pub story: Option<&'a LessonStory>,
    pub near: &'a [Named],
}

/// An answer that is no page: its HTTP status, what happened, and what to do now.
#[derive(Clone, Copy, Debug)]
pub struct Trouble<'a> {
    pub status: u16,
    pub title: &'a str,
    pub message: &'a str,
    /// A command to type, or another next step.
    pub hint: &'a str,
}

#[cfg(test)]
mod tests;

const HTMX: &[u8] = include_bytes!("../assets/htmx.min.js");
const SCRIPT: &[u8] = include_bytes!("../assets/page.js");
const STYLE: &[u8] = include_bytes!("../assets/page.css");
const ICON: &[u8] = include_bytes!("../assets/icon.svg");

/// Content type and bytes of `/assets/NAME`, or `None` if there is no such file.
pub fn asset(name: &str) -> Option<(&'static str, &'static [u8])> {
    match name {
        "htmx.min.js" => Some(("text/javascript; charset=utf-8", HTMX)),
        "page.js" => Some(("text/javascript; charset=utf-8", SCRIPT)),
        "page.css" => Some(("text/css; charset=utf-8", STYLE)),
        "icon.svg" => Some(("image/svg+xml", ICON)),
        _ => None,
    }
}

/// A form for a token. It tells nothing of memory.
pub fn sign_in(refused: Option<&str>) -> String {
    let body = html! {
        a.skip href="#main" { "Skip to the content" }
        header.bar { a.brand href="/" { "Hardwon" } }
        main #main {
            div.top { h1 #heading tabindex="-1" { "Sign in" } }
            @if let Some(refused) = refused {
                div.notice.failure role="alert" { p { strong { "Not done. " } (refused) } }
            }
            form.stack method="post" action="/enter" autocomplete="off" {
                label for="token" { "Your token" }
                input #token type="password" name="token" required
                    autocomplete="current-password" spellcheck="false";
                label for="project" { "Project, if it is not the one of this server" }
                input #project type="text" name="project" autocomplete="off" spellcheck="false";
                button type="submit" { "Sign in" }
            }
            p.hint { "Whoever sees to the team makes a token for you: "
                code { "hardwon config team token create NAME --as-person" } }
        }
    };
    shell::document("Sign in · Hardwon", body)
}

/// The page behind an error. It names no project, since whoever sees it may not know one.
pub fn trouble(trouble: &Trouble<'_>) -> String {
    let Trouble { status, title, message, hint } = *trouble;
    let is_command = hint.starts_with("hardwon ");
    let body = html! {
        a.skip href="#main" { "Skip to the content" }
        header.bar {
            a.brand href="/" { "Hardwon" }
            nav.places aria-label="Pages" { a href="/" { "Overview" } }
        }
        main #main data-trouble=(status) {
            div.top { h1 #heading tabindex="-1" { (title) } }
            p.lead { (message) }
            @if is_command { (parts::command(hint)) }
            @else if !hint.is_empty() { p { (hint) } }
            p.hint { "Status " (status) }
        }
    };
    shell::document(&format!("{title} · Hardwon"), body)
}
