//! `lessons_for`: the block for what is about to be done, and why each lesson is in it.

use std::collections::BTreeSet;

use hardwon_engine::InjectRequest;
use hardwon_engine::answer::{Injected, InjectedLesson, NoteHit};
use hardwon_engine::need::Need;
use hardwon_engine::scope::role_name;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Reply, Session, Trouble, arguments, first};

/// A longer task text does not help to choose lessons.
const MAX_TASK_CHARS: usize = 20_000;
const MAX_PATHS: usize = 256;
const MAX_TAGS: usize = 64;
/// How many lessons that are not in the block are explained.
const MAX_LEFT_OUT: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What is about to be done, in words.
    task: Option<String>,
    /// The part you play, e.g. maker, reviewer or tester.
    role: Option<String>,
    /// Files you expect to touch. They are compared, never opened.
    paths: Option<Vec<String>>,
    /// Words the work is filed under, e.g. auth or migration.
    tags: Option<Vec<String>>,
    /// The run's id; this session when left out.
    run: Option<String>,
}

#[derive(Serialize)]
pub struct Body {
    /// The run for which it was noted what was shown.
    run: String,
    /// The text to read; empty when there is nothing to say.
    block: String,
    /// In the order of the block.
    lessons: Vec<ShownWire>,
    /// Notes with words of the task: facts in files, which no run confirmed.
    notes: Vec<NoteWire>,
    /// Some that are not in the block.
    left_out: Vec<LeftOutWire>,
    /// How many are not in the block.
    n_left_out: usize,
}

#[derive(Serialize)]
struct ShownWire {
    id: String,
    text: String,
    why: String,
}

#[derive(Serialize)]
struct NoteWire {
    slug: String,
    text: String,
}

/// Notes that the block does not tell already.
fn unsaid(notes: Vec<NoteHit>, block: &str) -> Vec<NoteWire> {
    let new = notes.into_iter().filter(|note| !block.contains(&note.text));
    new.map(|NoteHit { slug, text, .. }| NoteWire { slug, text }).collect()
}

/// Without its text: what was not shown must not be read either, or the effect of showing it
/// could not be measured.
#[derive(Serialize)]
struct LeftOutWire {
    id: String,
    reason: String,
}

pub fn call(session: &Session, given: JsonObject) -> Result<Reply, Trouble> {
    let args: Args = arguments(given)?;
    let run = session.run(args.run.as_deref())?;
    let stated = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let role = stated(args.role).map(|role| role_name(&role.trim().replace(' ', "-"))).transpose();
    let role = role.map_err(|reason| Trouble::wrong(reason, "leave `role` out, or name it so"))?;
    let request = InjectRequest {
        run: Some(run.clone()),
        need: Need {
            role,
            paths: first(args.paths, MAX_PATHS),
            tags: first(args.tags, MAX_TAGS),
            text: stated(args.task).map(|task| task.chars().take(MAX_TASK_CHARS).collect()),
            ..Need::default()
        },
        is_explained: true,
        ..InjectRequest::default()
    };
    let (answer, notes) = session.block(request)?;
    let body =
        Body { notes: unsaid(notes, &answer.body.block), ..body(run.to_string(), &answer.body) };
    Ok(Reply::new(text(&body), &answer.map(|_| body)))
}

fn body(run: String, injected: &Injected) -> Body {
    // Lessons that are held out at random to measure the lift are not mentioned here.
    let held_out: BTreeSet<_> = injected.held_out.iter().collect();
    let left_out = injected.left_out.iter().filter(|left| !held_out.contains(&left.id));
    let left_out: Vec<LeftOutWire> = left_out
        .map(|left| LeftOutWire { id: left.id.to_string(), reason: left.reason.clone() })
        .collect();
    Body {
        run,
        block: injected.block.clone(),
        lessons: injected.lessons.iter().map(shown).collect(),
        notes: Vec::new(),
        n_left_out: left_out.len(),
        left_out: left_out.into_iter().take(MAX_LEFT_OUT).collect(),
    }
}

fn shown(shown: &InjectedLesson) -> ShownWire {
    let lesson = &shown.lesson;
    let mut parts: Vec<&(&str, f64)> = shown.parts.iter().filter(|(_, part)| *part > 0.0).collect();
    parts.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let parts: Vec<String> =
        parts.iter().take(3).map(|(name, part)| format!("{name} {part:.2}")).collect();
    let seen = match lesson.n_sightings {
        0 => "stated by hand".to_owned(),
        1 => "seen in 1 run".to_owned(),
        n => format!("seen in {n} runs"),
    };
    let why = format!("{}, {seen}; score {:.2}", lesson.state, shown.score);
    let why = if parts.is_empty() { why } else { format!("{why}: {}", parts.join(", ")) };
    ShownWire { id: shown.id.to_string(), text: shown.text.clone(), why }
}

/// The ids are below the block: mark_effect needs them.
fn text(body: &Body) -> String {
    let note = |note: &NoteWire| format!("- {} (note {})\n", note.text, note.slug);
    let mut notes: String = body.notes.iter().map(note).collect();
    if !notes.is_empty() {
        notes =
            format!("Notes in files, which no run confirmed (`hardwon jkz show SLUG`):\n{notes}");
    }
    if body.block.is_empty() {
        let none = if notes.is_empty() { "Nothing is known for this. " } else { "" };
        return format!("{notes}{none}Run: {}", body.run);
    }
    let why = |shown: &ShownWire| format!("{}: {}\n", shown.id, shown.why);
    let mut whys: String = body.lessons.iter().map(why).collect();
    if !whys.is_empty() {
        whys = format!("Why these, in this order:\n{whys}");
    }
    format!("{}\n{whys}{notes}Run: {}", body.block, body.run)
}
