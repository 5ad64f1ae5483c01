//! What does ArcheFlow remember? Reads its memory files (`lessons.jsonl`,
//! `archive.jsonl`, `audit.jsonl`) and its index of runs, and knows the grammar of its
//! names. Every line is kept with its bytes, usable or not, so that the file can be
//! written back as it was.

use hardwon_core::event::Problem;
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignFile, ForeignLine};
use hardwon_core::list;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::{self, NotObject, Object};
use crate::lines::{BYTE_ORDER_MARK, Limits, usable};
use crate::notes::Notes;

const MAX_ID_DIGITS: usize = 9;
const MAX_TAGS: usize = 5;
const MIN_TAG_BYTES: usize = 4;

/// Lessons, active or archived.
pub fn archeflow_lessons(name: &str, bytes: &[u8]) -> (ForeignFile<ArcheflowLesson>, Vec<Problem>) {
    file(name, bytes, lesson)
}

/// What was put into prompts, and whether it helped.
pub fn archeflow_audit(name: &str, bytes: &[u8]) -> (ForeignFile<ArcheflowAudit>, Vec<Problem>) {
    file(name, bytes, audit)
}

/// The ids of finished runs, in the order of the index.
pub fn archeflow_index(name: &str, bytes: &[u8]) -> (Vec<String>, Vec<Problem>) {
    let (index, problems) = file(name, bytes, indexed_run);
    (index.lines.into_iter().filter_map(|line| line.record).collect(), problems)
}

/// The lesson that one line states, without its problems.
pub fn archeflow_lesson(line: &str) -> Option<ArcheflowLesson> {
    let notes = Notes::default();
    lesson(Fields::new(&object(line.as_bytes(), &notes)?, &notes))
}

/// The id of a line that may be of no use otherwise.
pub fn archeflow_line_id(raw: &[u8]) -> Option<String> {
    let object = object(raw, &Notes::default())?;
    object.get("id")?.as_str().map(str::to_owned)
}

/// Names of fields that a record has besides ArcheFlow's own.
pub fn archeflow_unknown_fields(raw: &[u8]) -> Vec<String> {
    unknown_fields(raw, list!("fields.txt", "archeflow lesson"))
}

pub(crate) fn unknown_fields(raw: &[u8], known: &[&str]) -> Vec<String> {
    let object = object(raw, &Notes::default()).unwrap_or_default();
    object.keys().filter(|name| !known.contains(&name.as_str())).cloned().collect()
}

/// Whether a text is one JSON value, such as the data of an event.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether a text can be the id of a run: a letter or digit, then letters, digits, `.`,
/// `_` and `-`, never two dots in a row. Ids become file names there.
pub fn archeflow_run_name(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && text.bytes().all(is_inner)
        && !text.contains("..")
}

/// The number of an id such as `m-007`; other ids have none.
pub fn archeflow_number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix("m-")?;
    let is_number = digits.len() <= MAX_ID_DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

pub fn archeflow_id(number: u64) -> String {
    format!("m-{number:03}")
}

/// The tags that ArcheFlow gives a new lesson: its first long words, each as often as it
/// comes.
pub fn archeflow_tags(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let long = words.filter(|word| word.len() >= MIN_TAG_BYTES);
    long.take(MAX_TAGS).map(str::to_ascii_lowercase).collect()
}

/// Reads each line by itself: no line can spoil another.
pub(crate) fn file<T>(
    name: &str,
    bytes: &[u8],
    read: impl Fn(Fields<'_>) -> Option<T>,
) -> (ForeignFile<T>, Vec<Problem>) {
    let notes = Notes::new(name, Limits::default().n_problems);
    let line = |(raw, number): (&[u8], u64)| {
        notes.go_to(number);
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let mark = if number == 1 { BYTE_ORDER_MARK } else { b"" };
        let content = raw.strip_prefix(mark).unwrap_or(raw);
        let object = object(content.strip_suffix(b"\r").unwrap_or(content), &notes);
        let record = object.and_then(|object| read(Fields::new(&object, &notes)));
        ForeignLine { raw: raw.to_vec(), record }
    };
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').zip(1..).map(line).collect();
    let has_end = bytes.ends_with(b"\n");
    (ForeignFile { lines, has_end }, notes.into_problems())
}

/// The object of a line; nothing if the line is blank, nothing and a problem if it is not an
/// object.
pub(crate) fn object(line: &[u8], notes: &Notes) -> Option<Object> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let limits = Limits::default();
    let parsed = usable(line, limits.line_bytes).and_then(|text| {
        json::parse(text, limits.depth).map_err(|reason: NotObject| reason.to_string())
    });
    match parsed {
        Ok(parsed) => Some(parsed.checked(notes)),
        Err(reason) => {
            notes.problem(reason);
            None
        }
    }
}

fn lesson(fields: Fields<'_>) -> Option<ArcheflowLesson> {
    // First, so that a line that states no lesson costs one complaint, not one a field.
    let reason = "a lesson without \"description\" was put aside";
    let description = fields.needed_words("description", reason)?;
    let usual = ArcheflowLesson::default();
    Some(ArcheflowLesson {
        frequency: fields.counter("frequency", usual.frequency),
        runs_since_last_seen: fields.counter("runs_since_last_seen", usual.runs_since_last_seen),
        ts: fields.time_or_empty("ts"),
        id: fields.text("id").unwrap_or(usual.id),
        run_id: fields.text("run_id").unwrap_or(usual.run_id),
        kind: fields.text("type").unwrap_or(usual.kind),
        source: fields.text("source").unwrap_or(usual.source),
        description,
        severity: fields.text("severity").unwrap_or(usual.severity),
        domain: fields.text("domain").unwrap_or(usual.domain),
        tags: fields.texts("tags").unwrap_or(usual.tags),
        archetype: fields.text("archetype"),
        last_seen_run: fields.text("last_seen_run").unwrap_or(usual.last_seen_run),
    })
}

fn audit(fields: Fields<'_>) -> Option<ArcheflowAudit> {
    if fields.silent("type") == Some("effectiveness_check") {
        return check(fields);
    }
    if !fields.value("lessons_injected").is_some_and(Value::is_array) {
        fields.notes.problem("neither an injection nor a check of effectiveness");
        return None;
    }
    Some(ArcheflowAudit::Injection {
        ts: fields.time_or_empty("ts"),
        run_id: fields.text("run_id").unwrap_or_default(),
        domain: fields.text("domain").unwrap_or_default(),
        archetype: fields.text("archetype").unwrap_or_default(),
        lessons: fields.texts("lessons_injected").unwrap_or_default(),
    })
}

fn check(fields: Fields<'_>) -> Option<ArcheflowAudit> {
    let effectiveness = fields.silent("effectiveness");
    if !matches!(effectiveness, Some("helpful" | "ineffective")) {
        fields.notes.problem("field \"effectiveness\" is not one of helpful, ineffective");
        return None;
    }
    Some(ArcheflowAudit::Check {
        overlap_pct: fields.counter("keyword_overlap_pct", 0),
        ts: fields.time_or_empty("ts"),
        run_id: fields.text("run_id").unwrap_or_default(),
        lesson_id: fields.text("lesson_id").unwrap_or_default(),
        lesson_desc: fields.text("lesson_desc").unwrap_or_default(),
        is_helpful: effectiveness == Some("helpful"),
    })
}

fn indexed_run(fields: Fields<'_>) -> Option<String> {
    if !fields.has("run_id") {
        fields.notes.problem("no field \"run_id\": the line is skipped");
    }
    fields.text("run_id")
}
