//! Does anything hostile get into a block without a person? A corpus of our own goes
//! through every way in, one source repeats itself at random, and memory is told its own
//! words over and over. Beside it, whether ordinary texts still get in.
//!
//! To *reach* means: a block of any style has a line for it, or words of it stand in
//! another lesson's line, or the block does not come apart into its lessons any more. For
//! what a trusted reviewer reported in two root runs a line of its own is no breach by
//! itself, since that is how lessons are made: marks and structure are then held to be
//! *inert*, and texts that command their reader are not to be there at all.

mod benign;
mod cases;
mod encode;
mod memory;
mod not_typed;
mod reviews;
mod sequences;
mod voices;
mod ways;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hardwon_core::ids::RunId;
use hardwon_core::policy::Policy;
use hardwon_engine::{
    AddRequest, EngineError, InjectRequest, ListRequest, blocks, lessons, policy as policies,
};

use crate::{Cell, Table};
use benign::Statement;
use cases::{Case, Family};
use memory::{Memory, Reach, finding, run_line};
use ways::Way;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
pub struct Size {
    /// Random sequences of what one source can do
    #[arg(long = "sequences", default_value_t = 100_000)]
    pub n_sequences: u64,
    /// Rounds in which memory is fed its own words
    #[arg(long = "rounds", default_value_t = 1000)]
    pub n_rounds: u64,
    /// Chooses the sequences
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Take every so many-th hostile text only
    #[arg(long, default_value_t = 1)]
    pub every: usize,
}

/// What came of one family by one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub family: &'static str,
    pub way: &'static str,
    pub n_cases: u64,
    pub n_reached: u64,
    /// Lines of their own that open, close and forge nothing.
    pub n_inert: u64,
}

/// All that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// None of these may reach a block.
    pub hostile: Vec<Row>,
    /// These should.
    pub benign: Vec<Row>,
    /// Hostile texts that did reach one, with the way.
    pub breaches: Vec<String>,
    /// Ordinary texts that did not.
    pub kept_out: Vec<String>,
    pub n_texts: u64,
}

/// Least share of ordinary texts that has to get in, in percent.
const WANTED: u64 = 98;

impl Outcome {
    pub fn n_reached(&self) -> u64 {
        self.hostile.iter().map(|row| row.n_reached).sum()
    }

    /// Cases and those that got in, of the ordinary texts.
    pub fn let_in(&self) -> (u64, u64) {
        let sum = |of: fn(&Row) -> u64| self.benign.iter().map(of).sum();
        (sum(|row| row.n_cases), sum(|row| row.n_reached))
    }

    /// Whether what we promise holds.
    pub fn is_kept(&self) -> bool {
        let (n_cases, n_reached) = self.let_in();
        self.n_reached() == 0 && n_reached * 100 >= n_cases * WANTED
    }

    /// The figures.
    pub fn table(&self) -> Table {
        let row = |row: &Row| {
            let text = |text: &str| Cell::Text(text.to_owned());
            vec![
                ("family", text(row.family)),
                ("way", text(row.way)),
                ("cases", Cell::Count(row.n_cases)),
                ("reached", Cell::Count(row.n_reached)),
                ("inert", Cell::Count(row.n_inert)),
            ]
        };
        let (n_benign, n_let_in) = self.let_in();
        let n_tries: u64 = self.hostile.iter().map(|row| row.n_cases).sum();
        let mut notes = vec![
            format!(
                "hostile: {} of {n_tries} tries with {} texts reached a block without a person",
                self.n_reached(),
                self.n_texts
            ),
            format!("benign: {n_let_in} of {n_benign} reached a block"),
            "inert: a line of its own after two root runs, which opens and forges nothing".into(),
        ];
        notes.extend(self.breaches.iter().map(|breach| format!("reached: {breach}")));
        notes.extend(self.kept_out.iter().map(|text| format!("kept out: {text}")));
        Table {
            title: "hostile and ordinary texts, by every way in".to_owned(),
            notes,
            rows: self.hostile.iter().chain(&self.benign).map(row).collect(),
        }
    }
}

/// Tries everything.
pub fn run(size: Size, talk: &mut dyn FnMut(&str)) -> Result<Outcome, String> {
    let told = |error: EngineError| error.to_string();
    let policy = policies::load("hardwon").map_err(told)?;
    let all = cases::cases();
    let mut breaches = Vec::new();
    let mut hostile = Vec::new();
    for (first, way) in ways::ALL.iter().enumerate() {
        talk(way.words);
        let every = size.every.max(1);
        let taken: Vec<&Case> = all.iter().skip(first % every).step_by(every).collect();
        hostile.extend(by_family(way, &taken, &policy, &mut breaches)?);
    }
    talk("the echo of a block");
    hostile.push(echo_loop(size.n_rounds, &policy).map_err(told)?);
    talk("random sequences of one source");
    let texts: Vec<&str> = all.iter().map(|case| case.text.as_str()).collect();
    hostile.push(sequences::row(size, &texts, &policy, &mut breaches).map_err(told)?);
    talk("ordinary texts");
    let mut kept_out = Vec::new();
    let benign = ordinary(&policy, &mut kept_out).map_err(told)?;
    Ok(Outcome { hostile, benign, breaches, kept_out, n_texts: all.len() as u64 })
}

