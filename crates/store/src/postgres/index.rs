//! The text index in the database: how many texts hold a term, and which. Written in the transaction
//! of the rows it follows from. A term that is longer than an index takes is known by its digest.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use hardwon_core::change::Tables;
use hardwon_core::deliberation::{Deliberation, DeliberationFilter};
use hardwon_core::digest::{hex, sha256};
use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::Corpus;
use hardwon_core::propose::{
    COMMON_AT, MAX_READ, MAX_READ_PER_TERM, propose, terms_of_finding, terms_of_lesson,
};

use super::db::Db;
use super::routine::Routine;
use super::rows::{self, GLOBAL, both, owner_of};
use super::trouble::{Tried, Trouble};
use crate::asked::{self, Asking, asked_deliberations};
use crate::cell::{Cell, cells};
use crate::query::is_indexed;
use crate::rows::Table;
use crate::settle::differing;
use crate::terms::{Sort, has_same_terms, terms};
use crate::{Proposals, Search};

/// The term that every text has: how many texts there are.
const EVERY: &str = "";

/// Longer ones are known by their digest.
const LONGEST: usize = 1000;

pub(super) const TERMS: Table =
    Table { name: "terms", n_key: 3, columns: &["project", "sort", "term", "n_texts"] };
pub(super) const LESSON_TERMS: Table = Table {
    name: "lesson_terms",
    n_key: 3,
    columns: &["project", "term", "lesson", "is_injectable"],
};
pub(super) const FINDING_TERMS: Table =
    Table { name: "finding_terms", n_key: 4, columns: &["project", "term", "run", "key"] };
pub(super) const DELIBERATION_TERMS: Table =
    Table { name: "deliberation_terms", n_key: 4, columns: &["project", "term", "at", "id"] };

/// A term as the index has it.
pub(super) fn short(term: &str) -> String {
    match term.len() {
        0..=LONGEST => term.to_owned(),
        _ => format!("#{}", hex(&sha256(&[term]))),
    }
}

/// What a write does to the index.
#[derive(Default)]
struct Steps {
    counts: BTreeMap<(String, Sort, String), i64>,
    gone: BTreeMap<Sort, Vec<Vec<Cell>>>,
    new: BTreeMap<Sort, Vec<Vec<Cell>>>,
}

impl Steps {
    /// Takes the terms of a text out of the index, and puts others in.
    fn replace(
        &mut self,
        sort: Sort,
        was: Option<(&str, BTreeSet<String>, &[Cell])>,
        is: Option<(&str, BTreeSet<String>, &[Cell])>,
    ) {
        let posting = |project: &str, term: &str, key: &[Cell]| -> Vec<Cell> {
            [&cells![project, term][..], key].concat()
        };
        let every = |terms: BTreeSet<String>| -> Vec<String> {
            terms.iter().map(|term| short(term)).chain([EVERY.to_owned()]).collect()
        };
        let stays = match (&was, &is) {
            (Some(was), Some(is)) if (was.0, was.2) == (is.0, is.2) => &was.1 & &is.1,
            _ => BTreeSet::new(),
        };
        for (text, difference) in [(was, -1), (is, 1)] {
            let Some((project, terms, key)) = text else { continue };
            for term in every(&terms - &stays) {
                if term != EVERY {
                    let list = if difference < 0 { &mut self.gone } else { &mut self.new };
                    list.entry(sort).or_default().push(posting(project, &term, key));
                }
                *self.counts.entry((project.to_owned(), sort, term)).or_default() += difference;
            }
        }
    }
}

/// Writes the terms of the rows in which two states differ.
pub(super) fn write(db: &Db<'_>, before: &Tables, after: &Tables) -> Tried<()> {
    let mut steps = Steps::default();
    for (_, was, is) in differing(&before.lessons, &after.lessons) {
        let moved = was.map(owner_of) != is.map(owner_of);
        if moved || !has_same_terms(was, is) {
            let owners = [was, is].map(|lesson| lesson.map(owner_of).unwrap_or_default());
            let keys = [was, is].map(lesson_key);
            steps.replace(
                Sort::Lesson,
                was.map(|_| (&owners[0][..], terms(was, terms_of_lesson), &keys[0][..])),
                is.map(|_| (&owners[1][..], terms(is, terms_of_lesson), &keys[1][..])),
            );
        }
    }
    for ((project, run, key), was, is) in differing(&before.findings, &after.findings) {
        let key = cells![run.as_str(), key.0.as_str()];
        let indexed = |it: Option<&Finding>| {
            let it = it.filter(|it| is_indexed(it));
            it.map(|_| (project.as_str(), terms(it, terms_of_finding), &key[..]))
        };
        steps.replace(Sort::Finding, indexed(was), indexed(is));
    }
    for ((project, id), was, is) in differing(&before.deliberations, &after.deliberations) {
        let key = |it: Option<&Deliberation>| it.map(|it| cells![it.at, id.as_str()]);
        let keys = [was, is].map(key).map(Option::unwrap_or_default);
        let indexed = |it: Option<&Deliberation>, at: usize| {
            it.map(|_| (project.as_str(), terms(it, Deliberation::terms), &keys[at][..]))
        };
        steps.replace(Sort::Deliberation, indexed(was, 0), indexed(is, 1));
    }
    steps.write(db)
}

