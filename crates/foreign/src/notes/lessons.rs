//! Do the project's own lessons still hold? The audit of notes, on lessons; and what to type about
//! each finding.

use std::path::Path;

use hardwon_core::notes::audit::{Edit, Fact};
use hardwon_core::time::Timestamp;
use hardwon_engine::EngineError;
use hardwon_render::answer::{Answer, AuditedFact, AuditedLesson, Lesson, LessonsAudit};
use hardwon_render::check::quoted;

use super::audit::audit_facts;

/// What of these lessons the tree and its history contradict. Preferences and rules are what
/// somebody wants, and cannot become untrue by themselves.
pub fn audit_lessons(
    tree: &Path,
    lessons: &[Lesson],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<LessonsAudit>, EngineError> {
    let facts: Vec<Fact> = lessons.iter().map(fact).collect();
    let audited = audit_facts(tree, &facts, &|_| true, progress)?;
    let found = audited.findings.iter().filter_map(|finding| {
        let told = AuditedFact::from(finding);
        let lesson = lessons.iter().find(|lesson| lesson.id.0.to_string() == finding.fact)?;
        let command = command(lesson, &finding.edit);
        Some(AuditedLesson {
            lesson: told.fact,
            kind: lesson.kind,
            finding: told.finding,
            quote: told.quote,
            evidence: told.evidence,
            proposed: told.proposed,
            command,
        })
    });
    let audit = LessonsAudit {
        n_lessons: facts.len() as u64,
        n_files: audited.n_files as u64,
        findings: found.collect(),
    };
    Ok(Answer::of(audit, audited.problems).empty_if(|it| it.n_lessons == 0))
}

fn fact(lesson: &Lesson) -> Fact {
    let id = lesson.id.0.to_string();
    let written: Option<Timestamp> = Some(lesson.updated_at.0);
    Fact::new(&id, &lesson.text, !lesson.kind.0.decays(), written)
}

/// What a person types to do what is proposed.
fn command(lesson: &Lesson, edit: &Edit) -> String {
    let id = lesson.id.0.to_string();
    let reworded = |text: String| match text.trim() {
        "" => format!("hardwon forget {id}"),
        text => format!("hardwon edit {id} --text {}", quoted(text)),
    };
    match edit {
        Edit::Replace { from, to } => reworded(lesson.text.replacen(from.as_str(), to, 1)),
        Edit::RemoveSentence { sentence } => {
            reworded(lesson.text.replacen(sentence.as_str(), "", 1))
        }
        Edit::Remove => format!("hardwon forget {id}"),
        Edit::MergeInto { name } => format!("hardwon merge {id} {name}"),
    }
}
