//! How well does matching find the findings that name the same problem?
//!
//! A stream test: labelled findings arrive one by one, each joins the best lesson or starts one, and the
//! resulting groups are compared with the labels, pair by pair. Pure: rows in, scores out; reading files
//! and printing tables is left to the caller. The methods to beat are in `baseline`.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::matching::{Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared};
use hardwon_core::words::unique_words;

mod baseline;

pub use baseline::Baseline;

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

/// Which findings arrive, in which stores, in how many orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Which rows arrive.
    pub arrivals: Arrivals,
    /// Which of them share a store.
    pub stores: Stores,
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

/// Which rows share a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// A project's memory: everything in one.
    Whole,
    /// A fresh store for each pull request.
    PerPullRequest,
}

/// A way of matching, to be scored.
#[derive(Clone, Debug, PartialEq)]
pub enum Matcher {
    /// The product, with its candidate proposal; the threshold in use is `same`.
    Policy(MatchPolicy),
    /// A method to beat; it sees every lesson and the threshold beside it.
    Baseline(Baseline, f64),
}

impl Matcher {
    /// The same matcher with another threshold.
    pub fn at(&self, same: f64) -> Matcher {
        match self {
            Matcher::Policy(policy) => Matcher::Policy(MatchPolicy { same, ..policy.clone() }),
            Matcher::Baseline(baseline, _) => Matcher::Baseline(*baseline, same),
        }
    }
}

/// Pairs of findings, counted.
///
/// A pair is counted when the truth about it is known: both name a known problem (right if it is the same one),
/// or one does and the other comes from another pull request (then wrong). Left out are pairs of
/// two unlabelled rows, and an unlabelled with a labelled row of the same pull request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Joined and the same problem.
    pub n_right: u64,
    /// Joined and not the same problem.
    pub n_wrong: u64,
    /// The same problem and not joined.
    pub n_missed: u64,
}

impl Pairs {
    /// Share of joined pairs that are right; 1 when nothing was joined.
    pub fn precision(&self) -> f64 {
        share(self.n_right, self.n_right + self.n_wrong)
    }

    /// Share of same pairs that were joined; 1 when there are none.
    pub fn recall(&self) -> f64 {
        share(self.n_right, self.n_right + self.n_missed)
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        share(2 * self.n_right, 2 * self.n_right + self.n_wrong + self.n_missed)
    }

    fn add(&mut self, other: Pairs) {
        self.n_right += other.n_right;
        self.n_wrong += other.n_wrong;
        self.n_missed += other.n_missed;
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Streams the rows of one set through a matcher and counts pairs.
///
/// Deterministic. Rows of several sets must be scored one set at a time, since a finding occurs in each.
pub fn score(rows: &[&Row], matcher: &Matcher, protocol: Protocol) -> Pairs {
    scores(rows, std::slice::from_ref(matcher), protocol)[0]
}

/// [`score`] for several matchers; baselines that differ only in threshold share their work.
pub fn scores(rows: &[&Row], matchers: &[Matcher], protocol: Protocol) -> Vec<Pairs> {
    let mut totals = vec![Pairs::default(); matchers.len()];
    for order in 0..protocol.n_orders.max(1) {
        for store in stores(rows, protocol, order) {
            for (total, groups) in totals.iter_mut().zip(streams(rows, &store, matchers)) {
                let arrived: Vec<&Row> = store.iter().map(|&at| rows[at]).collect();
                total.add(count_pairs(&arrived, &groups));
            }
        }
    }
    totals
}

/// The threshold with the best mean F1 over the sets, smoothed over its neighbors, and the pairs per set there.
///
/// Smoothed because one unlucky join moves many pairs at once. `grid` must be ascending and not empty.
pub fn tune(
    sets: &[Vec<&Row>],
    matcher: &Matcher,
    protocol: Protocol,
    grid: &[f64],
) -> (f64, Vec<Pairs>) {
    let matchers: Vec<Matcher> = grid.iter().map(|&same| matcher.at(same)).collect();
    let per_set: Vec<Vec<Pairs>> =
        sets.iter().map(|rows| scores(rows, &matchers, protocol)).collect();
    let mean = |at: usize| per_set.iter().map(|pairs| pairs[at].f1()).sum::<f64>();
    let smooth = |at: usize| {
        (mean(at.saturating_sub(1)) + mean(at) + mean((at + 1).min(grid.len() - 1))) / 3.0
    };
    let best = (0..grid.len()).rev().max_by(|&a, &b| smooth(a).total_cmp(&smooth(b))).unwrap_or(0);
    (grid[best], per_set.iter().map(|pairs| pairs[best]).collect())
}

/// Tunes on one half of the pull requests and scores the other half, both ways; pairs per set, added up.
pub fn cross_validate(
    sets: &[Vec<&Row>],
    matcher: &Matcher,
    protocol: Protocol,
    grid: &[f64],
) -> Vec<Pairs> {
    let mut totals = vec![Pairs::default(); sets.len()];
    for half in [false, true] {
        let tuning: Vec<Vec<&Row>> = sets.iter().map(|rows| half_of(rows, half)).collect();
        let (same, _) = tune(&tuning, matcher, protocol, grid);
        for (total, rows) in totals.iter_mut().zip(sets) {
            total.add(score(&half_of(rows, !half), &matcher.at(same), protocol));
        }
    }
    totals
}

/// Every second pull request, in order of name, beginning with the first or the second.
fn half_of<'a>(rows: &[&'a Row], second: bool) -> Vec<&'a Row> {
    let prs: BTreeSet<&str> = rows.iter().map(|row| row.pr.as_str()).collect();
    let half: BTreeSet<&str> = prs.into_iter().skip(usize::from(second)).step_by(2).collect();
    rows.iter().copied().filter(|row| half.contains(row.pr.as_str())).collect()
}

