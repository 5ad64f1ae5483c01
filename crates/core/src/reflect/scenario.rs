//! Is a run reflected upon at all, and why? What is switched off, and a healer that did
//! nothing, are left alone, with the reason in words.

use super::{ReflectionPolicy, Scenario};
use crate::episode::{Step, StepKind};
use crate::run::{Outcome, Run, RunKind};

/// The tag of a healer that was asked and declined.
const SKIPPED: &str = "skipped";

// Why a run is not reflected upon.
const DISABLED: &str = "reflection is switched off";
const NO_SUCCESS: &str = "reflection on runs that went well is switched off";
const NO_FAILURE: &str = "reflection on runs that did not go well is switched off";
const NO_HEALER: &str = "reflection on runs of healers is switched off";
const IDLE_HEALER: &str = "the healer did nothing in this run";

/// Why a run is reflected upon, or why not. Whether it shows a pattern with others is for
/// the caller to decide.
pub fn scenario_of(run: &Run, policy: &ReflectionPolicy) -> Result<Scenario, &'static str> {
    if !policy.is_enabled {
        return Err(DISABLED);
    }
    let scenario = scenario_stated(Some(run.kind), run.outcome);
    let (is_on, skipped) = match scenario {
        Scenario::HealerInvocation if is_idle(run) => return Err(IDLE_HEALER),
        Scenario::HealerInvocation => (policy.on_healer, NO_HEALER),
        Scenario::SessionFailed => (policy.on_failure, NO_FAILURE),
        Scenario::SessionComplete | Scenario::PatternDetected => (policy.on_success, NO_SUCCESS),
    };
    if is_on { Ok(scenario) } else { Err(skipped) }
}

/// The scenario that a run's kind and outcome mean. Without an outcome it is not a failure.
pub fn scenario_stated(kind: Option<RunKind>, outcome: Option<Outcome>) -> Scenario {
    match (kind, outcome) {
        (Some(RunKind::Healer), _) => Scenario::HealerInvocation,
        (_, Some(Outcome::Partial | Outcome::Failed | Outcome::Aborted)) => Scenario::SessionFailed,
        (_, Some(Outcome::Success) | None) => Scenario::SessionComplete,
    }
}

/// Whether a healer did nothing. A record without steps is believed if it states how the run
/// ended.
fn is_idle(run: &Run) -> bool {
    let trail = &run.episode.trail;
    let is_ended = !matches!(run.outcome, Some(Outcome::Aborted) | None);
    let is_unrecorded = trail.is_empty() && is_ended;
    let is_act =
        |step: &Step| matches!(step.kind, StepKind::Command | StepKind::Edit | StepKind::Test);
    run.tags.contains(SKIPPED) || (!trail.iter().any(is_act) && !is_unrecorded)
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
            (&off, Some(Outcome::Failed), Err(DISABLED)),
            (&no_success, Some(Outcome::Success), Err(NO_SUCCESS)),
            (&no_success, Some(Outcome::Failed), Ok(Scenario::SessionFailed)),
            (&no_failure, Some(Outcome::Failed), Err(NO_FAILURE)),
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
        let healer = |outcome, done| Run { kind: RunKind::Healer, outcome, ..run("h").with(done) };
        let acted = || vec![failed("make test", "1 test failed")];
        let table = [
            (healer(Some(Outcome::Success), acted()), Ok(Scenario::HealerInvocation)),
            (healer(Some(Outcome::Success), vec![]), Ok(Scenario::HealerInvocation)),
            (healer(Some(Outcome::Aborted), acted()), Ok(Scenario::HealerInvocation)),
            (healer(Some(Outcome::Aborted), vec![]), Err(IDLE_HEALER)),
            (healer(None, vec![]), Err(IDLE_HEALER)),
            (healer(Some(Outcome::Success), vec![look("a.rs")]), Err(IDLE_HEALER)),
        ];
        for (n, (run, expected)) in table.into_iter().enumerate() {
            assert_eq!(scenario_of(&run, &on), expected, "row {n}");
        }
        let declined = Run { tags: ["skipped".to_owned()].into(), ..healer(None, acted()) };
        assert_eq!(scenario_of(&declined, &on), Err(IDLE_HEALER));
        let healed = healer(Some(Outcome::Success), acted());
        assert_eq!(scenario_of(&healed, &no_healer), Err(NO_HEALER));
    }
}
