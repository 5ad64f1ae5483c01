//! How a lesson came to be what it is, step by step in the order of the runs: reported,
//! shown, what came of it, how its state moved, what people did to it. For `why`.

use hardwon_core::budget::shorten;
use hardwon_core::change::{Change, Entry, LessonField, OperationHead};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Origin;
use hardwon_core::project::{Checkout, Project};
use hardwon_core::team::Team;
use hardwon_core::time::Timestamp;

use crate::answer::fields::field;
use crate::answer::{Id, LessonFacts, Step, Time};
use crate::record::{after, counted, placed as placed_at};

/// Longest quotation of another wording.
const QUOTE_CHARS: usize = 60;

/// Within one run, what comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Shown,
    Reported,
    Credited,
    Moved,
}

/// Everything that happened, oldest first.
pub(crate) fn steps(story: &LessonFacts) -> Vec<Step> {
    let shown = story.injections.iter().map(|one| shown(story, one));
    let credited = story.effects.iter().map(|one| credited(story, one));
    let all = (shown.map(|step| (Rank::Shown, step)))
        .chain(all_reported(story).into_iter().map(|step| (Rank::Reported, step)))
        .chain(credited.map(|step| (Rank::Credited, step)))
        .chain(moved(story).into_iter().map(|step| (Rank::Moved, step)));
    let mut all: Vec<(Rank, Step)> = all.collect();
    // Stable: equal keys keep the order of the journal.
    all.sort_by_cached_key(|(rank, step)| {
        let number = step.run.as_deref().map_or(u64::MAX, |run| number(story, run));
        (step.at, number, *rank)
    });
    all.into_iter().map(|(_, step)| step).collect()
}

/// The findings, and how the lesson began if no finding says it: a person stated it, or the
/// report is gone.
fn all_reported(story: &LessonFacts) -> Vec<Step> {
    let mut birth = birth(story);
    let mut steps = Vec::new();
    for finding in &story.evidence {
        let mut step = reported(story, finding);
        let is_first = |birth: &Step| birth.run.as_deref() == Some(&finding.run);
        if birth.take_if(|birth| is_first(birth)).is_some() {
            step.text.push_str(" → candidate");
        }
        steps.push(step);
    }
    birth.into_iter().chain(steps).collect()
}

/// Place of a lesson in a block, from 1.
pub(crate) fn position(injection: &Injection, lesson: &LessonId) -> Option<u64> {
    let index = injection.shown.iter().position(|shown| shown.lesson == *lesson)?;
    Some(index as u64 + 1)
}

/// What sort of change it is, in the words of the journal.
pub(crate) fn change_word(change: &Change) -> String {
    let written = serde_json::to_value(change).expect("a change is written as JSON");
    written["change"].as_str().unwrap_or_default().to_owned()
}

/// The reason of a change; for what needs none, what it is about.
pub(crate) fn because(change: &Change) -> String {
    match change {
        Change::AddLesson { because, .. } | Change::RemoveLesson { because, .. } => because.clone(),
        Change::EditLesson { because, fields, .. } => unrepeated(because, fields).to_owned(),
        Change::AddRun { run } | Change::RemoveRun { run } => format!("run {}", run.id),
        Change::EditRun { after, .. } => format!("run {}", after.id),
        Change::AddFinding { finding }
        | Change::RemoveFinding { finding }
        | Change::EditFinding { after: finding, .. } => {
            format!("finding of {} in {}", finding.author, finding.run)
        }
        Change::AddInjection { injection } | Change::RemoveInjection { injection } => {
            format!("block for {}", injection.run)
        }
        Change::AddEffect { effect } | Change::RemoveEffect { effect } => {
            format!("{} in {}: {}", effect.kind, effect.root, effect.why)
        }
        Change::AddDeliberation { deliberation: it }
        | Change::RemoveDeliberation { deliberation: it } => {
            format!("deliberation {} of {} in {}", it.id, it.role, it.run)
        }
        Change::AddAttempt { attempt: it } | Change::RemoveAttempt { attempt: it } => {
            format!("attempt {} at {} in {}", it.id, it.issue, it.run)
        }
        Change::AddConsultation { consultation: it }
        | Change::RemoveConsultation { consultation: it }
        | Change::EditConsultation { after: it, .. } => {
            format!("question {} to {} about {}", it.id, it.model, it.about.join(", "))
        }
        Change::AddTombstone { .. } => "must not come back".to_owned(),
        Change::RemoveTombstone { .. } => "may come back".to_owned(),
        Change::EditProject { before, after } => project_change(before, after),
        Change::EditFile { edit } => {
            let done = match (&edit.before, &edit.after) {
                (None, _) => "made",
                (_, None) => "removed",
                (Some(_), Some(_)) => "changed",
            };
            format!("file {} {done}", edit.path)
        }
        Change::Erase { erasure } => {
            format!("{} erased", counted(erasure.texts.len() as u64, "text"))
        }
    }
}

