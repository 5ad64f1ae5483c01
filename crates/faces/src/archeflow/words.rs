//! What ArcheFlow's commands say, and on which stream.

use hardwon_engine::answer::{Named, RunLearned, Transition, TrustStanding};
use hardwon_engine::event::Problem;
use hardwon_engine::ids::LessonId;
use hardwon_engine::lesson::State;
use hardwon_engine::{EngineError, without_control};
use hardwon_foreign::archeflow::commands::{
    Archeflow, AuditChecked, Compared, Decayed, EventRequest, Extracted, is_json,
};

use super::{CommandOutput, Outcome};

const PREFIX: &str = "[archeflow-memory]";

/// The list of commands as ArcheFlow's own script prints it after a call without one.
pub(super) const USAGE: &str = include_str!("../../data/archeflow-usage.txt");

pub(super) const HELP: &str = include_str!("../../data/archeflow-help.txt");

pub(super) const TYPES: &str = "Types: pattern, preference, archetype_hint, anti_pattern";

impl CommandOutput {
    /// Data, to standard output.
    pub fn print(mut self, text: &str) -> Self {
        self.out.push_str(text);
        self
    }

    /// A line to standard error.
    pub fn say(mut self, line: impl Into<String>) -> Self {
        self.talk.extend(line.into().split('\n').map(without_control));
        self
    }

    /// A line of progress.
    pub fn tell(self, line: impl std::fmt::Display) -> Self {
        self.say(format!("{PREFIX} {line}"))
    }

    pub fn problems(mut self, problems: &[Problem]) -> Self {
        for problem in problems {
            self = self.tell(format_args!("{}: {}", problem.at, problem.reason));
        }
        self
    }

    pub fn end(self, code: u8) -> CommandOutput {
        CommandOutput { code, ..self }
    }

    pub fn extracted(mut self, archeflow: &Archeflow, extracted: &Extracted, log: &str) -> Outcome {
        let learned = &extracted.learned;
        let n_read: u64 = learned.runs.iter().map(|run| run.findings.n_read).sum();
        if n_read == 0 {
            return Ok(self.tell(format_args!("No findings to extract from {log}")).end(0));
        }
        let (mut n_updated, mut n_added) = (0, 0);
        for run in &learned.runs {
            let matched = run.matched.iter().map(|named| (named, is_revived(run, &named.id)));
            let new = run.new.iter().map(|named| (named, true));
            for (Named { id, text }, is_new) in matched.chain(new) {
                let name = archeflow.name_of(id)?;
                if is_new {
                    self = self.tell(format_args!("Added candidate lesson {name}: {text}"));
                    n_added += 1;
                } else if extracted.raised.contains(id) {
                    // A run counts once for a lesson, however often it reports it.
                    self = self.tell(format_args!("Updated lesson {name} (freq +1): {text}"));
                    n_updated += 1;
                }
            }
        }
        let line = format!("Extract complete: {n_updated} updated, {n_added} new candidates");
        Ok(self.tell(line).end(0))
    }

    pub fn decayed(mut self, archeflow: &Archeflow, decayed: &Decayed) -> Outcome {
        for lesson in &decayed.archived {
            let name = archeflow.name_of(&lesson.id)?;
            self = self.tell(format_args!("Archived lesson {name} (frequency reached 0)"));
        }
        let n_archived = decayed.archived.len();
        let line = format!("Decay complete: {} decayed, {n_archived} archived", decayed.n_decayed);
        Ok(self.tell(line).end(0))
    }

