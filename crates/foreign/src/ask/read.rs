//! A model reads the sessions that wait: one question each, about its digest; code checks what it
//! answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hardwon_core::consult::Purpose;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::event::Problem;
use hardwon_core::gate::first_chars;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::reading::Reading;
use hardwon_core::reflect::Scenario;
use hardwon_core::words::words;
use hardwon_engine::answer::{Answer, AskedOutcome, PromptPrinted, Reflected};
use hardwon_engine::model::{Model, Tool};
use hardwon_engine::runs::FromModel;
use hardwon_engine::waiting::{self, Held, Waiting};
use hardwon_engine::{Call, Environment, Memory, OpenMemory, Result, lookup, runs};
use hardwon_render::advice::{READ, READ_SHAPE, READ_VERSION, listed, shape_of};
use serde_json::Value;

use super::{Outcome, Question, Words, accounted, ask, conclude, give_up, room};

/// Most known lessons that are told.
const N_KNOWN: usize = 15;
/// Files in which a project says how to work on it.
const RULES: [&str; 4] =
    ["CLAUDE.md", "AGENTS.md", ".cursorrules", ".github/copilot-instructions.md"];
/// So much of one is told whole; of a longer one only lines that speak of what the session did.
const RULES_CHARS: usize = 6_000;
/// Longest line that is told of it, in characters.
const LINE_CHARS: usize = 300;
/// A larger one is no text that anybody wrote.
const MAX_BYTES: u64 = 512 << 10;

/// What is told beside a digest.
struct Beside {
    known: Vec<Lesson>,
    /// Which lessons the session was told.
    told: BTreeSet<LessonId>,
    rules: Vec<(String, String)>,
}

/// Reads the session of this run, or all that wait for their project, and says what came of it.
pub fn read_waiting(
    environment: &Environment,
    open: &mut OpenMemory,
    run: Option<&RunId>,
    model: &dyn Model,
) -> Result<Answer<Reflected>> {
    let mut reflected =
        Reflected::skipped(Scenario::SessionComplete, "no session waits for a reader");
    let mut problems = Vec::new();
    while let Some(held) = waiting::hold(environment, &open.call.project, run) {
        if !read(&mut open.memory, &open.call, held, model, &mut reflected, &mut problems)? {
            break;
        }
    }
    Ok(reflected.answer(problems))
}

/// Asks about one session. Whether others may be asked about.
fn read(
    memory: &mut Memory,
    call: &Call,
    held: Held,
    model: &dyn Model,
    reflected: &mut Reflected,
    problems: &mut Vec<Problem>,
) -> Result<bool> {
    let waiting = &held.waiting;
    let Some(run) = RunId::named(&waiting.run) else { return held.finish().map(|()| true) };
    let beside = beside(memory, call, waiting)?;
    let question = question(memory, model, waiting, &beside);
    let (outcome, asked) = ask(memory, call, model, &question)?;
    let refused = asked.reason.clone().unwrap_or_default();
    let is_failed = matches!(asked.outcome, AskedOutcome::Failed | AskedOutcome::NotAsked);
    reflected.asked.push(asked);
    match outcome {
        Outcome::Known => {}
        // It goes on waiting.
        Outcome::Nothing { is_cap } => {
            let what = if is_cap { "not asked" } else { "no answer" };
            problems.push(Problem::new(model.backend(), format!("{what}: {refused}")));
            return Ok(false);
        }
        Outcome::Answered(value, asked) => match reading(&value, problems) {
            Some(reading) => {
                let Beside { known, rules, .. } = &beside;
                let from = FromModel { reading: &reading, digest: &waiting.digest, known, rules };
                let taken = runs::take_reading(memory, call, &run, model.model(), &from)?;
                problems.extend(taken.problems);
                conclude(memory, call, &asked)?;
                reflected.read(run.clone());
                reflected.advised(accounted(memory, call, &run)?, taken.body);
            }
            None => {
                give_up(memory, call, &asked, "its answer is not the object that was asked for")?
            }
        },
    }
    held.finish()?;
    Ok(!is_failed)
}

