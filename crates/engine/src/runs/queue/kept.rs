//! Records that came while the server was away are learned once: one that is learned again changes
//! nothing.

use hardwon_core::ids::RunId;
use hardwon_readers::{Format, Input};
use hardwon_render::answer::{Answer, Learned};
use hardwon_store::files::text_path;
use serde::{Deserialize, Serialize};

use crate::memory::{Call, Memory, Result};
use crate::runs::{self, LearnRequest};

/// A record in a file, and what was said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRecord {
    pub path: String,
    /// Whether the file is ours, to be removed when it was learned.
    #[serde(default)]
    pub is_spooled: bool,
    #[serde(default)]
    pub run: Option<String>,
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub author: Option<String>,
}

/// A record that a server could not take when it came, as `learn` would have learned it then.
pub(super) fn learn(
    memory: &mut Memory,
    call: &Call,
    kept: &KeptRecord,
) -> Result<Answer<Learned>> {
    let path = text_path(&kept.path);
    let request = LearnRequest {
        inputs: vec![Input::Path(path.clone())],
        run: kept.run.as_deref().and_then(RunId::named),
        format: kept.format.as_deref().and_then(Format::from_word),
        author: kept.author.clone(),
        ..LearnRequest::default()
    };
    let learned = runs::learn(memory, call, request)?;
    if kept.is_spooled {
        let _ = std::fs::remove_file(path);
    }
    Ok(learned)
}
