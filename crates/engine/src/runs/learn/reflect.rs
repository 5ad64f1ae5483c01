//! What a run teaches by how it went: candidates of a reflection, taken like findings of
//! the runs that show them, so that they count, match and rise by the same rules as
//! everything else.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::conflict::ends;
use hardwon_core::episode::Account;
use hardwon_core::event::Problem;
use hardwon_core::finding::Finding;
use hardwon_core::gate::Refusal;
use hardwon_core::gate::admit;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson, Origin, State};
use hardwon_core::lifecycle::Transition;
use hardwon_core::matching::Match;
use hardwon_core::propose::signature_term;
use hardwon_core::reflect::advice::{self, Advice, Judged};
use hardwon_core::reflect::taken::{grade, severity, signature_of};
use hardwon_core::reflect::{self, AUTHOR, Candidate, Context, Pattern, Reflection, Scenario};
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;
use hardwon_render::answer::{Considered, LookedBack};
use hardwon_store::{LessonQuery, RunQuery};

use super::step::{Reflecting, Step};
use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// How many runs before this one are looked at.
pub(crate) const N_OTHERS: usize = 60;

/// Likeness from which two sentences of models are one.
const SAME_ADVICE: f64 = 0.5;

/// What became of a reflection.
pub(crate) struct AppliedReflection {
    pub reflection: Reflection,
    /// Its candidates behind the gate, each with why it was kept out, if it was.
    pub considered: Vec<Considered>,
}

/// What was considered of what a model said, and which lesson each candidate is.
pub(super) type Taken = (Vec<Considered>, Vec<Option<LessonId>>);

/// What became of looking back on a run.
pub(crate) enum LookBack {
    Applied(AppliedReflection),
    /// Why it was not done.
    Skipped(String),
}

