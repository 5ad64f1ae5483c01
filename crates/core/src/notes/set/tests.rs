use super::*;

fn note(file: &str, text: &str, links: &[&str]) -> Note {
    let links = links.iter().map(|link| (*link).to_owned()).collect();
    let name = names::stem(file).to_owned();
    Note { file: file.to_owned(), name, text: text.to_owned(), links, ..Note::default() }
}

fn entry(line: usize, file: &str) -> IndexLine {
    IndexLine { file: file.to_owned(), line, ..IndexLine::default() }
}

fn set(notes: Vec<Note>, lines: &[&str]) -> NoteSet {
    let lines: Vec<IndexLine> =
        lines.iter().enumerate().map(|(at, file)| entry(at + 1, file)).collect();
    let index = NoteIndex { n_lines: lines.len(), lines, ..NoteIndex::default() };
    NoteSet { notes, index, ..NoteSet::default() }
}

#[track_caller]
fn check(set: &NoteSet, expected: &[Fault]) {
    assert_eq!(set.check(&IndexLimits::default()), expected);
}

/// Issue 18: links into the notebooks of roles.
#[test]
fn links_to_other_roles_are_judged_where_their_notes_are_known() {
    let linking = note("a.md", "One fact of three", &["builder/ci", "builder/gone"]);
    let mut set = set(vec![linking], &["a.md"]);
    let dead = |set: &NoteSet| {
        let faults = set.check(&IndexLimits::default()).into_iter();
        let links = faults.filter_map(|fault| match fault {
            Fault::DeadLink { link, .. } => Some(link),
            _ => None,
        });
        links.collect::<Vec<String>>()
    };
    assert_eq!(dead(&set), [""; 0], "nobody looked");
    let ci = Note { file: "ci.md".to_owned(), ..Note::default() };
    set.notebooks = Some(BTreeMap::from([("builder".to_owned(), vec![ci])]));
    assert_eq!(dead(&set), ["builder/gone"]);
    set.notebooks = Some(BTreeMap::new());
    assert_eq!(dead(&set), ["builder/ci", "builder/gone"]);
}

#[test]
fn a_sound_set_has_no_faults() {
    let notes = vec![note("a.md", "one", &["b"]), note("feedback_b.md", "two", &[])];
    let mut sound = set(notes, &["a.md", "./feedback_b.md", "script.sh"]);
    sound.notes[1].name = "B".to_owned();
    check(&sound, &[]);
    assert_eq!(sound.links_from(&sound.notes[0])[0].file, "feedback_b.md");
    assert_eq!(sound.links_to(&sound.notes[1])[0].file, "a.md");
}

#[test]
fn lines_and_files_are_compared() {
    let notes = vec![note("a.md", "one", &[]), note("b.md", "## Two", &[])];
    let line = NoteSet::line_for(&notes[1]);
    assert_eq!(line.hook, "Two");
    let odd = set(notes, &["a.md", "gone.md", "../../etc/x.md", "a.md"]);
    let expected = [
        Fault::LineWithoutFile { line: 2, file: "gone.md".to_owned() },
        Fault::BadLine { line: 3, target: "../../etc/x.md".to_owned(), why: BadName::Climbs },
        Fault::DoubleLine { line: 4, first: 1, file: "a.md".to_owned() },
        Fault::FileWithoutLine { file: "b.md".to_owned() },
    ];
    check(&odd, &expected);
}

#[test]
fn dead_links_are_named_with_what_they_nearly_are() {
    let notes = vec![note("a.md", "one", &["nowhere", "use-x", "builder/y"])];
    let mut dead = set(notes, &["a.md", "feedback_use-x.md"]);
    dead.notes.push(note("feedback_use-x.md", "two", &[]));
    let fault = |link: &str, nearly: Option<&str>| Fault::DeadLink {
        file: "a.md".to_owned(),
        link: link.to_owned(),
        nearly: nearly.map(str::to_owned),
    };
    check(&dead, &[fault("nowhere", None), fault("use-x", Some("feedback_use-x"))]);
}

#[test]
fn what_cannot_be_read_and_what_is_too_long_comes_first() {
    let notes = vec![note("a.md", "Never push to main on Fridays", &[])];
    let mut bad = set(notes, &["a.md", "c.md"]);
    (bad.index.n_lines, bad.index.n_own_bytes) = (201, 2_000);
    let (file, reason) = ("c.md".to_owned(), "a quote is never closed".to_owned());
    bad.unreadable.push(Unreadable { file, line: Some(3), reason });
    let faults = bad.check(&IndexLimits::default());
    assert!(matches!(faults[0], Fault::Unreadable { line: Some(3), .. }), "{faults:?}");
    assert_eq!(faults[1..], [Fault::OverLimit { what: Limit::AllLines, is: 201, limit: 200 }]);
}
