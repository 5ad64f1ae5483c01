//! One run, learned: findings pass the gate, are matched, and change lessons. Collects
//! the changes of the run; nothing is written before all of it is decided.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::answer::{Named, Regression, RunLearned};
use hardwon_core::change::Change;
use hardwon_core::event::Problem;
use hardwon_core::find::FoundFinding;
use hardwon_core::finding::{Finding, FindingKey, FindingState, Place};
use hardwon_core::gate::{Echoed, Refusal, ShownLesson, echo_of};
use hardwon_core::ids::LessonId;
use hardwon_core::learn::{Sighting, new_lesson, seen_again};
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::lifecycle::{self, Transition};
use hardwon_core::matching::{Corpus, Match, Relation};
use hardwon_core::propose;
use hardwon_core::signature::{of_fingerprint, signature};
use hardwon_store::{FindingQuery, LessonQuery, Pick, ProjectStatus, Search};

use super::header::{Header, Told};
use super::named;
use crate::error::EngineError;
use crate::{Engine, compare};

/// How many lessons a store proposes for one finding.
const N_PROPOSALS: usize = 24;
/// How many fixed findings are looked at for one finding.
const N_FIXED: usize = 16;

pub(super) struct Step<'a> {
    pub engine: &'a Engine,
    pub told: &'a Told<'a>,
    pub header: Header,
    pub changes: Vec<Change>,
    pub problems: Vec<Problem>,
    pub answer: RunLearned,
    /// Lessons as they are after the changes so far.
    pub lessons: BTreeMap<LessonId, Lesson>,
    /// Terms of lessons that this step started: the store cannot propose those yet.
    pending: BTreeMap<String, BTreeSet<LessonId>>,
    /// Findings of this run that are new.
    pub findings: Vec<Finding>,
    shown: Vec<ShownLesson>,
    /// Lessons for which this root run already counts.
    counted: BTreeSet<LessonId>,
    /// Lessons that the answer already names as new or matched.
    named: BTreeSet<LessonId>,
}

