//! Rows of `lessons`, and of `aliases`, by which other systems' ids find them.

use hardwon_core::effect::EffectCounts;
use hardwon_core::finding::{Grade, Severity};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Arms, Kind, Lesson, Origin, State, Trust, Unseen};
use hardwon_core::scope::Scope;
use hardwon_core::totals::Group;
use rusqlite::{Connection, Result, Row, params};

use super::{GLOBAL, ProjectKey, all, one, run, text};
use crate::query::{decay_base, is_kept};
use crate::sqlite::cells::{Cells, to_json};

/// Selects whole lessons, in the order in which [`read`] takes their cells. What
/// follows may name the tables `lessons`, `texts` and `projects`. Cross joins are joins
/// in the written order: the lessons come first, in the order of their index.
macro_rules! select_lessons {
    ($rest:literal) => {
        $crate::sqlite::rows::lesson::select_lessons!(from "lessons", $rest)
    };
    (from $from:literal, $rest:literal) => {
        concat!(
            "SELECT lessons.id, nullif(projects.id, ''), lessons.kind, category,
                    texts.id, texts.body, scope, tags, paths, severity, lessons.state,
                    importance, base_confidence, confidence, n_sightings, standing,
                    last_seen_run, n_runs_unseen, unseen_checked_at, detectors, grade,
                    n_helped, n_no_help, n_hurt, n_contradicted, n_neutral, n_no_opportunity,
                    expected, is_pinned, author, origin, trust, aliases, signatures, extras.id, extras.body,
                    upkeep, reviews, superseded_by, arms, guidance, created_at, updated_at
             FROM ",
            $from,
            " CROSS JOIN texts ON texts.key = lessons.text
              CROSS JOIN projects ON projects.key = lessons.project
              LEFT JOIN texts AS extras ON extras.key = lessons.extra ",
            $rest
        )
    };
}
pub(in crate::sqlite) use select_lessons;

/// How the cells of most lessons are written.
const NO_UPKEEP: &str =
    r#"{"set_at_run":0,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0}"#;
const NO_ARMS: &str = r#"{"n_shown":0,"n_shown_again":0,"n_held_out":0,"n_held_out_again":0}"#;

pub(crate) fn read(row: &Row<'_>) -> Result<Lesson> {
    let mut cells = Cells::new(row);
    Ok(Lesson {
        id: cells.lesson_id()?,
        project: cells.get::<Option<String>>()?.map(|id| ProjectId::new(&id)),
        kind: cells.word(Kind::from_word)?,
        category: cells.get()?,
        text: cells.text()?,
        scope: cells.json()?,
        tags: cells.json_mostly("[]")?,
        paths: cells.json()?,
        severity: cells.word(Severity::from_word)?,
        state: cells.word(State::from_word)?,
        importance: cells.get()?,
        base_confidence: cells.get()?,
        confidence: cells.get()?,
        n_sightings: cells.get()?,
        standing: cells.get()?,
        last_seen_run: cells.maybe_run_id()?,
        unseen: Unseen { n_runs: cells.get()?, checked_at: cells.count()? },
        detectors: cells.json()?,
        grade: cells.maybe_word(Grade::from_word)?,
        effects: effects(&mut cells)?,
        is_pinned: cells.get()?,
        author: cells.get()?,
        origin: cells.word(Origin::from_word)?,
        trust: cells.word(Trust::from_word)?,
        aliases: cells.json_mostly("[]")?,
        signatures: cells.json()?,
        extra: cells.maybe_text()?,
        upkeep: cells.json_mostly(NO_UPKEEP)?,
        reviews: cells.json_mostly("[]")?,
        superseded_by: cells.get::<Option<String>>()?.map(|id| LessonId::given(&id)),
        arms: cells.json_mostly(NO_ARMS)?,
        guidance: cells.json_mostly("{}")?,
        created_at: cells.time()?,
        updated_at: cells.time()?,
    })
}

fn effects(cells: &mut Cells<'_>) -> Result<EffectCounts> {
    Ok(EffectCounts {
        n_helped: cells.get()?,
        n_no_help: cells.get()?,
        n_hurt: cells.get()?,
        n_contradicted: cells.get()?,
        n_neutral: cells.get()?,
        n_no_opportunity: cells.get()?,
        expected_thousandths: cells.get()?,
    })
}

