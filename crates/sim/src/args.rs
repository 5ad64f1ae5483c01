//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use hardwon_sim::{durability, poison, rescue, simulate, speed};

/// Measures Hardwon: its speed, and whether it keeps what it promises
///
/// Prints tables, and changes nothing of yours: every measurement works in a folder of its own.
/// Exit status 1 if something that is promised does not hold.
#[derive(Parser)]
#[command(name = "hardwon-sim", version, max_term_width = 100)]
pub struct Cli {
    /// Print the table as one JSON object
    #[arg(long = "json", global = true)]
    pub is_json: bool,
    /// The program to measure [default: the `hardwon` beside this program]
    #[arg(long, global = true, value_name = "PATH")]
    pub program: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

/// Every measurement.
#[derive(Subcommand)]
pub enum Command {
    /// Cold `inject`, `hook` and `learn` against the start of an empty Rust binary
    Speed(speed::Ask),
    /// How well findings are recognized, on labelled data
    Matching {
        /// JSONL with set, pr, author, text and same_as [default: our own]
        data: Option<PathBuf>,
    },
    /// Whether `search` finds what answers a question, beside plain ways to search
    Retrieval {
        /// JSONL of texts {set, part, id, text} and questions {set, part, question, ids}
        /// [default: our own]
        files: Vec<PathBuf>,
    },
    /// How many made-up secrets redaction takes out, and how many ordinary texts it alters
    Redaction {
        /// A gitleaks file: its rules are the families
        rules: Option<PathBuf>,
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
    Poison(poison::Size),
    /// Writers that are killed at random: is what was acknowledged there, once?
    Durability(durability::Plan),
    /// A file destroyed, gone or damaged: how many lessons does `doctor --fix` bring back?
    Rescue(rescue::Plan),
    /// Real histories: how much of what came up had a block told of?
    Backtest {
        /// JSONL, a run a line: id, time, end, text, paths, findings
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Show blocks without recording them, so that showing has no effect
        #[arg(long)]
        nothing_recorded: bool,
        /// Hold one showing in ten out by chance, as pipelines and teams do
        #[arg(long)]
        hold_out: bool,
        /// Decides what is random
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Play a made-up world with every policy
    ///
    /// Agents make planted defects, reviewers report some of them in changing words, and a
    /// lesson that is shown is heeded with some probability. Tells how often a reported defect
    /// is made again without memory, with random lessons and under each policy.
    Simulate {
        /// Small and done in seconds
        #[arg(long)]
        quick: bool,
        /// The first world; the same seed gives the same numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Runs in each world [default: 300, with --quick 60]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        runs: Option<u32>,
        /// How likely agents heed a line: 0 never, 1 always
        #[arg(long, num_args = 1.., value_parser = share, default_values_t = simulate::HEEDS)]
        heed: Vec<f64>,
    },
}

fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err("not from 0 to 1".to_owned()) }
}