/// Row numbers per store, in order of arrival.
fn stores(rows: &[&Row], protocol: Protocol, order: usize) -> Vec<Vec<usize>> {
    let mut arrivals: Vec<usize> = (0..rows.len())
        .filter(|&at| protocol.arrivals == Arrivals::All || rows[at].same_as.is_some())
        .collect();
    shuffle(&mut arrivals, order as u64);
    match protocol.stores {
        Stores::Whole => vec![arrivals],
        Stores::PerPullRequest => {
            let mut per_pr: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for at in arrivals {
                per_pr.entry(&rows[at].pr).or_default().push(at);
            }
            per_pr.into_values().collect()
        }
    }
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
    let mut prepared = baseline::Cache::new(rows, store);
    matchers
        .iter()
        .map(|matcher| match matcher {
            Matcher::Policy(policy) => stream_policy(rows, store, policy),
            Matcher::Baseline(baseline, same) => prepared.stream(*baseline, *same),
        })
        .collect()
}

fn stream_policy(rows: &[&Row], store: &[usize], policy: &MatchPolicy) -> Vec<usize> {
    let mut lessons = Lessons::default();
    let mut groups = Vec::with_capacity(store.len());
    for &at in store {
        let text = rows[at].text.as_str();
        let finding = Prepared::new(&Subject { text, ..Subject::default() }, policy.method);
        let words = unique_words(text);
        let candidates = lessons.propose(&words);
        let prepared: Vec<&Prepared> = candidates.iter().map(|&at| &lessons.prepared[at]).collect();
        let found = best_of_prepared(&finding, &prepared, &lessons.corpus(&words), policy);
        let group = match (found.relation, found.index) {
            (Relation::Same, Some(index)) => candidates[index],
            _ => lessons.add(finding, words),
        };
        groups.push(group);
    }
    groups
}

/// A store in small: lessons with the text of their first finding, and an index from words to lessons.
#[derive(Default)]
struct Lessons<'a> {
    prepared: Vec<Prepared<'a>>,
    by_word: BTreeMap<String, Vec<usize>>,
}

impl<'a> Lessons<'a> {
    fn add(&mut self, lesson: Prepared<'a>, words: Vec<String>) -> usize {
        let at = self.prepared.len();
        self.prepared.push(lesson);
        for word in words {
            self.by_word.entry(word).or_default().push(at);
        }
        at
    }

    /// The lessons that share the rarest words, best first, then oldest first.
    fn propose(&self, words: &[String]) -> Vec<usize> {
        let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
        for lessons in words.iter().filter_map(|word| self.by_word.get(word)) {
            let rarity = (1.0 + self.prepared.len() as f64 / lessons.len() as f64).ln();
            for &at in lessons {
                *shared.entry(at).or_default() += rarity;
            }
        }
        let mut ranked: Vec<(usize, f64)> = shared.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().take(N_CANDIDATES).map(|(at, _)| at).collect()
    }

