//! What a caller states about a lesson: a new one as it begins, and what is said beside its text.
//! Every word passes the gate.

use std::collections::BTreeSet;

use crate::event::Problem;
use crate::finding::Severity;
use crate::gate::{Gate, MAX_TAG_CHARS, MAX_TAGS};
use crate::ids::{LessonId, ProjectId};
use crate::lesson::{Guidance, Kind, Lesson, Origin, State, Trust};
use crate::scope::Dimension;
use crate::text::Text;
use crate::time::Timestamp;

/// What may be stated about a lesson beside its text.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    pub category: Option<String>,
    pub severity: Option<Severity>,
    pub importance: Option<f64>,
    pub scope: Vec<(Dimension, String)>,
    pub tags: Vec<String>,
    pub paths: Vec<String>,
    pub aliases: Vec<String>,
    /// `IF … THEN …`; empty takes it away, as with the next three.
    pub rule: Option<String>,
    pub detail: Option<String>,
    pub applies_when: Option<String>,
    pub repair: Option<String>,
}

/// A lesson as a caller states it. Its text has passed the gate.
pub struct Statement<'a> {
    pub id: LessonId,
    /// `None` = a global lesson.
    pub project: Option<ProjectId>,
    pub kind: Kind,
    pub text: Text,
    pub stated: &'a Stated,
    pub author: &'a str,
    pub origin: Origin,
    pub at: Timestamp,
}

/// The lesson that a statement starts.
pub fn new_lesson(gate: &Gate, statement: Statement<'_>) -> Lesson {
    let Statement { id, project, kind, text, stated, author, origin, at } = statement;
    let severity = stated.severity.unwrap_or(Severity::Info);
    // What a person bothers to state matters at least as much as a warning.
    let importance = severity.importance().max(Severity::Warning.importance());
    let is_user = origin == Origin::User;
    let confidence = if is_user { 0.8 } else { 0.4 };
    let lesson = Lesson {
        severity,
        importance,
        base_confidence: confidence,
        confidence,
        // A person's word needs no run, but no run has seen it yet.
        standing: u32::from(is_user),
        author: gate.word(author).unwrap_or_else(|| "user".to_owned()),
        origin,
        trust: origin.trust(),
        ..Lesson::stub(id, project, kind, text, at)
    };
    with_stated(gate, lesson, stated)
}

/// A lesson with more stated about it.
pub fn with_stated(gate: &Gate, mut lesson: Lesson, stated: &Stated) -> Lesson {
    if let Some(category) = &stated.category {
        lesson.category = gate.word(category);
    }
    if let Some(severity) = stated.severity {
        lesson.severity = severity;
    }
    if let Some(importance) = stated.importance {
        lesson.importance = importance.clamp(0.0, 1.0);
    }
    for (dimension, value) in &stated.scope {
        if let Some(value) = gate.word(value) {
            lesson.scope.0.insert(*dimension, value);
        }
    }
    let guidance = &mut lesson.guidance;
    let all = [
        (&stated.rule, &mut guidance.rule),
        (&stated.detail, &mut guidance.detail),
        (&stated.applies_when, &mut guidance.applies_when),
        (&stated.repair, &mut guidance.repair),
    ];
    for (stated, kept) in all {
        if let Some(raw) = stated {
            *kept = Some(gate.line(raw).as_str().to_owned()).filter(|text| !text.is_empty());
        }
    }
    let tags = lesson.tags.iter().chain(&stated.tags).map(String::as_str);
    lesson.tags = gate.tags(tags);
    grow(&mut lesson.paths, stated.paths.iter().filter_map(|path| gate.word(path)));
    grow(&mut lesson.aliases, stated.aliases.iter().filter_map(|alias| gate.word(alias)));
    lesson
}

/// A lesson that a role reports once more. Who speaks for the role counts as the voice if it is
/// an agent: it could name any role.
pub fn sighted(mut lesson: Lesson, role: &str, agent: Option<&str>) -> Lesson {
    let role = role.to_lowercase();
    match agent {
        Some(agent) => {
            lesson.detectors.insert(agent.to_owned());
            lesson.scope.0.entry(Dimension::Role).or_insert(role);
        }
        None => drop(lesson.detectors.insert(role)),
    }
    Lesson { n_sightings: lesson.n_sightings + 1, standing: lesson.standing + 1, ..lesson }
}

/// A lesson that a caller states again or edits: a person confirms it, an agent's word cannot keep
/// a person's trust. A repair that came with less trust than the lesson gets is not confirmed by
/// confirming the text.
pub fn trusted(before: &Lesson, next: Lesson, origin: Origin) -> Lesson {
    let trust = match origin {
        Origin::User => Trust::Trusted,
        _ => before.trust.min(origin.trust()),
    };
    let is_lent = before.trust < Trust::Pipeline && trust > before.trust;
    let is_old = next.guidance.repair == before.guidance.repair;
    let repair = next.guidance.repair.filter(|_| !(is_lent && is_old));
    // What was recognized as the old words need not be the new ones.
    let is_reworded = next.text != before.text;
    let wordings = if is_reworded { Vec::new() } else { next.guidance.wordings };
    Lesson { trust, guidance: Guidance { repair, wordings, ..next.guidance }, ..next }
}

/// An agent's own lesson in new words: what runs confirmed was something else.
pub fn claimed(lesson: Lesson) -> Lesson {
    let state = if lesson.state.is_put_away() { lesson.state } else { State::Candidate };
    Lesson {
        state,
        standing: 0,
        detectors: BTreeSet::new(),
        signatures: Vec::new(),
        grade: None,
        ..lesson
    }
}

/// A problem if not every tag could be kept as it was stated.
pub fn lost_tags(stated: &Stated, lesson: &Lesson) -> Option<Problem> {
    let is_kept = |tag: &String| lesson.tags.contains(&tag.trim().to_lowercase());
    let n_lost = stated.tags.iter().filter(|tag| !is_kept(tag)).count();
    let reason = format!(
        "{n_lost} not kept as given: a lesson has at most {MAX_TAGS} tags of {MAX_TAG_CHARS} \
         characters"
    );
    (n_lost > 0).then(|| Problem::new("tags", reason))
}

fn grow(list: &mut Vec<String>, more: impl Iterator<Item = String>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}
