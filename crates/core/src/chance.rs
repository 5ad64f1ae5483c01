//! How likely is it that a lesson comes up in a run? From what was counted (`tally`): how
//! often it came up of late, how much more often where this run will work, in files of its
//! kind and under such titles, and how long ago. A pure function; its numbers are the
//! policy's, fitted by `hardwon-sim backtest` on histories of real repositories.
//!
//! A lesson that works is not to die of its success: a run in which it was shown says less
//! about how often it would have come up. By how much less is learned, too: `heed` is the
//! share of recurrences that are left when a lesson is shown.

use crate::policy::ChanceRank;
use crate::tally::{Counts, LessonCounts, NeedFacets, Rate, all_runs};

/// How much the words of a title can change the odds, as a logarithm.
const MAX_TITLE: f64 = 2.0;

/// Rounds in which a rate and its heed are brought to agree; they change little after two.
const N_ROUNDS: usize = 3;

/// A chance, with what it was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Chance {
    pub value: f64,
    /// Share of all runs in which it comes up when it is not shown.
    pub base: f64,
    /// Times as often where the run will work.
    pub place: f64,
    /// Times as often in files of these kinds.
    pub kind: f64,
    /// Times as often under such titles.
    pub title: f64,
    /// Runs since it came up last.
    pub since: u64,
    /// The facet at which it comes up most, if that is a reason.
    pub at: Option<usize>,
}

/// What is left of recurrences when lessons are shown, of all these lessons together.
pub fn pooled_heed(counts: &Counts, policy: &ChanceRank) -> f64 {
    let all = all_runs(counts.n_runs);
    let (mut observed, mut expected) = (0.0, 0.0);
    for Rate { seen, shown, shown_seen, .. } in counts.lessons.values().map(|l| l.rate) {
        let unshown = all - shown;
        if unshown > 1.0 {
            observed += shown_seen;
            expected += shown * (seen - shown_seen) / (unshown + 1.0);
        }
    }
    let strength = policy.heed_strength;
    ((observed + strength * policy.heed) / (expected + strength)).clamp(policy.min_heed, 1.0)
}

/// The share of runs in which a lesson comes up when it is not shown.
fn base(rate: &Rate, all: f64, pooled: f64, policy: &ChanceRank) -> f64 {
    let mut heed = pooled;
    let mut base = 0.0;
    for _ in 0..N_ROUNDS {
        let exposed = (all - rate.shown).max(0.0) + heed * rate.shown;
        base = rate.seen / (exposed + 1.0);
        let strength = policy.heed_strength;
        heed = (rate.shown_seen + strength * pooled) / (base * rate.shown + strength);
        heed = heed.clamp(policy.min_heed, 1.0);
    }
    base.clamp(1e-6, 1.0)
}

/// The chance that a lesson comes up in a run with these facets; `pooled` is
/// [`pooled_heed`].
pub fn chance(
    lesson: &LessonCounts,
    counts: &Counts,
    facets: &NeedFacets,
    pooled: f64,
    policy: &ChanceRank,
) -> Chance {
    let base = base(&lesson.rate, all_runs(counts.n_runs), pooled, policy);
    let rates = Rates { lesson, counts, facets, base, shrink: policy.shrink };
    let (place, at) = rates.place();
    let kind = rates.kind();
    let title = rates.title();
    let since = counts.n_runs.saturating_sub(lesson.rate.last);
    let n_files =
        if facets.files.is_empty() { policy.usual_files } else { facets.files.len() as f64 };
    let logit = policy.base * base.ln()
        + policy.place * place.ln()
        + policy.kind * kind.ln()
        + policy.title * title.ln()
        - policy.recency * (1.0 + since as f64).ln()
        + policy.size * (1.0 + n_files).ln()
        + policy.constant;
    Chance { value: 1.0 / (1.0 + (-logit).exp()), base, place, kind, title, since, at }
}

/// How often one lesson comes up at the facets of a need.
struct Rates<'a> {
    lesson: &'a LessonCounts,
    counts: &'a Counts,
    facets: &'a NeedFacets,
    base: f64,
    /// Runs that what is known of a wider place is worth.
    shrink: f64,
}

impl Rates<'_> {
    fn at(&self, facet: usize, prior: f64) -> f64 {
        let n_seen = self.lesson.seen_with.get(facet).copied().unwrap_or(0) as f64;
        let n_runs = self.counts.runs_with.get(facet).copied().unwrap_or(0) as f64;
        (n_seen + self.shrink * prior) / (n_runs + self.shrink)
    }

    /// Times as often at the best of the touched files; each place is pulled towards the
    /// folder around it. And the narrowest facet that makes it so.
    fn place(&self) -> (f64, Option<usize>) {
        let mut rates = vec![self.base; self.facets.facets.len()];
        for facet in 0..rates.len() {
            if crate::tally::is_place(&self.facets.facets[facet]) {
                let around = self.facets.parents[facet].map_or(self.base, |parent| rates[parent]);
                rates[facet] = self.at(facet, around);
            }
        }
        let best = self.facets.files.iter().copied();
        let best = best.max_by(|a, b| rates[*a].total_cmp(&rates[*b]).then(b.cmp(a)));
        let Some(best) = best else { return (1.0, None) };
        (rates[best] / self.base, self.seen_at(best))
    }

    /// The file, or the narrowest folder around it, in which it was ever seen.
    fn seen_at(&self, facet: usize) -> Option<usize> {
        let mut next = Some(facet);
        while let Some(facet) = next {
            if self.lesson.seen_with.get(facet).is_some_and(|n_seen| *n_seen > 0) {
                return Some(facet);
            }
            next = self.facets.parents[facet];
        }
        None
    }

    fn kind(&self) -> f64 {
        let rates = self.starting_with('.').map(|facet| self.at(facet, self.base));
        rates.reduce(f64::max).map_or(1.0, |best| best / self.base)
    }

    fn title(&self) -> f64 {
        let known = |facet: &usize| self.counts.runs_with.get(*facet).is_some_and(|n| *n > 0);
        let words = self.starting_with('#').filter(known);
        let lift: f64 = words.map(|facet| (self.at(facet, self.base) / self.base).ln()).sum();
        lift.clamp(-MAX_TITLE, MAX_TITLE).exp()
    }

    fn starting_with(&self, sign: char) -> impl Iterator<Item = usize> {
        let facets = self.facets.facets.iter().enumerate();
        facets.filter(move |(_, facet)| facet.starts_with(sign)).map(|(at, _)| at)
    }
}
