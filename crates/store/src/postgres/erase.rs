//! How is a text removed? From every row and every journal entry in one transaction, while nobody else
//! writes: of any project, by the owner of the tables, or of one project where only texts are struck.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Erasure, Tables};
use hardwon_core::effect::Injection;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Lesson;
use hardwon_core::text::{Text, TextId};

use super::db::Db;
use super::rows::{Kept, select};
use super::trouble::Tried;
use super::{journal, load, tables, tally};
use crate::cell::cells;

/// Texts of findings that were recognized as the lesson, and blocks that showed it.
pub(super) fn texts_about(db: &Db<'_>, lesson: &LessonId) -> Tried<BTreeSet<TextId>> {
    let found: Vec<Finding> = select(db, "WHERE t.lesson = $1", &cells![lesson.as_str()])?;
    let shown = "WHERE t.lessons @> $1";
    let shown: Vec<Injection> = select(db, shown, &cells![vec![lesson.as_str()]])?;
    let texts = found.iter().map(|it| it.text.id()).chain(shown.iter().map(|it| it.block.id()));
    Ok(texts.filter(|id| *id != Text::erased().id()).cloned().collect())
}

/// Which of these texts another lesson says.
pub(super) fn said_by_others(
    db: &Db<'_>,
    texts: &BTreeSet<TextId>,
    lesson: &LessonId,
) -> Tried<BTreeSet<TextId>> {
    let rest = "WHERE t.texts && $1 AND t.id <> $2";
    let ids: Vec<&str> = texts.iter().map(TextId::as_str).collect();
    let others: Vec<Lesson> = select(db, rest, &cells![ids, lesson.as_str()])?;
    let said = others.iter().flat_map(|it| [Some(&it.text), it.extra.as_ref()]);
    Ok(said.flatten().map(|text| text.id().clone()).collect())
}

/// Whether it erases in every project: words, and what was said of a lesson, may stand anywhere.
/// Texts alone, as are struck while runs are learned, are the project's own.
pub(super) fn is_wide(change: &Change) -> bool {
    matches!(change, Change::Erase { erasure } if !is_narrow(erasure))
}

fn is_narrow(erasure: &Erasure) -> bool {
    erasure.words.is_empty() && !erasure.takes_remarks && !erasure.is_global
}

/// Applies the erasures among the changes to existing rows and entries.
pub(super) fn erase(db: &Db<'_>, project: &ProjectId, changes: &[Change]) -> Tried<()> {
    for change in changes {
        let Change::Erase { erasure } = change else { continue };
        let (before, mut entries) = match is_narrow(erasure) {
            true => (with_texts(db, project, erasure)?, journal::with_texts(db, project, erasure)?),
            false => (load::everything(db)?, journal::every(db)?),
        };
        if !is_narrow(erasure) {
            tally::drop_words(db)?;
        }
        let mut after = before.clone();
        after.erase(erasure);
        tables::write(db, &before, &after, tally::Counted::default())?;
        entries.retain_mut(|entry| erasure.strike(&mut entry.change));
        journal::rewrite(db, &entries)?;
    }
    Ok(())
}

/// Rows that a project sees and that have one of these texts.
fn with_texts(db: &Db<'_>, project: &ProjectId, erasure: &Erasure) -> Tried<Tables> {
    fn found<T: Kept>(
        db: &Db<'_>,
        project: &ProjectId,
        texts: &[&str],
    ) -> Tried<BTreeMap<T::Key, T>> {
        let rest = "WHERE t.project = $1 AND t.texts && $2";
        let rows = select::<T>(db, rest, &cells![project.as_str(), texts.to_vec()])?;
        Ok(rows.into_iter().map(|row| (row.key_in(project), row)).collect())
    }
    let texts: Vec<&str> = erasure.texts.iter().map(TextId::as_str).collect();
    Ok(Tables {
        findings: found(db, project, &texts)?,
        lessons: found(db, project, &texts)?,
        injections: found(db, project, &texts)?,
        deliberations: found(db, project, &texts)?,
        attempts: found(db, project, &texts)?,
        ..Tables::default()
    })
}

/// The same in plain maps, for a replay.
pub(super) fn replay(tables: &mut Tables, project: &ProjectId, erasure: &Erasure) {
    if !is_narrow(erasure) {
        return tables.erase(erasure);
    }
    let Tables { findings, lessons, injections, deliberations, attempts, .. } = tables;
    let mut own = Tables {
        findings: findings.extract_if(.., |(owner, ..), _| owner == project).collect(),
        lessons: lessons.extract_if(.., |_, it| it.project.as_ref() == Some(project)).collect(),
        injections: injections.extract_if(.., |(owner, _), _| owner == project).collect(),
        deliberations: deliberations.extract_if(.., |(owner, _), _| owner == project).collect(),
        attempts: attempts.extract_if(.., |(owner, _), _| owner == project).collect(),
        ..Tables::default()
    };
    own.erase(erasure);
    findings.append(&mut own.findings);
    lessons.append(&mut own.lessons);
    injections.append(&mut own.injections);
    deliberations.append(&mut own.deliberations);
    attempts.append(&mut own.attempts);
}
