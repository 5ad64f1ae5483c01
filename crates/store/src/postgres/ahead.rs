//! What a write has to know, asked at once: its locks, the rows that its changes name, and what the
//! counts of their root runs are made of. All of it follows from the changes, so nothing has to be
//! answered before the next is asked.

use std::collections::BTreeSet;

use hardwon_core::attempt::Attempt;
use hardwon_core::change::{Change, Tables};
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::Deliberation;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use tokio_postgres::Row;

use super::db::Db;
use super::load::{by_id, put};
use super::rows::{from_body, parsed};
use super::schema;
use super::tally::{Counted, Trials};
use super::trouble::{Tried, Trouble};
use crate::cell::{Cell, cells};
use crate::settle::Touched;

/// What is asked for.
pub(super) struct Wanted {
    pub touched: Touched,
    /// Root runs whose counts may change.
    roots: BTreeSet<RunId>,
    /// Lessons whose trials may change.
    seen: BTreeSet<LessonId>,
}

impl Wanted {
    pub(super) fn by(changes: &[Change], project: &ProjectId) -> Self {
        use Change::*;
        let touched = Touched::by(changes, project);
        let (mut roots, mut seen) = (BTreeSet::new(), BTreeSet::new());
        for change in changes {
            let (runs, findings, effect) = match change {
                AddRun { run } | RemoveRun { run } => (vec![run], vec![], None),
                EditRun { before, after } => (vec![before, after], vec![], None),
                AddFinding { finding } | RemoveFinding { finding } => (vec![], vec![finding], None),
                EditFinding { before, after } => (vec![], vec![before, after], None),
                AddEffect { effect } | RemoveEffect { effect } => (vec![], vec![], Some(effect)),
                _ => continue,
            };
            roots.extend(runs.iter().map(|run| run.root.clone()));
            roots.extend(findings.iter().map(|finding| finding.root.clone()));
            seen.extend(findings.iter().filter_map(|finding| finding.lesson.clone()));
            roots.extend(effect.map(|effect| effect.root.clone()));
            seen.extend(effect.map(|effect| effect.lesson.clone()));
        }
        Wanted { touched, roots, seen }
    }

    /// The values of the function that gives most of it.
    fn values(&self, project: &ProjectId, is_alone: bool) -> Vec<Cell> {
        let Touched { runs, findings, injections, effects, lessons, .. } = &self.touched;
        let mut values = cells![project.as_str(), is_alone];
        values.push(texts(runs.iter().map(|(_, id)| id.as_str())));
        values.push(texts(findings.iter().map(|(_, run, _)| run.as_str())));
        values.push(texts(findings.iter().map(|(.., key)| key.0.as_str())));
        values.push(texts(injections.iter().map(|(_, (run, ..))| run.as_str())));
        values.push(texts(injections.iter().map(|(_, (_, role, _))| role.as_str())));
        values.push(texts(injections.iter().map(|(_, (.., need))| need.as_str())));
        values.push(texts(effects.iter().map(|(_, root, _)| root.as_str())));
        values.push(texts(effects.iter().map(|(.., lesson)| lesson.as_str())));
        values.push(texts(lessons.iter().map(LessonId::as_str)));
        values.push(texts(self.roots.iter().map(RunId::as_str)));
        values.push(texts(self.seen.iter().map(LessonId::as_str)));
        values
    }
}

fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Cell {
    Cell::from(texts.collect::<Vec<&str>>())
}

/// What is known before anything is written.
pub(super) struct Ahead {
    /// Of what all projects share: how often it was changed, and its clock.
    pub shared: (i64, i64),
    /// Of the project: revision, operations and entries.
    pub own: (i64, i64, i64),
    /// The part of the tables that is written.
    pub part: i64,
    /// Those of the touched rows that were asked for here.
    pub touched: Tables,
    pub counted: Counted,
}

