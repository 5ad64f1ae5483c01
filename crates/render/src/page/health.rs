//! What `doctor` says.

use maud::{Markup, html};

use super::Shell;
use super::link::Link;
use super::parts;
use super::shell::Page;
use crate::answer::{Health, HealthCheck, HealthStatus, Status};

/// What `doctor` says; nothing while it is still looking.
pub fn health(shell: &Shell<'_>, health: Option<&Health>) -> String {
    let here = Link::page("health").to(shell);
    let body = match health {
        Some(health) => html! { div #health { (found(health)) } },
        None => looking(&here),
    };
    Page { title: "Health", place: "health", here, body }.document(shell)
}

/// The page asks again by itself; without scripts the link does.
fn looking(here: &str) -> Markup {
    html! {
        div #health hx-get=(here) hx-trigger="load delay:1s" hx-select="#health"
            hx-target="#health" hx-swap="outerHTML" {
            p.lead role="status" { "The whole store is being looked at." }
            p { "At 100,000 lessons that takes half a minute. " a href=(here) { "Look again" } "." }
            p.hint { "The same from a terminal:" }
            (parts::command("hardwon doctor"))
        }
    }
}

fn found(health: &Health) -> Markup {
    html! {
        p.lead { (verdict(health)) }
        @for sentence in &health.mended { p { "Repaired: " (sentence) } }
        @if health.checks.is_empty() {
            (parts::empty("Nothing was looked at.", "The same from a terminal:", "hardwon doctor"))
        }
        ul.checks {
            @for check in worst_first(health) { (one(check)) }
        }
        @if let Some(secrets) = &health.secrets {
            section aria-labelledby="secrets" {
                h2 #secrets { "Secrets in memory" }
                @if secrets.is_empty() { p { "None was found." } }
                ul.checks {
                    @for secret in secrets {
                        li.check {
                            (parts::bad("secret")) " " code { (secret.row) } ": " (secret.family)
                            (parts::command(&secret.fix))
                        }
                    }
                }
            }
        } @else {
            p.hint { "To look for secrets in everything that is kept:" }
            (parts::command("hardwon doctor --scan"))
        }
    }
}

/// All in one sentence.
fn verdict(health: &Health) -> Markup {
    let (n_failed, n_warned) =
        (health.count(HealthStatus::Failed), health.count(HealthStatus::Warning));
    let n_ok = health.count(HealthStatus::Ok);
    html! {
        @match health.status() {
            Status::Ok | Status::Empty => (parts::good("well")),
            Status::Degraded => (parts::warn("works, with warnings")),
            Status::Failed => (parts::bad("needs you")),
        }
        " " (parts::counted(n_ok as u64, "check")) " fine, " (n_warned) " with a warning, "
        (n_failed) " failed"
        @if health.n_skipped() > 0 { ", " (health.n_skipped()) " could not be made" }
        "."
    }
}

fn worst_first(health: &Health) -> Vec<&HealthCheck> {
    let rank = |check: &&HealthCheck| match (check.status.0, check.is_skipped()) {
        (_, true) => 2,
        (HealthStatus::Failed, _) => 0,
        (HealthStatus::Warning, _) => 1,
        (HealthStatus::Ok, _) => 3,
    };
    let mut checks: Vec<&HealthCheck> = health.checks.iter().collect();
    checks.sort_by_key(rank);
    checks
}

fn one(check: &HealthCheck) -> Markup {
    html! {
        li.check {
            p {
                @match check.status.0 {
                    _ if check.is_skipped() => (parts::quiet("skipped")),
                    HealthStatus::Ok => (parts::good("ok")),
                    HealthStatus::Warning => (parts::warn("warning")),
                    HealthStatus::Failed => (parts::bad("failed")),
                }
                " " strong { (parts::words(check.name)) }
            }
            p { (check.detail) }
            @if let Some(fix) = &check.fix {
                @if fix.starts_with("hardwon ") { (parts::command(fix)) } @else { p.hint { (fix) } }
            }
        }
    }
}
