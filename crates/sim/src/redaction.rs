//! `hardwon-sim redaction`: how many made-up secrets are taken out of texts, how many
//! ordinary texts are altered, and how long that takes. A secret counts as caught only if
//! no eight characters of it in a row are left. With a gitleaks file its rules are the
//! families.

mod benign;
mod brought;
mod contexts;
mod families;
mod made;
mod rules;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use hardwon_core::gate::Gate;
use serde::Deserialize;

use crate::{Cell, Table, TableRow};
use rules::Rules;

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
    /// A gitleaks file, whose rules are measured in place of our families.
    pub rules: Option<&'a Path>,
}

/// Recall of every family, the share of ordinary texts altered, and the time of 4 KB.
pub fn run(ask: &Ask<'_>, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let gate = Gate::standard();
    let findings = ask.findings.map(read).transpose()?;
    let rules = ask.rules.map(read_rules).transpose()?;
    let n_families = rules.as_ref().map_or(FAMILIES.len(), |rules| rules.rules.len());
    talk(&format!("{n_families} families, {} cases each", ask.n));
    let recalls: Vec<Recall> = match &rules {
        Some(rules) => {
            rules.rules.iter().map(|rule| brought::recall(rule, ask.n, ask.seed, &gate)).collect()
        }
        None => FAMILIES.iter().map(|family| recall(family, ask.n, ask.seed, &gate)).collect(),
    };
    let mut notes = recall_notes(&recalls);
    notes.extend(rules.iter().filter(|rules| !rules.left_out.is_empty()).map(|rules| {
        format!("Left out, without an expression that can be read: {}.", rules.left_out.join(", "))
    }));
    notes.push(altered_note("own benign texts", &benign_texts(ask.seed), &gate));
    if let Some(texts) = &findings {
        notes.push(altered_note("texts of the file", texts, &gate));
    }
    talk("timing");
    notes.push(format!(
        "A text of 4 KB takes {:.3} ms (median of {N_TIMES}); eight times 4 KB of one made-up \
         secret take at most {:.1} times as long.",
        median_ms(&gate),
        growth(&gate)
    ));
    let what = if rules.is_some() { "families of the file" } else { "families of made-up secrets" };
    Ok(Table {
        title: format!("redaction: {n_families} {what}, seed {}", ask.seed),
        notes,
        rows: recalls.iter().map(Recall::row).collect(),
    })
}

fn read_rules(path: &Path) -> Result<Rules, String> {
    let named = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
    Rules::read(&text).map_err(named)
}

fn recall_notes(recalls: &[Recall]) -> Vec<String> {
    let measured: Vec<&Recall> = recalls.iter().filter(|recall| recall.n > 0).collect();
    let n: usize = measured.iter().map(|recall| recall.n).sum();
    let n_caught: usize = measured.iter().map(|recall| recall.n_caught).sum();
    let mut notes = vec![format!(
        "{} of {} families at 99 % or more; {n_caught} of {n} strings caught ({:.2} %). Caught: no \
         run of 8 characters of the value is left.",
        measured.iter().filter(|recall| recall.holds()).count(),
        measured.len(),
        100.0 * n_caught as f64 / n.max(1) as f64,
    )];
    let silent: Vec<&str> =
        recalls.iter().filter(|recall| recall.n == 0).map(|recall| &*recall.family).collect();
    if !silent.is_empty() {
        notes.push(format!("In no text reported by its own rule: {}.", silent.join(", ")));
    }
    notes
}

/// What became of a family's cases.
#[derive(Clone, Debug)]
pub struct Recall {
    pub family: String,
    pub n: usize,
    pub n_caught: usize,
    /// Cases and those missed, by context.
    contexts: BTreeMap<Context, (usize, usize)>,
    /// What was left of the first few that were missed; made up, so they may be shown.
    pub missed: Vec<String>,
}

impl Recall {
    fn new(family: &str) -> Recall {
        let (contexts, missed) = (BTreeMap::new(), Vec::new());
        Recall { family: family.to_owned(), n: 0, n_caught: 0, contexts, missed }
    }

    /// Counts a case: what was left of it if it was missed.
    fn count(&mut self, context: Context, missed: Option<String>) {
        let (n_cases, n_missed) = self.contexts.entry(context).or_default();
        *n_cases += 1;
        *n_missed += usize::from(missed.is_some());
        self.n += 1;
        self.n_caught += usize::from(missed.is_none());
        self.missed.extend(missed);
    }

    /// Whether 99 of 100 were caught.
    pub fn holds(&self) -> bool {
        self.n_caught * 100 >= self.n * 99
    }

    fn row(&self) -> TableRow {
        let share = |(n, missed): &(usize, usize)| *missed as f64 / *n as f64;
        let missed = self.contexts.iter().filter(|(_, (_, missed))| *missed > 0);
        let worst = missed.max_by(|a, b| share(a.1).total_cmp(&share(b.1)));
        let worst = worst.map(|(context, (n, missed))| {
            Cell::Text(format!("{}: {missed} of {n} missed", context.word()))
        });
        vec![
            ("family", Cell::Text(self.family.clone())),
            ("n", Cell::Count(self.n as u64)),
            ("caught", Cell::Count(self.n_caught as u64)),
            (
                "recall_percent",
                Cell::Number(100.0 * self.n_caught as f64 / self.n.max(1) as f64, 1),
            ),
            ("worst_context", worst.unwrap_or(Cell::Nothing)),
        ]
    }
}

/// Takes the secrets out of a family's cases and counts what is caught.
pub fn recall(family: &Family, n: usize, seed: u64, gate: &Gate) -> Recall {
    let mut recall = Recall::new(family.name);
    for case in cases(family, n, seed) {
        let left = gate.redacted(&case.text);
        recall.count(case.context, leaks(&case, &left).then_some(left));
    }
    recall
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

/// The texts that redaction changes, as they are afterwards.
pub fn altered(texts: &[String], gate: &Gate) -> Vec<String> {
    let changed = texts.iter().map(|text| (text, gate.redacted(text)));
    changed.filter(|(text, redacted)| *text != redacted).map(|(_, after)| after).collect()
}

fn altered_note(what: &str, texts: &[String], gate: &Gate) -> String {
    let (n, n_altered) = (texts.len(), altered(texts, gate).len());
    let share = 100.0 * n_altered as f64 / n.max(1) as f64;
    format!("{n_altered} of {n} {what} altered: {share:.2} %.")
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
    let timed = |index| ms(gate, if index % 2 == 0 { &prose } else { &secrets });
    let mut times: Vec<f64> = (0..N_TIMES).map(timed).collect();
    *times.select_nth_unstable_by(N_TIMES / 2, f64::total_cmp).1
}

fn ms(gate: &Gate, text: &str) -> f64 {
    let begun = Instant::now();
    std::hint::black_box(gate.redacted(std::hint::black_box(text)));
    begun.elapsed().as_secs_f64() * 1000.0
}

/// How many times as long eight times as much of one text takes, where that is worst: about eight
/// if the time is linear.
fn growth(gate: &Gate) -> f64 {
    let fastest = |text: &str| (0..3).map(|_| ms(gate, text)).fold(f64::INFINITY, f64::min);
    let texts = FAMILIES.iter().flat_map(|family| cases(family, 1, 1)).map(|case| case.text);
    let growth = |text: String| {
        let of = |n_bytes| fastest(&text.repeat(n_bytes / text.len() + 1));
        of(8 * TIMED_BYTES) / of(TIMED_BYTES)
    };
    texts.map(growth).fold(0.0, f64::max)
}
