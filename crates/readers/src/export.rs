//! What does a file of ours, `hardwon.export/1`, hold? Nothing is read from a file whose
//! digest is not that of its bytes. What comes out has not passed the gate: texts stand
//! beside their rows, and every word in a row is as it was written.

use hardwon_core::change::Tombstone;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::text::Text;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What the header calls the format, up to its version.
const FORMAT: &str = "hardwon.export/";
const VERSION: &str = "1";

const MAX_ID_CHARS: usize = 64;

/// A row and its texts as they were written; none where it says that one was erased.
#[derive(Clone, Debug)]
pub struct Raw<T> {
    pub row: T,
    pub texts: Vec<Option<String>>,
    /// Line of the file, from 1.
    pub line: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Export {
    /// `sha256:` of everything but the last line.
    pub digest: String,
    pub lessons: Vec<Raw<Lesson>>,
    pub runs: Vec<Raw<Run>>,
    pub findings: Vec<Raw<Finding>>,
    pub injections: Vec<Raw<Injection>>,
    pub effects: Vec<Raw<Effect>>,
    pub tombstones: Vec<Raw<Tombstone>>,
    /// Lines that could not be used, each with the reason.
    pub unusable: Vec<(usize, String)>,
}

/// Whether these bytes begin as an export of ours does, of whatever version.
pub fn is_export(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    format_of(first).is_some()
}

/// Reads an export whole, or says why nothing of it can be believed.
pub fn read_export(bytes: &[u8]) -> Result<Export, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())?;
    let first = text.lines().next().unwrap_or_default();
    match format_of(first.as_bytes()).as_deref() {
        None => return Err("it does not begin as an export does".to_owned()),
        Some(VERSION) => {}
        Some(_) => return Err("a newer program wrote it; update hardwon".to_owned()),
    }
    let cut = || "it is cut off: its last line is missing".to_owned();
    let body = text.strip_suffix('\n').ok_or_else(cut)?;
    let (body, last) = body.rsplit_once('\n').ok_or_else(cut)?;
    let last: Value = serde_json::from_str(last).map_err(|_| cut())?;
    let stated = last.get("digest").and_then(Value::as_str).ok_or_else(cut)?;
    let digest = sha256_of_bytes(&bytes[..body.len() + 1]);
    if stated != digest {
        return Err("it was changed: its digest is another one".to_owned());
    }
    let mut export = Export { digest, ..Export::default() };
    for (index, line) in body.lines().enumerate().skip(1) {
        if let Err(reason) = export.take(line, index + 1) {
            export.unusable.push((index + 1, reason));
        }
    }
    Ok(export)
}

fn format_of(first: &[u8]) -> Option<String> {
    const MAX_HEADER: usize = 64 * 1024;
    let head: Value = serde_json::from_slice(first.get(..first.len().min(MAX_HEADER))?).ok()?;
    let format = head.get("format")?.as_str()?;
    format.strip_prefix(FORMAT).map(str::to_owned)
}

impl Export {
    fn take(&mut self, line: &str, at: usize) -> Result<(), String> {
        let value: Value =
            serde_json::from_str(line).map_err(|_| "not a JSON object".to_owned())?;
        let Value::Object(map) = value else { return Err("not a JSON object".to_owned()) };
        let Some((sort, Value::Object(row))) = map.into_iter().next() else {
            return Err("no row".to_owned());
        };
        match sort.as_str() {
            "lesson" => {
                let raw: Raw<Lesson> = raw(owned(row), &["text", "extra"], at)?;
                checked([&raw.row.id].into_iter().chain(&raw.row.superseded_by))?;
                self.lessons.push(raw);
            }
            "run" => self.runs.push(raw(row, &[], at)?),
            "finding" => {
                let raw: Raw<Finding> = raw(row, &["text"], at)?;
                checked(raw.row.lesson.iter())?;
                self.findings.push(raw);
            }
            "injection" => {
                let raw: Raw<Injection> = raw(row, &["block"], at)?;
                let shown = raw.row.shown.iter().map(|shown| &shown.lesson);
                checked(shown.chain(&raw.row.held_out))?;
                self.injections.push(raw);
            }
            "effect" => {
                let raw: Raw<Effect> = raw(row, &[], at)?;
                checked([&raw.row.lesson].into_iter())?;
                self.effects.push(raw);
            }
            "tombstone" => {
                let raw: Raw<Tombstone> = raw(owned(row), &[], at)?;
                checked([&raw.row.lesson].into_iter())?;
                self.tombstones.push(raw);
            }
            _ => return Err("an unknown sort of row".to_owned()),
        }
        Ok(())
    }
}

/// Whose it is: everybody's, or that of whoever reads it.
fn owned(mut row: Map<String, Value>) -> Map<String, Value> {
    let is_global = row.remove("is_global") == Some(Value::Bool(true));
    let owner = if is_global { Value::Null } else { Value::String("import".to_owned()) };
    row.insert("project".to_owned(), owner);
    row
}

/// Takes the texts out and reads the rest.
fn raw<T: DeserializeOwned>(
    mut row: Map<String, Value>,
    fields: &[&str],
    line: usize,
) -> Result<Raw<T>, String> {
    let mut texts = Vec::new();
    for field in fields {
        let Some(value) = row.get_mut(*field) else { continue };
        match value.take() {
            Value::String(text) => texts.push(Some(text)),
            Value::Null => texts.push(None),
            _ => return Err(format!("{field} is not a text")),
        }
        *value = Value::String(Text::erased().id().as_str().to_owned());
    }
    run_ids(&row)?;
    let row = serde_json::from_value(Value::Object(row));
    Ok(Raw {
        row: row.map_err(|_| "a field is missing or is not as it must be".to_owned())?,
        texts,
        line,
    })
}

/// Names of runs end up in messages and scripts: their grammar is checked.
fn run_ids(row: &Map<String, Value>) -> Result<(), String> {
    let is_run = row.contains_key("recorded_at");
    let named = ["run", "root", "parent", "last_seen_run", "fixed_in"];
    let own = is_run.then_some("id");
    for field in named.into_iter().chain(own) {
        if let Some(Value::String(id)) = row.get(field) {
            RunId::parse(id).map_err(str::to_owned)?;
        }
    }
    Ok(())
}

fn checked<'a>(mut ids: impl Iterator<Item = &'a LessonId>) -> Result<(), String> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_one = |id: &LessonId| {
        let text = id.as_str();
        !text.is_empty() && text.len() <= MAX_ID_CHARS && text.chars().all(is_good)
    };
    if ids.all(is_one) { Ok(()) } else { Err("the id of a lesson is not as it must be".to_owned()) }
}
