//! One explicit statement with scope, evidence and state: what memory is made of.

mod carried;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::digest::{hex, sha256};
use crate::effect::{EffectCounts, is_default};
use crate::finding::{Grade, Severity};
use crate::ids::{LessonId, ProjectId, RunId};
use crate::scope::{Dimension, Scope};
use crate::text::Text;
use crate::time::Timestamp;
use crate::vocabulary::vocabulary;
pub use carried::Carried;

vocabulary! {
    /// What sort of lesson it is. `category` carries any finer name.
    Kind {
        Preference = "preference",
        Pattern = "pattern",
        AntiPattern = "anti_pattern",
        Hint = "hint",
        Rule = "rule",
        Precedent = "precedent",
        Fact = "fact",
    }
}

impl Kind {
    /// Preferences and rules are what a person wants, not an observation: time does not
    /// make them less true.
    pub fn decays(self) -> bool {
        !matches!(self, Kind::Preference | Kind::Rule)
    }

    /// Whether the same text under two kinds is one statement: a hint is a pattern that
    /// only one role reports so far.
    pub fn is_alike(self, other: Kind) -> bool {
        let is_observed = |kind| matches!(kind, Kind::Pattern | Kind::Hint);
        self == other || is_observed(self) && is_observed(other)
    }
}

vocabulary! {
    /// Place in the lifecycle.
    State {
        Candidate = "candidate",
        Provisional = "provisional",
        Stable = "stable",
        Canonical = "canonical",
        /// In doubt: in no block until a review decides.
        UnderReview = "under_review",
        Decayed = "decayed",
        /// Replaced by another lesson.
        Superseded = "superseded",
        Archived = "archived",
        /// A review decided that it is wrong or useless.
        Rejected = "rejected",
        /// Came from outside, and no person has approved it yet.
        Quarantined = "quarantined",
    }
}

impl State {
    /// Whether a lesson in this state is put away: listed only when asked for.
    pub fn is_put_away(self) -> bool {
        matches!(self, State::Archived | State::Superseded | State::Rejected)
    }

    /// Whether it is one of the steps from candidate to canonical: not put away, not decayed,
    /// not waiting for a decision.
    pub fn is_on_ladder(self) -> bool {
        self == State::Candidate || self.is_active()
    }

    /// Whether a lesson in this state has been confirmed and may be shown.
    pub fn is_active(self) -> bool {
        matches!(self, State::Provisional | State::Stable | State::Canonical)
    }
}

vocabulary! {
    /// The channel by which a lesson came in; set by us, never by the text itself.
    Origin {
        User = "user",
        Reviewer = "reviewer",
        Agent = "agent",
        /// Files from outside.
        Import = "import",
        /// What people of a team approved for all of them.
        Team = "team",
    }
}

impl Origin {
    /// How far a channel is believed.
    pub fn trust(self) -> Trust {
        match self {
            Origin::User => Trust::Trusted,
            Origin::Reviewer => Trust::Pipeline,
            Origin::Agent => Trust::Claimed,
            Origin::Import | Origin::Team => Trust::Foreign,
        }
    }
}

vocabulary! {
    /// How far a lesson is believed, least first: what is derived from several takes
    /// the lowest.
    Trust {
        Foreign = "foreign",
        Claimed = "claimed",
        Pipeline = "pipeline",
        Trusted = "trusted",
    }
}

/// How long a lesson has gone unseen, counted in root runs in which it could have
/// been seen. `checked_at` is the run number up to which that was counted: counting
/// is done when it can matter, not on every run for every lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unseen {
    pub n_runs: u32,
    pub checked_at: u64,
}

