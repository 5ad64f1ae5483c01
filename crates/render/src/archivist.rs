//! Runs, lessons and messages in the words of the Archivist's document: `Episode`,
//! `AgentMemory`, and the messages for a display. The one place that translates them.

use hardwon_core::episode::Usage;
use hardwon_core::foreign::{OpenagentsEpisode, OpenagentsEvidence, OpenagentsLesson};
use hardwon_core::lesson::{Kind, Lesson, Origin};
use hardwon_core::reflect::summary;
use hardwon_core::run::{Outcome, Run, RunKind};
use hardwon_core::scope::{Bound, Dimension};
use hardwon_core::time::Timestamp;
use serde_json::{Value, json};

use crate::answer::{MessageBody, MessageWithLessons};
use crate::atif::atif;
use crate::openagents;

/// The categories that the document knows.
const CATEGORIES: &[&str] = &[
    "heuristic",
    "anti_pattern",
    "tool_usage",
    "provider_quirk",
    "test_strategy",
    "infra",
    "prompting",
    "bugfix_pattern",
];

pub fn episode(run: &Run, project: &str) -> OpenagentsEpisode {
    let about = &run.episode;
    OpenagentsEpisode {
        id: run.id.to_string(),
        project_root: Some(project.to_owned()),
        task_id: run.task.clone(),
        subtask_id: about.subtask.clone(),
        session_id: Some(session(run)),
        kind: kind(run).to_owned(),
        started_at: Some(started(run)),
        finished_at: Some(run.finished.unwrap_or_else(|| started(run))),
        status: status(run).to_owned(),
        summary: summary(run),
        tags: run.tags.iter().cloned().collect(),
        trajectories: about.trajectories.iter().cloned().collect(),
        usage: about.usage,
    }
}

pub(crate) fn episode_json(run: &Run, project: &str) -> Value {
    parsed(&openagents::episode_line(&episode(run, project)))
}

/// A lesson as an `AgentMemory`.
pub fn memory(lesson: &Lesson) -> OpenagentsLesson {
    let side = |dimension| lesson.scope.0.get(&dimension).cloned();
    OpenagentsLesson {
        id: lesson.id.to_string(),
        created_at: Some(lesson.created_at),
        scope: Bound::of(lesson.project.is_none(), &lesson.scope).word().to_owned(),
        project_root: lesson.project.as_ref().map(ToString::to_string),
        repo_id: side(Dimension::Repo),
        task_id: side(Dimension::Task),
        provider: side(Dimension::Provider),
        tool: side(Dimension::Tool),
        category: category(lesson).to_owned(),
        tags: lesson.tags.clone(),
        importance: lesson.importance,
        summary: lesson.text.as_str().to_owned(),
        rule: lesson.guidance.rule.clone(),
        detail: lesson.guidance.detail.clone(),
        evidence: OpenagentsEvidence {
            episode_ids: lesson.last_seen_run.iter().map(ToString::to_string).collect(),
            ..OpenagentsEvidence::default()
        },
        source: source(lesson).to_owned(),
        // Its effects give how often it was shown: each is one root run.
        usage_count: lesson.effects.n_shown(),
        superseded_by: lesson.superseded_by.as_ref().map(ToString::to_string),
        ..OpenagentsLesson::default()
    }
}

pub(crate) fn memory_json(lesson: &Lesson) -> Value {
    parsed(&openagents::lesson_line(&memory(lesson)))
}

/// What was used up, if anything is known of it.
pub(crate) fn usage_json(usage: &Usage) -> Option<Value> {
    let episode = OpenagentsEpisode { usage: *usage, ..OpenagentsEpisode::default() };
    parsed(&openagents::episode_line(&episode)).get("usage").cloned()
}

/// What was done in a run, step by step: an ATIF trajectory.
pub(crate) fn trajectory(run: &Run) -> Value {
    parsed(&atif(run))
}

/// The session, or the root run if it has none.
fn session(run: &Run) -> String {
    run.episode.session.clone().unwrap_or_else(|| run.root.to_string())
}

/// When it began, as far as that is known.
pub(crate) fn started(run: &Run) -> Timestamp {
    run.started.or(run.finished).unwrap_or(run.recorded_at)
}

/// How it ended. The document has no word for an unknown outcome.
pub(crate) fn status(run: &Run) -> &'static str {
    run.outcome.unwrap_or(Outcome::Partial).word()
}

fn kind(run: &Run) -> &'static str {
    match (run.kind, &run.parent) {
        (RunKind::Healer, _) => "healer_run",
        (RunKind::Subagent, _) | (_, Some(_)) => "subagent_run",
        (_, None) => "orchestrator_run",
    }
}

fn category(lesson: &Lesson) -> &str {
    let known = lesson.category.as_deref().filter(|word| CATEGORIES.contains(word));
    known.unwrap_or(match lesson.kind {
        Kind::AntiPattern => "anti_pattern",
        Kind::Pattern | Kind::Hint | Kind::Rule | Kind::Preference => "heuristic",
        Kind::Precedent | Kind::Fact => "heuristic",
    })
}

