//! Runs as explicit episodes: which there were, how they contain each other, and all that
//! is known of one. Reads only; what stands behind a run is fetched for the runs that are
//! listed, not for all that there are.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::reflect::{self, Context};
use hardwon_core::run::{Outcome, Run, RunKind};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{
    self, Answer, Concern, Done, Evidence, Related, RunLine, RunStory, Runs, Shown, TreeNode,
};
use hardwon_store::{RunPlace, RunQuery, Tree, TreeCounts};

use crate::cursor;
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::runs::learn::named;
use crate::runs::reflect::related;

const MS_PER_DAY: i64 = 86_400_000;

/// How many runs are listed by default.
pub const N_LISTED: usize = 20;

/// Which runs to list.
#[derive(Clone, Debug, Default)]
pub struct RunsRequest {
    pub session: Option<String>,
    pub task: Option<String>,
    pub kind: Option<RunKind>,
    pub outcome: Option<Outcome>,
    pub agent: Option<String>,
    /// Only of the last days.
    pub days: Option<u32>,
    /// `None` = a page.
    pub limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before. A tree has no pages.
    pub after: Option<String>,
}

impl RunsRequest {
    /// What the store is asked for.
    fn query(&self, call: &Call) -> Result<RunQuery> {
        let since = |days: u32| call.now.0.saturating_sub(i64::from(days) * MS_PER_DAY);
        Ok(RunQuery {
            session: self.session.clone(),
            since: self.days.map(|days| Timestamp(since(days))),
            before: self.after.as_deref().map(place).transpose()?,
            task: self.task.clone(),
            agent: self.agent.clone(),
            kind: self.kind,
            outcome: self.outcome,
            limit: None,
        })
    }
}

fn place(cursor: &str) -> Result<RunPlace> {
    let (at, [id]) = cursor::read(cursor)?;
    let bad = |_| EngineError::BadCursor { cursor: cursor.to_owned() };
    Ok(RunPlace { at: Timestamp(at as i64), id: RunId::parse(&id).map_err(bad)? })
}

fn cursor_of(run: &Run) -> String {
    let RunPlace { at, id } = RunPlace::of(run);
    cursor::written(at.0 as u64, &[id.as_str()])
}

/// Runs of the project, newest first.
pub fn runs_list(memory: &Memory, call: &Call, request: &RunsRequest) -> Result<Answer<Runs>> {
    let limit = request.limit.unwrap_or(N_LISTED);
    let all = request.query(call)?;
    let page = RunQuery { limit: Some(limit), ..all.clone() };
    let runs = memory.store.runs(&call.project, &page)?;
    let n_all = if runs.len() < limit {
        runs.len() as u64
    } else {
        memory.store.n_runs(&call.project, &all)?
    };
    let n_more = n_all.saturating_sub(runs.len() as u64);
    let next = runs.last().filter(|_| n_more > 0).map(cursor_of);
    let mut trees: BTreeMap<RunId, Tree> = BTreeMap::new();
    let mut lines = Vec::with_capacity(runs.len());
    for run in runs {
        if !trees.contains_key(&run.root) {
            trees.insert(run.root.clone(), memory.store.tree(&call.project, &run.root)?);
        }
        lines.push(line_in(&run, &trees[&run.root]));
    }
    let body = Runs { runs: lines, n_more, next };
    Ok(Answer::of(body, Vec::new()).empty_if(|it| it.runs.is_empty()))
}

