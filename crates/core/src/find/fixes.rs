//! Which findings did a repair end? It says so in any words.

use super::{FoundFinding, Likeness};
use crate::event::{FindingStated, FixStated, Source};
use crate::finding::{FindingState, Severity};

/// The findings that a text is about: those in the same words, or else the most similar one.
pub(super) fn findings_about(
    findings: &[FoundFinding],
    text: &str,
    likeness: Likeness<'_>,
) -> Vec<usize> {
    let is_open = |index: &usize| findings[*index].state != FindingState::Dismissed;
    let words = |index: usize| findings[index].stated.text.trim();
    let equal: Vec<usize> =
        (0..findings.len()).filter(is_open).filter(|&index| words(index) == text.trim()).collect();
    if !equal.is_empty() {
        return equal;
    }
    let alike = (0..findings.len())
        .filter(is_open)
        .filter_map(|index| Some((index, likeness(text, words(index))?)));
    // Of equals the first.
    let best = alike.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(index, _)| index).into_iter().collect()
}

/// A fix closes the finding that it is about; a fix of nothing in this run is kept as a fixed
/// finding that was not seen here.
pub(super) fn apply(
    findings: &mut Vec<FoundFinding>,
    fixes: Vec<(Source, FixStated)>,
    likeness: Likeness<'_>,
) {
    // A fix never closes what another fix left behind.
    let n_found = findings.len();
    for (source, fix) in fixes {
        let findings_about = findings_about(&findings[..n_found], &fix.text, likeness);
        let is_there =
            |index: &&usize| fix.path.is_none() || findings[**index].stated.path == fix.path;
        let at_place: Vec<usize> = findings_about.iter().filter(is_there).copied().collect();
        let closed = if at_place.is_empty() { findings_about } else { at_place };
        for &index in &closed {
            findings[index].state = FindingState::Fixed;
        }
        if !closed.is_empty() {
            continue;
        }
        let stated = FindingStated {
            author: fix.author,
            text: fix.text,
            path: fix.path,
            line: fix.line,
            ..FindingStated::default()
        };
        findings.push(FoundFinding {
            source,
            author: super::author(&stated.author),
            severity: Severity::Info,
            state: FindingState::Fixed,
            is_sighting: false,
            ruled_by: None,
            stated,
        });
    }
}
