//! What do ArcheFlow's files say to the JSON tool of its released script? That tool sees
//! values, not lines: it reads up to the first malformed one, takes fields of any type as
//! they are, and finds nothing in a field that is not there. Who wants to behave as the
//! script does needs exactly that view; everybody else reads these files leniently, line
//! by line.

mod loose;

use serde_json::Value;

pub use loose::Loose;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The values of a file or a line, up to the first malformed one.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream<T> {
    /// `None` for a value that has no fields (a number, a text, a list).
    pub items: Vec<Option<T>>,
    /// The line of what is no JSON, from 1.
    pub malformed: Option<usize>,
}

/// What the tool complains of at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// No JSON from this line on.
    Malformed(usize),
    /// The last value was of no use; the tool forgets about earlier ones.
    LastIsUseless,
}

impl<T> Stream<T> {
    pub fn usable(&self) -> impl Iterator<Item = &T> {
        self.items.iter().flatten()
    }

    /// The complaint with which the tool ends after a question to each value that only
    /// some can answer.
    pub fn complaint_if(&self, can_answer: impl Fn(&T) -> bool) -> Option<Complaint> {
        if let Some(line) = self.malformed {
            return Some(Complaint::Malformed(line));
        }
        let is_useless = |item: &Option<T>| !item.as_ref().is_some_and(can_answer);
        self.items.last().is_some_and(is_useless).then_some(Complaint::LastIsUseless)
    }

    /// The same for a question that every value with fields can answer.
    pub fn complaint(&self) -> Option<Complaint> {
        self.complaint_if(|_| true)
    }
}

/// One value of `lessons.jsonl`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShippedLesson {
    /// As it is spelled.
    pub raw: Vec<u8>,
    pub id: Loose,
    /// ArcheFlow's `type`.
    pub kind: Loose,
    pub frequency: Loose,
    pub runs_since_last_seen: Loose,
    pub domain: Loose,
    pub archetype: Loose,
    pub description: Loose,
    pub source: Loose,
}

impl ShippedLesson {
    /// The number that makes an id count for the next one: with or without its prefix.
    pub fn number(&self) -> Option<u64> {
        let Loose::Text(id) = &self.id else { return None };
        let digits = id.strip_prefix("m-").unwrap_or(id);
        // The end of the tool's pattern matches in front of a last line end, too.
        let digits = digits.strip_suffix('\n').unwrap_or(digits);
        let is_number =
            (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| digits.parse().ok())?
    }
}

/// The lessons of a file, or of one line of it.
pub fn shipped_lessons(bytes: &[u8]) -> Stream<ShippedLesson> {
    stream(bytes, |value, raw| {
        let field = |name| Loose::from(field(value, name));
        ShippedLesson {
            raw: raw.as_bytes().to_vec(),
            id: field("id"),
            kind: field("type"),
            frequency: field("frequency"),
            runs_since_last_seen: field("runs_since_last_seen"),
            domain: field("domain"),
            archetype: field("archetype"),
            description: field("description"),
            source: field("source"),
        }
    })
}

/// One value of a run's log.
#[derive(Clone, Debug, PartialEq)]
pub struct ShippedEvent {
    pub run_id: Loose,
    /// What a verdict found, as lessons are made of it.
    pub findings: Vec<ShippedFinding>,
    /// The same as checks see it: the descriptions that are there.
    pub mentioned: Vec<Loose>,
    /// What a fix resolved.
    pub fixed: Option<Loose>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShippedFinding {
    pub source: Loose,
    pub severity: Loose,
    pub description: Loose,
    pub category: Loose,
}

/// The log of a run.
pub fn shipped_events(bytes: &[u8]) -> Stream<ShippedEvent> {
    stream(bytes, |value, _| {
        let data = field(value, "data");
        let is = |kind: &str| field(value, "type") == kind;
        let verdict = if is("review.verdict") { data } else { &Value::Null };
        let fix = if is("fix.applied") { data } else { &Value::Null };
        let found = items(field(verdict, "findings"));
        ShippedEvent {
            run_id: field(value, "run_id").into(),
            findings: findings(&found, &Loose::from(field(verdict, "archetype")).or("unknown")),
            mentioned: found.iter().filter_map(|item| text_of(item, "description")).collect(),
            fixed: text_of(fix, "finding"),
        }
    })
}

/// The findings up to the first that has no fields: there the tool gives up on a verdict.
fn findings(found: &[&Value], source: &Loose) -> Vec<ShippedFinding> {
    let sound = found.iter().take_while(|item| has_fields(item));
    let finding = |item: &&Value| ShippedFinding {
        source: source.clone(),
        severity: field(item, "severity").into(),
        description: field(item, "description").into(),
        category: Loose::from(field(item, "category")).or("general"),
    };
    sound.map(finding).collect()
}

fn text_of(value: &Value, name: &str) -> Option<Loose> {
    Loose::from(field(value, name)).some()
}

/// One value of `audit.jsonl`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShippedAudit {
    pub run_id: Loose,
    /// `None` where there is no list: a record of a check has none.
    pub lessons: Option<Vec<Loose>>,
}

