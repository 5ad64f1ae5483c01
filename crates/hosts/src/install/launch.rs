//! What do hosts start, and is it there? The name, as long as PATH has it; else this very
//! file, but only in files that are the user's own: what others share names no path of one user's.

use std::path::Path;

use super::entry::{guarded, is_our_program, without_guard};
use crate::host::Host;
use crate::surroundings::{Surroundings, is_program};

pub const PROGRAM: &str = "hardwon";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The name, or the path to this file.
    pub program: String,
    /// No program is known that the entries could start.
    pub is_lost: bool,
}

impl Launch {
    pub fn of(surroundings: &Surroundings, is_shared: bool) -> Launch {
        // Without a PATH it is unknown.
        let is_known = surroundings.path.is_none() || surroundings.program(PROGRAM).is_some();
        let own = surroundings.own.as_deref().and_then(Path::to_str).filter(|own| is_plain(own));
        let (program, is_lost) = match (is_known, own) {
            (true, _) => (PROGRAM, false),
            (false, Some(own)) if !is_shared => (own, false),
            (false, _) => (PROGRAM, true),
        };
        Launch { program: program.to_owned(), is_lost }
    }

    /// The whole command for a host's hooks.
    pub fn command(&self, host: &Host) -> String {
        guarded(&self.program, &host.arguments())
    }

    /// An entry of ours whose program is gone, with one that is there; its arguments stay.
    pub fn repaired(&self, command: &str) -> Option<String> {
        let (program, arguments) = without_guard(command).split_once(char::is_whitespace)?;
        is_gone(program).then(|| guarded(&self.program, arguments.trim_start()))
    }

    /// What the user should know about a file that is written so.
    pub fn note(&self) -> Option<String> {
        let is_path = self.program != PROGRAM;
        is_path.then(|| {
            format!("hardwon is not on PATH: the entries start {}; keep it there", self.program)
        })
    }
}

pub fn program_of(command: &str) -> &str {
    without_guard(command).split_whitespace().next().unwrap_or_default()
}

/// Whether a program can surely not be started. Names and what a shell would expand are
/// not judged.
pub fn is_gone(program: &str) -> bool {
    let path = Path::new(program);
    path.is_absolute() && !is_program(path)
}

/// Whether a shell, and JSON, take it as it is.
fn is_plain(path: &str) -> bool {
    path.starts_with('/')
        && path.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.+@".contains(c))
        && is_our_program(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::named;

    fn surroundings(path: &str, own: &str) -> Surroundings {
        let (path, own) = (Some(path.into()), Some(own.into()));
        Surroundings { path, own, ..Surroundings::default() }
    }

    #[test]
    fn a_name_that_is_not_on_path_is_not_written_where_a_path_can_be() {
        let claude = named("claude").unwrap();
        let lost = surroundings("/nowhere", "/opt/x/hardwon");
        let own = Launch::of(&lost, false);
        let guarded = |program: &str| guarded(program, "hook claude");
        assert_eq!(own.command(claude), guarded("/opt/x/hardwon"));
        assert!(!own.is_lost && own.note().unwrap().contains("not on PATH"));
        let shared = Launch::of(&lost, true);
        assert_eq!(shared.command(claude), claude.command(), "no path of one user's");
        assert!(shared.is_lost);
        let odd = Launch::of(&surroundings("/nowhere", "/opt/my files/hardwon"), false);
        assert!(odd.is_lost && odd.command(claude) == guarded("hardwon"));
        let unknown = Launch::of(&Surroundings::default(), false);
        assert!(!unknown.is_lost && unknown.note().is_none());
    }

    #[test]
    fn only_what_is_surely_gone_is_repaired() {
        let launch = Launch { program: PROGRAM.to_owned(), is_lost: false };
        let repaired = launch.repaired("/nowhere/hardwon hook claude --x");
        assert_eq!(repaired, Some(guarded("hardwon", "hook claude --x")));
        for kept in ["hardwon hook claude", "~/bin/hardwon hook claude", "$HOME/hardwon hook c"] {
            assert_eq!(launch.repaired(kept), None, "{kept}");
        }
    }
}