/// Trees of runs, each run behind the one that contains it: the tree of one run, or
/// those of the newest runs that are asked for.
pub fn runs_tree(
    memory: &Memory,
    call: &Call,
    run: Option<&RunId>,
    request: &RunsRequest,
) -> Result<Answer<Runs>> {
    let mut roots = Vec::new();
    if let Some(run) = run {
        roots.push(lookup::run_called(memory, call, run));
    } else {
        let mut seen = BTreeSet::new();
        let runs = memory.store.runs(&call.project, &request.query(call)?)?.into_iter();
        roots.extend(runs.map(|run| run.root).filter(|root| seen.insert(root.clone())));
    }
    let limit = request.limit.unwrap_or(N_LISTED);
    let n_more = roots.len().saturating_sub(limit) as u64;
    roots.truncate(limit);
    let mut lines = Vec::new();
    for root in &roots {
        let tree = memory.store.tree(&call.project, root)?;
        let (counts, ordered) = (tree.counts(), tree.in_order().into_iter());
        lines.extend(ordered.map(|(depth, run)| line_of(run, depth, &counts)));
    }
    if let (Some(run), true) = (run, lines.is_empty()) {
        return Err(EngineError::UnknownRun { name: run.to_string() });
    }
    let body = Runs { runs: lines, n_more, next: None };
    Ok(Answer::of(body, Vec::new()).empty_if(|it| it.runs.is_empty()))
}

pub fn run_named(memory: &Memory, call: &Call, run: &RunId) -> Result<Run> {
    let id = lookup::run_called(memory, call, run);
    run_in(&memory.store.tree(&call.project, &id)?, &id)
        .ok_or_else(|| EngineError::UnknownRun { name: run.to_string() })
}

/// A run of a tree; of one that was only shown something, that it was there.
fn run_in(tree: &Tree, id: &RunId) -> Option<Run> {
    let known = tree.runs.iter().find(|known| known.id == *id).cloned();
    let mut injections = tree.injections.iter().filter(|injection| injection.run == *id);
    known.or_else(|| Some(Run::stub(id.clone(), injections.next()?.at)))
}

/// All that is known of one run.
pub fn runs_show(memory: &Memory, call: &Call, run: &RunId) -> Result<Answer<RunStory>> {
    let id = &lookup::run_called(memory, call, run);
    let tree = memory.store.tree(&call.project, id)?;
    let injections: Vec<Injection> =
        tree.injections.iter().filter(|injection| injection.run == *id).cloned().collect();
    let run = run_in(&tree, id).ok_or_else(|| EngineError::UnknownRun { name: run.to_string() })?;
    let findings: Vec<Finding> =
        tree.findings.iter().filter(|finding| finding.run == *id).cloned().collect();
    let children = tree.runs.iter().filter(|other| other.parent.as_ref() == Some(id));
    let mut children: Vec<&Run> = children.collect();
    children.sort_by_key(|child| (child.began(), &child.id));
    let related = related(memory, call, &run)?.into_iter();
    let taught = findings.iter().filter_map(|finding| finding.lesson.clone());
    let story = RunStory {
        reflection: run.episode.account.clone().map(Into::into),
        summary: summary_of(memory, &run, &tree, &findings),
        effects: effects_of(memory, call, &run, &tree, &injections)?,
        lessons: lessons_by_id(memory, call, taught)?.iter().map(Into::into).collect(),
        related: related.map(|(run, reasons)| Related { run: (&run).into(), reasons }).collect(),
        children: children.into_iter().map(|child| line_in(child, &tree)).collect(),
        findings: findings.iter().map(Evidence::from).collect(),
        injections: injections.iter().map(Shown::from).collect(),
        steps: run.episode.trail.iter().map(Done::from).collect(),
        run: (&run).into(),
    };
    Ok(Answer::of(story, Vec::new()))
}

/// The run's own account, or one made from what was done in it and below it.
pub(super) fn summary_of(memory: &Memory, run: &Run, tree: &Tree, findings: &[Finding]) -> String {
    if let Some(summary) = &run.episode.summary {
        return summary.clone();
    }
    if !run.is_learned {
        return String::new();
    }
    let below: Vec<Run> = tree.below(run).into_iter().cloned().collect();
    let context = Context { run, below: &below, findings, others: &[] };
    memory.gate.redacted(&reflect::outcome(&context))
}

