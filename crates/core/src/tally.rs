//! What is counted so that chances can be told: in how many root runs each place occurred, and at
//! which of them each lesson came up. A store keeps the counts as sums over its root runs; what one
//! root run contributes is decided here, so every store counts the same and can take a contribution
//! back exactly.

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::{Effect, EffectKind};
use crate::finding::Finding;
use crate::ids::{LessonId, RunId};
use crate::need::Need;
use crate::run::Run;

/// Runs after which a sighting counts half. Not a policy's number: sums that fade are kept
/// with it, so another one means counting anew.
pub const HALF_LIFE_RUNS: f64 = 150.0;

/// Runs further back than this weigh less than a thousandth, and are not added up.
pub const N_REMEMBERED: u64 = 1_500;

/// Files of a run beyond which only their folders count.
const MAX_FILES: usize = 512;

/// Files of a need that are looked up: each costs time before a run can begin.
const MAX_FILES_OF_NEED: usize = 32;

/// What a run can have in common with another: `/src/db/` (a folder) or `/src/db/a.rs` (a file).
pub type Facet = String;

/// What one root run contributes to the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub root: Option<RunId>,
    /// Place among the root runs; without one nothing is counted.
    pub number: u64,
    pub facets: BTreeSet<Facet>,
    pub lessons: BTreeMap<LessonId, Part>,
}

/// What one root run says about one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub was_seen: bool,
    /// Shown where it could have come up.
    pub was_shown: bool,
    /// Facets of where it was seen.
    pub facets: BTreeSet<Facet>,
}

/// The contribution of a root run, from all its runs, findings and effects.
pub fn tally(runs: &[Run], findings: &[Finding], effects: &[Effect]) -> Option<Tally> {
    let learned = || runs.iter().filter(|run| run.is_learned);
    let number = learned().find_map(|run| run.number)?;
    let stated = findings.iter().filter(|finding| is_counted(finding));
    let places = stated.clone().filter_map(|finding| finding.place.as_ref());
    let paths = learned().flat_map(|run| run.paths.iter().map(String::as_str));
    let facets = facets_of_paths(paths.chain(places.map(|place| place.path.as_str())));
    let mut lessons: BTreeMap<LessonId, Part> = BTreeMap::new();
    for finding in stated {
        let Some(lesson) = &finding.lesson else { continue };
        let part = lessons.entry(lesson.clone()).or_default();
        part.was_seen = true;
        part.facets.extend(facets_of_paths(finding.place.iter().map(|place| place.path.as_str())));
    }
    for effect in effects.iter().filter(|effect| is_trial(effect)) {
        let part = lessons.entry(effect.lesson.clone()).or_default();
        part.was_shown = true;
        // An echo of what was shown is no sighting, but it came up.
        part.was_seen |= effect.kind == EffectKind::NoHelp;
    }
    let root = runs.first().map(|run| run.root.clone());
    Some(Tally { root, number, facets, lessons })
}

/// Whether a finding says that its lesson came up.
fn is_counted(finding: &Finding) -> bool {
    finding.is_sighting && finding.lesson.is_some()
}

/// Whether the lesson was shown where its finding could have come back.
fn is_trial(effect: &Effect) -> bool {
    let is_told = matches!(effect.kind, EffectKind::Helped | EffectKind::NoHelp);
    effect.was_shown() && is_told
}

/// The places of a need: the files that its run will touch, as far as it is known before, and the
/// folders around them.
/// Sorted, so that a folder stands before what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeedFacets {
    pub facets: Vec<Facet>,
    /// For each facet the folder that it is directly in, as an index.
    pub parents: Vec<Option<usize>>,
    /// Files that will be touched, as indexes.
    pub files: Vec<usize>,
}

impl NeedFacets {
    pub fn of(need: &Need) -> Self {
        let paths = need.paths.iter().filter_map(|path| normal(path));
        let paths: BTreeSet<&str> = paths.collect();
        let mut facets = BTreeSet::new();
        for path in paths.iter().take(MAX_FILES_OF_NEED) {
            facets.extend(folders(path));
            facets.insert(file(path));
        }
        let facets: Vec<Facet> = facets.into_iter().collect();
        let find = |facet: &str| facets.binary_search_by(|known| known.as_str().cmp(facet)).ok();
        let parents = facets.iter().map(|facet| find(parent(facet)?)).collect();
        let files =
            paths.iter().take(MAX_FILES_OF_NEED).filter_map(|path| find(&file(path))).collect();
        NeedFacets { facets, parents, files }
    }
}

/// The folder that a file or folder is in.
fn parent(facet: &str) -> Option<&str> {
    let inner = facet.trim_end_matches('/');
    let at = inner.rfind('/')?;
    (at > 0).then(|| &facet[..=at])
}

fn facets_of_paths<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeSet<Facet> {
    let paths: BTreeSet<&str> = paths.filter_map(normal).collect();
    let mut facets: BTreeSet<Facet> = paths.iter().take(MAX_FILES).map(|path| file(path)).collect();
    for path in paths {
        facets.extend(folders(path));
    }
    facets
}

