//! An answer that is no page: not allowed, not there, changed meanwhile, store gone.

use maud::html;

use super::{Trouble, parts, shell};

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
