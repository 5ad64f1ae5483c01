//! Does a document say already what somebody states as a lesson? A notice, never a refusal: it
//! must not make anybody wait, so what is not known in time is not said.

use std::time::{Duration, Instant};

use hardwon_engine::Environment;

use super::look::said;

/// How long may be looked.
const PATIENCE: Duration = Duration::from_millis(200);

/// The place that says a text already: `docs/style.md:12`.
pub fn said_already(environment: &Environment, text: &str) -> Option<String> {
    let until = Instant::now() + PATIENCE;
    let (documents, _) = said(environment.checkout(), until);
    let policy = super::rules(environment).ok()?;
    let place = documents.documented(text, &policy.notes)?;
    (Instant::now() < until).then(|| format!("{}:{}", place.file, place.line))
}
