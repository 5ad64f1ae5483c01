//! Are these the same? The engine's way to core's matching: texts among themselves,
//! and a finding against lessons.

use hardwon_core::finding::Finding;
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::{self, Corpus, Match, MatchPolicy, Relation, Subject};

/// Whether two texts, of which nothing else is known, say the same.
pub(crate) fn is_same_text(a: &str, b: &str, policy: &MatchPolicy) -> bool {
    let found = matching::best_match(&bare(a), &[bare(b)], &Corpus::default(), policy);
    found.relation == Relation::Same
}

/// How alike two lessons are by their texts, 0..1.
pub(crate) fn likeness(a: &Lesson, b: &Lesson, policy: &MatchPolicy) -> f64 {
    let (a, b) = (bare(a.text.as_str()), bare(b.text.as_str()));
    matching::likeness(&a, &b, &Corpus::default(), policy).0
}

/// The lesson that a finding is most like.
pub(crate) fn best_lesson(
    finding: &Finding,
    lessons: &[&Lesson],
    corpus: &Corpus,
    policy: &MatchPolicy,
) -> Match {
    let known = lessons.iter().map(|lesson| Known::of(lesson, &finding.signature));
    let known: Vec<Known<'_>> = known.collect();
    let subjects: Vec<Subject<'_>> = known.iter().map(Known::subject).collect();
    let place: Vec<&str> = finding.place.iter().map(|place| place.path.as_str()).collect();
    let subject = Subject {
        text: finding.text.as_str(),
        signature: Some(&finding.signature),
        category: finding.category.as_deref(),
        paths: &place,
        tags: &[],
    };
    matching::best_match(&subject, &subjects, corpus, policy)
}

fn bare(text: &str) -> Subject<'_> {
    Subject { text, signature: None, category: None, paths: &[], tags: &[] }
}

/// What is known of a lesson, in the form that matching takes.
struct Known<'a> {
    lesson: &'a Lesson,
    /// The one of its signatures that decides: the finding's, if it has that.
    signature: Option<&'a str>,
    paths: Vec<&'a str>,
    tags: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn of(lesson: &'a Lesson, wanted: &str) -> Self {
        let own = lesson.signatures.iter().find(|own| *own == wanted);
        Known {
            lesson,
            signature: own.or(lesson.signatures.last()).map(String::as_str),
            paths: lesson.paths.iter().map(String::as_str).collect(),
            tags: lesson.tags.iter().map(String::as_str).collect(),
        }
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            text: self.lesson.text.as_str(),
            signature: self.signature,
            category: self.lesson.category.as_deref(),
            paths: &self.paths,
            tags: &self.tags,
        }
    }
}
