//! `show`: everything about one lesson, on one page.

use hardwon_core::time::Timestamp;

use super::columns::{self, hanging, section, wrapped};
use super::journal::grouped;
use crate::answer::{
    Effects, Evidence, InformedBy, Lesson, LessonPage, LessonStory, Review, Showing, Step,
};
use crate::record::{after, counted};

const NAME_COLUMNS: usize = 12;

/// The lesson with its numbers, evidence, injections and history. `now` gives the ages.
pub fn show(story: &LessonPage, now: Timestamp, width: usize) -> String {
    let lesson = &story.lesson;
    let mut out = head(lesson, width);
    out += &columns::facts(&facts(lesson, now), NAME_COLUMNS, width);
    out += &section("reviews", &reviews(&story.reviews, width));
    let told = story.conversations.iter().map(|told| hanging("  ", told, width));
    let evidence = story.evidence.iter().map(|one| evidence(one, width));
    out += &section("evidence", &told.chain(evidence).collect::<String>());
    out += &section("shown", &injections(story, width));
    out += &section("informed by", &informed_by(story, width));
    out += &section("history", &grouped("  ", &story.history, width));
    out
}

fn head(lesson: &Lesson, width: usize) -> String {
    let category = after(", ", lesson.category.as_ref());
    let pinned = if lesson.is_pinned { ", pinned" } else { "" };
    let Lesson { id, state, kind, text, .. } = lesson;
    let line = hanging("", &format!("{id}: {state} {kind}{category}{pinned}"), width);
    line + &hanging("  ", text, width) + "\n"
}

fn facts(lesson: &Lesson, now: Timestamp) -> [(&'static str, String); 18] {
    [
        ("in short", lesson.summary.clone().unwrap_or_default()),
        ("repair", lesson.repair.clone().unwrap_or_default()),
        ("rule", lesson.rule.clone().unwrap_or_default()),
        ("applies when", lesson.applies_when.clone().unwrap_or_default()),
        ("nuance", lesson.detail.clone().unwrap_or_default()),
        ("seen in", seen(lesson)),
        ("effects", effects(&lesson.effects)),
        ("confidence", format!("{:.2}", lesson.confidence)),
        ("importance", format!("{:.2} ({})", lesson.importance, lesson.severity)),
        ("scope", scope(lesson)),
        ("review", upkeep(lesson, now)),
        ("tags", lesson.tags.join(", ")),
        ("paths", lesson.paths.join(", ")),
        ("reported by", lesson.detectors.join(", ")),
        ("author", format!("{} (origin {}, trust {})", lesson.author, lesson.origin, lesson.trust)),
        ("aliases", lesson.aliases.join(", ")),
        ("created", dated(lesson.created_at.0, now)),
        ("updated", dated(lesson.updated_at.0, now)),
    ]
}

/// Until when it has to be used, or since when it waits for a review.
fn upkeep(lesson: &Lesson, now: Timestamp) -> String {
    match (lesson.reviewing_since, lesson.review_after, &lesson.superseded_by) {
        (_, _, Some(by)) => format!("replaced by {by}"),
        (Some(since), _, _) => {
            format!("in doubt since {}, visit {}", dated(since.0, now), lesson.n_visits)
        }
        (None, Some(after), _) => format!("fades if unused by {}", after.date()),
        (None, None, None) => String::new(),
    }
}

fn reviews(reviews: &[Review], width: usize) -> String {
    let line = |review: &Review| {
        let (at, decision, by) = (review.at.date(), review.decision, &review.by);
        let line = format!("{at} {decision} by {by} as {}: {}", review.authority, review.because);
        hanging("  ", &line, width)
    };
    reviews.iter().map(line).collect()
}

fn seen(lesson: &Lesson) -> String {
    let runs = counted(lesson.n_sightings, "run");
    let mut parts = vec![runs, format!("standing {}", lesson.standing)];
    if let Some(run) = &lesson.last_seen_run {
        parts.push(format!("last in {run}"));
    }
    if lesson.n_runs_unseen > 0 {
        parts.push(format!("unseen in {} since", counted(lesson.n_runs_unseen, "run")));
    }
    parts.join(", ")
}

fn effects(counts: &Effects) -> String {
    let named = [
        ("no help", counts.n_no_help),
        ("hurt", counts.n_hurt),
        ("contradicted", counts.n_contradicted),
        ("neutral", counts.n_neutral),
        ("no opportunity", counts.n_no_opportunity),
    ];
    let named = named.into_iter().filter(|(_, n)| *n > 0);
    let parts: Vec<String> = counts
        .came_of_it()
        .into_iter()
        .chain(named.map(|(name, n)| format!("{name} {n}")))
        .collect();
    if parts.is_empty() { "not tested yet".to_owned() } else { parts.join(", ") }
}

fn scope(lesson: &Lesson) -> String {
    let owner = match &lesson.scope.project {
        Some(project) => format!("project {project}"),
        None => "global".to_owned(),
    };
    let pairs = lesson.scope.pairs.iter().map(|(dimension, value)| format!("{dimension} {value}"));
    [owner].into_iter().chain(pairs).collect::<Vec<_>>().join(", ")
}

/// `2026-04-03 (12 days ago)`.
fn dated(at: Timestamp, now: Timestamp) -> String {
    match now.days_since(at) {
        0 => at.date(),
        1 => format!("{} (1 day ago)", at.date()),
        n_days => format!("{} ({n_days} days ago)", at.date()),
    }
}

fn evidence(finding: &Evidence, width: usize) -> String {
    let parts = [
        Some(finding.severity.to_string()),
        finding.grade.map(|grade| grade.to_string()),
        Some(finding.state.to_string()),
        finding.place(),
        Some(format!("likeness {:.2}", finding.likeness)),
    ];
    let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let head = hanging("  ", &format!("{} by {}: {parts}", finding.run, finding.author), width);
    let repair = after("; repair: ", finding.repair.as_ref());
    let text = hanging("    ", &format!("{}{repair}", finding.text), width);
    let quote =
        finding.quote.as_ref().map(|quote| hanging("    ", &format!("quotes {quote}"), width));
    head + &text + &quote.unwrap_or_default()
}

fn informed_by(story: &LessonPage, width: usize) -> String {
    let line = |other: &InformedBy| {
        let (runs, roles) = (counted(other.n_runs, "run"), other.roles.join(", "));
        hanging("  ", &format!("{} ({roles}, {runs}): {}", other.lesson, other.text), width)
    };
    story.informed_by.iter().map(line).collect()
}

fn injections(story: &LessonPage, width: usize) -> String {
    let line = |showing: &Showing| {
        let role = after(" to ", showing.role.as_ref());
        let place = showing.position.map_or(String::new(), |n| format!(", line {n} of its block"));
        hanging("  ", &format!("{} in {}{role}{place}", showing.at.date(), showing.run), width)
    };
    story.injections.iter().map(line).collect()
}

/// Its text and record, one line for each thing that happened, and what follows for the next
/// block.
pub fn why(story: &LessonStory, width: usize) -> String {
    let lesson = &story.page.lesson;
    let mut out = hanging("", &format!("{}: {}", lesson.id, lesson.text), width);
    out += &hanging("", &format!("{} {}; {}", lesson.state, lesson.kind, lesson.record), width);
    let told = story.page.conversations.iter().map(|told| format!("seen in {told}"));
    out += &told.map(|told| hanging("", &told, width)).collect::<String>();
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
        // The reason begins with the state.
        Some(reason) if !lesson.is_injectable => format!("now not shown: {reason}"),
        Some(reason) => format!("now: {state}, but not shown: {reason}"),
    }
}
