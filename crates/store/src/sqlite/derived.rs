//! Is what is kept for queries as the rows give it: the text index, the columns of lessons, their
//! aliases and showings, the counts? Looked at owner by owner, so that the rows of one are in memory
//! at a time.

mod counts;

use std::collections::BTreeSet;

use hardwon_core::change::Tables;
use hardwon_core::ids::ProjectId;
use hardwon_core::propose::{terms_of_finding, terms_of_lesson};
use rusqlite::{Connection, Params, Result};

use super::found::{Found, Told};
use super::rows::{self, ProjectKey, all};
use super::tables::{self, Owner};
use crate::query::is_indexed;

/// What is wrong: in the text index, in columns and aliases, in showings, in counts. Errors: a row
/// cannot be read.
pub(super) fn faults(db: &Connection) -> Result<[Result<Told>; 4]> {
    let mut postings = Ok(BTreeSet::new());
    let mut kept = Ok(Kept::default());
    let mut showings = Ok(Found::default());
    let mut counts = Ok(BTreeSet::new());
    for owner in tables::owners(db)? {
        let mut stored = Tables::default();
        tables::add_owner(db, &owner, &mut stored)?;
        go_on(&mut postings, |wrong| add_wrong_postings(db, owner.key, &stored, wrong));
        go_on(&mut kept, |wrong| wrong.add(db, &owner, &stored));
        go_on(&mut showings, |wrong| add_wrong_showings(db, "= ?1", [owner.key], wrong));
        go_on(&mut counts, |wrong| counts::add_wrong(db, owner.key, &stored, wrong));
    }
    go_on(&mut postings, |wrong| add_stray_postings(db, wrong));
    let nobody = "NOT IN (SELECT key FROM projects)";
    go_on(&mut showings, |wrong| add_wrong_showings(db, nobody, [], wrong));
    go_on(&mut counts, |wrong| counts::add_strays(db, wrong));
    let postings = postings.and_then(|wrong: BTreeSet<String>| {
        let names: Vec<String> =
            wrong.into_iter().map(|name| format!("{name} is indexed wrongly")).collect();
        Ok(Told::from(names).and(miscounted(db)?))
    });
    let kept = kept.map(|kept: Kept| Told::from(kept.columns).and(kept.aliases));
    Ok([postings, kept, showings.map(Told::from), counts.map(Told::from)])
}

/// Looks at one owner more, unless an earlier one gave an error.
fn go_on<T>(all: &mut Result<T>, add: impl FnOnce(&mut T) -> Result<()>) {
    if let Ok(known) = all
        && let Err(error) = add(known)
    {
        *all = Err(error);
    }
}

