//! The text index in the database: terms with the number of texts that hold them, and
//! postings. Written in the transaction of the rows it follows from, so it is never
//! behind, and a deleted text leaves nothing here.
//!
//! A postings table was chosen over FTS5 by trial: it narrows to the project before it
//! matches, gives exact term counts for nothing, and deletes exactly.

pub(super) mod deliberation;

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::Corpus;
use hardwon_core::propose::{propose, terms_of_finding, terms_of_lesson};
use rusqlite::{Connection, Result, params};

use super::rows::{self, GLOBAL, ProjectKey, all, one, run};
use crate::Search;
use crate::query::is_indexed;
use crate::terms::{Sort, has_same_terms, terms};

/// Replaces the terms of a lesson in the index.
pub(super) fn replace_lesson(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Lesson>,
    after: Option<&Lesson>,
) -> Result<()> {
    let Some(id) = before.or(after).map(|lesson| lesson.id.as_str()) else { return Ok(()) };
    if has_same_terms(before, after) {
        return Ok(());
    }
    let is_injectable = |lesson: Option<&Lesson>| lesson.is_some_and(Lesson::is_injectable);
    let (was, is) = (is_injectable(before), is_injectable(after));
    let (old, new) = (terms(before, terms_of_lesson), terms(after, terms_of_lesson));
    let delete = "DELETE FROM lesson_terms WHERE term = ?1 AND is_injectable = ?2 AND lesson = ?3";
    let insert = "INSERT INTO lesson_terms (term, is_injectable, lesson) VALUES (?1, ?2, ?3)";
    replace(
        (db, project, Sort::Lesson),
        [&old, &new],
        |key| run(db, delete, params![key, was, id]),
        |key| run(db, insert, params![key, is, id]),
    )?;
    if was != is {
        for term in old.intersection(&new) {
            let Some((key, _)) = find(db, project, Sort::Lesson, term)? else { continue };
            let sql = "
                UPDATE lesson_terms SET is_injectable = ?3
                WHERE term = ?1 AND is_injectable = ?2 AND lesson = ?4";
            run(db, sql, params![key, was, is, id])?;
        }
    }
    let sql = "UPDATE projects SET n_lessons = n_lessons + ?2 WHERE key = ?1";
    count(db, sql, project, before.is_some(), after.is_some())
}

/// The same for a finding, of which only fixed ones are indexed.
pub(super) fn replace_finding(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Finding>,
    after: Option<&Finding>,
) -> Result<()> {
    let before = before.filter(|finding| is_indexed(finding));
    let after = after.filter(|finding| is_indexed(finding));
    let Some(Finding { run: run_id, key: finding, .. }) = before.or(after) else { return Ok(()) };
    let (old, new) = (terms(before, terms_of_finding), terms(after, terms_of_finding));
    let delete = "DELETE FROM finding_terms WHERE term = ?1 AND run = ?2 AND finding = ?3";
    let insert = "INSERT INTO finding_terms (term, run, finding) VALUES (?1, ?2, ?3)";
    replace(
        (db, project, Sort::Finding),
        [&old, &new],
        |key| run(db, delete, params![key, run_id.as_str(), finding.0]),
        |key| run(db, insert, params![key, run_id.as_str(), finding.0]),
    )?;
    let sql = "UPDATE projects SET n_fixed = n_fixed + ?2 WHERE key = ?1";
    count(db, sql, project, before.is_some(), after.is_some())
}

/// Lessons of the project and global ones that share terms, best first, and how common
/// the terms are.
pub(super) fn search_lessons(
    db: &Connection,
    project: ProjectKey,
    search: &Search,
) -> Result<(Vec<LessonId>, Corpus)> {
    let owners: Vec<ProjectKey> = BTreeSet::from([project, GLOBAL]).into_iter().collect();
    let IndexHit { corpus, keys } = look_up(db, &owners, Sort::Lesson, &search.terms)?;
    let sql = "
        SELECT lesson FROM lesson_terms
        WHERE term = ?1 AND is_injectable = ?2
        ORDER BY lesson LIMIT ?3";
    let flags: &[bool] = if search.only_injectable { &[true] } else { &[true, false] };
    let found = propose(&corpus, search.limit, |term, at_most| {
        let mut lessons: Vec<String> = Vec::new();
        for (key, flag) in keys[term].iter().flat_map(|key| flags.iter().map(move |f| (key, f))) {
            lessons.extend(all(db, sql, params![key, flag, at_most as i64], |row| row.get(0))?);
        }
        // Stable, because that merges the sorted lists it is made of.
        lessons.sort();
        lessons.truncate(at_most);
        Ok::<_, rusqlite::Error>(lessons)
    })?;
    Ok((found.iter().map(|id| LessonId::given(id)).collect(), corpus))
}

