//! A memory store's journal as lines of text, one written batch a line with the bodies
//! of its texts: how a foreign store keeps what has no place in the foreign files.

use std::collections::BTreeMap;

use hardwon_core::change::{Batch, Change, Mismatch, OperationHead, PAYLOAD_VERSION, Worded};
use hardwon_core::ids::{OperationId, ProjectId};
use hardwon_core::text::TextId;
use hardwon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::MemoryStore;
use crate::settle;
use crate::{Result, StoreError};

/// One written batch.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalLine {
    /// What it was written under: a new operation, or one that goes on.
    pub operation: OperationId,
    pub batch: Batch,
    /// Remarks of whoever keeps the lines, by name.
    pub marks: BTreeMap<String, String>,
}

/// How a line looks. The project is not in it: the lines are one project's, wherever
/// that lies on whose disk.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    version: u32,
    operation: OperationId,
    command: std::borrow::Cow<'a, str>,
    actor: std::borrow::Cow<'a, str>,
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<OperationId>,
    changes: std::borrow::Cow<'a, [Change]>,
    /// Bodies of the texts that the changes name.
    texts: BTreeMap<String, String>,
    #[serde(default)]
    marks: BTreeMap<String, String>,
}

impl JournalLine {
    /// The line, without a newline.
    pub fn encode(&self) -> String {
        let OperationHead { command, actor, at, undoes } = &self.batch.head;
        let wire = Wire {
            version: PAYLOAD_VERSION,
            operation: self.operation,
            command: command.into(),
            actor: actor.into(),
            at: *at,
            undoes: *undoes,
            changes: (&self.batch.changes[..]).into(),
            texts: bodies(&self.batch.changes),
            marks: self.marks.clone(),
        };
        serde_json::to_string(&wire).expect("a batch can be written as JSON")
    }

    /// Reads a line as one of this project. The reason why not names no content.
    pub fn decode(line: &str, project: &ProjectId) -> Result<JournalLine, String> {
        let wire: Wire<'_> =
            serde_json::from_str(line).map_err(|error| format!("at byte {}", error.column()))?;
        if wire.version > PAYLOAD_VERSION {
            return Err("written by a newer program; update hardwon".to_owned());
        }
        let mut changes = wire.changes.into_owned();
        for change in &mut changes {
            change.for_each_text(&mut |text| {
                if let Some(body) = wire.texts.get(text.id().as_str()) {
                    text.fill(body);
                }
            });
        }
        let head = OperationHead {
            command: wire.command.into_owned(),
            actor: wire.actor.into_owned(),
            at: wire.at,
            undoes: wire.undoes,
        };
        let batch = Batch { project: project.clone(), head, continues: None, changes };
        Ok(JournalLine { operation: wire.operation, batch, marks: wire.marks })
    }
}

fn bodies(changes: &[Change]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<TextId, String> = BTreeMap::new();
    for change in changes {
        change.clone().for_each_text(&mut |text| {
            if let Some(body) = text.body() {
                texts.insert(text.id().clone(), body.to_owned());
            }
        });
    }
    texts.into_iter().map(|(id, body)| (id.as_str().to_owned(), body)).collect()
}

impl MemoryStore {
    /// What the project's next new operation will be called.
    pub fn next_operation(&self, project: &ProjectId) -> OperationId {
        OperationId(self.places.get(project).map_or(0, Vec::len) as u64 + 1)
    }

    /// Writes a line again, as it was written before. It was judged then, so it is only
    /// applied; a line that does not fit leaves a store that is of no use.
    pub fn replay(&mut self, line: JournalLine) -> Result<()> {
        let JournalLine { operation, batch, .. } = line;
        let Batch { project, head, changes, .. } = batch;
        if operation == self.next_operation(&project) {
            self.begin(&project, head);
        } else if self.place_of(&project, operation).is_none() {
            let thing = format_args!("operation {operation}");
            return Err(StoreError::Mismatch(Mismatch::new(thing, "existence")));
        }
        let touches_memory = changes.iter().any(Change::touches_memory);
        let mut touches_global = false;
        let n_before = self.journal.len();
        for change in changes {
            touches_global |= self.again(&project, operation, change)?;
        }
        self.erase_since(n_before);
        self.bump(&project, touches_memory, touches_global);
        Ok(())
    }

