//! What do the tools' answers have in common? `status` and `problems` as in every answer of
//! ours, and a lesson in the few words that a model needs.

use hardwon_engine::answer::{Lesson, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::without_control;
use schemars::JsonSchema;
use serde::Serialize;

use super::schema::words;

/// What every answer has.
#[derive(Serialize, JsonSchema)]
pub struct ToolAnswer<T> {
    #[schemars(extend("enum" = words(Status::ALL, Status::word)))]
    status: &'static str,
    /// What went wrong on the way, and where.
    problems: Vec<ProblemWire>,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize, JsonSchema)]
struct ProblemWire {
    #[serde(rename = "where")]
    place: String,
    reason: String,
}

impl<T> ToolAnswer<T> {
    pub fn new(status: Status, problems: &[Problem], body: T) -> Self {
        let problems = problems.iter().map(|problem| ProblemWire {
            place: without_control(&problem.at),
            reason: without_control(&problem.reason),
        });
        ToolAnswer { status: status.word(), problems: problems.collect(), body }
    }
}

/// One lesson.
#[derive(Serialize, JsonSchema)]
pub struct LessonWire {
    pub id: String,
    kind: &'static str,
    state: &'static str,
    text: String,
    /// Whether runs are shown it now.
    shown: bool,
    /// In how many runs it was seen.
    sightings: u32,
}

impl LessonWire {
    pub fn of(lesson: &Lesson) -> Self {
        LessonWire {
            id: lesson.id.to_string(),
            kind: lesson.kind.word(),
            state: lesson.state.word(),
            text: lesson.text.clone(),
            shown: lesson.is_injectable,
            sightings: lesson.n_sightings,
        }
    }
}

/// A lesson in one line.
pub fn line(lesson: &Lesson) -> String {
    format!("{} ({}, {}): {}", lesson.id, lesson.kind, lesson.state, lesson.text)
}

/// Problems as lines below an answer.
pub fn problem_lines(problems: &[Problem]) -> String {
    let line = |problem: &Problem| format!("\nproblem: {}: {}", problem.at, problem.reason);
    problems.iter().map(line).collect()
}