    fn corpus(&self, words: &[String]) -> Corpus {
        let df = words
            .iter()
            .filter_map(|word| Some((word.clone(), self.by_word.get(word)?.len() as u64)))
            .collect();
        Corpus { n_texts: self.prepared.len() as u64, df }
    }
}

#[derive(Default)]
struct Group<'a> {
    per_problem: BTreeMap<&'a str, u64>,
    /// Labelled and unlabelled rows.
    per_pr: BTreeMap<&'a str, (u64, u64)>,
}

/// Counts the pairs of one store. See [`Pairs`] for what counts.
fn count_pairs(rows: &[&Row], groups: &[usize]) -> Pairs {
    let mut by_group: BTreeMap<usize, Group> = BTreeMap::new();
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    for (row, &group) in rows.iter().zip(groups) {
        let group = by_group.entry(group).or_default();
        let in_pr = group.per_pr.entry(&row.pr).or_default();
        match &row.same_as {
            None => in_pr.1 += 1,
            Some(problem) => {
                in_pr.0 += 1;
                *group.per_problem.entry(problem).or_default() += 1;
                *all.entry(problem).or_default() += 1;
            }
        }
    }
    let n_same: u64 = all.values().map(|&n| n_pairs(n)).sum();
    let n_right: u64 =
        by_group.values().flat_map(|group| group.per_problem.values()).map(|&n| n_pairs(n)).sum();
    let n_joined: u64 = by_group.values().map(judged_pairs).sum();
    Pairs { n_right, n_wrong: n_joined - n_right, n_missed: n_same - n_right }
}

/// Pairs within a group whose truth is known.
fn judged_pairs(group: &Group) -> u64 {
    let n_labelled: u64 = group.per_pr.values().map(|pr| pr.0).sum();
    let n_unlabelled: u64 = group.per_pr.values().map(|pr| pr.1).sum();
    n_pairs(n_labelled) + group.per_pr.values().map(|pr| pr.0 * (n_unlabelled - pr.1)).sum::<u64>()
}

fn n_pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
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

    fn sample() -> Vec<Row> {
        vec![
            row("p", "downsize is defined twice, the later overrides the former", Some("1")),
            row("p", "Second definition of downsize overrides the former one", Some("1")),
            row("p", "host may be nil in before_validation", Some("2")),
            row("q", "The migration interpolates host into raw SQL", Some("3")),
            row("q", "Pagination shows an empty last page", None),
        ]
    }

    const WHOLE: Protocol =
        Protocol { arrivals: Arrivals::All, stores: Stores::Whole, n_orders: 2 };

    #[test]
    fn the_product_groups_the_sample() {
        let rows = sample();
        let rows: Vec<&Row> = rows.iter().collect();
        let pairs = score(&rows, &Matcher::Policy(MatchPolicy::default()), WHOLE);
        assert_eq!(pairs, Pairs { n_right: 2, n_wrong: 0, n_missed: 0 });
    }

    #[test]
    fn pairs_of_unknown_truth_are_left_out() {
        let rows = sample();
        let rows: Vec<&Row> = rows.iter().collect();
        // All in one group: ten pairs, of which the labelled and the unlabelled row of `q` are one.
        assert_eq!(count_pairs(&rows, &[0; 5]), Pairs { n_right: 1, n_wrong: 8, n_missed: 0 });
        assert_eq!(
            count_pairs(&rows, &[0, 1, 2, 3, 4]),
            Pairs { n_right: 0, n_wrong: 0, n_missed: 1 }
        );
    }

    #[test]
    fn scores_do_not_depend_on_company() {
        let rows = sample();
        let rows: Vec<&Row> = rows.iter().collect();
        let matchers = [
            Baseline::OverlapFirst,
            Baseline::OverlapBest,
            Baseline::WordTfIdf,
            Baseline::CharTfIdf,
        ]
        .map(|baseline| Matcher::Baseline(baseline, 0.3));
        for (matcher, pairs) in matchers.iter().zip(scores(&rows, &matchers, WHOLE)) {
            assert_eq!(score(&rows, matcher, WHOLE), pairs);
        }
    }

    #[test]
    fn halves_share_no_pull_request() {
        let rows = sample();
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(half_of(&rows, false).len(), 3);
        assert_eq!(half_of(&rows, true).len(), 2);
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
