//! The store that lives in memory: for tests, for simulation, and as the working copy
//! of a foreign store. It *is* the tables of `core::change` with the journal beside
//! them; nothing survives the value itself.

mod erase;
mod index;
mod lines;
mod read;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{
    Batch, Change, Entry, Mismatch, OperationHead, Tables, Tombstone, Worded,
};
use hardwon_core::consult::Consultation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_core::tally::{Counts, Tally};
use hardwon_core::text::TextId;

use crate::every_text::{self, Visit};
use crate::replay::{Replayed, named};
use crate::settle::{self, Settled, Touched};
use crate::sums::{Root, Sums, tally_of, touched_roots};
use crate::{
    About, BlockTotals, ConsultationQuery, CountQuery, Fault, FindingQuery, JournalQuery,
    LessonQuery, ProjectQuery, ProjectStatus, Proposals, Rebuilt, Result, Revision, RunQuery,
    Scoured, Search, Store, StoreError, Tree, VisitEntry,
};
use index::TextIndex;
pub use lines::JournalLine;
pub(crate) use read::tree as tree_of;

/// A store without a file. Answers as every other store does; each write is durable
/// for as long as the value lives.
///
/// ```
/// use hardwon_core::ids::ProjectId;
/// use hardwon_store::{LessonQuery, MemoryStore, Store};
///
/// let store = MemoryStore::new();
/// let lessons = store.lessons(&ProjectId::new("shop"), &LessonQuery::default());
/// assert!(lessons.unwrap().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    tables: Tables,
    /// What the tables were before the first line of the journal.
    summary: Tables,
    texts: BTreeMap<TextId, String>,
    /// In the order in which they began, whoever began them.
    operations: Vec<(ProjectId, OperationHead)>,
    /// Where those of a project stand: its operation n at n - 1.
    places: BTreeMap<ProjectId, Vec<usize>>,
    /// In the order in which they were written; each project counts its own.
    journal: Vec<Line>,
    /// Writes that touched memory, per project; `None` counts those of global lessons.
    revisions: BTreeMap<Option<ProjectId>, u64>,
    /// Made by the first search: taking texts apart costs more than all the rest, and a
    /// foreign store is filled anew by every process.
    index: OnceCell<TextIndex>,
    /// Made by the first question, for the same reason.
    sums: OnceCell<Sums>,
}

/// One line of the journal.
#[derive(Clone, Debug)]
struct Line {
    /// Where its operation stands.
    place: usize,
    /// What the project calls that.
    operation: OperationId,
    is_global: bool,
    change: Change,
}

impl MemoryStore {
    pub fn new() -> Self {
        Self::default()
    }

