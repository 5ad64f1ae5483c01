//! Is this memory well, and if not, what mends it? Looks at everything it depends on,
//! one check each, and goes on whatever is broken: a check that needs what another one
//! found broken says that it was skipped. Writes nothing unless it is told to mend.

mod files;
mod mend;
mod scan;
mod setup;
mod store;

use hardwon_render::answer::{Answer, Health, HealthCheck, HealthStatus, SKIPPED};

use crate::open::{Options, StorePlace};
use crate::place::Environment;
use crate::settings::Settings;

/// What is to be done.
#[derive(Clone, Copy, Debug, Default)]
pub struct DoctorRequest {
    /// Mend what can be mended safely.
    pub is_mending: bool,
    /// Look through all texts for secrets.
    pub is_scanning: bool,
}

/// Hears what is being looked at: large stores take their time.
pub type Progress<'a> = &'a mut dyn FnMut(&str);

/// Looks at everything. Never fails: what cannot be looked at is an answer, too.
pub fn doctor(
    environment: &Environment,
    options: &Options,
    request: DoctorRequest,
    progress: Progress<'_>,
) -> Answer<Health> {
    let patient = Patient::new(environment, options);
    let mut health = Health { checks: patient.examine(progress), ..Health::default() };
    let mut problems = Vec::new();
    if request.is_mending {
        let mended = patient.mend(&health.checks);
        health.checks = patient.examine(progress);
        mended.put_away_failures(&patient, &mut health);
        health.mended.splice(0..0, mended.done);
        health.backup = mended.backup;
        problems = mended.problems;
    }
    if request.is_scanning {
        progress("secrets");
        match patient.scan() {
            Ok(scanned) => {
                health.secrets = Some(scanned.secrets);
                health.checks.extend(scanned.left_out);
            }
            Err(reason) => health.checks.push(failed("scan", reason, None)),
        }
    }
    Answer { status: health.status(), problems, body: health }
}

/// What is looked at.
struct Patient<'a> {
    environment: &'a Environment,
    options: &'a Options,
    settings: Settings,
    /// Where memory lives, or why nobody can tell.
    place: Result<StorePlace, String>,
}

impl<'a> Patient<'a> {
    fn new(environment: &'a Environment, options: &'a Options) -> Self {
        let settings = options.settings(environment);
        let url = settings.get("store").map_or("sqlite:", |s| s.value.as_str()).to_owned();
        let place = StorePlace::parse(&url, environment, options.foreign);
        let place = place.map_err(|error| error.to_string());
        Patient { environment, options, settings, place }
    }

    fn examine(&self, progress: Progress<'_>) -> Vec<HealthCheck> {
        // Opens the store as any command does; the checks of the store clear up after it.
        let project = self.project();
        let mut checks = self.store_checks(progress);
        checks.extend(self.file_checks());
        checks.extend(self.setup_checks());
        checks.push(project);
        checks
    }

    /// `hardwon doctor FLAG` for this very store.
    fn doctor_with(&self, flag: &str) -> String {
        self.command(&format!("doctor {flag}"))
    }

    /// A command of ours for this very store.
    fn command(&self, words: &str) -> String {
        match &self.options.store {
            Some(url) => format!("hardwon {words} --store {}", quoted(url)),
            None => format!("hardwon {words}"),
        }
    }
}

/// A check that found nothing.
pub fn ok(name: &'static str, detail: impl Into<String>) -> HealthCheck {
    HealthCheck { name, status: HealthStatus::Ok.into(), detail: detail.into(), fix: None }
}

/// A check that found what does not stop anything.
pub fn warning(
    name: &'static str,
    detail: impl Into<String>,
    fix: impl Into<Option<String>>,
) -> HealthCheck {
    HealthCheck {
        name,
        status: HealthStatus::Warning.into(),
        detail: detail.into(),
        fix: fix.into(),
    }
}

/// A check that found what does.
pub fn failed(
    name: &'static str,
    detail: impl Into<String>,
    fix: impl Into<Option<String>>,
) -> HealthCheck {
    HealthCheck {
        name,
        status: HealthStatus::Failed.into(),
        detail: detail.into(),
        fix: fix.into(),
    }
}

/// A check that cannot be made, and why.
fn skipped(name: &'static str, why: &str) -> HealthCheck {
    warning(name, format!("{SKIPPED}{why}"), None)
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
fn few(details: &[String]) -> String {
    const N_SHOWN: usize = 3;
    let shown = details.iter().take(N_SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    match details.len().saturating_sub(N_SHOWN) {
        0 => shown,
        n => format!("{shown}; and {n} more"),
    }
}

/// A number of bytes for people.
fn size(n_bytes: u64) -> String {
    let (unit, divisor) = match n_bytes {
        0..1_000 => return format!("{n_bytes} bytes"),
        1_000..1_000_000 => ("kB", 1e3),
        1_000_000..1_000_000_000 => ("MB", 1e6),
        _ => ("GB", 1e9),
    };
    format!("{:.1} {unit}", n_bytes as f64 / divisor)
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
