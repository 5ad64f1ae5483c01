//! An episode as a run, and a run as an episode. OpenAgents knows no tree of runs: a
//! sub-agent's or healer's episode belongs to the orchestrator's of the same session.

use std::collections::BTreeMap;

use hardwon_core::episode::Episode;
use hardwon_core::foreign::OpenagentsEpisode;
use hardwon_core::ids::RunId;
use hardwon_core::run::{Outcome, Run, RunKind};

use super::files::Rows;
use super::translate::Translator;

/// The orchestrator's run of each session.
pub(super) type Sessions = BTreeMap<String, RunId>;

/// Which episode each session belongs to: the first that orchestrated it.
pub(super) fn sessions(rows: &Rows, translator: &Translator<'_>) -> Sessions {
    let mut sessions = Sessions::new();
    for record in rows.episodes.lines.iter().filter_map(|line| line.record.as_ref()) {
        let run = translator.run(&record.id);
        let session = record.session_id.clone().filter(|_| record.kind == "orchestrator_run");
        if let (Some(run), Some(session)) = (run, session) {
            sessions.entry(session).or_insert(run);
        }
    }
    sessions
}

impl Translator<'_> {
    /// The run that an episode tells of. It was not learned: nobody looked at its record.
    pub fn episode_run(&self, record: &OpenagentsEpisode, sessions: &Sessions) -> Option<Run> {
        let id = self.run(&record.id)?;
        let kind = kind(&record.kind);
        let above = record.session_id.as_ref().and_then(|session| sessions.get(session));
        let is_below = matches!(kind, RunKind::Subagent | RunKind::Healer);
        let parent = above.filter(|above| is_below && **above != id).cloned();
        let recorded_at = record.finished_at.or(record.started_at).unwrap_or(self.now);
        let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| self.gate.word(raw));
        let words = |raw: &[String]| raw.iter().filter_map(|raw| self.gate.word(raw)).collect();
        let summary = self.gate.line(&record.summary).as_str().to_owned();
        Some(Run {
            root: parent.clone().unwrap_or_else(|| id.clone()),
            parent,
            kind,
            task: word(&record.task_id),
            started: record.started_at,
            finished: record.finished_at,
            outcome: Outcome::ALL.iter().copied().find(|known| known.word() == record.status),
            tags: self.gate.tags(&record.tags).into_iter().collect(),
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
    fn episode(&self, run: &Run) -> OpenagentsEpisode {
        let Episode { session, subtask, summary, trajectories, usage, .. } = &run.episode;
        OpenagentsEpisode {
            id: run.id.to_string(),
            project_root: Some(self.root.to_owned()),
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
    pub fn new_episode(&self, run: &Run, n_findings: usize) -> OpenagentsEpisode {
        let told = self.episode(run);
        let ended = run.finished.or(run.started).unwrap_or(run.recorded_at);
        let summary = match n_findings {
            1 => "No summary was recorded; 1 finding.".to_owned(),
            n => format!("No summary was recorded; {n} findings."),
        };
        OpenagentsEpisode {
            started_at: run.started.or(Some(ended)),
            finished_at: Some(ended),
            summary: if told.summary.is_empty() { summary } else { told.summary },
            ..told
        }
    }

    /// What a line says, and what it would have to say to tell of the run as it is now.
    pub fn compared_run(
        &self,
        record: &OpenagentsEpisode,
        sessions: &Sessions,
        run: &Run,
    ) -> Option<(OpenagentsEpisode, OpenagentsEpisode)> {
        let stated = self.episode_run(record, sessions)?;
        let (from, to) = (self.episode(&stated), self.episode(run));
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
    pub fn adopted_run(
        &self,
        record: &OpenagentsEpisode,
        sessions: &Sessions,
        run: &Run,
    ) -> Option<Run> {
        let stated = self.episode_run(record, sessions)?;
        let (theirs, ours) = self.compared_run(record, sessions, run)?;
        if theirs == ours {
            return None;
        }
        let stated = Run { parent: None, root: run.root.clone(), ..stated };
        Some(Run { parent: run.parent.clone(), ..run.merged(&stated) })
    }
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
