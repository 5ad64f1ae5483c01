//! Is the store consistent, and how is it restored? Compares what is stored twice: bodies with their
//! digests, the rows with the replayed journal, index and counts with the rows. The journal is the
//! source of truth, and only a complete one is used.

use std::collections::BTreeSet;

use hardwon_core::change::{Change, Row, Tables, Worded};
use hardwon_core::deliberation::Deliberation;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::propose::{terms_of_finding, terms_of_lesson};
use hardwon_core::tally::Rate;

use super::db::Db;
use super::index::{self, short};
use super::rows::{self, GLOBAL};
use super::trouble::{Tried, Trouble};
use super::{erase, journal, load, tables, tally};
use crate::query::is_indexed;
use crate::replay::{Replayed, named};
use crate::rows::TABLES;
use crate::sums::Sums;
use crate::{Fault, Rebuilt};

/// Every check, in its order.
pub(super) const CHECKS: &[&str] = &["texts", "journal", "tables", "index"];

fn replay(db: &Db<'_>) -> Tried<Replayed> {
    let mut replayed = Replayed { faults: journal::gaps(db)?, ..Replayed::default() };
    for entry in journal::every(db)? {
        match &entry.change {
            Change::Erase { erasure } => {
                erase::replay(&mut replayed.tables, &entry.project, erasure);
            }
            _ => replayed.take(&entry),
        }
    }
    Ok(replayed)
}

/// Everything that is wrong.
pub(super) fn faults(db: &Db<'_>) -> Tried<Vec<Fault>> {
    let mut faults = Vec::new();
    let mut take = |check: &'static str, found| faults.extend(named(check, found));
    let stored = match load::everything(db) {
        Ok(stored) => stored,
        Err(Trouble::Strange(detail)) => {
            take("tables", vec![detail.to_owned()]);
            return Ok(faults);
        }
        Err(other) => return Err(other),
    };
    take("texts", without_bodies(&stored));
    match replay(db) {
        Ok(replayed) if replayed.faults.is_empty() => {
            take("tables", replayed.differences(&stored));
        }
        Ok(replayed) => take("journal", replayed.faults),
        Err(Trouble::Strange(detail)) => take("journal", vec![detail.to_owned()]),
        Err(other) => return Err(other),
    }
    if postings_of(&stored) != postings(db)? {
        take("index", vec!["the text index is not what the texts give".to_owned()]);
    }
    if shortened(Sums::of(&stored)) != sums(db)? {
        take("index", vec!["the counts are not what the runs give".to_owned()]);
    }
    Ok(faults)
}

/// Rows of lessons whose words were taken away or edited without an erasure.
fn without_bodies(stored: &Tables) -> Vec<String> {
    let erased = hardwon_core::text::Text::erased();
    let lessons = stored.lessons.values().filter(|lesson| {
        let mut is_without = false;
        (*lesson).clone().for_each_text(&mut |text| {
            is_without |= text.body().is_none() && text.id() != erased.id();
        });
        is_without
    });
    lessons.map(|lesson| format!("{} is without its words", lesson.name())).collect()
}

