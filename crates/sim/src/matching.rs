//! How well does matching find the findings that name the same problem?
//!
//! A stream test: labelled findings arrive one by one, each joins the best lesson or starts one, and the
//! resulting groups are compared with the labels, pair by pair. Pure: rows in, scores out; reading files
//! and printing tables is left to the caller. The method to beat is in `baseline`.

use std::collections::BTreeSet;

use hardwon_core::matching::MatchPolicy;

mod baseline;
mod lessons;
mod pairs;

use lessons::stream_policy;
use pairs::count_pairs;
pub use pairs::{ByPull, Pairs};

/// How many lessons the store proposes for one finding, as in the product.
pub const N_CANDIDATES: usize = 24;

/// One labelled finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which judge extracted and labelled it.
    pub set: String,
    /// Pull request in which it was made.
    pub pr: String,
    /// Reviewer who made it.
    pub author: String,
    /// The finding.
    pub text: String,
    /// The known problem that it names. `None` says little: the judge credited each reviewer with
    /// one finding per problem, so a second wording of the same problem has no label either.
    pub same_as: Option<String>,
}

/// Which findings arrive, in how many orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Which rows arrive.
    pub arrivals: Arrivals,
    /// File order, then this many fixed shuffles less one; their pairs are added up.
    pub n_orders: usize,
}

/// Which rows arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Only rows with a known problem.
    Labelled,
    /// All rows; those without a known problem are there to mislead.
    All,
}

/// A way of matching, to be scored.
#[derive(Clone, Debug, PartialEq)]
pub enum Matcher {
    /// The product, with its candidate proposal; the threshold in use is `same`.
    Policy(MatchPolicy),
    /// The method to beat, with its threshold; it sees every lesson.
    Baseline(f64),
}

impl Matcher {
    /// The same matcher with another threshold.
    pub fn at(&self, same: f64) -> Matcher {
        match self {
            Matcher::Policy(policy) => {
                let (same_of_tools, same_of_people) = (None, None);
                let policy = policy.clone();
                Matcher::Policy(MatchPolicy { same, same_of_tools, same_of_people, ..policy })
            }
            Matcher::Baseline(_) => Matcher::Baseline(same),
        }
    }
}

/// Streams the rows of one set through several matchers in one order and counts pairs; baselines,
/// which differ only in threshold, share their work. Rows of several sets must be scored one set
/// at a time, since a finding occurs in each.
fn scores(rows: &[&Row], matchers: &[Matcher], protocol: Protocol, order: usize) -> Vec<ByPull> {
    let store = arrivals(rows, protocol, order);
    let arrived: Vec<&Row> = store.iter().map(|&at| rows[at]).collect();
    let groups = streams(rows, &store, matchers);
    groups.iter().map(|groups| count_pairs(&arrived, groups)).collect()
}

/// What [`cross_validate`] found.
#[derive(Clone, Debug, Default)]
pub struct Validated {
    /// The thresholds chosen, one for each half of each order.
    pub thresholds: Vec<f64>,
    /// For each set, the pairs of pull requests on which nothing was chosen.
    pub per_set: Vec<ByPull>,
}

impl Validated {
    /// Mean pair F1 of the sets, of these pull requests.
    pub fn f1_of(&self, drawn: &[&str]) -> f64 {
        self.per_set.iter().map(|set| set.f1_of(drawn)).sum::<f64>() / self.per_set.len() as f64
    }
}

/// In each order the pull requests are halved anew; the threshold that suits one half best is
/// used for the other, both ways. `grid` must be ascending and not empty.
pub fn cross_validate(
    sets: &[Vec<&Row>],
    matcher: &Matcher,
    protocol: Protocol,
    grid: &[f64],
) -> Validated {
    let matchers: Vec<Matcher> = grid.iter().map(|&same| matcher.at(same)).collect();
    let per_set = vec![ByPull::default(); sets.len()];
    let mut found = Validated { thresholds: Vec::new(), per_set };
    for order in 0..protocol.n_orders.max(1) {
        // Of each half: of each set, what each threshold gives.
        let halves = [false, true].map(|second| -> Vec<Vec<ByPull>> {
            let seed = order as u64 + 1;
            let scored = |rows: &Vec<&Row>| {
                scores(&half_of(rows, second, seed), &matchers, protocol, order + 1)
            };
            sets.iter().map(scored).collect()
        });
        for (tuned, kept_aside) in [(&halves[0], &halves[1]), (&halves[1], &halves[0])] {
            let best = best_of(tuned, grid.len());
            found.thresholds.push(grid[best]);
            for (total, set) in found.per_set.iter_mut().zip(kept_aside) {
                total.add(set[best].clone());
            }
        }
    }
    found
}

