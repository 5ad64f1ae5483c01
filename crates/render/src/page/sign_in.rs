//! Where a member of a team comes in.

use maud::html;

use super::shell;

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
