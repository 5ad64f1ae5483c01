//! Does a document or a manifest say already what somebody states as a lesson? A notice, never a
//! refusal: it must not make anybody wait, so what is not known in time is not said.

use std::time::{Duration, Instant};

use hardwon_core::notes::bar::{self, Candidate, Lack};
use hardwon_core::notes::documents::Documents;
use hardwon_engine::Environment;
use hardwon_readers::{document_sentences, is_manifest, manifest_fields};
use hardwon_store::history::tree_files;
use hardwon_store::working_tree::cited_file;

use super::look::is_page;

/// How long may be looked.
const PATIENCE: Duration = Duration::from_millis(200);

/// The places that say a text already: `docs/style.md:12`.
pub fn said_already(environment: &Environment, text: &str) -> Vec<String> {
    let until = Instant::now() + PATIENCE;
    let tree = environment.checkout();
    let (mut said, mut fields) = (Vec::new(), Vec::new());
    for path in tree_files(tree, until).into_iter().filter(|it| is_page(it) || is_manifest(it)) {
        if Instant::now() >= until {
            return Vec::new();
        }
        let text = cited_file(tree, &path).unwrap_or_default();
        match is_manifest(&path) {
            true => fields.extend(manifest_fields(&path, &text)),
            false => said.extend(document_sentences(&path, &text)),
        }
    }
    let Ok(policy) = super::rules(environment) else { return Vec::new() };
    let documents = Documents::new(said);
    let known = bar::Known { documents: &documents, manifests: &fields };
    let candidate = Candidate { text, is_stated: true, ..Candidate::default() };
    let lacks = bar::lacks(&candidate, known, &policy.notes, &policy.matching);
    let places = lacks.iter().filter_map(|lack| match lack {
        Lack::Undocumented { place, .. } => Some(format!("{}:{}", place.file, place.line)),
        Lack::NonObvious { field } => Some(format!("{}:{}", field.file, field.line)),
        Lack::Recurrent { .. } | Lack::Actionable => None,
    });
    if Instant::now() >= until { Vec::new() } else { places.collect() }
}
