//! One run, learned: findings pass the gate, are matched, and change lessons. Collects
//! the changes of the run; nothing is written before all of it is decided.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tombstone};
use hardwon_core::event::Problem;
use hardwon_core::find::FoundFinding;
use hardwon_core::finding::{Finding, FindingKey, FindingState, Grade};
use hardwon_core::gate::admit;
use hardwon_core::gate::{Refusal, ShownLesson, echo_of};
use hardwon_core::grade;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, Origin, State};
use hardwon_core::lifecycle::{self, Present, Transition};
use hardwon_core::matching::Relation;
use hardwon_core::matching::compare;
use hardwon_core::observe;
use hardwon_core::propose::Pending;
use hardwon_core::reflect::Candidate;
use hardwon_core::run::Run;
use hardwon_render::answer::{FindingCounts, RunLearned};
use hardwon_store::working_tree::cited_file;
use hardwon_store::{ProjectStatus, Revision};

use super::header::{Header, RunInput};
use super::named;
use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// A candidate while it is taken, in one of the runs that show it.
#[derive(Clone)]
pub(super) struct Reflecting {
    pub candidate: Candidate,
    pub run: Run,
    /// The least that any of its evidence is believed.
    pub channel: Origin,
}

/// What became of a run, and what could not be used of it.
pub(super) type Told = (RunLearned, Vec<Problem>);

pub(super) struct Step<'a> {
    pub memory: &'a Memory,
    pub call: &'a Call,
    pub input: &'a RunInput<'a>,
    pub header: Header,
    pub changes: Vec<Change>,
    pub problems: Vec<Problem>,
    pub answer: RunLearned,
    /// Lessons as they are after the changes so far.
    pub lessons: BTreeMap<LessonId, Lesson>,
    /// Lessons that this step started: the store cannot propose those yet.
    pub pending: Pending,
    /// Findings of this run that are new.
    pub findings: Vec<Finding>,
    /// Those that its record rules false.
    dismissed: Vec<Finding>,
    shown: Vec<ShownLesson>,
    /// Root runs that already count for a lesson.
    pub counted: BTreeSet<(RunId, LessonId)>,
    /// What a reflection says, while it is being taken.
    pub reflecting: Option<Reflecting>,
    /// Lessons that the answer already names as new or matched.
    pub named: BTreeSet<LessonId>,
    /// Findings of somebody who is not part of this project.
    pub foreign: BTreeSet<FindingKey>,
    /// Findings in the words of a person.
    pub by_people: BTreeSet<FindingKey>,
    /// Marks of what must not come back.
    pub forgotten: Vec<Tombstone>,
    /// At which it decides.
    revision: Revision,
}

