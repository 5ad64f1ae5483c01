//! `lessons_for`: the block for what is about to be done, and why each lesson is in it.

use hardwon_engine::InjectRequest;
use hardwon_engine::answer::{Injected, InjectedLesson, LeftOut, NoteHit};
use hardwon_engine::ids::RunId;
use hardwon_engine::need::Need;
use hardwon_engine::scope::role_name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Reply, Session, Trouble, first};

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

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
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
    let (answer, mut notes) = session.block(request)?;
    // Those that the block does not tell already.
    notes.retain(|note| !answer.body.block.contains(&note.text));
    let text = text(&run, &answer.body, &notes);
    Ok(Reply::new(text, &answer.map(|injected| body(&run, &injected, &notes))))
}

/// For a program. `notes` are facts in files, which no run confirmed.
fn body(run: &RunId, injected: &Injected, notes: &[NoteHit]) -> Value {
    let shown =
        |it: &InjectedLesson| json!({"id": it.id.to_string(), "text": it.text, "why": why(it)});
    let note = |note: &NoteHit| json!({"slug": note.slug, "text": note.text});
    // Lessons that are held out at random to measure the lift are not mentioned here. Others come
    // without their text: what was not shown must not be read either, or the effect of showing it
    // could not be measured.
    let is_told = |left: &&LeftOut| !injected.held_out.contains(&left.id);
    let left_out: Vec<&LeftOut> = injected.left_out.iter().filter(is_told).collect();
    let left = |left: &&LeftOut| json!({"id": left.id.to_string(), "reason": left.reason});
    json!({
        "run": run.to_string(),
        "block": injected.block,
        "lessons": injected.lessons.iter().map(shown).collect::<Vec<_>>(),
        "notes": notes.iter().map(note).collect::<Vec<_>>(),
        "left_out": left_out.iter().take(MAX_LEFT_OUT).map(left).collect::<Vec<_>>(),
        "n_left_out": left_out.len(),
    })
}

fn why(shown: &InjectedLesson) -> String {
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
    if parts.is_empty() { why } else { format!("{why}: {}", parts.join(", ")) }
}

/// The ids are below the block: mark_effect needs them.
fn text(run: &RunId, injected: &Injected, notes: &[NoteHit]) -> String {
    let note = |note: &NoteHit| format!("- {} (note {})\n", note.text, note.slug);
    let mut notes: String = notes.iter().map(note).collect();
    if !notes.is_empty() {
        notes =
            format!("Notes in files, which no run confirmed (`hardwon jkz show SLUG`):\n{notes}");
    }
    if injected.block.is_empty() {
        let none = if notes.is_empty() { "Nothing is known for this. " } else { "" };
        return format!("{notes}{none}Run: {run}");
    }
    let why = |shown: &InjectedLesson| format!("{}: {}\n", shown.id, why(shown));
    let mut whys: String = injected.lessons.iter().map(why).collect();
    if !whys.is_empty() {
        whys = format!("Why these, in this order:\n{whys}");
    }
    format!("{}\n{whys}{notes}Run: {run}", injected.block)
}
