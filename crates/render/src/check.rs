//! How is one check of `doctor` put? Its result, and the words in it that every check needs.

use crate::answer::{HealthCheck, HealthStatus, SKIPPED};

/// A check that found nothing.
pub fn ok(name: &'static str, detail: impl Into<String>) -> HealthCheck {
    HealthCheck { name, status: HealthStatus::Ok.into(), detail: detail.into(), fix: None }
}

/// A check that found something that stops nothing.
pub fn warning(
    name: &'static str,
    detail: impl Into<String>,
    fix: impl Into<Option<String>>,
) -> HealthCheck {
    let (detail, fix) = (detail.into(), fix.into());
    HealthCheck { name, status: HealthStatus::Warning.into(), detail, fix }
}

/// A check that found why memory does not work.
pub fn failed(
    name: &'static str,
    detail: impl Into<String>,
    fix: impl Into<Option<String>>,
) -> HealthCheck {
    HealthCheck { status: HealthStatus::Failed.into(), ..warning(name, detail, fix) }
}

/// A check that cannot be made, and why.
pub fn skipped(name: &'static str, why: &str) -> HealthCheck {
    warning(name, format!("{SKIPPED}{why}"), None)
}

/// What waits to be learned or recorded, and what was put aside in which folders because it
/// failed again and again.
pub fn queue(n_waiting: usize, aside: &[(String, usize)], retry: String) -> HealthCheck {
    let waiting = format!("{n_waiting} wait to be learned or recorded; the next writer does that");
    let n_aside: usize = aside.iter().map(|(_, n)| n).sum();
    if n_aside == 0 {
        return ok("queue", waiting);
    }
    let folders: Vec<String> = aside.iter().map(|(folder, _)| quoted(folder)).collect();
    let detail = format!(
        "{n_aside} put aside after they failed, each with the reason in its last line: look with \
         `tail {0}/*`, discard with `rm -r {0}`; {waiting}",
        folders.join("/* ")
    );
    warning("queue", detail, retry)
}

/// A word as a shell takes it.
pub fn quoted(word: impl std::fmt::Display) -> String {
    let word = word.to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The first few of a list in one sentence, and how many more there are.
pub fn few(details: &[String]) -> String {
    const N_SHOWN: usize = 3;
    let shown = details.iter().take(N_SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    match details.len().saturating_sub(N_SHOWN) {
        0 => shown,
        n => format!("{shown}; and {n} more"),
    }
}

/// A number of bytes for people.
pub fn size(n_bytes: u64) -> String {
    let (unit, divisor) = match n_bytes {
        0..1_000 => return format!("{n_bytes} bytes"),
        1_000..1_000_000 => ("kB", 1e3),
        1_000_000..1_000_000_000 => ("MB", 1e6),
        _ => ("GB", 1e9),
    };
    format!("{:.1} {unit}", n_bytes as f64 / divisor)
}

/// How old something is.
pub fn days_old(days: i64) -> String {
    match days {
        0 => "of today".to_owned(),
        1 => "1 day old".to_owned(),
        days => format!("{days} days old"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("/home/me/memory.db"), "/home/me/memory.db");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's; rm"), "'it'\\''s; rm'");
    }

    #[test]
    fn sizes_for_people() {
        for (n, text) in [(0, "0 bytes"), (1_500, "1.5 kB"), (2_000_000_000, "2.0 GB")] {
            assert_eq!(size(n), text);
        }
    }
}
