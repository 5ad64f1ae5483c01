//! `hardwon bench`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_faces::{Exit, Failure};
use hardwon_sim::{Table, bench_matching, durability, erasure, poison, redaction, speed};

use super::{Context, Done};

/// Measure this program; prints tables, changes nothing of yours
#[derive(Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Cold `inject`, `list` and `learn` against the start of an empty Rust binary
    Speed {
        /// Store sizes, in lessons
        #[arg(long, value_delimiter = ',', default_values_t = [1000, 10_000])]
        lessons: Vec<u64>,
        /// Cold starts per figure
        #[arg(long, default_value_t = 40)]
        starts: u32,
    },
    /// `learn` of large made-up reports and transcripts: how fast, in how much memory
    Readers {
        /// Size of each file; one transcript is four times as large
        #[arg(long, default_value_t = 50.0)]
        megabytes: f64,
        /// Processes per figure
        #[arg(long, default_value_t = 5)]
        starts: u32,
        /// Chooses the words
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// How well findings are recognized, on labelled data
    Matching {
        /// JSONL with set, pr, author, text and same_as
        data: PathBuf,
    },
    /// How many made-up secrets redaction takes out, and how many ordinary texts it alters
    Redaction {
        /// Made-up secrets of each family
        #[arg(long, default_value_t = 200)]
        n: usize,
        /// Chooses the secrets
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Ordinary texts: JSONL with text
        #[arg(long)]
        findings: Option<PathBuf>,
    },
    /// Hostile and ordinary texts by every way in: which of them reach a block?
    Poison {
        /// Random sequences of what one source can do
        #[arg(long, default_value_t = 100_000)]
        sequences: u64,
        /// Rounds in which memory is told its own words
        #[arg(long, default_value_t = 1000)]
        rounds: u64,
        /// Chooses the sequences
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Take every so many-th hostile text only
        #[arg(long, default_value_t = 1)]
        every: usize,
    },
    /// Lessons that are forgotten for good: is anything left of them in a file?
    Erasure {
        /// Lessons to erase
        #[arg(long, default_value_t = 1000)]
        n: u64,
        /// Chooses the texts
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Writers that are killed at random: is what was acknowledged there, once?
    Durability {
        /// Processes to kill
        #[arg(long, default_value_t = 10_000)]
        kills: u64,
        /// Processes at a time
        #[arg(long, default_value_t = 8)]
        writers: u64,
        /// Chooses the commands and the moments
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

impl Bench {
    pub fn run(self, context: &Context) -> Done {
        let talk = &mut |line: &str| context.printer.talk(line);
        let table = match self.what {
            What::Speed { lessons, starts } => speed::run(&lessons, starts, talk),
            What::Readers { megabytes, starts, seed } => {
                speed::readers::run(speed::readers::Ask { megabytes, seed, starts }, talk)
            }
            What::Matching { data } => bench_matching(&data, talk),
            What::Redaction { n, seed, findings } => {
                redaction::run(&redaction::Ask { n, seed, findings: findings.as_deref() }, talk)
            }
            What::Poison { sequences, rounds, seed, every } => {
                let (n_sequences, n_rounds) = (sequences, rounds);
                return poisoned(poison::Size { n_sequences, n_rounds, seed, every }, context);
            }
            What::Erasure { n, seed } => return erased(n, seed, context),
            What::Durability { kills, writers, seed } => {
                return durable(durability::Plan { kills, writers, seed }, context);
            }
        };
        let table = table.map_err(|message| Failure::usage(message, None))?;
        print(&table, context)
    }
}

/// Tries the corpus, and says no if it got in or too much else was kept out.
fn poisoned(size: poison::Size, context: &Context) -> Done {
    let outcome = poison::run(size, &mut |line| context.printer.talk(line));
    let outcome = outcome.map_err(|message| Failure::usage(message, None))?;
    print(&outcome.table(), context)?;
    Ok(if outcome.is_kept() { Exit::Done } else { Exit::Negative })
}

/// Erases lessons, and says no if anything is left of one.
fn erased(n: u64, seed: u64, context: &Context) -> Done {
    let outcome = erasure::run(n, seed, &mut |line| context.printer.talk(line));
    let outcome = outcome.map_err(|message| Failure::usage(message, None))?;
    print(&outcome.table(), context)?;
    Ok(if outcome.is_clean() { Exit::Done } else { Exit::Negative })
}

/// Kills writers, and says no if anything was lost.
fn durable(plan: durability::Plan, context: &Context) -> Done {
    let outcome = durability::run(plan, &mut |line| context.printer.talk(line));
    let outcome = outcome.map_err(|message| Failure::usage(message, None))?;
    print(&outcome.table(), context)?;
    Ok(if outcome.is_clean() { Exit::Done } else { Exit::Negative })
}

/// Prints a table of figures.
pub fn print(table: &Table, context: &Context) -> Done {
    match context.printer.is_json() {
        true => {
            let mut answer = table.to_json();
            answer["status"] = "ok".into();
            answer["problems"] = Vec::<String>::new().into();
            context.printer.json(&answer);
        }
        false => context.printer.data(&table.to_string()),
    }
    Ok(Exit::Done)
}
