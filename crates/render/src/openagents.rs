//! OpenAgents' own files, written as its specification says: one JSON object a line.

use hardwon_core::episode::Usage;
use hardwon_core::foreign::{OpenagentsEpisode, OpenagentsEvidence, OpenagentsLesson};
use hardwon_core::time::Timestamp;

use crate::json_line::{Field, differing, object, text, texts, value_of, with_fields};

pub fn lesson_line(lesson: &OpenagentsLesson) -> String {
    object(&lesson_fields(lesson))
}

/// A line of lessons after a change: only what differs between the two records is
/// written.
pub fn patched_lesson(raw: &[u8], from: &OpenagentsLesson, to: &OpenagentsLesson) -> Vec<u8> {
    let mut changed = differing(&lesson_fields(from), lesson_fields(to));
    for (name, value) in &mut changed {
        if *name == "evidence" {
            *value = Some(patched_evidence(raw, &to.evidence));
        }
    }
    with_fields(raw, &changed)
}

/// A line of lessons after the lesson was shown.
pub fn used(raw: &[u8], usage_count: u32, last_used_at: Timestamp) -> Vec<u8> {
    let changed =
        [("usageCount", Some(usage_count.to_string())), ("lastUsedAt", Some(time(last_used_at)))];
    with_fields(raw, &changed)
}

pub fn episode_line(episode: &OpenagentsEpisode) -> String {
    object(&episode_fields(episode))
}

/// A line of `episodes.jsonl` after a change. Usage figures that are already there stay, since
/// the specification does not say how they are spelled.
pub fn patched_episode(raw: &[u8], from: &OpenagentsEpisode, to: &OpenagentsEpisode) -> Vec<u8> {
    let mut changed = differing(&episode_fields(from), episode_fields(to));
    let has_usage = value_of(raw, "usage").is_some_and(|usage| usage != b"null");
    changed.retain(|(name, _)| *name != "usage" || !has_usage);
    with_fields(raw, &changed)
}

/// Every field of a lesson, in the order of the specification.
fn lesson_fields(lesson: &OpenagentsLesson) -> Vec<Field<'static>> {
    // `confidence` and `applies_when` are only in shapes that are never written.
    vec![
        ("id", Some(text(&lesson.id))),
        ("createdAt", lesson.created_at.map(time)),
        ("scope", Some(text(&lesson.scope))),
        ("projectRoot", optional(&lesson.project_root)),
        ("repoId", optional(&lesson.repo_id)),
        ("taskId", optional(&lesson.task_id)),
        ("provider", optional(&lesson.provider)),
        ("tool", optional(&lesson.tool)),
        ("category", Some(text(&lesson.category))),
        ("tags", Some(texts(&lesson.tags))),
        ("importance", Some(number(lesson.importance))),
        ("summary", Some(text(&lesson.summary))),
        ("rule", optional(&lesson.rule)),
        ("detail", optional(&lesson.detail)),
        ("evidence", Some(evidence_json(&lesson.evidence))),
        ("source", Some(text(&lesson.source))),
        ("usageCount", Some(lesson.usage_count.to_string())),
        ("lastUsedAt", lesson.last_used_at.map(time)),
        ("supersededBy", optional(&lesson.superseded_by)),
        ("status", optional(&lesson.status)),
    ]
}

fn evidence_json(evidence: &OpenagentsEvidence) -> String {
    let OpenagentsEvidence { episode_ids, trajectory_ids, session_ids, run_log_paths } = evidence;
    object(&[
        ("episodeIds", Some(texts(episode_ids))),
        ("trajectoryIds", Some(texts(trajectory_ids))),
        ("sessionIds", Some(texts(session_ids))),
        ("runLogPaths", Some(texts(run_log_paths))),
    ])
}

