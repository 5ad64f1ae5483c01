//! What does the MCP memory server remember? Reads its file: one JSON object a line, an entity with
//! its observations or a relation between two entities. A line that cannot be used is a problem
//! with its number; all others are read.

use hardwon_core::event::Problem;
use serde_json::Value;

use crate::json::Object;

/// The name of a file, and a line of it.
type Place<'a> = (&'a str, usize);

/// More lines than this are not taken in at once.
const MAX_STATEMENTS: usize = 100_000;

/// One thing that a graph says, by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphStatement {
    Observation { name: String, entity_type: String, text: String },
    Relation { from: String, to: String, relation_type: String },
}

/// A statement, and a record that states it and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRecord {
    pub line: usize,
    pub statement: GraphStatement,
    pub raw: String,
}

#[derive(Clone, Debug, Default)]
pub struct GraphFile {
    pub records: Vec<GraphRecord>,
    /// Entities of which nothing is said.
    pub n_bare_entities: usize,
    /// Lines and observations that could not be used.
    pub n_unusable: usize,
    pub problems: Vec<Problem>,
}

impl GraphFile {
    pub fn parse(label: &str, bytes: &[u8]) -> GraphFile {
        let mut file = GraphFile::default();
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let at = (label, index + 1);
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if file.records.len() >= MAX_STATEMENTS {
                file.refuse(at, "more than 100,000 statements: not read further");
                break;
            }
            if let Err(reason) = object_of(line).and_then(|object| file.take(at, &object)) {
                file.refuse(at, reason);
            }
        }
        file
    }

    fn refuse(&mut self, (label, line): Place<'_>, reason: &str) {
        self.n_unusable += 1;
        self.problems.push(Problem::new(format!("{label}:{line}"), reason));
    }

    fn take(&mut self, at: Place<'_>, object: &Object) -> Result<(), &'static str> {
        match text(object, "type") {
            Some("entity") => self.take_entity(at, object),
            Some("relation") => {
                let statement = relation(object)?;
                let raw = Value::Object(object.clone()).to_string();
                self.records.push(GraphRecord { line: at.1, statement, raw });
                Ok(())
            }
            Some(_) => Err("its type is neither entity nor relation"),
            None => Err("it has no type"),
        }
    }

    fn take_entity(&mut self, at: Place<'_>, object: &Object) -> Result<(), &'static str> {
        let (name, entity_type) = entity_head(object)?;
        let observations = object.get("observations").and_then(Value::as_array);
        let observations = observations.ok_or("an entity without a list of observations")?;
        self.n_bare_entities += usize::from(observations.is_empty());
        for observation in observations {
            let Some(said) = observation.as_str() else {
                self.refuse(at, "an observation that is not a text");
                continue;
            };
            let mut record = object.clone();
            record.insert("observations".to_owned(), Value::from(vec![said]));
            let (name, entity_type) = (name.to_owned(), entity_type.to_owned());
            let text = said.to_owned();
            let statement = GraphStatement::Observation { name, entity_type, text };
            let raw = Value::Object(record).to_string();
            self.records.push(GraphRecord { line: at.1, statement, raw });
        }
        Ok(())
    }
}

/// Whether a file begins as one of this server does.
pub fn is_knowledge_graph(beginning: &[u8]) -> bool {
    let mut lines = beginning.split(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.iter().all(u8::is_ascii_whitespace));
    let Some(Ok(object)) = first.map(object_of) else { return false };
    match text(&object, "type") {
        Some("entity") => object.contains_key("entityType") && object.contains_key("observations"),
        Some("relation") => relation(&object).is_ok(),
        _ => false,
    }
}

/// The one statement of a record that was kept with a lesson.
pub fn graph_statement(raw: &str) -> Option<GraphStatement> {
    let mut file = GraphFile::parse("", raw.as_bytes());
    (file.records.len() == 1).then(|| file.records.remove(0).statement)
}

/// Fields of a record that no statement has.
pub fn graph_unknown_fields(raw: &[u8]) -> Vec<String> {
    let known: &[&str] =
        &["type", "name", "entityType", "observations", "from", "to", "relationType"];
    let object = object_of(raw).unwrap_or_default();
    object.keys().filter(|key| !known.contains(&key.as_str())).cloned().collect()
}

fn object_of(line: &[u8]) -> Result<Object, &'static str> {
    let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8")?;
    match serde_json::from_str(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("it is not a JSON object"),
        Err(error) if error.is_eof() => Err("it ends in the middle"),
        Err(_) => Err("it is not JSON"),
    }
}

fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

fn entity_head(object: &Object) -> Result<(&str, &str), &'static str> {
    let name = text(object, "name").ok_or("an entity without a name")?;
    let entity_type = object.get("entityType").and_then(Value::as_str);
    Ok((name, entity_type.ok_or("an entity without an entityType")?.trim()))
}

fn relation(object: &Object) -> Result<GraphStatement, &'static str> {
    let part = |key| text(object, key).map(str::to_owned);
    match (part("from"), part("to"), part("relationType")) {
        (Some(from), Some(to), Some(relation_type)) => {
            Ok(GraphStatement::Relation { from, to, relation_type })
        }
        _ => Err("a relation without from, to or relationType"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(
        r#"{"type":"entity","name":"billing","entityType":"service","observations":["Retries twice","Owns invoices"],"createdAt":"x"}"#,
        "\n\n",
        r#"{"type":"relation","from":"billing","to":"postgres","relationType":"depends_on"}"#,
        "\n",
    );

    #[test]
    fn each_observation_and_each_relation_is_a_statement() {
        let file = GraphFile::parse("memory.jsonl", FILE.as_bytes());
        assert_eq!((file.records.len(), file.problems.len()), (3, 0));
        assert_eq!(file.records[2].line, 3);
        let raw = &file.records[1].raw;
        assert!(raw.contains(r#""observations":["Owns invoices"]"#), "{raw}");
        assert_eq!(graph_statement(raw), Some(file.records[1].statement.clone()));
        assert_eq!(graph_unknown_fields(raw.as_bytes()), ["createdAt"]);
    }

    #[test]
    fn a_bad_line_is_told_and_the_rest_is_used() {
        let cases: &[(&[u8], &str)] = &[
            (br#"{"type":"entity","name":"a","enti"#, "it ends in the middle"),
            (br#"{"type":"person","name":"a"}"#, "its type is neither entity nor relation"),
            (br#"{"name":"a"}"#, "it has no type"),
            (b"[1]", "it is not a JSON object"),
            (b"hello", "it is not JSON"),
            (b"{\"type\":\"\xff\"}", "it is not UTF-8"),
            (br#"{"type":"entity","name":"","entityType":"t","observations":[]}"#, "without a name"),
            (br#"{"type":"entity","name":"a","entityType":"t"}"#, "list of observations"),
            (
                br#"{"type":"entity","name":"a","entityType":"t","observations":[{"content":"x"}]}"#,
                "not a text",
            ),
            (br#"{"type":"relation","from":"a","to":"b"}"#, "relation without"),
        ];
        for (line, reason) in cases {
            let bytes = [line, b"\n".as_slice(), FILE.as_bytes()].concat();
            let file = GraphFile::parse("m", &bytes);
            assert_eq!((file.records.len(), file.n_unusable), (3, 1), "{reason}");
            assert!(file.problems[0].reason.contains(reason), "{:?}", file.problems);
            assert!(file.problems[0].at.starts_with("m:1"), "{:?}", file.problems);
        }
    }

    #[test]
    fn it_is_recognized_by_its_first_line() {
        assert!(is_knowledge_graph(FILE.as_bytes()));
        assert!(is_knowledge_graph(
            b"\n \n{\"type\":\"relation\",\"from\":\"a\",\"to\":\"b\",\"relationType\":\"c\"}\n"
        ));
        for other in ["", "# Memory", r#"{"type":"run","run":"r1"}"#, r#"{"id":"m-001"}"#] {
            assert!(!is_knowledge_graph(other.as_bytes()), "{other}");
        }
    }
}
