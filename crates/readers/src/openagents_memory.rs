//! What does OpenAgents remember? Reads the files of the Archivist's specification
//! (`episodes.jsonl`, `lessons.jsonl`, `lessons-archive.jsonl`, `global-lessons.jsonl`)
//! and, for import, the two shapes that were shipped in its place. Every line is kept
//! with its bytes, usable or not, so that the file can be written back as it was.

use hardwon_core::episode::Usage;
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, OpenagentsEpisode, OpenagentsEvidence, OpenagentsLesson};
use hardwon_core::list;
use serde_json::Value;

use crate::archeflow_memory::{file, object, unknown_fields};
use crate::fields::Fields;
use crate::notes::Notes;

/// Importance where a record leaves it out.
const USUAL_IMPORTANCE: f64 = 0.5;

/// Lessons, active, archived or global.
pub fn openagents_lessons(
    name: &str,
    bytes: &[u8],
) -> (ForeignFile<OpenagentsLesson>, Vec<Problem>) {
    file(name, bytes, lesson)
}

/// Runs, as the Archivist sums them up.
pub fn openagents_episodes(
    name: &str,
    bytes: &[u8],
) -> (ForeignFile<OpenagentsEpisode>, Vec<Problem>) {
    file(name, bytes, episode)
}

/// The shipped `archivist/lessons.jsonl`, as lessons of the specification.
pub fn openagents_shipped_lessons(
    name: &str,
    bytes: &[u8],
) -> (ForeignFile<OpenagentsLesson>, Vec<Problem>) {
    file(name, bytes, shipped_lesson)
}

/// A line of the shipped `memories.jsonl`.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenagentsMemory {
    /// Something that is known, or how something is done.
    Lesson(OpenagentsLesson),
    /// Something that happened.
    Episode(OpenagentsEpisode),
}

/// The shipped `memories.jsonl`.
pub fn openagents_memories(
    name: &str,
    bytes: &[u8],
) -> (ForeignFile<OpenagentsMemory>, Vec<Problem>) {
    file(name, bytes, memory)
}

/// The lesson that one line states in any of the three shapes, without its problems.
pub fn openagents_lesson(line: &str) -> Option<OpenagentsLesson> {
    let notes = Notes::default();
    let object = object(line.as_bytes(), &notes)?;
    let fields = Fields::new(&object, &notes);
    if object.contains_key("memoryType") {
        return match memory(fields)? {
            OpenagentsMemory::Lesson(lesson) => Some(lesson),
            OpenagentsMemory::Episode(_) => None,
        };
    }
    if object.contains_key("failurePatterns") { shipped_lesson(fields) } else { lesson(fields) }
}

/// Names of fields that a record has besides those of the specification.
pub fn openagents_unknown_fields(raw: &[u8]) -> Vec<String> {
    unknown_fields(raw, list!("fields.txt", "openagents lesson"))
}

fn lesson(fields: Fields<'_>) -> Option<OpenagentsLesson> {
    let reason = "a lesson without \"summary\" was put aside";
    let summary = fields.needed_words("summary", reason)?;
    Some(OpenagentsLesson {
        usage_count: fields.counter("usageCount", 0),
        importance: importance(fields),
        evidence: evidence(fields.inside("evidence")),
        created_at: fields.time_or_empty("createdAt"),
        last_used_at: fields.time_or_empty("lastUsedAt"),
        id: fields.text("id").unwrap_or_default(),
        scope: fields.text("scope").unwrap_or_else(|| "project".to_owned()),
        project_root: fields.words("projectRoot"),
        repo_id: fields.words("repoId"),
        task_id: fields.words("taskId"),
        provider: fields.words("provider"),
        tool: fields.words("tool"),
        category: fields.text("category").unwrap_or_else(|| "heuristic".to_owned()),
        tags: fields.texts("tags").unwrap_or_default(),
        summary,
        rule: fields.words("rule"),
        detail: fields.words("detail"),
        source: fields.text("source").unwrap_or_else(|| "archivist".to_owned()),
        superseded_by: fields.words("supersededBy"),
        status: fields.words("status"),
        confidence: None,
        applies_when: None,
    })
}

fn evidence(fields: Fields<'_>) -> OpenagentsEvidence {
    OpenagentsEvidence {
        episode_ids: fields.texts("episodeIds").unwrap_or_default(),
        trajectory_ids: fields.texts("trajectoryIds").unwrap_or_default(),
        session_ids: fields.texts("sessionIds").unwrap_or_default(),
        run_log_paths: fields.texts("runLogPaths").unwrap_or_default(),
    }
}

fn episode(fields: Fields<'_>) -> Option<OpenagentsEpisode> {
    let id = fields.needed_words("id", "an episode without \"id\" was put aside")?;
    Some(OpenagentsEpisode {
        id,
        started_at: fields.time_or_empty("startedAt"),
        finished_at: fields.time_or_empty("finishedAt"),
        usage: usage(fields.inside("usage")),
        project_root: fields.words("projectRoot"),
        task_id: fields.words("taskId"),
        subtask_id: fields.words("subtaskId"),
        session_id: fields.words("sessionId"),
        kind: fields.text("kind").unwrap_or_default(),
        status: fields.text("status").unwrap_or_default(),
        summary: fields.text("summary").unwrap_or_default(),
        tags: fields.texts("tags").unwrap_or_default(),
        trajectories: fields.texts("trajectories").unwrap_or_default(),
    })
}