fn lesson_key(lesson: Option<&Lesson>) -> Vec<Cell> {
    lesson.map(|it| cells![it.id.as_str(), it.is_injectable()]).unwrap_or_default()
}

impl Steps {
    fn write(self, db: &Db<'_>) -> Tried<()> {
        let table = |sort: &Sort| match sort {
            Sort::Lesson => LESSON_TERMS,
            Sort::Finding => FINDING_TERMS,
            Sort::Deliberation => DELIBERATION_TERMS,
        };
        for (sort, gone) in &self.gone {
            db.remove(&table(sort), gone)?;
        }
        for (sort, new) in self.new {
            db.put(&table(&sort), new)?;
        }
        let counts = self.counts.into_iter().filter(|(_, n)| *n != 0);
        let counts = counts.map(|((project, sort, term), n)| cells![project, sort.word(), term, n]);
        db.add(&TERMS, counts.collect())
    }
}

/// How many texts have each of some terms. A lookup for each: of a list of them a server that knows
/// little about the table reads it all. What is said of the empty project is left out where both owners are the same.
pub(super) const COMMON: Routine = Routine {
    name: "common",
    takes: "text, text, text, text[]",
    gives: "term text, n bigint",
    sql: "
        SELECT wanted.term, found.n FROM unnest($4) AS wanted (term) CROSS JOIN LATERAL (
            SELECT sum(t.n_texts)::bigint AS n FROM hardwon.terms AS t
            WHERE t.project IN ($1, $2) AND t.sort = $3 AND t.term = wanted.term) AS found
        WHERE found.n IS NOT NULL",
};

/// Lessons that may be shown, by the terms in them.
pub(super) const LESSONS_WITH: Routine = Routine {
    name: "lessons_with",
    takes: "text, text[]",
    gives: "term text, lesson text",
    sql: "
        SELECT t.term, t.lesson FROM hardwon.lesson_terms AS t
        WHERE t.project IN ($1, '') AND t.term = ANY ($2) AND t.is_injectable",
};

/// How common the searched terms are, of a project and another owner; those that nowhere occur are left
/// out.
fn corpus(db: &Db<'_>, owners: [&str; 2], sort: Sort, wanted: &[String]) -> Tried<Corpus> {
    let mut by_short: BTreeMap<String, &String> = BTreeMap::new();
    by_short.extend(wanted.iter().map(|term| (short(term), term)));
    let mut names: Vec<&str> = by_short.keys().map(String::as_str).collect();
    names.push(EVERY);
    let mut corpus = Corpus::default();
    let [own, other] = owners;
    for row in db.ask(&COMMON, cells![own, other, sort.word(), names])? {
        let (term, n): (&str, i64) = (row.get(0), row.get(1));
        match by_short.get(term) {
            _ if term == EVERY => corpus.n_texts = n as u64,
            Some(term) => drop(corpus.df.insert((*term).clone(), n as u64)),
            None => {}
        }
    }
    Ok(corpus)
}

/// Lessons of the project and global ones that share terms, best first, and how common the terms are.
pub(super) fn search_lessons(
    db: &Db<'_>,
    project: &ProjectId,
    search: &Search,
) -> Tried<(Vec<LessonId>, Corpus)> {
    let corpus = corpus(db, [project.as_str(), GLOBAL], Sort::Lesson, &search.terms)?;
    let asked = if search.only_injectable { "AND is_injectable" } else { "" };
    let sql = format!(
        "SELECT term, lesson FROM hardwon.lesson_terms
         WHERE project = ANY ($1) AND term = ANY ($2) {asked}"
    );
    let read = |terms: Vec<String>, at_most: Option<usize>| {
        let rows = match at_most {
            None if search.only_injectable => {
                db.ask(&LESSONS_WITH, cells![project.as_str(), terms])?
            }
            _ => {
                let sql = first_of(&sql, "lesson", at_most);
                db.all(&sql, &cells![both(project), terms])?
            }
        };
        Ok(rows.iter().map(|row| (row.get(0), LessonId::given(row.get(1)))).collect())
    };
    Ok((proposed(&corpus, search.limit, read)?, corpus))
}