impl Step<'_> {
    /// Reflects on the root run, if it tells enough, and takes what that teaches.
    pub fn reflect(&mut self, scenario: Option<Scenario>) -> Result<LookBack> {
        let policy = &self.memory.policy.reflection;
        let (root, below) = self.root_and_below();
        let scenario = match (scenario, reflect::scenario_of(&root, policy)) {
            (Some(scenario), _) if policy.is_enabled => scenario,
            (_, Ok(scenario)) => scenario,
            (_, Err(skipped)) => return Ok(LookBack::Skipped(skipped.to_owned())),
        };
        let others = runs_before(self.memory, self.call, &root)?;
        let findings = self.findings_of_tree();
        let context = Context { run: &root, below: &below, findings: &findings, others: &others };
        let reflection = reflect::reflect(&context, policy);
        let all = std::iter::once(&root).chain(&below).chain(&others);
        let all: BTreeMap<RunId, Run> = all.map(|run| (run.id.clone(), run.clone())).collect();
        let (n_new, n_matched) = (self.answer.new.len(), self.answer.matched.len());
        let mut considered = Vec::new();
        for candidate in &reflection.candidates {
            let candidate = admit::candidate(&self.memory.gate, candidate);
            let refused = self.take_candidate(&candidate, &all)?;
            considered.push(Considered::new(&candidate, refused));
        }
        self.let_go(&reflection.outgrown)?;
        self.answer.reflection = Some(LookedBack {
            scenario,
            created: self.answer.new[n_new..].to_vec(),
            updated: self.answer.matched[n_matched..].to_vec(),
        });
        Ok(LookBack::Applied(AppliedReflection { reflection, considered }))
    }

    /// Takes what a model says about the root run: an account of it, and candidates that its
    /// evidence bears out.
    pub(super) fn advise(&mut self, by: &str, advice: &Advice) -> Result<Taken> {
        let (root, below) = self.root_and_below();
        let others = runs_before(self.memory, self.call, &root)?;
        let findings = self.findings_of_tree();
        let context = Context { run: &root, below: &below, findings: &findings, others: &others };
        let judged = advice::judge(advice, &context, &self.memory.policy.reflection);
        let runs = BTreeMap::from([(root.id.clone(), root.clone())]);
        let (mut considered, mut lessons) = (Vec::new(), Vec::new());
        for (index, Judged { candidate, notes }) in judged.into_iter().enumerate() {
            let at = format!("candidates[{index}]");
            self.problems.extend(notes.into_iter().map(|note| Problem::new(&at, note)));
            let refused = match candidate {
                Ok(candidate) => {
                    let candidate = admit::candidate(&self.memory.gate, &candidate);
                    let refused = self.take_candidate(&candidate, &runs)?;
                    considered.push(Considered::new(&candidate, refused.clone()));
                    let signature = signature_of(candidate.pattern, &candidate.key);
                    let lesson = self.signed(&signature)?.filter(|_| refused.is_none());
                    lessons.push(lesson.map(|lesson| lesson.id));
                    refused
                }
                Err(reason) => {
                    lessons.push(None);
                    Some(reason)
                }
            };
            let told = |reason| Problem::new(&at, format!("not taken: {reason}"));
            self.problems.extend(refused.map(told));
        }
        self.record_account(&root, by, advice);
        Ok((considered, lessons))
    }

    fn record_account(&mut self, root: &Run, by: &str, advice: &Advice) {
        let stated = Account {
            by: by.to_owned(),
            summary: advice.summary.clone(),
            worked: advice.worked.clone(),
            failed: advice.failed.clone(),
            decisions: advice.decisions.clone(),
        };
        self.keep_account(root, &stated);
    }

    /// Keeps what was said about a run.
    pub(super) fn keep_account(&mut self, root: &Run, stated: &Account) {
        let Some(account) = admit::account(&self.memory.gate, stated) else { return };
        // As it is stored: one that came late has no number, whatever is known of it by now.
        let root = self.header.tree.run(&root.id).unwrap_or(root).clone();
        let mut after = root.clone();
        if after.episode.summary.is_none() && !account.summary.is_empty() {
            after.episode.summary = Some(account.summary.clone());
        }
        after.episode.account = Some(account);
        if after != root {
            let before = Box::new(root);
            self.changes.push(Change::EditRun { before, after: Box::new(after) });
        }
    }

    /// Whether the run tells enough for a reflection to find something in it: most records
    /// of reviews do not, and need not wait for it.
    pub fn is_worth_reflecting(&self) -> bool {
        self.runs_of_tree().iter().any(|run| {
            let episode = &run.episode;
            !episode.trail.is_empty() || episode.error_class.is_some()
        })
    }

    /// The root run, or the first that is known, and the others of its tree.
    pub(super) fn root_and_below(&self) -> (Run, Vec<Run>) {
        let mut runs = self.runs_of_tree();
        let root = runs.iter().position(|run| run.id == run.root).unwrap_or_default();
        (runs.remove(root), runs)
    }

    fn runs_of_tree(&self) -> Vec<Run> {
        let own = &self.header.run;
        let others = self.header.tree.runs.iter().filter(|run| run.id != own.id);
        others.filter(|run| run.root == own.root).chain([own]).cloned().collect()
    }

    pub(super) fn findings_of_tree(&self) -> Vec<Finding> {
        self.header.tree.findings.iter().chain(&self.findings).cloned().collect()
    }

    /// Takes one candidate in every run that shows it; or says why it was not taken.
    pub(super) fn take_candidate(
        &mut self,
        candidate: &Candidate,
        runs: &BTreeMap<RunId, Run>,
    ) -> Result<Option<String>> {
        if let Some(reason) = candidate.refusal(&self.memory.policy.reflection) {
            return Ok(Some(reason.to_owned()));
        }
        let gate = &self.memory.gate;
        let text = match candidate.is_advised() {
            true => gate.statement(&candidate.text, Origin::Agent),
            false => gate.finding(&candidate.text),
        };
        let text = match text {
            Ok(text) => text,
            Err(refusal) => return Ok(Some(refusal.to_string())),
        };
        let shown: Vec<&Run> = candidate.evidence.iter().filter_map(|id| runs.get(id)).collect();
        let channel = shown.iter().map(|run| self.channel_of(run)).min_by_key(|o| o.trust());
        let Some(channel) = channel else { return Ok(Some("no run shows it".to_owned())) };
        // What a model says of a run is its word, however the run is known.
        let channel = if candidate.is_advised() { Origin::Agent } else { channel };
        let is_witnessed =
            !candidate.is_advised() && shown.iter().all(|run| run.episode.is_witnessed);
        let signature = signature_of(candidate.pattern, &candidate.key);
        let known = self.known_to_show(&signature, &shown)?;
        for run in shown.into_iter().filter(|run| !known.contains(&run.id)) {
            let signature = signature.clone();
            let finding = Finding {
                severity: severity(candidate.importance),
                category: Some(candidate.category.to_owned()),
                rule: Some(candidate.pattern.rule()),
                grade: grade(channel, is_witnessed),
                quote: candidate.quote.clone(),
                ..run.new_finding(AUTHOR.to_owned(), signature, text.clone(), None)
            };
            if let Some(mark) = self.forgotten.iter().find(|mark| mark.covers(&finding)) {
                return Ok(Some(Refusal::Forgotten { at: mark.at }.to_string()));
            }
            let (candidate, run) = (candidate.clone(), run.clone());
            self.reflecting = Some(Reflecting { candidate, run, channel });
            let taken = self.take_reflected(finding);
            self.reflecting = None;
            taken?;
        }
        self.supersede_refined(candidate, &signature)?;
        self.end_opposites(candidate, &signature)?;
        Ok(None)
    }

    fn take_reflected(&mut self, mut finding: Finding) -> Result<()> {
        let place = self.changes.len();
        self.recognize(&mut finding)?;
        self.changes.insert(place, Change::AddFinding { finding: Box::new(finding.clone()) });
        if finding.root == self.header.run.root {
            self.findings.push(finding);
        }
        Ok(())
    }

    /// Which runs are known to show what has this signature. Also takes note of which root
    /// runs count for its lesson.
    fn known_to_show(&mut self, signature: &str, shown: &[&Run]) -> Result<BTreeSet<RunId>> {
        let is_it = |known: &&Finding| known.author == AUTHOR && known.signature == signature;
        let here = self.header.tree.findings.iter().chain(&self.findings).filter(is_it);
        let mut runs: BTreeSet<RunId> = here.map(|known| known.run.clone()).collect();
        let (store, project) = (&self.memory.store, &self.call.project);
        if let Some(lesson) = self.signed(signature)? {
            let known = lookup::evidence_of(self.memory, self.call, &lesson.id)?;
            let sightings = known.iter().filter(|known| known.is_sighting);
            self.counted.extend(sightings.map(|f| (f.root.clone(), lesson.id.clone())));
            runs.extend(known.iter().filter(is_it).map(|known| known.run.clone()));
        }
        // A lesson forgets its oldest signatures; a run does not forget what it showed.
        for run in shown.iter().filter(|run| run.root != self.header.run.root) {
            if !runs.contains(&run.id) {
                let tree = store.tree(project, &run.id)?;
                let known = tree.findings.iter().filter(is_it).filter(|f| f.run == run.id);
                runs.extend(known.map(|known| known.run.clone()));
            }
        }
        Ok(runs)
    }

    /// Lets go what is not so any more.
    fn let_go(&mut self, outgrown: &[(Pattern, String)]) -> Result<()> {
        for (pattern, key) in outgrown {
            let lesson = self.reflected_with(&signature_of(*pattern, key))?;
            let may_go = |lesson: &Lesson| {
                let is_there =
                    matches!(lesson.state, State::Candidate | State::Provisional | State::Stable);
                is_there && !lesson.is_pinned
            };
            let Some(lesson) = lesson.filter(may_go) else { continue };
            let reason = "what it warns of went well in the last runs that tried it".to_owned();
            let (from, to) = (lesson.state, State::Decayed);
            self.transition(Transition { lesson: lesson.id, from, to, reason });
        }
        Ok(())
    }

    /// What says less of the same gives way to a lesson that may be shown.
    fn supersede_refined(&mut self, candidate: &Candidate, signature: &str) -> Result<()> {
        if candidate.refines.is_empty() {
            return Ok(());
        }
        let own = self.reflected_with(signature)?;
        let Some(own) = own.filter(|lesson| lesson.state.is_active()) else { return Ok(()) };
        for (pattern, key) in &candidate.refines {
            let older = self.reflected_with(&signature_of(*pattern, key))?;
            let Some(older) = older.filter(|older| older.id != own.id) else { continue };
            let reason = format!("{} says more of the same", own.id);
            self.supersede(&older, &own, reason);
        }
        Ok(())
    }

    /// A wish ends earlier ones that say the opposite, unless it is older than they are.
    fn end_opposites(&mut self, said: &Candidate, signature: &str) -> Result<()> {
        if !said.is_said() || self.header.is_backfill {
            return Ok(());
        }
        let Some(own) = self.reflected_with(signature)? else { return Ok(()) };
        if own.state == State::Superseded && own.is_personal() {
            let (lesson, from, to) = (own.id.clone(), own.state, State::Candidate);
            let reason = "the user said it again".to_owned();
            self.update(Lesson { superseded_by: None, standing: 1, ..own.clone() }, &reason);
            self.transition(Transition { lesson, from, to, reason });
        }
        let query = LessonQuery { kinds: vec![Kind::Preference], ..LessonQuery::default() };
        let earlier = self.memory.store.lessons(&self.call.project, &query)?;
        for earlier in earlier.into_iter().filter(|it| it.id != own.id && ends(said, it)) {
            self.lessons.entry(earlier.id.clone()).or_insert_with(|| earlier.clone());
            let earlier = self.lessons[&earlier.id].clone();
            let reason = format!("the user said the opposite later: {}", own.text);
            self.supersede(&earlier, &own, reason);
        }
        Ok(())
    }

    /// The lesson that a reflection made under this signature.
    fn reflected_with(&mut self, signature: &str) -> Result<Option<Lesson>> {
        let lesson = self.signed(signature)?.filter(|lesson| lesson.author == AUTHOR);
        if let Some(lesson) = &lesson {
            self.lessons.entry(lesson.id.clone()).or_insert_with(|| lesson.clone());
        }
        Ok(lesson)
    }

    /// The lesson that was recognized by this signature.
    pub(super) fn signed(&self, signature: &str) -> Result<Option<Lesson>> {
        let is_it = |lesson: &Lesson| lesson.signatures.iter().any(|known| known == signature);
        if let Some(lesson) = self.lessons.values().find(|lesson| is_it(lesson)) {
            return Ok(Some(lesson.clone()));
        }
        let terms = vec![signature_term(signature)];
        let found = lookup::proposals(self.memory, self.call, terms, false, 4)?.lessons;
        Ok(found.into_iter().find(|lesson| is_it(lesson)))
    }

    pub(super) fn supersede(&mut self, older: &Lesson, own: &Lesson, reason: String) {
        let may_give_way =
            matches!(older.state, State::Candidate | State::Provisional | State::Stable);
        if !may_give_way || older.is_pinned {
            return;
        }
        let lesson = older.id.clone();
        let step = Transition { lesson, from: older.state, to: State::Superseded, reason };
        let superseded = Lesson { superseded_by: Some(own.id.clone()), ..older.clone() };
        self.update(superseded, &step.reason);
        self.transition(step);
    }

    /// The run in which the present finding was seen.
    pub fn seen_in(&self) -> &Run {
        self.reflecting.as_ref().map_or(&self.header.run, |reflecting| &reflecting.run)
    }

    /// The channel through which the present finding came.
    pub fn channel(&self) -> Origin {
        self.reflecting.as_ref().map_or(self.input.found.origin, |reflecting| reflecting.channel)
    }

    fn channel_of(&self, run: &Run) -> Origin {
        match run.episode.told_by {
            Some(origin) => origin,
            // A trail without an author is an agent's word.
            None if run.id != self.header.run.id => Origin::Agent,
            None => self.input.found.origin,
        }
    }

    /// A lesson that was just started, with all that the reflection says about it.
    pub fn shaped(&self, lesson: Lesson) -> Lesson {
        let Some(Reflecting { candidate, .. }) = &self.reflecting else { return lesson };
        let Lesson { scope, tags, .. } = &lesson;
        let scope = Scope(scope.0.clone().into_iter().chain(candidate.scope.0.clone()).collect());
        Lesson {
            kind: candidate.kind,
            category: Some(candidate.category.to_owned()),
            scope,
            tags: self.memory.gate.tags(tags.iter().chain(&candidate.tags).map(String::as_str)),
            paths: candidate.paths.clone(),
            importance: candidate.importance,
            guidance: candidate.guidance.clone(),
            ..lesson
        }
    }

    /// The lesson that the same pattern on the same thing made before.
    pub fn reflected_before(&self, finding: &Finding, lessons: &[&Lesson]) -> Option<usize> {
        if self.reflecting.is_none() && finding.author != AUTHOR {
            return None;
        }
        lessons.iter().position(|lesson| lesson.signatures.contains(&finding.signature))
    }

    /// A model's sentence is another one's only if it says nearly the same: it would speak for
    /// whatever has its words in common.
    pub(super) fn is_too_loose(&self, found: &Match) -> bool {
        let is_read = |it: &Reflecting| it.candidate.is_advised();
        self.reflecting.as_ref().is_some_and(is_read) && found.likeness < SAME_ADVICE
    }

    /// Two reflections differ in one word, and are not alike for that.
    pub fn is_only_worded_alike(
        &self,
        finding: &Finding,
        lessons: &[&Lesson],
        found: &Match,
    ) -> bool {
        let nearest = found.index.map(|index| lessons[index]);
        let is_worded = |reflecting: &Reflecting| {
            reflecting.candidate.is_said() || reflecting.candidate.is_advised()
        };
        let is_ours = finding.author == AUTHOR && !self.reflecting.as_ref().is_some_and(is_worded);
        is_ours && nearest.is_some_and(|lesson| lesson.author == AUTHOR)
    }
}

/// Whether what is taken is what a user typed.
pub(super) fn is_said(reflecting: &Option<Reflecting>) -> bool {
    reflecting.as_ref().is_some_and(|reflecting| reflecting.candidate.is_said())
}

/// Learned runs of other trees that took place before this one, newest first.
pub(crate) fn runs_before(memory: &Memory, call: &Call, run: &Run) -> Result<Vec<Run>> {
    let query = RunQuery { limit: Some(N_OTHERS), ..RunQuery::default() };
    let mut runs = memory.store.runs(&call.project, &query)?;
    runs.retain(|other| other.is_learned && other.root != run.root);
    Ok(runs)
}
