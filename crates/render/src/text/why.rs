//! `why`: how a lesson came to be what it is, in the order of the runs.

use super::columns::{hanging, wrapped};
use crate::answer::{LessonStory, Step};

/// Its text and record, one line for each thing that happened, and what follows for the next
/// block.
pub fn why(story: &LessonStory, width: usize) -> String {
    let lesson = &story.page.lesson;
    let mut out = hanging("", &format!("{}: {}", lesson.id, lesson.text), width);
    out += &hanging("", &format!("{} {}; {}", lesson.state, lesson.kind, lesson.record), width);
    out += &hanging("", &format!("lift: {}", lesson.worth), width);
    let steps = &story.story;
    if !steps.is_empty() {
        out += "\n";
    }
    out += &steps.iter().map(|step| step_line(step, width)).collect::<String>();
    out + "\n" + &hanging("", &consequence(story), width)
}

fn step_line(step: &Step, width: usize) -> String {
    let head = match &step.run {
        Some(run) => format!("{} {run}: ", step.at.date()),
        None => format!("{} ", step.at.date()),
    };
    // Further lines stand under the run, not under its text: run ids may be long.
    let lines = wrapped(&format!("{head}{}", step.text), width.saturating_sub(4));
    lines.join("\n    ") + "\n"
}

fn consequence(story: &LessonStory) -> String {
    let (lesson, state) = (&story.page.lesson, story.page.lesson.state);
    match &story.page.excluded {
        None => format!("now: {state}, so it may be shown where its scope fits"),
        Some(_) if !lesson.is_injectable => format!("now: {state}, so it is not shown"),
        Some(reason) => format!("now: {state}, but not shown: {reason}"),
    }
}
