//! Which pairs of findings were joined rightly, wrongly or not at all? Counted for each pull
//! request, so that intervals can be drawn over them.

use std::collections::BTreeMap;

use super::Row;

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

/// Pairs by pull request. A pair counts once for either of its findings, so that those of two
/// pull requests count half for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByPull(pub BTreeMap<String, Pairs>);

impl ByPull {
    pub fn add(&mut self, other: ByPull) {
        for (pr, pairs) in other.0 {
            self.0.entry(pr).or_default().add(pairs);
        }
    }

    /// Each pair once.
    pub fn total(&self) -> Pairs {
        let mut all = Pairs::default();
        self.0.values().for_each(|pairs| all.add(*pairs));
        Pairs { n_right: all.n_right / 2, n_wrong: all.n_wrong / 2, n_missed: all.n_missed / 2 }
    }

    /// Pair F1 of these pull requests, each as often as it is named.
    pub fn f1_of(&self, drawn: &[&str]) -> f64 {
        let mut all = Pairs::default();
        let pairs = drawn.iter().filter_map(|pr| self.0.get(*pr));
        pairs.for_each(|pairs| all.add(*pairs));
        all.f1()
    }
}

#[derive(Default)]
struct Group<'a> {
    /// Findings by pull request and problem.
    per_problem: BTreeMap<(&'a str, &'a str), u64>,
    /// Labelled and unlabelled rows.
    per_pr: BTreeMap<&'a str, (u64, u64)>,
}

/// Counts the pairs of one store. See [`Pairs`] for what counts.
pub(super) fn count_pairs(rows: &[&Row], groups: &[usize]) -> ByPull {
    let mut by_group: BTreeMap<usize, Group> = BTreeMap::new();
    let mut all: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (row, &group) in rows.iter().zip(groups) {
        let group = by_group.entry(group).or_default();
        let in_pr = group.per_pr.entry(&row.pr).or_default();
        match &row.same_as {
            None => in_pr.1 += 1,
            Some(problem) => {
                in_pr.0 += 1;
                *group.per_problem.entry((&row.pr, problem)).or_default() += 1;
                *all.entry((&row.pr, problem)).or_default() += 1;
            }
        }
    }
    let mut counted = ByPull::default();
    for ((pr, _), n) in all {
        counted.0.entry(pr.to_owned()).or_default().n_missed += n * (n - 1);
    }
    for group in by_group.values() {
        for ((pr, _), &n) in &group.per_problem {
            let pairs = counted.0.entry((*pr).to_owned()).or_default();
            pairs.n_right += n * (n - 1);
            pairs.n_missed -= n * (n - 1);
        }
        for (pr, n_joined) in joined(group) {
            let right = group.per_problem.iter().filter(|((of, _), _)| *of == pr);
            let n_right: u64 = right.map(|(_, &n)| n * (n - 1)).sum();
            counted.0.entry(pr.to_owned()).or_default().n_wrong += n_joined - n_right;
        }
    }
    counted
}

/// Pairs within a group whose truth is known, for each pull request of it.
fn joined<'a>(group: &'a Group<'_>) -> impl Iterator<Item = (&'a str, u64)> {
    let n_labelled: u64 = group.per_pr.values().map(|pr| pr.0).sum();
    let n_unlabelled: u64 = group.per_pr.values().map(|pr| pr.1).sum();
    group.per_pr.iter().map(move |(pr, &(labelled, unlabelled))| {
        let among_labelled = labelled * n_labelled.saturating_sub(1);
        let with_others = labelled * (n_unlabelled - unlabelled);
        (*pr, among_labelled + with_others + unlabelled * (n_labelled - labelled))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::tests::sample;

    #[test]
    fn pairs_of_unknown_truth_are_left_out() {
        let rows = sample();
        let rows: Vec<&Row> = rows.iter().collect();
        // All in one group: ten pairs, of which the labelled and the unlabelled row of `q` are one.
        let one = count_pairs(&rows, &[0; 5]);
        assert_eq!(one.total(), Pairs { n_right: 1, n_wrong: 8, n_missed: 0 });
        assert_eq!(one.f1_of(&["p", "q"]), one.total().f1());
        assert!(one.f1_of(&["p", "p", "q"]) > one.f1_of(&["p", "q", "q"]));
        assert_eq!(
            count_pairs(&rows, &[0, 1, 2, 3, 4]).total(),
            Pairs { n_right: 0, n_wrong: 0, n_missed: 1 }
        );
    }
}
