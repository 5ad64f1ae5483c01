//! `memory_create_candidate_lessons`: the Archivist's name for `submit_reflection`.

pub use super::submit_reflection::{Args, call};
