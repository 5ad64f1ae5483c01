//! The queue one by one on a terminal: look, then accept, edit, reject or leave.

use std::io::{self, BufRead, Write};

use hardwon_engine::answer::Queued;
use hardwon_engine::lesson::Decision;
use hardwon_engine::{DecideRequest, EditRequest, Engine};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::super::{Context, Done};

pub(super) fn walk(context: &Context) -> Done {
    let mut engine = context.writer()?;
    let queue = engine.review_queue()?.body;
    let n_items = queue.items.len();
    for (n, item) in (1..).zip(&queue.items) {
        context.printer.data(&format!("\n[{n} of {n_items}] "));
        context.printer.data(&text::queued(item, context.width()));
        match ask("[a]ccept  [e]dit  [r]eject  [l]eave  [q]uit")?.as_str() {
            "a" => decide(context, &mut engine, item, accepting(item))?,
            "e" => edit(context, &mut engine, item)?,
            "r" => decide(context, &mut engine, item, Decision::Reject)?,
            "q" => break,
            _ => {}
        }
    }
    if n_items == 0 {
        context.printer.data("nothing waits for a decision\n");
    }
    Ok(Exit::Done)
}

/// What "accept" means for a lesson in doubt is to keep it.
fn accepting(item: &Queued) -> Decision {
    let can_approve = item.decisions.contains(&Decision::Approve);
    if can_approve { Decision::Approve } else { Decision::Keep }
}

fn decide(
    context: &Context,
    engine: &mut Engine,
    item: &Queued,
    decision: Decision,
) -> Result<(), Failure> {
    let because = ask("why")?;
    let lesson = item.lesson.id.to_string();
    let decided = engine.decide(&DecideRequest { lesson, decision, because, by: None, with: None });
    match decided {
        Ok(answer) => context.printer.data(&text::lesson(&answer.body, context.width())),
        // One refusal is no reason to lose one's place in the queue.
        Err(error) => context.printer.talk(&format!("not done: {error}")),
    }
    Ok(())
}

/// Rewords a lesson, shows the difference, and accepts it if it is agreed to.
fn edit(context: &Context, engine: &mut Engine, item: &Queued) -> Result<(), Failure> {
    let new = ask("new text")?;
    if new.is_empty() {
        return Ok(());
    }
    context.printer.data(&format!("- {}\n+ {new}\n", item.lesson.text));
    if ask("take it? [y/N]")? != "y" {
        return Ok(());
    }
    let request = EditRequest { text: Some(new), ..EditRequest::default() };
    match engine.edit(item.lesson.id.as_str(), &request) {
        Ok(_) => decide(context, engine, item, accepting(item)),
        Err(error) => {
            context.printer.talk(&format!("not done: {error}"));
            Ok(())
        }
    }
}

fn ask(question: &str) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::usage(format!("cannot ask: {error}"), None);
    write!(io::stderr().lock(), "{question}: ").map_err(failed)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(failed)?;
    Ok(line.trim().to_owned())
}
