//! What there is to say of a language model.

use schemars::JsonSchema;
use serde::Serialize;

use super::value::clean;

/// The model that can be installed, and whether it is.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Model {
    pub name: String,
    /// `sha256:` of vocabulary and weights, as they are installed.
    pub digest: String,
    #[serde(serialize_with = "clean")]
    pub path: String,
    #[serde(rename = "installed")]
    pub is_installed: bool,
    /// Its content is not what was installed.
    #[serde(rename = "damaged")]
    pub is_damaged: bool,
    #[serde(rename = "bytes")]
    pub n_bytes: u64,
    /// Lessons of this project that it has read; `null` if nobody looked.
    #[serde(rename = "lessons_read")]
    pub n_read: Option<u64>,
}
