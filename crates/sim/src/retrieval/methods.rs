//! Ways to search: ours, and one to compare with.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Kind, Lesson};
use hardwon_core::search::{N_PROPOSED, Question, order};
use hardwon_core::time::Timestamp;
use hardwon_core::words::is_stop_word;
use hardwon_store::{MemoryStore, Proposals, Search, Store};

use super::sets::Part;

/// Finds texts by their index, best first.
pub type Searching<'a> = Box<dyn Fn(&str) -> Vec<usize> + 'a>;

/// A name, and how to prepare for questions about these texts.
pub type Method = (&'static str, for<'a> fn(&'a Part) -> Searching<'a>);

pub const OURS: &str = "search";
pub const BM25: &str = "BM25 as in FTS5";

/// What `hardwon search` does; and BM25 over words as they are written, without stop words.
pub const METHODS: [Method; 2] = [
    (OURS, |part| {
        let memory = Memory::filled(part);
        Box::new(move |text| memory.search(&Question::new(text)))
    }),
    (BM25, |part| {
        let plain = Plain::new(part);
        Box::new(move |text| plain.search(text))
    }),
];

/// The texts of a part as lessons of a store.
struct Memory {
    store: MemoryStore,
    project: ProjectId,
    places: BTreeMap<LessonId, usize>,
}

impl Memory {
    fn filled(part: &Part) -> Self {
        let (project, gate) = (ProjectId::new("retrieval"), Gate::standard());
        let mut places = BTreeMap::new();
        let mut changes = Vec::new();
        for (at, text) in part.texts.iter().enumerate() {
            let id = LessonId::given(&format!("l-{at:07}"));
            places.insert(id.clone(), at);
            let text = gate.line(text);
            let lesson = Lesson::stub(id, Some(project.clone()), Kind::Pattern, text, Timestamp(0));
            changes.push(Change::AddLesson { lesson: Box::new(lesson), because: "bench".into() });
        }
        let head = OperationHead {
            command: "learn".into(),
            actor: "bench".into(),
            at: Timestamp(0),
            undoes: None,
        };
        let mut store = MemoryStore::new();
        let batch = Batch { project: project.clone(), head, continues: None, changes };
        store.apply(&batch, None).expect("new lessons fit into an empty store");
        Memory { store, project, places }
    }

    fn search(&self, question: &Question) -> Vec<usize> {
        let terms = question.terms();
        let search =
            Search { terms, only_injectable: false, limit: N_PROPOSED, ..Search::default() };
        let found = self.store.search(&self.project, &search);
        let Proposals { lessons, corpus, .. } = found.expect("a store in memory can be read");
        let hits = order(&lessons, question, &corpus);
        hits.iter().map(|hit| self.places[&lessons[hit.index].id]).collect()
    }
}

/// BM25 with its usual numbers.
struct Plain {
    texts: Vec<BTreeMap<String, f64>>,
    lengths: Vec<f64>,
    n_with: BTreeMap<String, f64>,
}

impl Plain {
    fn new(part: &Part) -> Self {
        let mut plain = Plain { texts: Vec::new(), lengths: Vec::new(), n_with: BTreeMap::new() };
        for text in &part.texts {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            let words = tokens(text);
            plain.lengths.push(words.len() as f64);
            words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1.0);
            for word in counts.keys() {
                *plain.n_with.entry(word.clone()).or_default() += 1.0;
            }
            plain.texts.push(counts);
        }
        plain
    }

    fn search(&self, text: &str) -> Vec<usize> {
        let (k1, b, n) = (1.2, 0.75, self.texts.len() as f64);
        let usual = self.lengths.iter().sum::<f64>() / n.max(1.0);
        let asked: BTreeSet<String> =
            tokens(text).into_iter().filter(|word| !is_stop_word(word)).collect();
        let score = |at: usize| -> f64 {
            let of_word = |word: &String| {
                let count = self.texts[at].get(word).copied().unwrap_or(0.0);
                let n_with = self.n_with.get(word).copied().unwrap_or(0.0);
                let rarity = ((n - n_with + 0.5) / (n_with + 0.5)).ln().max(1e-6);
                let length = k1 * (1.0 - b + b * self.lengths[at] / usual);
                rarity * count * (k1 + 1.0) / (count + length)
            };
            asked.iter().map(of_word).sum()
        };
        let mut found: Vec<(f64, usize)> =
            (0..self.texts.len()).map(|at| (score(at), at)).collect();
        found.retain(|(score, _)| *score > 0.0);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(_, at)| at).collect()
    }
}

fn tokens(text: &str) -> Vec<String> {
    let pieces = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    pieces.filter(|piece| !piece.is_empty()).map(str::to_lowercase).collect()
}