    pub fn audited(mut self, archeflow: &Archeflow, run: &str, checked: &AuditChecked) -> Outcome {
        let lessons = match checked {
            AuditChecked::NoAudit => return Ok(self.say("No audit records found.").end(0)),
            AuditChecked::NoEvents => {
                return Ok(self.say(format!("No events file found for run {run}.")).end(0));
            }
            AuditChecked::NotInjected => {
                return Ok(self.say(format!("No audit records for run {run}.")).end(0));
            }
            AuditChecked::Checked(lessons) => lessons,
        };
        for (lesson, is_helpful) in lessons {
            let name = archeflow.name_of(&lesson.id)?;
            let verdict = if *is_helpful { "helpful" } else { "ineffective" };
            self = self.tell(format_args!("Lesson {name} ({verdict}): {}", lesson.text));
        }
        Ok(self.end(0))
    }

    pub fn compared(mut self, compared: &Compared) -> CommandOutput {
        let line = match compared {
            Compared::NoIndex => "No index.jsonl found — skipping regression check.",
            Compared::NoEarlierRun => "No previous run found — skipping regression check.",
            Compared::NothingFixed => "No resolved findings in previous runs — nothing to regress.",
            Compared::NoFindings => "No findings in current run — no regressions.",
            Compared::With(again) if again.is_empty() => "No regressions detected.",
            Compared::With(again) => {
                for one in again {
                    let (fixed, now) = (&one.fixed, &one.now);
                    let line = format!(
                        "REGRESSION: \"{fixed}\" (fixed in {}) reappeared as \"{now}\"\n",
                        one.fixed_in
                    );
                    self = self.print(&line);
                }
                let n_again = again.len();
                return self.tell(format_args!("{n_again} regression(s) detected.")).end(1);
            }
        };
        self.tell(line).end(0)
    }
}

/// Whether a run brought a lesson back from the archive: there it counts as new.
fn is_revived(run: &RunLearned, id: &LessonId) -> bool {
    let revives = |step: &Transition| {
        let was_away = matches!(step.from.0, State::Archived | State::Decayed);
        was_away && step.lesson.id == *id
    };
    run.transitions.iter().any(revives)
}

/// Trouble, in one line.
pub(super) fn error(trouble: &EngineError) -> CommandOutput {
    CommandOutput::default().say(format!("Error: {trouble}"))
}

/// Why nothing is shown, and what to type.
pub(super) fn unapproved(standing: TrustStanding) -> CommandOutput {
    let since = match standing {
        TrustStanding::Changed => "it changed since you approved it",
        TrustStanding::Unknown | TrustStanding::Trusted => "no person approved it",
    };
    let reason = "git tracks .archeflow, so its lessons may have come with the checkout, and";
    let hint = "look at it with `hardwon trust .archeflow`, or name it: `hardwon archeflow --dir . inject`";
    CommandOutput::default()
        .say(format!("No lessons shown: {reason} {since}."))
        .say(format!("  {hint}"))
}

pub(super) fn no_events_file(path: &str) -> CommandOutput {
    CommandOutput::default().say(format!("Error: events file not found: {path}")).end(1)
}

pub(super) fn invalid_run(id: &str) -> CommandOutput {
    let allowed = "(allowed: letters, digits, '.', '_', '-')";
    CommandOutput::default().say(format!("Error: invalid run_id '{id}' {allowed}")).end(1)
}

/// The event that the arguments describe.
pub(super) fn event_request(args: &[String]) -> Result<EventRequest, String> {
    let given = |index: usize| args.get(index).map(String::as_str).filter(|arg| !arg.is_empty());
    let data = given(4).unwrap_or("{}");
    if !is_json(data) {
        return Err("Error: invalid JSON in data argument".to_owned());
    }
    let numbers = given(5).map(|list| list.split(',').map(str::parse::<u64>).collect());
    let parents: Result<Vec<u64>, _> = numbers.unwrap_or(Ok(Vec::new()));
    let parents = parents.map_err(|_| {
        "Error: invalid parent format (expected comma-separated integers)".to_owned()
    })?;
    Ok(EventRequest {
        run: args[0].clone(),
        event_type: args[1].clone(),
        phase: args[2].clone(),
        agent: args[3].clone(),
        data: data.to_owned(),
        parents,
    })
}
