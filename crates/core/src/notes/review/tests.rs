use super::super::documents::DocumentSentence;
use super::super::policy::NotesPolicy;
use super::super::set::NoteIndex;
use super::*;

fn note(file: &str, kind: NoteKind, text: &str) -> Note {
    let (file, text) = (file.to_owned(), text.to_owned());
    Note { file, kind: Some(kind), text, ..Note::default() }
}

fn with_parts(note: Note) -> Note {
    Note { why: Some("it broke twice".to_owned()), how: Some("ask first".to_owned()), ..note }
}

fn documents(text: &str) -> Documents {
    let (file, section) = ("CLAUDE.md".to_owned(), "Deploy".to_owned());
    Documents::new(vec![DocumentSentence { file, line: 9, section, text: text.to_owned() }])
}

fn age(days: i64) -> Age {
    Age { days, source: AgeSource::Git }
}

fn reviewed(notes: Vec<Note>, ages: &[(&str, i64)], document: &str) -> Review {
    let set = NoteSet { notes, ..NoteSet::default() };
    let ages = ages.iter().map(|(file, days)| ((*file).to_owned(), age(*days))).collect();
    let documents = documents(document);
    let around = Surroundings { ages: &ages, documents: &documents };
    review(&set, around, &NotesPolicy::default())
}

#[test]
fn the_six_tables_are_filled() {
    let rule =
        "Never run `kubectl apply` against the Frankfurt cluster; edit deploy/frankfurt.yaml";
    let notes = vec![
        with_parts(note("a.md", NoteKind::Project, rule)),
        note("b.md", NoteKind::Feedback, "Never run `kubectl apply` on the Frankfurt cluster"),
        note("c.md", NoteKind::User, "Works from Lisbon in the afternoon"),
        note("d.md", NoteKind::Project, "Argo deploys the canary wave before the Dublin wave"),
    ];
    let ages = [("a.md", 3), ("b.md", 31), ("c.md", 400), ("d.md", 30)];
    let found = reviewed(notes, &ages, "Argo deploys the canary wave before the Dublin wave.");
    assert_eq!(found.stale, [("c.md".to_owned(), age(400)), ("b.md".to_owned(), age(31))]);
    let pairs: Vec<(&str, &str)> =
        found.overlapping.iter().map(|(a, b, _)| (a.as_str(), b.as_str())).collect();
    assert_eq!(pairs, [("a.md", "b.md")]);
    let covered: Vec<&str> = found.redundancy.iter().map(|row| row.redundancy.word()).collect();
    assert_eq!(covered, ["new_rule", "new_rule", "new_rule", "already_covered"]);
    let place = found.redundancy[3].place.clone().unwrap();
    assert_eq!(place, ("CLAUDE.md".to_owned(), 9, "Deploy".to_owned()));
    let rewrite: Vec<&str> = found.rewrite.iter().map(|row| row.file.as_str()).collect();
    assert_eq!(rewrite, ["b.md", "d.md"]);
    let promoted: Vec<&str> = found.promote.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(promoted, ["a.md", "b.md"], "{:?}", found.promote);
    let expected =
        [(Some(NoteKind::User), 1), (Some(NoteKind::Feedback), 1), (Some(NoteKind::Project), 2)];
    assert_eq!(found.by_kind, BTreeMap::from(expected));
}

#[test]
fn a_document_that_says_half_is_extended() {
    let text = "Settlement exports go to the Zurich bucket, encrypted with the partner key";
    let found = reviewed(
        vec![note("a.md", NoteKind::Project, text)],
        &[],
        "Settlement exports go to the Zurich bucket every evening.",
    );
    assert_eq!(found.redundancy[0].redundancy, Redundancy::ExtendsExisting, "{found:?}");
}

#[test]
fn one_word_for_the_whole() {
    let policy = NotesPolicy::default();
    let notes = |n: usize| -> Vec<Note> {
        let text = |at| format!("fact number {at}{at} about thing{at} and place{at}");
        (0..n).map(|at| note(&format!("{at}.md"), NoteKind::Project, &text(at))).collect()
    };
    let ages = |stale: usize| -> BTreeMap<String, Age> {
        (0..stale).map(|at| (format!("{at}.md"), age(99))).collect()
    };
    let check = |set: &NoteSet, n_stale: usize, expected: Health| {
        assert_eq!(status(set, &ages(n_stale), &policy).health, expected);
    };
    let mut set = NoteSet { notes: notes(4), ..NoteSet::default() };
    check(&NoteSet::default(), 0, Health::Good);
    check(&set, 0, Health::Good);
    check(&set, 1, Health::NeedsReview);
    check(&set, 2, Health::Critical);
    set.notes[0].links.push("nowhere".to_owned());
    check(&set, 0, Health::NeedsReview);
    set.index = NoteIndex { n_bytes: 25_001, ..NoteIndex::default() };
    check(&set, 0, Health::Critical);
    // Issue 18: what hosts load cannot be judged at all.
    set.index = NoteIndex::default();
    let (file, reason) = ("MEMORY.md".to_owned(), "it is larger than 16 MiB".to_owned());
    set.unreadable.push(crate::notes::set::Unreadable { file, line: None, reason });
    check(&set, 0, Health::Critical);
}

#[test]
fn a_score_has_its_bounds_and_grounds() {
    let policy = NotesPolicy::default();
    let row = |share: f64| RedundantRow {
        file: "a.md".to_owned(),
        redundancy: Redundancy::NewRule,
        share,
        place: Some(("CLAUDE.md".to_owned(), 9, "Deploy".to_owned())),
    };
    let good =
        with_parts(note("a.md", NoteKind::Project, "Use `just warm` and `just up`, see `a/b.rs`"));
    let best = promotion(&good, &row(0.0), Some(age(1)), None, &policy);
    assert_eq!((best.score, best.advice), (1.0, Advice::Promote), "{best:?}");
    let weak = note("a.md", NoteKind::User, "Was in Lisbon yesterday");
    let worst = promotion(&weak, &row(0.9), Some(age(900)), Some(("b.md", 0.9)), &policy);
    assert_eq!(worst.advice, Advice::Archive, "{worst:?}");
    assert_eq!(worst.parts[0].ground, "90 % of it stands at CLAUDE.md:9");
    let total: f64 = best.parts.iter().map(|part| part.weight).sum();
    assert!((total - 1.0).abs() < 1e-9);
    let half = promotion(&weak, &row(0.2), Some(age(9)), None, &policy);
    assert_eq!(half.advice, Advice::Keep, "{half:?}");
}
