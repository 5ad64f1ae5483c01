//! Did what was injected into a run help? The run's own event log decides, so this works
//! before and after the run was extracted, and twice gives the same as once.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::credit::{self, Exposure, Happened};
use hardwon_core::effect::{Effect, EffectKind};
use hardwon_core::find::find;
use hardwon_core::finding::Finding;
use hardwon_core::gate::without_control;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::{Author, Relation, compare};
use hardwon_engine::{Call, EngineError, Memory, Result};
use hardwon_store::{LessonQuery, Pick};

use super::{Archeflow, is_run_name, read_log};
use crate::archeflow::AUDIT;
use crate::bare_finding;

/// The answer to a check of a run.
#[derive(Clone, Debug)]
pub enum AuditChecked {
    /// Nothing was ever recorded as injected.
    NoAudit,
    /// The run has no event log.
    NoEvents,
    /// Nothing was recorded as injected into this run.
    NotInjected,
    /// Each lesson with whether it helped.
    Checked(Vec<(Lesson, bool)>),
}

impl Archeflow {
    /// Whether each lesson that was injected into a run helped: a finding that matches it
    /// says no.
    pub fn audit_check(&mut self, name: &str) -> Result<AuditChecked> {
        let run = RunId::parse(name).ok().filter(|_| is_run_name(name));
        let run = run.ok_or_else(|| EngineError::UnknownRun { name: without_control(name) })?;
        if !self.folder.has_file(AUDIT)? {
            return Ok(AuditChecked::NoAudit);
        }
        let name = format!("events/{run}.jsonl");
        let Some(log) = self.folder.read(&name)? else {
            return Ok(AuditChecked::NoEvents);
        };
        let found = find(&[read_log(&name, &log)?], Some(&run), &|_, _| None);
        let findings = found.runs.into_iter().flat_map(|run| run.findings);
        let gate = &self.memory.gate;
        let findings = findings.filter(|finding| finding.is_sighting).map(|found| {
            let author = gate.word(&found.author).unwrap_or_else(|| "unknown".to_owned());
            bare_finding(&run, &author, gate.line(&found.stated.text))
        });
        let findings: Vec<Finding> = findings.collect();
        self.judge(&run, &findings)
    }

    fn judge(&mut self, run: &RunId, findings: &[Finding]) -> Result<AuditChecked> {
        self.write("archeflow audit-check", |memory, call, status| {
            let tree = memory.store.tree(&call.project, run)?;
            let shown = tree.injections.iter().flat_map(|injection| &injection.shown);
            let shown: BTreeSet<LessonId> = shown.map(|shown| shown.lesson.clone()).collect();
            if shown.is_empty() {
                return Ok((Vec::new(), AuditChecked::NotInjected));
            }
            let number = tree.runs.iter().find_map(|run| run.number);
            let number = number.unwrap_or(status.run_number + 1);
            let judged = effects(memory, call, run, number, &shown, findings)?;
            let mut changes = replaced(&tree.effects, judged.iter().map(|(_, effect)| effect));
            if !changes.is_empty() {
                for (lesson, effect) in &judged {
                    changes.extend(counted(memory, call, lesson, effect)?);
                }
            }
            let is_helpful = |effect: &Effect| effect.kind == EffectKind::Helped;
            let checked =
                judged.iter().map(|(lesson, e)| (lesson.clone(), is_helpful(e))).collect();
            Ok((changes, AuditChecked::Checked(checked)))
        })
    }
}

/// The effect of each lesson that is still there.
fn effects(
    memory: &Memory,
    call: &Call,
    run: &RunId,
    number: u64,
    shown: &BTreeSet<LessonId>,
    findings: &[Finding],
) -> Result<Vec<(Lesson, Effect)>> {
    let pick = Pick::Ids(shown.iter().cloned().collect());
    let lessons =
        memory.store.lessons(&call.project, &LessonQuery { pick, ..Default::default() })?;
    let mut lessons: Vec<Lesson> =
        lessons.into_iter().filter(|lesson| lesson.state.is_on_ladder()).collect();
    lessons.sort_by_cached_key(|lesson| lesson.aliases.first().map(|id| (id.len(), id.clone())));
    let named = BTreeMap::new();
    let judge = |lesson: &Lesson| {
        let findings = matching(memory, lesson, findings);
        let happened =
            Happened { root: run, number, runs: &[], findings: &findings, named: &named };
        credit::effect(lesson, &happened, Exposure::default(), &memory.policy.credit)
    };
    Ok(lessons.into_iter().map(|lesson| (lesson.clone(), judge(&lesson))).collect())
}

/// The lesson with its effects counted, as `learn` counts them.
fn counted(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    effect: &Effect,
) -> Result<Option<Change>> {
    let stored = memory.store.effects(&call.project, std::slice::from_ref(&lesson.id))?;
    let others = stored.into_iter().map(|(_, effect)| effect).filter(|e| e.root != effect.root);
    let mut all: Vec<Effect> = others.chain([effect.clone()]).collect();
    all.sort_by_key(|effect| effect.run_number);
    let effects: Vec<&Effect> = all.iter().collect();
    let latest = (&effect.root, effect.run_number);
    let credited = credit::credited(lesson, &effects, latest, call.now, &memory.policy.credit);
    // It was not seen, so its record stays as it is.
    let (unseen, updated_at) = (lesson.unseen, lesson.updated_at);
    let after = Lesson { unseen, updated_at, ..credited };
    let because = format!("{} in {}: {}", effect.kind, effect.root, effect.why);
    Ok(Change::edit_lesson(lesson, &after, &because))
}

fn matching(memory: &Memory, lesson: &Lesson, findings: &[Finding]) -> Vec<Finding> {
    let policy = &memory.policy.matching;
    let is_same = |finding: &&Finding| {
        let found = compare::best_lesson(
            finding,
            Author::of(finding, false),
            &[lesson],
            &Default::default(),
            policy,
        );
        found.relation == Relation::Same
    };
    let of_lesson =
        |finding: &Finding| Finding { lesson: Some(lesson.id.clone()), ..finding.clone() };
    findings.iter().filter(is_same).map(of_lesson).collect()
}

/// The changes from what was concluded before to what is concluded now.
fn replaced<'a>(old: &[Effect], new: impl Iterator<Item = &'a Effect>) -> Vec<Change> {
    let mut changes = Vec::new();
    for effect in new {
        let before = old.iter().find(|old| old.lesson == effect.lesson);
        if before.is_some_and(|old| old.kind == effect.kind) {
            continue;
        }
        changes.extend(before.map(|old| Change::RemoveEffect { effect: old.clone() }));
        changes.push(Change::AddEffect { effect: effect.clone() });
    }
    changes
}
