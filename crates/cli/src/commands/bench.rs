//! `hardwon bench`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_faces::{Exit, Failure};
use hardwon_sim::{Table, archeflow, bench_matching, speed};

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
    /// How well findings are recognized, on labelled data
    Matching {
        /// JSONL with set, pr, author, text and same_as
        data: PathBuf,
    },
    /// `hardwon archeflow` against a shell script with jq; takes about ten minutes
    Archeflow {
        /// Sizes of `lessons.jsonl`, in lessons
        #[arg(long, value_delimiter = ',', default_values_t = [100, 1000])]
        lessons: Vec<u64>,
        /// Cold starts per figure
        #[arg(long, default_value_t = 20)]
        starts: u32,
        /// Cold starts of the script that loops over the lessons
        #[arg(long, default_value_t = 3)]
        slow_starts: u32,
    },
}

impl Bench {
    pub fn run(self, context: &Context) -> Done {
        let talk = &mut |line: &str| context.printer.talk(line);
        let table = match self.what {
            What::Speed { lessons, starts } => speed::run(&lessons, starts, talk),
            What::Matching { data } => bench_matching(&data, talk),
            What::Archeflow { lessons, starts, slow_starts } => {
                let starts = archeflow::Starts { usual: starts, slow: slow_starts };
                archeflow::run(&lessons, starts, talk)
            }
        };
        let table = table.map_err(|message| Failure::usage(message, None))?;
        print(&table, context)
    }
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