/// Sort, owner, term and what holds it.
type Posting = (&'static str, String, String, String);

fn postings_of(stored: &Tables) -> BTreeSet<Posting> {
    let mut all = BTreeSet::new();
    let mut add = |sort, owner: &str, terms: Vec<String>, holder: String| {
        for term in terms {
            all.insert((sort, owner.to_owned(), short(&term), holder.clone()));
        }
    };
    for lesson in stored.lessons.values() {
        let owner = lesson.project.as_ref().map_or(GLOBAL, ProjectId::as_str);
        let holder = format!("{} {}", lesson.id, lesson.is_injectable());
        add("lesson", owner, terms_of_lesson(lesson), holder);
    }
    for ((project, run, key), finding) in &stored.findings {
        if is_indexed(finding) {
            let holder = format!("{run} {}", key.0);
            add("finding", project.as_str(), terms_of_finding(finding), holder);
        }
    }
    for ((project, id), it) in &stored.deliberations {
        let holder = format!("{} {id}", it.at.0);
        add("deliberation", project.as_str(), Deliberation::terms(it), holder);
    }
    all
}

fn postings(db: &Db<'_>) -> Tried<BTreeSet<Posting>> {
    let sorts = [
        ("lesson", "lesson || ' ' || is_injectable::text FROM hardwon.lesson_terms"),
        ("finding", "run || ' ' || key FROM hardwon.finding_terms"),
        ("deliberation", "at::text || ' ' || id FROM hardwon.deliberation_terms"),
    ];
    let mut all = BTreeSet::new();
    for (sort, of) in sorts {
        for row in db.all(&format!("SELECT project, term, {of}"), &[])? {
            all.insert((sort, row.get(0), row.get(1), row.get(2)));
        }
    }
    Ok(all)
}

/// With facets as the index has them.
fn shortened(sums: Sums) -> Sums {
    let Sums { runs, seen, trials, rates } = sums;
    let runs = runs.into_iter().map(|((project, facet), n)| ((project, short(&facet)), n));
    let seen = seen.into_iter().map(|((project, facet), n)| ((project, short(&facet)), n));
    Sums { runs: runs.collect(), seen: seen.collect(), trials, rates }
}

fn sums(db: &Db<'_>) -> Tried<Sums> {
    let mut sums = Sums::default();
    // Older versions also counted kinds of files (`.rs`) and words of titles (`#order`). A long path
    // has a digest for a name.
    let facets = "SELECT project, facet, n_runs FROM hardwon.facets
                  WHERE facet >= '/' OR length(facet) = 65";
    for row in db.all(facets, &[])? {
        let n = row.get::<_, i64>(2) as u64;
        sums.runs.insert((ProjectId::new(row.get(0)), row.get(1)), n);
    }
    let seen = "SELECT project, facet, lesson, n_runs FROM hardwon.seen_at
                WHERE facet >= '/' OR length(facet) = 65";
    for row in db.all(seen, &[])? {
        let seen = sums.seen.entry((ProjectId::new(row.get(0)), row.get(1))).or_default();
        seen.insert(LessonId::given(row.get(2)), row.get::<_, i64>(3) as u64);
    }
    let sql = "SELECT project, lesson, number, root, was_seen, was_shown FROM hardwon.trials";
    for row in db.all(sql, &[])? {
        let key = (ProjectId::new(row.get(0)), LessonId::given(row.get(1)));
        let root = row.get::<_, &str>(3);
        let root = if root.is_empty() { None } else { Some(rows::run_id(root)?) };
        let trials = sums.trials.entry(key).or_default();
        trials.insert((row.get::<_, i64>(2) as u64, root), (row.get(4), row.get(5)));
    }
    let sql = "SELECT project, lesson, as_of, seen, shown, shown_seen, last FROM hardwon.rates";
    for row in db.all(sql, &[])? {
        let key = (ProjectId::new(row.get(0)), LessonId::given(row.get(1)));
        let last = row.get::<_, i64>(6) as u64;
        let rate = Rate { seen: row.get(3), shown: row.get(4), shown_seen: row.get(5), last };
        sums.rates.insert(key, (row.get::<_, i64>(2) as u64, rate));
    }
    Ok(sums)
}

/// Tables of which every row follows from others.
const DERIVED: &[&str] = &[
    index::TERMS.name,
    index::LESSON_TERMS.name,
    index::FINDING_TERMS.name,
    index::DELIBERATION_TERMS.name,
    tally::FACETS.name,
    tally::SEEN_AT.name,
    tally::TRIALS.name,
    tally::RATES.name,
];

/// Writes everything anew that the journal gives; where that is not complete, only what follows from
/// the rows. Inside the caller's transaction, which nobody writes beside.
pub(super) fn rebuild(db: &Db<'_>) -> Tried<Rebuilt> {
    let mut rebuilt = Rebuilt::default();
    let source = match replay(db) {
        Ok(replayed) if replayed.faults.is_empty() => {
            rebuilt.done.push("tables and index written anew from the journal".to_owned());
            replayed.tables
        }
        Ok(_) | Err(Trouble::Strange(_)) => {
            rebuilt.done.push("index written anew from the tables".to_owned());
            load::everything(db)?
        }
        Err(other) => return Err(other),
    };
    for table in TABLES.iter().chain(DERIVED) {
        db.run(&format!("DELETE FROM hardwon.{table}"), &[])?;
    }
    let sql = "UPDATE hardwon.projects SET description = NULL, paths = '{}', marks = '{}'";
    db.run(sql, &[])?;
    tables::write(db, &Tables::default(), &source, tally::Counted::default())?;
    db.run("UPDATE hardwon.projects SET revision = revision + 1", &[])?;
    Ok(rebuilt)
}
