//! One bounded piece of agent work that ends. A *root run* has no parent; promotion,
//! decay and the run number count root runs of one project.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::ended::{CheckResult, CutBy, Ended};
use crate::episode::Episode;
use crate::finding::{Finding, FindingKey, FindingState, Grade, Place, Severity};
use crate::ids::RunId;
use crate::text::Text;
use crate::time::Timestamp;
use crate::vocabulary::vocabulary;

/// What a tag begins with that names a surface which a run is about. Tags are also a lesson's,
/// where its findings had them; surfaces are not.
pub const SURFACE: &str = "surface:";

vocabulary! {
    /// What sort of work a run was.
    RunKind {
        Orchestrator = "orchestrator",
        Subagent = "subagent",
        Healer = "healer",
        Review = "review",
        Ci = "ci",
        Session = "session",
        Other = "other",
    }
}

vocabulary! {
    /// How a run ended.
    Outcome {
        Success = "success",
        Partial = "partial",
        Failed = "failed",
        Aborted = "aborted",
    }
}

impl Outcome {
    /// What the end of a session makes of it: who cut it short goes before what was checked.
    ///
    /// ```
    /// use hardwon_core::ended::{CheckResult, CutBy, Ended};
    /// use hardwon_core::run::Outcome;
    ///
    /// let green = Ended { check: Some(CheckResult::Green), ..Ended::default() };
    /// assert_eq!(Outcome::of(&green), Some(Outcome::Success));
    /// let cut = Ended { cut_by: Some(CutBy::User), ..green };
    /// assert_eq!(Outcome::of(&cut), Some(Outcome::Aborted));
    /// assert_eq!(Outcome::of(&Ended::default()), None);
    /// ```
    pub fn of(ended: &Ended) -> Option<Outcome> {
        match (ended.cut_by, ended.check) {
            (Some(CutBy::User), _) => Some(Outcome::Aborted),
            (Some(CutBy::Host), _) => Some(Outcome::Failed),
            (None, Some(CheckResult::Green)) => Some(Outcome::Success),
            (None, Some(CheckResult::Red)) => Some(Outcome::Failed),
            (None, None) => None,
        }
    }
}

vocabulary! {
    /// What a reviewer thought of the work of a run.
    Judgement {
        /// It passed, and something that was run or cited shows it.
        Passed = "passed",
        /// It passed, and nothing shows it but reasoning.
        Unproven = "unproven",
        Failed = "failed",
    }
}

/// A run as memory knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Unique within the project.
    pub id: RunId,
    /// The run that contains this one.
    pub parent: Option<RunId>,
    /// The topmost run of the tree; itself for a root run.
    pub root: RunId,
    /// Place of the root run among the project's learned root runs, from 1. `None`
    /// while only its outcome or an injection is known, and for a backfill.
    pub number: Option<u64>,
    /// Whether its record was read; false when only an outcome was stated.
    pub is_learned: bool,
    /// Whether its root run was counted for decay when this run was learned: once for
    /// each root run, with the last of its runs that one call brings.
    pub is_counted: bool,
    pub kind: RunKind,
    pub role: Option<String>,
    pub agent: Option<String>,
    pub task: Option<String>,
    pub domain: Option<String>,
    /// As its record states it.
    pub started: Option<Timestamp>,
    /// As its record states it.
    pub finished: Option<Timestamp>,
    pub outcome: Option<Outcome>,
    /// Roles and tools that looked at the work, whether or not they found anything.
    pub detectors: BTreeSet<String>,
    /// Detectors whose whole verdict was reasoning, without execution or citation.
    pub reasoned_only: BTreeSet<String>,
    /// The last word of each reviewer who gave a verdict.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub judgements: BTreeMap<String, Judgement>,
    pub paths: BTreeSet<String>,
    pub tools: BTreeSet<String>,
    pub tags: BTreeSet<String>,
    /// What its record says beyond that.
    #[serde(default, skip_serializing_if = "Episode::is_empty")]
    pub episode: Episode,
    /// When it was first recorded.
    pub recorded_at: Timestamp,
}

impl Run {
    /// Its tags but those that name surfaces.
    pub fn plain_tags(&self) -> impl Iterator<Item = &String> {
        self.tags.iter().filter(|tag| !tag.starts_with(SURFACE))
    }

    pub fn surfaces(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().filter_map(|tag| tag.strip_prefix(SURFACE))
    }

    /// Whether a host kept it, and it was learned before its messages were: nobody knows then of what
    /// it is a copy.
    pub fn is_of_unknown_messages(&self) -> bool {
        let is_session = self.kind == RunKind::Session && self.is_learned;
        is_session && self.episode.is_witnessed && self.episode.messages.is_empty()
    }

