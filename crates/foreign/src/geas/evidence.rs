//! By what a document shows that its lesson is true, and to what it is linked: the runs in which
//! it was seen, what it was made of, what replaced it.

use std::collections::BTreeSet;

use hardwon_core::change::{Change, LessonField, Tables};
use hardwon_core::finding::Finding;
use hardwon_core::foreign::{GeasForm, GeasMemory};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;

use super::translate::{RETROSPECTIVE, record_of};
use super::{GeasLayout, names, translate};
use crate::store::Writing;
use crate::store::layout::Layout;
use crate::store::layout::entry::Entry;

/// Where what no run shows stands.
const JOURNAL: &str = ".geas/memory/hardwon.jsonl";

/// A document with the runs in which its lesson was seen since, and with its links.
pub(super) fn extended(
    writing: &Writing<'_, GeasLayout>,
    entry: &Entry<'_, GeasLayout>,
    from: &GeasMemory,
    mut to: GeasMemory,
    lesson: &Lesson,
) -> GeasMemory {
    let n_refs = to.evidence_refs.len() as u32;
    let (new, gone) = sighted(writing, lesson);
    for finding in new {
        add(&mut to.evidence_refs, reference(finding, writing.tables));
    }
    for run in gone {
        let reference = names::retro(&run, writing.tables);
        if to.evidence_refs.len() > 1 {
            to.evidence_refs.retain(|known| *known != reference);
        }
    }
    let count = to.signals.evidence_count + to.evidence_refs.len() as u32;
    to.signals.evidence_count = count.saturating_sub(n_refs);
    if let Some(next) = &lesson.superseded_by {
        to.superseded_by = name_of(writing, next).or(to.superseded_by);
    } else if from.state == "superseded" && to.state != from.state {
        to.superseded_by = None;
    }
    for replaced in replaced_by(writing, lesson) {
        add(&mut to.supersedes, replaced);
    }
    if from.form != to.form {
        restore(writing, entry, lesson, &mut to);
    }
    to
}

fn add(there: &mut Vec<String>, new: String) {
    if !there.contains(&new) {
        there.push(new);
    }
}

/// What the other kind of document had, or what we know instead.
fn restore(
    writing: &Writing<'_, GeasLayout>,
    entry: &Entry<'_, GeasLayout>,
    lesson: &Lesson,
    to: &mut GeasMemory,
) {
    let kept = lesson.extra.as_ref().and_then(|extra| extra.body());
    let kept = kept.and_then(|raw| raw.strip_prefix(GeasLayout::WORD)?.strip_prefix(':'));
    let kept = kept.and_then(GeasLayout::read_record).filter(|kept| kept.form == to.form);
    match to.form {
        GeasForm::Candidate => {
            let (reason, sources) = origin(writing, lesson);
            let kept = kept.unwrap_or_default();
            to.candidate_reason =
                to.candidate_reason.take().or(kept.candidate_reason).or(Some(reason));
            if to.source_artifacts.is_empty() {
                to.source_artifacts = kept.source_artifacts;
            }
            if to.source_artifacts.is_empty() {
                to.source_artifacts = sources;
            }
        }
        GeasForm::Entry => {
            let kept = kept.unwrap_or_default();
            for line in kept.body.iter().filter(|_| entry.record.body.is_empty()) {
                add(&mut to.body, line.clone());
            }
            for replaced in kept.supersedes {
                add(&mut to.supersedes, replaced);
            }
        }
    }
    if to.evidence_refs.is_empty() {
        to.evidence_refs = vec![stated(lesson)];
    }
}

/// What is known of a lesson that has no document yet.
pub(super) fn completed(writing: &Writing<'_, GeasLayout>, lesson: &Lesson) -> GeasMemory {
    let mut record = record_of(lesson, &writing.context.policy.routing.profile);
    for run in writing.seen_in(&lesson.id) {
        if let Some(finding) = sighting(writing.tables, run, &lesson.id) {
            add(&mut record.evidence_refs, reference(finding, writing.tables));
        }
    }
    if record.evidence_refs.is_empty() {
        record.evidence_refs.push(stated(lesson));
    }
    record.signals.evidence_count = record.evidence_refs.len() as u32;
    let (reason, sources) = origin(writing, lesson);
    (record.candidate_reason, record.source_artifacts) = (Some(reason), sources);
    record.superseded_by = lesson.superseded_by.as_ref().and_then(|next| name_of(writing, next));
    record.supersedes = replaced_by(writing, lesson);
    record
}