/// Fixed findings of the project that share terms, best first.
pub(super) fn search_findings(
    db: &Connection,
    project: ProjectKey,
    terms: &[String],
    limit: usize,
) -> Result<Vec<(RunId, FindingKey)>> {
    let IndexHit { corpus, keys } = look_up(db, &[project], Sort::Finding, terms)?;
    let sql = "
        SELECT run, finding FROM finding_terms
        WHERE term = ?1
        ORDER BY run, finding LIMIT ?2";
    let found: Vec<(String, String)> = propose(&corpus, limit, |term, at_most| {
        let params = params![keys[term][0], at_most as i64];
        all(db, sql, params, |row| Ok((row.get(0)?, row.get(1)?)))
    })?;
    // A run id that does not parse was edited in the file: the check reports it.
    let parsed = found.into_iter().filter_map(|(run, key)| {
        let run = RunId::parse(&run).ok()?;
        Some((run, FindingKey(key)))
    });
    Ok(parsed.collect())
}

/// The searched terms that occur.
struct IndexHit {
    corpus: Corpus,
    /// Keys of each term, one for each owner that has it.
    keys: BTreeMap<String, Vec<i64>>,
}

fn look_up(
    db: &Connection,
    owners: &[ProjectKey],
    sort: Sort,
    terms: &[String],
) -> Result<IndexHit> {
    let mut found = IndexHit { corpus: Corpus::default(), keys: BTreeMap::new() };
    for owner in owners {
        let n_texts = n_texts(db, *owner, sort)?;
        if n_texts == 0 {
            continue;
        }
        found.corpus.n_texts += n_texts;
        for term in terms.iter().collect::<BTreeSet<_>>() {
            let Some((key, n_with)) = find(db, *owner, sort, term)? else { continue };
            *found.corpus.df.entry(term.clone()).or_default() += n_with;
            found.keys.entry(term.clone()).or_default().push(key);
        }
    }
    Ok(found)
}

fn n_texts(db: &Connection, owner: ProjectKey, sort: Sort) -> Result<u64> {
    let sql = match sort {
        Sort::Lesson => "SELECT n_lessons FROM projects WHERE key = ?1",
        Sort::Finding => "SELECT n_fixed FROM projects WHERE key = ?1",
        Sort::Deliberation => return Ok(rows::deliberation::sums(db, owner)?.0),
    };
    Ok(one(db, sql, [owner], |row| row.get::<_, i64>(0))?.unwrap_or(0) as u64)
}

fn find(db: &Connection, owner: ProjectKey, sort: Sort, term: &str) -> Result<Option<(i64, u64)>> {
    let sql = "SELECT key, n_texts FROM terms WHERE project = ?1 AND sort = ?2 AND term = ?3";
    one(db, sql, params![owner, sort.word(), term], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
    })
}

/// Takes the terms that a text had and has no more out of the index, and puts new ones in. Both are
/// given the key of a term, and say how many postings they changed.
fn replace(
    (db, owner, sort): (&Connection, ProjectKey, Sort),
    [old, new]: [&BTreeSet<String>; 2],
    delete: impl Fn(i64) -> Result<usize>,
    insert: impl Fn(i64) -> Result<usize>,
) -> Result<()> {
    for term in old.difference(new) {
        let Some((key, n_texts)) = find(db, owner, sort, term)? else { continue };
        if delete(key)? > 0 {
            let sql = match n_texts {
                0 | 1 => "DELETE FROM terms WHERE key = ?1",
                _ => "UPDATE terms SET n_texts = n_texts - 1 WHERE key = ?1",
            };
            run(db, sql, [key])?;
        }
    }
    for term in new.difference(old) {
        let sql = "
            INSERT INTO terms (project, sort, term, n_texts) VALUES (?1, ?2, ?3, 1)
            ON CONFLICT (project, sort, term) DO UPDATE SET n_texts = n_texts + 1
            RETURNING key";
        let key = one(db, sql, params![owner, sort.word(), term], |row| row.get(0))?;
        insert(key.ok_or(rusqlite::Error::QueryReturnedNoRows)?)?;
    }
    Ok(())
}

fn count(
    db: &Connection,
    sql: &str,
    project: ProjectKey,
    was_there: bool,
    is_there: bool,
) -> Result<()> {
    if was_there == is_there {
        return Ok(());
    }
    let difference = if is_there { 1 } else { -1 };
    run(db, sql, params![project, difference]).map(drop)
}
