//! How well a text is told from what is known: pairs that were written before anything was tuned.
//! Every second one was kept aside, and decides.

use super::*;
use crate::gate::Gate;
use crate::policy::MatchPolicy;
use crate::time::Timestamp;

const PAIRS: &str = include_str!("standings.txt");

fn lesson(n: usize, text: &str) -> Lesson {
    let (id, text) = (LessonId::given(&format!("l-{n}")), Gate::standard().line(text));
    Lesson::stub(id, None, Kind::Pattern, text, Timestamp(0))
}

/// What it was before: matching's own bar.
fn before(new: &Lesson, known: &[Lesson]) -> Standing {
    let (corpus, policy) = (Corpus::default(), MatchPolicy::default());
    let text = new.text.as_str();
    let denies = |other: &&Lesson| oppose(text, other.text.as_str());
    if let Some(denied) = known.iter().find(denies) {
        return Standing::Contradicts(denied.id.clone());
    }
    let found = |wanted: Relation| {
        let is_it = |other: &&Lesson| two_lessons(new, other, &corpus, &policy).relation == wanted;
        known.iter().find(is_it).map(|other| other.id.clone())
    };
    let same = found(Relation::Same).map(Standing::Same);
    same.or_else(|| found(Relation::Similar).map(Standing::Extends)).unwrap_or(Standing::New)
}

/// How many of the tuned and of the kept half are told right, and what is not.
fn told(standing: &dyn Fn(&Lesson, &[Lesson]) -> Standing) -> ([usize; 2], Vec<String>) {
    let rows: Vec<Vec<&str>> =
        PAIRS.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    let known: Vec<Lesson> = rows.iter().enumerate().map(|(n, row)| lesson(n, row[1])).collect();
    let (mut n_right, mut wrong) = ([0, 0], Vec::new());
    for (n, row) in rows.iter().enumerate() {
        let found = standing(&lesson(100, row[2]), &known);
        let expected = match row[0] {
            "same" => format!("same as l-{n}"),
            "new" => "new".to_owned(),
            other => format!("{other} l-{n}"),
        };
        if found.to_string() == expected {
            n_right[n % 2] += 1;
        } else {
            wrong.push(format!("{expected}, told as {found}: {}", row[2]));
        }
    }
    (n_right, wrong)
}

#[test]
fn most_texts_are_told_from_what_is_known() {
    let policy = MatchPolicy::default();
    let now = |new: &Lesson, known: &[Lesson]| standing(new, known, &Corpus::default(), &policy);
    let ([tuned, kept], wrong) = told(&now);
    let (earlier, _) = told(&before);
    assert!(kept > earlier[1], "{tuned} and {kept} of 20: {wrong:#?}");
}
