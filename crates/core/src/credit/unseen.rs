//! In how many runs could a lesson have been shown, and was not?

use std::collections::BTreeMap;

use super::opportunity;
use crate::lesson::Lesson;
use crate::policy::{DecayCounts, DecayPolicy};
use crate::run::Run;

/// How many runs up to this number went by without the lesson since it was last checked. `runs`
/// are the runs of each number, `was_shown` whether the lesson was shown in those.
pub fn n_unseen(
    lesson: &Lesson,
    number: u64,
    runs: &BTreeMap<u64, Vec<Run>>,
    was_shown: &dyn Fn(u64) -> bool,
    policy: &DecayPolicy,
) -> u32 {
    let since = lesson.unseen.checked_at + 1;
    if since > number {
        return 0;
    }
    let counts = |(at, runs): &(&u64, &Vec<Run>)| {
        !runs.iter().any(|run| was_unseen_elsewhere(lesson, run))
            && match policy.counts {
                DecayCounts::EveryRun => true,
                DecayCounts::Opportunities => opportunity(lesson, runs).is_ok() && !was_shown(**at),
            }
    };
    runs.range(since..=number).filter(counts).count() as u32
}

/// Whether another system counted this run among those that went by without the lesson.
fn was_unseen_elsewhere(lesson: &Lesson, run: &Run) -> bool {
    lesson.upkeep.inherited.is_some_and(|counted| run.ended_by(counted.unseen_until))
}
