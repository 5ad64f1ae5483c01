//! How is a text removed? From every row and every journal entry, of any project, in one transaction,
//! while nobody else writes.

use std::collections::BTreeSet;

use hardwon_core::change::{Change, Entry, Erasure, Row, Tables};
use hardwon_core::deliberation::Deliberation;
use hardwon_core::effect::Injection;
use hardwon_core::finding::Finding;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::text::{Text, TextId};

use super::cell::cells;
use super::db::Db;
use super::rows::{select, select_with_project};
use super::trouble::Tried;
use super::{journal, load, tables};

/// Texts of findings that were recognized as the lesson, and blocks that showed it.
pub(super) fn texts_about(db: &Db<'_>, lesson: &LessonId) -> Tried<BTreeSet<TextId>> {
    let found: Vec<Finding> = select(db, "WHERE t.lesson = $1", &cells![lesson.as_str()])?;
    let shown = "WHERE t.lessons @> $1";
    let shown: Vec<Injection> = select(db, shown, &cells![vec![lesson.as_str()]])?;
    let texts = found.iter().map(|it| it.text.id()).chain(shown.iter().map(|it| it.block.id()));
    Ok(texts.filter(|id| *id != Text::erased().id()).cloned().collect())
}

/// Whether another lesson says this.
pub(super) fn is_of_other(db: &Db<'_>, text: &TextId, lesson: &LessonId) -> Tried<bool> {
    let rest = "WHERE t.texts && $1 AND t.id <> $2";
    let others: Vec<Lesson> = select(db, rest, &cells![vec![text.as_str()], lesson.as_str()])?;
    let says = |id: &TextId| id == text;
    Ok(others
        .iter()
        .any(|it| says(it.text.id()) || it.extra.as_ref().is_some_and(|e| says(e.id()))))
}

/// Applies the erasures among the changes to existing rows and entries.
pub(super) fn erase(db: &Db<'_>, changes: &[Change]) -> Tried<()> {
    for change in changes {
        if let Change::Erase { erasure } = change {
            let before = touched(db, erasure)?;
            let mut after = before.clone();
            after.erase(erasure);
            tables::write(db, &before, &after)?;
            let mut entries = entries(db, erasure)?;
            entries.retain_mut(|entry| erasure.strike(&mut entry.change));
            journal::rewrite(db, &entries)?;
        }
    }
    Ok(())
}

/// Whether only texts are struck, which are found by their ids.
fn strikes_only_texts(erasure: &Erasure) -> bool {
    erasure.words.is_empty() && !erasure.takes_remarks
}

/// Every row that an erasure may change. Where responses alone are struck, as happens while runs are
/// learned, those of these deliberations; otherwise all there are.
fn touched(db: &Db<'_>, erasure: &Erasure) -> Tried<Tables> {
    let texts: Vec<&str> = erasure.texts.iter().map(TextId::as_str).collect();
    let sql = "
        SELECT EXISTS (SELECT 1 FROM hardwon.findings WHERE texts && $1)
            OR EXISTS (SELECT 1 FROM hardwon.attempts WHERE texts && $1)
            OR EXISTS (SELECT 1 FROM hardwon.injections WHERE texts && $1)
            OR EXISTS (SELECT 1 FROM hardwon.lessons WHERE texts && $1)";
    let is_elsewhere =
        || -> Tried<bool> { Ok(db.one(sql, &cells![texts.clone()])?.is_none_or(|row| row.get(0))) };
    if !strikes_only_texts(erasure) || is_elsewhere()? {
        return load::everything(db);
    }
    let found = select_with_project::<Deliberation>(db, "WHERE t.texts && $1", &cells![texts])?;
    let found = found.into_iter().map(|(project, row)| (row.key_in(&project), row));
    Ok(Tables { deliberations: found.collect(), ..Tables::default() })
}

fn entries(db: &Db<'_>, erasure: &Erasure) -> Tried<Vec<Entry>> {
    match strikes_only_texts(erasure) {
        true => journal::with_texts(db, erasure.texts.iter().map(TextId::as_str).collect()),
        false => journal::every(db),
    }
}
