//! What surrounds every page: head, header, navigation, notice, footer.

use hardwon_core::budget::shorten;
use hardwon_core::gate;
use maud::{DOCTYPE, Markup, html};

use super::forms;
use super::link::Link;
use super::{Notice, Shell};

/// No attribute but `hx-boost` is inherited, so that links in a region that refreshes itself lead
/// to pages. No evaluation of text, no inline styles, no requests elsewhere, nothing of a page kept; an
/// answer that refuses is shown like any other.
const HTMX: &str = r#"{"allowEval":false,"allowScriptTags":false,"disableInheritance":true,"includeIndicatorStyles":false,"selfRequestsOnly":true,"historyCacheSize":0,"refreshOnHistoryMiss":true,"scrollIntoViewOnBoost":false,"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},{"code":"[45]..","swap":true,"error":false}]}"#;

/// A place in the navigation: its key behind `g`, its page, its word.
const PLACES: &[(&str, &str, &str)] = &[
    ("o", "", "Overview"),
    ("l", "lessons", "Lessons"),
    ("r", "runs", "Runs"),
    ("v", "review", "Review"),
];

/// Longest text in the title of a window, and in a heading of full size.
const TITLE_CHARS: usize = 80;
const LONG_HEADING: usize = 110;

pub(super) struct Page<'a> {
    /// Also the heading.
    pub(super) title: &'a str,
    /// The place in the navigation that it belongs to.
    pub(super) place: &'a str,
    /// Itself, for whoever comes back from a form.
    pub(super) here: String,
    pub(super) body: Markup,
}

impl Page<'_> {
    /// The whole document.
    pub(super) fn document(self, shell: &Shell<'_>) -> String {
        let events = Link::page("api/v1/events")
            .with("project", shell.project)
            .to(&Shell { is_default_project: true, ..shell.clone() });
        let is_long = self.title.chars().count() > LONG_HEADING;
        let body = html! {
            a.skip href="#main" { "Skip to the content" }
            (header(shell, self.place))
            main #main data-events=(events) {
                div.top {
                    h1.long[is_long] #heading tabindex="-1" dir="auto" { (self.title) }
                }
                (notice(shell, &self.here))
                (self.body)
            }
            (footer(shell))
        };
        let title =
            format!("{} · {} · Hardwon", shorten(self.title, TITLE_CHARS), shell.project_name);
        document(&title, body)
    }
}

/// A document with this body; what steers a display is taken out of all of it.
pub(super) fn document(title: &str, body: Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="same-origin";
                meta name="htmx-config" content=(HTMX);
                title { (title) }
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/page.css";
                script src="/assets/htmx.min.js" defer {}
                script src="/assets/page.js" defer {}
            }
            body hx-boost="true" hx-inherit="hx-boost" { (body) }
        }
    };
    gate::harmless(&page.into_string()).into_owned()
}

fn header(shell: &Shell<'_>, place: &str) -> Markup {
    html! {
        header.bar {
            a.brand href=(Link::page("").to(shell)) { "Hardwon" }
            (projects(shell))
            nav.places aria-label="Pages" {
                @for (key, page, word) in PLACES {
                    a href=(Link::page(page).to(shell)) data-go=(key)
                        aria-current=[(*page == place).then_some("page")] {
                        (word)
                        @if *page == "review" {
                            span #n-waiting {
                                @if shell.n_waiting > 0 {
                                    " " span.count { (shell.n_waiting) span.unseen { " waiting" } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Which project, and how to look at another.
fn projects(shell: &Shell<'_>) -> Markup {
    html! {
        @if shell.projects.len() < 2 {
            p.project { span.unseen { "Project: " } (shell.project_name) }
        } @else {
            form.project action="/" method="get" {
                label.unseen for="project" { "Project" }
                select #project name="project" {
                    @for one in shell.projects {
                        option value=(one.id) selected[one.id == shell.project] { (one.name) }
                    }
                }
                button type="submit" { "Open" }
            }
        }
    }
}

/// What was just done, where it was done, with a way back.
fn notice(shell: &Shell<'_>, here: &str) -> Markup {
    html! {
        div #notice role="status" {
            @if let Some(Notice { text, is_failure, operation }) = &shell.notice {
                div.notice.failure[*is_failure] {
                    p {
                        @if *is_failure { strong { "Not done. " } } @else { strong { "Done. " } }
                        (text)
                    }
                    @if let Some(operation) = operation { (forms::undo(shell, *operation, here)) }
                }
            }
        }
    }
}

fn footer(shell: &Shell<'_>) -> Markup {
    html! {
        footer.bar {
            p #live-state { "" }
            @if let Some(name) = shell.member {
                form.signed-in method="post" action="/leave" {
                    input type="hidden" name="csrf" value=(shell.csrf);
                    p { "Signed in as " strong { (name) } }
                    button.plain type="submit" { "Sign out" }
                }
            }
            p {
                button.plain #keys-button type="button" data-keys-help hidden { "Keys (?)" }
                " " label.keys hidden data-keys-switch {
                    input #keys-switch type="checkbox"; " Single-key commands"
                }
            }
        }
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            (key_table())
            form method="dialog" { button #keys-close type="submit" { "Close" } }
        }
    }
}

fn key_table() -> Markup {
    let everywhere = [
        ("/", "search"),
        ("j k ↓ ↑", "next and previous row"),
        ("Enter", "open it"),
        ("g then o l r v", "overview, lessons, runs, review"),
        ("u", "undo what was just done"),
        ("?", "this list"),
    ];
    let review = [
        ("a", "approve"),
        ("k", "keep"),
        ("w", "weaken"),
        ("x", "reject"),
        ("s", "supersede: name the other lesson"),
        ("r", "archive"),
        ("n", "next, without a decision"),
    ];
    html! {
        @for (caption, all) in [("Everywhere", &everywhere[..]), ("In a review", &review[..])] {
            table.keys {
                caption { (caption) }
                tbody {
                    @for (keys, what) in all { tr { th scope="row" { kbd { (keys) } } td { (what) } } }
                }
            }
        }
    }
}
