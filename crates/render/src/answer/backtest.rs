//! What memory would have forewarned of: `backtest`.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::backtest::{self, Chooser, Figures, Played};
use hardwon_core::change::{Change, LessonField};
use hardwon_core::effect::{Arm, EffectKind};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::value::Decimal;

/// A history that was played, beside what simple rules would have shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Backtested {
    /// Root runs that were played.
    #[serde(rename = "runs")]
    pub n_runs: u64,
    /// Those for which a block was asked for; the ones before them were only learned.
    #[serde(rename = "scored")]
    pub n_scored: u64,
    /// What came up in the scored runs; what is about the same counts once in a run.
    #[serde(rename = "findings")]
    pub n_findings: u64,
    /// What had come up before: more cannot be forewarned of.
    pub known: Share,
    /// What each way to choose lines forewarned of, with as many lines in each run. The first is
    /// the program itself.
    pub forewarned: Vec<ForewarnedBy>,
    /// Lines about something that came up in their run, of all lines.
    pub useful: Share,
    /// Empty blocks, of the runs in which nothing came up.
    pub silent: Share,
    pub lines_per_run: Decimal,
    pub tokens_per_run: Decimal,
    /// The same under the policy in force; `null` if no other one was named.
    pub compared: Option<Compared>,
    /// What to keep in mind.
    pub notes: Vec<String>,
    /// Run by run. Never printed.
    #[serde(skip)]
    pub played: Played,
}

/// So many of so many, with a 95 % interval of the share.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Share {
    pub n: u64,
    pub of: u64,
    /// 0 to 1, as `low` and `high`.
    pub share: Decimal,
    pub low: Decimal,
    pub high: Decimal,
}

/// One way to choose lines, and what it forewarned of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ForewarnedBy {
    pub by: String,
    #[serde(flatten)]
    pub share: Share,
}

impl From<backtest::Share> for Share {
    fn from(share: backtest::Share) -> Share {
        let decimal = Decimal;
        Share {
            n: share.n,
            of: share.of,
            share: decimal(share.value()),
            low: decimal(share.low),
            high: decimal(share.high),
        }
    }
}

impl Backtested {
    /// Sums up what was played; the seed draws the intervals.
    pub fn of(played: Played, seed: u64) -> Backtested {
        let figures = backtest::figures(&played.scores, seed);
        let by = |(chooser, share): &(Chooser, backtest::Share)| ForewarnedBy {
            by: chooser.word().to_owned(),
            share: (*share).into(),
        };
        Backtested {
            n_runs: played.n_runs,
            n_scored: figures.n_runs,
            n_findings: figures.n_problems,
            known: figures.known.into(),
            forewarned: figures.forewarned.iter().map(by).collect(),
            useful: figures.useful.into(),
            silent: figures.silent.into(),
            lines_per_run: Decimal(figures.lines_per_run()),
            tokens_per_run: Decimal(figures.tokens_per_run()),
            compared: None,
            notes: notes(&played, &figures),
            played,
        }
    }

    /// What the program itself forewarned of.
    pub fn ours(&self) -> Share {
        let ours = self.forewarned.iter().find(|by| by.by == Chooser::Hardwon.word());
        ours.map_or_else(|| backtest::Share::default().into(), |by| by.share)
    }
}

fn notes(played: &Played, figures: &Figures) -> Vec<String> {
    let n_first = played.n_runs - figures.n_runs;
    let mut notes = vec![format!(
        "The first {n_first} runs were only learned. The other ways to choose show as many lines as \
         hardwon did in each run; oracle knows what will come up."
    )];
    if played.n_blind > 0 {
        notes.push(format!(
            "{} of {} runs name neither a task nor files: their blocks were asked for without \
             knowing what the work is about.",
            played.n_blind, figures.n_runs
        ));
    }
    notes.push(
        "This tells what was said before it came up; what an agent would have made of it is not \
         known."
            .to_owned(),
    );
    notes
}

/// What would have been shown, prevented and decayed under the policy in force and under the
/// other one.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Compared {
    /// The policy in force.
    pub own: UnderPolicy,
    /// The one that was named.
    pub other: UnderPolicy,
    /// Texts of lessons that only the policy in force would have shown.
    pub only_own: Vec<String>,
    /// Texts of lessons that only the other one would have shown.
    pub only_other: Vec<String>,
}

/// What a history amounts to under a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnderPolicy {
    pub policy: String,
    /// Lessons in blocks, each time one was shown.
    #[serde(rename = "shown")]
    pub n_shown: u64,
    /// Shown where it could have come back, and did not.
    #[serde(rename = "prevented")]
    pub n_prevented: u64,
    /// Shown, and came back.
    #[serde(rename = "repeated")]
    pub n_repeated: u64,
    /// Lessons that became active.
    #[serde(rename = "promoted")]
    pub n_promoted: u64,
    /// Lessons that faded.
    #[serde(rename = "decayed")]
    pub n_decayed: u64,
    /// Lessons that were in a block.
    #[serde(skip)]
    pub shown: BTreeSet<LessonId>,
}

impl UnderPolicy {
    /// Counts what was written while the history was played.
    pub fn of<'a>(policy: &str, changes: impl Iterator<Item = &'a Change>) -> UnderPolicy {
        let mut under = UnderPolicy { policy: policy.to_owned(), ..UnderPolicy::default() };
        let mut effects = BTreeMap::new();
        for change in changes {
            match change {
                Change::AddEffect { effect } if effect.arm != Some(Arm::HeldOut) => {
                    effects.insert((&effect.lesson, &effect.root), effect.kind);
                }
                Change::RemoveEffect { effect } => {
                    effects.remove(&(&effect.lesson, &effect.root));
                }
                Change::AddInjection { injection } => {
                    under.n_shown += injection.shown.len() as u64;
                    under.shown.extend(injection.shown.iter().map(|shown| shown.lesson.clone()));
                }
                Change::EditLesson { fields, .. } => {
                    for field in fields {
                        let LessonField::State(step) = field else { continue };
                        let is_promotion = step.to.is_active() && !step.from.is_active();
                        under.n_promoted += u64::from(is_promotion);
                        under.n_decayed += u64::from(step.to == State::Decayed);
                    }
                }
                _ => {}
            }
        }
        let n_of = |kind| effects.values().filter(|known| **known == kind).count() as u64;
        under.n_prevented = n_of(EffectKind::Helped);
        under.n_repeated = n_of(EffectKind::NoHelp);
        under
    }
}