/// Takes the locks, that of all projects first, and reads. The row of a project is made if this is its
/// first write.
pub(super) fn look(
    db: &Db<'_>,
    project: &ProjectId,
    wanted: &Wanted,
    is_alone: bool,
) -> Tried<Ahead> {
    let part = db.works_in_part_of(project.as_str())?;
    let values = wanted.values(project, is_alone);
    let places: Vec<String> = (1..=values.len()).map(|n| format!("${n}")).collect();
    let sql = format!("SELECT * FROM hardwon.look_{part}({})", places.join(", "));
    let ids = |keys: &BTreeSet<(ProjectId, String)>| keys.iter().map(|it| it.1.clone()).collect();
    let Touched { deliberations, attempts, consultations, .. } = &wanted.touched;
    let rest = [
        by_id::<Deliberation>(project, ids(deliberations)),
        by_id::<Attempt>(project, ids(attempts)),
        by_id::<Consultation>(project, ids(consultations)),
    ];
    let is_asked = rest.each_ref().map(Option::is_some);
    let statements = std::iter::once((sql, values)).chain(rest.into_iter().flatten()).collect();
    let mut found = db.all_of(statements).map_err(Trouble::of_waiting)?.into_iter();
    let rows = found.next().unwrap_or_default();
    let mut ahead = read(project, part, wanted, &rows)?;
    let rest =
        is_asked.map(|is_asked| is_asked.then(|| found.next()).flatten().unwrap_or_default());
    put(&mut ahead.touched.deliberations, project, parsed(&rest[0])?);
    put(&mut ahead.touched.attempts, project, parsed(&rest[1])?);
    put(&mut ahead.touched.consultations, project, parsed(&rest[2])?);
    Ok(ahead)
}

fn read(project: &ProjectId, part: i64, wanted: &Wanted, rows: &[Row]) -> Tried<Ahead> {
    let named = |sort: &str| rows.iter().find(|row| row.get::<_, &str>(0) == sort);
    let missing = Trouble::Strange("the row of the global lessons is missing");
    let shared = named("shared").ok_or(missing)?;
    schema::refuse_other(shared.get(3))?;
    let own = named("own").ok_or(Trouble::Strange("the row of a project is missing"))?;
    let own = (own.get(1), own.get(2), own.get(3));
    let trials = wanted.seen.iter().map(|id| (id.as_str().to_owned(), Trials::new())).collect();
    let roots = wanted.roots.clone();
    let project = project.clone();
    let counted = Counted { project: Some(project), roots, tables: Tables::default(), trials };
    let touched = Tables::default();
    let mut ahead = Ahead { shared: (shared.get(1), shared.get(2)), own, part, touched, counted };
    rows.iter().try_for_each(|row| ahead.take(row))?;
    Ok(ahead)
}

impl Ahead {
    /// Puts a row where rows of its sort belong.
    fn take(&mut self, row: &Row) -> Tried<()> {
        let Counted { project, tables: of_roots, trials, .. } = &mut self.counted;
        let (Some(project), touched) = (project, &mut self.touched) else { return Ok(()) };
        let sort: &str = row.get(0);
        if matches!(sort, "shared" | "own") {
            return Ok(());
        }
        let (body, bodies): (&str, &str) = (row.get(4), row.get(5));
        match sort {
            "run" => put(&mut touched.runs, project, [from_body(body, bodies)?]),
            "finding" => put(&mut touched.findings, project, [from_body(body, bodies)?]),
            "injection" => put(&mut touched.injections, project, [from_body(body, bodies)?]),
            "effect" => put(&mut touched.effects, project, [from_body(body, bodies)?]),
            "lesson" => {
                let lesson: Lesson = from_body(body, bodies)?;
                touched.lessons.insert(lesson.id.clone(), lesson);
            }
            "run of a root" => put(&mut of_roots.runs, project, [from_body(body, bodies)?]),
            "finding of a root" => put(&mut of_roots.findings, project, [from_body(body, bodies)?]),
            "effect of a root" => put(&mut of_roots.effects, project, [from_body(body, bodies)?]),
            "trial" => {
                let (number, was_seen, was_shown): (i64, i64, i64) =
                    (row.get(1), row.get(2), row.get(3));
                let trials = trials.entry(body.to_owned()).or_default();
                trials.insert((number as u64, bodies.to_owned()), (was_seen != 0, was_shown != 0));
            }
            _ => return Err(Trouble::Strange("a row is of no known sort")),
        }
        Ok(())
    }
}