impl<'a> Step<'a> {
    pub fn begin(
        engine: &'a Engine,
        status: &'a ProjectStatus,
        told: &'a Told<'a>,
    ) -> Result<Step<'a>, EngineError> {
        let mut problems = Vec::new();
        let header = Header::read(engine, status, told, &mut problems)?;
        let mut step = Step {
            engine,
            told,
            answer: empty_answer(told.found, header.is_backfill),
            counted: counted(&header),
            named: BTreeSet::new(),
            header,
            changes: Vec::new(),
            problems,
            lessons: BTreeMap::new(),
            pending: BTreeMap::new(),
            findings: Vec::new(),
            shown: Vec::new(),
        };
        step.record_run();
        step.read_shown()?;
        Ok(step)
    }

    fn record_run(&mut self) {
        let run = Box::new(self.header.run.clone());
        match &self.header.before {
            None => self.changes.push(Change::AddRun { run }),
            Some(before) if *before == *run => {}
            Some(before) => {
                let before = Box::new(before.clone());
                self.changes.push(Change::EditRun { before, after: run });
            }
        }
    }

    /// Lessons that had been shown to this root run, and to which roles.
    fn read_shown(&mut self) -> Result<(), EngineError> {
        let mut roles: BTreeMap<LessonId, Vec<String>> = BTreeMap::new();
        for injection in &self.header.tree.injections {
            for shown in &injection.shown {
                roles.entry(shown.lesson.clone()).or_default().push(injection.role.clone());
            }
        }
        self.load(roles.keys().cloned().collect())?;
        for (id, roles) in roles {
            // A lesson whose learning was undone since is not there any more.
            if let Some(lesson) = self.lessons.get(&id) {
                let text = lesson.text.as_str().to_owned();
                self.shown.push(ShownLesson { lesson: id, text, roles });
            }
        }
        Ok(())
    }

    /// Reads lessons that are not at hand yet.
    pub fn load(&mut self, ids: Vec<LessonId>) -> Result<(), EngineError> {
        let missing: Vec<LessonId> =
            ids.into_iter().filter(|id| !self.lessons.contains_key(id)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let query = LessonQuery { pick: Pick::Ids(missing), ..LessonQuery::default() };
        for lesson in self.engine.store.lessons(&self.engine.project, &query)? {
            self.lessons.insert(lesson.id.clone(), lesson);
        }
        Ok(())
    }

    /// Takes every finding of the record that is not known yet, and what became of those
    /// that are.
    pub fn take_findings(&mut self) -> Result<(), EngineError> {
        for finding in self.admitted() {
            let known = self.header.tree.findings.iter();
            let mut known = known.filter(|known| known.run == finding.run);
            match known.position(|known| known.key == finding.key) {
                Some(_) => self.follow_up(finding),
                None => self.take(finding)?,
            }
        }
        Ok(())
    }

    /// The findings of the record that pass the gate, each once: of one that is told
    /// several times, the last word on what became of it counts.
    fn admitted(&mut self) -> Vec<Finding> {
        let mut admitted: Vec<Finding> = Vec::new();
        let mut places: BTreeMap<FindingKey, usize> = BTreeMap::new();
        for found in &self.told.found.findings {
            self.answer.n_read += 1;
            let finding = match self.admit(found) {
                Ok(finding) => finding,
                Err(refusal) => {
                    self.refuse(found, &refusal);
                    continue;
                }
            };
            match places.get(&finding.key) {
                Some(&place) => {
                    admitted[place].state = finding.state;
                    admitted[place].is_sighting &= finding.state != FindingState::Dismissed;
                }
                None => {
                    places.insert(finding.key.clone(), admitted.len());
                    admitted.push(finding);
                }
            }
            self.answer.n_used += 1;
        }
        admitted
    }

    fn refuse(&mut self, found: &FoundFinding, refusal: &Refusal) {
        self.answer.n_rejected += 1;
        self.problems.push(Problem::new(&found.source, format!("finding not used: {refusal}")));
    }

    /// More about a finding that is known: it was fixed, or ruled false.
    fn follow_up(&mut self, now: Finding) {
        let is_it = |known: &&mut Finding| known.run == now.run && known.key == now.key;
        let Some(known) = self.header.tree.findings.iter_mut().find(is_it) else { return };
        let is_news = match (known.state, now.state) {
            (FindingState::Open | FindingState::Regressed, FindingState::Fixed) => true,
            (FindingState::Dismissed, FindingState::Dismissed) => false,
            (_, FindingState::Dismissed) => true,
            (_, FindingState::Open | FindingState::Regressed | FindingState::Fixed) => false,
        };
        if !is_news {
            return;
        }
        let before = Box::new(known.clone());
        known.state = now.state;
        known.is_sighting &= now.state != FindingState::Dismissed;
        let after = Box::new(known.clone());
        self.changes.push(Change::EditFinding { before, after });
    }

    /// The finding as memory may keep it, or why not.
    fn admit(&self, found: &FoundFinding) -> Result<Finding, Refusal> {
        let gate = &self.engine.gate;
        let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
        let text = match found.is_sighting {
            true => gate.finding(&found.stated.text)?,
            // A fix or a dismissed finding teaches nothing by itself.
            false => gate.line(&found.stated.text),
        };
        let author = gate.word(&found.author).unwrap_or_else(|| "unknown".to_owned());
        let rule = word(&found.stated.rule);
        let path = word(&found.stated.path);
        let signature = match &found.stated.fingerprint {
            Some(fingerprint) => of_fingerprint(fingerprint),
            None => signature(None, rule.as_deref(), text.as_str(), path.as_deref()),
        };
        let place = path.map(|path| Place { path, line: found.stated.line });
        Ok(Finding {
            key: FindingKey::of(&author, &signature, text.as_str(), place.as_ref()),
            run: self.header.run.id.clone(),
            root: self.header.run.root.clone(),
            author,
            severity: found.severity,
            category: word(&found.stated.category),
            rule,
            text,
            place,
            grade: found.stated.grade,
            signature,
            state: found.state,
            is_sighting: found.is_sighting,
            lesson: None,
            likeness: 0.0,
            fixed_in: None,
        })
    }

    /// Whether a finding only gives our own words back.
    fn echo(&self, finding: &Finding) -> Option<Refusal> {
        let echoed = Echoed {
            author: &finding.author,
            has_place: finding.place.is_some(),
            grade: finding.grade,
            origin: self.told.found.origin,
        };
        let policy = &self.engine.policy.matching;
        let text = finding.text.as_str();
        let is_near_copy = |shown: &str| compare::same_text(text, shown, policy).is_some();
        echo_of(&echoed, &self.shown, is_near_copy).filter(|_| finding.is_sighting)
    }

    /// An echo is kept, so that nobody takes its author's silence for success, and counts
    /// for nothing.
    fn note_echo(&mut self, finding: &mut Finding, refusal: &Refusal) {
        finding.is_sighting = false;
        if let Refusal::Echo { lesson } = refusal {
            finding.lesson = Some(lesson.clone());
        }
        self.answer.n_used -= 1;
        self.answer.n_rejected += 1;
        let at = &self.told.found.source;
        self.problems.push(Problem::new(at, format!("finding not used: {refusal}")));
    }

    fn take(&mut self, mut finding: Finding) -> Result<(), EngineError> {
        if let Some(refusal) = self.echo(&finding) {
            self.note_echo(&mut finding, &refusal);
        } else if finding.is_sighting {
            self.recognize(&mut finding)?;
            self.look_for_regression(&mut finding)?;
        } else if finding.state == FindingState::Dismissed {
            let (candidates, found) = self.best_lesson(&finding)?;
            let is_same = found.relation == Relation::Same;
            finding.lesson = found.index.filter(|_| is_same).map(|i| candidates[i].clone());
        }
        self.changes.push(Change::AddFinding { finding: Box::new(finding.clone()) });
        self.findings.push(finding);
        Ok(())
    }

    /// Finds the lesson that this finding is, or starts one.
    fn recognize(&mut self, finding: &mut Finding) -> Result<(), EngineError> {
        let (candidates, found) = self.best_lesson(finding)?;
        let nearest = found.index.map(|index| candidates[index].clone());
        match (found.relation, nearest) {
            (Relation::Same, Some(id)) => self.see_again(finding, &id, found.likeness),
            (_, near) if finding.severity.creates_lessons() => {
                self.start(finding)?;
                let near = near.filter(|_| found.relation == Relation::Similar);
                self.note_similar(finding, near, found.likeness);
            }
            _ => {}
        }
        Ok(())
    }

    fn best_lesson(&mut self, finding: &Finding) -> Result<(Vec<LessonId>, Match), EngineError> {
        let terms = propose::terms_of_finding(finding);
        let search = Search { terms: terms.clone(), only_injectable: false, limit: N_PROPOSALS };
        let proposals = self.engine.store.search(&self.engine.project, &search)?;
        let corpus = self.with_pending(proposals.corpus, &terms);
        let mut candidates: BTreeSet<LessonId> = self.pending_with(&terms);
        for lesson in proposals.lessons {
            candidates.insert(lesson.id.clone());
            self.lessons.entry(lesson.id.clone()).or_insert(lesson);
        }
        let candidates: Vec<LessonId> = candidates.into_iter().collect();
        let lessons: Vec<&Lesson> = candidates.iter().map(|id| &self.lessons[id]).collect();
        let policy = &self.engine.policy.matching;
        let found = compare::best_lesson(finding, &lessons, &corpus, policy);
        Ok((candidates, found))
    }

    /// What is common, with the lessons that this step started counted in.
    fn with_pending(&self, mut corpus: Corpus, terms: &[String]) -> Corpus {
        corpus.n_texts += self.answer.new.len() as u64;
        for term in terms {
            let n_pending = self.pending.get(term).map_or(0, BTreeSet::len) as u64;
            if n_pending > 0 {
                *corpus.df.entry(term.clone()).or_default() += n_pending;
            }
        }
        corpus
    }

    /// Lessons started in this step that share enough words to be worth comparing.
    fn pending_with(&self, terms: &[String]) -> BTreeSet<LessonId> {
        let mut shared: BTreeMap<&LessonId, usize> = BTreeMap::new();
        for ids in terms.iter().filter_map(|term| self.pending.get(term)) {
            for id in ids {
                *shared.entry(id).or_default() += 1;
            }
        }
        let mut best: Vec<(usize, &LessonId)> = shared.into_iter().map(|(id, n)| (n, id)).collect();
        best.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        best.into_iter().take(N_PROPOSALS).map(|(_, id)| id.clone()).collect()
    }

    fn see_again(&mut self, finding: &mut Finding, id: &LessonId, likeness: f64) {
        finding.lesson = Some(id.clone());
        finding.likeness = likeness;
        let before = self.lessons[id].clone();
        let is_new_root = self.counted.insert(id.clone());
        let sighting = self.sighting(finding, is_new_root);
        let after = seen_again(&before, sighting, &self.engine.policy.promotion);
        let run = &self.header.run.id;
        self.update(after, &format!("seen again in {run} by {}", finding.author));
        if self.named.insert(id.clone()) {
            self.answer.matched.push(named(&before));
        }
        if before.state != self.lessons[id].state {
            let after = self.lessons[id].clone();
            let reason = format!("seen again in {}", self.header.run.id);
            let transition =
                Transition { lesson: id.clone(), from: before.state, to: after.state, reason };
            self.answer.transitions.push((named(&after), transition));
        }
        self.promote(id);
    }

    fn sighting<'s>(&'s self, finding: &'s Finding, is_new_root: bool) -> Sighting<'s> {
        Sighting {
            finding,
            run: &self.header.run,
            project: &self.engine.project,
            origin: self.told.found.origin,
            at: self.engine.now,
            is_new_root,
            is_backfill: self.header.is_backfill,
        }
    }

    fn start(&mut self, finding: &mut Finding) -> Result<(), EngineError> {
        let project = Some(&self.engine.project);
        let id = self.engine.free_id(project, Kind::Pattern, finding.text.as_str())?;
        if self.lessons.contains_key(&id) || self.engine.find_lesson(&id)?.is_some() {
            // The very same text, which likeness did not propose: still the same lesson.
            self.load(vec![id.clone()])?;
            self.see_again(finding, &id, 1.0);
            return Ok(());
        }
        finding.lesson = Some(id.clone());
        finding.likeness = 1.0;
        let policy = &self.engine.policy.promotion;
        let lesson = new_lesson(self.sighting(finding, true), id.clone(), policy);
        self.counted.insert(id.clone());
        for term in propose::terms_of_lesson(&lesson) {
            self.pending.entry(term).or_default().insert(id.clone());
        }
        self.changes.push(Change::AddLesson {
            lesson: Box::new(lesson.clone()),
            because: format!("reported by {} in {}", finding.author, finding.run),
        });
        self.answer.new.push(named(&lesson));
        self.named.insert(id.clone());
        self.lessons.insert(id.clone(), lesson);
        self.promote(&id);
        Ok(())
    }

    fn note_similar(&mut self, finding: &Finding, near: Option<LessonId>, likeness: f64) {
        let (Some(near), Some(own)) = (near, &finding.lesson) else { return };
        if near != *own {
            let pair = (named(&self.lessons[own]), named(&self.lessons[&near]), likeness);
            self.answer.similar.push(pair);
        }
    }

    fn look_for_regression(&mut self, finding: &mut Finding) -> Result<(), EngineError> {
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
        let fixed = self.engine.store.findings(&self.engine.project, &query)?;
        let earlier: Vec<&Finding> = fixed.iter().filter(|f| f.root != finding.root).collect();
        let fixed_in = self.fixed_before(finding, &earlier);
        if fixed_in.is_none() && !is_stated {
            return Ok(());
        }
        finding.state = FindingState::Regressed;
        finding.fixed_in.clone_from(&fixed_in);
        self.answer.regressions.push(Regression {
            run: finding.run.clone(),
            text: finding.text.as_str().to_owned(),
            author: finding.author.clone(),
            fixed_in,
        });
        Ok(())
    }

    /// The latest earlier run in which this finding had been fixed.
    fn fixed_before(
        &self,
        finding: &Finding,
        earlier: &[&Finding],
    ) -> Option<hardwon_core::ids::RunId> {
        let is_same = |fixed: &&&Finding| {
            let is_own = fixed.lesson.is_some() && fixed.lesson == finding.lesson;
            let is_alike = || {
                let policy = &self.engine.policy.matching;
                compare::same_text(finding.text.as_str(), fixed.text.as_str(), policy).is_some()
            };
            is_own || fixed.signature == finding.signature || is_alike()
        };
        earlier.iter().rev().find(is_same).map(|fixed| fixed.run.clone())
    }

    pub fn promote(&mut self, id: &LessonId) {
        // A sighting only ever confirms a candidate; what helped is credit's business.
        let lesson = &self.lessons[id];
        let policy = &self.engine.policy.promotion;
        let is_candidate = lesson.state == State::Candidate;
        let transition = lifecycle::promotion(lesson, &[], policy);
        if let Some(transition) = transition.filter(|_| is_candidate) {
            self.transition(transition);
        }
    }

    /// Moves a lesson to another state.
    pub fn transition(&mut self, transition: Transition) {
        let after = transition.applied(&self.lessons[&transition.lesson], self.engine.now);
        let because = transition.reason.clone();
        self.answer.transitions.push((named(&after), transition));
        self.update(after, &because);
    }

    /// Replaces a lesson by its next version.
    pub fn update(&mut self, after: Lesson, because: &str) {
        let before = &self.lessons[&after.id];
        if let Some(change) = Change::edit_lesson(before, &after, because) {
            self.changes.push(change);
            self.lessons.insert(after.id.clone(), after);
        }
    }

    pub fn finish(mut self) -> (Vec<Change>, (RunLearned, Vec<Problem>)) {
        self.answer.is_known = self.changes.is_empty() && self.header.before.is_some();
        self.answer.is_backfill &= !self.answer.is_known;
        (self.changes, (self.answer, self.problems))
    }
}

/// Lessons that this root run was already counted for.
fn counted(header: &Header) -> BTreeSet<LessonId> {
    let sightings = header.tree.findings.iter().filter(|finding| finding.is_sighting);
    sightings.filter_map(|finding| finding.lesson.clone()).collect()
}

fn empty_answer(found: &hardwon_core::find::FoundRun, is_backfill: bool) -> RunLearned {
    RunLearned {
        run: found.id.clone(),
        is_known: false,
        is_backfill,
        n_read: 0,
        n_used: 0,
        n_rejected: 0,
        new: Vec::<Named>::new(),
        matched: Vec::new(),
        transitions: Vec::new(),
        effects: Vec::new(),
        regressions: Vec::new(),
        similar: Vec::new(),
    }
}