/// What the lessons that were shown to a run did. A root run answers for its tree.
fn effects_of(
    memory: &Memory,
    call: &Call,
    run: &Run,
    tree: &Tree,
    injections: &[Injection],
) -> Result<Vec<answer::Effect>> {
    let shown = injections.iter().flat_map(|injection| &injection.shown);
    let shown: BTreeSet<&LessonId> = shown.map(|shown| &shown.lesson).collect();
    let is_its = |effect: &&Effect| run.id == run.root || shown.contains(&effect.lesson);
    let effects = tree.effects.iter().filter(|effect| effect.was_shown());
    let effects: Vec<&Effect> = effects.filter(is_its).collect();
    let lessons = lessons_by_id(memory, call, effects.iter().map(|effect| effect.lesson.clone()))?;
    let pair = |effect: &Effect| {
        let lesson = lessons.iter().find(|lesson| lesson.id == effect.lesson)?;
        Some(answer::Effect::new(named(lesson), effect))
    };
    Ok(effects.into_iter().filter_map(pair).collect())
}

fn lessons_by_id(
    memory: &Memory,
    call: &Call,
    ids: impl Iterator<Item = LessonId>,
) -> Result<Vec<Lesson>> {
    let ids: BTreeSet<LessonId> = ids.collect();
    Ok(lookup::lessons_with(memory, &call.project, ids.into_iter().collect())?)
}

fn line_in(run: &Run, tree: &Tree) -> RunLine {
    line_of(run, tree.depth(run), &tree.counts())
}

fn line_of(run: &Run, depth: usize, counts: &TreeCounts<'_>) -> RunLine {
    let (n_findings, n_shown) = counts.of(&run.id);
    let (n_findings, n_shown) = (n_findings as u64, n_shown as u64);
    RunLine { n_findings, n_shown, depth: depth as u64, run: run.into() }
}

/// The whole tree that a run belongs to, each run behind the one that contains it.
pub fn tree_nodes(memory: &Memory, call: &Call, run: &RunId) -> Result<Vec<TreeNode>> {
    let id = lookup::run_called(memory, call, run);
    let tree = memory.store.tree(&call.project, &id)?;
    nodes(memory, call, &[tree])
}

/// The trees of all runs of a session, the newest root first.
pub fn session_nodes(memory: &Memory, call: &Call, session: &str) -> Result<Vec<TreeNode>> {
    let roots = lookup::roots_of_session(memory, call, session)?.into_iter();
    let trees: Result<Vec<Tree>, _> =
        roots.map(|root| memory.store.tree(&call.project, &root)).collect();
    nodes(memory, call, &trees?)
}

fn nodes(memory: &Memory, call: &Call, trees: &[Tree]) -> Result<Vec<TreeNode>> {
    let scopes = Scoped::of(memory.store.scopes(&call.project)?);
    let mut nodes = Vec::new();
    for tree in trees {
        let counts = tree.counts();
        let node = |(depth, run): (usize, &Run)| TreeNode {
            line: line_of(run, depth, &counts),
            concerns: scopes.concerns(run),
        };
        nodes.extend(tree.in_order().into_iter().map(node));
    }
    Ok(nodes)
}

/// How many lessons have a pair in their scope; values are the same in any case.
struct Scoped(BTreeMap<(Dimension, String), u64>);

impl Scoped {
    fn of(scopes: Vec<(Scope, u64)>) -> Self {
        let mut counted = BTreeMap::new();
        for (scope, n) in scopes {
            for (dimension, value) in scope.0 {
                *counted.entry((dimension, value.to_ascii_lowercase())).or_default() += n;
            }
        }
        Scoped(counted)
    }

    fn concerns(&self, run: &Run) -> Vec<Concern> {
        let tools = run.tools.iter().map(|tool| (Dimension::Tool, tool));
        let pairs = tools.chain(run.agent.iter().map(|agent| (Dimension::Provider, agent)));
        let concern = |(dimension, value): (Dimension, &String)| Concern {
            dimension: dimension.to_string(),
            value: value.clone(),
            n_lessons: self.0.get(&(dimension, value.to_ascii_lowercase())).copied().unwrap_or(0),
        };
        pairs.map(concern).collect()
    }
}