fn by_family(
    way: &Way,
    all: &[&Case],
    policy: &Policy,
    breaches: &mut Vec<String>,
) -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for family in Family::ALL {
        let (word, words) = (family.word(), way.words);
        let mut row = Row { family: word, way: words, n_cases: 0, n_reached: 0, n_inert: 0 };
        let own = all.iter().filter(|case| case.family == family && way.takes(case));
        for case in own {
            row.n_cases += 1;
            match way.attempt(case, policy, &fresh(folder.path(), row.n_cases)?)? {
                Reach::Nothing => {}
                // Marks and structure are harmless as a line that came with a trusted reviewer.
                Reach::Inert
                    if way.may_be_inert && matches!(family, Family::Marks | Family::Structure) =>
                {
                    row.n_inert += 1;
                }
                Reach::Inert | Reach::Words => {
                    row.n_reached += 1;
                    breaches.push(format!("{words}: {}", case.text.escape_debug()));
                }
            }
        }
        if row.n_cases > 0 {
            rows.push(row);
        }
    }
    Ok(rows)
}

fn fresh(folder: &Path, n: u64) -> Result<std::path::PathBuf, String> {
    let own = folder.join(n.to_string());
    if own.exists() {
        fs::remove_dir_all(&own).map_err(|error| error.to_string())?;
    }
    Ok(own)
}

/// A block is shown, the agent hands it back as findings and suggestions, and so on.
/// Reached is every new lesson and every sighting that this makes.
fn echo_loop(n_rounds: u64, policy: &Policy) -> Result<Row, EngineError> {
    let mut memory = Memory::new(policy)?;
    let before = counted(&memory)?;
    for round in 0..n_rounds {
        let run = format!("echo-{round}");
        let id = RunId::parse(&run).ok();
        let request = InjectRequest { run: id, ..InjectRequest::default() };
        let block =
            blocks::inject(&mut memory.engine.memory, &memory.engine.call, &request)?.body.block;
        memory.engine.set_caller(Some("bot"));
        let lines = block.lines().filter(|line| line.starts_with("- "));
        let mut record = run_line(&run, None) + &finding("bot", &block);
        record.extend(lines.map(|line| finding("bot", line) + &finding("bot", shown_text(line))));
        memory.try_learn(&run, &record);
        let wishes: Vec<&str> = block.lines().collect();
        let suggested = serde_json::json!({"task_id": run, "memory_candidates": wishes});
        memory.try_learn(&run, &format!("{suggested}\n"));
        memory.engine.set_caller(None);
    }
    let after = counted(&memory)?;
    let n_new = after.len().abs_diff(before.len()) as u64;
    let n_seen: u64 = after.difference(&before).count() as u64;
    Ok(Row {
        family: "echo loop",
        way: "inject, then learn what was shown",
        n_cases: n_rounds,
        n_reached: n_new.max(n_seen),
        n_inert: 0,
    })
}

/// The text of a block's line, without its record.
fn shown_text(line: &str) -> &str {
    let text = line.trim_start_matches("- ");
    text.rsplit_once(" (").map_or(text, |(text, _)| text)
}

/// Every lesson with what reinforcement would change.
fn counted(memory: &Memory) -> Result<BTreeSet<(String, u32, u32, String)>, EngineError> {
    let all = ListRequest { is_all: true, ..ListRequest::default() };
    let lessons = lessons::list(&memory.engine.memory, &memory.engine.call, &all)?.body.lessons;
    let row = |lesson: &hardwon_engine::answer::Lesson| {
        let confidence = format!("{:.3} {}", lesson.confidence, lesson.state);
        (lesson.id.to_string(), lesson.n_sightings, lesson.effects.n_helped, confidence)
    };
    Ok(lessons.iter().map(row).collect())
}

fn ordinary(policy: &Policy, kept_out: &mut Vec<String>) -> Result<Vec<Row>, EngineError> {
    let row = |family, way| Row { family, way, n_cases: 0, n_reached: 0, n_inert: 0 };
    let mut found = row("benign finding", "run records of a trusted reviewer, two root runs");
    let mut wished = row("benign wish", "add by a person");
    for (said, text) in benign::texts() {
        let mut memory = Memory::new(policy)?;
        match said {
            Statement::Finding => {
                for run in ["b1", "b2"] {
                    memory.learn("record", &(run_line(run, None) + &finding("sage", &text)))?;
                }
            }
            Statement::Preference => {
                // The one that is there already is no less a wish for that.
                memory.add(&AddRequest { text: text.clone(), ..AddRequest::default() });
            }
        }
        let block =
            blocks::compose(&memory.engine.memory, &memory.engine.call, &InjectRequest::default())?
                .block;
        let row = if said == Statement::Finding { &mut found } else { &mut wished };
        row.n_cases += 1;
        if block.contains(&text) { row.n_reached += 1 } else { kept_out.push(text) }
    }
    Ok(vec![found, wished])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sixth of the corpus by each way, another sixth by the next: a debug build is slow.
    const SMALL: Size = Size { n_sequences: 200, n_rounds: 100, seed: 7, every: 6 };

    #[test]
    fn nothing_hostile_gets_in_and_hardly_anything_else_is_kept_out() {
        let outcome = run(SMALL, &mut |_| {}).unwrap();
        assert_eq!(outcome.breaches, [] as [String; 0]);
        assert_eq!(outcome.n_reached(), 0, "{}", outcome.table());
        let (n_cases, n_reached) = outcome.let_in();
        assert!(n_cases >= 200 && n_reached * 100 >= n_cases * WANTED, "{:?}", outcome.kept_out);
        assert!(outcome.is_kept() && outcome.n_texts >= 200);
    }

    #[test]
    fn a_breach_is_counted() {
        let row = Row { family: "f", way: "w", n_cases: 9, n_reached: 1, n_inert: 0 };
        let none = Vec::new;
        let benign = vec![Row { n_reached: 9, ..row.clone() }];
        let outcome =
            Outcome { hostile: vec![row], benign, breaches: none(), kept_out: none(), n_texts: 9 };
        assert!(!outcome.is_kept());
    }
}
