use super::*;

const FACTS: &str = include_str!("facts.txt");

struct Labelled<'a> {
    label: &'a str,
    candidate: Candidate<'a>,
}

/// The rows of a section, in their columns.
fn rows(section: &str) -> Vec<Vec<&'static str>> {
    let mark = format!("[{section}]\n");
    let (_, rest) = FACTS.split_once(&mark).unwrap();
    let lines = rest.lines().take_while(|line| !line.starts_with('['));
    lines.map(|line| line.split(" | ").map(str::trim).collect()).collect()
}

fn documents() -> Documents {
    let sentence = |(line, row): (usize, Vec<&str>)| DocumentSentence {
        file: row[0].to_owned(),
        line: line + 1,
        section: row[1].to_owned(),
        text: row[2].to_owned(),
    };
    Documents::new(rows("documents").into_iter().enumerate().map(sentence).collect())
}

fn manifests() -> Vec<DocumentSentence> {
    let line = |row: Vec<&str>| DocumentSentence {
        file: row[0].to_owned(),
        line: row[1].parse().unwrap(),
        section: String::new(),
        text: format!("\"{}\": \"{}\",", row[3], row[4]),
    };
    rows("manifest").into_iter().map(line).collect()
}

fn word(lack: &Lack) -> &'static str {
    match lack {
        Lack::Recurrent => "recurrent",
        Lack::Undocumented(_) => "undocumented",
        Lack::NonObvious(_) => "non_obvious",
        Lack::Actionable => "actionable",
    }
}

fn facts(section: &str) -> Vec<Labelled<'static>> {
    let fact = |row: Vec<&'static str>| Labelled {
        label: row[0],
        candidate: Candidate {
            text: row[3],
            kind: NoteKind::parse(row[1]),
            how: None,
            n_sessions: row[2].parse().unwrap_or_default(),
            is_stated: row[2] == "stated",
        },
    };
    rows(section).into_iter().map(fact).collect()
}

/// Wrong refusals, wrong reasons and missed refusals.
fn errors(section: &str) -> (Vec<String>, Vec<String>, usize) {
    let (documents, manifests) = (documents(), manifests());
    let known = Known { documents: &documents, manifests: &manifests };
    let policy = NotesPolicy::default();
    let (mut refused, mut missed) = (Vec::new(), Vec::new());
    let facts = facts(section);
    for Labelled { label, candidate } in &facts {
        let lacks = lacks(candidate, known, &policy);
        let names: Vec<&str> = lacks.iter().map(word).collect();
        if *label == "keep" && !lacks.is_empty() {
            refused.push(format!("{}: {lacks:?}", candidate.text));
        } else if *label != "keep" && !names.contains(label) {
            missed.push(format!("{label} {names:?}: {}", candidate.text));
        }
    }
    (refused, missed, facts.len())
}

#[test]
fn facts_that_earn_a_file_get_one() {
    let (refused, missed, n) = errors("facts");
    // One of 27: in other languages than English `**How to apply:**` has to say it.
    assert_eq!((n, refused.len()), (40, 1), "{refused:#?}");
    assert!(refused[0].starts_with("Bitte auf Deutsch"), "{refused:#?}");
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The 20 that no rule or number was chosen by. Their author is that of the rules, though.
#[test]
fn facts_kept_aside_are_judged_alike() {
    let (refused, missed, n) = errors("aside");
    assert_eq!(n, 20);
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_refusal_names_its_place() {
    let documents = documents();
    let known = Known { documents: &documents, manifests: &manifests() };
    let text = "Releases are tagged on Tuesdays from the release branch";
    let candidate = Candidate { text, n_sessions: 1, ..Candidate::default() };
    let lacks = lacks(&candidate, known, &NotesPolicy::default());
    let names: Vec<&str> = lacks.iter().map(word).collect();
    assert_eq!(names, ["recurrent", "undocumented", "actionable"]);
    let Lack::Undocumented(place) = &lacks[1] else { panic!() };
    assert_eq!((place.file.as_str(), place.section.as_str()), ("docs/deploy.md", "Release"));
}

#[test]
fn how_to_apply_counts_in_every_language() {
    let (documents, manifests) = (Documents::default(), Vec::new());
    let known = Known { documents: &documents, manifests: &manifests };
    let policy = NotesPolicy::default();
    let text = "テストは遅い";
    let bare = Candidate { text, is_stated: true, ..Candidate::default() };
    let with = Candidate { how: Some("先に単体テスト"), ..bare.clone() };
    assert_eq!(lacks(&bare, known, &policy), [Lack::Actionable]);
    assert!(lacks(&with, known, &policy).is_empty());
}
