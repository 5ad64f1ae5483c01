//! Lessons: stated, edited, looked at, reviewed, merged, put away and forgotten for good.

pub(crate) mod erase;
pub(crate) mod look;
pub(crate) mod merge;
pub(crate) mod review;
pub(crate) mod state;

pub use look::ListRequest;
pub use review::DecideRequest;
pub use state::{AddRequest, EditRequest, Stated};
