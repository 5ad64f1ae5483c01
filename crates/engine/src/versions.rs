//! Versions of any value under a name, in one JSON file, for programs that keep memory of their
//! own: `set`, `history`, `restore`. The last ten of each name are kept, going back appends, and
//! writers at once lose nothing.
//!
//! ```
//! use hardwon_engine::time::Timestamp;
//! use hardwon_engine::versions::Versions;
//!
//! let folder = tempfile::tempdir()?;
//! let versions = Versions::at(folder.path().join("memory_versions.json"), 10);
//! let at = Timestamp::parse("2026-04-03T14:00:00Z").expect("a time");
//! versions.set("house-style", "Short sentences.", at)?;
//! versions.set("house-style", "Long sentences.", at)?;
//! versions.restore("house-style", 1, at)?;
//! let history = versions.history("house-style")?;
//! assert_eq!(history[2].value, "Short sentences.");
//! assert_eq!(history[2].restored_from, Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use hardwon_core::gate::Gate;

use crate::error::Result;
use crate::open::{Options, refuse_without_rules};
use crate::place::Environment;

pub use hardwon_store::versions::{Version, Versions, VersionsError};

/// How many versions are kept where no setting says otherwise.
pub const N_KEPT: usize = 10;

/// A value as it may lie in a file: without its secrets. Refused where what is to be redacted
/// cannot be read.
pub fn redacted(environment: &Environment, options: &Options, value: &str) -> Result<String> {
    let settings = options.settings(environment);
    refuse_without_rules(&settings)?;
    Ok(Gate::standard().redacting(settings.wishes()).redacted(value))
}