/// A lesson as memory keeps it. Its evidence are the findings that name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    pub id: LessonId,
    /// `None` = global: offered in every project of this user.
    pub project: Option<ProjectId>,
    pub kind: Kind,
    pub category: Option<String>,
    pub text: Text,
    pub scope: Scope,
    pub tags: Vec<String>,
    /// Files where it was seen, or that it is about.
    pub paths: Vec<String>,
    pub severity: Severity,
    pub state: State,
    /// How much it matters if true, 0..1.
    pub importance: f64,
    /// Confidence before any effect, 0..1.
    pub base_confidence: f64,
    /// How sure we are that it is true and useful, 0..1.
    pub confidence: f64,
    /// Distinct root runs in which it was seen; never falls.
    pub n_sightings: u32,
    /// What is left of the sightings after decay.
    pub standing: u32,
    pub last_seen_run: Option<RunId>,
    pub unseen: Unseen,
    /// Roles and tools that ever reported it.
    pub detectors: BTreeSet<String>,
    /// Best grade of its evidence.
    pub grade: Option<Grade>,
    pub effects: EffectCounts,
    pub is_pinned: bool,
    /// Who stated it first.
    pub author: String,
    pub origin: Origin,
    pub trust: Trust,
    /// Ids that other systems know it by.
    pub aliases: Vec<String>,
    /// Fingerprints of the findings it was recognized by; the newest are kept.
    pub signatures: Vec<String>,
    /// The record it was imported from, as `SYSTEM:RECORD`, so that what has no place
    /// here is not lost on the way back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Text>,
    /// When it is due for review, and what reviews it had.
    #[serde(default, skip_serializing_if = "is_default")]
    pub upkeep: Upkeep,
    /// What was decided about it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Review>,
    /// The lesson that replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<LessonId>,
    /// How often its finding came back, shown and held out by chance.
    #[serde(default, skip_serializing_if = "is_default")]
    pub arms: Arms,
    /// What it says beyond its text: the rule, the nuance, and when it applies.
    #[serde(default, skip_serializing_if = "is_default")]
    pub guidance: Guidance,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a lesson says beyond its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guidance {
    /// `IF … THEN …`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// A short paragraph with nuance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// For which work it is useful; left out of blocks for other work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_when: Option<String>,
    /// What to do about it, in the words of whoever found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    /// The tool and its rule, for what a tool reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// How others put it: the words of the first findings that were recognized as it. Never
    /// shown; a finding is compared with them, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wordings: Vec<String>,
    /// What it comes to in a few words, for blocks without room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

/// A short form of one text. It holds only as long as the lesson has that text, whoever changes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub line: String,
    /// Digest of the text.
    pub of: String,
}

impl Summary {
    /// The short form of this text.
    pub fn new(line: &str, text: &str) -> Summary {
        Summary { line: line.to_owned(), of: hex(&sha256(&[text])[..8]) }
    }
}

impl Guidance {
    /// Visits every word that came from outside.
    pub(crate) fn for_each_word(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let Guidance { rule, detail, applies_when, repair, about, wordings, summary } = self;
        let short = summary.as_mut().map(|summary| &mut summary.line);
        let lines = [rule, detail, applies_when, repair, about].into_iter().flatten();
        lines.chain(wordings).chain(short).for_each(visit);
    }
}

/// What the lifecycle has to remember about a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Upkeep {
    /// Unused after this moment, it fades.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_after: Option<Timestamp>,
    /// Last time that it was shown where it could have helped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
    /// Number of the newest root run when `review_after` was set.
    pub set_at_run: u64,
    /// Since when it is under review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewing_since: Option<Timestamp>,
    /// Its state before, to which it can return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed_from: Option<State>,
    /// How often it has been under review.
    pub n_visits: u32,
    /// Hurts and contradictions that no longer count, because a review kept the lesson.
    pub n_hurt_forgiven: u32,
    pub n_contradicted_forgiven: u32,
    /// How many effects it had when a review kept it in spite of its confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_at_effects: Option<u32>,
    /// What callers said that rulings against it weigh, beyond what its role's do; in
    /// thousandths.
    #[serde(skip_serializing_if = "is_default")]
    pub ignored_thousandths: i32,
    /// What the system that it came from had counted and decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherited: Option<Inherited>,
    /// Applications that another system counted and that no effect here stands for.
    #[serde(skip_serializing_if = "is_default")]
    pub carried: Carried,
}

/// What another system had done with a lesson before it came here: its runs are not counted
/// a second time, and what it decides later is told from what was decided here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inherited {
    pub state: State,
    /// Runs that had ended by then are in its sightings.
    pub seen_until: Timestamp,
    /// Runs that had ended by then are in its unseen runs.
    pub unseen_until: Timestamp,
}

vocabulary! {
    /// What a review can decide.
    Decision {
        Approve = "approve",
        Keep = "keep",
        Reject = "reject",
        Weaken = "weaken",
        Supersede = "supersede",
        Archive = "archive",
    }
}

/// Who decided what about a lesson, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub decision: Decision,
    /// The person or agent.
    pub by: String,
    /// In which capacity.
    pub authority: String,
    pub because: String,
    pub at: Timestamp,
    pub from: State,
    pub to: State,
}

