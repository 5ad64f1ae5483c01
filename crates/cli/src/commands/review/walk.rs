//! The queue one by one on a terminal: look, then decide, reword or leave. A key that means
//! nothing is asked for again, and nothing changes before its reason is given.

use std::io::{self, BufRead, Write};

use hardwon_engine::answer::Queued;
use hardwon_engine::ids::OperationId;
use hardwon_engine::lesson::Decision;
use hardwon_engine::{DecideRequest, EditRequest, OpenMemory, history, lessons};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::super::{CommandResult, Context};
use super::first_approval_note;

/// The person at the terminal, or a test in its place.
trait Person {
    fn tell(&mut self, text: &str);
    /// The answer to a question; `None` at the end of input.
    fn ask(&mut self, question: &str) -> Result<Option<String>, Failure>;
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Decide(Decision),
    Edit,
    Leave,
    Quit,
}

/// A key, its word in the question, and what it means.
struct Key {
    key: &'static str,
    word: &'static str,
    means: &'static str,
    choice: Choice,
}

pub(super) fn walk(context: &Context) -> CommandResult {
    let mut open = context.writer()?;
    go_through(&mut open, &mut Terminal { context }, context.width())?;
    Ok(Exit::Done)
}

fn go_through(open: &mut OpenMemory, person: &mut dyn Person, width: usize) -> Result<(), Failure> {
    let items = lessons::review_queue(&open.memory, &open.call)?.body.items;
    let n_items = items.len();
    if n_items == 0 {
        person.tell("nothing waits for a decision\n");
    }
    for (n, item) in (1..).zip(&items) {
        person.tell(&format!("\n[{n} of {n_items}] {}", text::queued(item, width)));
        match choose(item, person)? {
            Choice::Quit => break,
            Choice::Leave => {}
            Choice::Edit => edit(open, item, person, width)?,
            Choice::Decide(decision) => {
                if let Some(request) = asked(item, decision, person)? {
                    decide(open, &request, person, width);
                }
            }
        }
    }
    Ok(())
}

/// Asks until a key is one that means something here.
fn choose(item: &Queued, person: &mut dyn Person) -> Result<Choice, Failure> {
    let keys = keys(item);
    let words: Vec<&str> = keys.iter().map(|key| key.word).collect();
    let question = format!("{}  [?]", words.join("  "));
    loop {
        let Some(answer) = person.ask(&question)? else { return Ok(Choice::Quit) };
        if let Some(key) = keys.iter().find(|key| key.key == answer) {
            return Ok(key.choice);
        }
        for key in &keys {
            person.tell(&format!("  {}  {}\n", key.key, key.means));
        }
    }
}

/// What can be done about a lesson here.
fn keys(item: &Queued) -> Vec<Key> {
    use Choice::{Decide, Edit, Leave, Quit};
    let key = |key, word, means, choice| Key { key, word, means, choice };
    let mut keys = Vec::new();
    if let Some(decision) = accepting(item) {
        let means = match decision {
            Decision::Keep => "keep it: its state is again what it was before the doubt",
            _ => "approve it: it rises by one state, if it has earned that",
        };
        keys.push(key("a", "[a]ccept", means, Decide(decision)));
        if decision == Decision::Approve {
            keys.push(key("k", "[k]eep", "leave it as it is", Decide(Decision::Keep)));
        }
        keys.push(key("e", "[e]dit", "reword it, then accept it", Edit));
    }
    let weaken = "take it down, see `hardwon review weaken --help`";
    keys.extend([
        key("w", "[w]eaken", weaken, Decide(Decision::Weaken)),
        key("s", "[s]upersede", "another lesson replaces it", Decide(Decision::Supersede)),
        key(
            "p",
            "[p]ut away",
            "archive it; `hardwon edit LESSON --restore` brings it back",
            Decide(Decision::Archive),
        ),
        key("r", "[r]eject", "it is wrong or of no use", Decide(Decision::Reject)),
        key("l", "[l]eave", "go on to the next one", Leave),
        key("q", "[q]uit", "stop here; what was decided stays", Quit),
    ]);
    keys.retain(|key| match key.choice {
        Decide(decision) => item.decisions.contains(&decision.into()),
        Edit | Leave | Quit => true,
    });
    keys
}

