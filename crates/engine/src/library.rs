//! Memory as a library, for pipelines written in Rust: record a run, add lessons, ask
//! for those that matter, note that they were used, put one away. Each is one of the use
//! cases under the name that orchestrators know it by; commands and library cannot differ.
//!
//! ```
//! use hardwon_engine::lesson::Kind;
//! use hardwon_engine::need::Need;
//! use hardwon_engine::run::{Outcome, RunKind};
//! use hardwon_engine::{AddRequest, OpenMemory, RunStated, library};
//!
//! # fn main() -> Result<(), hardwon_engine::EngineError> {
//! let OpenMemory { mut memory, call } = OpenMemory::throwaway("shop", "2026-04-03T14:00:00Z")?;
//! library::record_run(&mut memory, &call, RunStated {
//!     id: Some("r1".to_owned()),
//!     kind: Some(RunKind::Orchestrator),
//!     outcome: Some(Outcome::Failed),
//!     ..RunStated::default()
//! })?;
//! let wish = |text: &str| AddRequest { text: text.to_owned(), ..AddRequest::default() };
//! let added = library::add_lessons(&mut memory, &call, &[
//!     wish("Run the type check before committing anything"),
//!     wish("Shard the test suite before a run over night"),
//! ]);
//! let added: Vec<_> = added.into_iter().collect::<Result<_, _>>()?;
//!
//! let need = Need { text: Some("fix the type errors".to_owned()), ..Need::default() };
//! let found = library::query(&memory, &call, &need, Some(5))?;
//! assert_eq!(found[0].lesson.text.as_str(), "Run the type check before committing anything");
//!
//! library::archive(&mut memory, &call, added[1].id.as_str(), Some(added[0].id.as_str()))?;
//! assert_eq!(library::query(&memory, &call, &need, None)?.len(), 1);
//! # Ok(())
//! # }
//! ```

use hardwon_core::event::{Event, Record, RunStated, Source, Sourced};
use hardwon_core::lesson::{Decision, Lesson, Origin};
use hardwon_core::need::Need;
use hardwon_render::answer::{Answer, InjectedLesson, Learned};

use crate::blocks::InjectRequest;
use crate::blocks::inject;
use crate::call::Call;
use crate::error::EngineError;
use crate::lessons::review;
use crate::lessons::state::{add, forget};
use crate::lessons::{AddRequest, DecideRequest};
use crate::memory::Memory;
use crate::runs::Steps;
use crate::runs::learn;

/// Records a run by what is known of it. Saying it again, or more of it, adds to what
/// is known; the run counts once.
pub fn record_run(
    memory: &mut Memory,
    call: &Call,
    run: RunStated,
) -> Result<Answer<Learned>, EngineError> {
    let source = Source { input: "record_run".to_owned(), line: 0 };
    let events = vec![Sourced { source, event: Event::Run(run) }];
    let record = Record { events, channel: Some(Origin::Reviewer), ..Record::default() };
    learn::learn_records(memory, call, &[record], Steps::All)
}

/// States lessons, each by itself: what is wrong with one keeps no other out.
pub fn add_lessons(
    memory: &mut Memory,
    call: &Call,
    lessons: &[AddRequest],
) -> Vec<Result<Lesson, EngineError>> {
    lessons.iter().map(|lesson| Ok(add(memory, call, lesson)?.body)).collect()
}

/// The lessons that matter for this need, best first. Nothing is recorded: for that
/// there are [`crate::blocks::inject`] and [`crate::blocks::record_injection`].
pub fn query(
    memory: &Memory,
    call: &Call,
    need: &Need,
    max: Option<u32>,
) -> Result<Vec<InjectedLesson>, EngineError> {
    let request =
        InjectRequest { need: need.clone(), max_lessons: max, ..InjectRequest::default() };
    Ok(inject::compose(memory, call, &request)?.lessons)
}

/// Archives a lesson; with a replacement, that one supersedes it.
pub fn archive(
    memory: &mut Memory,
    call: &Call,
    lesson: &str,
    replacement: Option<&str>,
) -> Result<Answer<Lesson>, EngineError> {
    let Some(with) = replacement else { return forget(memory, call, lesson) };
    review::decide(
        memory,
        call,
        &DecideRequest {
            lesson: lesson.to_owned(),
            decision: Decision::Supersede,
            because: "replaced".to_owned(),
            by: None,
            with: Some(with.to_owned()),
        },
    )
}
