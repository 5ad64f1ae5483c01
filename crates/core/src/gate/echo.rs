//! Is this finding only our own words coming back? A lesson that was shown and is then
//! repeated to us must not confirm itself.

use crate::finding::{Finding, Grade};
use crate::gate::Refusal;
use crate::ids::LessonId;
use crate::lesson::Origin;

/// A lesson that had been shown in the run, and to whom.
#[derive(Clone, Debug)]
pub struct ShownLesson {
    pub lesson: LessonId,
    pub text: String,
    /// Roles whose block held it; empty string = a block without a role.
    pub roles: Vec<String>,
}

/// The lesson that a finding merely repeats, if it does. `is_near_copy` compares the
/// finding with a shown text.
///
/// From an agent every near copy of a shown lesson is an echo. From a reviewer it is
/// one only if that very role had been shown the lesson, and the finding names no
/// place and says itself that it is reasoning: a tool, or a reviewer with a place or
/// evidence, that reports the same words again has seen a true recurrence.
pub fn echo_of(
    finding: &Finding,
    origin: Origin,
    shown: &[ShownLesson],
    is_near_copy: impl Fn(&str) -> bool,
) -> Option<Refusal> {
    let could_echo = |lesson: &ShownLesson| match origin {
        Origin::User | Origin::Import | Origin::Team => false,
        Origin::Agent => true,
        Origin::Reviewer => {
            let was_shown =
                lesson.roles.iter().any(|role| role.eq_ignore_ascii_case(&finding.author));
            let is_bare = finding.place.is_none() && finding.grade == Some(Grade::Reasoned);
            was_shown && is_bare
        }
    };
    let mut echoes = shown.iter().filter(|lesson| could_echo(lesson));
    let lesson = echoes.find(|lesson| is_near_copy(&lesson.text))?;
    Some(Refusal::Echo { lesson: lesson.lesson.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Place;
    use crate::gate::Gate;
    use crate::ids::RunId;
    use crate::run::Run;
    use crate::time::Timestamp;

    fn check(origin: Origin, role: &str, has_place: bool, grade: Option<Grade>) -> bool {
        let (lesson, roles) = (LessonId::given("l-1"), vec!["guardian".into()]);
        let shown = [ShownLesson { lesson, text: "the lesson".into(), roles }];
        let run = Run::stub(RunId::parse("r1").unwrap(), Timestamp(0));
        let place = has_place.then(|| Place { path: "a.rs".into(), line: None });
        let text = Gate::standard().line("the finding");
        let finding = run.new_finding(role.into(), String::new(), text, place);
        echo_of(&Finding { grade, ..finding }, origin, &shown, |text| text == "the lesson")
            .is_some()
    }

    #[test]
    fn agents_echo_always_reviewers_only_without_evidence() {
        assert!(check(Origin::Agent, "anyone", true, Some(Grade::Executed)));
        assert!(check(Origin::Reviewer, "guardian", false, Some(Grade::Reasoned)));
        assert!(!check(Origin::Reviewer, "guardian", true, Some(Grade::Reasoned)));
        assert!(!check(Origin::Reviewer, "guardian", false, Some(Grade::Cited)));
        assert!(!check(Origin::Reviewer, "guardian", false, None));
        assert!(!check(Origin::Reviewer, "sage", false, Some(Grade::Reasoned)));
        assert!(!check(Origin::User, "guardian", false, Some(Grade::Reasoned)));
    }
}