/// The threshold with the best mean F1 over the sets, smoothed over its neighbors, because
/// one unlucky join moves many pairs at once.
fn best_of(per_set: &[Vec<ByPull>], n: usize) -> usize {
    let mean = |at: usize| per_set.iter().map(|set| set[at].total().f1()).sum::<f64>();
    let smooth = |at: usize| mean(at.saturating_sub(1)) + mean(at) + mean((at + 1).min(n - 1));
    (0..n).rev().max_by(|&a, &b| smooth(a).total_cmp(&smooth(b))).unwrap_or(0)
}

/// Half of the pull requests, drawn by a seed.
fn half_of<'a>(rows: &[&'a Row], second: bool, seed: u64) -> Vec<&'a Row> {
    let prs: BTreeSet<&str> = rows.iter().map(|row| row.pr.as_str()).collect();
    let prs: Vec<&str> = prs.into_iter().collect();
    let mut order: Vec<usize> = (0..prs.len()).collect();
    shuffle(&mut order, seed);
    let drawn = order.into_iter().skip(usize::from(second)).step_by(2);
    let half: BTreeSet<&str> = drawn.map(|at| prs[at]).collect();
    rows.iter().copied().filter(|row| half.contains(row.pr.as_str())).collect()
}

/// Row numbers, in order of arrival.
fn arrivals(rows: &[&Row], protocol: Protocol, order: usize) -> Vec<usize> {
    let mut arrivals: Vec<usize> = (0..rows.len())
        .filter(|&at| protocol.arrivals == Arrivals::All || rows[at].same_as.is_some())
        .collect();
    shuffle(&mut arrivals, order as u64);
    arrivals
}

/// Seed 0 keeps the order.
fn shuffle(items: &mut [usize], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for at in (1..items.len()).rev().filter(|_| seed > 0) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items.swap(at, (state % (at as u64 + 1)) as usize);
    }
}

/// The group of each arrival, per matcher.
fn streams(rows: &[&Row], store: &[usize], matchers: &[Matcher]) -> Vec<Vec<usize>> {
    let likeness = baseline::table(rows, store);
    matchers
        .iter()
        .map(|matcher| match matcher {
            Matcher::Policy(policy) => stream_policy(rows, store, policy),
            Matcher::Baseline(same) => baseline::stream(&likeness, *same),
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn row(pr: &str, text: &str, same_as: Option<&str>) -> Row {
        Row {
            set: "A".into(),
            pr: pr.into(),
            author: "x".into(),
            text: text.into(),
            same_as: same_as.map(str::to_string),
        }
    }

    pub(crate) fn sample() -> Vec<Row> {
        vec![
            row("p", "downsize is defined twice, the later overrides the former", Some("1")),
            row("p", "Second definition of downsize overrides the former one", Some("1")),
            row("p", "host may be nil in before_validation", Some("2")),
            row("q", "The migration interpolates host into raw SQL", Some("3")),
            row("q", "Pagination shows an empty last page", None),
        ]
    }

    #[test]
    fn the_product_groups_the_sample() {
        let rows = sample();
        let rows: Vec<&Row> = rows.iter().collect();
        let protocol = Protocol { arrivals: Arrivals::All, n_orders: 1 };
        for order in 0..2 {
            let ours = Matcher::Policy(MatchPolicy::default());
            let pairs = scores(&rows, &[ours], protocol, order).remove(0).total();
            assert_eq!(pairs, Pairs { n_right: 1, n_wrong: 0, n_missed: 0 });
        }
    }

    #[test]
    fn halves_share_no_pull_request() {
        let rows = sample();
        let rows: Vec<&Row> = rows.iter().collect();
        for seed in 1..4 {
            let halves = [half_of(&rows, false, seed), half_of(&rows, true, seed)];
            let prs = halves.map(|half| half.iter().map(|row| row.pr.clone()).collect());
            let [one, other]: [BTreeSet<String>; 2] = prs;
            assert!(one.is_disjoint(&other) && one.len() + other.len() == 2);
        }
    }

    #[test]
    fn an_order_is_a_permutation() {
        let mut items: Vec<usize> = (0..50).collect();
        shuffle(&mut items, 3);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