/// How many lessons of an owner are counted alike, and their effects.
pub(crate) fn groups(db: &Connection, owner: ProjectKey) -> Result<Vec<Group>> {
    let sql = "
        SELECT count(*), is_pinned, state, kind, severity, sum(n_helped), sum(n_no_help),
               sum(n_hurt), sum(n_contradicted), sum(n_neutral), sum(n_no_opportunity),
               sum(expected)
        FROM lessons WHERE project = ?1
        GROUP BY state, kind, severity, is_pinned";
    all(db, sql, [owner], |row| {
        let mut cells = Cells::new(row);
        Ok(Group {
            is_global: owner == GLOBAL,
            n_lessons: cells.count()?,
            is_pinned: cells.get()?,
            state: cells.word(State::from_word)?,
            kind: cells.word(Kind::from_word)?,
            severity: cells.word(Severity::from_word)?,
            effects: effects(&mut cells)?,
        })
    })
}

/// The scopes of an owner's lessons that are not put away, and how many have each. From an index.
pub(crate) fn scopes(db: &Connection, owner: ProjectKey) -> Result<Vec<(Scope, u64)>> {
    let states: Vec<&str> =
        State::ALL.iter().filter(|state| !state.is_put_away()).map(|state| state.word()).collect();
    let sql = "
        SELECT scope, count(*) FROM lessons
        WHERE project = ?1 AND state IN (SELECT value FROM json_each(?2)) GROUP BY scope";
    all(db, sql, params![owner, to_json(&states)], |row| {
        let mut cells = Cells::new(row);
        Ok((cells.json()?, cells.count()?))
    })
}

/// What chance showed of an owner's lessons that were ever shown, and of how many each.
pub(crate) fn arms(db: &Connection, owner: ProjectKey) -> Result<Vec<(Arms, u64)>> {
    let sql = "
        SELECT arms, count(*) FROM lessons
        WHERE project = ?1
          AND n_helped + n_no_help + n_hurt + n_contradicted + n_neutral + n_no_opportunity > 0
        GROUP BY arms";
    all(db, sql, [owner], |row| {
        let mut cells = Cells::new(row);
        Ok((cells.json()?, cells.count()?))
    })
}

/// Every lesson of an owner, by id.
pub(crate) fn every_of(db: &Connection, owner: ProjectKey) -> Result<Vec<Lesson>> {
    all(db, select_lessons!("WHERE lessons.project = ?1 ORDER BY lessons.id"), [owner], read)
}

/// The lesson with this id, of any project.
pub(crate) fn load(db: &Connection, id: &LessonId) -> Result<Option<Lesson>> {
    one(db, select_lessons!("WHERE lessons.id = ?1"), [id.as_str()], read)
}

/// In the order of its rows a JSON list comes anyway; by its keys SQLite would sort all that is read.
pub(in crate::sqlite) const BY_IDS: &str = select_lessons!(
    from "json_each(?1) AS wanted CROSS JOIN lessons ON lessons.id = wanted.value",
    "ORDER BY wanted.rowid"
);

/// The lessons with these ids, of any project, in this order; each as often as it
/// is named. Unknown ids are left out.
pub(crate) fn load_all(db: &Connection, ids: &[&str]) -> Result<Vec<Lesson>> {
    all(db, BY_IDS, [to_json(&ids)], read)
}

pub(crate) fn is_global(db: &Connection, id: &LessonId) -> Result<bool> {
    let sql = "SELECT project FROM lessons WHERE id = ?1";
    let owner = one(db, sql, [id.as_str()], |row| row.get(0).map(ProjectKey))?;
    Ok(owner == Some(GLOBAL))
}

/// Writes the row and its aliases; no `after` takes it away.
pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Lesson>,
    after: Option<&Lesson>,
) -> Result<()> {
    write_aliases(db, project, before, after)?;
    match (before, after) {
        (Some(before), Some(after)) if is_only_counted(before, after) => count(db, after),
        (_, Some(after)) => insert(db, project, after),
        (Some(before), None) => {
            let sql = "DELETE FROM lessons WHERE id = ?1";
            run(db, sql, [before.id.as_str()]).map(drop)
        }
        (None, None) => Ok(()),
    }
}

