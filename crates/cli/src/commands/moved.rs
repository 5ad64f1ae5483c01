//! Commands that are elsewhere now. For one version they say where; then they go.

use clap::Args;
use hardwon_faces::Failure;

use super::Done;

/// Not here any more: `cargo run --release -p hardwon-sim` in a checkout of Hardwon
#[derive(Args)]
pub struct Moved {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<std::ffi::OsString>,
}

impl Moved {
    pub fn run(self, command: &str) -> Done {
        // What was typed is not repeated: it may hold anything.
        drop(self.arguments);
        let message = format!("`{command}` is not part of hardwon any more");
        let hint = "in a checkout of Hardwon: `cargo run --release -p hardwon-sim -- --help`";
        Err(Failure::usage(message, Some(hint)))
    }
}
