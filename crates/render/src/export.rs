//! Memory as one file of ours, `hardwon.export/1`: a header, one row a line, and a last
//! line with the digest of all bytes before it. The same memory gives the same bytes.
//!
//! The fields of a row are those of the journal, whose form golden lines hold, with three
//! differences: the text takes the place of its id (null if it was erased), and a global lesson
//! has `is_global` instead of a project.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Tombstone, Worded};
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::transfer::without_typed;
use serde::Serialize;
use serde_json::{Value, json};

use crate::answer::Unplaced;

/// What the header calls the format.
pub const FORMAT: &str = "hardwon.export/1";

/// Everything that is written, each list in its order.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub lessons: Vec<Lesson>,
    pub runs: Vec<Run>,
    pub findings: Vec<Finding>,
    pub injections: Vec<Injection>,
    pub effects: Vec<Effect>,
    pub tombstones: Vec<Tombstone>,
}

impl Rows {
    /// The rows without wishes that nobody approved, which are one person's, and how many
    /// lessons those are. What was typed stays behind with them.
    pub fn without_wishes(mut self) -> (Rows, Unplaced) {
        let n_before = self.lessons.len();
        let personal = self.lessons.iter().filter(|lesson| lesson.is_personal());
        let personal: BTreeSet<LessonId> = personal.map(|lesson| lesson.id.clone()).collect();
        let is_left = |id: &LessonId| !personal.contains(id);
        self.lessons.retain(|lesson| is_left(&lesson.id));
        self.findings.retain(|finding| finding.lesson.as_ref().is_none_or(is_left));
        self.effects.retain(|effect| is_left(&effect.lesson));
        // A block holds the words of all its lessons.
        self.injections.retain(|block| block.shown.iter().all(|shown| is_left(&shown.lesson)));
        self.runs.iter_mut().for_each(without_typed);
        let what = "wishes that were typed in conversations and not approved";
        let n = (n_before - self.lessons.len()) as u64;
        (self, Unplaced::new(what, n, "stay here"))
    }

    /// How many of each sort.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let Rows { lessons, runs, findings, injections, effects, tombstones } = self;
        BTreeMap::from([
            ("lessons", lessons.len()),
            ("runs", runs.len()),
            ("findings", findings.len()),
            ("injections", injections.len()),
            ("effects", effects.len()),
            ("tombstones", tombstones.len()),
        ])
    }
}

/// The file, and the digest at its end.
pub fn export(project: &ProjectId, rows: &Rows) -> (String, String) {
    let counts = rows.counts();
    let head = json!({ "format": FORMAT, "project": project.as_str(), "counts": counts });
    let mut out = format!("{head}\n");
    let mut line = |sort: &str, value: Value| {
        out += &format!("{}\n", json!({ sort: value }));
    };
    for lesson in &rows.lessons {
        line("lesson", owned(with_texts(lesson, &["text", "extra"]), lesson.project.is_none()));
    }
    rows.runs.iter().for_each(|run| line("run", value_of(run)));
    rows.findings.iter().for_each(|finding| line("finding", with_texts(finding, &["text"])));
    rows.injections.iter().for_each(|i| line("injection", with_texts(i, &["block"])));
    rows.effects.iter().for_each(|effect| line("effect", value_of(effect)));
    for tombstone in &rows.tombstones {
        line("tombstone", owned(value_of(tombstone), tombstone.project.is_none()));
    }
    let digest = sha256_of_bytes(out.as_bytes());
    let end = json!({ "digest": digest, "counts": counts });
    out += &format!("{end}\n");
    (out, digest)
}

fn value_of(row: &impl Serialize) -> Value {
    serde_json::to_value(row).expect("a row can be written as JSON")
}

/// The row with the bodies of its texts, which the named fields hold in this order.
fn with_texts<T: Worded + Serialize + Clone>(row: &T, fields: &[&str]) -> Value {
    let mut value = value_of(row);
    let mut bodies = Vec::new();
    row.clone().for_each_text(&mut |text| bodies.push(text.body().map(str::to_owned)));
    let Value::Object(map) = &mut value else { return value };
    let mut bodies = bodies.into_iter();
    for field in fields {
        if let Some(text) = map.get_mut(*field).filter(|text| !text.is_null()) {
            *text = bodies.next().flatten().into();
        }
    }
    value
}

/// Without its project: instead, a global row says that it is one.
fn owned(mut value: Value, is_global: bool) -> Value {
    if let Value::Object(map) = &mut value {
        map.remove("project");
        if is_global {
            map.insert("is_global".to_owned(), Value::Bool(true));
        }
    }
    value
}
