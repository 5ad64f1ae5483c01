//! Commands that moved to another program. For one version they say where.

use clap::Args;
use hardwon_faces::Failure;

use super::{CommandResult, Context};

/// Not here any more: `cargo run --release -p hardwon-sim` in a checkout of Hardwon
#[derive(Args)]
pub struct Moved {
    // Taken and dropped, not repeated in the message: it may contain anything.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<std::ffi::OsString>,
}

impl Moved {
    pub fn run(self, _context: &Context) -> CommandResult {
        let message = "`simulate` and `bench` are not part of hardwon any more";
        let hint = "in a checkout of Hardwon: `cargo run --release -p hardwon-sim -- --help`";
        Err(Failure::usage(message, Some(hint)))
    }
}
