//! Every step that a lesson can take, and what causes it. What is not in this table does
//! not happen; `docs/lifecycle.md` is drawn from it.

use crate::lesson::State;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What moves a lesson.
    Cause {
        /// It was seen in enough runs.
        Recurrence = "recurrence",
        /// It helped often enough.
        Help = "help",
        /// The runs that used it went well or badly (`archivist` only).
        Use = "use",
        /// An effect put it in doubt.
        Doubt = "doubt",
        /// The command that it warns of works by now.
        Outdated = "outdated",
        /// It decayed, proved wrong, was never heeded, or was not used in time.
        Fading = "fading",
        /// No review decided about it in time.
        Deadline = "deadline",
        /// A finding brought it back.
        SeenAgain = "seen again",
        /// Two of its sightings turned out to be one.
        Recount = "recount",
        /// A reflection found a lesson that says more about the same.
        Refined = "refined",
        /// A review decided.
        Review = "review",
        /// A person did it: `forget`, `restore`, `merge`, `add`, `edit`.
        Hand = "by hand",
        /// A person trusted the folder it came from.
        Trust = "trust",
    }
}

/// One row of the table: from, to, and what can cause it.
pub type Step = (State, State, &'static [Cause]);

use Cause::*;
use State::*;

/// Every step, by the state it starts from.
pub const STEPS: &[Step] = &[
    (Candidate, Provisional, &[Recurrence, Use, Review]),
    (Candidate, Canonical, &[Review]),
    (Candidate, Decayed, &[Fading]),
    (Candidate, UnderReview, &[Doubt, Hand]),
    (Candidate, Superseded, &[Refined, Review]),
    (Candidate, Archived, &[Use, Review, Hand]),
    (Candidate, Rejected, &[Review]),
    (Provisional, Candidate, &[Use, Recount, Review, Hand]),
    (Provisional, Stable, &[Recurrence, Help, Review]),
    (Provisional, Canonical, &[Review]),
    (Provisional, UnderReview, &[Doubt, Hand]),
    (Provisional, Decayed, &[Fading]),
    (Provisional, Superseded, &[Refined, Review]),
    (Provisional, Archived, &[Use, Outdated, Review, Hand]),
    (Provisional, Rejected, &[Review]),
    (Stable, Candidate, &[Use, Hand]),
    (Stable, Provisional, &[Review]),
    (Stable, Canonical, &[Review]),
    (Stable, UnderReview, &[Doubt, Hand]),
    (Stable, Decayed, &[Fading]),
    (Stable, Superseded, &[Refined, Review]),
    (Stable, Archived, &[Use, Outdated, Review, Hand]),
    (Stable, Rejected, &[Review]),
    (Canonical, Candidate, &[Hand]),
    (Canonical, Provisional, &[Review]),
    (Canonical, UnderReview, &[Doubt, Hand]),
    (Canonical, Decayed, &[Fading]),
    (Canonical, Superseded, &[Review]),
    (Canonical, Archived, &[Outdated, Review, Hand]),
    (Canonical, Rejected, &[Review]),
    (UnderReview, Candidate, &[Review]),
    (UnderReview, Provisional, &[Review]),
    (UnderReview, Stable, &[Review]),
    (UnderReview, Canonical, &[Review]),
    (UnderReview, Superseded, &[Review]),
    (UnderReview, Archived, &[Review, Deadline, Hand]),
    (UnderReview, Rejected, &[Review]),
    (Decayed, Candidate, &[SeenAgain, Hand]),
    (Decayed, Superseded, &[Review]),
    (Decayed, Archived, &[Review, Hand]),
    (Decayed, Rejected, &[Review]),
    (Superseded, Candidate, &[SeenAgain]),
    (Superseded, UnderReview, &[Review]),
    (Archived, Candidate, &[SeenAgain, Hand]),
    (Archived, Provisional, &[Hand]),
    (Archived, Stable, &[Hand]),
    (Archived, Canonical, &[Hand]),
    (Archived, UnderReview, &[Hand]),
    (Archived, Quarantined, &[SeenAgain, Hand]),
    (Rejected, Candidate, &[Hand]),
    (Quarantined, Candidate, &[Hand, Trust]),
    (Quarantined, Provisional, &[Trust, Review]),
    (Quarantined, Canonical, &[Review]),
    (Quarantined, Archived, &[Review, Hand]),
    (Quarantined, Rejected, &[Review]),
];

/// Whether this step exists.
pub fn is_legal(from: State, to: State) -> bool {
    STEPS.iter().any(|step| (step.0, step.1) == (from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_no_row_twice_and_stays_in_order() {
        let key = |step: &Step| {
            let place = |state| State::ALL.iter().position(|known| *known == state);
            place(step.0)
        };
        assert!(STEPS.is_sorted_by_key(key));
        for (n, step) in STEPS.iter().enumerate() {
            let is_it = |known: &Step| (known.0, known.1) == (step.0, step.1);
            assert!(!STEPS[..n].iter().any(is_it), "{step:?} stands twice");
            assert_ne!(step.0, step.1, "a state is no step to itself");
        }
    }

    #[test]
    fn every_state_can_be_reached_and_left() {
        for &state in State::ALL {
            let is_start = matches!(state, Candidate | Quarantined);
            assert!(is_start || STEPS.iter().any(|step| step.1 == state), "{state} is not reached");
            assert!(STEPS.iter().any(|step| step.0 == state), "{state} is never left");
        }
    }
}