/// Fixed findings of the project that share terms, best first.
pub(super) fn search_findings(
    db: &Db<'_>,
    project: &ProjectId,
    wanted: &[String],
    limit: usize,
) -> Tried<Vec<(RunId, FindingKey)>> {
    let corpus = corpus(db, [project.as_str(); 2], Sort::Finding, wanted)?;
    let sql = "
        SELECT term, run, key FROM hardwon.finding_terms
        WHERE project = $1 AND term = ANY ($2)";
    proposed(&corpus, limit, |terms, at_most| {
        let sql = first_of(sql, "run, key", at_most);
        let rows = db.all(&sql, &cells![project.as_str(), terms])?;
        let read = |row: &tokio_postgres::Row| {
            Ok((row.get(0), (rows::run_id(row.get(1))?, FindingKey(row.get::<_, String>(2)))))
        };
        rows.iter().map(read).collect()
    })
}

/// As many rows as are asked for, in their order; all in any order.
fn first_of(sql: &str, order: &str, at_most: Option<usize>) -> String {
    at_most.map_or(sql.to_owned(), |n| format!("{sql} ORDER BY {order} LIMIT {n}"))
}

/// What [`propose`] proposes. `read` gives the texts of some terms, each with its term; of one term
/// at most so many. Those that are surely read are read together: one round trip for all in the place of one for each.
fn proposed<K: Ord + Hash>(
    corpus: &Corpus,
    limit: usize,
    read: impl Fn(Vec<String>, Option<usize>) -> Tried<Vec<(String, K)>>,
) -> Tried<Vec<K>> {
    let few = |n_texts: u64| n_texts <= COMMON_AT && n_texts <= MAX_READ_PER_TERM as u64;
    let mut rare: Vec<(u64, &String)> =
        corpus.df.iter().filter(|(_, n)| few(**n)).map(|(term, n)| (*n, term)).collect();
    rare.sort_unstable();
    let mut n_before = 0;
    rare.retain(|(n_texts, _)| {
        n_before += *n_texts as usize;
        n_before - (*n_texts as usize) < MAX_READ
    });
    let terms: Vec<String> = rare.iter().map(|(_, term)| short(term)).collect();
    let mut known: BTreeMap<String, Vec<K>> =
        terms.iter().map(|term| (term.clone(), Vec::new())).collect();
    if !terms.is_empty() {
        for (term, key) in read(terms, None)? {
            known.entry(term).or_default().push(key);
        }
    }
    propose(corpus, limit, |term, at_most| match known.remove(&short(term)) {
        Some(keys) => Ok(keys),
        None => {
            let found = read(vec![short(term)], Some(at_most))?;
            Ok(found.into_iter().map(|(_, key)| key).collect())
        }
    })
}

/// Deliberations that share terms, or all, as far as they are asked for.
pub(super) fn search_deliberations(
    db: &Db<'_>,
    project: &ProjectId,
    search: &Search,
    filter: &DeliberationFilter,
) -> Tried<Proposals> {
    let sql = "
        SELECT coalesce(sum(n_bytes), 0)::bigint FROM hardwon.deliberations WHERE project = $1";
    let n_bytes = db.one(sql, &cells![project.as_str()])?;
    let n_bytes = n_bytes.map_or(0, |row| row.get::<_, i64>(0) as u64);
    if search.terms.is_empty() {
        let deliberations = asked::deliberations(&(db, project), filter, search.limit)?;
        return Ok(Proposals { deliberations, n_bytes, ..Proposals::default() });
    }
    let corpus = corpus(db, [project.as_str(); 2], Sort::Deliberation, &search.terms)?;
    let found = propose(&corpus, search.limit, |term, at_most| {
        let mut asking = Asking::of("WHERE p.project = $1", Cell::from(project.as_str()));
        asking.and("p.term = ?", cells![short(term)]);
        asked_deliberations(&mut asking, filter);
        let Asking { rest, values } = asking.ordered("p.at DESC, p.id", Some(at_most));
        let sql = format!(
            "SELECT t.at, t.id FROM hardwon.deliberation_terms AS p
             JOIN hardwon.deliberations AS t ON t.project = p.project AND t.id = p.id {rest}"
        );
        let rows = db.all(&sql, &values)?;
        let read =
            |row: &tokio_postgres::Row| (std::cmp::Reverse(row.get::<_, i64>(0)), row.get(1));
        Ok::<Vec<(_, String)>, Trouble>(rows.iter().map(read).collect())
    })?;
    let ids: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let rest = "WHERE t.project = $1 AND t.id = ANY ($2)
                ORDER BY array_position($2, t.id)";
    let deliberations = rows::select(db, rest, &cells![project.as_str(), ids])?;
    Ok(Proposals { deliberations, corpus, n_bytes, ..Proposals::default() })
}
