//! `review`: what waits for a decision, and the decisions that an agent may make.

use hardwon_engine::answer::{self, Answer, Queue, Queued};
use hardwon_engine::lesson::{Decision, Lesson};
use hardwon_engine::{DecideRequest, EngineError, lessons};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Reply, Session, Trouble, line, wire};

/// How many that wait are listed.
const MAX_ITEMS: usize = 20;

/// `list`, `request`, and the decisions.
fn actions() -> Vec<&'static str> {
    let decisions = Decision::ALL.iter().map(|decision| decision.word());
    ["list", "request"].into_iter().chain(decisions).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What to do; list when left out.
    #[schemars(extend("enum" = actions()))]
    action: Option<String>,
    /// The lesson's id.
    lesson: Option<String>,
    /// The reason, in a few words.
    because: Option<String>,
    /// For supersede: the lesson that replaces it.
    with: Option<String>,
}

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    let action = args.action.as_deref().unwrap_or("list");
    if action == "list" {
        let open = session.reader()?;
        let queue = lessons::review_queue(&open.memory, &open.call)?;
        return Ok(listed(queue));
    }
    let decision = Decision::from_word(action);
    if decision.is_none() && action != "request" {
        return Err(Trouble::wrong("no such action", format!("one of {}", actions().join(", "))));
    }
    let missing =
        |what: &str| Trouble::wrong(format!("`{what}` is missing"), "name it and say why");
    let lesson = args.lesson.ok_or_else(|| missing("lesson"))?;
    let because = args.because.ok_or_else(|| missing("because"))?;
    let mut open = session.writer()?;
    let answer = match decision {
        None => lessons::doubt(&mut open.memory, &open.call, &lesson, &because),
        Some(decision) => {
            let lesson = lesson.clone();
            let request = DecideRequest { lesson, decision, because, by: None, with: args.with };
            lessons::decide(&mut open.memory, &open.call, &request)
        }
    };
    match answer {
        Ok(answer) => Ok(decided(answer)),
        // What an agent may not decide it can ask for.
        Err(error @ EngineError::NeedsPerson { .. }) => Err(Trouble::from(error).with_hint(
            format!("ask the person to type: hardwon review {action} {lesson} --because …"),
        )),
        Err(error) => Err(error.into()),
    }
}

/// `items` is what waits, the most urgent first; `lesson` what was decided about, as it is now.
fn body(items: Vec<Value>, n_waiting: usize, lesson: Option<Value>) -> Value {
    json!({"items": items, "n_waiting": n_waiting, "lesson": lesson})
}

fn decided(answer: Answer<Lesson>) -> Reply {
    let lesson = answer::Lesson::from(&answer.body);
    let body = body(Vec::new(), 0, Some(wire(&lesson)));
    Reply::new(format!("Decided. {}", line(&lesson)), &answer.map(|_| body))
}

fn listed(answer: Answer<Queue>) -> Reply {
    let all = &answer.body.items;
    let shown = &all[..all.len().min(MAX_ITEMS)];
    let row = |item: &Queued| format!("\n{}; waits: {}", line(&item.lesson), item.waits);
    let text = match all.len() {
        0 => "Nothing waits for a decision.".to_owned(),
        n => format!("{n} wait for a decision.{}", shown.iter().map(row).collect::<String>()),
    };
    // Why it waits, the reason of its last step, and what may be decided, by whoever may.
    let item = |item: &Queued| {
        let decisions: Vec<&str> = item.decisions.iter().map(|it| it.word()).collect();
        json!({
            "lesson": wire(&item.lesson), "waits": item.waits.to_string(),
            "because": item.because, "decisions": decisions,
        })
    };
    let body = body(shown.iter().map(item).collect(), all.len(), None);
    Reply::new(text, &answer.map(|_| body))
}