/// The answer, without lessons and verdicts that have another form.
fn reading(value: &Value, problems: &mut Vec<Problem>) -> Option<Reading> {
    let answer = value.as_object().filter(|answer| answer.contains_key("lessons"))?;
    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let each = |name: &'static str| {
        let items = answer.get(name).and_then(Value::as_array).into_iter().flatten();
        items
            .cloned()
            .enumerate()
            .map(move |(n, item)| (format!("{name}[{n}]"), item))
            .collect::<Vec<_>>()
    };
    let (lessons, verdicts) = (each("lessons"), each("verdicts"));
    let mut odd = |at: String, error: serde_json::Error| {
        problems.push(Problem::new(at, format!("not taken: {error}")));
    };
    let mut reading =
        Reading { outcome: text("outcome"), summary: text("summary"), ..Reading::default() };
    for (at, item) in lessons {
        match serde_json::from_value(item) {
            Ok(lesson) => reading.lessons.push(lesson),
            Err(error) => odd(at, error),
        }
    }
    for (at, item) in verdicts {
        match serde_json::from_value(item) {
            Ok(verdict) => reading.verdicts.push(verdict),
            Err(error) => odd(at, error),
        }
    }
    Some(reading)
}

/// What would be sent about a session that waits.
pub fn prompt(
    memory: &Memory,
    call: &Call,
    waiting: &Waiting,
    model: &dyn Model,
) -> Result<PromptPrinted> {
    let question = question(memory, model, waiting, &beside(memory, call, waiting)?);
    let request = question.request;
    Ok(PromptPrinted { system: request.system, text: request.text, schema: request.shape.schema })
}

fn question(memory: &Memory, model: &dyn Model, waiting: &Waiting, beside: &Beside) -> Question {
    let shape = Tool {
        name: "hand_in_reading".to_owned(),
        purpose: "Hands in what later sessions should be told.".to_owned(),
        schema: shape_of(READ_SHAPE),
    };
    let session = waiting.digest.text();
    let known = listed(&beside.known, &beside.told);
    let said: BTreeSet<String> = words(&session).into_iter().collect();
    let rules = beside.rules.iter().map(|(name, text)| rules_told(name, text, &said));
    let rules = rules.map(|told| format!("\n\n{}", memory.gate.redacted(&told)));
    let text = format!(
        "{session}\n\nKnown lessons, the nearest first:\n{known}{}\n",
        rules.collect::<String>()
    );
    let evidence = sha256_of_bytes(format!("version {READ_VERSION}\n{session}").as_bytes());
    let words = Words {
        purpose: Purpose::Reflect,
        about: vec![waiting.run.clone()],
        evidence,
        system: READ.to_owned(),
        text,
        shape,
    };
    Question::new(model, room(&memory.settings, model), words)
}

fn beside(memory: &Memory, call: &Call, waiting: &Waiting) -> Result<Beside> {
    let session = waiting.digest.text();
    let known = lookup::near(memory, call, &session, N_KNOWN)?;
    let folder = Path::new(&waiting.folder);
    let rules =
        RULES.iter().filter_map(|name| Some(((*name).to_owned(), text_of(&folder.join(name))?)));
    let tree = RunId::named(&waiting.run).map(|run| memory.store.tree(&call.project, &run));
    let shown = tree.transpose()?.into_iter().flat_map(|tree| tree.injections);
    let told = shown.flat_map(|it| it.shown).map(|it| it.lesson).collect();
    Ok(Beside { known, told, rules: rules.collect() })
}

/// A file that somebody wrote, if it is there.
fn text_of(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return None;
    }
    fs::read_to_string(path).ok()
}

/// What is told of a rules file: all of it, or its lines that share two words with the session.
fn rules_told(name: &str, text: &str, said: &BTreeSet<String>) -> String {
    if text.len() <= RULES_CHARS {
        return format!("{name} says:\n{text}");
    }
    let is_near = |line: &str| words(line).iter().filter(|word| said.contains(*word)).count() > 1;
    let near = text.lines().enumerate().filter(|(_, line)| is_near(line));
    let mut told = format!("{name} has {} lines; of them:", text.lines().count());
    for (at, line) in near {
        let line = format!("\n{name}:{}: {}", at + 1, first_chars(line, LINE_CHARS));
        if told.len() + line.len() <= RULES_CHARS {
            told += &line;
        }
    }
    told
}
