//! An episode as a run, and a run as an episode. OpenAgents knows no tree of runs: a
//! sub-agent's or healer's episode belongs to the orchestrator's of the same session.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::episode::Episode;
use hardwon_core::foreign::{ForeignFile, ForeignLine, OpenagentsEpisode};
use hardwon_core::ids::RunId;
use hardwon_core::run::{Outcome, Run, RunKind};
use hardwon_render::openagents::{episode_line, patched_episode};

use super::evidence::run as run_of;
use super::{EPISODES, OpenagentsLayout, translate};
use crate::store::layout::Context;
use crate::store::{FileWrite, News, Writing, rewritten};

/// The orchestrator's run of each session.
pub(super) type Sessions = BTreeMap<String, RunId>;

/// Which episode each session belongs to: the first that orchestrated it.
pub(super) fn sessions(
    episodes: &ForeignFile<OpenagentsEpisode>,
    context: &Context<'_>,
) -> Sessions {
    let mut sessions = Sessions::new();
    for record in episodes.lines.iter().filter_map(|line| line.record.as_ref()) {
        let run = translate::run(context, &record.id);
        let session = record.session_id.clone().filter(|_| record.kind == "orchestrator_run");
        if let (Some(run), Some(session)) = (run, session) {
            sessions.entry(session).or_insert(run);
        }
    }
    sessions
}

/// The run that an episode tells of. It was not learned: nobody looked at its record.
pub(super) fn episode_run(
    context: &Context<'_>,
    record: &OpenagentsEpisode,
    sessions: &Sessions,
) -> Option<Run> {
    let id = translate::run(context, &record.id)?;
    let kind = kind(&record.kind);
    let above = record.session_id.as_ref().and_then(|session| sessions.get(session));
    let is_below = matches!(kind, RunKind::Subagent | RunKind::Healer);
    let parent = above.filter(|above| is_below && **above != id).cloned();
    let recorded_at = record.finished_at.or(record.started_at).unwrap_or(context.now);
    let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| context.gate.word(raw));
    let words = |raw: &[String]| raw.iter().filter_map(|raw| context.gate.word(raw)).collect();
    let summary = context.gate.line(&record.summary).as_str().to_owned();
    Some(Run {
        root: parent.clone().unwrap_or_else(|| id.clone()),
        parent,
        kind,
        task: word(&record.task_id),
        started: record.started_at,
        finished: record.finished_at,
        outcome: Outcome::ALL.iter().copied().find(|known| known.word() == record.status),
        tags: context.gate.tags(&record.tags).into_iter().collect(),
        episode: Episode {
            session: word(&record.session_id),
            subtask: word(&record.subtask_id),
            summary: Some(summary).filter(|summary| !summary.is_empty()),
            trajectories: words(&record.trajectories),
            usage: record.usage,
            ..Episode::default()
        },
        ..Run::stub(id, recorded_at)
    })
}

/// What `episodes.jsonl` can say of a run.
fn episode(run: &Run) -> OpenagentsEpisode {
    let Episode { session, subtask, summary, trajectories, usage, .. } = &run.episode;
    OpenagentsEpisode {
        id: run.id.to_string(),
        project_root: None,
        task_id: run.task.clone(),
        subtask_id: subtask.clone(),
        session_id: Some(session.clone().unwrap_or_else(|| run.root.to_string())),
        kind: kind_word(run).to_owned(),
        started_at: run.started,
        finished_at: run.finished,
        status: run.outcome.map_or("partial", Outcome::word).to_owned(),
        summary: summary.clone().unwrap_or_default(),
        tags: run.tags.iter().cloned().collect(),
        trajectories: trajectories.iter().cloned().collect(),
        usage: *usage,
    }
}

/// A new episode: the specification has no episode without times and a summary.
pub(super) fn new_episode(run: &Run, n_findings: usize, root: &str) -> OpenagentsEpisode {
    let told = episode(run);
    let ended = run.finished.or(run.started).unwrap_or(run.recorded_at);
    let summary = match n_findings {
        1 => "No summary was recorded; 1 finding.".to_owned(),
        n => format!("No summary was recorded; {n} findings."),
    };
    OpenagentsEpisode {
        started_at: run.started.or(Some(ended)),
        finished_at: Some(ended),
        project_root: Some(root.to_owned()),
        summary: if told.summary.is_empty() { summary } else { told.summary },
        ..told
    }
}

/// What a line says, and what it would have to say to tell of the run as it is now.
pub(super) fn compared_run(
    context: &Context<'_>,
    record: &OpenagentsEpisode,
    sessions: &Sessions,
    run: &Run,
) -> Option<(OpenagentsEpisode, OpenagentsEpisode)> {
    let stated = episode_run(context, record, sessions)?;
    let (from, to) = (episode(&stated), episode(run));
    let is_known = Outcome::ALL.iter().any(|known| known.word() == record.status);
    let status = match (is_known, run.outcome) {
        // A word that we do not know says more than one that we would guess.
        (false, None) => from.status.clone(),
        _ => to.status.clone(),
    };
    // What our side knows nothing of stays as it is told.
    let to = OpenagentsEpisode {
        id: from.id.clone(),
        status,
        kind: if run.kind == RunKind::Other { from.kind.clone() } else { to.kind },
        task_id: to.task_id.or(from.task_id.clone()),
        subtask_id: to.subtask_id.or(from.subtask_id.clone()),
        session_id: run.episode.session.clone().or(from.session_id.clone()),
        started_at: to.started_at.or(from.started_at),
        finished_at: to.finished_at.or(from.finished_at),
        summary: if to.summary.is_empty() { from.summary.clone() } else { to.summary },
        ..to
    };
    Some((from, to))
}