/// Opportunities of a lesson in which chance decided whether it was shown, and in how
/// many of them the finding came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Arms {
    pub n_shown: u32,
    pub n_shown_again: u32,
    pub n_held_out: u32,
    pub n_held_out_again: u32,
}

impl Lesson {
    /// Its short form, if it has one of the text that it has now.
    ///
    /// ```
    /// use hardwon_core::ids::LessonId;
    /// use hardwon_core::gate::Gate;
    /// use hardwon_core::lesson::{Kind, Lesson, Summary};
    /// use hardwon_core::time::Timestamp;
    ///
    /// let text = |text| Gate::standard().line(text);
    /// let id = LessonId::given("l-a");
    /// let mut lesson = Lesson::stub(id, None, Kind::Rule, text("Bind it, always"), Timestamp(0));
    /// lesson.guidance.summary = Some(Summary::new("Bind it", "Bind it, always"));
    /// assert_eq!(lesson.summary(), Some("Bind it"));
    /// lesson.text = text("Never bind it");
    /// assert_eq!(lesson.summary(), None);
    /// ```
    pub fn summary(&self) -> Option<&str> {
        let kept = self.guidance.summary.as_ref()?;
        (*kept == Summary::new(&kept.line, self.text.as_str())).then_some(kept.line.as_str())
    }

    /// A candidate of which only the text is known.
    pub fn stub(
        id: LessonId,
        project: Option<ProjectId>,
        kind: Kind,
        text: Text,
        at: Timestamp,
    ) -> Self {
        Lesson {
            id,
            project,
            kind,
            category: None,
            text,
            scope: Scope::default(),
            tags: Vec::new(),
            paths: Vec::new(),
            severity: Severity::Warning,
            state: State::Candidate,
            importance: Severity::Warning.importance(),
            base_confidence: 0.0,
            confidence: 0.0,
            n_sightings: 0,
            standing: 0,
            last_seen_run: None,
            unseen: Unseen::default(),
            detectors: BTreeSet::new(),
            grade: None,
            effects: EffectCounts::default(),
            is_pinned: false,
            author: "unknown".to_owned(),
            origin: Origin::Reviewer,
            trust: Origin::Reviewer.trust(),
            aliases: Vec::new(),
            signatures: Vec::new(),
            extra: None,
            upkeep: Upkeep::default(),
            reviews: Vec::new(),
            superseded_by: None,
            arms: Arms::default(),
            guidance: Guidance::default(),
            created_at: at,
            updated_at: at,
        }
    }

    /// Whether its state allows it to be shown: confirmed, or a preference of the user.
    pub fn is_injectable(&self) -> bool {
        self.state.is_active() || (self.is_wish() && self.state == State::Candidate)
    }

    /// Whether it is a preference of a person, in words that only a person has changed since.
    pub fn is_wish(&self) -> bool {
        // An import is trusted only after a person approved it.
        let is_typed = self.scope.0.contains_key(&Dimension::Person);
        let is_persons =
            matches!(self.origin, Origin::User | Origin::Import | Origin::Team) || is_typed;
        let is_stated = self.kind == Kind::Preference && is_persons;
        is_stated && self.trust == Trust::Trusted
    }

    /// Whether it is a wish that a person typed in a conversation, and nobody has approved: it
    /// is theirs alone.
    pub fn is_personal(&self) -> bool {
        let is_typed = self.scope.0.contains_key(&Dimension::Person);
        is_typed && self.kind == Kind::Preference && self.trust != Trust::Trusted
    }

    /// Digest of what a block shows of it: recorded with each injection, as proof of the
    /// wording that was shown.
    pub fn digest(&self) -> String {
        let parts = [self.kind.word(), self.text.id().as_str()].into_iter();
        let parts: Vec<&str> = parts.chain(self.guidance.repair.as_deref()).collect();
        hex(&sha256(&parts)[..8])
    }

    /// A number by which a store orders lessons when the need says nothing: what was
    /// confirmed most, matters most and worked best comes first. Only for proposals;
    /// `rank` decides.
    pub fn prior(&self) -> f64 {
        let sightings = f64::from(self.n_sightings.min(20)) / 20.0;
        let (n_helped, n_tried) = (self.effects.n_helped, self.effects.n_tried());
        let worked = (f64::from(n_helped) + 1.0) / (f64::from(n_tried) + 2.0);
        let prior = self.importance + self.confidence + worked + sightings;
        (prior * 1000.0).round() / 1000.0
    }
}
