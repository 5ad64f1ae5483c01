//! What many runs came to, with intervals: whole runs are drawn again and again, since the
//! problems of one run come together.

use super::{Chooser, RunScore};

/// How often the runs are drawn anew.
const N_DRAWS: usize = 1000;

/// So many of so many, with a 95 % interval of the share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    pub n: u64,
    pub of: u64,
    /// 0 to 1, as `high`.
    pub low: f64,
    pub high: f64,
}

impl Share {
    /// 0 to 1; nothing of nothing is 0.
    pub fn value(&self) -> f64 {
        share(self.n, self.of)
    }
}

/// What a played history came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Runs that were scored.
    pub n_runs: u64,
    /// Distinct problems of these runs.
    pub n_problems: u64,
    /// Problems that had come up before: more cannot be forewarned of.
    pub known: Share,
    /// Problems that each chooser forewarned of, in the order of `Chooser::ALL`.
    pub forewarned: Vec<(Chooser, Share)>,
    /// Lines about a problem of their run, of all lines.
    pub useful: Share,
    /// Empty blocks, of runs in which nothing came up.
    pub silent: Share,
    pub n_tokens: u64,
}

impl Figures {
    pub fn of(&self, chooser: Chooser) -> Share {
        let found = self.forewarned.iter().find(|(by, _)| *by == chooser);
        found.map_or(Share::default(), |(_, share)| *share)
    }

    pub fn lines_per_run(&self) -> f64 {
        share(self.useful.of, self.n_runs)
    }

    pub fn tokens_per_run(&self) -> f64 {
        share(self.n_tokens, self.n_runs)
    }
}

fn share(n: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { n as f64 / of as f64 }
}

/// A count and what it is a share of, in one run.
type Pair = (u64, u64);

/// Sums up. The same seed gives the same intervals.
pub fn figures(scores: &[RunScore], seed: u64) -> Figures {
    let rows: Vec<Vec<Pair>> = scores.iter().map(pairs).collect();
    let mut shares = shares(&rows, Chooser::ALL.len() + 3, seed).into_iter();
    let mut next = || shares.next().unwrap_or_default();
    Figures {
        n_runs: scores.len() as u64,
        n_problems: scores.iter().map(|score| score.n_problems).sum(),
        known: next(),
        useful: next(),
        silent: next(),
        forewarned: Chooser::ALL.iter().map(|chooser| (*chooser, next())).collect(),
        n_tokens: scores.iter().map(|score| score.n_tokens).sum(),
    }
}

/// What is shared out, run by run: known, useful, silent, then each chooser.
fn pairs(score: &RunScore) -> Vec<Pair> {
    let is_quiet = score.n_problems == 0;
    let is_silent = is_quiet && score.n_lines == 0;
    let mut pairs = vec![
        (score.n_known, score.n_problems),
        (score.n_useful, score.n_lines),
        (u64::from(is_silent), u64::from(is_quiet)),
    ];
    pairs.extend(score.n_forewarned.iter().map(|n| (*n, score.n_problems)));
    pairs
}

fn shares(rows: &[Vec<Pair>], n_pairs: usize, seed: u64) -> Vec<Share> {
    let sums = sum(rows.iter(), n_pairs);
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(N_DRAWS); n_pairs];
    let mut draws = Draws::new(seed);
    for _ in 0..if rows.is_empty() { 0 } else { N_DRAWS } {
        let again = (0..rows.len()).map(|_| &rows[draws.below(rows.len())]);
        for (values, (n, of)) in drawn.iter_mut().zip(sum(again, n_pairs)) {
            values.push(share(n, of));
        }
    }
    let interval = |((n, of), mut values): (Pair, Vec<f64>)| {
        values.sort_by(f64::total_cmp);
        let at = |part: usize| values.get(values.len() * part / 1000).copied().unwrap_or(0.0);
        Share { n, of, low: at(25), high: at(974) }
    };
    sums.into_iter().zip(drawn).map(interval).collect()
}

fn sum<'a>(rows: impl Iterator<Item = &'a Vec<Pair>>, n_pairs: usize) -> Vec<Pair> {
    let mut sums = vec![(0, 0); n_pairs];
    for row in rows {
        for (sum, pair) in sums.iter_mut().zip(row) {
            *sum = (sum.0 + pair.0, sum.1 + pair.1);
        }
    }
    sums
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of splitmix64: every bit of the input moves every bit of the output.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(STEP);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// One draw after the other.
pub struct Draws(u64);

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws(mix(seed))
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(STEP);
        // The high half of a product spreads evenly without a division.
        ((u128::from(mix(self.0)) * n as u128) >> 64) as usize
    }
}
