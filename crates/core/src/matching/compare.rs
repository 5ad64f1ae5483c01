//! Do these say the same? Two texts, two findings, two lessons, and a finding against
//! lessons.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::categorize::is_suggestion;
use crate::conflict::oppose;
use crate::finding::{Finding, FindingState};
use crate::grade::is_tool;
use crate::ids::{LessonId, RunId};
use crate::lesson::{Lesson, Origin, State};
use crate::matching::{self, Author, Corpus, Match, MatchPolicy, Relation, Subject};
use crate::signature::rule_parts;
use crate::words::{jaccard, unique_words};

/// How alike two texts are, of which nothing else is known, if they say the same.
pub fn same_text(a: &str, b: &str, policy: &MatchPolicy) -> Option<f64> {
    let found = matching::best_match(&bare(a), &[bare(b)], &Corpus::default(), policy);
    (found.relation == Relation::Same).then_some(found.likeness)
}

/// How many words lessons have in common; each text is taken apart once. On the hot
/// path, where the full likeness would cost more than all the rest.
#[derive(Default)]
pub struct Wordings {
    words: RefCell<BTreeMap<LessonId, Rc<Vec<String>>>>,
}

impl Wordings {
    /// Shared words over all words of the two, 0..1.
    pub fn overlap(&self, a: &Lesson, b: &Lesson) -> f64 {
        jaccard(&self.words(a), &self.words(b))
    }

    fn words(&self, lesson: &Lesson) -> Rc<Vec<String>> {
        let mut words = self.words.borrow_mut();
        let new = || Rc::new(unique_words(lesson.text.as_str()));
        words.entry(lesson.id.clone()).or_insert_with(new).clone()
    }
}

/// The lesson that a finding is most like.
pub fn best_lesson(
    finding: &Finding,
    author: Author,
    lessons: &[&Lesson],
    corpus: &Corpus,
    policy: &MatchPolicy,
) -> Match {
    let (wanted, n_findings) = (finding.signature.as_str(), policy.n_findings);
    let subjects = lessons.iter().map(|lesson| subject_of(lesson, wanted, n_findings));
    let subjects: Vec<Subject<'_>> = subjects.collect();
    let place = finding.place.as_ref();
    let rule = matching::rule_of(finding);
    let subject = Subject {
        text: finding.text.as_str(),
        wordings: &[],
        author,
        signature: Some(wanted),
        category: finding.category.as_deref(),
        paths: place.map(|place| std::slice::from_ref(&place.path)).unwrap_or_default(),
        tags: &[],
        rules: rule.as_slice(),
    };
    matching::best_match(&subject, &subjects, corpus, policy)
}

/// Whether findings are compared with lessons in this state where every lesson is looked at. What
/// was rejected always is: else a near copy would bring it back.
pub fn is_compared(state: State, policy: &MatchPolicy) -> bool {
    let is_over = matches!(state, State::Decayed | State::Superseded | State::Archived);
    !is_over || policy.in_all_states
}

/// Whether two findings say the same, wherever they point and whatever they are known by.
pub fn two_findings(a: &Finding, b: &Finding, policy: &MatchPolicy) -> bool {
    let rules = [matching::rule_of(a), matching::rule_of(b)];
    let a = Subject {
        rules: rules[0].as_slice(),
        author: Author::of(a, false),
        ..bare(a.text.as_str())
    };
    let b = Subject {
        rules: rules[1].as_slice(),
        author: Author::of(b, false),
        ..bare(b.text.as_str())
    };
    matching::best_match(&a, &[b], &Corpus::default(), policy).relation == Relation::Same
}

