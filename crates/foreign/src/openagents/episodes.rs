//! An episode as a run, and a run as an episode. OpenAgents has no tree of runs: a
//! sub-agent's or healer's episode belongs to the orchestrator's of the same session.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::episode::Episode;
use hardwon_core::foreign::{ForeignFile, OpenagentsEpisode};
use hardwon_core::ids::RunId;
use hardwon_core::run::{Outcome, Run, RunKind};
use hardwon_render::archivist;
use hardwon_render::openagents::{episode_line, patched_episode};

use super::evidence::run_of;
use super::{EPISODES, OpenagentsLayout};
use crate::store::layout::entry::Context;
use crate::store::{FileWrite, News, Writing, rewritten};

/// How episodes are read.
pub(super) struct Episodes<'a> {
    context: &'a Context<'a>,
    /// The run of each session: the first that orchestrated it.
    sessions: BTreeMap<String, RunId>,
}

impl<'a> Episodes<'a> {
    pub fn without_sessions(context: &'a Context<'a>) -> Self {
        Episodes { context, sessions: BTreeMap::new() }
    }

    fn new(context: &'a Context<'a>, file: &ForeignFile<OpenagentsEpisode>) -> Self {
        let mut episodes = Episodes::without_sessions(context);
        for record in file.lines.iter().filter_map(|line| line.record.as_ref()) {
            let session = record.session_id.clone().filter(|_| record.kind == "orchestrator_run");
            if let (Some(run), Some(session)) = (context.run(&record.id), session) {
                episodes.sessions.entry(session).or_insert(run);
            }
        }
        episodes
    }

    /// The run of an episode. It was not learned: its record was not read here.
    pub fn run(&self, record: &OpenagentsEpisode) -> Option<Run> {
        let gate = self.context.gate;
        let id = self.context.run(&record.id)?;
        let kind = match record.kind.as_str() {
            "orchestrator_run" => RunKind::Orchestrator,
            "subagent_run" => RunKind::Subagent,
            "healer_run" => RunKind::Healer,
            _ => RunKind::Other,
        };
        let above = record.session_id.as_ref().and_then(|session| self.sessions.get(session));
        let is_below = matches!(kind, RunKind::Subagent | RunKind::Healer);
        let parent = above.filter(|above| is_below && **above != id).cloned();
        let recorded_at = record.finished_at.or(record.started_at).unwrap_or(self.context.now);
        let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
        let summary = gate.line(&record.summary).as_str().to_owned();
        Some(Run {
            root: parent.clone().unwrap_or_else(|| id.clone()),
            parent,
            kind,
            task: word(&record.task_id),
            started: record.started_at,
            finished: record.finished_at,
            outcome: outcome(record),
            tags: gate.tags(&record.tags).into_iter().collect(),
            episode: Episode {
                session: word(&record.session_id),
                subtask: word(&record.subtask_id),
                summary: Some(summary).filter(|summary| !summary.is_empty()),
                trajectories: record.trajectories.iter().filter_map(|t| gate.word(t)).collect(),
                usage: record.usage,
                ..Episode::default()
            },
            ..Run::stub(id, recorded_at)
        })
    }