fn write_aliases(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Lesson>,
    after: Option<&Lesson>,
) -> Result<()> {
    let of = |lesson: Option<&Lesson>| lesson.map_or(Vec::new(), |lesson| lesson.aliases.clone());
    let Some(lesson) = before.or(after).filter(|_| of(before) != of(after)) else {
        return Ok(());
    };
    for alias in of(before) {
        let sql = "DELETE FROM aliases WHERE project = ?1 AND alias = ?2 AND lesson = ?3";
        run(db, sql, params![project, alias, lesson.id.as_str()])?;
    }
    for alias in of(after) {
        let sql = "INSERT OR IGNORE INTO aliases (project, alias, lesson) VALUES (?1, ?2, ?3)";
        run(db, sql, params![project, alias, lesson.id.as_str()])?;
    }
    Ok(())
}

/// Whether nothing changed but how long the lesson went unseen. A tenth of all lessons
/// changes so with every run, and a whole row goes through every index.
fn is_only_counted(before: &Lesson, after: &Lesson) -> bool {
    let counted = Lesson { unseen: after.unseen, standing: after.standing, ..before.clone() };
    counted == *after
}

fn count(db: &Connection, after: &Lesson) -> Result<()> {
    let sql = "
        UPDATE lessons SET n_runs_unseen = ?2, unseen_checked_at = ?3, standing = ?4, decay_base = ?5
        WHERE id = ?1";
    let params = params![
        after.id.as_str(),
        after.unseen.n_runs,
        after.unseen.checked_at as i64,
        after.standing,
        decay_base(after),
    ];
    run(db, sql, params).map(drop)
}

fn insert(db: &Connection, project: ProjectKey, after: &Lesson) -> Result<()> {
    // The key stays, so that an edited lesson stays where it is in the file.
    let sql = "
        REPLACE INTO lessons (
            key, id, project, kind, category, text, scope, tags, paths, severity, state,
            importance, base_confidence, confidence, n_sightings, standing, last_seen_run,
            n_runs_unseen, unseen_checked_at, detectors, grade, n_helped, n_no_help, n_hurt,
            n_contradicted, n_neutral, n_no_opportunity, is_pinned, author, origin, trust,
            aliases, signatures, created_at, updated_at, prior, is_injectable, is_kept, decay_base,
            extra, upkeep, reviews, superseded_by, arms, guidance, expected)
        VALUES (
            (SELECT key FROM lessons WHERE id = ?1), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
            ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,
            ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43,
            ?44, ?45)";
    let extra = after.extra.as_ref().map(|extra| text::put(db, extra)).transpose()?;
    let params = params![
        after.id.as_str(),
        project,
        after.kind.word(),
        after.category,
        text::put(db, &after.text)?,
        to_json(&after.scope),
        to_json(&after.tags),
        to_json(&after.paths),
        after.severity.word(),
        after.state.word(),
        after.importance,
        after.base_confidence,
        after.confidence,
        after.n_sightings,
        after.standing,
        after.last_seen_run.as_ref().map(RunId::as_str),
        after.unseen.n_runs,
        after.unseen.checked_at as i64,
        to_json(&after.detectors),
        after.grade.map(Grade::word),
        after.effects.n_helped,
        after.effects.n_no_help,
        after.effects.n_hurt,
        after.effects.n_contradicted,
        after.effects.n_neutral,
        after.effects.n_no_opportunity,
        after.is_pinned,
        after.author,
        after.origin.word(),
        after.trust.word(),
        to_json(&after.aliases),
        to_json(&after.signatures),
        after.created_at.0,
        after.updated_at.0,
        after.prior(),
        after.is_injectable(),
        is_kept(after),
        decay_base(after),
        extra,
        to_json(&after.upkeep),
        to_json(&after.reviews),
        after.superseded_by.as_ref().map(LessonId::as_str),
        to_json(&after.arms),
        to_json(&after.guidance),
        after.effects.expected_thousandths,
    ];
    run(db, sql, params).map(drop)
}

#[cfg(test)]
mod tests {
    use hardwon_core::lesson::{Arms, Guidance, Upkeep};

    use super::*;

    #[test]
    fn what_is_compared_is_what_is_written() {
        assert_eq!(to_json(&Upkeep::default()), NO_UPKEEP);
        assert_eq!(to_json(&Arms::default()), NO_ARMS);
        assert_eq!(to_json(&Guidance::default()), "{}");
    }
}