/// The specification names the figures of a run and does not say how they are spelled:
/// the usual spellings are known.
fn usage(fields: Fields<'_>) -> Usage {
    let first = |names: &[&str]| names.iter().find_map(|name| fields.value(name)?.as_f64());
    let count = |names: &[&str]| first(names).filter(|n| *n >= 0.0).map(|n| n as u64);
    let in_ms = first(&["durationMs", "duration_ms"]).map(|ms| ms / 1000.0);
    Usage {
        tokens_in: count(&["inputTokens", "tokensIn", "promptTokens", "tokens_in"]),
        tokens_out: count(&["outputTokens", "tokensOut", "completionTokens", "tokens_out"]),
        tokens_cached: count(&["cachedTokens", "tokensCached", "tokens_cached"]),
        cost_usd: first(&["costUsd", "totalCostUsd", "cost", "cost_usd"]),
        duration_s: in_ms.or_else(|| first(&["durationSeconds", "durationS", "duration_s"])),
    }
}

/// A lesson of the shipped Archivist: what failed and what worked are lists of their own.
fn shipped_lesson(fields: Fields<'_>) -> Option<OpenagentsLesson> {
    let stated = lesson(fields)?;
    let confidence = fields.number_up_to("confidence", 1.0);
    let failed = fields.texts("failurePatterns").unwrap_or_default();
    let worked = fields.texts("successPatterns").unwrap_or_default();
    let skills = fields.texts("skillsMentioned").unwrap_or_default();
    let named = [fields.words("suite"), fields.words("model")].into_iter().flatten();
    let detail: Vec<String> = [("Fails", &failed), ("Works", &worked)]
        .into_iter()
        .filter(|(_, patterns)| !patterns.is_empty())
        .map(|(word, patterns)| format!("{word}: {}.", patterns.join("; ")))
        .collect();
    let is_anti_pattern = worked.is_empty() && !failed.is_empty();
    let source = if stated.source == "manual" { "manual" } else { "archivist" };
    Some(OpenagentsLesson {
        category: if is_anti_pattern { "anti_pattern" } else { "heuristic" }.to_owned(),
        // The task it comes from does not limit where it is of use.
        scope: "project".to_owned(),
        tags: stated.tags.into_iter().chain(named).chain(skills).collect(),
        detail: Some(detail.join(" ")).filter(|detail| !detail.is_empty()),
        source: source.to_owned(),
        confidence: confidence.or(Some(USUAL_IMPORTANCE)),
        ..stated
    })
}

fn memory(fields: Fields<'_>) -> Option<OpenagentsMemory> {
    match fields.silent("memoryType") {
        Some("episodic") => past_task(fields).map(OpenagentsMemory::Episode),
        Some("semantic") => knowledge(fields, None).map(OpenagentsMemory::Lesson),
        Some("procedural") => knowledge(fields, Some("tool_usage")).map(OpenagentsMemory::Lesson),
        _ => {
            let reason = "field \"memoryType\" is not one of episodic, semantic, procedural";
            fields.notes.problem(reason);
            None
        }
    }
}

/// Semantic: a piece of knowledge with its sort. Procedural: a skill and its triggers.
fn knowledge(fields: Fields<'_>, category: Option<&str>) -> Option<OpenagentsLesson> {
    let content = fields.inside("content");
    let text = content.words("knowledge");
    let (context, stated) = (content.words("context"), content.words("category"));
    let examples = content.texts("examples").unwrap_or_default();
    let triggers = content.texts("triggerPatterns").unwrap_or_default();
    let created_at = fields.time_or_empty("createdAt");
    let last_used_at = fields.time_or_empty("lastAccessedAt");
    let usage_count = fields.counter("accessCount", 0);
    let importance = importance(fields);
    let reason = "a memory without \"description\" was put aside";
    let summary = text.or_else(|| fields.needed_words("description", reason))?;
    let is_user = fields.text("source").as_deref() == Some("user");
    Some(OpenagentsLesson {
        id: fields.text("id").unwrap_or_default(),
        created_at,
        // What belonged to one session is over with it.
        scope: fields.text("scope").filter(|s| s == "global").unwrap_or("project".to_owned()),
        category: category.map(str::to_owned).or(stated).unwrap_or("heuristic".to_owned()),
        tags: fields.texts("tags").unwrap_or_default(),
        importance,
        summary,
        detail: Some(examples.join("; ")).filter(|examples| !examples.is_empty()),
        source: if is_user { "manual" } else { "archivist" }.to_owned(),
        usage_count,
        last_used_at: last_used_at.filter(|_| usage_count > 0),
        status: fields.words("status"),
        applies_when: context.or((!triggers.is_empty()).then(|| triggers.join(", "))),
        ..OpenagentsLesson::default()
    })
}

/// Episodic: a task and how it went.
fn past_task(fields: Fields<'_>) -> Option<OpenagentsEpisode> {
    let content = fields.inside("content");
    let outcome = content.text("outcome").unwrap_or_default();
    let duration_ms = content.value("durationMs").and_then(Value::as_f64);
    let finished_at = fields.time_or_empty("createdAt");
    let id = fields.needed_words("id", "a memory without \"id\" was put aside")?;
    Some(OpenagentsEpisode {
        id,
        session_id: fields.words("sessionId"),
        finished_at,
        status: if outcome == "failure" { "failed".to_owned() } else { outcome },
        summary: fields.text("description").unwrap_or_default(),
        tags: fields.texts("tags").unwrap_or_default(),
        usage: Usage { duration_s: duration_ms.map(|ms| ms / 1000.0), ..Usage::default() },
        ..OpenagentsEpisode::default()
    })
}

/// A number of either scale, or one of the shipped words.
fn importance(fields: Fields<'_>) -> f64 {
    match fields.silent("importance") {
        Some("trivial") => 0.1,
        Some("low") => 0.3,
        Some("medium") => 0.5,
        Some("high") => 0.7,
        Some("critical") => 1.0,
        _ => fields.number_up_to("importance", 100.0).unwrap_or(USUAL_IMPORTANCE),
    }
}
