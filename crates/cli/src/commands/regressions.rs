//! `hardwon log --regressions`

use hardwon_engine::runs;
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Findings of a run, or of the newest learned one, that had been fixed in an earlier run.
pub fn regressions(context: &Context, run: Option<&str>) -> CommandResult {
    let run = run.map(args::run_id).transpose().map_err(|flaw| Failure::usage(flaw, None))?;
    let open = context.reader()?;
    let answer = runs::regressions(&open.memory, &open.call, run.as_ref())?;
    let exit = if answer.body.regressions.is_empty() { Exit::Done } else { Exit::Negative };
    context.print(&open, answer, |body, _| text::regressions(body))?;
    Ok(exit)
}
