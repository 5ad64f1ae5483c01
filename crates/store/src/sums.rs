//! The counts of `core::tally`, as plain maps: for the memory store, and to compare a
//! database's tables with. They follow from runs, findings and effects.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Tables;
use hardwon_core::effect::Effect;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::run::Run;
use hardwon_core::tally::{self, Counts, Facet, LessonCounts, N_REMEMBERED, Rate, Tally, Trial};

use crate::{CountQuery, N_AT_PLACE};

/// A root run, by its project.
pub(crate) type Root = (ProjectId, RunId);

/// What is known of a root run.
type RootRows = (Vec<Run>, Vec<Finding>, Vec<Effect>);

/// Trials of a lesson: whether it was seen, and whether it was shown, by number and root run.
type Trials = BTreeMap<(u64, Option<RunId>), (bool, bool)>;

/// The sums over the root runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    /// Root runs with each facet.
    pub runs: BTreeMap<(ProjectId, Facet), u64>,
    /// Root runs in which each lesson came up at a facet.
    pub seen: BTreeMap<(ProjectId, Facet), BTreeMap<LessonId, u64>>,
    pub trials: BTreeMap<(ProjectId, LessonId), Trials>,
    /// Faded sums of the trials, as of the run before.
    pub rates: BTreeMap<(ProjectId, LessonId), (u64, Rate)>,
}

impl Sums {
    /// The sums of all root runs.
    pub fn of(tables: &Tables) -> Self {
        let mut grouped: BTreeMap<Root, RootRows> = BTreeMap::new();
        for ((project, _), run) in &tables.runs {
            grouped.entry((project.clone(), run.root.clone())).or_default().0.push(run.clone());
        }
        for ((project, ..), finding) in &tables.findings {
            let root = (project.clone(), finding.root.clone());
            grouped.entry(root).or_default().1.push(finding.clone());
        }
        for ((project, ..), effect) in &tables.effects {
            let root = (project.clone(), effect.root.clone());
            grouped.entry(root).or_default().2.push(effect.clone());
        }
        let mut sums = Sums::default();
        for ((project, _), (runs, findings, effects)) in grouped {
            let tally = tally::tally(&runs, &findings, &effects);
            sums.replace(&project, None, tally.as_ref());
        }
        sums
    }

    /// Takes one contribution away and adds another.
    pub fn replace(&mut self, project: &ProjectId, before: Option<&Tally>, after: Option<&Tally>) {
        if before == after {
            return;
        }
        if let Some(tally) = before {
            self.add(project, tally, false);
        }
        if let Some(tally) = after {
            self.add(project, tally, true);
        }
        let touched = before.into_iter().chain(after).flat_map(|tally| tally.lessons.keys());
        for lesson in touched.collect::<BTreeSet<_>>() {
            self.fade(&(project.clone(), lesson.clone()));
        }
    }

    fn add(&mut self, project: &ProjectId, tally: &Tally, is_there: bool) {
        for facet in &tally.facets {
            count(&mut self.runs, (project.clone(), facet.clone()), is_there);
        }
        for (lesson, part) in &tally.lessons {
            for facet in &part.facets {
                let key = (project.clone(), facet.clone());
                let seen = self.seen.entry(key.clone()).or_default();
                count(seen, lesson.clone(), is_there);
                if seen.is_empty() {
                    self.seen.remove(&key);
                }
            }
            let trials = self.trials.entry((project.clone(), lesson.clone())).or_default();
            match is_there {
                true => trials
                    .insert((tally.number, tally.root.clone()), (part.was_seen, part.was_shown)),
                false => trials.remove(&(tally.number, tally.root.clone())),
            };
        }
    }

    /// Works the faded sums of a lesson out again.
    fn fade(&mut self, key: &(ProjectId, LessonId)) {
        let trials = self.trials.get(key).cloned().unwrap_or_default();
        let Some((&(newest, _), _)) = trials.last_key_value() else {
            self.trials.remove(key);
            self.rates.remove(key);
            return;
        };
        let remembered = trials.range((newest.saturating_sub(N_REMEMBERED), None)..);
        let trial = |(&(number, _), &(was_seen, was_shown)): (&(u64, Option<RunId>), _)| Trial {
            number,
            was_seen,
            was_shown,
        };
        let trials: Vec<Trial> = remembered.map(trial).collect();
        self.rates.insert(key.clone(), tally::rate(&trials));
    }

