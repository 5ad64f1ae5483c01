use proptest::prelude::*;

use super::*;

const FLAT: &str = "---\nname: use-pnpm\ndescription: Package manager of this repository\n\
                    type: feedback\n# kept\ntags: [a, b]\n---\n\nUse pnpm.\n\n**Why:** the lock file.\n\
                    \n**How to apply:** run `pnpm install`.\n\nRelated: [[ci-cache]]\n";

const NESTED: &str = "---\r\nname: outbox-flaky\r\ndescription: \"OutboxIT: it races\"\r\nmetadata: \r\n  \
                      node_type: memory\r\n  type: project\r\n  originSessionId: 885e\r\n  \
                      modified: 2026-09-08T19:29:56.864Z\r\n---\r\n\r\n**Measured.** It races; see [[ci]].\r\n";

fn read(raw: &str) -> Note {
    TopicFile::parse(raw).unwrap().note("feedback_use-pnpm.md")
}

#[track_caller]
fn check(raw: &str, change: impl Fn(&mut Note), expected: &[(&str, &str)]) {
    let file = TopicFile::parse(raw).unwrap();
    let mut note = file.note("x.md");
    change(&mut note);
    let changed = file.edited(&note);
    let mut wanted = raw.to_owned();
    for (old, new) in expected {
        assert!(wanted.contains(old), "{old:?}");
        wanted = wanted.replacen(old, new, 1);
    }
    assert_eq!(changed, wanted);
    assert_eq!(TopicFile::parse(&changed).unwrap().note("x.md"), note);
}

#[test]
fn both_shapes_are_read() {
    let note = read(FLAT);
    assert_eq!((note.name.as_str(), note.kind), ("use-pnpm", Some(NoteKind::Feedback)));
    assert_eq!(note.text, "Use pnpm.");
    assert_eq!(note.why.as_deref(), Some("the lock file."));
    assert_eq!(note.how.as_deref(), Some("run `pnpm install`."));
    assert_eq!(note.links, ["ci-cache"]);
    let note = read(NESTED);
    assert_eq!(note.description, "OutboxIT: it races");
    assert_eq!((note.kind, note.session.as_deref()), (Some(NoteKind::Project), Some("885e")));
    assert_eq!(note.modified, Timestamp::parse("2026-09-08T19:29:56.864Z"));
    assert_eq!((note.text.as_str(), note.why), ("**Measured.** It races; see [[ci]].", None));
    assert_eq!(note.links, ["ci"]);
}

#[test]
fn a_change_touches_its_own_bytes() {
    check(FLAT, |_| {}, &[]);
    check(NESTED, |_| {}, &[]);
    check(FLAT, |note| note.text = "Use bun.".to_owned(), &[("Use pnpm.", "Use bun.")]);
    check(FLAT, |note| note.kind = Some(NoteKind::User), &[("type: feedback", "type: user")]);
    check(NESTED, |note| note.kind = Some(NoteKind::User), &[("type: project", "type: user")]);
    let later = |note: &mut Note| note.modified = Timestamp::parse("2026-11-01T00:00:00Z");
    check(NESTED, later, &[("2026-09-08T19:29:56.864Z", "2026-11-01T00:00:00Z")]);
    check(FLAT, later, &[("[a, b]\n", "[a, b]\nmodified: 2026-11-01T00:00:00Z\n")]);
    let said = |note: &mut Note| note.description = "a \"b\": c".to_owned();
    check(NESTED, said, &[("OutboxIT: it races", "a \\\"b\\\": c")]);
    check(FLAT, said, &[("Package manager of this repository", "\"a \\\"b\\\": c\"")]);
    check(FLAT, |note| note.links.push("x".to_owned()), &[("[[ci-cache]]", "[[ci-cache]], [[x]]")]);
    check(NESTED, |it| it.links.push("x".into()), &[("[[ci]].", "[[ci]].\r\n\r\nRelated: [[x]]")]);
    check(
        NESTED,
        |note| note.how = Some("wait".to_owned()),
        &[("[[ci]].", "[[ci]].\r\n\r\n**How to apply:** wait")],
    );
    check(FLAT, |note| note.why = Some("speed".to_owned()), &[("the lock file.", "speed")]);
}

#[test]
fn a_link_that_is_taken_away_leaves_its_words() {
    let file = TopicFile::parse(NESTED).unwrap();
    let mut note = file.note("x.md");
    note.links.clear();
    assert_eq!(file.edited(&note), NESTED.replace("[[ci]]", "ci"));
}

#[test]
fn keys_of_our_own_come_and_go() {
    let with = TopicFile::parse(FLAT).unwrap().with_field("hardwon", Some("hint"));
    let file = TopicFile::parse(&with).unwrap();
    assert_eq!(file.field("hardwon"), Some("hint"));
    assert_eq!(file.with_field("hardwon", None), FLAT);
}

