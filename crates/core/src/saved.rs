//! What was saved? Sessions before which a line was shown, and sessions in which it was known and
//! not shown: in how many of each did what it is about go wrong?
//!
//! Expected is the share of the second, the difference is that minus what went wrong all the same,
//! and may be less than nothing. It is claimed only where chance alone hardly makes such a
//! difference. What went wrong before a line was known is told and not compared with: a line is
//! known because it went wrong, so it goes wrong less often later in any case. (131 recorded
//! sessions that were never shown anything seemed to have saved 39 failures that way, and 19 without
//! regard to chance.) Who is shown a line is not decided by chance here; [`crate::lift`] does that.
//! Only what a session's record shows is counted (failed commands, missing paths, what tools
//! reported), never what somebody says.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::parted::parted;
use crate::effect::{Effect, Surface};
use crate::episode::{Step, StepKind, StepResult};
use crate::finding::{Finding, FindingState, is_of_session};
use crate::grade;
use crate::ids::RunId;
use crate::lesson::Lesson;
use crate::reflect::AUTHOR;
use crate::run::Run;

/// A difference counts if chance makes such a one in fewer than one of a hundred cases: several lines
/// are looked at, and one of twenty would soon be met.
const MAX_CHANCE: f64 = 0.01;

/// In how many root runs something has to go wrong before a line about it is shown.
const N_KNOWN: usize = 2;

/// What a lesson saved, in counts of root runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// Before which it was shown, and those of them in which it went wrong all the same.
    pub n_shown: u64,
    pub n_failed: u64,
    /// Learned before it was first shown, and those of them in which it went wrong.
    pub n_before: u64,
    pub n_failed_before: u64,
    /// Since two of them had made it known: in which it was not shown beforehand, and those of them
    /// in which it went wrong.
    pub n_without: u64,
    pub n_failed_without: u64,
    /// In which it was told only when it had gone wrong.
    pub n_recalled: u64,
    /// How many calls lay between the failure and its repair, where the runs before tell it: the
    /// middle one.
    pub calls_each: Option<f64>,
}

impl Saved {
    /// How many failures fewer there were than expected; negative if there were more, nothing where
    /// there is nothing to compare with.
    pub fn difference(&self) -> Option<f64> {
        let share = self.n_failed_without as f64 / self.n_without as f64;
        (self.n_without > 0).then_some(self.n_shown as f64 * share - self.n_failed as f64)
    }

    /// The same where chance alone hardly explains it.
    ///
    /// ```
    /// use hardwon_core::saved::Saved;
    ///
    /// let few = Saved { n_shown: 6, n_failed: 1, n_without: 4, n_failed_without: 3, ..Saved::default() };
    /// assert_eq!((few.difference(), few.failures()), (Some(3.5), None));
    /// let better = Saved { n_shown: 20, n_failed: 1, n_without: 20, n_failed_without: 12, ..few };
    /// assert_eq!(better.failures(), Some(11.0));
    /// let worse = Saved { n_failed: 20, ..better };
    /// assert_eq!(worse.failures(), Some(-8.0));
    /// ```
    pub fn failures(&self) -> Option<f64> {
        self.difference().filter(|_| self.chance() <= MAX_CHANCE)
    }

    /// How many calls that were, if it is known what a failure cost.
    pub fn calls(&self) -> Option<f64> {
        Some(self.calls_each? * self.failures()?)
    }

    /// How likely a difference at least as large in the same direction is if showing the line does
    /// nothing: Fisher's exact test.
    fn chance(&self) -> f64 {
        let (n_all, n_failed) =
            (self.n_shown + self.n_without, self.n_failed + self.n_failed_without);
        let ways = |n: u64, k: u64| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
        let likely = |n: u64| {
            let other = ways(self.n_without, n_failed - n) - ways(n_all, n_failed);
            (ways(self.n_shown, n) + other).exp()
        };
        let least = n_failed.saturating_sub(self.n_without);
        let most = n_failed.min(self.n_shown);
        let is_better = self.difference().is_some_and(|difference| difference > 0.0);
        let tail = if is_better { least..=self.n_failed } else { self.n_failed..=most };
        tail.map(likely).sum()
    }
}

