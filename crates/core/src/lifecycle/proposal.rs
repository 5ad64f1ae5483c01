//! What an agent wants done to a lesson that a person stands behind: kept on the lesson as a
//! proposal, until a person decides. An agent may flag, never hide.

use crate::lesson::{Decision, Lesson, Origin, Review, Trust};
use crate::time::Timestamp;

/// The capacity in which proposals are made; no authority has this name.
const PROPOSER: &str = "proposal";

/// Open proposals that a lesson keeps. One who proposes more has said enough.
const MAX_OPEN: usize = 8;

impl Lesson {
    /// Whether a person stated, approved or pinned it.
    pub fn is_persons(&self) -> bool {
        self.origin == Origin::User || self.trust == Trust::Trusted || self.is_pinned
    }

    /// What was decided last.
    pub fn last_decision(&self) -> Option<&Review> {
        self.reviews.iter().rev().find(|review| !review.is_proposal())
    }

    /// Proposals since then, oldest first.
    pub fn open_proposals(&self) -> &[Review] {
        let last = self.reviews.iter().rposition(|review| !review.is_proposal());
        &self.reviews[last.map_or(0, |last| last + 1)..]
    }

    /// The lesson with one more proposal. The same one again changes nothing, and neither does
    /// one too many.
    pub fn with_proposal(&self, proposal: Proposal) -> Lesson {
        let Proposal { decision, by, because, at } = proposal;
        let open = self.open_proposals();
        let is_known = |known: &Review| known.by == by && known.decision == decision;
        if open.iter().any(is_known) || open.len() >= MAX_OPEN {
            return self.clone();
        }
        let authority = PROPOSER.to_owned();
        let (from, to) = (self.state, self.state);
        let mut next = self.clone();
        next.reviews.push(Review { decision, by, authority, because, at, from, to });
        next.updated_at = at;
        next
    }
}

/// What an agent would decide, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub decision: Decision,
    pub by: String,
    pub because: String,
    pub at: Timestamp,
}

impl Review {
    /// Whether nothing was decided: an agent asked for it.
    pub fn is_proposal(&self) -> bool {
        self.authority == PROPOSER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::ids::LessonId;
    use crate::lesson::Kind;

    fn wish() -> Lesson {
        let text = Gate::standard().line("Use pnpm in this repository");
        let id = LessonId::given("l-aaaaaaa");
        let lesson = Lesson::stub(id, None, Kind::Preference, text, Timestamp(0));
        Lesson { origin: Origin::User, trust: Trust::Trusted, ..lesson }
    }

    fn proposal(decision: Decision, by: &str) -> Proposal {
        let because = "it is in the way".to_owned();
        Proposal { decision, by: by.to_owned(), because, at: Timestamp(1) }
    }

    #[test]
    fn a_proposal_changes_nothing_but_the_list() {
        let before = wish();
        let after = before.with_proposal(proposal(Decision::Reject, "agent a"));
        assert_eq!(after.open_proposals().len(), 1);
        assert_eq!(Lesson { reviews: Vec::new(), updated_at: before.updated_at, ..after }, before);
    }

    #[test]
    fn proposals_do_not_pile_up() {
        let mut lesson = wish();
        for n in 0..20 {
            lesson = lesson.with_proposal(proposal(Decision::Archive, &format!("agent {n}")));
            lesson = lesson.with_proposal(proposal(Decision::Archive, "agent 0"));
        }
        assert_eq!(lesson.open_proposals().len(), MAX_OPEN);
    }

    #[test]
    fn a_decision_answers_what_was_proposed() {
        let mut lesson = wish().with_proposal(proposal(Decision::Reject, "agent a"));
        let asked = lesson.reviews[0].clone();
        lesson.reviews.push(Review { authority: "user".into(), decision: Decision::Keep, ..asked });
        assert!(lesson.open_proposals().is_empty());
        assert_eq!(lesson.last_decision().map(|review| review.decision), Some(Decision::Keep));
    }
}
