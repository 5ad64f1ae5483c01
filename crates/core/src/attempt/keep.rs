//! Which attempts are in a record, and what is written down of them?

use std::collections::BTreeSet;

use super::Attempt;
use crate::change::Change;
use crate::digest::{base32, sha256};
use crate::event::{AttemptResult, AttemptStated, issue_name};
use crate::find::FoundRun;
use crate::gate::{Gate, first_chars};
use crate::lesson::Origin;
use crate::run::{Outcome, Run, RunKind};

/// Longest reason, in characters.
const MAX_REASON_CHARS: usize = 400;

/// Longest approach, in bytes: it may be a diff.
const MAX_APPROACH_BYTES: usize = 8 << 10;

/// Most files of one attempt.
const MAX_FILES: usize = 50;

/// The attempts of a record, cleaned and redacted: those that it states, or else the run itself if
/// it was one that repairs.
pub fn admitted(gate: &Gate, found: &FoundRun, run: &Run) -> Vec<Attempt> {
    let is_claim = found.origin == Origin::Agent && !run.episode.is_witnessed;
    let healed = healing(run).filter(|_| found.attempts.is_empty());
    let stated = found.attempts.iter().map(|(_, stated)| stated).chain(&healed);
    let mut seen = BTreeSet::new();
    let all = stated.map(|stated| one(gate, stated, run, is_claim));
    all.filter(|it| seen.insert(it.id.clone())).collect()
}

pub(super) fn one(gate: &Gate, stated: &AttemptStated, run: &Run, is_claim: bool) -> Attempt {
    let prose = |raw: &Option<String>| {
        let clean = gate.line(raw.as_deref()?);
        let clean = first_chars(clean.as_str(), MAX_REASON_CHARS);
        (!clean.is_empty()).then(|| clean.to_owned())
    };
    let approach = gate.passage(&stated.approach, MAX_APPROACH_BYTES);
    let author = stated.role.as_deref().and_then(|raw| gate.word(raw));
    let author = author.unwrap_or_else(|| "unknown".to_owned());
    let issue = gate.word(&stated.issue).unwrap_or_default();
    let iteration = stated.iteration.map_or(String::new(), |n| n.to_string());
    let parts = [run.id.as_str(), &issue, &author, &iteration, approach.as_str()];
    Attempt {
        id: format!("a-{}", &base32(&sha256(&parts))[..12]),
        run: run.id.clone(),
        issue,
        iteration: stated.iteration,
        author,
        approach,
        files: stated.files.iter().filter_map(|path| gate.word(path)).take(MAX_FILES).collect(),
        result: stated.result,
        why: prose(&stated.why),
        next: prose(&stated.next),
        is_claim,
        at: stated.at.or(run.finished).or(run.started).unwrap_or(run.recorded_at),
    }
}

/// A run that repairs something is an attempt at its task, if it tells what it did.
fn healing(run: &Run) -> Option<AttemptStated> {
    let issue = issue_name(run.task.as_deref().filter(|_| run.kind == RunKind::Healer)?);
    let approach = run.episode.summary.clone()?;
    let result = match run.outcome? {
        Outcome::Success => AttemptResult::Worked,
        Outcome::Partial => AttemptResult::Partial,
        Outcome::Failed => AttemptResult::Failed,
        Outcome::Aborted => return None,
    };
    (!issue.is_empty()).then(|| AttemptStated {
        role: run.role.clone(),
        issue,
        approach,
        files: run.paths.iter().cloned().collect(),
        result: Some(result),
        why: run.episode.error_class.clone(),
        ..AttemptStated::default()
    })
}

/// What writes down an attempt: of a known one, what came of it since.
pub fn changes(known: Option<Attempt>, now: Attempt) -> Vec<Change> {
    let Some(known) = known else { return vec![Change::AddAttempt { attempt: now.into() }] };
    let merged = Attempt {
        files: if now.files.is_empty() { known.files.clone() } else { now.files },
        result: now.result.or(known.result),
        why: now.why.or_else(|| known.why.clone()),
        next: now.next.or_else(|| known.next.clone()),
        is_claim: known.is_claim && now.is_claim,
        ..known.clone()
    };
    if merged == known {
        return Vec::new();
    }
    vec![
        Change::RemoveAttempt { attempt: known.into() },
        Change::AddAttempt { attempt: merged.into() },
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ids::RunId;
    use crate::time::Timestamp;

    pub(in super::super) fn attempts(texts: &[&str]) -> Vec<Attempt> {
        let run = Run::stub(RunId::parse("r7").unwrap(), Timestamp(5));
        let stated = texts.iter().zip(1..).map(|(text, n)| AttemptStated {
            role: Some("doctor".into()),
            issue: "12".into(),
            iteration: Some(n),
            approach: (*text).to_owned(),
            result: Some(AttemptResult::Failed),
            at: Some(Timestamp(i64::from(n))),
            ..AttemptStated::default()
        });
        stated.map(|stated| one(&Gate::standard(), &stated, &run, false)).collect()
    }

    #[test]
    fn what_came_of_a_known_attempt_is_added_to_it() {
        let known = attempts(&["Retry the upload"]).remove(0);
        assert_eq!(changes(Some(known.clone()), known.clone()), []);
        let open = Attempt { result: None, why: None, ..known.clone() };
        let steps = changes(Some(open.clone()), known.clone());
        assert_eq!(steps.len(), 2);
        assert_eq!(changes(Some(known.clone()), open), []);
        assert_eq!(changes(None, known).len(), 1);
    }
}
