//! Does anything stay of a lesson that was forgotten for good? Lessons with awkward texts
//! are made in a file, learned, shown and reworded among other writes, then forgotten; the
//! files are looked through by a plain search of this module's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hardwon_engine::ids::{LessonId, RunId};
use hardwon_engine::voice::Speaker;
use hardwon_engine::{
    Access, AddRequest, EditRequest, Environment, InjectRequest, Input, LearnRequest, OpenMemory,
    blocks, lessons, lookup, runs,
};

use crate::{Cell, Column, Table};

const COLUMNS: &[Column] = &[
    Column { title: "erasures", key: "erasures" },
    Column { title: "residues", key: "residues" },
    Column { title: "not proved", key: "not_proved" },
    Column { title: "faults", key: "faults" },
    Column { title: "ms each", key: "ms_each" },
];

/// Characters of the pieces that are looked for.
const PIECE_CHARS: usize = 24;

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub n_erasures: u64,
    /// Texts of which something was found.
    pub n_residues: u64,
    /// Erasures of which the program itself said that they are not proved.
    pub n_not_proved: u64,
    pub n_faults: u64,
    ms_each: f64,
}

impl Outcome {
    /// Whether nothing stayed.
    pub fn is_clean(&self) -> bool {
        (self.n_residues, self.n_not_proved, self.n_faults) == (0, 0, 0)
    }

    /// As a table.
    pub fn table(&self) -> Table {
        let row = vec![
            Cell::Count(self.n_erasures),
            Cell::Count(self.n_residues),
            Cell::Count(self.n_not_proved),
            Cell::Count(self.n_faults),
            Cell::Number(self.ms_each, 1),
        ];
        let notes = [
            "Each text has quotes, backslashes, other scripts or line breaks; a third is stated, \
             the rest learned in two runs; all are shown, half are reworded.",
            "A residue is a text of which the whole, or 24 characters of it, stands in any file \
             of the data folder, raw or as JSON.",
        ];
        Table {
            title: "Erasure: forget --hard in one SQLite file".to_owned(),
            notes: notes.map(str::to_owned).to_vec(),
            columns: COLUMNS.to_vec(),
            rows: vec![row],
        }
    }
}