    /// What a line says, and what it would have to say to describe the run as it is now.
    fn compared(
        &self,
        record: &OpenagentsEpisode,
        run: &Run,
    ) -> Option<(OpenagentsEpisode, OpenagentsEpisode)> {
        let (from, to) = (episode(&self.run(record)?), episode(run));
        // A word that we do not know says more than one that we would guess.
        let is_guessed = outcome(record).is_none() && run.outcome.is_none();
        // What is unknown on our side stays as it is.
        let to = OpenagentsEpisode {
            id: from.id.clone(),
            status: if is_guessed { from.status.clone() } else { to.status },
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

    /// The run after another program changed its line; `None` if it is the same.
    fn adopted(&self, record: &OpenagentsEpisode, stated: Run, run: &Run) -> Option<Run> {
        let (theirs, ours) = self.compared(record, run)?;
        if theirs == ours {
            return None;
        }
        let stated = Run { parent: None, root: run.root.clone(), ..stated };
        let after = Run { parent: run.parent.clone(), ..run.merged(&stated) };
        Some(after).filter(|after| after != run)
    }
}

fn outcome(record: &OpenagentsEpisode) -> Option<Outcome> {
    Outcome::ALL.iter().copied().find(|known| known.word() == record.status)
}

/// What `episodes.jsonl` can say about a run, without what is guessed for a new line.
fn episode(run: &Run) -> OpenagentsEpisode {
    OpenagentsEpisode {
        project_root: None,
        started_at: run.started,
        finished_at: run.finished,
        summary: run.episode.summary.clone().unwrap_or_default(),
        ..archivist::episode(run, "")
    }
}

/// Takes over the runs that others recorded.
pub(super) fn take(news: &mut News<'_, OpenagentsLayout>) {
    let file = &news.rows.side;
    let episodes = Episodes::new(news.context, file);
    for record in file.lines.iter().filter_map(|line| line.record.as_ref()) {
        let Some(stated) = episodes.run(record) else { continue };
        let (change, after) = match news.runs.get(&stated.id) {
            None => (Change::AddRun { run: Box::new(stated.clone()) }, stated),
            Some(run) => {
                let Some(after) = episodes.adopted(record, stated, run) else { continue };
                let (before, next) = (Box::new(run.clone()), Box::new(after.clone()));
                (Change::EditRun { before, after: next }, after)
            }
        };
        news.runs.insert(after.id.clone(), after);
        news.changes.push(change);
    }
}

/// Lines of runs that changed, and of runs that were learned or ended.
pub(super) fn writes(writing: &Writing<'_, OpenagentsLayout>) -> Vec<FileWrite> {
    let file = &writing.rows.side;
    let episodes = Episodes::new(writing.context, file);
    let mut known: BTreeSet<RunId> = BTreeSet::new();
    let mut lines = Vec::new();
    for line in &file.lines {
        let id = line.record.as_ref().and_then(|record| writing.context.run(&record.id));
        let run = id.as_ref().and_then(|id| run_of(writing, id));
        let compared = run.and_then(|run| episodes.compared(line.record.as_ref()?, run));
        let now = compared.map(|(from, to)| patched_episode(&line.raw, &from, &to));
        lines.push(Some(now.unwrap_or_else(|| line.raw.clone())));
        known.extend(id);
    }
    // Of some runs nothing is known but that they exist.
    let is_worth_a_line = |run: &&Run| run.is_learned || run.outcome.is_some();
    let new = touched(writing).into_iter().filter(|run| !known.contains(&run.id));
    let mut new: Vec<&Run> = new.filter(is_worth_a_line).collect();
    new.sort_by_cached_key(|run| (run.number, run.recorded_at, run.id.clone()));
    // The specification has no episode without times and a summary.
    let line = |run| episode_line(&archivist::episode(run, &writing.layout.root)).into_bytes();
    let new: Vec<Vec<u8>> = new.into_iter().map(line).collect();
    let write = rewritten::<OpenagentsLayout, _>(file, &lines, &new);
    write.map(|write| FileWrite::of_project(EPISODES, write)).into_iter().collect()
}

/// Runs that this write is about; after a write that was cut off, all of them.
fn touched<'w>(writing: &'w Writing<'_, OpenagentsLayout>) -> Vec<&'w Run> {
    let runs = writing.tables.runs.values();
    if writing.is_unfinished {
        return runs.collect();
    }
    let of_change = |change: &'w Change| match change {
        Change::AddRun { run } => Some(&run.id),
        Change::EditRun { after, .. } => Some(&after.id),
        _ => None,
    };
    let ids: BTreeSet<&RunId> = writing.changes.iter().filter_map(of_change).collect();
    runs.filter(|run| ids.contains(&run.id)).collect()
}
