//! What did an operation learn? The runs and findings that it wrote down, as if they were
//! found once more. Their texts have passed the gate.

use std::collections::BTreeMap;

use crate::change::{Change, Operation};
use crate::effect::Effect;
use crate::event::{EffectStated, FindingStated, RunStated, Source};
use crate::find::{FoundFinding, FoundRun};
use crate::finding::{Finding, FindingState};
use crate::ids::{LessonId, RunId};
use crate::lesson::Origin;
use crate::run::Run;
use crate::signature::signature;

/// What one `learn` was told.
pub struct RecordedRun {
    pub runs: Vec<FoundRun>,
    /// Findings with the lesson that they were recognized as.
    pub findings: Vec<Finding>,
    pub n_erased: u64,
}

/// All runs that these operations learned. One that does not say when it ended did so when it was
/// learned. What a later run changed in an earlier finding is left out.
pub fn learned_runs(operations: &[Operation]) -> Vec<FoundRun> {
    let is_learn =
        |operation: &&Operation| operation.is_own && operation.first.head.command == "learn";
    let mut runs = Vec::new();
    for operation in operations.iter().filter(is_learn) {
        let is_news = |change: &&Change| !matches!(change, Change::EditFinding { .. });
        let changes: Vec<Change> = operation.changes.iter().filter(is_news).cloned().collect();
        for mut run in recorded_runs(&changes, &BTreeMap::new()).runs {
            if run.stated.id.is_some() {
                run.stated.finished.get_or_insert(operation.first.head.at);
            }
            runs.push(run);
        }
    }
    runs
}

/// Reads the changes of one `learn`. `names` tells what a lesson is called in the replay.
pub fn recorded_runs(changes: &[Change], names: &BTreeMap<LessonId, LessonId>) -> RecordedRun {
    let origin = origin(changes);
    let mut told = RecordedRun { runs: Vec::new(), findings: Vec::new(), n_erased: 0 };
    let mut roots: Vec<RunId> = Vec::new();
    for change in changes {
        match change {
            Change::AddRun { run } | Change::EditRun { after: run, .. } => {
                told.runs.push(found_run(run, origin));
                roots.push(run.root.clone());
            }
            Change::AddFinding { finding } | Change::EditFinding { after: finding, .. } => {
                told.take(finding);
            }
            Change::AddEffect { effect } if effect.is_named => {
                // Causes are looked at where a root run is concluded: with its last run.
                let last = roots.iter().rposition(|root| *root == effect.root);
                if let Some(last) = last {
                    told.runs[last].effects.push((source(), stated_effect(effect, names)));
                }
            }
            _ => {}
        }
    }
    told
}

impl RecordedRun {
    fn take(&mut self, finding: &Finding) {
        if finding.text.body().is_none() {
            self.n_erased += 1;
            return;
        }
        let index = match self.runs.iter().position(|run| run.id == finding.run) {
            Some(index) => index,
            None => {
                // Nothing but a finding of a known run was news.
                self.runs.push(silent_run(&finding.run));
                self.runs.len() - 1
            }
        };
        self.runs[index].findings.push(found_finding(finding));
        self.findings.push(finding.clone());
    }
}

/// The channel, by the lessons that came through it.
fn origin(changes: &[Change]) -> Origin {
    let started = changes.iter().find_map(|change| match change {
        Change::AddLesson { lesson, .. } => Some(lesson.origin),
        _ => None,
    });
    started.unwrap_or(Origin::Reviewer)
}

fn source() -> Source {
    Source { input: "history".to_owned(), line: 0 }
}

fn silent_run(id: &RunId) -> FoundRun {
    FoundRun { source: source(), ..FoundRun::silent(id) }
}

fn found_run(run: &Run, origin: Origin) -> FoundRun {
    FoundRun {
        stated: RunStated {
            id: Some(run.id.to_string()),
            parent: run.parent.as_ref().map(RunId::to_string),
            kind: Some(run.kind),
            role: run.role.clone(),
            agent: run.agent.clone(),
            task: run.task.clone(),
            domain: run.domain.clone(),
            started: run.started,
            finished: run.finished,
            outcome: run.outcome,
            detectors: Some(run.detectors.iter().cloned().collect()),
            paths: run.paths.iter().cloned().collect(),
            tools: run.tools.iter().cloned().collect(),
            tags: run.tags.iter().cloned().collect(),
            episode: run.episode.clone(),
        },
        detectors: run.detectors.clone(),
        reasoned_only: run.reasoned_only.clone(),
        judgements: run.judgements.clone(),
        origin,
        ..silent_run(&run.id)
    }
}

fn found_finding(finding: &Finding) -> FoundFinding {
    let state = match finding.state {
        // That it came back is concluded anew.
        FindingState::Regressed if finding.fixed_in.is_some() => FindingState::Open,
        state => state,
    };
    // An echo was told as a sighting; a fix without its finding was not.
    let was_sighting = matches!(state, FindingState::Open | FindingState::Regressed);
    let text = finding.text.as_str().to_owned();
    let path = finding.place.as_ref().map(|place| place.path.clone());
    let own = signature(None, finding.rule.as_deref(), &text, path.as_deref());
    FoundFinding {
        source: source(),
        author: finding.author.clone(),
        severity: finding.severity,
        state,
        is_sighting: finding.is_sighting || was_sighting,
        ruled_by: finding.ruled_by.clone(),
        stated: FindingStated {
            id: None,
            author: Some(finding.author.clone()),
            severity: Some(finding.severity.word().to_owned()),
            category: finding.category.clone(),
            rule: finding.rule.clone(),
            text,
            line: finding.place.as_ref().and_then(|place| place.line),
            path,
            grade: finding.grade,
            evidence: None,
            repair: finding.repair.clone(),
            state: Some(state),
            // A tool's own fingerprint is kept as a digest only; equal ones stay equal.
            fingerprint: (finding.signature != own).then(|| finding.signature.clone()),
            prose: None,
            is_gone: false,
            is_foreign: false,
            is_persons: false,
            fixed_in: finding.fixed_in.clone().filter(|_| state == FindingState::Fixed),
        },
    }
}

fn stated_effect(effect: &Effect, names: &BTreeMap<LessonId, LessonId>) -> EffectStated {
    EffectStated {
        lesson: names.get(&effect.lesson).unwrap_or(&effect.lesson).to_string(),
        effect: effect.kind,
        because: effect.why.clone(),
    }
}
