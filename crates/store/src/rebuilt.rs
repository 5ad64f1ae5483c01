//! What did a rebuild do, and what is believed less after it? A lesson without words is put away, and
//! one about which journal and table disagreed waits for a person.

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::{Lesson, State, Trust};

/// Why a lesson is put away whose words are gone.
const WORDS_LOST: &str =
    "its words were edited or taken away outside of hardwon, and no backup has them";

/// Why a lesson waits that the journal would have raised.
const DOUBTED: &str =
    "journal and table disagree about it, and it is not known which of them was edited";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rebuilt {
    /// One sentence each.
    pub done: Vec<String>,
    /// Lessons whose text was edited or removed in the file, and no backup has the original.
    pub lost: Vec<Lesson>,
    /// Lessons that the journal trusts or shows more than their rows did.
    pub doubted: Vec<Doubted>,
}

/// A lesson about which journal and table disagreed, in favour of the lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubted {
    /// As the journal gives it.
    pub lesson: Lesson,
    /// The lower trust of the two.
    pub trust: Trust,
    /// Whether the table had put it away.
    pub was_put_away: bool,
}

/// A lesson as it is, as it is to be, and why.
type Lowered = (Lesson, Lesson, &'static str);

impl Rebuilt {
    /// The operations that lower what is believed less.
    pub fn batches(&self, head: &OperationHead) -> Vec<Batch> {
        let batch = |(was, is, why): &Lowered| {
            let is = Lesson { updated_at: head.at, ..is.clone() };
            let changes = vec![Change::edit_lesson(was, &is, why)?];
            let project = was.project.clone().unwrap_or_else(|| ProjectId::new("doctor"));
            Some(Batch { project, head: head.clone(), continues: None, changes })
        };
        self.lowered().iter().filter_map(batch).collect()
    }

    /// Those lessons, a sentence each.
    pub fn told(&self) -> Vec<String> {
        let line = |(was, is, why): &Lowered| format!("lesson {} {}: {why}", was.id, is.state);
        self.lowered().iter().map(line).collect()
    }

    fn lowered(&self) -> Vec<Lowered> {
        let is_left = |lesson: &&Lesson| !lesson.state.is_put_away();
        let archived = |lesson: &Lesson| Lesson { state: State::Archived, ..lesson.clone() };
        let lost = self.lost.iter().filter(is_left);
        let lost: Vec<_> = lost.map(|was| (was.clone(), archived(was), WORDS_LOST)).collect();
        let is_lost = |lesson: &Lesson| lost.iter().any(|(was, ..)| was.id == lesson.id);
        let doubted = self.doubted.iter().filter(|doubted| !is_lost(&doubted.lesson));
        let waiting = |Doubted { lesson, trust, was_put_away }: &Doubted| {
            let state = match (lesson.state.is_put_away(), was_put_away) {
                (true, _) => lesson.state,
                (false, true) => State::Archived,
                (false, false) => State::Quarantined,
            };
            (lesson.clone(), Lesson { state, trust: *trust, ..lesson.clone() }, DOUBTED)
        };
        let doubted: Vec<_> = doubted.map(waiting).filter(|(was, is, _)| was != is).collect();
        lost.into_iter().chain(doubted).collect()
    }
}
