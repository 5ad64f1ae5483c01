//! A progress bar: one line on a terminal's standard error, removed at the end; nothing if it is
//! not a terminal.

use std::io::{self, IsTerminal, Write};

use hardwon_engine::ConversationStage as Stage;

use crate::commands::Context;

/// How many steps the bar has.
const N_CELLS: usize = 24;

pub struct Bar {
    is_shown: bool,
}

impl Bar {
    pub fn new(context: &Context) -> Self {
        Bar { is_shown: io::stderr().is_terminal() && !context.printer.is_json() }
    }

    pub fn show(&self, stage: Stage, done: usize, all: usize) {
        if self.is_shown {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[K{}", line(stage, done, all));
            let _ = stderr.flush();
        }
    }

    pub fn clear(&self) {
        if self.is_shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// `reading  [######------------------] 12 of 50 conversations`
fn line(stage: Stage, done: usize, all: usize) -> String {
    let (doing, what) = match stage {
        Stage::Reading => ("reading ", "conversations"),
        Stage::Learning => ("learning", "runs"),
    };
    let n_full = (done * N_CELLS).checked_div(all).unwrap_or(N_CELLS).min(N_CELLS);
    let (full, empty) = ("#".repeat(n_full), "-".repeat(N_CELLS - n_full));
    format!("{doing} [{full}{empty}] {done} of {all} {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills() {
        let half = line(Stage::Reading, 25, 50);
        assert_eq!(half, "reading  [############------------] 25 of 50 conversations");
        assert!(line(Stage::Learning, 0, 3).contains("[------------------------] 0 of 3 runs"));
        assert!(line(Stage::Learning, 9, 3).contains("[########################]"));
        assert!(line(Stage::Reading, 0, 0).contains("[########################]"));
    }
}
