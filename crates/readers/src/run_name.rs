//! An id that names a run, whatever a foreign format calls it.

use hardwon_core::digest::sha256;
use hardwon_core::ids::RunId;

/// The text itself where it can name a run, else a name derived from it.
pub fn run_name(text: &str) -> String {
    match RunId::parse(text) {
        Ok(_) => text.to_owned(),
        Err(_) => RunId::derived(&sha256(&[text])).as_str().to_owned(),
    }
}