/// The evidence as the line has it, with these episodes and what they name. A list that the
/// line leaves out is added only if there is something in it.
fn patched_evidence(raw: &[u8], evidence: &OpenagentsEvidence) -> String {
    let there = value_of(raw, "evidence").filter(|value| value.starts_with(b"{"));
    let Some(there) = there else { return evidence_json(evidence) };
    let lists = [
        ("trajectoryIds", &evidence.trajectory_ids),
        ("sessionIds", &evidence.session_ids),
        ("runLogPaths", &evidence.run_log_paths),
    ];
    let named = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let named = named.map(|(name, list)| (name, Some(texts(list))));
    let episodes = ("episodeIds", Some(texts(&evidence.episode_ids)));
    let fields: Vec<Field<'_>> = std::iter::once(episodes).chain(named).collect();
    let patched = with_fields(there, &fields);
    String::from_utf8(patched).unwrap_or_else(|_| evidence_json(evidence))
}

/// Every field of an episode, in the order of the specification.
fn episode_fields(episode: &OpenagentsEpisode) -> Vec<Field<'static>> {
    vec![
        ("id", Some(text(&episode.id))),
        ("projectRoot", optional(&episode.project_root)),
        ("taskId", optional(&episode.task_id)),
        ("subtaskId", optional(&episode.subtask_id)),
        ("sessionId", optional(&episode.session_id)),
        ("kind", Some(text(&episode.kind))),
        ("startedAt", episode.started_at.map(time)),
        ("finishedAt", episode.finished_at.map(time)),
        ("status", Some(text(&episode.status))),
        ("summary", Some(text(&episode.summary))),
        ("tags", Some(texts(&episode.tags))),
        ("trajectories", Some(texts(&episode.trajectories))),
        ("usage", usage_json(&episode.usage)),
    ]
}

fn usage_json(usage: &Usage) -> Option<String> {
    let Usage { tokens_in, tokens_out, tokens_cached, cost_usd, duration_s } = usage;
    let count = |count: &Option<u64>| count.map(|count| count.to_string());
    let json = object(&[
        ("inputTokens", count(tokens_in)),
        ("outputTokens", count(tokens_out)),
        ("cachedTokens", count(tokens_cached)),
        ("costUsd", cost_usd.map(number)),
        ("durationMs", duration_s.map(|seconds| number((seconds * 1000.0).round()))),
    ]);
    (!usage.is_empty()).then_some(json)
}

fn optional(value: &Option<String>) -> Option<String> {
    value.as_deref().map(text)
}

fn time(at: Timestamp) -> String {
    text(&at.to_string())
}

/// Without rounding noise, and without a fraction if it is a whole number.
fn number(value: f64) -> String {
    format!("{}", (value * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson() -> OpenagentsLesson {
        OpenagentsLesson {
            id: "mem-1".to_owned(),
            scope: "project".to_owned(),
            category: "infra".to_owned(),
            importance: 0.6,
            summary: "Say it.".to_owned(),
            source: "archivist".to_owned(),
            ..OpenagentsLesson::default()
        }
    }

    #[test]
    fn only_what_differs_is_written() {
        let raw = b"{ \"x\" : 1e2,\"evidence\": { \"odd\":[ ],\"episodeIds\":[ ] } , \"importance\":80 }\r";
        let from = lesson();
        assert_eq!(patched_lesson(raw, &from, &from), raw);
        let mut to = OpenagentsLesson { importance: 0.57 * 100.0, ..lesson() };
        to.evidence.episode_ids.push("e\"1".to_owned());
        assert_eq!(
            String::from_utf8_lossy(&patched_lesson(raw, &from, &to)),
            "{ \"x\" : 1e2,\"evidence\": { \"odd\":[ ],\"episodeIds\":[\"e\\\"1\"] } , \"importance\":57 }\r"
        );
    }

    #[test]
    fn existing_usage_stays() {
        let from = OpenagentsEpisode { id: "e".to_owned(), ..OpenagentsEpisode::default() };
        let usage = Usage { cost_usd: Some(0.5), ..Usage::default() };
        let to = OpenagentsEpisode { usage, status: "failed".to_owned(), ..from.clone() };
        let raw = br#"{"id":"e","status":"","usage":{"kosten":1}}"#;
        assert_eq!(
            String::from_utf8_lossy(&patched_episode(raw, &from, &to)),
            r#"{"id":"e","status":"failed","usage":{"kosten":1}}"#
        );
    }
}