fn source(lesson: &Lesson) -> &'static str {
    match lesson.origin {
        Origin::User => "manual",
        Origin::Reviewer | Origin::Agent | Origin::Import | Origin::Team => "archivist",
    }
}

/// A message for the document's display; nothing for what it has no word for.
pub fn message(shown: &MessageWithLessons) -> Option<Value> {
    let ts = shown.message.at.to_string();
    let value = match &shown.message.body {
        MessageBody::ReflectionStart { scenario, session, run } => {
            let run = run.as_ref().map(ToString::to_string);
            let session = session.clone().or(run).unwrap_or_default();
            json!({"type": "archivist_reflection_start", "scenario": scenario.word(),
                   "sessionId": session, "ts": ts})
        }
        MessageBody::ReflectionComplete { scenario, n_created, n_updated } => {
            json!({"type": "archivist_reflection_complete", "scenario": scenario.word(),
                   "memoriesCreated": n_created, "memoriesUpdated": n_updated, "ts": ts})
        }
        MessageBody::LessonHighlight { lesson, importance } => {
            let summary = shown.lessons.first().map_or("", |named| named.text.as_str());
            let id = shown.id_in_file.as_deref().unwrap_or(lesson.as_str());
            json!({"type": "archivist_memory_highlight", "memoryId": id,
                   "summary": summary, "importance": crate::answer::value::round(*importance),
                   "ts": ts})
        }
        MessageBody::LessonsAdded { n, scenario, .. } => {
            let scenario = (*scenario)?.word();
            json!({"type": "archivist_memories_added", "count": n, "scenario": scenario, "ts": ts})
        }
        MessageBody::Promoted { .. } | MessageBody::Decayed { .. } => return None,
    };
    Some(value)
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).expect("a line that we wrote is JSON")
}

#[cfg(test)]
mod tests {
    use hardwon_core::ids::{LessonId, ProjectId};
    use hardwon_core::reflect::Scenario;

    use super::*;
    use crate::answer::Message;
    use crate::samples;

    #[test]
    fn messages_have_the_documents_fields_and_no_other() {
        let scenario = Scenario::SessionFailed;
        let lesson = LessonId::given("l-1");
        let lessons = vec![lesson.clone()];
        let session = Some("s-9".to_owned());
        let cases = [
            (
                MessageBody::ReflectionStart { scenario, session, run: None },
                json!({"type": "archivist_reflection_start", "scenario": "session_failed",
                    "sessionId": "s-9"}),
            ),
            (
                MessageBody::ReflectionComplete { scenario, n_created: 2, n_updated: 1 },
                json!({"type": "archivist_reflection_complete", "scenario": "session_failed",
                    "memoriesCreated": 2, "memoriesUpdated": 1}),
            ),
            (
                MessageBody::LessonHighlight { lesson, importance: 0.8 },
                json!({"type": "archivist_memory_highlight", "memoryId": "l-1",
                    "summary": "Run the tests first", "importance": 0.8}),
            ),
            (
                MessageBody::LessonsAdded {
                    n: 1,
                    scenario: Some(scenario),
                    lessons: lessons.clone(),
                },
                json!({"type": "archivist_memories_added", "count": 1,
                    "scenario": "session_failed"}),
            ),
            (MessageBody::LessonsAdded { n: 1, scenario: None, lessons }, Value::Null),
        ];
        for (body, mut expected) in cases {
            let lessons = vec![samples::named("l-1", "Run the tests first")];
            let (at, project) = (samples::at(3), ProjectId::new("demo"));
            let message = Message { number: None, at, project, body };
            let written =
                super::message(&MessageWithLessons { message, lessons, id_in_file: None });
            if !expected.is_null() {
                expected["ts"] = json!("2026-04-03T14:10:00Z");
            }
            assert_eq!(written.unwrap_or_default(), expected);
        }
    }

    #[test]
    fn a_run_is_an_episode_with_every_required_field() {
        let episode = episode_json(&samples::run("r7", 3), "demo");
        let required = "id projectRoot sessionId kind startedAt finishedAt status summary tags \
                        trajectories";
        for field in required.split_whitespace() {
            assert!(!episode[field].is_null(), "{field} is missing in {episode}");
        }
        assert_eq!([&episode["kind"], &episode["status"]], ["orchestrator_run", "failed"]);
    }

    #[test]
    fn a_lesson_is_a_memory_in_the_documents_words() {
        let memory = memory_json(&samples::lesson("l-1", samples::SQL));
        assert_eq!(memory["category"], "heuristic", "security is none of its categories");
        assert_eq!((&memory["scope"], &memory["source"]), (&json!("project"), &json!("archivist")));
        assert_eq!(memory["summary"], samples::SQL);
        assert_eq!(memory["evidence"]["episodeIds"], json!(["r4"]));
    }
}