/// What stands for a run where there was none.
fn stated(lesson: &Lesson) -> String {
    format!("hardwon-{}", lesson.id)
}

/// Why there is a lesson, and of what it was made.
fn origin(writing: &Writing<'_, GeasLayout>, lesson: &Lesson) -> (String, Vec<String>) {
    let mut seen = writing.seen_in(&lesson.id).iter();
    let first = seen.find_map(|run| sighting(writing.tables, run, &lesson.id));
    let usual = translate::usual_origin(writing.context, names::memory_id(lesson));
    let Some(finding) = first else {
        if let Some((reason, source)) = usual {
            return (reason, vec![source]);
        }
        return (format!("Stated by {}", lesson.author), vec![JOURNAL.to_owned()]);
    };
    let (mission, task) = names::parts(&finding.root);
    let document = document_of(finding);
    // What a retrospective wants is no pattern that was counted, whatever its rule is called.
    let reason = match &finding.rule {
        Some(rule) if document != RETROSPECTIVE => {
            format!("Repeated pattern ({rule}), first seen in task {task}")
        }
        _ => format!("Extracted from task {task} retrospective"),
    };
    let source = match mission {
        Some(mission) => format!(".geas/missions/{mission}/tasks/{task}/{document}.json"),
        None => format!("{task}/{document}"),
    };
    (reason, vec![source])
}

fn document_of(finding: &Finding) -> &str {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let author = finding.author.as_str();
    if author.chars().all(is_plain) && !author.is_empty() { author } else { RETROSPECTIVE }
}

/// `retro-TASK`, or `TASK/DOCUMENT` for what another document of the task showed.
fn reference(finding: &Finding, tables: &Tables) -> String {
    let retro = names::retro(&finding.root, tables);
    match document_of(finding) {
        RETROSPECTIVE => retro,
        document => format!("{}/{document}", retro.strip_prefix("retro-").unwrap_or(&retro)),
    }
}

/// The finding by which a lesson was seen in a run.
fn sighting<'a>(tables: &'a Tables, run: &RunId, lesson: &LessonId) -> Option<&'a Finding> {
    let mut of_lesson = tables.findings.values().filter(|it| it.run == *run && it.is_sighting);
    of_lesson.find(|finding| finding.lesson.as_ref() == Some(lesson))
}

/// In what this batch saw a lesson, and in which runs it is no longer seen.
fn sighted<'a>(
    writing: &Writing<'a, GeasLayout>,
    lesson: &Lesson,
) -> (Vec<&'a Finding>, BTreeSet<RunId>) {
    let is_its = |finding: &&Finding| finding.lesson.as_ref() == Some(&lesson.id);
    if writing.is_unfinished {
        let all = writing.tables.findings.values().filter(is_its);
        return (all.filter(|finding| finding.is_sighting).collect(), BTreeSet::new());
    }
    let (mut new, mut gone) = (Vec::new(), BTreeSet::new());
    for change in writing.changes {
        match change {
            Change::AddFinding { finding } if is_its(&&**finding) => new.push(&**finding),
            Change::EditFinding { after, .. } if is_its(&&**after) => new.push(&**after),
            Change::RemoveFinding { finding } if is_its(&&**finding) => {
                let is_seen = writing.seen_in(&lesson.id).contains(&&finding.run);
                gone.extend((!is_seen).then(|| finding.root.clone()));
            }
            _ => {}
        }
    }
    new.retain(|finding| finding.is_sighting);
    (new, gone)
}

/// Lessons that this one replaces since this batch.
fn replaced_by(writing: &Writing<'_, GeasLayout>, lesson: &Lesson) -> Vec<String> {
    if writing.is_unfinished {
        let all = writing.tables.lessons.values();
        let replaced = all.filter(|other| other.superseded_by.as_ref() == Some(&lesson.id));
        return replaced.map(|other| names::memory_id(other).to_owned()).collect();
    }
    let links = |field: &LessonField| matches!(field, LessonField::SupersededBy(step) if step.to.as_ref() == Some(&lesson.id));
    let replaced = writing.changes.iter().filter_map(|change| match change {
        Change::EditLesson { lesson, fields, .. } if fields.iter().any(links) => Some(lesson),
        _ => None,
    });
    replaced.filter_map(|id| name_of(writing, id)).collect()
}

/// What a lesson is called in the tree.
fn name_of(writing: &Writing<'_, GeasLayout>, id: &LessonId) -> Option<String> {
    writing.tables.lessons.get(id).map(|lesson| names::memory_id(lesson).to_owned())
}