#[test]
fn a_file_without_a_head_is_a_fact_without_a_kind() {
    let note = read("# Deploys\n\nOnly on Mondays.\n");
    assert_eq!((note.name.as_str(), note.kind), ("Deploys", None));
    let plain = TopicFile::parse("Only on Mondays.").unwrap();
    let mut note = plain.note("deploys.md");
    assert_eq!(note.name, "deploys");
    (note.kind, note.description) = (Some(NoteKind::Project), "when".to_owned());
    let expected = "---\ndescription: when\ntype: project\n---\n\nOnly on Mondays.";
    assert_eq!(plain.edited(&note), expected);
}

#[test]
fn values_of_every_form_are_read() {
    for (head, expected) in [
        ("description: a: b", "a: b"),
        ("description: 'it''s'", "it's"),
        ("description: \"a \\\"b\\\" c\" # x", "a \"b\" c"),
        ("description: plain # comment", "plain"),
        ("description: C# and a#b", "C# and a#b"),
        ("description: >-\n  two\n  lines\nname: x", "two lines"),
        ("description: |\n  two\n  lines", "two\nlines"),
        ("description: two\n  lines\nname: x", "two lines"),
        ("description: \"two\n  lines\"", "two lines"),
        ("paths:\n  - \"a\"\n  - b: c\ndescription: d", "d"),
        ("other:\n  deep:\n    type: user\n  x: y\ndescription: d", "d"),
        ("\"description\": d", "d"),
        ("description:", ""),
    ] {
        let raw = format!("---\n{head}\n---\nbody\n");
        let file = TopicFile::parse(&raw).unwrap_or_else(|broken| panic!("{head}: {broken:?}"));
        assert_eq!(file.note("x.md").description, expected, "{head}");
        assert_eq!(file.note("x.md").kind, None, "{head}");
    }
}

#[test]
fn a_broken_head_is_told_with_its_line() {
    for (head, line) in [
        ("name: x\ndescription: \"never closed", 3),
        ("name: x\n\n\ttype: user", 4),
        ("name: [a, b", 2),
        ("just a sentence", 2),
        ("name: x\nname: y", 3),
        ("name: x\n  type: user", 3),
        ("  name: x", 2),
        ("- a\n- b", 2),
        ("metadata:\n    type: user\n  node: x", 4),
        ("name: \"a\" b", 2),
    ] {
        let raw = format!("---\n{head}\n---\nbody\n");
        let broken = TopicFile::parse(&raw).map(|_| ()).map_err(|broken| broken.line);
        assert_eq!(broken, Err(line), "{head}");
    }
    let open = TopicFile::parse("---\nname: x\n").map(|_| ()).map_err(|broken| broken.line);
    assert_eq!(open, Err(1));
}

#[test]
fn code_names_no_notes() {
    let note =
        read("Test with `[[ -f x ]]` and [[a|label]].\n```sh\n[[b]] **Why:** no\n```\n[[ c ]]\n");
    assert_eq!((note.links, note.why), (vec!["a".to_owned()], None));
}

#[test]
fn a_new_file_reads_as_it_was_meant() {
    let note = Note {
        file: "project_x.md".to_owned(),
        name: "A: title".to_owned(),
        description: "no".to_owned(),
        kind: Some(NoteKind::Project),
        session: Some("s-1".to_owned()),
        modified: Some(Timestamp(86_400_000)),
        text: "First.\n\nSecond [[b]].".to_owned(),
        why: Some("because".to_owned()),
        how: Some("do".to_owned()),
        links: vec!["b".to_owned(), "c".to_owned()],
    };
    let file = new_topic_file(&note);
    assert_eq!(TopicFile::parse(&file).unwrap().note("project_x.md"), note);
}

/// Lines as they are met in such files, and some that nobody expects.
fn any_line() -> impl Strategy<Value = String> {
    let usual = "name: a;description: \"b: c\";metadata: ;  type: user;type: project # why;---;\
        **Why:** w;text **How to apply:** h;Related: [[a]], [[b]];```;x: |;# Heading;";
    let usual = prop::sample::select(usual.split(';').collect::<Vec<_>>());
    prop_oneof![13 => usual.prop_map(str::to_owned), 1 => "\\PC{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_unchanged_note_changes_no_byte(
        lines in prop::collection::vec(any_line(), 0..16),
        is_windows in any::<bool>(),
    ) {
        let raw = lines.join(if is_windows { "\r\n" } else { "\n" });
        if let Ok(file) = TopicFile::parse(&raw) {
            prop_assert_eq!(file.edited(&file.note("x.md")), raw);
        }
    }

    #[test]
    fn a_change_of_the_head_leaves_the_body(
        lines in prop::collection::vec(any_line(), 0..12),
        said in "\\PC{1,20}",
    ) {
        let raw = format!("---\nname: n\ndescription: d\nodd: [x] # kept\n---\n{}", lines.join("\n"));
        let file = TopicFile::parse(&raw).unwrap();
        let mut note = file.note("x.md");
        note.description = said.trim().to_owned();
        prop_assume!(!note.description.is_empty());
        let changed = file.edited(&note);
        let (_, body) = raw.split_once("kept\n---\n").unwrap();
        let end = format!("\nodd: [x] # kept\n---\n{body}");
        prop_assert!(changed.ends_with(&end));
        let reread = TopicFile::parse(&changed).unwrap().note("x.md");
        prop_assert_eq!(reread.description, note.description);
    }
}
