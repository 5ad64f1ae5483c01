//! Did the lessons that were shown hold? Effects of the root run, derived anew from
//! everything known about it and put in place of the old ones.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::conversation::shown_sessions;
use hardwon_core::credit::{self, Exposure, Happened};
use hardwon_core::effect::{Effect, EffectKind};
use hardwon_core::event::Problem;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::State;
use hardwon_core::lifecycle::{self, Renewal};
use hardwon_core::policy::CreditMode;
use hardwon_core::run::Run;
use hardwon_render::answer::{self, Named};

use super::named;
use super::step::Step;
use crate::error::{EngineError, Result};
use crate::lookup;

impl Step<'_> {
    /// Derives the effects of this root run and what they do to the lessons.
    pub fn credit(&mut self) -> Result<()> {
        let Some(number) = self.header.run.number else {
            return Ok(());
        };
        let mut met = credit::exposures(&self.header.tree.injections);
        let named_causes = self.named_causes(&met)?;
        for id in named_causes.keys() {
            met.entry(id.clone()).or_default();
        }
        let others = self.header.tree.runs.iter().filter(|run| run.id != self.header.run.id);
        let runs: Vec<Run> = others.chain([&self.header.run]).cloned().collect();
        let runs = shown_sessions(runs, &self.header.tree.injections);
        let mut findings = self.findings_of_tree();
        findings.retain(|finding| runs.iter().any(|run| run.id == finding.run));
        for id in credit::blamed(&findings, &self.memory.policy.credit) {
            met.entry(id).or_default();
        }
        if !self.is_news(&met) {
            return Ok(());
        }
        self.load(met.keys().cloned().collect())?;
        let happened = Happened {
            root: &self.header.run.root.clone(),
            number,
            runs: &runs,
            findings: &findings,
            named: &named_causes,
        };
        let policy = &self.memory.policy.credit;
        let present = met.iter().filter_map(|(id, met)| Some((self.lessons.get(id)?, *met)));
        let present = present.filter(|(lesson, _)| self.input.is_about(lesson));
        let effects: Vec<Effect> =
            present.map(|(lesson, met)| credit::effect(lesson, &happened, met, policy)).collect();
        let is_about = |e: &&Effect| {
            self.lessons.get(&e.lesson).is_none_or(|lesson| self.input.is_about(lesson))
        };
        let others = self.header.tree.effects.iter().filter(|effect| !is_about(effect)).cloned();
        let effects = effects.into_iter().chain(others).collect();
        self.replace_effects(effects)
    }

    /// Puts a stated effect of a lesson in place of what was concluded, and leaves
    /// all other effects of the root run as they are.
    pub fn state(&mut self, lesson: &LessonId, kind: EffectKind, because: &str) -> Result<()> {
        let met = credit::exposures(&self.header.tree.injections);
        let surface = met.get(lesson).copied().unwrap_or_default().surface;
        let (mine, mut effects): (Vec<Effect>, Vec<Effect>) =
            self.header.tree.effects.iter().cloned().partition(|effect| effect.lesson == *lesson);
        let number = self.header.run.number.unwrap_or(0);
        let number = mine.first().map_or(number, |effect| effect.run_number);
        let root = &self.header.run.root;
        effects.push(credit::stated_effect(lesson, root, number, kind, because, surface));
        self.load(vec![lesson.clone()])?;
        self.replace_effects(effects)
    }

    /// Stated effects, from this record or from when this run was learned before.
    fn named_causes(
        &mut self,
        met: &BTreeMap<LessonId, Exposure>,
    ) -> Result<BTreeMap<LessonId, (EffectKind, String)>> {
        let is_held_out = |id: &LessonId| met.get(id).is_some_and(Exposure::is_held_out);
        let old = self.header.tree.effects.iter().filter(|effect| effect.is_named);
        let mut causes: BTreeMap<LessonId, (EffectKind, String)> =
            old.map(|effect| (effect.lesson.clone(), (effect.kind, effect.why.clone()))).collect();
        for (source, stated) in &self.input.found.effects {
            match lookup::lesson_named(self.memory, self.call, &stated.lesson) {
                Ok(lesson) if is_held_out(&lesson.id) => {
                    let reason = "the effect names a lesson that was held out of this run";
                    self.problems.push(Problem::new(source, reason));
                }
                Ok(lesson) if !met.contains_key(&lesson.id) => {
                    let reason = "the effect names a lesson that was not shown in this run";
                    self.problems.push(Problem::new(source, reason));
                }
                Ok(lesson) if self.call.is_agent() && lesson.is_persons() => {
                    let reason = "the effect is an agent's word about a lesson that a person \
                                  stands behind; `hardwon review request` asks that person";
                    self.problems.push(Problem::new(source, reason));
                }
                Ok(lesson) => {
                    let because = self.memory.gate.word(&stated.because);
                    let because = because.unwrap_or_else(|| "stated in the record".to_owned());
                    causes.insert(lesson.id, (stated.effect, because));
                }
                Err(EngineError::Store(error)) => return Err(error.into()),
                // What the record says is not repeated: it may hold anything.
                Err(_) => {
                    let reason = "the effect names a lesson that is not known here";
                    self.problems.push(Problem::new(source, reason));
                }
            }
        }
        Ok(causes)
    }

    /// Whether there is anything to conclude: this step changed something, or a lesson
    /// was shown of which nothing was concluded yet. Else what was concluded stands,
    /// even if more is known about the lesson by now.
    fn is_news(&self, met: &BTreeMap<LessonId, Exposure>) -> bool {
        let is_judged = |id: &LessonId| self.header.tree.effects.iter().any(|e| e.lesson == *id);
        // How a run ended may be stated long after it was learned.
        let may_follow = self.memory.policy.credit.mode != CreditMode::PerFinding;
        may_follow || !self.changes.is_empty() || !met.keys().all(is_judged)
    }

    fn replace_effects(&mut self, effects: Vec<Effect>) -> Result<()> {
        let effects = self.in_sequence(effects)?;
        let old = std::mem::take(&mut self.header.tree.effects);
        let mut touched: BTreeSet<LessonId> = BTreeSet::new();
        for effect in old.iter().filter(|effect| !effects.contains(effect)) {
            touched.insert(effect.lesson.clone());
            self.changes.push(Change::RemoveEffect { effect: effect.clone() });
        }
        for effect in &effects {
            if !old.contains(effect) {
                touched.insert(effect.lesson.clone());
                self.changes.push(Change::AddEffect { effect: effect.clone() });
            }
            // What was held out had no effect: it is measured, not reported.
            let shown = self.lessons.get(&effect.lesson).filter(|_| effect.was_shown());
            let name: Option<Named> = shown.map(named);
            self.answer.effects.extend(name.map(|name| answer::Effect::new(name, effect)));
        }
        self.header.tree.effects = effects;
        self.settle(touched)
    }

    /// These effects, each in the light of what the lesson did in earlier runs.
    fn in_sequence(&mut self, effects: Vec<Effect>) -> Result<Vec<Effect>> {
        let failed = effects.iter().filter(|effect| effect.kind.is_failure());
        let ids: Vec<LessonId> = failed.map(|effect| effect.lesson.clone()).collect();
        self.load(ids.clone())?;
        let stored = self.memory.store.effects(&self.call.project, &ids)?;
        let policy = &self.memory.policy;
        let placed = effects.into_iter().map(|effect| {
            let Some(lesson) = self.lessons.get(&effect.lesson) else { return effect };
            let mut earlier = self.elsewhere(&stored, &effect.lesson);
            earlier.retain(|other| other.run_number <= effect.run_number);
            earlier.sort_by_key(|other| other.run_number);
            credit::in_sequence(effect, lesson, &earlier, &policy.credit, &policy.review)
        });
        Ok(placed.collect())
    }

    /// The effects of a lesson in other root runs than this one.
    fn elsewhere<'s>(
        &self,
        stored: &'s [(ProjectId, Effect)],
        lesson: &LessonId,
    ) -> Vec<&'s Effect> {
        let (own, header) = (&self.call.project, &self.header);
        // Effects from before the run's parent was known belong here by now.
        let is_here = |effect: &Effect| [&header.run.root, &header.run.id].contains(&&effect.root);
        let is_elsewhere = |(project, effect): &&(ProjectId, Effect)| {
            effect.lesson == *lesson && (project != own || !is_here(effect))
        };
        stored.iter().filter(is_elsewhere).map(|(_, effect)| effect).collect()
    }

    /// Confidence, counts and state of the lessons whose effects changed.
    fn settle(&mut self, touched: BTreeSet<LessonId>) -> Result<()> {
        let ids: Vec<LessonId> = touched.into_iter().collect();
        self.load(ids.clone())?;
        let root = self.header.run.root.clone();
        let stored = self.memory.store.effects(&self.call.project, &ids)?;
        for id in ids {
            let Some(lesson) = self.lessons.get(&id).cloned() else { continue };
            let here = self.header.tree.effects.iter().filter(|e| e.lesson == id);
            let mut all = self.elsewhere(&stored, &id);
            all.extend(here);
            all.sort_by_key(|effect| effect.run_number);
            let number = self.header.run.number.unwrap_or(0);
            let policy = &self.memory.policy.credit;
            let mut after = credit::credited(&lesson, &all, (&root, number), self.call.now, policy);
            if after.upkeep.used_at != lesson.upkeep.used_at {
                let (now, review) = (self.present(), &self.memory.policy.review);
                after = lifecycle::renewed(after, Renewal::Use, now, review);
            }
            let shown = all.iter().filter(|effect| effect.was_shown());
            let kinds: Vec<EffectKind> = shown.map(|effect| effect.kind).collect();
            let latest = self.header.tree.effects.iter().find(|e| e.lesson == id);
            let because = match latest {
                // Every project sees what happens to a global lesson.
                Some(effect) if lesson.project.is_none() => format!("{} in a run", effect.kind),
                Some(effect) => format!("{} in {}: {}", effect.kind, root, effect.why),
                None => format!("effects of {root} derived anew"),
            };
            let is_held_out = latest.is_some_and(|effect| !effect.was_shown());
            self.update(after, &because);
            self.follow_effects(&id, &kinds, is_held_out)?;
        }
        Ok(())
    }

    /// The step that the effects call for. What was held out was not applied, and moves nothing.
    fn follow_effects(
        &mut self,
        id: &LessonId,
        kinds: &[EffectKind],
        is_held_out: bool,
    ) -> Result<()> {
        if is_held_out {
            return Ok(());
        }
        let lesson = &self.lessons[id];
        // A team wants to be asked before a lesson is stable.
        let is_asked = self.memory.settings.is_team() && lesson.state == State::Provisional;
        let step = lifecycle::after_effects(lesson, kinds, &self.memory.policy, !is_asked);
        if let Some(step) = step {
            self.transition(step);
        }
        Ok(())
    }

    /// What may be shown now may tell the opposite of what was.
    pub(super) fn doubt_clashing(&mut self, id: &LessonId) -> Result<()> {
        for other in lookup::near_shown(self.memory, self.call, &self.lessons[id])? {
            let other = self.lessons.entry(other.id.clone()).or_insert(other).clone();
            let clash = lifecycle::clash(&self.lessons[id], &other, &self.memory.policy.ranking);
            for step in clash.into_iter().flatten() {
                self.transition(step);
            }
        }
        Ok(())
    }
}
