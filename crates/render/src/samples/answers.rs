//! Made-up counts: what the use cases would say about a few lessons.

use std::collections::BTreeMap;

use hardwon_core::finding::Severity;
use hardwon_core::lesson::{Arms, Kind, State};
use hardwon_core::lift::Lift;

use crate::answer::{Counts, Effects, Word};

pub(crate) fn counts() -> Counts {
    Counts {
        n_lessons: 12,
        by_state: BTreeMap::from([
            (Word(State::Candidate), 5),
            (Word(State::Provisional), 4),
            (Word(State::Stable), 3),
        ]),
        by_kind: BTreeMap::from([(Word(Kind::Preference), 1), (Word(Kind::Pattern), 11)]),
        by_severity: BTreeMap::from([(Word(Severity::Warning), 12)]),
        n_global: 1,
        n_pinned: 2,
        n_runs: 9,
        effects: Effects { n_helped: 9, n_no_help: 5, n_neutral: 2, ..Default::default() },
    }
}

/// A lift that was measured on 210 opportunities.
pub(crate) fn lift(value: f64) -> Lift {
    let arms = Arms { n_shown: 180, n_shown_again: 23, n_held_out: 30, n_held_out_again: 13 };
    let (low, high) = (value / 1.5, value * 1.5);
    Lift { value, low, high, shown: 0.43 * value, held_out: 0.43, arms }
}