    /// Takes a line that sums up all operations up to its own: what it says holds, and has no
    /// history.
    pub fn sum_up(&mut self, line: JournalLine) -> Result<()> {
        let JournalLine { operation, batch, .. } = line;
        let Batch { project, head, changes, .. } = batch;
        while self.next_operation(&project) <= operation {
            self.begin(&project, head.clone());
        }
        let n_before = self.journal.len();
        for change in changes {
            self.summary.apply(&project, &change).map_err(StoreError::Mismatch)?;
            self.again(&project, operation, change)?;
        }
        self.journal.truncate(n_before);
        Ok(())
    }

    fn again(
        &mut self,
        project: &ProjectId,
        operation: OperationId,
        mut change: Change,
    ) -> Result<bool> {
        let lessons = &self.tables.lessons;
        let owner = settle::is_of_global_lesson(project, &change, lessons);
        let is_global = owner.map_err(StoreError::Mismatch)?;
        change.for_each_text(&mut |text| match text.body() {
            Some(body) => drop(self.texts.insert(text.id().clone(), body.to_owned())),
            None => {
                if let Some(body) = self.texts.get(text.id()) {
                    text.fill(body);
                }
            }
        });
        self.tables.apply(project, &change).map_err(StoreError::Mismatch)?;
        let place = self.place_of(project, operation).expect("it has begun");
        self.journal.push(super::Line { place, operation, is_global, change });
        Ok(is_global)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::conformance::sample;

    #[test]
    fn a_store_comes_back_from_its_lines() {
        let lesson = sample::lesson("Query built by string concatenation");
        let add = Change::AddLesson { lesson: Box::new(lesson.clone()), because: "seen".into() };
        let shown = sample::injection("r2", "guardian", &[&lesson]);
        let batches = [vec![add], vec![Change::AddInjection { injection: shown }]];
        let (mut store, mut again) = (MemoryStore::new(), MemoryStore::new());
        for changes in batches {
            let batch = sample::batch(&sample::project(), changes);
            let operation = store.apply(&batch, None).unwrap();
            let marks = BTreeMap::from([("lessons.jsonl".to_owned(), "a b".to_owned())]);
            let line = JournalLine { operation, batch, marks };
            let decoded = JournalLine::decode(&line.encode(), &sample::project()).unwrap();
            assert_eq!(decoded, line);
            again.replay(decoded).unwrap();
        }
        assert_eq!(store.tables(), again.tables());
        assert_eq!(again.check().unwrap(), []);
    }

    #[test]
    fn what_is_summed_up_holds_and_has_no_history() {
        let lesson = sample::lesson("Query built by string concatenation");
        let add = Change::AddLesson { lesson: Box::new(lesson.clone()), because: "seen".into() };
        let line = |operation, changes| {
            let batch = sample::batch(&sample::project(), changes);
            JournalLine { operation: OperationId(operation), batch, marks: BTreeMap::new() }
        };
        let mut store = MemoryStore::new();
        store.sum_up(line(1, vec![add])).unwrap();
        store.sum_up(line(7, Vec::new())).unwrap();
        assert_eq!(store.next_operation(&sample::project()), OperationId(8), "numbers go on");
        assert_eq!(store.tables().lessons.len(), 1);
        assert!(store.journal(&sample::project(), &Default::default()).unwrap().is_empty());
        let shown = sample::injection("r2", "guardian", &[&lesson]);
        store.replay(line(8, vec![Change::AddInjection { injection: shown }])).unwrap();
        assert_eq!(store.check().unwrap(), []);
    }

    #[test]
    fn a_line_that_is_not_one_of_ours_is_refused() {
        let project = sample::project();
        assert!(JournalLine::decode("{}", &project).is_err());
        let newer = r#"{"version":99,"operation":1,"command":"","actor":"","at":0,"changes":[],"texts":{}}"#;
        let reason = JournalLine::decode(newer, &project).unwrap_err();
        assert_eq!(reason, "written by a newer program; update hardwon");
    }
}
