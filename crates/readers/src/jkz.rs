//! What do the agents of a pipeline report? Markdown for people, with the verdict in an HTML
//! comment for programs. The same text stands in a comment on GitHub, in a file of its own, or in
//! the record of one call of an agent; all three are read here, in one way.

mod deliberation;
mod diagnosis;
mod pattern;
mod review;
mod role;
mod signal;
mod told;

/// More of one report, or of one call of an agent, is never held in memory.
const MAX_BYTES: u64 = 16 << 20;

pub use deliberation::{in_time, line as deliberation_line, read as deliberations};
pub use diagnosis::attempt_result;
pub use review::{is_review, may_be_review, read as review};
pub(crate) use role::role_name;
pub use signal::has_signal;
pub use told::{Who, told};