    /// The whole state, for comparing stores and for writing a foreign store back.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    fn revision(&self, project: &ProjectId) -> Revision {
        let count = |owner| self.revisions.get(&owner).copied().unwrap_or(0);
        Revision { project: count(Some(project.clone())), global: count(None) }
    }

    /// Copies of the touched rows that exist.
    fn rows(&self, touched: Touched) -> Tables {
        let tables = &self.tables;
        Tables {
            runs: pick(&tables.runs, touched.runs),
            findings: pick(&tables.findings, touched.findings),
            lessons: pick(&tables.lessons, touched.lessons),
            injections: pick(&tables.injections, touched.injections),
            effects: pick(&tables.effects, touched.effects),
            deliberations: pick(&tables.deliberations, touched.deliberations),
            attempts: pick(&tables.attempts, touched.attempts),
            consultations: pick(&tables.consultations, touched.consultations),
            tombstones: pick(&tables.tombstones, touched.tombstones),
            projects: pick(&tables.projects, touched.projects),
        }
    }

    /// The operation to write under: the one that goes on, or a new one.
    fn operation(&mut self, batch: &Batch) -> Result<(usize, OperationId), Mismatch> {
        let Some(id) = batch.continues else {
            return Ok(self.begin(&batch.project, batch.head.clone()));
        };
        let begun = self.place_of(&batch.project, id);
        let begun = begun.ok_or_else(|| Mismatch::new(format_args!("operation {id}"), "existence"));
        Ok((begun?, id))
    }

    fn begin(&mut self, project: &ProjectId, head: OperationHead) -> (usize, OperationId) {
        let operation = self.next_operation(project);
        let place = self.operations.len();
        self.operations.push((project.clone(), head));
        self.places.entry(project.clone()).or_default().push(place);
        (place, operation)
    }

    /// Where an operation of a project stands.
    fn place_of(&self, project: &ProjectId, id: OperationId) -> Option<usize> {
        let at = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.places.get(project)?.get(at).copied()
    }

    /// Writes what was settled. Cannot fail.
    fn write(&mut self, project: &ProjectId, changes: &[Change], settled: &Settled) {
        let roots = touched_roots(&settled.before, &settled.after);
        let roots = if self.sums.get().is_some() { roots } else { BTreeSet::new() };
        let before = self.tallies(&roots);
        for change in changes {
            let fits = self.tables.apply(project, change);
            fits.expect("the batch was settled on copies of these rows");
            let mut change = change.clone();
            change.for_each_text(&mut |text| {
                if let Some(body) = text.body() {
                    self.texts.entry(text.id().clone()).or_insert_with(|| body.to_owned());
                }
            });
        }
        self.reindex(project, settled);
        let after = self.tallies(&roots);
        if let Some(sums) = self.sums.get_mut() {
            for ((project, _), (before, after)) in roots.iter().zip(before.iter().zip(&after)) {
                sums.replace(project, before.as_ref(), after.as_ref());
            }
        }
        let is_global = settled.is_global.contains(&true);
        self.bump(project, settled.touches_memory, is_global);
    }

    fn tallies(&self, roots: &BTreeSet<Root>) -> Vec<Option<Tally>> {
        roots.iter().map(|root| tally_of(&self.tables, root)).collect()
    }

    fn reindex(&mut self, project: &ProjectId, settled: &Settled) {
        let Settled { before, after, .. } = settled;
        let Some(index) = self.index.get_mut() else { return };
        for id in keys(&before.lessons, &after.lessons) {
            index.replace_lesson(before.lessons.get(id), after.lessons.get(id));
        }
        for key in keys(&before.findings, &after.findings) {
            let (before, after) = (before.findings.get(key), after.findings.get(key));
            index.replace_finding(project, before, after);
        }
        for key in keys(&before.deliberations, &after.deliberations) {
            let (before, after) = (before.deliberations.get(key), after.deliberations.get(key));
            index.replace_deliberation(project, before, after);
        }
    }

    fn bump(&mut self, project: &ProjectId, touches_memory: bool, touches_global: bool) {
        if touches_memory {
            *self.revisions.entry(Some(project.clone())).or_default() += 1;
        }
        if touches_global {
            *self.revisions.entry(None).or_default() += 1;
        }
    }
}

impl Store for MemoryStore {
    fn status(&self, project: &ProjectId) -> Result<ProjectStatus> {
        Ok(read::status(&self.tables, project, self.revision(project)))
    }

    fn lessons(&self, project: &ProjectId, query: &LessonQuery) -> Result<Vec<Lesson>> {
        Ok(read::lessons(&self.tables, project, query))
    }

    fn block_totals(&self, project: &ProjectId) -> Result<BlockTotals> {
        let own = self.tables.injections.iter().filter(|((owner, _), _)| owner == project);
        Ok(own.fold(BlockTotals::default(), |totals, (_, injection)| BlockTotals {
            n_blocks: totals.n_blocks + 1,
            n_tokens: totals.n_tokens + u64::from(injection.n_tokens),
        }))
    }

    fn is_taken(&self, _: &ProjectId, id: &LessonId) -> Result<bool> {
        Ok(self.tables.lessons.contains_key(id))
    }

    fn search(&self, project: &ProjectId, search: &Search) -> Result<Proposals> {
        Ok(match &search.about {
            About::Lessons => {
                let (ids, corpus) = self.index().search_lessons(project, search);
                let lessons = ids.iter().map(|id| self.tables.lessons[id].clone()).collect();
                Proposals { lessons, corpus, ..Proposals::default() }
            }
            About::Deliberations(filter) => {
                read::deliberations(&self.tables, self.index(), project, search, filter)
            }
            About::Attempts(issue) => {
                let attempts = read::attempts(&self.tables, project, issue, search.limit);
                Proposals { attempts, ..Proposals::default() }
            }
        })
    }

