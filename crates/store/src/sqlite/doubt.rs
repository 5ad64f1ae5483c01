//! Which lessons would a rebuild trust more than their rows do? Where journal and table
//! disagree, one of them was edited, and it is not known which. What only lowers a lesson is
//! taken from the journal; what would raise it is doubted.

use hardwon_core::change::Tables;
use hardwon_core::lesson::{Lesson, Origin, State, Trust};
use rusqlite::{Connection, Result};

use super::rows::one;
use crate::Doubted;

/// The words of a row that decide whether it is trusted and shown. An unknown word counts
/// as the lowest.
struct Row {
    state: Option<State>,
    trust: Option<Trust>,
    origin: Option<Origin>,
    /// `None` = it points to no text at all.
    text: Option<String>,
    /// Empty = global.
    project: Option<String>,
}

/// Lessons to which the journal gives more than the table has.
pub(super) fn doubted(db: &Connection, replayed: &Tables) -> Result<Vec<Doubted>> {
    let mut doubted = Vec::new();
    for lesson in replayed.lessons.values() {
        let row = row_of(db, lesson)?;
        // Somebody edited the journal, or took the row away.
        let is_new = lesson.is_injectable();
        if !row.as_ref().map_or(is_new, |row| row.is_raised_by(lesson)) {
            continue;
        }
        let trust = row.as_ref().map_or(lesson.trust, |row| row.trust.unwrap_or(Trust::Foreign));
        doubted.push(Doubted {
            lesson: lesson.clone(),
            trust: trust.min(lesson.trust),
            was_put_away: row.is_some_and(|row| row.state.is_some_and(State::is_put_away)),
        });
    }
    Ok(doubted)
}

impl Row {
    fn is_raised_by(&self, lesson: &Lesson) -> bool {
        let has_other_words = self.text.as_ref().is_some_and(|id| id != lesson.text.id().as_str());
        let project = lesson.project.as_ref().map_or("", |project| project.as_str());
        self.state.map_or(0, height) < height(lesson.state)
            || self.trust.is_none_or(|trust| trust < lesson.trust)
            || self.origin.is_none_or(|origin| origin.trust() < lesson.origin.trust())
            || has_other_words
            || self.project.as_deref() != Some(project)
    }
}

/// How far a state lets a lesson come.
fn height(state: State) -> u8 {
    match state {
        State::Canonical => 5,
        State::Stable => 4,
        State::Provisional => 3,
        State::Candidate => 2,
        State::UnderReview | State::Decayed | State::Quarantined => 1,
        State::Superseded | State::Archived | State::Rejected => 0,
    }
}

/// Word by word: a row that cannot be read as a lesson still says something.
fn row_of(db: &Connection, lesson: &Lesson) -> Result<Option<Row>> {
    let sql = "
        SELECT body, projects.id FROM lessons
        LEFT JOIN projects ON projects.key = lessons.project
        WHERE lessons.id = ?1";
    one(db, sql, [lesson.id.as_str()], |row| {
        let body = row.get_ref(0)?.as_str()?;
        let body: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
        let word = |field: &str| body[field].as_str().unwrap_or_default();
        Ok(Row {
            state: State::from_word(word("state")),
            trust: Trust::from_word(word("trust")),
            origin: Origin::from_word(word("origin")),
            text: body["text"].as_str().map(str::to_owned),
            project: row.get(1)?,
        })
    })
}
