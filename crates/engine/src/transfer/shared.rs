//! From a memory of one's own to that of a team, and back: single lessons, as a file of ours. What
//! somebody shares waits there until a reviewer approves it; what they approved comes back under the
//! trust that its taker has in them.

use hardwon_core::event::Problem;
use hardwon_core::lesson::{Lesson, Origin, Trust};
use hardwon_readers::read_export;
use hardwon_render::answer::{Answer, Imported};
use hardwon_render::export::{Rows, export};
use hardwon_store::LessonQuery;

use super::take::{Source, taking};
use crate::exports::gated::Gated;
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::write::{Command, write};

/// These lessons as a file of ours, without the evidence behind them.
pub fn shared(memory: &Memory, call: &Call, names: &[String]) -> Result<(String, Vec<Lesson>)> {
    call.needs_person("sharing a lesson")?;
    let named = |name: &String| lookup::lesson_named(memory, call, name);
    let lessons = names.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    Ok((as_file(call, &lessons), lessons))
}

/// What people of this project approved or stated, as a file of ours, and how many lessons that is.
pub fn approved(memory: &Memory, call: &Call) -> Result<(String, u64)> {
    let all = memory.store.lessons(&call.project, &LessonQuery::not_put_away())?;
    let is_theirs = |lesson: &Lesson| {
        let is_own = lesson.project.is_some() && lesson.origin != Origin::Team;
        is_own && lesson.state.is_active() && lesson.trust == Trust::Trusted
    };
    let mut lessons: Vec<Lesson> = all.into_iter().filter(is_theirs).collect();
    lessons.sort_by(|left, right| left.id.cmp(&right.id));
    Ok((as_file(call, &lessons), lessons.len() as u64))
}

fn as_file(call: &Call, lessons: &[Lesson]) -> String {
    let rows = Rows { lessons: lessons.to_vec(), ..Rows::default() };
    export(&call.project, &rows).0
}

/// Takes what a member shared: it waits for a reviewer, whoever sent it.
pub fn propose(memory: &mut Memory, call: &Call, text: &str) -> Result<Answer<Imported>> {
    call.refuse_agent("sharing a lesson")?;
    take(memory, call, "share", text, Origin::Import, false)
}

/// Takes what a team approved. Whoever does not trust it beforehand looks at each.
pub fn take_from_team(
    memory: &mut Memory,
    call: &Call,
    text: &str,
    is_trusted: bool,
) -> Result<Answer<Imported>> {
    call.needs_person("taking lessons of a team")?;
    take(memory, call, "share fetch", text, Origin::Team, is_trusted)
}

fn take(
    memory: &mut Memory,
    call: &Call,
    command: &str,
    text: &str,
    origin: Origin,
    is_trusted: bool,
) -> Result<Answer<Imported>> {
    let name = "what was shared".to_owned();
    let bad = |reason| EngineError::BadExport { path: name.clone(), reason };
    let gated = Gated::of(read_export(text.as_bytes()).map_err(bad)?, &memory.gate);
    let source = Source { gated, is_trusted, name: name.clone(), origin };
    let (_, (imported, problems)) =
        write(memory, call, &Command::new(command), &mut |memory, status| {
            taking(memory, call, &source, status.run_number)
        })?;
    let unusable = source.gated.unusable.iter();
    let unusable =
        unusable.map(|(line, reason)| Problem::new(format!("line {line}"), reason.clone()));
    let problems = unusable.chain(problems).collect();
    Ok(Answer::of(imported, problems).empty_if(|it| it.n_read == 0))
}
