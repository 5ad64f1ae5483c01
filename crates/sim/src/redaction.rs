//! `hardwon-sim redaction`: how many made-up secrets are taken out of texts, how many
//! ordinary texts are altered, and how long that takes. A secret counts as caught only if
//! no eight characters of it in a row are left.

mod benign;
mod chance;
mod contexts;
mod families;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use hardwon_core::gate::Gate;
use serde::Deserialize;

use crate::{Cell, Column, Table};

pub use benign::texts as benign_texts;
pub use contexts::{Case, Context, cases};
pub use families::{FAMILIES, Family};

/// What is measured.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Cases of each family.
    pub n: usize,
    pub seed: u64,
    /// Ordinary texts of the caller: JSON lines with `text`.
    pub findings: Option<&'a Path>,
}

const COLUMNS: [Column; 5] = [
    Column { title: "family", key: "family" },
    Column { title: "n", key: "n" },
    Column { title: "caught", key: "caught" },
    Column { title: "recall %", key: "recall_percent" },
    Column { title: "worst context", key: "worst_context" },
];

/// Recall of every family, the share of ordinary texts altered, the time of 4 KB.
pub fn run(ask: &Ask<'_>, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let gate = Gate::standard();
    let findings = ask.findings.map(read).transpose()?;
    talk(&format!("{} families, {} cases each", FAMILIES.len(), ask.n));
    let recalls: Vec<Recall> =
        FAMILIES.iter().map(|family| recall(family, ask.n, ask.seed, &gate)).collect();
    let mut notes = vec![
        format!(
            "{} of {} families at 99 % or more. Caught: no run of 8 characters of the value is left.",
            recalls.iter().filter(|recall| recall.holds()).count(),
            recalls.len()
        ),
        altered_note("own benign texts", &altered(&benign_texts(ask.seed), &gate)),
    ];
    if let Some(texts) = &findings {
        notes.push(altered_note("texts of the file", &altered(texts, &gate)));
    }
    talk("timing");
    notes.push(format!("A text of 4 KB takes {:.3} ms (median of {N_TIMES}).", median_ms(&gate)));
    Ok(Table {
        title: format!(
            "redaction: {} families of made-up secrets, seed {}",
            FAMILIES.len(),
            ask.seed
        ),
        notes,
        columns: COLUMNS.to_vec(),
        rows: recalls.iter().map(Recall::row).collect(),
    })
}

/// What became of a family's cases.
#[derive(Clone, Debug)]
pub struct Recall {
    pub family: &'static str,
    pub n: usize,
    pub n_caught: usize,
    /// Cases and those missed, by context.
    contexts: BTreeMap<Context, (usize, usize)>,
    /// What was left of the first few that were missed; made up, so they may be shown.
    pub missed: Vec<String>,
}

impl Recall {
    /// Whether 99 of 100 were caught.
    pub fn holds(&self) -> bool {
        self.n_caught * 100 >= self.n * 99
    }

    fn row(&self) -> Vec<Cell> {
        let share = |(n, missed): &(usize, usize)| *missed as f64 / *n as f64;
        let missed = self.contexts.iter().filter(|(_, (_, missed))| *missed > 0);
        let worst = missed.max_by(|a, b| share(a.1).total_cmp(&share(b.1)));
        let worst = worst.map(|(context, (n, missed))| {
            Cell::Text(format!("{}: {missed} of {n} missed", context.word()))
        });
        vec![
            Cell::Text(self.family.to_owned()),
            Cell::Count(self.n as u64),
            Cell::Count(self.n_caught as u64),
            Cell::Number(100.0 * self.n_caught as f64 / self.n.max(1) as f64, 1),
            worst.unwrap_or(Cell::Nothing),
        ]
    }
}