fn ln_factorial(n: u64) -> f64 {
    (2..=n).map(|n| (n as f64).ln()).sum()
}

/// Whether the record of a session can show what the lesson is about.
pub fn can_tell(lesson: &Lesson) -> bool {
    lesson.detectors.iter().any(|name| is_shown(name))
}

fn is_shown(author: &str) -> bool {
    author == AUTHOR || grade::is_tool(author)
}

/// What a lesson saved, by its effects in this project and its evidence. `runs` are the runs of each
/// root run of the evidence, `newest` is the number of the newest one. Nothing where it was shown to
/// nobody beforehand, or where no run was before that.
pub fn saved(
    effects: &[&Effect],
    evidence: &[Finding],
    runs: &BTreeMap<RunId, Vec<Run>>,
    newest: u64,
) -> Option<Saved> {
    let shown = effects.iter().filter(|effect| effect.was_shown());
    // What was told at the failure came too late to prevent it.
    let (recalled, first): (Vec<&Effect>, Vec<&Effect>) =
        shown.partition(|effect| effect.surface == Surface::RecoveryContext);
    let first_number = first.iter().map(|effect| effect.run_number).min()?;
    let n_before = first_number.checked_sub(1).filter(|n| *n > 0)?;
    let seen = || evidence.iter().filter(|finding| is_shown(&finding.author));
    let number = |root: &RunId| runs.get(root)?.iter().find(|run| run.id == *root)?.number;
    let was_before = |finding: &&Finding| {
        finding.is_sighting && number(&finding.root).is_some_and(|number| number < first_number)
    };
    let failed_before: BTreeSet<&RunId> = seen().filter(was_before).map(|it| &it.root).collect();
    let told: BTreeSet<&RunId> = first.iter().map(|effect| &effect.root).collect();
    let is_failure = |finding: &&Finding| finding.state != FindingState::Dismissed;
    let failed: BTreeSet<&RunId> =
        seen().filter(is_failure).map(|it| &it.root).filter(|root| told.contains(root)).collect();
    let numbers: BTreeSet<u64> = seen().filter_map(|it| number(&it.root)).collect();
    let known = numbers.iter().nth(N_KNOWN - 1).copied().unwrap_or(newest);
    let n_told_since = first.iter().filter(|effect| effect.run_number > known).count() as u64;
    let is_without =
        |it: &&RunId| !told.contains(*it) && number(it).is_some_and(|number| number > known);
    let without: BTreeSet<&RunId> =
        seen().filter(is_failure).map(|it| &it.root).filter(is_without).collect();
    let cost = |finding: &Finding| cost(finding, runs.get(&finding.root)?);
    let costs: Vec<u32> = seen().filter(was_before).filter_map(cost).collect();
    Some(Saved {
        n_shown: told.len() as u64,
        n_failed: failed.len() as u64,
        n_before,
        n_failed_before: failed_before.len() as u64,
        n_without: newest.saturating_sub(known + n_told_since),
        n_failed_without: without.len() as u64,
        n_recalled: recalled.len() as u64,
        calls_each: middle(costs),
    })
}

fn middle(mut costs: Vec<u32>) -> Option<f64> {
    costs.sort_unstable();
    let at = costs.len() / 2;
    let upper = f64::from(*costs.get(at)?);
    let is_even = costs.len().is_multiple_of(2);
    Some(if is_even { f64::midpoint(f64::from(costs[at - 1]), upper) } else { upper })
}