impl<'a> Step<'a> {
    /// Nothing is recorded yet: for statements about a known run.
    pub fn look(
        memory: &'a Memory,
        call: &'a Call,
        status: &'a ProjectStatus,
        input: &'a RunInput<'a>,
    ) -> Result<Step<'a>> {
        let mut problems = Vec::new();
        let mut header = Header::read(memory, call, status, input, &mut problems)?;
        let n = input.found.n_put_aside;
        Ok(Step {
            memory,
            call,
            input,
            answer: RunLearned {
                is_backfill: header.is_backfill,
                findings: FindingCounts { n_read: n, n_used: 0, n_rejected: n },
                ..RunLearned::nothing(input.found.id.clone())
            },
            counted: std::mem::take(&mut header.tree.counted),
            reflecting: None,
            named: BTreeSet::new(),
            header,
            changes: Vec::new(),
            problems,
            lessons: BTreeMap::new(),
            pending: Pending::default(),
            findings: Vec::new(),
            dismissed: Vec::new(),
            shown: Vec::new(),
            foreign: BTreeSet::new(),
            by_people: BTreeSet::new(),
            forgotten: memory.store.tombstones(&call.project)?,
            revision: status.revision,
        })
    }

    /// Records the run, and looks up what had been shown to it.
    pub fn begin(&mut self) -> Result<()> {
        self.record_run();
        self.read_shown()
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
    fn read_shown(&mut self) -> Result<()> {
        let shown = std::mem::take(&mut self.header.tree.shown);
        self.load(shown.keys().cloned().collect())?;
        for (id, roles) in &shown {
            // A lesson whose learning was undone since is not there any more.
            if let Some(lesson) = self.lessons.get(id) {
                let (text, roles) = (lesson.text.as_str().to_owned(), roles.iter().cloned());
                self.shown.push(ShownLesson { lesson: id.clone(), text, roles: roles.collect() });
            }
        }
        self.header.tree.shown = shown;
        Ok(())
    }

    /// Reads lessons that are not at hand yet.
    pub fn load(&mut self, ids: Vec<LessonId>) -> Result<()> {
        let missing: Vec<LessonId> =
            ids.into_iter().filter(|id| !self.lessons.contains_key(id)).collect();
        for lesson in lookup::lessons_with(self.memory, &self.call.project, missing)? {
            self.lessons.insert(lesson.id.clone(), lesson);
        }
        Ok(())
    }

    /// Takes every finding of the record that is not known yet, and what became of those
    /// that are.
    pub fn take_findings(&mut self) -> Result<()> {
        let mut admitted = self.admitted();
        admitted.extend(self.admitted_suggestions());
        // What is ruled false is known before anybody reports it once more.
        let dismissed = admitted.iter().filter(|it| it.state == FindingState::Dismissed);
        self.dismissed = dismissed.cloned().collect();
        for finding in admitted {
            if let Some(mark) = self.forgotten.iter().find(|mark| mark.covers(&finding)) {
                // What was forgotten for good does not come back by being found again.
                let refusal = Refusal::Forgotten { at: mark.at };
                self.drop_admitted(&refusal);
                continue;
            }
            match self.header.tree.finding(&finding.run, &finding.key) {
                Some(_) => self.follow_up(finding),
                None => self.take(finding)?,
            }
        }
        Ok(())
    }

    /// The findings of the record that pass the gate, each once: of one that is
    /// reported several times, the last state counts.
    fn admitted(&mut self) -> Vec<Finding> {
        let mut admitted: Vec<Finding> = Vec::new();
        let mut places: BTreeMap<FindingKey, usize> = BTreeMap::new();
        for found in &self.input.found.findings {
            self.answer.findings.n_read += 1;
            let finding = match admit::finding(&self.memory.gate, found, &self.header.run) {
                Ok(finding) => self.checked(found, finding),
                Err(refusal) => {
                    self.answer.findings.n_rejected += 1;
                    let reason = format!("finding not used: {refusal}");
                    self.problems.push(Problem::new(&found.source, reason));
                    continue;
                }
            };
            match places.get(&finding.key) {
                Some(&place) => {
                    admitted[place].state = finding.state;
                    admitted[place].ruled_by = finding.ruled_by;
                    admitted[place].is_sighting &= finding.state != FindingState::Dismissed;
                }
                None => {
                    places.insert(finding.key.clone(), admitted.len());
                    admitted.push(finding);
                }
            }
            self.answer.findings.n_used += 1;
        }
        admitted
    }

    /// An agent's citation counts if the working tree bears it out, where one is at hand.
    fn checked(&mut self, found: &FoundFinding, finding: Finding) -> Finding {
        self.by_people.extend(found.stated.is_persons.then(|| finding.key.clone()));
        if found.stated.is_foreign {
            self.foreign.insert(finding.key.clone());
        }
        let is_claim = self.channel() == Origin::Agent && finding.grade == Some(Grade::Cited);
        let Some(tree) = self.call.identity.tree().filter(|_| is_claim) else { return finding };
        if grade::is_borne_out(&found.stated, &|path| cited_file(tree, path)) {
            return finding;
        }
        let reason = "cites what the working tree does not have; taken as reasoned";
        self.problems.push(Problem::new(&found.source, reason));
        Finding { grade: Some(Grade::Reasoned), ..finding }
    }

    /// More about a finding that is known: it was fixed, or ruled false.
    fn follow_up(&mut self, now: Finding) {
        let Some(known) = self.header.tree.finding(&now.run, &now.key) else { return };
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
        known.fixed_in.clone_from(&now.fixed_in);
        known.ruled_by.clone_from(&now.ruled_by);
        known.is_sighting &= now.state != FindingState::Dismissed;
        let after = Box::new(known.clone());
        self.changes.push(Change::EditFinding { before, after });
    }

    /// Whether a finding only gives our own words back.
    fn echo(&self, finding: &Finding) -> Option<Refusal> {
        // What was run and what tools printed are nobody's words.
        let is_shown = observe::needs_agreement(finding, Origin::Agent);
        if is_shown && self.header.run.episode.is_witnessed {
            return None;
        }
        let origin = self.speaker(finding);
        let policy = &self.memory.policy.matching;
        let text = finding.text.as_str();
        let is_near_copy = |shown: &str| compare::same_text(text, shown, policy).is_some();
        echo_of(finding, origin, &self.shown, is_near_copy).filter(|_| finding.is_sighting)
    }

    /// The finding of this root run that was ruled false and says the same.
    fn dismissed_before(&self, finding: &Finding) -> Option<&Finding> {
        let known = self.header.tree.findings.iter().chain(&self.dismissed);
        let policy = &self.memory.policy.matching;
        finding.is_sighting.then(|| compare::dismissed_before(finding, known, policy)).flatten()
    }

    /// Counts an admitted finding as rejected after all.
    fn drop_admitted(&mut self, refusal: &Refusal) {
        self.answer.findings.n_used -= 1;
        self.answer.findings.n_rejected += 1;
        let source = &self.input.found.source;
        self.problems.push(Problem::new(source, format!("finding not used: {refusal}")));
    }

    fn take(&mut self, mut finding: Finding) -> Result<()> {
        // In the journal a finding stands before what it did to its lesson.
        let place = self.changes.len();
        if let Some(refusal) = self.echo(&finding) {
            // An echo is kept, so that its author's silence is not taken for success.
            finding.is_sighting = false;
            if let Refusal::Echo { lesson } = &refusal {
                finding.lesson = Some(lesson.clone());
            }
            self.drop_admitted(&refusal);
        } else if let Some(known) = self.dismissed_before(&finding).cloned() {
            finding.state = FindingState::Dismissed;
            finding.is_sighting = false;
            (finding.lesson, finding.likeness) = (known.lesson, known.likeness);
            finding.ruled_by = known.ruled_by;
            self.drop_admitted(&Refusal::Dismissed { author: known.author });
        } else if finding.is_sighting {
            self.recognize(&mut finding)?;
            self.look_for_regression(&mut finding)?;
        } else if finding.state == FindingState::Dismissed {
            let (candidates, found) = self.best_lesson(&finding)?;
            let is_same = found.relation == Relation::Same;
            finding.lesson = found.index.filter(|_| is_same).map(|i| candidates[i].clone());
            if finding.lesson.is_some() {
                finding.likeness = (found.likeness * 1000.0).round() / 1000.0;
            }
        }
        self.changes.insert(place, Change::AddFinding { finding: Box::new(finding.clone()) });
        self.findings.push(finding);
        Ok(())
    }

    pub fn promote(&mut self, id: &LessonId) -> Result<()> {
        // A sighting only ever confirms a candidate; what helped is credit's business.
        let lesson = &self.lessons[id];
        let policy = &self.memory.policy.promotion;
        let is_candidate = lesson.state == State::Candidate;
        let transition = lifecycle::promotion(lesson, &[], policy);
        if let Some(transition) = transition.filter(|_| is_candidate) {
            self.transition(transition);
            self.doubt_clashing(id)?;
        }
        Ok(())
    }

    /// The clock, and the project's newest run.
    pub fn present(&self) -> Present {
        let run_number = self.header.run.number.unwrap_or(self.header.newest_number);
        Present { at: self.call.now, run_number }
    }

    /// Moves a lesson to another state.
    pub fn transition(&mut self, transition: Transition) {
        let now = self.present();
        let lesson = &self.lessons[&transition.lesson];
        let after = lifecycle::entered(lesson, &transition, now, &self.memory.policy.review);
        let because = transition.reason.clone();
        self.answer.add_transition(named(&after), &transition);
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

    pub fn finish(mut self) -> (Vec<Change>, Told) {
        self.answer.is_known = self.changes.is_empty() && self.header.before.is_some();
        self.answer.is_backfill &= !self.answer.is_known;
        self.header.tree.counted = self.counted;
        self.header.tree.apply(&self.changes, self.revision, &self.lessons);
        self.input.kept.set(Some(self.header.tree));
        (self.changes, (self.answer, self.problems))
    }
}