/// What became of a project: its name, and the checkouts that belong to it.
fn project_change(before: &Project, after: &Project) -> String {
    let mut parts = Vec::new();
    if before.name != after.name {
        parts.push(format!("called {}", after.title()));
    }
    let is_gone = |checkout: &&Checkout| !after.has_path(&checkout.path);
    let gone = before.checkouts.iter().filter(is_gone);
    parts.extend(gone.map(|checkout| format!("without {}", checkout.path)));
    let is_new = |checkout: &&Checkout| !before.checkouts.contains(checkout);
    let joined = after.checkouts.iter().filter(is_new);
    parts.extend(joined.map(|checkout| format!("joined by {}", checkout.path)));
    parts.extend(team_changes(before.team.as_ref(), after.team.as_ref()));
    format!("project {} {}", after.id, parts.join(", "))
}

/// Who came, who left, who may do something else now, and which tokens there are.
fn team_changes(before: Option<&Team>, after: Option<&Team>) -> Vec<String> {
    let members = |team: Option<&Team>| team.map_or_else(Vec::new, |team| team.members.clone());
    let (before, after) = (members(before), members(after));
    let mut parts = Vec::new();
    for is in &after {
        let was = before.iter().find(|was| was.name == is.name);
        match was {
            None => parts.push(format!("{} added as {}", is.name, is.role)),
            Some(was) if was.role != is.role => {
                parts.push(format!("{} is {} instead of {}", is.name, is.role, was.role));
            }
            Some(_) => {}
        }
        let known = was.map_or(&[][..], |was| &was.tokens);
        let made = is.tokens.iter().filter(|token| !known.contains(token));
        parts.extend(made.map(|token| format!("token {} made for {}", token.id(), is.name)));
        let revoked = known.iter().filter(|token| !is.tokens.contains(token));
        parts.extend(revoked.map(|token| format!("token {} of {} revoked", token.id(), is.name)));
    }
    let gone = before.iter().filter(|was| after.iter().all(|is| is.name != was.name));
    parts.extend(gone.map(|was| format!("{} removed", was.name)));
    parts
}

/// A reason without the name of the new state before it, which is printed next to it anyway.
fn unrepeated<'a>(because: &'a str, fields: &[LessonField]) -> &'a str {
    let reason = fields.iter().find_map(|field| match field {
        LessonField::State(swap) => because.strip_prefix(swap.to.word())?.strip_prefix(": "),
        _ => None,
    });
    reason.unwrap_or(because)
}

fn number(story: &LessonFacts, run: &RunId) -> u64 {
    story.runs.get(run).and_then(|run| run.number).unwrap_or(u64::MAX)
}

fn ended(story: &LessonFacts, run: &RunId) -> Option<Timestamp> {
    let run = story.runs.get(run)?;
    Some(run.finished.or(run.started).unwrap_or(run.recorded_at))
}

fn step(story: &LessonFacts, run: &RunId, otherwise: Timestamp, text: String) -> Step {
    let at = ended(story, run).unwrap_or(otherwise);
    Step { at: Time(at), run: Some(Id(run.clone())), text }
}

fn shown(story: &LessonFacts, injection: &Injection) -> Step {
    let to = after(" to ", Some(&injection.role).filter(|role| !role.is_empty()));
    let place = position(injection, &story.lesson.id);
    let place = place.map_or(String::new(), |n| format!(", line {n} of its block"));
    step(story, &injection.run, injection.at, format!("shown{to}{place}"))
}

fn reported(story: &LessonFacts, finding: &Finding) -> Step {
    let author = &finding.author;
    let what = match (finding.state, finding.is_sighting) {
        (FindingState::Fixed, false) => format!("{author} reported it as fixed"),
        (FindingState::Fixed, true) => format!("{author} reported it, then it was fixed"),
        (FindingState::Regressed, _) => format!("{author} reported it after it had been fixed"),
        (FindingState::Dismissed, _) => format!("{author} reported it, then it was dismissed"),
        (FindingState::Open, _) => format!("{author} reported it"),
    };
    let fixed = after(" in ", finding.fixed_in.as_ref());
    let place = after(", ", finding.place.as_ref().map(|place| placed_at(&place.path, place.line)));
    let quote = after(", quoting ", finding.quote.as_ref());
    let reworded = reworded(story, finding);
    let text = format!("{what}{fixed} ({}{place}){reworded}{quote}", finding.severity);
    step(story, &finding.run, story.lesson.created_at, text)
}

fn reworded(story: &LessonFacts, finding: &Finding) -> String {
    if finding.text == story.lesson.text {
        return String::new();
    }
    let quote = shorten(finding.text.as_str(), QUOTE_CHARS);
    format!(" as \"{quote}\", likeness {:.2}", finding.likeness)
}

