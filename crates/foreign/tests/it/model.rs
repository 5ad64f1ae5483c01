//! A model of our own making, small and with weights drawn at random, is installed, asked,
//! erased from and removed.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::{AddRequest, OpenMemory, Options, SearchRequest, lessons};
use hardwon_foreign::model::{Known, ModelError, Place};
use hardwon_readers::model::Published;
use hardwon_store::Access;

use crate::place::environment;

const WORDS: &str = "[UNK]\n[CLS]\n[SEP]\nbind\nevery\nvalue\nescape\nall\ninput\n";
const N: usize = 32;

/// The weights of one layer in the form `safetensors`.
fn weights() -> Vec<u8> {
    let mut sizes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), WORDS.lines().count() * N),
        ("embeddings.position_embeddings.weight".to_owned(), 256 * N),
        ("embeddings.token_type_embeddings.weight".to_owned(), 2 * N),
    ];
    for (name, n_weights) in [
        ("embeddings.LayerNorm", N),
        ("encoder.layer.0.attention.self.query", N * N),
        ("encoder.layer.0.attention.self.key", N * N),
        ("encoder.layer.0.attention.self.value", N * N),
        ("encoder.layer.0.attention.output.dense", N * N),
        ("encoder.layer.0.attention.output.LayerNorm", N),
        ("encoder.layer.0.intermediate.dense", N * N),
        ("encoder.layer.0.output.dense", N * N),
        ("encoder.layer.0.output.LayerNorm", N),
    ] {
        sizes.push((format!("{name}.weight"), n_weights));
        sizes.push((format!("{name}.bias"), N));
    }
    let (mut head, mut numbers, mut state) = (Vec::new(), Vec::new(), 1_u32);
    for (name, n) in sizes {
        let begin = numbers.len();
        for _ in 0..n {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = f64::from(state) / 4_294_967_296.0 - 0.5;
            numbers.extend((number as f32).to_le_bytes());
        }
        let place = format!("[{begin},{}]", numbers.len());
        head.push(format!(r#""{name}":{{"dtype":"F32","shape":[{n}],"data_offsets":{place}}}"#));
    }
    let head = format!("{{{}}}", head.join(","));
    [&(head.len() as u64).to_le_bytes()[..], head.as_bytes(), &numbers].concat()
}

struct Bench {
    folder: tempfile::TempDir,
    package: PathBuf,
    known: Known,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("model.safetensors");
        fs::write(&package, weights()).unwrap();
        fs::write(folder.path().join("vocab.txt"), WORDS).unwrap();
        let published = Published::read(&weights(), Some(WORDS.into())).unwrap();
        let known = Known { name: "tiny", digest: published.digest().leak() };
        Bench { folder, package, known }
    }

    fn place(&self) -> Place {
        Place::of(&environment(self.folder.path()), self.known).unwrap()
    }

    fn open(&self) -> OpenMemory {
        let environment = environment(self.folder.path());
        OpenMemory::open(&environment, &Options::default(), Access::Write).unwrap()
    }

    fn vectors(&self) -> PathBuf {
        self.folder.path().join("home/memory.db-vectors")
    }

    /// Text, score and reasons of what is found.
    fn found(&self, text: &str) -> Vec<(String, Vec<String>)> {
        let OpenMemory { memory, call } = self.open();
        let request = SearchRequest { text: text.to_owned(), limit: 5, is_all: false };
        let model = self.place().open().unwrap();
        let mut sensed = |question, found: &[_]| match &model {
            Some(model) => model.sensed(&memory, text, question, found),
            None => question,
        };
        let found = lessons::search(&memory, &call, &request, &mut sensed).unwrap().body;
        found.lessons.into_iter().map(|hit| (hit.lesson.text, hit.why)).collect()
    }

    fn add(&self, text: &str) -> String {
        let OpenMemory { mut memory, call } = self.open();
        let request = AddRequest { text: text.to_owned(), ..AddRequest::default() };
        lessons::add(&mut memory, &call, &request).unwrap().body.id.to_string()
    }
}

fn has_sense(why: &[String]) -> bool {
    why.iter().any(|reason| reason.starts_with("sense "))
}

#[test]
fn a_model_is_asked_until_it_is_removed() {
    let bench = Bench::new();
    bench.add("Bind every value");
    assert!(!has_sense(&bench.found("bind every value")[0].1));
    let installed = bench.place().install(&bench.package).unwrap();
    assert!(installed.is_installed && installed.n_bytes > 0);
    assert!(bench.place().status().unwrap().is_installed);
    let found = bench.found("bind every value");
    assert_eq!(found[0].0, "Bind every value");
    assert!(has_sense(&found[0].1), "{found:?}");
    assert!(bench.vectors().exists());
    assert_eq!(bench.found("bind every value"), found, "the kept vectors say the same");
    assert!(!bench.place().remove().unwrap().is_installed);
    assert!(!bench.place().remove().unwrap().is_installed, "twice is no error");
    assert!(!has_sense(&bench.found("bind every value")[0].1));
}

#[test]
fn what_it_made_of_a_text_goes_with_the_text() {
    let bench = Bench::new();
    let erased = bench.add("Bind every value");
    bench.add("Escape all input");
    bench.place().install(&bench.package).unwrap();
    bench.found("escape");
    let n_both = fs::metadata(bench.vectors()).unwrap().len();
    let OpenMemory { mut memory, call } = bench.open();
    let environment = environment(bench.folder.path());
    lessons::forget_for_good(&mut memory, &call, &environment, &erased).unwrap();
    drop(memory);
    assert!(!bench.vectors().exists());
    assert!(has_sense(&bench.found("escape all input")[0].1), "made again");
    assert!(fs::metadata(bench.vectors()).unwrap().len() < n_both);
}

#[test]
fn lessons_can_be_read_beforehand() {
    let bench = Bench::new();
    bench.add("Bind every value");
    bench.add("Escape all input");
    bench.place().install(&bench.package).unwrap();
    let OpenMemory { memory, call } = bench.open();
    let model = bench.place().open().unwrap().unwrap();
    assert_eq!(model.read_lessons(&memory, &call).unwrap(), 2);
    assert!(bench.vectors().exists());
}

#[test]
fn nothing_changes_for_a_file_that_is_not_the_model() {
    let bench = Bench::new();
    let told = |path: &Path| bench.place().install(path).unwrap_err();
    let other = bench.folder.path().join("other");
    fs::write(&other, b"#!/bin/sh").unwrap();
    assert!(matches!(told(&other), ModelError::Unusable { .. }), "{}", told(&other));
    let mut changed = weights();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(&other, &changed).unwrap();
    assert!(matches!(told(&other), ModelError::Other { .. }), "{}", told(&other));
    let missing = bench.folder.path().join("missing");
    assert!(matches!(told(&missing), ModelError::File { .. }));
    assert!(matches!(told(bench.folder.path()), ModelError::File { .. }));
    assert!(!bench.place().status().unwrap().is_installed);
    assert!(bench.place().open().unwrap().is_none());
}

#[test]
fn a_damaged_model_is_told_and_can_be_replaced() {
    let bench = Bench::new();
    let path = PathBuf::from(bench.place().install(&bench.package).unwrap().path);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 4]).unwrap();
    assert!(bench.place().status().unwrap().is_damaged);
    assert!(matches!(bench.place().open(), Err(ModelError::Unusable { .. })));
    bench.place().install(&bench.package).unwrap();
    assert!(!bench.place().status().unwrap().is_damaged);
    assert_eq!(fs::read(&path).unwrap(), whole);
}
