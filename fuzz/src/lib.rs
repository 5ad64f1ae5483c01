//! What must hold for any bytes at all? One function a fuzz target; each panics if
//! something does not hold. `crates/engine/tests/it/seeds.rs` includes this file and runs
//! every target over its seeds, so the targets cannot rot between two fuzzing sessions.

pub mod foreign;
pub mod gate;
pub mod readers;
pub mod settings;
pub mod show;

/// A fuzz target: its name, and what it does with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target. Each has a file in `fuzz_targets` and a folder of seeds in `corpus`.
pub const TARGETS: &[Target] = &[
    ("read_any", readers::any),
    ("read_run_record", readers::run_record),
    ("read_archeflow_log", readers::archeflow_log),
    ("read_geas", readers::geas),
    ("read_archeflow_memory", foreign::archeflow_memory),
    ("journal_line", foreign::journal_line),
    ("gate", gate::gate),
    ("block", show::block),
    ("block_parse", show::block_parse),
    ("settings", settings::settings),
];
