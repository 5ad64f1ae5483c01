//! Is a run reflected upon at all, and why? What is switched off, and a healer that did
//! nothing, are left alone, with the reason in words.

use std::fmt;

use super::{ReflectionPolicy, Scenario};
use crate::episode::{Step, StepKind};
use crate::run::{Outcome, Run, RunKind};

/// The tag of a healer that was asked and declined.
const SKIPPED: &str = "skipped";

/// Why a run is not reflected upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// Reflection is off.
    Disabled,
    /// Runs that went well are left alone.
    Success,
    /// Runs that did not go well are left alone.
    Failure,
    /// Runs of healers are left alone.
    Healer,
    /// A healer that was skipped or aborted before it did anything.
    IdleHealer,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Skipped::Disabled => "reflection is switched off",
            Skipped::Success => "reflection on runs that went well is switched off",
            Skipped::Failure => "reflection on runs that did not go well is switched off",
            Skipped::Healer => "reflection on runs of healers is switched off",
            Skipped::IdleHealer => "the healer did nothing in this run",
        })
    }
}

/// Why a run is reflected upon, or why not. Whether it shows a pattern with others is for
/// the caller to decide.
pub fn scenario_of(run: &Run, policy: &ReflectionPolicy) -> Result<Scenario, Skipped> {
    let unless = |is_off: bool, skipped: Skipped, scenario: Scenario| {
        if is_off { Err(skipped) } else { Ok(scenario) }
    };
    if !policy.is_enabled {
        return Err(Skipped::Disabled);
    }
    if run.kind == RunKind::Healer {
        return if is_idle(run) {
            Err(Skipped::IdleHealer)
        } else {
            unless(!policy.on_healer, Skipped::Healer, Scenario::HealerInvocation)
        };
    }
    match run.outcome {
        // Without an outcome it is not a failure.
        Some(Outcome::Success) | None => {
            unless(!policy.on_success, Skipped::Success, Scenario::SessionComplete)
        }
        Some(Outcome::Partial | Outcome::Failed | Outcome::Aborted) => {
            unless(!policy.on_failure, Skipped::Failure, Scenario::SessionFailed)
        }
    }
}

/// Whether a healer did nothing. A record without steps is believed if it states how the run
/// ended.
fn is_idle(run: &Run) -> bool {
    let trail = &run.episode.trail;
    let is_ended = match run.outcome {
        Some(Outcome::Success | Outcome::Partial | Outcome::Failed) => true,
        Some(Outcome::Aborted) | None => false,
    };
    let is_unrecorded = trail.is_empty() && is_ended;
    run.tags.contains(SKIPPED) || (!trail.iter().any(is_act) && !is_unrecorded)
}

fn is_act(step: &Step) -> bool {
    match step.kind {
        StepKind::Command | StepKind::Edit | StepKind::Test => true,
        StepKind::Look | StepKind::Correction => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{failed, look, run};

    #[test]
    fn what_is_switched_off_is_left_alone() {
        let on = ReflectionPolicy::default();
        let off = ReflectionPolicy { is_enabled: false, ..on.clone() };
        let no_success = ReflectionPolicy { on_success: false, ..on.clone() };
        let no_failure = ReflectionPolicy { on_failure: false, ..on.clone() };
        let no_healer = ReflectionPolicy { on_healer: false, ..on.clone() };
        let ended = |outcome| Run { outcome, ..run("r1") };
        let table = [
            (&on, Some(Outcome::Success), Ok(Scenario::SessionComplete)),
            (&on, None, Ok(Scenario::SessionComplete)),
            (&on, Some(Outcome::Partial), Ok(Scenario::SessionFailed)),
            (&on, Some(Outcome::Failed), Ok(Scenario::SessionFailed)),
            (&on, Some(Outcome::Aborted), Ok(Scenario::SessionFailed)),
            (&off, Some(Outcome::Failed), Err(Skipped::Disabled)),
            (&no_success, Some(Outcome::Success), Err(Skipped::Success)),
            (&no_success, Some(Outcome::Failed), Ok(Scenario::SessionFailed)),
            (&no_failure, Some(Outcome::Failed), Err(Skipped::Failure)),
            (&no_failure, Some(Outcome::Success), Ok(Scenario::SessionComplete)),
            (&no_healer, Some(Outcome::Success), Ok(Scenario::SessionComplete)),
        ];
        for (policy, outcome, expected) in table {
            assert_eq!(scenario_of(&ended(outcome), policy), expected, "{outcome:?}");
        }
    }

    #[test]
    fn a_healer_that_did_nothing_is_left_alone() {
        let on = ReflectionPolicy::default();
        let no_healer = ReflectionPolicy { on_healer: false, ..on.clone() };
        let healer =
            |outcome, steps| Run { kind: RunKind::Healer, outcome, ..run("h").with(steps) };
        let acted = || vec![failed("make test", "1 test failed")];
        let table = [
            (healer(Some(Outcome::Success), acted()), Ok(Scenario::HealerInvocation)),
            (healer(Some(Outcome::Success), vec![]), Ok(Scenario::HealerInvocation)),
            (healer(Some(Outcome::Aborted), acted()), Ok(Scenario::HealerInvocation)),
            (healer(Some(Outcome::Aborted), vec![]), Err(Skipped::IdleHealer)),
            (healer(None, vec![]), Err(Skipped::IdleHealer)),
            (healer(Some(Outcome::Success), vec![look("a.rs")]), Err(Skipped::IdleHealer)),
        ];
        for (n, (run, expected)) in table.into_iter().enumerate() {
            assert_eq!(scenario_of(&run, &on), expected, "row {n}");
        }
        let declined = Run { tags: ["skipped".to_owned()].into(), ..healer(None, acted()) };
        assert_eq!(scenario_of(&declined, &on), Err(Skipped::IdleHealer));
        let healed = healer(Some(Outcome::Success), acted());
        assert_eq!(scenario_of(&healed, &no_healer), Err(Skipped::Healer));
        assert!(Skipped::Healer.to_string().contains("healers"));
    }
}