    fn consultations(&self, query: &ConsultationQuery) -> Result<Vec<(ProjectId, Consultation)>> {
        Ok(read::consultations(&self.tables, query))
    }

    fn counts(&self, project: &ProjectId, query: &CountQuery) -> Result<Counts> {
        let n_runs = self.status(project)?.run_number;
        let sums = self.sums.get_or_init(|| Sums::of(&self.tables));
        let is_injectable =
            |id: &LessonId| self.tables.lessons.get(id).is_some_and(Lesson::is_injectable);
        Ok(sums.counts(project, query, n_runs, &is_injectable))
    }

    fn tree(&self, project: &ProjectId, run: &RunId) -> Result<Tree> {
        Ok(read::tree(&self.tables, project, run))
    }

    fn numbered_runs(&self, project: &ProjectId, from: u64, to: u64) -> Result<Vec<Run>> {
        Ok(read::numbered_runs(&self.tables, project, from, to))
    }

    fn runs(&self, project: &ProjectId, query: &RunQuery) -> Result<Vec<Run>> {
        Ok(read::runs(&self.tables, project, query))
    }

    fn findings(&self, project: &ProjectId, query: &FindingQuery) -> Result<Vec<Finding>> {
        Ok(read::findings(&self.tables, self.index(), project, query))
    }

    fn effects(
        &self,
        project: &ProjectId,
        lessons: &[LessonId],
    ) -> Result<Vec<(ProjectId, Effect)>> {
        Ok(read::effects(&self.tables, project, lessons))
    }

    fn injections(&self, project: &ProjectId, lesson: &LessonId) -> Result<Vec<Injection>> {
        Ok(read::injections(&self.tables, project, lesson))
    }

    fn journal(&self, project: &ProjectId, query: &JournalQuery) -> Result<Vec<Entry>> {
        Ok(self.entries(project, query))
    }

    fn apply(&mut self, batch: &Batch, expected: Option<Revision>) -> Result<OperationId> {
        let project = &batch.project;
        if expected.is_some_and(|expected| expected != self.revision(project)) {
            return Err(StoreError::Conflict);
        }
        let changes = settle::filled(batch, |id| Ok::<_, StoreError>(self.texts.get(id).cloned()))?;
        let changes = self.widened(changes);
        let before = self.rows(Touched::by(&changes, project));
        let settled = settle::settle(project, &changes, before).map_err(StoreError::Mismatch)?;
        let (place, operation) = self.operation(batch).map_err(StoreError::Mismatch)?;
        self.write(project, &changes, &settled);
        let lines = changes.into_iter().zip(settled.is_global);
        let line = |(change, is_global)| Line { place, operation, is_global, change };
        let n_before = self.journal.len();
        self.journal.extend(lines.map(line));
        self.erase_since(n_before);
        Ok(operation)
    }

    fn tombstones(&self, project: &ProjectId) -> Result<Vec<Tombstone>> {
        let is_seen = |t: &&Tombstone| t.project.as_ref().is_none_or(|owner| owner == project);
        Ok(self.tables.tombstones.values().filter(is_seen).cloned().collect())
    }

    fn projects(&self, query: &ProjectQuery) -> Result<Vec<Project>> {
        let written = self.operations.iter().map(|(project, _)| project);
        let described = self.journal.iter().filter_map(|line| match &line.change {
            Change::EditProject { before, .. } => Some(&before.id),
            _ => None,
        });
        let ids: BTreeSet<&ProjectId> = written.chain(described).collect();
        let known = |id: &ProjectId| self.tables.projects.get(id).cloned();
        let all = ids.into_iter().map(|id| known(id).unwrap_or_else(|| Project::bare(id.clone())));
        Ok(all.filter(|project| query.admits(project)).collect())
    }

    fn scour(&mut self, _deep: bool) -> Result<Scoured> {
        Ok(Scoured::default())
    }

