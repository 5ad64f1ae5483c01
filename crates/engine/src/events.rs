//! Announces what happens to memory to those who follow the stream. That never fails the
//! caller. A message holds ids, numbers and times, and no words of lessons: those are looked
//! up when the stream is read.

use hardwon_core::change::Change;
use hardwon_core::ids::RunId;
use hardwon_core::reflect::Scenario;
use hardwon_render::answer::{Message, MessageBody, Named, RunLearned};

use crate::lookup;
use crate::memory::{Call, Memory};

/// Most lessons that one message names.
const MAX_LESSONS: usize = 50;

/// Announces these at once. Never fails: memory does not depend on it.
pub(crate) fn tell_all(memory: &Memory, call: &Call, body: Vec<MessageBody>) {
    let Some(stream) = memory.events.as_ref().filter(|_| !body.is_empty()) else { return };
    let (at, project) = (call.now, &call.project);
    let message = |mut body: MessageBody| {
        if let MessageBody::LessonsAdded { lessons, .. } = &mut body {
            lessons.truncate(MAX_LESSONS);
        }
        Message { number: None, at, project: project.clone(), body }
    };
    let messages: Vec<Message> = body.into_iter().map(message).collect();
    let _ = stream.append(messages);
}

/// Tells what a batch that was written did to lessons.
pub(crate) fn tell_changes(
    memory: &Memory,
    call: &Call,
    changes: &[Change],
    scenario: Option<Scenario>,
) {
    if memory.events.is_some() {
        tell_all(memory, call, MessageBody::for_changes(changes, scenario));
    }
}

/// Announces that a reflection on a session, or on a run, begins.
pub(crate) fn tell_start(
    memory: &Memory,
    call: &Call,
    scenario: Scenario,
    session: Option<&str>,
    run: Option<&RunId>,
) {
    let session = session.and_then(|session| memory.gate.word(session));
    let run = run.map(|run| memory.safe_run(run));
    tell_all(memory, call, vec![MessageBody::ReflectionStart { scenario, session, run }]);
}

/// Tells how looking back on a run that was just learned went.
pub(crate) fn tell_looked_back(memory: &Memory, call: &Call, scenario: Scenario, run: &RunLearned) {
    match &run.reflection {
        Some(looked) => {
            tell_complete(memory, call, looked.scenario, &looked.created, looked.updated.len());
        }
        None => tell_complete(memory, call, scenario, &[], 0),
    }
}

/// Tells how looking back went, and which lessons it started.
pub(crate) fn tell_complete(
    memory: &Memory,
    call: &Call,
    scenario: Scenario,
    created: &[Named],
    n_updated: usize,
) {
    if memory.events.is_none() {
        return;
    }
    let (n_created, ids) = (created.len(), created.iter().map(|named| named.id.0.clone()));
    let mut body = vec![MessageBody::ReflectionComplete { scenario, n_created, n_updated }];
    // Failing to read a lesson is no failure: it was only to be highlighted.
    let lessons = lookup::lessons_with(memory, &call.project, ids.collect()).unwrap_or_default();
    body.extend(lessons.into_iter().map(|lesson| MessageBody::LessonHighlight {
        importance: lesson.importance,
        lesson: lesson.id,
    }));
    tell_all(memory, call, body);
}

#[cfg(test)]
mod tests;