/// Sort, term and text of a posting.
type Posting = (&'static str, String, String);

/// Adds the names of what is indexed wrongly. All of them are kept, because two projects may name
/// the same run.
fn add_wrong_postings(
    db: &Connection,
    owner: ProjectKey,
    tables: &Tables,
    wrong: &mut BTreeSet<String>,
) -> Result<()> {
    let expected = expected_postings(tables);
    let stored = stored_postings(db, owner)?;
    // A text begins with the lesson, or with the run that the finding is of.
    let name = |sort: &str, text: &str| match (sort, text.split(' ').next().unwrap_or(text)) {
        ("lesson", lesson) => format!("lesson {lesson}"),
        ("deliberation", id) => format!("deliberation {id}"),
        (_, run) => format!("a finding of run {run}"),
    };
    let differing = expected.symmetric_difference(&stored);
    wrong.extend(differing.map(|(sort, _, text)| name(sort, text)));
    Ok(())
}

fn expected_postings(tables: &Tables) -> BTreeSet<Posting> {
    let mut postings = BTreeSet::new();
    for lesson in tables.lessons.values() {
        let text = format!("{} {}", lesson.id, i32::from(lesson.is_injectable()));
        for term in terms_of_lesson(lesson) {
            postings.insert(("lesson", term, text.clone()));
        }
    }
    for ((_, run, key), finding) in &tables.findings {
        if !is_indexed(finding) {
            continue;
        }
        for term in terms_of_finding(finding) {
            postings.insert(("finding", term, format!("{run} {}", key.0)));
        }
    }
    for ((_, id), deliberation) in &tables.deliberations {
        for term in deliberation.terms() {
            postings.insert(("deliberation", term, id.clone()));
        }
    }
    postings
}

fn stored_postings(db: &Connection, owner: ProjectKey) -> Result<BTreeSet<Posting>> {
    let lessons = "
        SELECT terms.term, lesson || ' ' || is_injectable
        FROM terms CROSS JOIN lesson_terms ON lesson_terms.term = terms.key
        WHERE project = ?1 AND sort = 'lesson'";
    let findings = "
        SELECT terms.term, run || ' ' || finding
        FROM terms CROSS JOIN finding_terms ON finding_terms.term = terms.key
        WHERE project = ?1 AND sort = 'finding'";
    let read = |sql: &str, sort: &'static str| {
        all(db, sql, [owner], |row| Ok((sort, row.get(0)?, row.get(1)?)))
    };
    let mut postings: BTreeSet<Posting> = read(lessons, "lesson")?.into_iter().collect();
    postings.extend(read(findings, "finding")?);
    let deliberations = "
        SELECT terms.term, coalesce(deliberations.id, '?')
        FROM terms CROSS JOIN deliberation_terms ON deliberation_terms.term = terms.key
        LEFT JOIN deliberations ON deliberations.key = deliberation
        WHERE terms.project = ?1 AND sort = 'deliberation'";
    postings.extend(read(deliberations, "deliberation")?);
    Ok(postings)
}

/// Postings of terms that no owner has.
fn add_stray_postings(db: &Connection, wrong: &mut BTreeSet<String>) -> Result<()> {
    let lessons = "
        SELECT 'lesson ' || lesson FROM lesson_terms
        WHERE NOT EXISTS (
            SELECT 1 FROM terms CROSS JOIN projects ON projects.key = terms.project
            WHERE terms.key = lesson_terms.term AND sort = 'lesson')";
    let findings = "
        SELECT 'a finding of run ' || run FROM finding_terms
        WHERE NOT EXISTS (
            SELECT 1 FROM terms CROSS JOIN projects ON projects.key = terms.project
            WHERE terms.key = finding_terms.term AND sort = 'finding')";
    let deliberations = "
        SELECT 'deliberation ' || deliberation FROM deliberation_terms
        WHERE NOT EXISTS (
            SELECT 1 FROM terms CROSS JOIN projects ON projects.key = terms.project
            WHERE terms.key = deliberation_terms.term AND sort = 'deliberation')";
    for sql in [lessons, findings, deliberations] {
        wrong.extend(all(db, sql, [], |row| row.get::<_, String>(0))?);
    }
    Ok(())
}

/// Counts that are not those of the rows.
fn miscounted(db: &Connection) -> Result<Vec<String>> {
    let terms = "
        SELECT term FROM terms
        WHERE n_texts <> CASE sort
            WHEN 'lesson' THEN (SELECT count(*) FROM lesson_terms WHERE term = terms.key)
            WHEN 'deliberation' THEN
                (SELECT count(*) FROM deliberation_terms WHERE term = terms.key)
            ELSE (SELECT count(*) FROM finding_terms WHERE term = terms.key) END";
    let projects = "
        SELECT id FROM projects
        WHERE n_lessons <> (SELECT count(*) FROM lessons WHERE project = projects.key)
           OR n_fixed <> (SELECT count(*) FROM findings
                          WHERE project = projects.key AND state = 'fixed')";
    let deliberations = "
        SELECT projects.id FROM projects
        LEFT JOIN deliberation_sums AS kept ON kept.project = projects.key
        LEFT JOIN (
            SELECT project, count(*) AS n, sum(n_bytes) AS n_bytes
            FROM deliberations GROUP BY project
        ) AS found ON found.project = projects.key
        WHERE coalesce(kept.n, 0) <> coalesce(found.n, 0)
           OR coalesce(kept.n_bytes, 0) <> coalesce(found.n_bytes, 0)";
    let mut faults = Vec::new();
    for id in all(db, deliberations, [], |row| row.get::<_, String>(0))? {
        faults.push(format!("the deliberations of project {id:?} are miscounted"));
    }
    for term in all(db, terms, [], |row| row.get::<_, String>(0))? {
        faults.push(format!("the texts with the term {term:?} are miscounted"));
    }
    for id in all(db, projects, [], |row| row.get::<_, String>(0))? {
        faults.push(format!("the texts of project {id:?} are miscounted"));
    }
    Ok(faults)
}

