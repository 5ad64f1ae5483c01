//! What sort of lesson does a finding start? Read off its words by a table in the policy,
//! for suggestions; other findings state their category.

use std::cmp::Reverse;

use crate::event::SuggestionKind;
use crate::finding::Finding;
use crate::lesson::{Kind, Lesson, Origin, Trust};
use crate::policy::{CategoryPolicy, CategoryRow, Policy, PromotionPolicy, ScopePolicy};
use crate::reflect::is_reflected;
use crate::run::Run;
use crate::scope::Dimension;
use crate::trigger::Trigger;

/// What the rule of a suggestion begins with.
const PREFIX: &str = "suggestion:";

/// The rule under which a suggestion is kept as evidence.
pub fn rule(kind: SuggestionKind) -> String {
    format!("{PREFIX}{kind}")
}

/// Whether a finding only suggests what to remember.
pub fn is_suggestion(finding: &Finding) -> bool {
    finding.rule.as_deref().is_some_and(|rule| rule.starts_with(PREFIX))
}

/// Whether a finding may start a lesson: by how bad it is, or because it was stated for
/// that very purpose.
pub fn starts_lessons(finding: &Finding) -> bool {
    is_stated(finding) || finding.severity.creates_lessons()
}

/// Whether a finding was stated as a lesson: a suggestion, a trigger or a pattern.
fn is_stated(finding: &Finding) -> bool {
    is_suggestion(finding) || Trigger::of(finding).is_some() || is_reflected(finding)
}

/// Kind and category of the lesson that a finding starts.
pub fn sort(finding: &Finding, policy: &CategoryPolicy) -> (Kind, Option<String>) {
    if let Some(trigger) = Trigger::of(finding) {
        return trigger.sort(finding);
    }
    let text = finding.text.as_str();
    if is_suggestion(finding) {
        let (kind, category) = of_text(text, policy);
        return (kind, Some(category.to_owned()));
    }
    let kind = if is_failed_attempt(text, policy) { Kind::AntiPattern } else { Kind::Pattern };
    (kind, finding.category.clone())
}

/// A lesson that a finding just started, as the sort that it is.
pub fn sorted(lesson: Lesson, finding: &Finding, run: &Run, policy: &Policy) -> Lesson {
    let (kind, category) = sort(finding, &policy.categories);
    let lesson = Lesson { kind, category, ..lesson };
    if !is_suggestion(finding) {
        return lesson;
    }
    let confidence = policy.triggers.suggestion;
    // The author of a suggestion has not examined the work, and so is not a detector.
    let detectors = Default::default();
    let lesson = Lesson { detectors, base_confidence: confidence, confidence, ..lesson };
    scoped(lesson, run, &policy.scopes)
}

/// Which lessons a finding may be at all, by their categories. Its own is made out once, since it
/// is compared with many.
pub fn may_be<'a>(finding: &'a Finding, policy: &Policy) -> impl Fn(&Lesson) -> bool + use<'a> {
    let is_within = policy.matching.within_category;
    let own = is_within.then(|| sort(finding, &policy.categories).1).flatten();
    move |lesson| {
        let both = own.as_ref().zip(lesson.category.as_ref());
        let is_alike = both.is_none_or(|(own, other)| own.eq_ignore_ascii_case(other));
        is_alike || lesson.text == finding.text
    }
}

/// A lesson that a suggestion of this run started, where its words say that it applies. What the
/// run does not name cannot narrow it.
fn scoped(mut lesson: Lesson, run: &Run, policy: &ScopePolicy) -> Lesson {
    let words = spaced(lesson.text.as_str());
    let has = |phrases: &[String]| phrases.iter().any(|phrase| says(&words, phrase));
    let mut bind = |side: Dimension, value: &str| {
        lesson.scope.0.insert(side, value.to_owned());
    };
    if has(&policy.task) {
        run.task.iter().for_each(|task| bind(Dimension::Task, task));
    } else if has(&policy.session) {
        run.episode.session.iter().for_each(|session| bind(Dimension::Session, session));
    } else if has(&policy.global) && lesson.trust >= Trust::Pipeline {
        // Names, files and runs of one project must not appear in another.
        (lesson.project, lesson.last_seen_run) = (None, None);
        (lesson.paths, lesson.tags) = (Vec::new(), Vec::new());
        lesson.scope = Default::default();
    } else if let Some(role) = policy.roles.iter().find(|role| says(&words, role)) {
        bind(Dimension::Role, role);
    }
    lesson
}