/// What "accept" means: to approve, or for a lesson in doubt to keep it. On its last visit
/// neither is possible.
fn accepting(item: &Queued) -> Option<Decision> {
    let wanted = [Decision::Approve, Decision::Keep];
    wanted.into_iter().find(|decision| item.decisions.contains(&(*decision).into()))
}

/// All that a decision needs; nothing if the person did not give it.
fn asked(
    item: &Queued,
    decision: Decision,
    person: &mut dyn Person,
) -> Result<Option<DecideRequest>, Failure> {
    let mut with = None;
    if decision == Decision::Supersede {
        with = answered(person, "which lesson replaces it (its id)", "that needs a lesson")?;
        if with.is_none() {
            return Ok(None);
        }
    }
    let because = answered(person, "why", "a decision needs a reason")?;
    let lesson = item.lesson.id.to_string();
    Ok(because.map(|because| DecideRequest { lesson, decision, because, by: None, with }))
}

/// An answer; without one it is printed that nothing was changed.
fn answered(
    person: &mut dyn Person,
    question: &str,
    otherwise: &str,
) -> Result<Option<String>, Failure> {
    let answer = person.ask(question)?.filter(|answer| !answer.is_empty());
    if answer.is_none() {
        person.tell(&format!("nothing was changed: {otherwise}\n"));
    }
    Ok(answer)
}

/// Decides; true if it was done. A refusal does not end the walk through the queue.
fn decide(
    open: &mut OpenMemory,
    request: &DecideRequest,
    person: &mut dyn Person,
    width: usize,
) -> bool {
    match lessons::decide(&mut open.memory, &open.call, request) {
        Ok(answer) => {
            person.tell(&text::lesson(&(&answer.body).into(), width));
            if let Some(note) = first_approval_note(&answer.body) {
                person.tell(&format!("{note}\n"));
            }
            true
        }
        Err(error) => {
            person.tell(&format!("not done: {error}\n"));
            false
        }
    }
}

/// Rewords a lesson and accepts it, both or neither: everything is asked first.
fn edit(
    open: &mut OpenMemory,
    item: &Queued,
    person: &mut dyn Person,
    width: usize,
) -> Result<(), Failure> {
    let Some(new) = answered(person, "new text", "there is no new text")? else { return Ok(()) };
    person.tell(&format!("- {}\n+ {new}\n", item.lesson.text));
    if person.ask("take it? [y/N]")?.as_deref() != Some("y") {
        return Ok(());
    }
    let Some(decision) = accepting(item) else { return Ok(()) };
    let Some(decided) = asked(item, decision, person)? else { return Ok(()) };
    let request = EditRequest { text: Some(new), ..EditRequest::default() };
    if let Err(error) =
        lessons::edit(&mut open.memory, &open.call, item.lesson.id.as_str(), &request)
    {
        person.tell(&format!("not done: {error}\n"));
        return Ok(());
    }
    let edited = newest(open, item)?;
    if !decide(open, &decided, person, width) {
        // The new text was not accepted.
        history::undo(&mut open.memory, &open.call, edited)?;
        person.tell("the text is unchanged\n");
    }
    Ok(())
}

/// The newest operation on a lesson that can be undone here.
fn newest(open: &OpenMemory, item: &Queued) -> Result<Option<OperationId>, Failure> {
    let story = lessons::show(&open.memory, &open.call, item.lesson.id.as_str())?.body;
    let mut own = story.page.history.iter().filter(|entry| !entry.elsewhere);
    Ok(own.next_back().map(|entry| OperationId(entry.operation)))
}

struct Terminal<'a> {
    context: &'a Context,
}

impl Person for Terminal<'_> {
    fn tell(&mut self, text: &str) {
        self.context.printer.data(text);
    }

    fn ask(&mut self, question: &str) -> Result<Option<String>, Failure> {
        let failed = |error: io::Error| Failure::usage(format!("cannot ask: {error}"), None);
        write!(io::stderr().lock(), "{question}: ").map_err(failed)?;
        let mut line = String::new();
        let n_bytes = io::stdin().lock().read_line(&mut line).map_err(failed)?;
        Ok((n_bytes > 0).then(|| line.trim().to_owned()))
    }
}

#[cfg(test)]
mod tests;
