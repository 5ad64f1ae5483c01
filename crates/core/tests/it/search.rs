//! What is found comes in the order of what it covers of the search, and says by what.

use hardwon_core::lesson::Lesson;
use hardwon_core::matching::Corpus;
use hardwon_core::propose::terms_of_lesson;
use hardwon_core::search::{Blend, Question, Reason, order};

use crate::samples::lesson;

/// What a store would know of these lessons.
fn corpus(lessons: &[Lesson]) -> Corpus {
    let mut corpus = Corpus { n_texts: lessons.len() as u64, ..Corpus::default() };
    for term in lessons.iter().flat_map(terms_of_lesson) {
        *corpus.df.entry(term).or_default() += 1;
    }
    corpus
}

#[track_caller]
fn check(name: &str, search: &str, texts: &[&str], expected: &[usize]) {
    let lessons: Vec<Lesson> = texts.iter().map(|text| lesson(text)).collect();
    let hits = order(&lessons, &Question::new(search), &corpus(&lessons));
    let found: Vec<usize> = hits.iter().map(|hit| hit.index).collect();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn what_covers_more_of_the_search_comes_first() {
    let long = "The connection pool of the database hands out closed connections after a timeout, \
                because nobody checks them when they come back";
    check("long text that says it all", "database connection pool", &["Pool", long], &[1, 0]);
    check(
        "a rare word before common ones",
        "check the retry budget",
        &[
            "Check the input",
            "Check the output of the parser",
            "Check the name of a file before the upload",
            "Retry without a bound",
        ],
        &[3, 0, 1, 2],
    );
    check("spelled alike", "authorize", &["Author is unknown", "Authorizing is late"], &[1]);
    check(
        "spelled alike orders what is found",
        "token authorization",
        &["Token is too long", "Token of an authorized user"],
        &[1, 0],
    );
    check("shares nothing", "kubernetes", &["Retry without a bound"], &[]);
    check("no words at all", "?!", &["Retry without a bound"], &[]);
}

#[test]
fn a_hit_says_by_what() {
    let mut known = lesson("SQL queries are concatenated in fetchPage");
    known.paths = vec!["src/db/page.rs".into()];
    known.tags = vec!["security".into()];
    let why = |search: &str| {
        let all = [known.clone()];
        order(&all, &Question::new(search), &corpus(&all)).remove(0).why
    };
    assert_eq!(why("query"), [Reason::Word("query".into())]);
    assert_eq!(why("security"), [Reason::Word("security".into())]);
    let alike = Reason::Alike("concat".into(), "concatenated".into());
    assert_eq!(why("concat page"), [alike, Reason::Word("page".into())]);
    assert!(why("src/db/page.rs").contains(&Reason::Path("src/db/page.rs".into())));
}

#[test]
fn embeddings_order_what_words_found() {
    let lessons = ["Retry the upload once", "Retry the download"].map(lesson);
    let mut hits = order(&lessons, &Question::new("retry upload"), &corpus(&lessons));
    assert_eq!(hits.iter().map(|hit| hit.index).collect::<Vec<_>>(), [0, 1]);
    let blend = Blend::new(&[vec![0.0, 1.0], vec![1.0, 0.0], vec![0.0, 3.0]]).unwrap();
    blend.reorder(&mut hits);
    assert_eq!(hits.iter().map(|hit| hit.index).collect::<Vec<_>>(), [1, 0]);
    assert!(hits[0].why.contains(&Reason::Embedding(100)), "{hits:?}");
    assert!(Blend::new(&[]).is_none() && Blend::new(&[vec![1.0], vec![1.0, 2.0]]).is_none());
}