/// What a lesson is after one more sighting: what one reviewer role alone keeps
/// reporting is that role's hint, what a second role also sees is a pattern. Unless the policy
/// says so, the scope is not narrowed to that role: the role that does the work needs it most, and
/// the role that reports it ranks it higher anyway. A kind that a person gave it stays.
pub fn by_roles(lesson: Lesson, finding: &Finding, policy: &PromotionPolicy) -> Lesson {
    let is_reported = lesson.origin == Origin::Reviewer && lesson.trust == Trust::Pipeline;
    if policy.hint_at == 0 || !is_reported || is_stated(finding) {
        return lesson;
    }
    let n_roles = lesson.detectors.len();
    let kind = match lesson.kind {
        Kind::Pattern if n_roles == 1 && lesson.n_sightings >= policy.hint_at => Kind::Hint,
        Kind::Hint if n_roles > 1 => Kind::Pattern,
        kind => kind,
    };
    let mut scope = lesson.scope.clone();
    if policy.hints_are_bound && kind != lesson.kind {
        match lesson.detectors.first().filter(|_| kind == Kind::Hint) {
            Some(role) => drop(scope.0.insert(Dimension::Role, role.clone())),
            None => drop(scope.0.remove(&Dimension::Role)),
        }
    }
    Lesson { kind, scope, ..lesson }
}

/// Kind and category of a text by its words.
pub fn of_text<'p>(text: &str, policy: &'p CategoryPolicy) -> (Kind, &'p str) {
    let words = spaced(text);
    let n_found = |row: &CategoryRow| row.words.iter().filter(|word| says(&words, word)).count();
    let rows = policy.rows.iter().map(|(category, row)| (n_found(row), category, row));
    let found = rows.filter(|(n_found, ..)| *n_found > 0);
    let best = found.min_by_key(|(n_found, _, row)| (Reverse(*n_found), row.order));
    let (kind, category) = match best {
        Some((_, category, row)) => (row.kind, category.as_str()),
        None => (policy.default_kind, policy.default_category.as_str()),
    };
    let kind = if is_failed_attempt(text, policy) { Kind::AntiPattern } else { kind };
    (kind, category)
}

fn is_failed_attempt(text: &str, policy: &CategoryPolicy) -> bool {
    let words = spaced(text);
    policy.failed_attempt.iter().any(|phrase| says(&words, phrase))
}

fn says(spaced_text: &str, phrase: &str) -> bool {
    spaced_text.contains(&spaced(phrase))
}

/// The words of a text in lower case with one space around each, so that a phrase is found
/// by its whole words.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let is_inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '+';
    let words = lower.split(|c: char| !is_inside(c)).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |spaced, word| spaced + word + " ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn row(category: &str, order: u32, kind: Kind, words: &[&str]) -> (String, CategoryRow) {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        (category.to_owned(), CategoryRow { order, kind, words })
    }

    fn policy() -> CategoryPolicy {
        CategoryPolicy {
            default_kind: Kind::Hint,
            default_category: "process_improvement".to_owned(),
            failed_attempt: vec!["reverted".to_owned(), "did not work".to_owned()],
            rows: BTreeMap::from([
                row("security_pattern", 1, Kind::Pattern, &["token", "third-party secret"]),
                row("test_strategy", 2, Kind::Pattern, &["test", "flaky", "n+1"]),
                row("project_rule", 3, Kind::Rule, &["always"]),
            ]),
        }
    }

    #[test]
    fn the_row_with_most_of_its_words_fits() {
        let cases = [
            ("Rotate the token", Kind::Pattern, "security_pattern"),
            ("ALWAYS rotate the Token.", Kind::Pattern, "security_pattern"),
            ("Pin the clock of a flaky test, token or not", Kind::Pattern, "test_strategy"),
            ("Keep the third party secret safe", Kind::Pattern, "security_pattern"),
            ("Keep tokenizers apart", Kind::Hint, "process_improvement"),
            ("Look for n+1 queries", Kind::Pattern, "test_strategy"),
            ("Always write it down", Kind::Rule, "project_rule"),
            ("Hand over sooner", Kind::Hint, "process_improvement"),
            ("The token cache was reverted", Kind::AntiPattern, "security_pattern"),
            ("Retrying did\nnot work", Kind::AntiPattern, "process_improvement"),
            ("", Kind::Hint, "process_improvement"),
        ];
        for (text, kind, category) in cases {
            assert_eq!(of_text(text, &policy()), (kind, category), "{text}");
        }
    }
}
