//! OpenAgents' own files, written as its specification has them: one JSON object a line.
//! A line that is already there is patched in place, so that everything in it that we do
//! not know, or have no reason to touch, keeps its bytes.

use hardwon_core::episode::Usage;
use hardwon_core::foreign::{OpenagentsEpisode, OpenagentsEvidence, OpenagentsLesson};
use hardwon_core::time::Timestamp;

use crate::archeflow::{Field, json_text, value_of, with_fields};

/// A field's name, and its value as JSON if it has one.
type Entry = (&'static str, Option<String>);

/// A new line of lessons.
pub fn lesson_line(lesson: &OpenagentsLesson) -> String {
    object(&lesson_fields(lesson))
}

/// A line of lessons after a change: only what differs between the two records is
/// written.
pub fn patched_lesson(raw: &[u8], from: &OpenagentsLesson, to: &OpenagentsLesson) -> Vec<u8> {
    let mut changed = differing(&lesson_fields(from), &lesson_fields(to));
    for (name, value) in &mut changed {
        if *name == "evidence" {
            *value = Some(patched_evidence(raw, &to.evidence));
        }
    }
    patched(raw, &changed)
}

/// A line of lessons after the lesson was shown.
pub fn used(raw: &[u8], usage_count: u32, last_used_at: Timestamp) -> Vec<u8> {
    let changed =
        [("usageCount", Some(usage_count.to_string())), ("lastUsedAt", Some(time(last_used_at)))];
    patched(raw, &changed)
}

/// A new line of `episodes.jsonl`.
pub fn episode_line(episode: &OpenagentsEpisode) -> String {
    object(&episode_fields(episode))
}

/// A line of `episodes.jsonl` after a change. Figures that stand there already stay, since
/// nobody said how they are spelled.
pub fn patched_episode(raw: &[u8], from: &OpenagentsEpisode, to: &OpenagentsEpisode) -> Vec<u8> {
    let mut changed = differing(&episode_fields(from), &episode_fields(to));
    let has_usage = value_of(raw, "usage").is_some_and(|usage| usage != b"null");
    changed.retain(|(name, _)| *name != "usage" || !has_usage);
    patched(raw, &changed)
}

/// Every field of a lesson, in the order of the specification.
fn lesson_fields(lesson: &OpenagentsLesson) -> Vec<Entry> {
    let OpenagentsLesson {
        id,
        created_at,
        scope,
        project_root,
        repo_id,
        task_id,
        provider,
        tool,
        category,
        tags,
        importance,
        summary,
        rule,
        detail,
        evidence,
        source,
        usage_count,
        last_used_at,
        superseded_by,
        status,
        // Of shipped shapes only, which are never written.
        confidence: _,
        applies_when: _,
    } = lesson;
    vec![
        ("id", Some(json_text(id))),
        ("createdAt", created_at.map(time)),
        ("scope", Some(json_text(scope))),
        ("projectRoot", optional(project_root)),
        ("repoId", optional(repo_id)),
        ("taskId", optional(task_id)),
        ("provider", optional(provider)),
        ("tool", optional(tool)),
        ("category", Some(json_text(category))),
        ("tags", Some(texts(tags))),
        ("importance", Some(number(*importance))),
        ("summary", Some(json_text(summary))),
        ("rule", optional(rule)),
        ("detail", optional(detail)),
        ("evidence", Some(evidence_json(evidence))),
        ("source", Some(json_text(source))),
        ("usageCount", Some(usage_count.to_string())),
        ("lastUsedAt", last_used_at.map(time)),
        ("supersededBy", optional(superseded_by)),
        ("status", optional(status)),
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

/// The evidence as it stands there, with these episodes.
fn patched_evidence(raw: &[u8], evidence: &OpenagentsEvidence) -> String {
    let there = value_of(raw, "evidence").filter(|value| value.starts_with(b"{"));
    let Some(there) = there else { return evidence_json(evidence) };
    let patched = with_fields(there, &[("episodeIds", Field::Texts(&evidence.episode_ids))]);
    String::from_utf8(patched).unwrap_or_else(|_| evidence_json(evidence))
}

/// Every field of an episode, in the order of the specification.
fn episode_fields(episode: &OpenagentsEpisode) -> Vec<Entry> {
    let OpenagentsEpisode {
        id,
        project_root,
        task_id,
        subtask_id,
        session_id,
        kind,
        started_at,
        finished_at,
        status,
        summary,
        tags,
        trajectories,
        usage,
    } = episode;
    vec![
        ("id", Some(json_text(id))),
        ("projectRoot", optional(project_root)),
        ("taskId", optional(task_id)),
        ("subtaskId", optional(subtask_id)),
        ("sessionId", optional(session_id)),
        ("kind", Some(json_text(kind))),
        ("startedAt", started_at.map(time)),
        ("finishedAt", finished_at.map(time)),
        ("status", Some(json_text(status))),
        ("summary", Some(json_text(summary))),
        ("tags", Some(texts(tags))),
        ("trajectories", Some(texts(trajectories))),
        ("usage", usage_json(usage)),
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

/// What the second record says and the first does not.
fn differing(from: &[Entry], to: &[Entry]) -> Vec<Entry> {
    let pairs = from.iter().zip(to).filter(|(old, new)| old != new);
    pairs.map(|(_, new)| new.clone()).collect()
}

fn patched(raw: &[u8], changed: &[Entry]) -> Vec<u8> {
    if changed.is_empty() {
        return raw.to_vec();
    }
    let field = |value: &'_ Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
    let values: Vec<String> = changed.iter().map(|(_, value)| field(value)).collect();
    let names = changed.iter().map(|(name, _)| *name);
    let fields: Vec<(&str, Field<'_>)> =
        names.zip(&values).map(|(name, value)| (name, Field::Json(value))).collect();
    with_fields(raw, &fields)
}

/// Fields that say nothing are left out, as the specification has them.
fn object(fields: &[Entry]) -> String {
    let entry = |(name, value): &Entry| Some(format!("{}:{}", json_text(name), value.as_ref()?));
    let entries: Vec<String> = fields.iter().filter_map(entry).collect();
    format!("{{{}}}", entries.join(","))
}

fn optional(text: &Option<String>) -> Option<String> {
    text.as_deref().map(json_text)
}

fn texts(texts: &[String]) -> String {
    let items: Vec<String> = texts.iter().map(|text| json_text(text)).collect();
    format!("[{}]", items.join(","))
}

fn time(at: Timestamp) -> String {
    json_text(&at.to_string())
}

/// Without the noise of a factor, and without a fraction where there is none.
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
    fn a_new_line_leaves_out_what_it_does_not_know() {
        assert_eq!(
            lesson_line(&lesson()),
            r#"{"id":"mem-1","scope":"project","category":"infra","tags":[],"importance":0.6,"summary":"Say it.","evidence":{"episodeIds":[],"trajectoryIds":[],"sessionIds":[],"runLogPaths":[]},"source":"archivist","usageCount":0}"#
        );
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
    fn a_showing_is_counted_in_place() {
        let raw = br#"{"usageCount":2,"z":null}"#;
        let shown = used(raw, 3, Timestamp(0));
        assert_eq!(
            String::from_utf8_lossy(&shown),
            r#"{"usageCount":3,"z":null,"lastUsedAt":"1970-01-01T00:00:00Z"}"#
        );
    }

    #[test]
    fn figures_that_stand_there_stay() {
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
