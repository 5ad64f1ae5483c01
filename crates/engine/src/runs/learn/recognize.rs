//! Which lesson is this finding? Recognizes it, starts a lesson, or finds that it had been
//! fixed before.

use std::collections::BTreeSet;

use hardwon_core::categorize;
use hardwon_core::change::Change;
use hardwon_core::event::Problem;
use hardwon_core::finding::{Finding, FindingKey, FindingState, is_of_session};
use hardwon_core::gate::admit;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::learn::{Sighting, new_lesson, seen_again, was_seen_elsewhere};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::lifecycle::{self, Renewal, Transition};
use hardwon_core::matching::compare::{self, is_compared};
use hardwon_core::matching::{Author, Match, Method, Relation};
use hardwon_core::observe;
use hardwon_core::propose;
use hardwon_core::trigger::{self, Trigger};
use hardwon_render::answer::{Decimal, Regression, Similar};
use hardwon_store::{FindingQuery, LessonQuery, Proposals};

use super::named;
use super::reflect::is_said;
use super::step::Step;
use crate::error::Result;
use crate::lookup;

/// How many lessons a store proposes for one finding: with 64 the bench scores the same.
const N_PROPOSALS: usize = 24;
/// How many fixed findings are looked at for one finding.
const N_FIXED: usize = 8;

