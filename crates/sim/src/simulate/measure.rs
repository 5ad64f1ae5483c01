//! What is counted in one world, and what many worlds say together.

use std::collections::{BTreeMap, BTreeSet};

use super::texts::{DEFECTS, HARMS, N_CAUSED, Subject};
use super::world::{Line, Plan, Played};

/// Quantiles of Student's t for a two-sided interval of 90 %, by degrees of freedom from
/// 1; beyond them the normal one is near enough.
const T_90: [f64; 30] = [
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771,
    1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706,
    1.703, 1.701, 1.699, 1.697,
];
const NORMAL_90: f64 = 1.645;

/// Counts of one memory in one world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    pub n_runs: u64,
    /// Chances to repeat a defect that had been reported before.
    pub n_opportunities: u64,
    pub n_repeats: u64,
    pub n_lines: u64,
    /// Showings of each harmful lesson after it was first named as a cause.
    pub n_harmful: [Option<u64>; HARMS.len()],
    pub n_active: u64,
    pub n_blamed: u64,
    /// Defects that were reported so far.
    known: BTreeSet<usize>,
    /// Each defect that a block ever warned of.
    warned: BTreeMap<usize, Absence>,
}

/// Runs that touch the place of a defect and do not warn of it, once a block has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Absence {
    n_runs: usize,
    /// The most, ever.
    longest: usize,
}

/// Runs in a row at its place that a helpful lesson may be out of the block.
pub const MAX_OUT: usize = 20;

impl Tally {
    /// Counts one run.
    pub fn count(&mut self, plan: &Plan, lines: &[Line], played: &Played) {
        self.n_runs += 1;
        self.n_lines += lines.len() as u64;
        let known = |defect: &&usize| self.known.contains(*defect);
        self.n_opportunities += plan.touched.iter().filter(known).count() as u64;
        self.n_repeats += played.made.iter().filter(known).count() as u64;
        for line in lines {
            if let Subject::Harm(harm) = line.subject {
                self.n_harmful[harm] = self.n_harmful[harm].map(|n| n + 1);
            }
        }
        self.count_absences(plan, lines);
        for &harm in &played.named {
            self.n_harmful[harm].get_or_insert(0);
        }
        self.known.extend(&played.reported);
        debug_assert!(self.known.len() <= DEFECTS.len());
    }

    fn count_absences(&mut self, plan: &Plan, lines: &[Line]) {
        // What comes up only by a harmful lesson is not worth a line of every block.
        let own = lines.iter().filter_map(|line| match line.subject {
            Subject::Defect(defect) => Some(defect).filter(|d| *d < DEFECTS.len() - N_CAUSED),
            Subject::Harm(_) | Subject::Alarm(_) => None,
        });
        let shown: BTreeSet<usize> = own.collect();
        for defect in &shown {
            self.warned.entry(*defect).or_default().n_runs = 0;
        }
        for (defect, absence) in &mut self.warned {
            if !shown.contains(defect) && plan.touched.contains(defect) {
                absence.n_runs += 1;
                absence.longest = absence.longest.max(absence.n_runs);
            }
        }
    }

    /// Defects that a block warned of, and then not for longer than is allowed.
    pub fn left_out(&self) -> Option<f64> {
        let n_out = self.warned.values().filter(|absence| absence.longest > MAX_OUT).count();
        (!self.warned.is_empty()).then_some(n_out as f64)
    }

    /// Share of opportunities in which a reported defect was made again.
    pub fn repeat_rate(&self) -> Option<f64> {
        share(self.n_repeats, self.n_opportunities)
    }

    pub fn lines_per_run(&self) -> Option<f64> {
        share(self.n_lines, self.n_runs)
    }

    /// Showings after the first named cause, per harmful lesson that was named.
    pub fn harmful_showings(&self) -> Option<f64> {
        let named: Vec<u64> = self.n_harmful.iter().flatten().copied().collect();
        share(named.iter().sum(), named.len() as u64)
    }

    /// Share of active lessons about real defects that were put under review or faded.
    pub fn false_blame(&self) -> Option<f64> {
        share(self.n_blamed, self.n_active)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A mean over worlds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub mean: f64,
    /// Half of the 90 % interval; `None` with fewer than two worlds.
    pub margin: Option<f64>,
}

/// The mean of what was measured, with its interval; `None` if nothing was.
pub fn mean(values: impl IntoIterator<Item = Option<f64>>) -> Option<Mean> {
    let values: Vec<f64> = values.into_iter().flatten().collect();
    let n = values.len();
    if n == 0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let margin = (n > 1).then(|| {
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (squares / (n - 1) as f64 / n as f64).sqrt();
        error * T_90.get(n - 2).copied().unwrap_or(NORMAL_90)
    });
    Some(Mean { mean, margin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals() {
        assert_eq!(mean([None]), None);
        assert_eq!(mean([Some(2.0)]), Some(Mean { mean: 2.0, margin: None }));
        let three = mean([Some(1.0), None, Some(2.0), Some(3.0)]).unwrap();
        assert_eq!(three.mean, 2.0);
        let margin = three.margin.unwrap();
        assert!((margin - 2.920 / 3f64.sqrt()).abs() < 1e-9, "{margin}");
    }
}
