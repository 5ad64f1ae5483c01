//! Did the lessons that were shown hold? Effects of the root run, derived anew from
//! everything known about it and put in place of the old ones.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::answer::Named;
use hardwon_core::change::Change;
use hardwon_core::credit::{self, Happened};
use hardwon_core::effect::{Effect, EffectCounts, EffectKind};
use hardwon_core::event::Problem;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Lesson, Unseen};
use hardwon_core::lifecycle;
use hardwon_core::run::Run;

use super::named;
use super::step::Step;
use crate::error::EngineError;

impl Step<'_> {
    /// Derives the effects of this root run and what they do to the lessons.
    pub fn credit(&mut self) -> Result<(), EngineError> {
        let Some(number) = self.header.run.number else {
            return Ok(());
        };
        let named_causes = self.named_causes()?;
        let shown = self.shown_ids(&named_causes);
        if !self.is_news(&shown) {
            return Ok(());
        }
        self.load(shown.iter().cloned().collect())?;
        let (runs, findings) = self.whole_tree();
        let happened = Happened {
            root: &self.header.run.root.clone(),
            number,
            runs: &runs,
            findings: &findings,
            named: &named_causes,
        };
        let policy = &self.engine.policy.credit;
        let present = shown.iter().filter_map(|id| self.lessons.get(id));
        let effects: Vec<Effect> =
            present.map(|lesson| credit::effect(lesson, &happened, policy)).collect();
        self.replace_effects(effects)
    }

    /// Effects that somebody named, now or when this run was learned before.
    fn named_causes(&mut self) -> Result<BTreeMap<LessonId, (EffectKind, String)>, EngineError> {
        let old = self.header.tree.effects.iter().filter(|effect| effect.is_named);
        let mut causes: BTreeMap<LessonId, (EffectKind, String)> =
            old.map(|effect| (effect.lesson.clone(), (effect.kind, effect.why.clone()))).collect();
        for (source, stated) in &self.told.found.effects {
            match self.engine.lesson_named(&stated.lesson) {
                Ok(lesson) => {
                    let because = self.engine.gate.word(&stated.because);
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
    fn is_news(&self, shown: &BTreeSet<LessonId>) -> bool {
        let is_judged = |id: &LessonId| self.header.tree.effects.iter().any(|e| e.lesson == *id);
        !self.changes.is_empty() || !shown.iter().all(is_judged)
    }

    fn shown_ids(&self, named: &BTreeMap<LessonId, (EffectKind, String)>) -> BTreeSet<LessonId> {
        let injections = self.header.tree.injections.iter();
        let shown = injections.flat_map(|i| i.shown.iter().map(|shown| shown.lesson.clone()));
        shown.chain(named.keys().cloned()).collect()
    }

    /// The root run's runs and findings, those of this record included.
    fn whole_tree(&self) -> (Vec<Run>, Vec<Finding>) {
        let other = self.header.tree.runs.iter().filter(|run| run.id != self.header.run.id);
        let runs = other.cloned().chain([self.header.run.clone()]).collect();
        let findings = self.header.tree.findings.iter().chain(&self.findings);
        (runs, findings.cloned().collect())
    }

    fn replace_effects(&mut self, effects: Vec<Effect>) -> Result<(), EngineError> {
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
            let name: Option<Named> = self.lessons.get(&effect.lesson).map(named);
            self.answer.effects.extend(name.map(|name| (name, effect.clone())));
        }
        self.header.tree.effects = effects;
        self.settle(touched)
    }

    /// Confidence, counts and state of the lessons whose effects changed.
    fn settle(&mut self, touched: BTreeSet<LessonId>) -> Result<(), EngineError> {
        let ids: Vec<LessonId> = touched.into_iter().collect();
        self.load(ids.clone())?;
        let root = self.header.run.root.clone();
        let stored = self.engine.store.effects(&self.engine.project, &ids)?;
        for id in ids {
            let Some(lesson) = self.lessons.get(&id).cloned() else { continue };
            let own = &self.engine.project;
            let is_elsewhere = |(project, effect): &&(ProjectId, Effect)| {
                effect.lesson == id && (project != own || effect.root != root)
            };
            let elsewhere = stored.iter().filter(is_elsewhere).map(|(_, effect)| effect);
            let here = self.header.tree.effects.iter().filter(|e| e.lesson == id);
            let mut all: Vec<&Effect> = elsewhere.chain(here).collect();
            all.sort_by_key(|effect| effect.run_number);
            let kinds: Vec<EffectKind> = all.iter().map(|effect| effect.kind).collect();
            let after = self.credited(&lesson, &kinds);
            let latest = self.header.tree.effects.iter().find(|e| e.lesson == id);
            let because = match latest {
                // Every project sees what happens to a global lesson.
                Some(effect) if lesson.project.is_none() => format!("{} in a run", effect.kind),
                Some(effect) => format!("{} in {}: {}", effect.kind, root, effect.why),
                None => format!("effects of {root} derived anew"),
            };
            self.update(after, &because);
            self.follow_effects(&id, &kinds);
        }
        Ok(())
    }

    fn credited(&self, lesson: &Lesson, kinds: &[EffectKind]) -> Lesson {
        let policy = &self.engine.policy.credit;
        let number = self.header.run.number.unwrap_or(0);
        let has_helped = kinds.last() == Some(&EffectKind::Helped);
        // A lesson that works must not die of its own success.
        let unseen = match has_helped && number >= lesson.unseen.checked_at {
            true => Unseen { n_runs: 0, checked_at: number },
            false => lesson.unseen,
        };
        Lesson {
            effects: EffectCounts::of(kinds.iter().copied()),
            confidence: credit::confidence(lesson.base_confidence, kinds.iter().copied(), policy),
            unseen,
            updated_at: self.engine.now,
            ..lesson.clone()
        }
    }

    fn follow_effects(&mut self, id: &LessonId, kinds: &[EffectKind]) {
        let lesson = &self.lessons[id];
        let policy = &self.engine.policy;
        let rises = || lifecycle::promotion(lesson, kinds, &policy.promotion);
        if let Some(transition) = lifecycle::decay(lesson, &policy.decay).or_else(rises) {
            self.transition(transition);
        }
    }
}
