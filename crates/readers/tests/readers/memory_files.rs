//! ArcheFlow's memory files: every line that can be used is used, and every byte of the
//! others is kept.

use hardwon_core::foreign::{ArcheflowLesson, ForeignFile};
use hardwon_readers::{
    OpenagentsMemory, archeflow_audit, archeflow_index, archeflow_lesson, archeflow_lessons,
    openagents_lesson, openagents_memories, openagents_shipped_lessons,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::shown;

mod beside;

const FOUR: &str = include_str!("../fixtures/memory/archeflow-lessons.jsonl");

fn records<T>(file: &ForeignFile<T>) -> Vec<&T> {
    file.lines.iter().filter_map(|line| line.record.as_ref()).collect()
}

/// The file as bytes again.
fn joined<T>(file: &ForeignFile<T>) -> Vec<u8> {
    let lines: Vec<&[u8]> = file.lines.iter().map(|line| line.raw.as_slice()).collect();
    let mut bytes = lines.join(&b'\n');
    if file.has_end {
        bytes.push(b'\n');
    }
    bytes
}

#[test]
fn a_line_alone_states_the_same() {
    let (file, _) = archeflow_lessons("l", FOUR.as_bytes());
    let alone: Vec<_> = FOUR.lines().filter_map(archeflow_lesson).collect();
    assert_eq!(alone.iter().collect::<Vec<_>>(), records(&file));
    let shipped = include_str!("../fixtures/memory/openagents-shipped.jsonl");
    let (file, _) = openagents_shipped_lessons("l", shipped.as_bytes());
    assert_eq!(openagents_lesson(shipped), file.lines[0].record);
    let memories = include_str!("../fixtures/memory/openagents-memories.jsonl");
    let (file, _) = openagents_memories("l", memories.as_bytes());
    let lesson = memories.lines().next().and_then(openagents_lesson).map(OpenagentsMemory::Lesson);
    assert_eq!(lesson, file.lines[0].record);
}

/// Reads one line; `field` is put into an object that has a description.
#[track_caller]
fn check(field: &str, expected: ArcheflowLesson, problem: Option<&str>) {
    let line = format!("{{\"description\":\"x\",{field}}}\n");
    let (file, problems) = archeflow_lessons("l", line.as_bytes());
    let expected = ArcheflowLesson { description: "x".into(), ..expected };
    assert_eq!(records(&file), [&expected], "{field}");
    let problem = problem.map(|reason| format!("l:1: {reason}"));
    assert_eq!(shown(&problems), Vec::from_iter(problem), "{field}");
}

#[test]
fn a_field_that_is_missing_or_odd_costs_only_itself() {
    let usual = ArcheflowLesson::default;
    check(r#""other":{"deep":[1]}"#, usual(), None);
    check(r#""frequency":null,"tags":null,"archetype":null"#, usual(), None);
    check(r#""ts":"""#, usual(), None);
    for name in ["id", "ts", "run_id", "type", "source", "severity", "domain", "last_seen_run"] {
        let reason = format!("field \"{name}\" is not a string");
        check(&format!("\"{name}\":7"), usual(), Some(&reason));
    }
    check(r#""archetype":[]"#, usual(), Some("field \"archetype\" is not a string"));
    check(r#""ts":"yesterday""#, usual(), Some("field \"ts\" is not an RFC 3339 time"));
    check(r#""tags":"a""#, usual(), Some("field \"tags\" is not a list"));
    let tags = ArcheflowLesson { tags: vec!["a".into()], ..usual() };
    check(r#""tags":[1,"a"]"#, tags, Some("field \"tags\" has items that are not strings"));
    let last = ArcheflowLesson { domain: "b".into(), ..usual() };
    let twice = "a key stands twice in an object; the last one is used";
    check(r#""domain":"a","domain":"b""#, last, Some(twice));
    let id = ArcheflowLesson { id: "m-1+a[$(touch x)]".into(), ..usual() };
    check(r#""id":"m-1+a[$(touch x)]""#, id, None);
}

#[test]
fn counts_are_read_as_far_as_they_make_sense() {
    let text = |n: u32| Some(format!("field \"frequency\" is text, not a number; read as {n}"));
    let wrong = Some("field \"frequency\" is not a number; read as 1".to_owned());
    for (value, count, problem) in [
        ("5", 5, None),
        ("0", 0, None),
        ("2.9", 2, None),
        ("1e2", 100, None),
        ("-3", 0, None),
        ("-0.5", 0, None),
        ("99999999999", u32::MAX, None),
        ("1e300", u32::MAX, None),
        ("18446744073709551615", u32::MAX, None),
        ("\"5\"", 5, text(5)),
        ("\" 5 \"", 5, text(5)),
        ("\"-5\"", 0, text(0)),
        ("\"2.5\"", 1, wrong.clone()),
        ("\"often\"", 1, wrong.clone()),
        ("\"\"", 1, wrong.clone()),
        ("true", 1, wrong.clone()),
        ("[5]", 1, wrong),
    ] {
        let lesson = ArcheflowLesson { frequency: count, ..Default::default() };
        check(&format!("\"frequency\":{value}"), lesson, problem.as_deref());
    }
    let unseen = ArcheflowLesson { runs_since_last_seen: 4, ..Default::default() };
    let reason = "field \"runs_since_last_seen\" is text, not a number; read as 4";
    check(r#""runs_since_last_seen":"4""#, unseen, Some(reason));
    let reason = "field \"runs_since_last_seen\" is not a number; read as 0";
    check(r#""runs_since_last_seen":"x""#, ArcheflowLesson::default(), Some(reason));
}

#[test]
fn lines_that_state_no_lesson_are_kept() {
    let put_aside = "a lesson without \"description\" was put aside";
    let not_text = "field \"description\" is not a string";
    let cases: [(&[u8], &[&str]); 12] = [
        (b"", &[]),
        (b" \t\r", &[]),
        (b"{}", &[put_aside]),
        (br#"{"description":""}"#, &[put_aside]),
        (br#"{"description":" "}"#, &[put_aside]),
        (br#"{"description":null,"frequency":"x"}"#, &[put_aside]),
        (br#"{"description":7}"#, &[not_text, put_aside]),
        (br#"{"description":"to"#, &["the JSON ends too early, at byte 18 of the line"]),
        (br#"{"description":"a"}}"#, &["not valid JSON at byte 20 of the line"]),
        (b"[1]", &["not a JSON object"]),
        (b"{\"description\":\"\xFF\"}", &["not valid UTF-8 at byte 17 of the line"]),
        (b"\0", &["not a JSON object"]),
    ];
    for (bad, reasons) in cases {
        let good = FOUR.lines().map(str::as_bytes).collect::<Vec<_>>();
        let bytes = [good[0], bad, good[1], b""].join(&b'\n');
        let (file, problems) = archeflow_lessons("l", &bytes);
        let bad_text = String::from_utf8_lossy(bad);
        let expected: Vec<String> = reasons.iter().map(|reason| format!("l:2: {reason}")).collect();
        assert_eq!(shown(&problems), expected, "{bad_text}");
        let ids: Vec<&str> = records(&file).iter().map(|lesson| lesson.id.as_str()).collect();
        assert_eq!(ids, ["m-001", "m-002"], "{bad_text}");
        assert_eq!((file.lines.len(), file.lines[1].raw.as_slice()), (3, bad), "{bad_text}");
        assert_eq!(joined(&file), bytes, "{bad_text}");
    }
}

#[test]
fn long_and_deep_lines_are_kept_unread() {
    let line = |n_bytes: usize| format!("{{\"description\":\"{}\"}}", "x".repeat(n_bytes - 18));
    let (long, fits) = (line((1 << 20) + 1), line(1 << 20) + "\r");
    let deep = format!("{{\"description\":\"x\",\"a\":{}{}}}", "[".repeat(64), "]".repeat(64));
    let bytes = [long.as_str(), &deep, &fits, ""].join("\n");
    let (file, problems) = archeflow_lessons("l", bytes.as_bytes());
    let reasons = ["l:1: the line is longer than 1 MiB", "l:2: JSON nested deeper than 64"];
    assert_eq!(shown(&problems), reasons);
    assert!(file.lines[2].record.is_some() && joined(&file) == bytes.as_bytes());
    assert_eq!(archeflow_lesson(&long), None);
}

#[test]
fn ends_of_lines_and_marks_do_not_matter() {
    let windows = format!("\u{feff}{}", FOUR.replace('\n', "\r\n"));
    let (file, problems) = archeflow_lessons("l", windows.as_bytes());
    assert_eq!((records(&file).len(), problems.len()), (4, 0));
    assert_eq!(joined(&file), windows.as_bytes());
    let (file, _) = archeflow_lessons("l", FOUR.trim_end().as_bytes());
    assert_eq!((records(&file).len(), file.has_end), (4, false));
    let (file, problems) = archeflow_lessons("l", b"");
    assert_eq!((file, problems), (ForeignFile::default(), vec![]));
    let (file, _) = archeflow_lessons("l", b"\n");
    assert_eq!((file.lines.len(), file.has_end), (1, true));
}

#[test]
fn ids_that_stand_twice_are_both_read() {
    let (file, problems) = archeflow_lessons("l", format!("{FOUR}{FOUR}").as_bytes());
    assert_eq!((records(&file).len(), problems.len()), (8, 0));
}

/// Pieces that meet in every order, and bytes that mean nothing.
const PIECES: &[u8] =
    b"\n|\r\n|{|}|\"description\":|\"x\"|,|\xEF\xBB\xBF|\xFF|\0| |{\"description\":\"x\"}";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_are_lost(pieces in vec(select(PIECES.split(|it| *it == b'|').collect::<Vec<_>>()), 0..16), other in any::<u8>()) {
        let bytes = [pieces.concat(), vec![other], pieces.concat()].concat();
        prop_assert_eq!(&joined(&archeflow_lessons("l", &bytes).0), &bytes);
        prop_assert_eq!(&joined(&archeflow_audit("a", &bytes).0), &bytes);
        archeflow_index("i", &bytes);
    }
}
