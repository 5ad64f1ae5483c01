//! What forms do: one use case each, then back to the page, which says what was done and offers to
//! take it back.

use hardwon_engine::answer::Answer;
use hardwon_engine::ids::OperationId;
use hardwon_engine::lesson::{Decision, Lesson};
use hardwon_engine::{
    Access, Call, DecideRequest, EditRequest, EngineError, Memory, history, lessons,
};
use hardwon_render::page::Notice;

use super::super::fields::Fields;
use super::super::route::{Answered, Ask, Reply, known};
use super::super::trouble::Trouble;

/// What a page says after a form, by the word in its address: nothing of a form's own words is
/// ever shown.
const SAID: &[(&str, &str)] = &[
    ("edited", "The text was changed."),
    ("pinned", "Pinned: it has a place in every block."),
    ("unpinned", "No longer pinned."),
    ("forgotten", "Archived: it is not shown any more."),
    ("restored", "It is back."),
    ("merged", "Merged: the other lesson has the evidence of both."),
    ("decided", "Your decision was noted."),
    ("undone", "Taken back."),
];

/// The notice of a page that was reached after a form.
pub fn notice(ask: &Ask<'_>) -> Option<Notice> {
    let done = ask.query.get("done")?;
    let (_, text) = SAID.iter().find(|(word, _)| *word == done)?;
    let operation = ask.query.get("operation").and_then(|text| text.parse().ok());
    Some(Notice { text: (*text).to_owned(), is_failure: false, operation })
}

/// Where a form leads: to a path of ours, whatever it says.
fn back(form: &Fields, done: &str, operation: Option<u64>) -> String {
    let given = form.get("back").unwrap_or("/");
    let is_ours = given.starts_with('/')
        && !given.starts_with("//")
        && given.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let path = if is_ours { given } else { "/" };
    let path = path.split_once('#').map_or(path, |(path, _)| path);
    let separator = if path.contains('?') { '&' } else { '?' };
    let operation = operation.map(|number| format!("&operation={number}")).unwrap_or_default();
    format!("{path}{separator}done={done}{operation}")
}

/// Does something to the lesson of the path, if it is still as it was when it was looked at.
pub fn act(
    ask: &Ask<'_>,
    form: &Fields,
    done: &str,
    work: impl FnOnce(&mut Memory, &Call, &str) -> Result<Answer<Lesson>, EngineError>,
) -> Answered {
    let mut open = ask.lend(Access::Write, form.get("project"))?;
    open.call = open.call.if_match(form.get("if_match"));
    let (memory, call) = open.parts();
    let lesson = work(memory, call, ask.id())?.body;
    let newest = history::history(memory, call, Some(lesson.id.as_str()), Some(1))?.body;
    let own = newest.entries.first().filter(|entry| !entry.elsewhere);
    let operation = own.map(|entry| entry.operation);
    Ok(Reply::See(back(form, done, operation)))
}

pub fn edit(ask: &mut Ask<'_>) -> Answered {
    let form = ask.form()?;
    let text = form.get("text").map(|text| text.replace("\r\n", "\n"));
    let request = EditRequest { text, ..EditRequest::default() };
    act(ask, &form, "edited", |memory, call, name| lessons::edit(memory, call, name, &request))
}

pub fn pin(ask: &Ask<'_>, is_pinned: bool) -> Answered {
    let done = if is_pinned { "pinned" } else { "unpinned" };
    act(ask, &ask.form()?, done, |memory, call, name| lessons::pin(memory, call, name, is_pinned))
}

pub fn merge(ask: &mut Ask<'_>) -> Answered {
    let form = ask.form()?;
    let into = form.get("other").ok_or_else(|| Trouble::wrong("name the lesson that stays"))?;
    act(ask, &form, "merged", |memory, call, name| lessons::merge(memory, call, name, into))
}

pub fn decide(ask: &mut Ask<'_>) -> Answered {
    let form = ask.form()?;
    let decision = form.get("decision").unwrap_or_default();
    let decision = known(decision, "a decision", Decision::from_word)?;
    let request = DecideRequest {
        lesson: ask.id().to_owned(),
        decision,
        because: form.get("because").unwrap_or("decided on the page").to_owned(),
        // In a team it is people who decide, not pages. Who came with a token is known by it.
        by: ask.house.desk.environment.user.clone(),
        with: form.get("with").map(str::to_owned),
    };
    act(ask, &form, "decided", |memory, call, _| lessons::decide(memory, call, &request))
}

pub fn undo(ask: &mut Ask<'_>) -> Answered {
    let form = ask.form()?;
    let operation = form.get("operation").and_then(|text| text.parse().ok()).map(OperationId);
    let operation = operation.ok_or_else(|| Trouble::wrong("name the operation"))?;
    let mut open = ask.lend(Access::Write, form.get("project"))?;
    let (memory, call) = open.parts();
    history::undo(memory, call, Some(operation))?;
    Ok(Reply::See(back(&form, "undone", None)))
}

/// Signs out: the cookie means nobody any more.
pub fn leave(ask: &mut Ask<'_>) -> Answered {
    let form = ask.form()?;
    ask.house.keys.leave(form.get("csrf").unwrap_or_default());
    Ok(Reply::See("/".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_leads_to_a_page_of_ours() {
        let led = |text: &str| {
            let form = Fields::parse(&format!("back={text}")).unwrap();
            back(&form, "pinned", Some(7))
        };
        assert_eq!(led("/lessons/l-1"), "/lessons/l-1?done=pinned&operation=7");
        assert_eq!(led("/review?skip=l-2"), "/review?skip=l-2&done=pinned&operation=7");
        assert_eq!(led("/lessons%23x"), "/lessons?done=pinned&operation=7");
        for elsewhere in ["//evil", "http://evil", "/%5Cevil", "", "/a%0d%0ab"] {
            assert_eq!(led(elsewhere), "/?done=pinned&operation=7", "{elsewhere}");
        }
    }
}