/// How many calls lay between a failure and its repair, by the trail of its run.
fn cost(finding: &Finding, runs: &[Run]) -> Option<u32> {
    finding.rule.as_deref().filter(|rule| is_of_session(rule))?;
    let name = quoted(finding.text.as_str())?;
    // What has to come first is named behind what it is for.
    let wanted = quoted(finding.repair.as_deref()?)?;
    let trail = &runs.iter().find(|run| run.id == finding.run)?.episode.trail;
    let failed = trail.iter().filter(|step| step.result == StepResult::Failed && is_of(step, name));
    let failed = failed.map(|step| step.first).min()?;
    let worked = trail.iter().filter(|step| step.result == StepResult::Ok && is_of(step, wanted));
    let repaired = worked.filter_map(|step| first_after(step, failed)).min()?;
    Some(repaired - failed)
}

/// The first time that a step was done after this place, if it is known.
fn first_after(step: &Step, place: u32) -> Option<u32> {
    match (step.first > place, step.last > place && step.n == 2) {
        (true, _) => Some(step.first),
        (false, true) => Some(step.last),
        (false, false) => None,
    }
}

fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}

/// Whether a step is the command or the path of this name: its words, in their order.
fn is_of(step: &Step, name: &str) -> bool {
    let has_words = |text: &str| {
        let mut words = text.split_whitespace();
        name.split_whitespace().all(|wanted| words.any(|word| word == wanted))
    };
    match step.kind {
        StepKind::Command => parted(&step.action).iter().any(|part| has_words(&part.text())),
        StepKind::Look => step.action.trim_start_matches("./").trim_end_matches('/') == name,
        StepKind::Edit | StepKind::Test | StepKind::Correction => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::EffectKind;
    use crate::episode::{SingleStep, trail};
    use crate::finding::Severity;
    use crate::ids::LessonId;
    use crate::text::Text;
    use crate::time::Timestamp;

    const NAME: &str = "npm test";

    fn id(name: &str) -> RunId {
        RunId::parse(name).unwrap()
    }

    fn step(action: &str, result: StepResult) -> SingleStep {
        SingleStep {
            kind: StepKind::Command,
            tool: "bash".into(),
            action: action.into(),
            result,
            error: None,
            duration_ms: None,
        }
    }

    fn run(name: &str, number: u64) -> Run {
        let mut run = Run::stub(id(name), Timestamp(0));
        run.number = Some(number);
        run.episode.trail = trail([
            step("git status", StepResult::Ok),
            step("npm test -- --silent 2>&1 | tail -3", StepResult::Failed),
            step("ls", StepResult::Ok),
            step("cat package.json", StepResult::Ok),
            step("pnpm test", StepResult::Ok),
        ]);
        run
    }

    fn finding(run: &Run) -> Finding {
        let text = Text::admitted(format!("`{NAME}` fails with \"Missing script\""));
        Finding {
            rule: Some("session:command".into()),
            severity: Severity::Warning,
            repair: Some(format!("Use `pnpm test` here, not `{NAME}`")),
            ..run.new_finding(AUTHOR.into(), "s".into(), text, None)
        }
    }

    fn effect(run: &Run, surface: Surface) -> Effect {
        let lesson = LessonId::given("l-1");
        let number = run.number.unwrap();
        let kind = EffectKind::NoOpportunity;
        crate::credit::stated_effect(&lesson, &run.id, number, kind, "x", surface)
    }

    /// Failed in runs 1, 2 and 4 of four; shown before 5, 6 and 7, where it failed in 6.
    fn sample() -> (Vec<Run>, Vec<Finding>, Vec<Effect>) {
        let runs: Vec<Run> = (1..=7).map(|n| run(&format!("r{n}"), n)).collect();
        let findings = [0, 1, 3, 5].map(|at| finding(&runs[at])).to_vec();
        let start = Surface::SessionSummary;
        let effects = runs[4..].iter().map(|run| effect(run, start)).collect();
        (runs, findings, effects)
    }

    fn count(runs: &[Run], findings: &[Finding], effects: &[Effect]) -> Option<Saved> {
        let trees = runs.iter().map(|run| (run.id.clone(), vec![run.clone()])).collect();
        saved(&effects.iter().collect::<Vec<_>>(), findings, &trees, runs.len() as u64)
    }

    #[test]
    fn what_was_expected_is_compared_with_what_happened() {
        let (runs, findings, effects) = sample();
        let saved = count(&runs, &findings, &effects).unwrap();
        assert_eq!((saved.n_shown, saved.n_failed), (3, 1));
        assert_eq!((saved.n_before, saved.n_failed_before), (4, 3));
        assert_eq!((saved.n_without, saved.n_failed_without), (2, 1), "r3 and r4");
        assert_eq!(saved.difference(), Some(3.0 * 0.5 - 1.0));
        assert_eq!((saved.failures(), saved.calls()), (None, None), "too few to tell");
        assert_eq!(saved.calls_each, Some(3.0), "from the failed call to the one that worked");
        let often = Saved { n_shown: 30, n_without: 30, n_failed_without: 15, ..saved };
        assert_eq!((often.failures(), often.calls()), (Some(14.0), Some(42.0)));
    }

    #[test]
    fn what_came_after_the_failure_prevented_nothing() {
        let (runs, findings, mut effects) = sample();
        effects[1].surface = Surface::RecoveryContext;
        let saved = count(&runs, &findings, &effects).unwrap();
        assert_eq!((saved.n_shown, saved.n_failed, saved.n_recalled), (2, 0, 1));
        assert_eq!((saved.n_without, saved.n_failed_without), (3, 2), "r3, r4 and r6");
        effects.iter_mut().for_each(|effect| effect.surface = Surface::RecoveryContext);
        assert_eq!(count(&runs, &findings, &effects), None);
    }

    #[test]
    fn nothing_is_claimed_where_nothing_was_before() {
        let (runs, findings, _) = sample();
        let start = Surface::SessionSummary;
        assert_eq!(count(&runs, &findings, &[effect(&runs[0], start)]), None);
        // What a reviewer says is not shown by the record.
        let (_, mut findings, effects) = sample();
        findings.iter_mut().for_each(|finding| finding.author = "guardian".into());
        let saved = count(&runs, &findings, &effects).unwrap();
        assert_eq!((saved.n_failed, saved.n_failed_before), (0, 0));
        assert_eq!((saved.difference(), saved.failures()), (None, None));
    }

    /// As counted in sessions that had been shown nothing.
    #[test]
    fn chance_is_no_saving() {
        let counts = [(87, 7, 4, 1), (85, 2, 7, 1), (30, 1, 3, 1), (83, 2, 9, 0), (8, 1, 1, 0)];
        for (n_shown, n_failed, n_without, n_failed_without) in counts {
            let saved =
                Saved { n_shown, n_failed, n_without, n_failed_without, ..Saved::default() };
            assert!(saved.difference().is_some());
            assert_eq!(saved.failures(), None, "{saved:?}");
        }
    }

    #[test]
    fn what_made_it_known_is_not_compared_with() {
        let (runs, findings, _) = sample();
        let start = Surface::SessionSummary;
        // Shown in every run since the second failure.
        let effects: Vec<Effect> = runs[2..].iter().map(|run| effect(run, start)).collect();
        let saved = count(&runs, &findings, &effects).unwrap();
        assert_eq!((saved.n_before, saved.n_failed_before), (2, 2));
        assert_eq!((saved.n_without, saved.difference()), (0, None));
    }

    #[test]
    fn a_cost_that_the_trail_does_not_show_is_not_made_up() {
        let (mut runs, findings, effects) = sample();
        for run in &mut runs {
            run.episode.trail.retain(|step| step.action != "pnpm test");
        }
        let saved = count(&runs, &findings, &effects).unwrap();
        assert_eq!((saved.calls_each, saved.calls()), (None, None));
        assert!(saved.difference() > Some(0.0));
    }
}
