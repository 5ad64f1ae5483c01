//! Does a name or a digest in an export look as ours do? They are not words: what they
//! hold cannot be cleaned, so it is as it must be, or its line is not used.

use crate::change::Tombstone;
use crate::effect::{Effect, Injection};
use crate::finding::Finding;
use crate::gate::Gate;
use crate::ids::RunId;
use crate::lesson::Lesson;
use crate::run::Run;

/// A row with names of runs, and with names and digests of a fixed shape.
pub trait Identified {
    fn for_each_run(&mut self, _visit: &mut dyn FnMut(&mut RunId)) {}
    /// Whether all else that names something has our shape. A lesson of another system may have
    /// a name of its own, if it is not a secret.
    fn is_named_as_ours(&self, _gate: &Gate) -> bool {
        true
    }
}

impl Identified for Lesson {
    fn for_each_run(&mut self, visit: &mut dyn FnMut(&mut RunId)) {
        self.last_seen_run.iter_mut().for_each(visit);
    }

    fn is_named_as_ours(&self, gate: &Gate) -> bool {
        [&self.id].into_iter().chain(&self.superseded_by).all(|id| is_plain(id.as_str(), gate))
    }
}

impl Identified for Run {
    fn for_each_run(&mut self, visit: &mut dyn FnMut(&mut RunId)) {
        [&mut self.id, &mut self.root].into_iter().chain(&mut self.parent).for_each(visit);
    }
}

impl Identified for Finding {
    fn for_each_run(&mut self, visit: &mut dyn FnMut(&mut RunId)) {
        [&mut self.run, &mut self.root].into_iter().chain(&mut self.fixed_in).for_each(visit);
    }

    fn is_named_as_ours(&self, gate: &Gate) -> bool {
        is_base32(&self.key.0, "f-", 16) && self.lesson.iter().all(|id| is_plain(id.as_str(), gate))
    }
}

impl Identified for Injection {
    fn for_each_run(&mut self, visit: &mut dyn FnMut(&mut RunId)) {
        visit(&mut self.run);
    }

    fn is_named_as_ours(&self, gate: &Gate) -> bool {
        let is_shown =
            self.shown.iter().all(|s| is_plain(s.lesson.as_str(), gate) && is_hex(&s.digest, 16));
        let is_held_out = self.held_out.iter().all(|id| is_plain(id.as_str(), gate));
        is_shown && is_held_out && is_need(&self.need, gate) && is_sha256(&self.digest)
    }
}

impl Identified for Effect {
    fn for_each_run(&mut self, visit: &mut dyn FnMut(&mut RunId)) {
        visit(&mut self.root);
    }

    fn is_named_as_ours(&self, gate: &Gate) -> bool {
        is_plain(self.lesson.as_str(), gate)
    }
}

impl Identified for Tombstone {
    fn is_named_as_ours(&self, gate: &Gate) -> bool {
        let is_text = self.texts.iter().all(|digest| is_base32(digest, "d-", 26));
        let is_signature = self.signatures.iter().all(|digest| is_base32(digest, "g-", 26));
        is_text && is_signature && is_plain(self.lesson.as_str(), gate)
    }
}

/// A signature, made by us or from a tool's fingerprint.
pub fn is_signature(word: &str) -> bool {
    let hex = word.strip_prefix("s-").or(word.strip_prefix("x-"));
    hex.is_some_and(|hex| is_hex(hex, 16))
}

/// The digest of a block.
pub fn is_sha256(word: &str) -> bool {
    word.strip_prefix("sha256:").is_some_and(|hex| is_hex(hex, 64))
}

/// The digest of a need with the number of its block; that of another system's line; or a
/// plain word.
fn is_need(need: &str, gate: &Gate) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let digest = match need.rsplit_once('-') {
        Some((digest, number)) if is_number(number) && number.len() < 10 => digest,
        _ => need,
    };
    let digest = digest.strip_prefix("archeflow-").unwrap_or(digest);
    is_hex(digest, 32) || is_plain(need, gate)
}

fn is_plain(word: &str, gate: &Gate) -> bool {
    gate.word(word).is_some_and(|clean| clean == word)
}

fn is_hex(word: &str, n_chars: usize) -> bool {
    word.len() == n_chars && word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_base32(word: &str, prefix: &str, n_chars: usize) -> bool {
    let is_digit = |c: u8| c.is_ascii_digit() || c.is_ascii_lowercase() && !b"ilou".contains(&c);
    word.strip_prefix(prefix).is_some_and(|w| w.len() == n_chars && w.bytes().all(is_digit))
}