    fn check(&self) -> Result<Vec<Fault>> {
        let mut replayed = Replayed { tables: self.summary.clone(), ..Replayed::default() };
        self.numbered().for_each(|(n, line)| replayed.take(&self.entry(n, line)));
        let mut faults = named("journal", replayed.faults);
        if replayed.tables != self.tables {
            let detail = "the journal does not give the tables".to_owned();
            faults.push(Fault { check: "tables", detail });
        }
        if self.index.get().is_some_and(|index| self.rebuilt_index() != *index) {
            let detail = "the text index is not what the texts give".to_owned();
            faults.push(Fault { check: "index", detail });
        }
        if self.sums.get().is_some_and(|sums| Sums::of(&self.tables) != *sums) {
            let detail = "the counts are not what the runs give".to_owned();
            faults.push(Fault { check: "index", detail });
        }
        Ok(faults)
    }

    /// Its tables cannot have been edited: only the index follows from something.
    fn rebuild(&mut self) -> Result<Rebuilt> {
        self.index.take();
        self.sums.take();
        Ok(Rebuilt::default())
    }

    fn each_entry(&self, visit: VisitEntry<'_>) -> Result<()> {
        for (n, line) in self.numbered() {
            if !visit(self.entry(n, line))? {
                break;
            }
        }
        Ok(())
    }

    fn every_text(&self, visit: Visit<'_>) -> Result<()> {
        every_text::of_tables(&self.tables, visit);
        self.numbered().for_each(|(n, line)| every_text::of_entry(&self.entry(n, line), visit));
        Ok(())
    }
}

impl MemoryStore {
    fn index(&self) -> &TextIndex {
        self.index.get_or_init(|| self.rebuilt_index())
    }

    fn rebuilt_index(&self) -> TextIndex {
        let mut index = TextIndex::default();
        for lesson in self.tables.lessons.values() {
            index.replace_lesson(None, Some(lesson));
        }
        for ((project, ..), finding) in &self.tables.findings {
            index.replace_finding(project, None, Some(finding));
        }
        for ((project, _), deliberation) in &self.tables.deliberations {
            index.replace_deliberation(project, None, Some(deliberation));
        }
        index
    }

    fn entries(&self, project: &ProjectId, query: &JournalQuery) -> Vec<Entry> {
        let begun = query.after.and_then(|after| self.place_of(project, after));
        let matching = self.numbered().filter(|(_, line)| {
            let of_project = self.operations[line.place].0 == *project;
            let is_later = |after: OperationId| match of_project {
                true => line.operation > after,
                false => begun.is_none_or(|begun| line.place > begun),
            };
            let wanted_lesson = query.lesson.as_ref();
            // Whose the operation is that a query names is told by the project.
            (of_project || line.is_global && query.operation.is_none())
                && wanted_lesson.is_none_or(|lesson| line.change.lesson() == Some(lesson))
                && query.operation.is_none_or(|operation| line.operation == operation)
                && query.after.is_none_or(is_later)
                && (!query.only_memory || line.change.touches_memory())
        });
        let mut entries: Vec<Entry> = matching.map(|(n, line)| self.entry(n, line)).collect();
        if query.newest_first {
            entries.reverse();
        }
        entries.truncate(query.limit.unwrap_or(usize::MAX));
        entries
    }

    /// The journal, each line with its number in its project.
    fn numbered(&self) -> impl Iterator<Item = (u64, &Line)> {
        let mut counted: BTreeMap<&ProjectId, u64> = BTreeMap::new();
        self.journal.iter().map(move |line| {
            let n = counted.entry(&self.operations[line.place].0).or_default();
            *n += 1;
            (*n, line)
        })
    }

    fn entry(&self, sequence: u64, line: &Line) -> Entry {
        let (project, head) = &self.operations[line.place];
        Entry {
            sequence,
            operation: line.operation,
            project: project.clone(),
            head: head.clone(),
            change: line.change.clone(),
        }
    }
}

fn pick<K: Ord, V: Clone>(table: &BTreeMap<K, V>, keys: BTreeSet<K>) -> BTreeMap<K, V> {
    let row = |key: K| table.get(&key).cloned().map(|row| (key, row));
    keys.into_iter().filter_map(row).collect()
}

/// Keys of either map.
fn keys<'a, K: Ord, V>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = &'a K> {
    before.keys().chain(after.keys().filter(|key| !before.contains_key(key)))
}
