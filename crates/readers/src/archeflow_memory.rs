//! What does ArcheFlow remember? Reads its memory files (`lessons.jsonl`,
//! `archive.jsonl`, `audit.jsonl`) and its index of runs, and knows the grammar of its
//! names. Every line is kept with its bytes, usable or not, so that the file can be
//! written back as it was.

use hardwon_core::event::Problem;
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignFile, ForeignLine};
use hardwon_core::time::Timestamp;
use serde_json::{Number, Value};

use crate::json::{self, Fields, NotObject, Object};
use crate::lines::{Limits, size};
use crate::notes::Notes;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
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

/// The lesson that one line states, for those who have no use for problems.
pub fn archeflow_lesson(line: &str) -> Option<ArcheflowLesson> {
    let mut notes = Notes::new("", 0);
    let object = object(line.as_bytes(), &mut notes)?;
    lesson(&object, &mut notes)
}

/// The id of a line that may be of no use otherwise.
pub fn archeflow_line_id(raw: &[u8]) -> Option<String> {
    let object = object(raw, &mut Notes::new("", 0))?;
    object.get("id").and_then(Value::as_str).map(str::to_owned)
}

/// Names of fields that a record has besides ArcheFlow's own.
pub fn archeflow_unknown_fields(raw: &[u8]) -> Vec<String> {
    const OWN: &[&str] = &[
        "id",
        "ts",
        "run_id",
        "type",
        "source",
        "description",
        "frequency",
        "severity",
        "domain",
        "tags",
        "archetype",
        "last_seen_run",
        "runs_since_last_seen",
    ];
    let mut notes = Notes::new("", 0);
    let object = object(raw, &mut notes).unwrap_or_default();
    object.keys().filter(|name| !OWN.contains(&name.as_str())).cloned().collect()
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

/// The id with this number.
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
    read: impl Fn(&Object, &mut Notes) -> Option<T>,
) -> (ForeignFile<T>, Vec<Problem>) {
    let mut notes = Notes::new(name, Limits::default().n_problems);
    let mut lines = Vec::new();
    for (raw, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        notes.go_to(number);
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let mark = if number == 1 { BYTE_ORDER_MARK } else { b"" };
        let content = raw.strip_prefix(mark).unwrap_or(raw);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let object = object(content, &mut notes);
        let record = object.and_then(|object| read(&object, &mut notes));
        lines.push(ForeignLine { raw: raw.to_vec(), record });
    }
    let has_end = bytes.ends_with(b"\n");
    (ForeignFile { lines, has_end }, notes.into_problems())
}

/// The object of a line; nothing if the line is blank, nothing and a problem if it is
/// none.
pub(crate) fn object(line: &[u8], notes: &mut Notes) -> Option<Object> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let parsed = match parsed(line) {
        Ok(parsed) => parsed,
        Err(reason) => {
            notes.problem(reason);
            return None;
        }
    };
    if parsed.has_duplicate_keys {
        notes.problem("a key stands twice in an object; the last one is used");
    }
    Some(parsed.object)
}

fn parsed(line: &[u8]) -> Result<json::Parsed, String> {
    let limits = Limits::default();
    if line.len() > limits.line_bytes {
        return Err(format!("the line is longer than {}", size(limits.line_bytes as u64)));
    }
    let not_utf8 = |error: std::str::Utf8Error| {
        format!("not valid UTF-8 at byte {} of the line", error.valid_up_to() + 1)
    };
    let text = std::str::from_utf8(line).map_err(not_utf8)?;
    json::parse(text, limits.depth).map_err(|reason: NotObject| reason.to_string())
}