    /// What bears on the facets of a query.
    pub fn counts(
        &self,
        project: &ProjectId,
        query: &CountQuery,
        n_runs: u64,
        is_injectable: &dyn Fn(&LessonId) -> bool,
    ) -> Counts {
        let key = |facet: &Facet| (project.clone(), facet.clone());
        let wanted = |id: &LessonId| !query.only_injectable || is_injectable(id);
        let mut ids: BTreeSet<&LessonId> = query.lessons.iter().collect();
        ids.extend(self.most_frequent(project, query.n_frequent, &wanted));
        for facet in query.facets.iter().filter(|_| query.n_frequent > 0) {
            let mut here: Vec<(&LessonId, &u64)> =
                self.seen.get(&key(facet)).into_iter().flatten().collect();
            here.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
            ids.extend(here.into_iter().take(N_AT_PLACE).map(|(id, _)| id).filter(|id| wanted(id)));
        }
        let counts_of = |id: &LessonId| {
            let (as_of, rate) = self.rates.get(&(project.clone(), id.clone()))?;
            let seen = |facet| self.seen.get(&key(facet)).and_then(|seen| seen.get(id)).copied();
            let seen_with = query.facets.iter().map(|facet| seen(facet).unwrap_or(0)).collect();
            Some(LessonCounts { rate: rate.at(*as_of, n_runs), seen_with })
        };
        let counted = ids.into_iter().filter_map(|id| Some((id.clone(), counts_of(id)?)));
        let runs_with = query.facets.iter().map(|facet| self.runs.get(&key(facet)));
        Counts {
            n_runs,
            runs_with: runs_with.map(|n| n.copied().unwrap_or(0)).collect(),
            lessons: counted.collect(),
        }
    }

    fn most_frequent(
        &self,
        project: &ProjectId,
        limit: usize,
        wanted: &dyn Fn(&LessonId) -> bool,
    ) -> Vec<&LessonId> {
        let of_project = self.rates.iter().filter(|((owner, _), _)| owner == project);
        let seen = of_project.filter(|((_, id), (_, rate))| rate.seen > 0.0 && wanted(id));
        let mut ordered: Vec<(f64, &LessonId)> =
            seen.map(|((_, id), (as_of, rate))| (rate.order(*as_of), id)).collect();
        ordered.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
        ordered.into_iter().take(limit).map(|(_, id)| id).collect()
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, is_there: bool) {
    let n = counts.get(&key).copied().unwrap_or(0);
    match if is_there { n + 1 } else { n.saturating_sub(1) } {
        0 => counts.remove(&key),
        n => counts.insert(key, n),
    };
}

/// The root runs of rows that differ.
pub(crate) fn touched_roots(before: &Tables, after: &Tables) -> BTreeSet<Root> {
    let mut roots = BTreeSet::new();
    for (old, new) in [(before, after), (after, before)] {
        let runs = old.runs.iter().filter(|(key, row)| new.runs.get(key) != Some(row));
        roots.extend(runs.map(|((project, _), run)| (project.clone(), run.root.clone())));
        let findings = old.findings.iter().filter(|(key, row)| new.findings.get(key) != Some(row));
        roots.extend(findings.map(|((project, ..), row)| (project.clone(), row.root.clone())));
        let effects = old.effects.iter().filter(|(key, row)| new.effects.get(key) != Some(row));
        roots.extend(effects.map(|((project, ..), row)| (project.clone(), row.root.clone())));
    }
    roots
}

/// What a root run contributes.
pub(crate) fn tally_of(tables: &Tables, (project, root): &Root) -> Option<Tally> {
    let runs = tables.runs.iter().filter(|((owner, _), it)| owner == project && it.root == *root);
    let runs: Vec<Run> = runs.map(|(_, it)| it.clone()).collect();
    let findings = tables.findings.iter();
    let findings = findings.filter(|((owner, ..), it)| owner == project && it.root == *root);
    let findings: Vec<Finding> = findings.map(|(_, it)| it.clone()).collect();
    let effects = tables.effects.iter();
    let effects = effects.filter(|((owner, ..), it)| owner == project && it.root == *root);
    let effects: Vec<Effect> = effects.map(|(_, it)| it.clone()).collect();
    tally::tally(&runs, &findings, &effects)
}
