//! Do the project's own lessons still hold? The audit of notes, on lessons; and what to type about
//! each finding.

use hardwon_core::notes::audit::{AuditFinding, Edit, Fact};
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{AuditedFact, AuditedLesson, Lesson};
use hardwon_render::check::quoted;

/// What an audit found about lessons, each with what to type.
pub(crate) fn told_lessons(lessons: &[Lesson], findings: &[AuditFinding]) -> Vec<AuditedLesson> {
    let found = findings.iter().filter_map(|finding| {
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
    found.collect()
}

/// A lesson as a fact. Preferences and rules are what somebody wants, and cannot become untrue by
/// themselves.
pub(crate) fn fact_of(lesson: &Lesson) -> Fact {
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
        Edit::MergeInto { name } => format!("hardwon review merges {id} {name}"),
    }
}
