//! What a person reads of a language model.

use crate::answer::Model;

/// Whether it is installed, where, and what to do next.
pub fn model(model: &Model, _width: usize) -> String {
    let Model { name, path, .. } = model;
    let state = match (model.is_installed, model.is_damaged) {
        (false, _) => "not installed: `search` goes by words and what they mean".to_owned(),
        (true, true) => "damaged: install it again, or remove it".to_owned(),
        (true, false) => {
            let read = model.n_read.map(|n| format!(", {n} lessons of this project read"));
            format!("installed, {} MB{}", model.n_bytes / 1_000_000, read.unwrap_or_default())
        }
    };
    format!("{name}: {state}\n{path}\n{}\n", model.digest)
}
