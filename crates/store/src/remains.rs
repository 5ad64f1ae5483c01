//! Is anything left of a text that was erased? What to look for, and whether a file holds it.

mod needles;
mod scan;

pub use needles::{Needles, Patterns};
pub use scan::{files_below, look};