/// Columns and aliases that do not follow from their row.
#[derive(Default)]
struct Kept {
    columns: Found<String>,
    /// By owner, alias and lesson.
    aliases: Found<(String, String, String)>,
}

impl Kept {
    fn add(&mut self, db: &Connection, owner: &Owner, tables: &Tables) -> Result<()> {
        self.add_rows(db, owner.key, tables.runs.values())?;
        self.add_rows(db, owner.key, tables.findings.values())?;
        self.add_rows(db, owner.key, tables.lessons.values())?;
        self.add_rows(db, owner.key, tables.injections.values())?;
        self.add_rows(db, owner.key, tables.effects.values())?;
        self.add_rows(db, owner.key, tables.deliberations.values())?;
        self.add_rows(db, owner.key, tables.attempts.values())?;
        self.add_rows(db, owner.key, tables.consultations.values())?;
        let of_lesson = |lesson: &hardwon_core::lesson::Lesson| {
            let id = lesson.id.to_string();
            let aliases = lesson.aliases.iter();
            aliases.map(|alias| (alias.clone(), id.clone())).collect::<Vec<_>>()
        };
        let expected: BTreeSet<_> = tables.lessons.values().flat_map(of_lesson).collect();
        let sql = "SELECT alias, lesson FROM aliases WHERE project = ?1";
        let stored = all(db, sql, [owner.key], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let stored: BTreeSet<(String, String)> = stored.into_iter().collect();
        let name = owner.project.as_ref().map_or("", ProjectId::as_str);
        for (alias, lesson) in expected.symmetric_difference(&stored) {
            let fault = format!("the alias {alias:?} points wrongly");
            self.aliases.add((name.to_owned(), alias.clone(), lesson.clone()), fault);
        }
        Ok(())
    }
}

impl Kept {
    fn add_rows<'t, T: crate::rows::Kept + 't>(
        &mut self,
        db: &Connection,
        owner: ProjectKey,
        rows: impl Iterator<Item = &'t T>,
    ) -> Result<()> {
        for row in rows {
            if !rows::is_kept_as(db, owner, row)? {
                let name = row.name();
                self.columns.add(name.clone(), format!("{name} is ordered wrongly"));
            }
        }
        Ok(())
    }
}

/// Showings that are not those of the injections, of the projects of which this is true.
fn add_wrong_showings(
    db: &Connection,
    which: &str,
    params: impl Params,
    wrong: &mut Found<usize>,
) -> Result<()> {
    let listed = format!(
        "SELECT DISTINCT project, value ->> 'lesson', run, role, need
         FROM injections, json_each(injections.body, '$.shown') WHERE project {which}"
    );
    let kept =
        format!("SELECT project, lesson, run, role, need FROM showings WHERE project {which}");
    let sql = format!(
        "SELECT run FROM (
             SELECT * FROM ({listed} EXCEPT {kept}) UNION SELECT * FROM ({kept} EXCEPT {listed}))"
    );
    for run in all(db, &sql, params, |row| row.get::<_, String>(0))? {
        wrong.push(format!("what was shown to {run} is listed wrongly"));
    }
    Ok(())
}