fn credited(story: &LessonFacts, effect: &Effect) -> Step {
    let regression = if effect.is_regression { ", a regression" } else { "" };
    let text = if effect.was_shown() {
        format!("{}{regression}: {}", effect.kind, effect.why)
    } else {
        // It had no effect, and the reason says that it was held out.
        effect.why.clone()
    };
    step(story, &effect.root, story.lesson.updated_at, text)
}

/// How the lesson began: the last time, if that was undone before.
fn birth(story: &LessonFacts) -> Option<Step> {
    let (index, lesson) =
        story.history.iter().enumerate().rev().find_map(|(index, entry)| match &entry.change {
            Change::AddLesson { lesson, .. } => Some((index, lesson)),
            _ => None,
        })?;
    let began = match lesson.origin {
        Origin::User => "stated by",
        Origin::Reviewer => "first reported by",
        Origin::Agent => "first claimed by",
        Origin::Import => "imported; its author is",
        Origin::Team => "from the team; its author is",
    };
    Some(placed(story, index, format!("{began} {} → {}", lesson.author, lesson.state)))
}

/// What changed in its state, and what people did to it.
fn moved(story: &LessonFacts) -> Vec<Step> {
    let steps = story.history.iter().enumerate().flat_map(|(index, entry)| {
        let is_of_run = run_of(&story.history, index).is_some();
        let texts = edited(entry, is_of_run);
        texts.into_iter().map(move |text| placed(story, index, text))
    });
    steps.collect()
}

fn placed(story: &LessonFacts, index: usize, text: String) -> Step {
    let at = story.history[index].head.at;
    match run_of(&story.history, index) {
        Some(run) => step(story, run, at, text),
        None => Step { at: Time(at), run: None, text },
    }
}

/// The run that an entry belongs to: the one named next to it in the same operation.
fn run_of(history: &[Entry], index: usize) -> Option<&RunId> {
    let (project, operation) = (&history[index].project, history[index].operation);
    let named = |it: &'_ &Entry| it.operation == operation && it.project == *project;
    let before = history[..=index].iter().rev().take_while(named);
    let after = history[index..].iter().take_while(named);
    before.chain(after).find_map(|entry| run_named(&entry.change))
}

fn run_named(change: &Change) -> Option<&RunId> {
    match change {
        Change::AddFinding { finding } | Change::EditFinding { after: finding, .. } => {
            Some(&finding.run)
        }
        Change::AddEffect { effect } => Some(&effect.root),
        _ => None,
    }
}

fn edited(entry: &Entry, is_of_run: bool) -> Vec<String> {
    let OperationHead { command, actor, .. } = &entry.head;
    let because = because(&entry.change);
    let line = |what: String| {
        if is_of_run {
            format!("{what}: {because}")
        } else if because.is_empty() {
            format!("{what} ({command} by {actor})")
        } else {
            format!("{what} ({command} by {actor}: {because})")
        }
    };
    match &entry.change {
        Change::EditLesson { fields, .. } => {
            fields.iter().filter_map(|field| field_step(field, is_of_run)).map(line).collect()
        }
        Change::RemoveLesson { .. } => vec![line("removed".to_owned())],
        _ => Vec::new(),
    }
}

/// What is worth a step: every move of state and loss of standing; the rest only when a person
/// did it.
fn field_step(change: &LessonField, is_of_run: bool) -> Option<String> {
    use LessonField as F;
    match change {
        F::State(swap) => Some(format!("{} → {}", swap.from, swap.to)),
        F::Standing(swap) if swap.to < swap.from => {
            Some(format!("standing {} → {}", swap.from, swap.to))
        }
        F::Sightings(_) | F::Standing(_) | F::LastSeenRun(_) | F::Unseen(_) => None,
        F::Detectors(_) | F::Grade(_) | F::Effects(_) | F::UpdatedAt(_) => None,
        F::Signatures(_) | F::Extra(_) | F::Upkeep(_) | F::Arms(_) => None,
        F::Reviews(_) | F::BaseConfidence(_) | F::Confidence(_) => None,
        _ if is_of_run => None,
        F::Pinned(swap) => Some(if swap.to { "pinned" } else { "unpinned" }.to_owned()),
        F::Text(swap) => {
            Some(format!("reworded from \"{}\"", shorten(swap.from.as_str(), QUOTE_CHARS)))
        }
        F::Kind(_) | F::Category(_) | F::Scope(_) | F::Tags(_) | F::Paths(_) => named(change),
        F::Severity(_) | F::Importance(_) | F::Trust(_) | F::Aliases(_) => named(change),
        F::SupersededBy(_) | F::Guidance(_) => named(change),
    }
}

fn named(change: &LessonField) -> Option<String> {
    field(change).map(|field| field.to_string())
}