/// A path below the project; none for one that leads out of it.
fn normal(path: &str) -> Option<&str> {
    let path = path.trim_start_matches("./").trim_start_matches('/');
    (!path.is_empty() && !path.starts_with("..")).then_some(path)
}

fn file(path: &str) -> Facet {
    format!("/{path}")
}

/// The folders of a file, outermost first.
fn folders(path: &str) -> Vec<Facet> {
    path.match_indices('/').map(|(at, _)| format!("/{}", &path[..=at])).collect()
}

/// The sums of one lesson, faded: what counts of it at the newest run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rate {
    /// Runs in which it came up.
    pub seen: f64,
    /// Runs in which it was shown where it could have come up.
    pub shown: f64,
    /// Runs in which it came up although it was shown.
    pub shown_seen: f64,
    /// Number of the last run in which it came up; 0 if it never did.
    pub last: u64,
}

/// One numbered root run, of a lesson that was seen or shown in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    pub number: u64,
    pub was_seen: bool,
    pub was_shown: bool,
}

/// What a run weighs, after `n_runs` more.
pub fn faded(n_runs: u64) -> f64 {
    (-(n_runs as f64) / HALF_LIFE_RUNS).exp2()
}

/// The sums of a lesson's trials, as they are when the newest of them ends. Summed in the
/// order of the runs: the same trials give the same bits.
pub fn rate(trials: &[Trial]) -> (u64, Rate) {
    let reference = trials.iter().map(|trial| trial.number).max().unwrap_or(0);
    let mut rate = Rate::default();
    for trial in trials {
        let weight = faded(reference - trial.number);
        rate.seen += if trial.was_seen { weight } else { 0.0 };
        rate.shown += if trial.was_shown { weight } else { 0.0 };
        rate.shown_seen += if trial.was_shown && trial.was_seen { weight } else { 0.0 };
        rate.last = if trial.was_seen { rate.last.max(trial.number) } else { rate.last };
    }
    (reference, rate)
}

impl Rate {
    /// The sums as they are at a later run.
    pub fn at(self, reference: u64, now: u64) -> Rate {
        let weight = faded(now.saturating_sub(reference));
        Rate {
            seen: self.seen * weight,
            shown: self.shown * weight,
            shown_seen: self.shown_seen * weight,
            last: self.last,
        }
    }

    /// A number that orders lessons by how often they came up, at every later run alike,
    /// since all sightings fade alike: the logarithm of the sum as of run 0.
    pub fn order(&self, reference: u64) -> f64 {
        self.seen.log2() + reference as f64 / HALF_LIFE_RUNS
    }
}

/// The weight of all runs up to the newest.
pub fn all_runs(n_runs: u64) -> f64 {
    let step = faded(1);
    (1.0 - step.powf(n_runs as f64)) / (1.0 - step)
}

/// What a store counted that bears on some facets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Number of the newest root run.
    pub n_runs: u64,
    /// Root runs with each of the facets, in their order.
    pub runs_with: Vec<u64>,
    pub lessons: BTreeMap<LessonId, LessonCounts>,
}

/// What a store counted about one lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LessonCounts {
    pub rate: Rate,
    /// Root runs in which it came up at each of the facets, in their order.
    pub seen_with: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_folders_and_itself() {
        let facets =
            facets_of_paths(["./src/db/pool.rs", "/src/db/pool.rs", "Makefile"].into_iter());
        let expected = ["/Makefile", "/src/", "/src/db/", "/src/db/pool.rs"];
        assert_eq!(facets.into_iter().collect::<Vec<_>>(), expected);
        assert!(facets_of_paths(["../other/a.rs", ""].into_iter()).is_empty());
    }

    #[test]
    fn a_need_leads_from_the_outermost_folder_to_the_file() {
        let need = Need { paths: vec!["src/db/pool.rs".into()], ..Need::default() };
        let facets = NeedFacets::of(&need);
        assert_eq!(facets.facets, ["/src/", "/src/db/", "/src/db/pool.rs"]);
        assert_eq!(facets.parents, [None, Some(0), Some(1)]);
        assert_eq!(facets.files, [2]);
    }

    #[test]
    fn sums_fade_alike_and_keep_their_order() {
        let seen = |number| Trial { number, was_seen: true, was_shown: false };
        let (at, often) = rate(&[seen(1), seen(2), seen(3)]);
        let (later, once) = rate(&[seen(4)]);
        assert!(often.order(at) > once.order(later));
        let half = often.at(at, at + HALF_LIFE_RUNS as u64);
        assert!((half.seen - often.seen / 2.0).abs() < 1e-9);
        assert!((all_runs(3) - (1.0 + faded(1) + faded(2))).abs() < 1e-9);
        assert_eq!(all_runs(0), 0.0);
    }
}
