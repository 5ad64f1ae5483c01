//! Which programs take a secret as an argument, and behind which flag? The table is
//! `data/secret_arguments.txt`, which says what its words mean; `command` walks the command
//! lines.

/// A program, or several that take the same arguments.
pub(super) struct Program {
    pub names: &'static [&'static str],
    pub flags: &'static [Flag],
    pub rest: Rest,
    /// So many words in a row without a flag are a command line; more are prose.
    pub most_words: usize,
}

/// A flag that carries a secret.
pub(super) struct Flag {
    pub name: &'static str,
    pub place: Place,
    pub part: Part,
    /// The subcommand it belongs to.
    pub after: Option<&'static str>,
}

/// Where the value of a flag stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Glued,
    Behind,
    Either,
    Equals,
}

/// What of the value is secret.
#[derive(Clone, Copy)]
pub(super) enum Part {
    All,
    /// What follows the first of this byte.
    Behind(u8),
    Pass,
    Settings,
    Pair,
}

/// What the words without a flag can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    Nothing,
    Pairs,
    Named,
    Third,
}

static PROGRAMS: &[Program] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

pub(super) fn program_named(name: &[u8]) -> Option<&'static Program> {
    let is_it = |program: &&Program| program.names.iter().any(|known| known.as_bytes() == name);
    PROGRAMS.iter().find(is_it)
}