/// What was put into prompts, and what was checked.
pub fn shipped_audit(bytes: &[u8]) -> Stream<ShippedAudit> {
    stream(bytes, |value, _| {
        let injected = field(value, "lessons_injected");
        let is_list = injected.is_array() || injected.is_object();
        let lessons = || items(injected).into_iter().map(Loose::from).collect();
        ShippedAudit { run_id: field(value, "run_id").into(), lessons: is_list.then(lessons) }
    })
}

/// The runs of the index, oldest first.
pub fn shipped_index(bytes: &[u8]) -> Stream<Loose> {
    stream(bytes, |value, _| field(value, "run_id").into())
}

/// Parses value after value. Bytes that are no UTF-8 are replaced, as the tool does.
fn stream<T>(bytes: &[u8], read: impl Fn(&Value, &str) -> T) -> Stream<T> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut stream = Stream { items: Vec::new(), malformed: None };
    let mut start = 0;
    while let Some(value) = values.next() {
        let end = values.byte_offset();
        match value {
            Ok(value) if has_fields(&value) => {
                stream.items.push(Some(read(&value, text[start..end].trim())));
            }
            Ok(_) => stream.items.push(None),
            Err(error) => stream.malformed = Some(error.line()),
        }
        start = end;
    }
    stream
}

/// Nothing has fields as well: they are all nothing.
fn has_fields(value: &Value) -> bool {
    value.is_object() || value.is_null()
}

fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// The items of a list, or the values of an object.
fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(object) => object.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_up_to_the_first_malformed_one() {
        let id = |lesson: &ShippedLesson| lesson.id.printed();
        let check = |text: &str, ids: &[&str], complaint: Option<Complaint>| {
            let stream = shipped_lessons(text.as_bytes());
            assert_eq!(stream.usable().map(id).collect::<Vec<_>>(), ids, "{text}");
            assert_eq!(stream.complaint(), complaint, "{text}");
        };
        check("", &[], None);
        check("\n\n{\"id\":\"a\"}\n \n{\"id\":\"b\"}", &["a", "b"], None);
        check("{\"id\":\"a\"}{\"id\":\n\"b\"}", &["a", "b"], None);
        check("\u{feff}{\"id\":7}\nnull\n", &["7", "null"], None);
        check("{\"id\":\"a\"}\n{oops\n{\"id\":\"b\"}", &["a"], Some(Complaint::Malformed(2)));
        check("{\"id\":\"a\"}\n{\"id\":", &["a"], Some(Complaint::Malformed(2)));
        check("5\n{\"id\":\"a\"}\n", &["a"], None);
        check("{\"id\":\"a\"}\n[5]\n", &["a"], Some(Complaint::LastIsUseless));
    }

    #[test]
    fn values_keep_their_spelling() {
        let stream = shipped_lessons(b" {\"id\" : \"\\u0061\"}\n\t{\"x\":1.0}\n");
        let raw: Vec<&[u8]> = stream.usable().map(|lesson| lesson.raw.as_slice()).collect();
        assert_eq!(raw, [&b"{\"id\" : \"\\u0061\"}"[..], b"{\"x\":1.0}"]);
    }

    #[test]
    fn ids_with_a_number_count() {
        let number = |id: &str| shipped_lessons(format!("{{\"id\":{id}}}").as_bytes()).items.pop();
        let number = |id: &str| number(id).flatten().and_then(|lesson| lesson.number());
        assert_eq!(number("\"m-010\""), Some(10));
        assert_eq!(number("\"m-999999999\""), Some(999_999_999));
        assert_eq!(number("\"12\""), Some(12));
        for id in ["\"m-1000000000\"", "\"m-\"", "\"m-1a\"", "\"x-1\"", "\"m--1\"", "7", "null"] {
            assert_eq!(number(id), None, "{id}");
        }
    }

    #[test]
    fn findings_have_the_scripts_defaults() {
        let log = br#"{"run_id":"r","type":"review.verdict","data":{"findings":[
            {"description":"a","severity":"bug","category":false}, null, "x", {"description":"b"}]}}
            {"type":"review.verdict","data":"words"} {"type":"fix.applied","data":{"finding":"f"}}
            {"type":"run.start","data":{"findings":[{"description":"c"}]}}"#;
        let stream = shipped_events(log);
        assert_eq!(stream.complaint(), None);
        let events: Vec<&ShippedEvent> = stream.usable().collect();
        let found = &events[0].findings;
        assert_eq!(found.len(), 2, "the text ends the list");
        assert_eq!(found[0].category.printed(), "general");
        assert_eq!(found[0].source.printed(), "unknown");
        assert_eq!(found[1].description.printed(), "null");
        let mentioned: Vec<String> = events[0].mentioned.iter().map(Loose::printed).collect();
        assert_eq!(mentioned, ["a", "b"]);
        assert_eq!(events[2].fixed, Some(Loose::Text("f".into())));
        assert!(events[1].findings.is_empty() && events[3].findings.is_empty());
    }

    #[test]
    fn only_injections_have_lessons() {
        let stream = shipped_audit(
            br#"{"run_id":"r","lessons_injected":["m-001",7]}
            {"run_id":"r","type":"effectiveness_check"}"#,
        );
        let lessons: Vec<Option<usize>> =
            stream.usable().map(|record| record.lessons.as_ref().map(Vec::len)).collect();
        assert_eq!(lessons, [Some(2), None]);
        assert!(shipped_index(b"{\"run_id\":\"r\"}").usable().all(|run| run.is("r")));
    }
}