/// The latest of these runs in which this finding had been fixed. They are the findings of
/// earlier runs that were fixed, oldest first.
pub fn fixed_before(
    finding: &Finding,
    earlier: &[&Finding],
    policy: &MatchPolicy,
) -> Option<RunId> {
    let is_same = |fixed: &&&Finding| {
        let is_own = fixed.lesson.is_some() && fixed.lesson == finding.lesson;
        let (own, other) = (finding.text.as_str(), fixed.text.as_str());
        // "Never" and "always" leave no trace in a fingerprint.
        let is_known = || fixed.signature == finding.signature && !oppose(own, other);
        // A tool that was only silent about a place said nothing about others; a reviewer who
        // passed the work spoke of all they had reported.
        let is_reviewers = || fixed.rule.is_none() && !is_tool(&fixed.author);
        let is_stated = fixed.fixed_in.is_none() || is_reviewers();
        is_known() || is_stated && (is_own || two_findings(finding, fixed, policy))
    };
    let fixed = earlier.iter().rev().find(is_same)?;
    Some(fixed.fixed_in.as_ref().unwrap_or(&fixed.run).clone())
}

/// What this finding was ruled to be earlier in its root run, if it had been dismissed there:
/// the same problem in the same place, whoever reports it.
pub fn dismissed_before<'a>(
    finding: &Finding,
    known: impl IntoIterator<Item = &'a Finding>,
    policy: &MatchPolicy,
) -> Option<&'a Finding> {
    let path = |finding: &Finding| finding.place.as_ref().map(|place| place.path.clone());
    let is_it = |other: &&Finding| {
        let is_there = match (path(finding), path(other)) {
            (Some(own), Some(other)) => own == other,
            (None, _) | (_, None) => true,
        };
        let is_known = finding.signature == other.signature
            && !oppose(finding.text.as_str(), other.text.as_str());
        // What a tool reports beside what it was told to suppress is another one.
        let is_ruled = other.ruled_by.as_ref().is_some_and(|by| *by != finding.author)
            || other.author != finding.author;
        is_ruled && is_there && (is_known || two_findings(finding, other, policy))
    };
    let dismissed = known.into_iter().filter(|known| known.state == FindingState::Dismissed);
    dismissed.into_iter().find(is_it)
}

/// Whether this very review reports something else as this lesson: its author tells the two apart.
/// A tool goes by its rules.
pub fn is_another_of_review<'a>(
    finding: &Finding,
    lesson: &LessonId,
    known: impl Iterator<Item = &'a Finding>,
) -> bool {
    let is_here = |other: &&Finding| {
        other.lesson.as_ref() == Some(lesson)
            && (&other.run, &other.author) == (&finding.run, &finding.author)
    };
    let is_equal = |it: &Finding| it.text == finding.text || it.signature == finding.signature;
    let mut here = known.filter(is_here).peekable();
    let is_review = matching::rule_of(finding).is_none() && !is_suggestion(finding);
    is_review && here.peek().is_some() && !here.any(is_equal)
}

/// Whether one lesson says what another does.
pub fn two_lessons(a: &Lesson, b: &Lesson, corpus: &Corpus, policy: &MatchPolicy) -> Match {
    // Lessons share fingerprints only if one finding was recognized as both.
    let a = Subject { signature: None, ..subject_of(a, "", policy.n_findings) };
    let b = Subject { signature: None, ..subject_of(b, "", policy.n_findings) };
    matching::best_match(&a, &[b], corpus, policy)
}

fn bare(text: &str) -> Subject<'_> {
    Subject { text, ..Subject::default() }
}

/// What is known of a lesson, in the form that matching takes. Of its signatures the one decides
/// that is wanted, if it has that.
fn subject_of<'a>(lesson: &'a Lesson, wanted: &str, n_findings: usize) -> Subject<'a> {
    let wordings = &lesson.guidance.wordings;
    let is_tools = || lesson.signatures.iter().any(|rule| rule_parts(rule).is_some());
    let author = match lesson.origin {
        Origin::User => Author::Person,
        _ if is_tools() => Author::Tool,
        _ => Author::Reviewer,
    };
    Subject {
        text: lesson.text.as_str(),
        wordings: &wordings[..wordings.len().min(n_findings.saturating_sub(1))],
        author,
        signature: lesson.signatures.iter().find(|own| *own == wanted).map(String::as_str),
        category: lesson.category.as_deref(),
        paths: &lesson.paths,
        tags: &lesson.tags,
        // Those that name no rule are passed over there.
        rules: &lesson.signatures,
    }
}
