//! How does a file get back what follows from its journal? Everything derived is taken
//! away and written anew from the replayed journal, in one transaction. Only a journal
//! that is whole is believed: otherwise the tables stay as they are, and only what
//! follows from them is made anew.
//!
//! Words that somebody edited or took away come back from a copy of the store that has
//! the genuine ones, as their digest tells. If no copy has them, whose they were is told.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::change::Tables;
use hardwon_core::ids::ProjectId;
use hardwon_core::text::Text;
use rusqlite::{Connection, Result, params};

use super::check::{self, Replayed};
use super::rows::{self, GLOBAL, ProjectKey, one, run};
use super::{connection, doubt, index, read};
use crate::Rebuilt;

/// Tables of which every row follows from others.
const DERIVED: &[&str] = &[
    "lesson_terms",
    "finding_terms",
    "terms",
    "aliases",
    "showings",
    "tombstones",
    "checkouts",
    "effects",
    "injections",
    "findings",
    "lessons",
    "runs",
];

/// Writes anew inside the caller's transaction.
pub(super) fn rebuild(connection: &Connection, copies: &[PathBuf]) -> Result<Rebuilt> {
    let mut rebuilt = Rebuilt::default();
    let copies = Copies::open(copies);
    mend_edited(connection, &copies, &mut rebuilt)?;
    let mut replayed = check::replay(connection);
    if let Ok(Replayed { tables, .. }) = &replayed
        && put_back_missing(connection, tables, &copies, &mut rebuilt)?
    {
        replayed = check::replay(connection);
    }
    let tables = match replayed {
        Ok(Replayed { tables, faults }) if faults.is_empty() => {
            rebuilt.done.push("tables and index written anew from the journal".to_owned());
            rebuilt.doubted = doubt::doubted(connection, &tables)?;
            tables
        }
        Ok(_) | Err(_) => {
            let stored = check::tables(connection)?;
            rebuilt.done.push("index written anew from the tables".to_owned());
            stored
        }
    };
    rebuilt.lost = tables.lessons.values().filter(|l| is_missing(&l.text)).cloned().collect();
    clear(connection)?;
    write(connection, &tables)?;
    run(connection, "UPDATE projects SET revision = revision + 1", [])?;
    Ok(rebuilt)
}

/// Whether the words are gone, and nobody erased them in due form.
fn is_missing(text: &Text) -> bool {
    text.body().is_none() && text.id() != Text::erased().id()
}

/// Puts the genuine words back where somebody edited them, or takes them away.
fn mend_edited(connection: &Connection, copies: &Copies, rebuilt: &mut Rebuilt) -> Result<()> {
    for id in check::edited_texts(connection)? {
        let sql = "UPDATE texts SET body = ?2 WHERE id = ?1";
        match copies.genuine(&id) {
            Some((name, body)) => {
                run(connection, sql, params![id, body])?;
                rebuilt.done.push(format!("the words of text {id} put back from {name}"));
            }
            None => {
                run(connection, sql, params![id, None::<String>])?;
                rebuilt.done.push(format!("the edited words of text {id} taken away"));
            }
        }
    }
    Ok(())
}

/// Puts words back that the journal names and that are gone. Whether there were any.
fn put_back_missing(
    connection: &Connection,
    tables: &Tables,
    copies: &Copies,
    rebuilt: &mut Rebuilt,
) -> Result<bool> {
    let n_done = rebuilt.done.len();
    let of_lessons = tables.lessons.values().flat_map(|l| l.extra.iter().chain([&l.text]));
    let of_findings = tables.findings.values().map(|finding| &finding.text);
    let blocks = tables.injections.values().map(|injection| &injection.block);
    let texts = of_lessons.chain(of_findings).chain(blocks).filter(|text| is_missing(text));
    let ids: BTreeSet<&str> = texts.map(|text| text.id().as_str()).collect();
    for id in ids {
        let Some((name, body)) = copies.genuine(id) else { continue };
        let sql = "INSERT INTO texts (id, body) VALUES (?1, ?2)
                   ON CONFLICT (id) DO UPDATE SET body = excluded.body";
        run(connection, sql, params![id, body])?;
        rebuilt.done.push(format!("the words of text {id} put back from {name}"));
    }
    Ok(rebuilt.done.len() > n_done)
}

/// The copies of a store that can be read, with their names.
struct Copies(Vec<(String, Connection)>);

impl Copies {
    fn open(paths: &[PathBuf]) -> Self {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into();
        let open = |path: &PathBuf| Some((name(path), connection::open_copy(path).ok()?));
        Copies(paths.iter().filter_map(open).collect())
    }

    /// The newest copy with the body of a text that is the one its id was made of.
    fn genuine(&self, id: &str) -> Option<(&str, String)> {
        let sql = "SELECT body FROM texts WHERE id = ?1";
        self.0.iter().find_map(|(name, copy)| {
            let body: String = one(copy, sql, [id], |row| row.get(0)).ok()?.flatten()?;
            Text::unfilled(id).fill(&body).then_some((name.as_str(), body))
        })
    }
}

/// Copies of a store that lie beside it, newest first.
pub(super) fn copies_of(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let prefix = format!("{}.backup-", name.to_string_lossy());
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let rest = name.strip_prefix(&prefix);
        rest.is_some_and(|rest| {
            rest != "unfinished" && !rest.ends_with("-wal") && !rest.ends_with("-shm")
        })
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut copies: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_copy).collect();
    let written = |path: &PathBuf| fs::metadata(path).and_then(|about| about.modified()).ok();
    copies.sort_by_key(|path| (std::cmp::Reverse(written(path)), path.clone()));
    copies
}

fn clear(connection: &Connection) -> Result<()> {
    for table in DERIVED {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    let sql = "UPDATE projects SET name = NULL, lineage = NULL, n_lessons = 0, n_fixed = 0";
    run(connection, sql, []).map(drop)
}

fn write(connection: &Connection, tables: &Tables) -> Result<()> {
    let Tables { runs, findings, lessons, injections, effects, tombstones, projects } = tables;
    for ((project, id), run) in runs {
        rows::run::write(connection, key(connection, project)?, id, Some(run))?;
    }
    for (project, finding) in findings.iter().map(|((project, ..), finding)| (project, finding)) {
        let owner = key(connection, project)?;
        rows::finding::write(connection, owner, &finding.run, &finding.key, Some(finding))?;
        index::replace_finding(connection, owner, None, Some(finding))?;
    }
    for lesson in lessons.values() {
        let owner = match &lesson.project {
            Some(project) => key(connection, project)?,
            None => GLOBAL,
        };
        rows::lesson::write(connection, owner, None, Some(lesson))?;
        index::replace_lesson(connection, owner, None, Some(lesson))?;
    }
    for ((project, injection_key), injection) in injections {
        let owner = key(connection, project)?;
        rows::injection::write(connection, owner, injection_key, None, Some(injection))?;
    }
    for ((project, root, lesson), effect) in effects {
        let owner = key(connection, project)?;
        rows::effect::write(connection, owner, root, lesson, Some(effect))?;
    }
    for ((project, lesson), tombstone) in tombstones {
        let owner = project.as_ref().map_or(Ok(GLOBAL), |project| key(connection, project))?;
        rows::tombstone::write(connection, owner, lesson, Some(tombstone))?;
    }
    for (id, project) in projects {
        rows::project::write(connection, key(connection, id)?, Some(project))?;
    }
    Ok(())
}

/// Every project of the journal has its row, since entries point to it.
fn key(connection: &Connection, project: &ProjectId) -> Result<ProjectKey> {
    read::project_key(connection, project)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
}