    /// An open finding that was seen in this run; nothing else is known of it yet.
    pub fn new_finding(
        &self,
        author: String,
        signature: String,
        text: Text,
        place: Option<Place>,
    ) -> Finding {
        Finding {
            key: FindingKey::of(&author, &signature, text.as_str(), place.as_ref()),
            run: self.id.clone(),
            root: self.root.clone(),
            author,
            severity: Severity::Info,
            category: None,
            rule: None,
            text,
            place,
            grade: None,
            signature,
            state: FindingState::Open,
            is_sighting: true,
            lesson: None,
            likeness: 0.0,
            fixed_in: None,
            repair: None,
            ruled_by: None,
            quote: None,
        }
    }

    /// Whether it was over then; one whose record states no time is not known to be.
    pub fn ended_by(&self, at: Timestamp) -> bool {
        self.finished.or(self.started).is_some_and(|end| end <= at)
    }

    /// When it began, as far as that is known.
    pub fn began(&self) -> Timestamp {
        self.started.or(self.finished).unwrap_or(self.recorded_at)
    }

    /// A run of which only the id is known.
    pub fn stub(id: RunId, recorded_at: Timestamp) -> Self {
        Run {
            root: id.clone(),
            id,
            parent: None,
            number: None,
            is_learned: false,
            is_counted: false,
            kind: RunKind::Other,
            role: None,
            agent: None,
            task: None,
            domain: None,
            started: None,
            finished: None,
            outcome: None,
            detectors: BTreeSet::new(),
            reasoned_only: BTreeSet::new(),
            judgements: BTreeMap::new(),
            paths: BTreeSet::new(),
            tools: BTreeSet::new(),
            tags: BTreeSet::new(),
            episode: Episode::default(),
            recorded_at,
        }
    }

    /// Whether a detector's clean verdict is worth something: it ran, and its verdict
    /// was not mere reasoning.
    pub fn grade_of(&self, detector: &str) -> Option<Grade> {
        let is_it = |name: &String| name.eq_ignore_ascii_case(detector);
        let ran = self.detectors.iter().any(is_it);
        ran.then(
            || if self.reasoned_only.iter().any(is_it) { Grade::Reasoned } else { Grade::Cited },
        )
    }

    /// Who only reasoned: the newer record decides for every detector it names.
    fn reasoned_with(&self, newer: &Run) -> BTreeSet<String> {
        let still = self.reasoned_only.difference(&newer.detectors);
        still.chain(&newer.reasoned_only).cloned().collect()
    }

    /// Whether nobody stated its outcome: it is what its record shows.
    fn is_outcome_by_record(&self) -> bool {
        self.episode.ended.as_ref().is_some_and(|ended| Outcome::of(ended) == self.outcome)
    }

    /// The outcome that stays, whatever a newer record shows. What only a record showed gives way to
    /// what is stated.
    pub fn settled_outcome(&self, newer: &Run) -> Option<Outcome> {
        let gives_way = self.is_outcome_by_record() && !newer.is_outcome_by_record();
        self.outcome.filter(|_| !gives_way)
    }

    /// Whether its outcome was only what the record showed before more was done.
    fn was_reopened_by(&self, newer: &Run) -> bool {
        self.is_outcome_by_record() && newer.episode.goes_beyond(&self.episode)
    }

    /// What is known together from two records of the same run: the newer statement
    /// wins where both say something, sets are united, nothing is forgotten.
    pub fn merged(&self, newer: &Run) -> Run {
        let or = |new: &Option<String>, old: &Option<String>| new.clone().or(old.clone());
        let union = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.union(b).cloned().collect();
        let kind = match newer.kind {
            RunKind::Other => self.kind,
            stated => stated,
        };
        Run {
            id: self.id.clone(),
            parent: newer.parent.clone().or(self.parent.clone()),
            root: if newer.parent.is_some() { newer.root.clone() } else { self.root.clone() },
            number: self.number.or(newer.number),
            is_learned: self.is_learned || newer.is_learned,
            is_counted: self.is_counted || newer.is_counted,
            kind,
            role: or(&newer.role, &self.role),
            agent: or(&newer.agent, &self.agent),
            task: or(&newer.task, &self.task),
            domain: or(&newer.domain, &self.domain),
            started: newer.started.or(self.started),
            finished: newer.finished.or(self.finished),
            outcome: newer.outcome.or(self.outcome.filter(|_| !self.was_reopened_by(newer))),
            detectors: union(&self.detectors, &newer.detectors),
            reasoned_only: self.reasoned_with(newer),
            judgements: self
                .judgements
                .clone()
                .into_iter()
                .chain(newer.judgements.clone())
                .collect(),
            paths: union(&self.paths, &newer.paths),
            tools: union(&self.tools, &newer.tools),
            tags: union(&self.tags, &newer.tags),
            episode: self.episode.merged(&newer.episode),
            recorded_at: self.recorded_at,
        }
    }
}