fn lesson(object: &Object, notes: &mut Notes) -> Option<ArcheflowLesson> {
    // First, so that a line that states no lesson costs one complaint, not one a field.
    let Some(description) = Fields::new(object, notes).words("description") else {
        notes.problem("a lesson without \"description\" was put aside");
        return None;
    };
    let usual = ArcheflowLesson::default();
    let frequency = counter(object, "frequency", usual.frequency, notes);
    let runs_since_last_seen =
        counter(object, "runs_since_last_seen", usual.runs_since_last_seen, notes);
    let ts = time(object, notes);
    let mut fields = Fields::new(object, notes);
    Some(ArcheflowLesson {
        id: fields.text("id").unwrap_or(usual.id),
        ts,
        run_id: fields.text("run_id").unwrap_or(usual.run_id),
        kind: fields.text("type").unwrap_or(usual.kind),
        source: fields.text("source").unwrap_or(usual.source),
        description,
        frequency,
        severity: fields.text("severity").unwrap_or(usual.severity),
        domain: fields.text("domain").unwrap_or(usual.domain),
        tags: fields.texts("tags").unwrap_or(usual.tags),
        archetype: fields.text("archetype"),
        last_seen_run: fields.text("last_seen_run").unwrap_or(usual.last_seen_run),
        runs_since_last_seen,
    })
}

fn audit(object: &Object, notes: &mut Notes) -> Option<ArcheflowAudit> {
    let is_check = object.get("type").and_then(Value::as_str) == Some("effectiveness_check");
    let is_injection = object.get("lessons_injected").is_some_and(Value::is_array);
    match (is_check, is_injection) {
        (true, _) => check(object, notes),
        (false, true) => Some(injection(object, notes)),
        (false, false) => {
            notes.problem("neither an injection nor a check of effectiveness");
            None
        }
    }
}

fn injection(object: &Object, notes: &mut Notes) -> ArcheflowAudit {
    let ts = time(object, notes);
    let mut fields = Fields::new(object, notes);
    ArcheflowAudit::Injection {
        ts,
        run_id: fields.text("run_id").unwrap_or_default(),
        domain: fields.text("domain").unwrap_or_default(),
        archetype: fields.text("archetype").unwrap_or_default(),
        lessons: fields.texts("lessons_injected").unwrap_or_default(),
    }
}

fn check(object: &Object, notes: &mut Notes) -> Option<ArcheflowAudit> {
    let is_helpful = match object.get("effectiveness").and_then(Value::as_str) {
        Some("helpful") => true,
        Some("ineffective") => false,
        _ => {
            notes.problem("field \"effectiveness\" is not one of helpful, ineffective");
            return None;
        }
    };
    let overlap_pct = counter(object, "keyword_overlap_pct", 0, notes);
    let ts = time(object, notes);
    let mut fields = Fields::new(object, notes);
    Some(ArcheflowAudit::Check {
        ts,
        run_id: fields.text("run_id").unwrap_or_default(),
        lesson_id: fields.text("lesson_id").unwrap_or_default(),
        lesson_desc: fields.text("lesson_desc").unwrap_or_default(),
        is_helpful,
        overlap_pct,
    })
}

fn indexed_run(object: &Object, notes: &mut Notes) -> Option<String> {
    let mut fields = Fields::new(object, notes);
    if !fields.has("run_id") {
        notes.problem("no field \"run_id\": the line is skipped");
        return None;
    }
    fields.text("run_id")
}

/// ArcheFlow writes an empty time where it has none.
fn time(object: &Object, notes: &mut Notes) -> Option<Timestamp> {
    match object.get("ts").and_then(Value::as_str) {
        Some("") => None,
        _ => Fields::new(object, notes).time("ts"),
    }
}

/// A count that somebody may have edited by hand: as much of it as makes sense is used.
pub(crate) fn counter(object: &Object, name: &'static str, usual: u32, notes: &mut Notes) -> u32 {
    let (count, fault) = match object.get(name) {
        None | Some(Value::Null) => return usual,
        Some(Value::Number(number)) => return whole(number),
        Some(Value::String(text)) => match text.trim().parse() {
            Ok(count) => (in_range(count), "text, not a number"),
            Err(_) => (usual, "not a number"),
        },
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => (usual, "not a number"),
    };
    notes.problem(format!("field \"{name}\" is {fault}; read as {count}"));
    count
}

/// A number without its fraction, negative ones as none.
fn whole(number: &Number) -> u32 {
    let from_float = || number.as_f64().unwrap_or_default() as u32;
    number.as_i64().map_or_else(from_float, in_range)
}

fn in_range(count: i64) -> u32 {
    count.clamp(0, i64::from(u32::MAX)) as u32
}
