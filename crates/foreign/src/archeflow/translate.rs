//! An ArcheFlow record as a lesson, and a lesson as an ArcheFlow record. Every text
//! passes the gate on the way in. The way out knows only the fields that ArcheFlow has;
//! a record is changed only where the way there and back says something else than the
//! lesson does, so what is lost in translation is not lost in the file.

use std::collections::BTreeSet;

use super::remembered::Remembered;
use hardwon_core::digest::sha256;
use hardwon_core::effect::EffectCounts;
use hardwon_core::finding::Severity;
use hardwon_core::foreign::ArcheflowLesson;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::learn::confidence_by_sightings;
use hardwon_core::lesson::{Arms, Guidance, Kind, Lesson, Origin, State, Trust, Unseen, Upkeep};
use hardwon_core::policy::Policy;
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;
use hardwon_readers::{System, archeflow_number, from_foreign, to_foreign};

/// What ArcheFlow writes where no run or reviewer is behind a lesson.
const MANUAL: &str = "manual";
const USER: &str = "user_feedback";
const GENERAL: &str = "general";

/// In which file a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Lessons,
    Archive,
}

/// What translation depends on besides the record.
#[derive(Clone, Copy)]
pub(super) struct Translator<'a> {
    pub gate: &'a Remembered,
    pub policy: &'a Policy,
    pub project: &'a ProjectId,
    pub now: Timestamp,
    /// Number of the newest run that was counted for decay.
    pub counted: u64,
}

