//! Lessons: stated, edited, looked at, reviewed, merged, put away and forgotten for good.

pub(crate) mod erase;
pub(crate) mod look;
pub(crate) mod merge;
pub(crate) mod review;
pub(crate) mod state;

pub use crate::lookup::version_tag;
pub use crate::proposal::doubt as flag;
pub use erase::{forget_for_good, lifted_by};
pub use look::{ListRequest, list, search, show};
pub use merge::{merge, near, near_or_opposite, near_pairs};
pub use review::choices::choices;
pub use review::{
    DecideRequest, decide, doubt, review_next, review_queue, review_queue_of_team, waiting,
};
pub use state::{AddRequest, EditRequest, add, edit, forget, pin, restore, restore_version};