impl Step<'_> {
    /// Finds the lesson that this finding is, or starts one.
    pub fn recognize(&mut self, finding: &mut Finding) -> Result<()> {
        let (candidates, found) = self.best_lesson(finding)?;
        let nearest = found.index.map(|index| candidates[index].clone());
        match (found.relation, nearest) {
            (Relation::Same, Some(id)) => {
                let id = self.standing_for(&id)?;
                self.see_again(finding, &id, found.likeness)?;
            }
            (_, near) if categorize::starts_lessons(finding) => {
                self.start(finding)?;
                let near = near.filter(|_| found.relation == Relation::Similar);
                if let (Some(near), Some(own)) = (near, &finding.lesson)
                    && near != *own
                {
                    let (lesson, like) = (named(&self.lessons[own]), named(&self.lessons[&near]));
                    let likeness = Decimal(found.likeness);
                    self.answer.similar.push(Similar { lesson, like, likeness });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The lesson that replaced this one in the end.
    fn standing_for(&mut self, id: &LessonId) -> Result<LessonId> {
        if self.lessons[id].state != State::Superseded {
            return Ok(id.clone());
        }
        let lesson = lookup::standing_for(self.memory, self.call, self.lessons[id].clone())?;
        let id = lesson.id.clone();
        self.lessons.entry(id.clone()).or_insert(lesson);
        Ok(id)
    }

    pub fn best_lesson(&mut self, finding: &Finding) -> Result<(Vec<LessonId>, Match)> {
        let terms = propose::terms_of_finding(finding);
        let proposals = self.proposals(&terms)?;
        let corpus = self.pending.counted_in(proposals.corpus, &terms);
        let mut candidates = self.pending.sharing(&terms, N_PROPOSALS);
        let may_be = categorize::may_be(finding, &self.memory.policy);
        let may_confirm = |lesson: &Lesson| may_be(lesson) && self.may_confirm(finding, lesson);
        candidates.retain(|id| may_confirm(&self.lessons[id]));
        for lesson in proposals.lessons {
            if may_be(&lesson) && self.may_confirm(finding, &lesson) {
                candidates.insert(lesson.id.clone());
                self.lessons.entry(lesson.id.clone()).or_insert(lesson);
            }
        }
        let known = || self.header.tree.findings.iter().chain(&self.findings);
        let is_other = |id: &LessonId| compare::is_another_of_review(finding, id, known());
        // ArcheFlow's own script joins what one review says twice.
        let is_ours = self.memory.policy.matching.method == Method::Weighted;
        candidates.retain(|id| !is_ours || self.reflecting.is_some() || !is_other(id));
        let candidates: Vec<LessonId> = candidates.into_iter().collect();
        let lessons: Vec<&Lesson> = candidates.iter().map(|id| &self.lessons[id]).collect();
        let policy = &self.memory.policy.matching;
        // All wishes have the same rule, which says nothing about what is wanted.
        let bare = Finding { rule: None, category: None, ..finding.clone() };
        let compared = if is_said(&self.reflecting) { &bare } else { finding };
        let is_persons = is_said(&self.reflecting) || self.by_people.contains(&finding.key);
        let author = Author::of(finding, is_persons);
        let mut found = compare::best_lesson(compared, author, &lessons, &corpus, policy);
        // The very same words are the same, whatever a method makes of them; first those in use.
        let worded = |(_, lesson): &(usize, &&Lesson)| lesson.text == finding.text;
        let worded = lessons.iter().enumerate().filter(worded);
        if let Some((index, _)) = worded.min_by_key(|(_, lesson)| !lesson.state.is_on_ladder()) {
            (found.index, found.relation, found.likeness) = (Some(index), Relation::Same, 1.0);
        } else if let Some(index) = self.reflected_before(finding, &lessons) {
            (found.index, found.relation, found.likeness) = (Some(index), Relation::Same, 1.0);
        } else if Trigger::of(finding).is_some()
            || self.is_only_worded_alike(finding, &lessons, &found)
            || self.is_too_loose(&found)
        {
            // Two classes differ in one word only, and are not alike for that.
            (found.index, found.relation, found.likeness) = (None, Relation::New, 0.0);
        }
        Ok((candidates, found))
    }

    /// Whether a finding can speak for a lesson. Words that are believed less than who
    /// reports it are confirmed only by the very same words: likeness would lend a claim,
    /// or what came from outside, the reviewers' evidence for whatever else it says.
    fn may_confirm(&self, finding: &Finding, lesson: &Lesson) -> bool {
        let is_sort = match &self.reflecting {
            Some(reflecting) => reflecting.candidate.may_be(lesson),
            None => !lesson.is_personal(),
        };
        is_sort && (lesson.trust >= self.speaker(finding).trust() || lesson.text == finding.text)
    }

    /// Lessons to compare with. ArcheFlow's way of counting tokens knows no stems, so the
    /// index would miss some: there every lesson in a state that counts is looked at.
    fn proposals(&self, terms: &[String]) -> Result<Proposals> {
        match self.memory.policy.matching.method {
            Method::Weighted => {
                lookup::proposals(self.memory, self.call, terms.to_vec(), false, N_PROPOSALS)
            }
            Method::Overlap => {
                let policy = &self.memory.policy.matching;
                let is_there = |state: &State| is_compared(*state, policy);
                let states = State::ALL.iter().copied().filter(is_there).collect();
                let query = LessonQuery { states, ..LessonQuery::default() };
                let lessons = self.memory.store.lessons(&self.call.project, &query)?;
                Ok(Proposals { lessons, ..Proposals::default() })
            }
        }
    }

    fn see_again(&mut self, finding: &mut Finding, id: &LessonId, likeness: f64) -> Result<()> {
        finding.lesson = Some(id.clone());
        finding.likeness = (likeness * 1000.0).round() / 1000.0;
        let before = self.lessons[id].clone();
        if self.origin_of(finding) == Origin::Import && before.trust > Trust::Foreign {
            // What a stranger says about it counts neither for nor against it.
            finding.is_sighting = false;
            return Ok(());
        }
        let root = &self.seen_in().root.clone();
        let is_known = was_seen_elsewhere(&before, self.seen_in());
        let is_counted = !self.counted.insert((root.clone(), id.clone()));
        // An agent's word does not make up the numbers of what others are believed for.
        let trust = self.origin_of(finding).trust();
        let may_count = trust >= Trust::Pipeline || before.trust <= trust;
        let is_new_root = !is_counted && !is_known && may_count;
        let repair = self.agreed_repair(finding, id)?;
        let sighting = self.sighting(finding, is_new_root);
        let policy = &self.memory.policy;
        let mut after = seen_again(&before, sighting, &policy.promotion);
        after = lifecycle::renewed(after, Renewal::Sighting, self.present(), &policy.review);
        after = trigger::settled(&before, after, finding, &policy.triggers);
        if categorize::is_suggestion(finding) {
            // The author of a suggestion has not looked for anything.
            after.detectors.clone_from(&before.detectors);
        }
        after = categorize::by_roles(after, finding, &policy.promotion);
        if let Some(repair) = repair {
            after.guidance.repair = Some(repair);
        }
        let run = &self.seen_in().id.clone();
        let sort = match (before.kind, after.kind) {
            (before, after) if before == after => "",
            (_, Kind::Hint) => ", so far by no other role",
            _ => ", the second role to report it",
        };
        self.update(after, &format!("seen again in {run} by {}{sort}", finding.author));
        if self.named.insert(id.clone()) {
            self.answer.matched.push(named(&before));
            if self.lessons[id].state == State::Quarantined {
                let reason = "seen again, but it is in quarantine and never shown; `hardwon \
                              review list` shows what waits";
                self.problems.push(Problem::new(id, reason));
            }
        }
        if before.state != self.lessons[id].state {
            let after = self.lessons[id].clone();
            let reason = format!("seen again in {run}");
            let transition =
                Transition { lesson: id.clone(), from: before.state, to: after.state, reason };
            self.answer.add_transition(named(&after), &transition);
        }
        if trigger::is_enough(&self.lessons[id], finding, &policy.triggers) {
            self.promote(id)?;
        }
        self.verify(finding, id)
    }

    /// What was seen in different contexts rises, where the policy counts them.
    fn verify(&mut self, finding: &Finding, id: &LessonId) -> Result<()> {
        let policy = &self.memory.policy.promotion;
        if policy.stable_contexts == 0 || self.lessons[id].state != State::Provisional {
            return Ok(());
        }
        let (store, project) = (&self.memory.store, &self.call.project);
        let known = lookup::evidence_of(self.memory, self.call, id)?;
        let roots: BTreeSet<&RunId> = known.iter().map(|known| &known.root).collect();
        let mut runs = self.header.tree.runs.clone();
        for root in roots.into_iter().filter(|root| **root != self.header.run.root) {
            runs.extend(store.tree(project, root)?.runs);
        }
        runs.push(self.header.run.clone());
        let contexts = lifecycle::contexts(known.iter().chain([finding]), &runs);
        if let Some(step) = lifecycle::verified(&self.lessons[id], &contexts, policy) {
            self.transition(step);
        }
        Ok(())
    }

    /// What ended it here, if it did so in another session, too.
    fn agreed_repair(&self, finding: &Finding, id: &LessonId) -> Result<Option<String>> {
        // What a model says of a failure has its repair in it.
        let is_of_session = finding.rule.as_deref().is_some_and(is_of_session);
        if is_of_session && !observe::is_of_command(&self.lessons[id]) {
            return Ok(None);
        }
        if finding.repair.is_none() || !observe::needs_agreement(finding, self.origin_of(finding)) {
            return Ok(None);
        }
        let known = lookup::evidence_of(self.memory, self.call, id)?;
        Ok(observe::agreed_repair(finding, &known))
    }

    fn sighting<'s>(&'s self, finding: &'s Finding, is_new_root: bool) -> Sighting<'s> {
        Sighting {
            finding,
            run: self.seen_in(),
            project: &self.call.project,
            origin: self.origin_of(finding),
            at: self.call.now,
            is_new_root,
            is_backfill: self.header.is_backfill || self.seen_in().id != self.header.run.id,
            was_shown: finding.lesson.iter().any(|id| self.header.tree.shown.contains_key(id)),
        }
    }

    fn start(&mut self, finding: &mut Finding) -> Result<()> {
        let project = Some(&self.call.project);
        let (kind, _) = categorize::sort(finding, &self.memory.policy.categories);
        let kind = self.reflecting.as_ref().map_or(kind, |reflecting| reflecting.candidate.kind);
        let id = lookup::free_id(self.memory, self.call, project, kind, finding.text.as_str())?;
        if self.lessons.contains_key(&id)
            || lookup::find_lesson(self.memory, self.call, &id)?.is_some()
        {
            // The very same text, which likeness did not propose: still the same lesson.
            self.load(vec![id.clone()])?;
            self.see_again(finding, &id, 1.0)?;
            return Ok(());
        }
        finding.lesson = Some(id.clone());
        finding.likeness = 1.0;
        let policy = &self.memory.policy;
        let lesson = new_lesson(self.sighting(finding, true), id.clone(), &policy.promotion);
        let lesson = self.shaped(categorize::sorted(lesson, finding, self.seen_in(), policy));
        self.counted.insert((self.seen_in().root.clone(), id.clone()));
        self.pending.add(&lesson);
        self.changes.push(Change::AddLesson {
            lesson: Box::new(lesson.clone()),
            because: format!("reported by {} in {}", finding.author, finding.run),
        });
        self.answer.new.push(named(&lesson));
        self.named.insert(id.clone());
        self.lessons.insert(id.clone(), lesson);
        self.promote(&id)
    }

    pub fn look_for_regression(&mut self, finding: &mut Finding) -> Result<()> {
        let is_stated = finding.state == FindingState::Regressed;
        let can_regress = is_stated || finding.state == FindingState::Open;
        if !can_regress || self.header.run.number.is_none() {
            return Ok(());
        }
        let query = FindingQuery::FixedLike {
            signature: finding.signature.clone(),
            terms: propose::terms_of_finding(finding),
            limit: N_FIXED,
        };
        let fixed = self.memory.store.findings(&self.call.project, &query)?;
        let is_earlier = |fixed: &&Finding| {
            fixed.root != finding.root && fixed.fixed_in.as_ref() != Some(&finding.run)
        };
        let earlier: Vec<&Finding> = fixed.iter().filter(is_earlier).collect();
        let fixed_in = compare::fixed_before(finding, &earlier, &self.memory.policy.matching);
        if fixed_in.is_none() && !is_stated {
            return Ok(());
        }
        finding.state = FindingState::Regressed;
        finding.fixed_in = fixed_in;
        self.answer.regressions.push(Regression::of(finding));
        Ok(())
    }

    /// The suggestions of the record that pass the gate, each once.
    pub fn admitted_suggestions(&mut self) -> Vec<Finding> {
        let mut admitted: Vec<Finding> = Vec::new();
        let mut known: BTreeSet<FindingKey> = BTreeSet::new();
        for (source, stated) in &self.input.found.suggestions {
            self.answer.findings.n_read += 1;
            match admit::suggestion(&self.memory.gate, stated, &self.header.run) {
                Ok(finding) => {
                    self.answer.findings.n_used += 1;
                    if known.insert(finding.key.clone()) {
                        admitted.push(finding);
                    }
                }
                Err(refusal) => {
                    self.answer.findings.n_rejected += 1;
                    let reason = format!("{} not used: {refusal}", stated.position);
                    self.problems.push(Problem::new(source, reason));
                }
            }
        }
        admitted
    }

    /// Through which channel a finding came, as the echo guard sees it.
    pub fn speaker(&self, finding: &Finding) -> Origin {
        if categorize::is_suggestion(finding) { Origin::Agent } else { self.origin_of(finding) }
    }

    /// The channel by which a finding came: one payload may hold the words of reviewers and of
    /// strangers.
    pub(super) fn origin_of(&self, finding: &Finding) -> Origin {
        if self.foreign.contains(&finding.key) { Origin::Import } else { self.channel() }
    }
}