/// Erases so many lessons in a folder of its own.
pub fn run(n: u64, seed: u64, talk: &mut dyn FnMut(&str)) -> Result<Outcome, String> {
    let folder = std::env::temp_dir().join(format!("hardwon-erasure-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let outcome = erase_all(&folder, n, seed, talk);
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn erase_all(
    folder: &Path,
    n: u64,
    seed: u64,
    talk: &mut dyn FnMut(&str),
) -> Result<Outcome, String> {
    let environment = Environment {
        home: Some(folder.to_owned()),
        project: Some("bench".to_owned()),
        now: Some("2026-04-03T14:00:00Z".to_owned()),
        folder: folder.to_owned(),
        speaker: Speaker::person(),
        ..Environment::default()
    };
    let said = |error: hardwon_engine::EngineError| error.to_string();
    let mut engine =
        OpenMemory::open(&environment, &Default::default(), Access::Write).map_err(said)?;
    let mut random = Random(seed);
    let mut outcome = Outcome::default();
    let mut ms = 0.0;
    for number in 0..n {
        let (id, texts) = live(&mut engine, &mut random, number).map_err(said)?;
        // A few stay, so that erasing happens among other rows.
        if number.is_multiple_of(8) {
            live(&mut engine, &mut random, n + number).map_err(said)?;
        }
        let begin = Instant::now();
        let answer =
            lessons::forget_for_good(&mut engine.memory, &engine.call, &environment, id.as_str())
                .map_err(said)?;
        ms += begin.elapsed().as_secs_f64() * 1000.0;
        outcome.n_erasures += 1;
        outcome.n_not_proved +=
            u64::from(!answer.body.erased.is_some_and(|erased| erased.is_proved()));
        outcome.n_residues += texts.iter().filter(|text| is_left(folder, text)).count() as u64;
        if number % 100 == 99 {
            talk(&format!("{} of {n} erased, {} residues", number + 1, outcome.n_residues));
        }
    }
    let faults = engine.memory.store.check().map_err(|error| error.to_string())?;
    outcome.n_faults = faults.len() as u64;
    outcome.ms_each = ms / n.max(1) as f64;
    Ok(outcome)
}

/// A lesson, shown and perhaps reworded; every wording it had.
fn live(
    engine: &mut OpenMemory,
    random: &mut Random,
    number: u64,
) -> Result<(LessonId, Vec<String>), hardwon_engine::EngineError> {
    let text = random.text();
    let id = if number.is_multiple_of(3) {
        lessons::add(
            &mut engine.memory,
            &engine.call,
            &AddRequest { text, ..AddRequest::default() },
        )?
        .body
        .id
    } else {
        let mut id = None;
        for part in ["a", "b"] {
            let record = serde_json::json!({"type": "run", "id": format!("r{number}{part}")});
            let finding = serde_json::json!({"type": "finding", "author": "guardian",
                "severity": "warning", "text": text});
            let request =
                LearnRequest::of(Input::text("record", &format!("{record}\n{finding}\n")));
            let learned =
                runs::learn(&mut engine.memory, &engine.call, request)?.body.runs.remove(0);
            let named = learned.new.into_iter().chain(learned.matched).next();
            id = named.map(|named| named.id.0).or(id);
        }
        id.ok_or(hardwon_engine::EngineError::NothingToUndo)?
    };
    let mut texts = vec![
        lookup::lesson_named(&engine.memory, &engine.call, id.as_str())?.text.as_str().to_owned(),
    ];
    let served = RunId::parse(&format!("s{number}")).ok();
    blocks::inject(
        &mut engine.memory,
        &engine.call,
        &InjectRequest { run: served, ..InjectRequest::default() },
    )?;
    if number.is_multiple_of(2) {
        let text = Some(random.text());
        let reworded = lessons::edit(
            &mut engine.memory,
            &engine.call,
            id.as_str(),
            &EditRequest { text, ..EditRequest::default() },
        )?;
        texts.push(reworded.body.text.as_str().to_owned());
    }
    Ok((id, texts))
}

/// Whether the text or a piece of it stands in a file below the folder.
fn is_left(folder: &Path, text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let mut forms = vec![text.to_owned()];
    for at in 0..chars.len().saturating_sub(PIECE_CHARS) {
        if at == 0 || chars[at - 1] == ' ' {
            forms.push(chars[at..at + PIECE_CHARS].iter().collect());
        }
    }
    let escaped: Vec<String> = forms
        .iter()
        .map(|form| serde_json::Value::from(form.as_str()).to_string())
        .map(|quoted| quoted[1..quoted.len() - 1].to_owned())
        .collect();
    forms.extend(escaped);
    let mut files = Vec::new();
    files_below(folder, &mut files);
    files.iter().any(|file| {
        let bytes = fs::read(file).unwrap_or_default();
        let content = String::from_utf8_lossy(&bytes);
        forms.iter().any(|form| content.contains(form.as_str()))
    })
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, files) } else { files.push(path) }
    }
}

/// Split-mix: a seed means the same for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    fn text(&mut self) -> String {
        const ENDS: &[&str] =
            &["", "", "\"so\"", "\\", "ü", "日本語", "🦀", "\n", "\t", "'", "<b>"];
        const PARTS: &[&str] =
            &["ba", "ko", "ri", "mu", "ten", "sol", "ver", "lan", "dix", "pu", "gro", "hem"];
        let most = if self.below(8) == 0 { 80 } else { 12 };
        let n_words = 5 + self.below(most);
        let mut text = "Never".to_owned();
        for _ in 0..n_words {
            text.push(' ');
            for _ in 0..2 + self.below(3) {
                text += PARTS[self.below(PARTS.len())];
            }
            text += ENDS[self.below(ENDS.len())];
        }
        text
    }
}