/// Takes the secrets out of a family's cases and counts what is caught.
pub fn recall(family: &Family, n: usize, seed: u64, gate: &Gate) -> Recall {
    let mut contexts = BTreeMap::new();
    let mut missed = Vec::new();
    for case in cases(family, n, seed) {
        let left = gate.redacted(&case.text);
        let is_missed = leaks(&case, &left);
        let (n_cases, n_missed): &mut (usize, usize) = contexts.entry(case.context).or_default();
        *n_cases += 1;
        *n_missed += usize::from(is_missed);
        if is_missed {
            missed.push(left);
        }
    }
    Recall { family: family.name, n, n_caught: n - missed.len(), contexts, missed }
}

/// So many characters of a secret in a row are a leak.
const LEAK: usize = 8;

/// Whether a text still shows a part of the secret, in any of its spellings. Of a shorter
/// secret the whole counts.
fn leaks(case: &Case, left: &str) -> bool {
    let left = unmarked(left);
    let shows = |spelling: &String| {
        let secret = telling(spelling);
        let length = LEAK.min(secret.len());
        secret.as_bytes().windows(length).any(|part| {
            let part = std::str::from_utf8(part).expect("made-up values are ASCII");
            left.contains(part)
        })
    };
    case.spellings.iter().any(shows)
}

/// Without the lines that every key block has: a header says that there was one.
fn telling(spelling: &str) -> String {
    let armor = |piece: &str| piece.contains(concat!("PRIV", "ATE KEY"));
    spelling.split("-----").filter(|piece| !armor(piece)).collect()
}

/// Without our marks, whose words may stand in a secret by chance.
fn unmarked(text: &str) -> String {
    let mut pieces = text.split("[redacted:");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |left, piece| {
        left + "\u{0}" + piece.split_once(']').map_or(piece, |(_, rest)| rest)
    })
}

/// Ordinary texts: how many, and which of them were altered.
#[derive(Clone, Debug)]
pub struct Altered {
    pub n: usize,
    /// As they are afterwards.
    pub texts: Vec<String>,
}

impl Altered {
    /// In percent.
    pub fn share(&self) -> f64 {
        100.0 * self.texts.len() as f64 / self.n.max(1) as f64
    }
}

/// Counts the texts that redaction changes.
pub fn altered(texts: &[String], gate: &Gate) -> Altered {
    let changed = texts.iter().map(|text| (text, gate.redacted(text)));
    let changed = changed.filter(|(text, redacted)| *text != redacted).map(|(_, after)| after);
    Altered { n: texts.len(), texts: changed.collect() }
}

fn altered_note(what: &str, altered: &Altered) -> String {
    format!("{} of {} {what} altered: {:.2} %.", altered.texts.len(), altered.n, altered.share())
}

#[derive(Deserialize)]
struct Line {
    text: String,
}

/// The texts of a file of JSON lines.
pub fn read(path: &Path) -> Result<Vec<String>, String> {
    let file = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let line = |(index, line): (usize, &str)| {
        serde_json::from_str::<Line>(line)
            .map(|line| line.text)
            .map_err(|e| format!("{}:{}: {e}", path.display(), index + 1))
    };
    file.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}

const N_TIMES: usize = 400;
const TIMED_BYTES: usize = 4096;

/// Half of the texts are prose without secrets, half hold one in each line or two.
fn median_ms(gate: &Gate) -> f64 {
    let mut prose = benign_texts(1).join(" ");
    let secrets = FAMILIES.iter().flat_map(|family| cases(family, 1, 1));
    let mut secrets: String = secrets.map(|case| case.text + "\n").collect();
    prose.truncate(prose.floor_char_boundary(TIMED_BYTES));
    secrets.truncate(secrets.floor_char_boundary(TIMED_BYTES));
    let mut times: Vec<f64> = (0..N_TIMES)
        .map(|index| {
            let text = if index % 2 == 0 { &prose } else { &secrets };
            let begun = Instant::now();
            std::hint::black_box(gate.redacted(std::hint::black_box(text)));
            begun.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[N_TIMES / 2]
}