impl Translator<'_> {
    /// The lesson that a record states; `None` if nothing is left of its text.
    pub fn lesson(
        &self,
        record: &ArcheflowLesson,
        place: Place,
        is_taken: impl FnMut(&LessonId) -> bool,
    ) -> Option<Lesson> {
        let text = self.gate.line(&record.description);
        let (kind, category) = self.kind(&record.kind);
        let id = LessonId::derive(Some(self.project), kind.word(), text.as_str(), is_taken);
        let is_stated = record.source == USER;
        let severity = Severity::fold(&record.severity).unwrap_or(Severity::Warning);
        // Who states a lesson has not seen it.
        let n_sightings = record.frequency.saturating_sub(u32::from(is_stated));
        let confidence = confidence_by_sightings(record.frequency, &self.policy.promotion);
        let author = self.gate.word(&record.source).unwrap_or_else(|| "unknown".to_owned());
        let at = record.ts.unwrap_or(self.now);
        (!text.as_str().is_empty()).then(|| Lesson {
            id,
            project: Some(self.project.clone()),
            kind,
            category,
            text,
            scope: self.scope(record),
            tags: self.gate.tags(&record.tags),
            paths: Vec::new(),
            severity,
            state: self.state(record, kind, place),
            importance: severity.importance(),
            base_confidence: confidence,
            confidence,
            n_sightings,
            standing: record.frequency,
            last_seen_run: self.run(&record.last_seen_run),
            unseen: self.unseen(record),
            detectors: BTreeSet::from_iter((!is_stated).then(|| author.clone())),
            grade: None,
            effects: EffectCounts::default(),
            is_pinned: false,
            author,
            origin: if is_stated { Origin::User } else { Origin::Reviewer },
            trust: Trust::Pipeline,
            aliases: Vec::from_iter(self.alias(&record.id)),
            signatures: Vec::new(),
            extra: None,
            upkeep: Upkeep::default(),
            reviews: Vec::new(),
            superseded_by: None,
            arms: Arms::default(),
            guidance: Guidance::default(),
            created_at: at,
            updated_at: at,
        })
    }

    /// A run id as memory may keep it: one that looks like a secret is known by its digest.
    pub fn run(&self, text: &str) -> Option<RunId> {
        let run = RunId::parse(text).ok()?;
        let is_plain = self.gate.word(text).is_some_and(|word| word == text);
        Some(if is_plain { run } else { RunId::derived(&sha256(&[text])) })
    }

    /// What a record's id is called here; `None` if it has none.
    pub fn alias(&self, id: &str) -> Option<String> {
        match archeflow_number(id) {
            Some(_) => Some(id.to_owned()),
            None => self.gate.word(id),
        }
    }

    fn kind(&self, word: &str) -> (Kind, Option<String>) {
        match from_foreign(System::Archeflow, word) {
            Some((kind, category)) => (kind, category.map(str::to_owned)),
            None => (Kind::Pattern, self.gate.word(word)),
        }
    }

    fn scope(&self, record: &ArcheflowLesson) -> Scope {
        let domain = Some(record.domain.as_str()).filter(|domain| *domain != GENERAL);
        let pairs = [(Dimension::Domain, domain), (Dimension::Role, record.archetype.as_deref())];
        let mut scope = Scope::default();
        for (dimension, value) in pairs {
            if let Some(value) = value.and_then(|value| self.gate.word(value)) {
                scope.0.insert(dimension, value);
            }
        }
        scope
    }

    fn state(&self, record: &ArcheflowLesson, kind: Kind, place: Place) -> State {
        match place {
            Place::Archive if record.frequency == 0 => State::Decayed,
            Place::Archive => State::Archived,
            Place::Lessons if kind == Kind::Preference => State::Provisional,
            Place::Lessons if record.frequency >= self.policy.promotion.provisional_at => {
                State::Provisional
            }
            Place::Lessons => State::Candidate,
        }
    }

    /// However often ArcheFlow forgot to take one off, the next run takes off one.
    fn unseen(&self, record: &ArcheflowLesson) -> Unseen {
        let last = self.policy.decay.runs_per_step.saturating_sub(1);
        Unseen { n_runs: record.runs_since_last_seen.min(last), checked_at: self.counted }
    }

    /// What ArcheFlow's files can say of a lesson.
    pub fn record(&self, lesson: &Lesson) -> ArcheflowLesson {
        let last_seen = lesson.last_seen_run.as_ref().map_or("", RunId::as_str);
        let is_stated = lesson.origin == Origin::User || lesson.author == USER;
        let scope = |dimension| lesson.scope.0.get(&dimension).cloned();
        ArcheflowLesson {
            id: foreign_id(lesson).unwrap_or_default().to_owned(),
            ts: Some(Timestamp(lesson.updated_at.0.div_euclid(1000) * 1000)),
            run_id: match (last_seen, lesson.detectors.is_empty()) {
                ("", true) => MANUAL.to_owned(),
                (run, _) => run.to_owned(),
            },
            kind: foreign_kind(lesson).to_owned(),
            source: if is_stated { USER.to_owned() } else { lesson.author.clone() },
            description: lesson.text.as_str().to_owned(),
            frequency: lesson.standing,
            severity: lesson.severity.word().to_owned(),
            domain: scope(Dimension::Domain).unwrap_or_else(|| GENERAL.to_owned()),
            tags: lesson.tags.clone(),
            archetype: scope(Dimension::Role),
            last_seen_run: last_seen.to_owned(),
            runs_since_last_seen: self.n_unseen(lesson),
        }
    }

    /// Unseen runs, with those counted in that nobody had to look at yet.
    fn n_unseen(&self, lesson: &Lesson) -> u32 {
        let Unseen { n_runs, checked_at } = lesson.unseen;
        match lesson.kind.decays() {
            true => n_runs.saturating_add(self.counted.saturating_sub(checked_at) as u32),
            false => n_runs,
        }
    }

    /// What a record says, and what it would have to say to state the lesson as it is
    /// now, in the same words: they differ exactly where the record is out of date.
    pub fn compared(
        &self,
        record: &ArcheflowLesson,
        place: Place,
        lesson: &Lesson,
    ) -> Option<(ArcheflowLesson, ArcheflowLesson)> {
        let stated = self.lesson(record, place, |_| false)?;
        let (mut from, mut to) = (self.record(&stated), self.record(lesson));
        let as_set = |tags: &[String]| tags.iter().cloned().collect::<BTreeSet<String>>();
        if as_set(&from.tags) == as_set(&to.tags) {
            to.tags.clone_from(&from.tags);
        }
        if lesson.text.body().is_none() {
            // A text that is lost is no reason to lose it in the file too.
            to.description.clone_from(&from.description);
        }
        // Who first said it does not change.
        to.source.clone_from(&from.source);
        if record.ts.is_none() {
            // A record without a time says nothing about it, until something else changes.
            let now = std::mem::replace(&mut to.ts, from.ts);
            if from != to {
                to.ts = now;
                from.ts = None;
            }
        }
        Some((from, to))
    }

    /// The lesson after somebody else changed its record.
    pub fn adopted(&self, record: &ArcheflowLesson, place: Place, lesson: &Lesson) -> Lesson {
        let stated = self.lesson(record, place, |_| false);
        let (Some((theirs, ours)), Some(stated)) = (self.compared(record, place, lesson), stated)
        else {
            return lesson.clone();
        };
        let mut next = lesson.clone();
        if theirs.description != ours.description || lesson.text.body().is_none() {
            next.text = stated.text;
        }
        if theirs.kind != ours.kind {
            (next.kind, next.category) = (stated.kind, stated.category);
        }
        if theirs.severity != ours.severity {
            (next.severity, next.importance) = (stated.severity, stated.importance);
        }
        if (&theirs.domain, &theirs.archetype) != (&ours.domain, &ours.archetype) {
            next.scope = stated.scope;
        }
        if theirs.tags != ours.tags {
            next.tags = stated.tags;
        }
        if theirs.last_seen_run != ours.last_seen_run {
            next.last_seen_run = stated.last_seen_run;
        }
        if theirs.frequency != ours.frequency {
            let n_more = theirs.frequency.saturating_sub(ours.frequency);
            next.n_sightings = next.n_sightings.saturating_add(n_more);
            next.standing = theirs.frequency;
        }
        if theirs.runs_since_last_seen != ours.runs_since_last_seen {
            next.unseen = stated.unseen;
        }
        if theirs.ts != ours.ts {
            next.updated_at = stated.updated_at;
        }
        next.state = self.adopted_state(&next, stated.state, place);
        next
    }

    /// ArcheFlow knows no state but the file and the number.
    fn adopted_state(&self, lesson: &Lesson, stated: State, place: Place) -> State {
        match (place, lesson.state) {
            (Place::Archive, state) if !has_row(state) => lesson.state,
            (Place::Archive, _) => stated,
            (Place::Lessons, State::Canonical | State::Stable | State::Provisional) => lesson.state,
            (Place::Lessons, State::Candidate) if lesson.is_wish() => lesson.state,
            (Place::Lessons, State::Candidate | State::Decayed | State::Archived) => stated,
            // Who puts a record back into the file takes a decision back.
            (Place::Lessons, State::UnderReview | State::Superseded | State::Rejected) => stated,
            (Place::Lessons, State::Quarantined) => lesson.state,
        }
    }
}

/// Whether a lesson in this state stands in `lessons.jsonl`.
pub(crate) fn has_row(state: State) -> bool {
    // What must not be shown must not be where ArcheFlow's own script finds it.
    state.is_on_ladder()
}

/// ArcheFlow's type for a lesson. Its script shows every preference at once, so what may
/// not be shown yet is not called one.
fn foreign_kind(lesson: &Lesson) -> &'static str {
    match to_foreign(System::Archeflow, lesson.kind, lesson.category.as_deref()) {
        "preference" if lesson.state == State::Candidate && !lesson.is_injectable() => "pattern",
        word => word,
    }
}

/// The id that ArcheFlow knows a lesson by.
pub(super) fn foreign_id(lesson: &Lesson) -> Option<&str> {
    let numbered = lesson.aliases.iter().find(|alias| archeflow_number(alias).is_some());
    numbered.or(lesson.aliases.first()).map(String::as_str)
}

/// Each once, in order of first appearance.
pub(super) fn unique(tags: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    tags.into_iter().filter(|tag| seen.insert(tag.clone())).collect()
}