/// The run after somebody else changed its line.
pub(super) fn adopted_run(
    context: &Context<'_>,
    record: &OpenagentsEpisode,
    sessions: &Sessions,
    run: &Run,
) -> Option<Run> {
    let stated = episode_run(context, record, sessions)?;
    let (theirs, ours) = compared_run(context, record, sessions, run)?;
    if theirs == ours {
        return None;
    }
    let stated = Run { parent: None, root: run.root.clone(), ..stated };
    Some(Run { parent: run.parent.clone(), ..run.merged(&stated) })
}

fn kind(word: &str) -> RunKind {
    match word {
        "orchestrator_run" => RunKind::Orchestrator,
        "subagent_run" => RunKind::Subagent,
        "healer_run" => RunKind::Healer,
        _ => RunKind::Other,
    }
}

/// One of three words: what is below another run is a sub-agent's.
fn kind_word(run: &Run) -> &'static str {
    match (run.kind, &run.parent) {
        (RunKind::Healer, _) => "healer_run",
        (RunKind::Subagent, _) | (_, Some(_)) => "subagent_run",
        _ => "orchestrator_run",
    }
}

/// Takes over what others told of runs.
pub(super) fn take(
    news: &mut News<'_, OpenagentsLayout>,
    episodes: &ForeignFile<OpenagentsEpisode>,
) {
    let sessions = sessions(episodes, news.context);
    for record in episodes.lines.iter().filter_map(|line| line.record.as_ref()) {
        let Some(stated) = episode_run(news.context, record, &sessions) else { continue };
        let change = match news.runs.get(&stated.id) {
            None => Change::AddRun { run: Box::new(stated.clone()) },
            Some(run) => {
                let adopted = adopted_run(news.context, record, &sessions, run);
                let Some(after) = adopted.filter(|after| after != run) else { continue };
                let (before, after) = (Box::new(run.clone()), Box::new(after));
                Change::EditRun { before, after }
            }
        };
        let after = match &change {
            Change::EditRun { after, .. } => (**after).clone(),
            _ => stated,
        };
        news.runs.insert(after.id.clone(), after);
        news.changes.push(change);
    }
}

/// Lines of runs that changed, and of runs that were learned or ended.
pub(super) fn writes(writing: &Writing<'_, OpenagentsLayout>, root: &str) -> Vec<FileWrite> {
    let file = &writing.rows.side;
    let sessions = sessions(file, writing.context);
    let mut known: BTreeSet<RunId> = BTreeSet::new();
    let mut lines = Vec::new();
    for line in &file.lines {
        let run =
            line.record.as_ref().and_then(|record| translate::run(writing.context, &record.id));
        known.extend(run.clone());
        let run = run.and_then(|id| run_of(writing, &id));
        lines.push(Some(run.map_or(line.raw.clone(), |run| told(writing, line, run, &sessions))));
    }
    let is_new = |run: &&Run| !known.contains(&run.id) && is_told(run);
    let new = touched(writing).into_iter().filter_map(|id| run_of(writing, id)).filter(is_new);
    let mut new: Vec<&Run> = new.collect();
    new.sort_by_key(|run| (run.number, run.recorded_at, run.id.clone()));
    let new: Vec<Vec<u8>> = new.into_iter().map(|run| new_line(writing, run, root)).collect();
    let write = rewritten::<OpenagentsLayout, _>(file, &lines, &new);
    write.map(|write| FileWrite::of_project(EPISODES, write)).into_iter().collect()
}

/// Runs that this write is about; after a write that was cut off, all of them.
fn touched<'w>(writing: &'w Writing<'_, OpenagentsLayout>) -> BTreeSet<&'w RunId> {
    if writing.is_unfinished {
        return writing.tables.runs.keys().map(|(_, id)| id).collect();
    }
    let of_change = |change: &'_ Change| match change {
        Change::AddRun { run } => Some(run.id.clone()),
        Change::EditRun { after, .. } => Some(after.id.clone()),
        _ => None,
    };
    let ids: BTreeSet<RunId> = writing.changes.iter().filter_map(of_change).collect();
    writing.tables.runs.keys().map(|(_, id)| id).filter(|id| ids.contains(*id)).collect()
}

fn told(
    writing: &Writing<'_, OpenagentsLayout>,
    line: &ForeignLine<OpenagentsEpisode>,
    run: &Run,
    sessions: &Sessions,
) -> Vec<u8> {
    let compared =
        line.record.as_ref().and_then(|r| compared_run(writing.context, r, sessions, run));
    match compared {
        Some((from, to)) => patched_episode(&line.raw, &from, &to),
        None => line.raw.clone(),
    }
}

fn new_line(writing: &Writing<'_, OpenagentsLayout>, run: &Run, root: &str) -> Vec<u8> {
    let of_run = writing.tables.findings.values().filter(|finding| finding.run == run.id);
    let n_findings = of_run.filter(|finding| finding.is_sighting).count();
    episode_line(&new_episode(run, n_findings, root)).into_bytes()
}

/// Whether there is more to say of a run than that it is.
fn is_told(run: &Run) -> bool {
    run.is_learned || run.outcome.is_some()
}
