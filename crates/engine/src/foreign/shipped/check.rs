//! Looking back: did the injected lessons help, and did something come back that the run
//! before had fixed?

use std::collections::BTreeSet;

use hardwon_core::foreign::ArcheflowAudit;
use hardwon_readers::{
    Loose, ShippedEvent, Stream, archeflow_run_name, shipped_audit, shipped_events, shipped_index,
    shipped_lessons,
};
use hardwon_render::archeflow::audit_line;

use super::files::{USELESS, complained_silently};
use super::shell::{self, overlap, overlap_with_blank, stripped};
use super::{AUDIT, INDEX, LESSONS, Said, Shipped, Stop};

/// Words of a lesson, in percent, that a run's findings may have before it counts as of
/// no help.
const NO_HELP_FROM: u32 = 30;

/// Words of a fixed finding, in percent, that make another one its return.
const RETURNED_FROM: u32 = 50;

/// The status of the JSON tool when there is no file.
const NO_FILE: u8 = 2;

impl Shipped<'_> {
    pub(super) fn audit_check(&self, run: &str, said: &mut Said) -> Result<(), Stop> {
        if !archeflow_run_name(run) {
            let allowed = "(allowed: letters, digits, '.', '_', '-')";
            return Err(Stop::failure(format!("Error: invalid run_id '{run}' {allowed}")));
        }
        let Some(audit) = self.read(AUDIT)? else {
            said.say("No audit records found.");
            return Ok(());
        };
        let Some(log) = self.read(&log_of(run))? else {
            said.say(format!("No events file found for run {run}."));
            return Ok(());
        };
        let Some(ids) = injected(&audit, run)? else {
            said.say(format!("No audit records for run {run}."));
            return Ok(());
        };
        let found = descriptions(&shipped_events(&log));
        ids.iter().try_for_each(|id| self.check_lesson(id, run, &found, said))
    }

    fn check_lesson(&self, id: &str, run: &str, found: &str, said: &mut Said) -> Result<(), Stop> {
        let lesson_desc = self.gate.redacted(&self.first_line_of(id)?);
        if lesson_desc.is_empty() {
            return Ok(());
        }
        let overlap_pct =
            if found.is_empty() { 0 } else { overlap_with_blank(&lesson_desc, found) };
        let is_helpful = overlap_pct < NO_HELP_FROM;
        let effect = if is_helpful { "helpful" } else { "ineffective" };
        let words = format!("Lesson {id} ({effect}): {lesson_desc}");
        let record = ArcheflowAudit::Check {
            ts: Some(self.now),
            run_id: run.to_owned(),
            lesson_id: id.to_owned(),
            lesson_desc,
            is_helpful,
            overlap_pct,
        };
        self.append(AUDIT, format!("{}\n", audit_line(&record)).as_bytes())?;
        said.report(words);
        Ok(())
    }

    /// The first line of a lesson's text; empty if the lesson is gone.
    fn first_line_of(&self, id: &str) -> Result<String, Stop> {
        let bytes = self.read(LESSONS)?.ok_or_else(|| Stop::silent(NO_FILE))?;
        let lessons = shipped_lessons(&bytes);
        if let Some(complaint) = lessons.complaint() {
            return Err(complained_silently(complaint));
        }
        let lesson = lessons.usable().find(|lesson| lesson.id.is(id));
        let text = lesson.map(|lesson| lesson.description.printed()).unwrap_or_default();
        Ok(stripped(shell::first_line(&text)))
    }

    pub(super) fn regression_check(&self, name: &str, said: &mut Said) -> Result<(), Stop> {
        let log = self.log(name)?;
        let run = self.run_of(&log, name)?;
        let Some((previous, fixed)) = self.fixed_before(&run, said)? else { return Ok(()) };
        let found = descriptions(&log);
        if found.is_empty() {
            said.report("No findings in current run — no regressions.");
            return Ok(());
        }
        let mut n_returned = 0;
        for old in fixed.split('\n').filter(|line| !line.is_empty()) {
            let mut lines = found.split('\n').filter(|line| !line.is_empty());
            if let Some(new) = lines.find(|new| overlap(old, new) >= RETURNED_FROM) {
                n_returned += 1;
                said.print(&format!(
                    "REGRESSION: \"{old}\" (fixed in {previous}) reappeared as \"{new}\""
                ));
            }
        }
        if n_returned == 0 {
            said.report("No regressions detected.");
            return Ok(());
        }
        said.report(format!("{n_returned} regression(s) detected from run {previous}."));
        Err(Stop::silent(1))
    }

    /// The run before this one, and what it fixed, a line each; `None` if there is nothing
    /// to compare with, which has been said then.
    fn fixed_before(&self, run: &str, said: &mut Said) -> Result<Option<(String, String)>, Stop> {
        let Some(index) = self.read(INDEX)? else {
            said.report("No index.jsonl found — skipping regression check.");
            return Ok(None);
        };
        let previous = last_other(&index, run)?;
        if previous.is_empty() {
            said.report("No previous run found — skipping regression check.");
            return Ok(None);
        }
        if !archeflow_run_name(&previous) {
            said.report(format!("Ignoring invalid run_id in index.jsonl: '{previous}'"));
            return Ok(None);
        }
        let Some(log) = self.read(&log_of(&previous))? else {
            let path = log_of(&previous);
            said.report(format!("Previous run events not found: .archeflow/{path}"));
            return Ok(None);
        };
        let log = shipped_events(&log);
        let fixed = joined(log.usable().filter_map(|event| event.fixed.as_ref()));
        if fixed.is_empty() {
            said.report("No resolved findings in previous run — nothing to regress.");
            return Ok(None);
        }
        Ok(Some((previous, fixed)))
    }
}

fn log_of(run: &str) -> String {
    format!("events/{run}.jsonl")
}

/// The lessons that a run was shown; `None` if nothing is known of it. A record of a check
/// in the last place ends the call: the script trips over its own records.
fn injected(audit: &[u8], run: &str) -> Result<Option<BTreeSet<String>>, Stop> {
    let audit = shipped_audit(audit);
    let records: Vec<_> = audit.usable().filter(|record| record.run_id.is(run)).collect();
    let Some(last) = records.last() else { return Ok(None) };
    if last.lessons.is_none() {
        return Err(Stop::silent(USELESS));
    }
    let ids = joined(records.iter().filter_map(|record| record.lessons.as_ref()).flatten());
    Ok(Some(ids.split('\n').filter(|id| !id.is_empty()).map(str::to_owned).collect()))
}

/// The last run of the index that is another one.
fn last_other(index: &[u8], run: &str) -> Result<String, Stop> {
    let index = shipped_index(index);
    if let Some(complaint) = index.complaint() {
        return Err(complained_silently(complaint));
    }
    let last = index.usable().filter(|known| !known.is(run)).last();
    let printed = last.map(Loose::printed).unwrap_or_default();
    Ok(stripped(shell::last_line(&printed)))
}

/// What a run found, of every severity, a line each.
fn descriptions(log: &Stream<ShippedEvent>) -> String {
    joined(log.usable().flat_map(|event| &event.mentioned))
}

fn joined<'l>(values: impl Iterator<Item = &'l Loose>) -> String {
    stripped(&values.map(Loose::printed).collect::<Vec<_>>().join("\n"))
}
