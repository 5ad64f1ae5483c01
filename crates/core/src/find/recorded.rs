//! What did an operation learn? The runs and findings that it wrote down, as if they were
//! found once more. Their texts have passed the gate.

use crate::change::{Change, Operation};
use crate::effect::Effect;
use crate::event::{EffectStated, FindingStated, RunStated, Source};
use crate::find::{FoundFinding, FoundRun};
use crate::finding::{Finding, FindingState};
use crate::ids::RunId;
use crate::lesson::Origin;
use crate::run::Run;
use crate::signature::signature;

/// All runs that these operations learned. One that does not say when it ended did so when it was
/// learned. What a later run changed in an earlier finding is left out.
pub fn learned_runs(operations: &[Operation]) -> Vec<FoundRun> {
    let is_learn =
        |operation: &&Operation| operation.is_own && operation.first.head.command == "learn";
    let mut runs = Vec::new();
    for operation in operations.iter().filter(is_learn) {
        for mut run in recorded_runs(&operation.changes) {
            if run.stated.id.is_some() {
                run.stated.finished.get_or_insert(operation.first.head.at);
            }
            runs.push(run);
        }
    }
    runs
}

/// The runs in the changes of one `learn`; findings that were erased are left out.
fn recorded_runs(changes: &[Change]) -> Vec<FoundRun> {
    let origin = origin(changes);
    let mut runs: Vec<FoundRun> = Vec::new();
    let mut roots: Vec<RunId> = Vec::new();
    for change in changes {
        match change {
            Change::AddRun { run } | Change::EditRun { after: run, .. } => {
                runs.push(found_run(run, origin));
                roots.push(run.root.clone());
            }
            Change::AddFinding { finding } if finding.text.body().is_some() => {
                take(&mut runs, finding);
            }
            Change::AddEffect { effect } if effect.is_named => {
                // Causes are looked at where a root run is concluded: with its last run.
                let last = roots.iter().rposition(|root| *root == effect.root);
                if let Some(last) = last {
                    runs[last].effects.push((source(), stated_effect(effect)));
                }
            }
            _ => {}
        }
    }
    runs
}

fn take(runs: &mut Vec<FoundRun>, finding: &Finding) {
    let index = runs.iter().position(|run| run.id == finding.run).unwrap_or_else(|| {
        // Nothing but a finding of a known run was news.
        runs.push(silent_run(&finding.run));
        runs.len() - 1
    });
    runs[index].findings.push(found_finding(finding));
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
            author: Some(finding.author.clone()),
            severity: Some(finding.severity.word().to_owned()),
            category: finding.category.clone(),
            rule: finding.rule.clone(),
            text,
            line: finding.place.as_ref().and_then(|place| place.line),
            path,
            grade: finding.grade,
            repair: finding.repair.clone(),
            state: Some(state),
            // A tool's own fingerprint is kept as a digest only; equal ones stay equal.
            fingerprint: (finding.signature != own).then(|| finding.signature.clone()),
            fixed_in: finding.fixed_in.clone().filter(|_| state == FindingState::Fixed),
            ..FindingStated::default()
        },
    }
}

fn stated_effect(effect: &Effect) -> EffectStated {
    EffectStated {
        lesson: effect.lesson.to_string(),
        effect: effect.kind,
        because: effect.why.clone(),
    }
}
