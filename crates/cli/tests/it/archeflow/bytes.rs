//! Untouched records keep their bytes: unknown fields, key order, white space, spellings of
//! numbers, line ends, blank lines, lines that are not records.

use super::{ARCHIVE, Flow, LESSONS, finding, lesson};
use crate::harness::each;

/// Lines as other programs may have left them, each with its line end.
const ODD: [&str; 9] = [
    "{\"id\":\"m-001\",\"description\":\"Retries need an upper bound\",\"frequency\":1.0,\"mood\":\"calm\"}\n",
    "{ \"description\" : \"Cookies carry the Secure attribute\" , \"id\" : \"m-002\",\t\"frequency\" : 2e0 }\n",
    "\n",
    "{\"id\":\"m-003\",\"description\":\"Logs hold no addresses\",\"frequency\":3,\"tags\":[\"\\u0061b\"]}\r\n",
    "   \n",
    "{\"torn\":\"li\n",
    "{\"runs_since_last_seen\":-0,\"nested\":{\"a\":[1,2,{\"b\":null}]},\"id\":\"m-004\",\"description\":\"Gr\\u00f6\\u00dfe pr\\u00fcfen \\ud83d\\ude00\",\"frequency\":2}\n",
    "[1,2,3]\n",
    "{\"id\":\"m-005\",\"id\":\"m-006\",\"description\":\"Said twice who it is\",\"frequency\":\"2\",\"tags\":\"one\",\"archetype\":\"\"}\n",
];

fn odd() -> Flow {
    Flow::of_bytes(ODD.concat())
}

/// Whether the last line states a lesson or not, it is neither lost nor glued to the next.
#[test]
fn an_add_leaves_all_that_was_there() {
    let lesson = lesson("m-001", "Retries need an upper bound").to_string();
    let torn = "{\"torn\":\"li".to_owned();
    // The file, the id of the next record.
    let cases = [
        (ODD.concat(), "m-007"),
        (lesson.clone(), "m-002"),
        (torn, "m-001"),
        (format!("\u{feff}{lesson}\n"), "m-002"),
    ];
    let calls: [&[&str]; 2] = [
        &["archeflow", "add", "preference", "Tabs, not spaces"],
        &["--store", "archeflow:.", "add", "Tabs, not spaces in the sources"],
    ];
    each(&cases, |(before, id)| {
        for args in calls {
            let flow = Flow::of_bytes(before);
            flow.memory.run(args).exits(0);
            let text = flow.text(LESSONS);
            let new =
                text.strip_prefix(before.as_str()).expect("what was there stays").trim_start();
            let start = format!("{{\"id\":\"{id}\",");
            assert!(new.starts_with(&start) && new.contains("Tabs, not spaces"), "{new}");
            assert_eq!(new.lines().count(), 1, "{new}");
            assert!(before.ends_with('\n') || text[before.len()..].starts_with('\n'), "{text}");
            flow.decay();
            assert!(flow.text(LESSONS).starts_with(&before[..4]), "a byte order mark stays");
        }
    });
}

/// Arguments, the line that goes or changes, whether it goes.
type Case<'a> = (&'a [&'a str], usize, bool);

#[test]
fn a_change_touches_its_own_line_alone() {
    let cases: &[Case<'_>] = &[
        (&["forget", "m-001"], 0, true),
        (&["forget", "m-002"], 1, true),
        (&["forget", "m-003"], 3, true),
        (&["forget", "m-004"], 6, true),
        (&["edit", "m-001", "--text", "Every retry loop needs an upper bound"], 0, false),
        (&["edit", "m-002", "--tag", "cookies"], 1, false),
        (&["edit", "m-003", "--severity", "bug"], 3, false),
        (&["edit", "m-004", "--kind", "anti_pattern"], 6, false),
        (&["edit", "m-006", "--tag", "two"], 8, false),
    ];
    each(cases, |(args, at, goes)| {
        let flow = odd();
        flow.ours(args).exits(0);
        let text = flow.text(LESSONS);
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        if *goes {
            assert_eq!(flow.text(ARCHIVE), ODD[*at], "moved as it was");
        } else {
            assert_ne!(lines.remove(*at), ODD[*at], "nothing was changed");
        }
        assert_eq!(lines, [&ODD[..*at], &ODD[*at + 1..]].concat(), "{args:?}");
    });
}

/// Inside a changed line, too, only what changes is written.
#[test]
fn a_changed_line_keeps_the_rest_of_itself() {
    let flow = odd();
    flow.ours(&["edit", "m-002", "--text", "Session cookies are always secure"]).exits(0);
    let text = flow.text(LESSONS);
    let line = text.lines().nth(1).expect("there are more");
    let start = "{ \"description\" : \"Session cookies are always secure\" , \"id\" : \"m-002\",\t\"frequency\" : 2e0";
    assert!(line.starts_with(start), "{line}");
    assert!(line.ends_with('}'), "{line}");
    flow.ours(&["edit", "m-003", "--text", "Logs never hold addresses"]).exits(0);
    let text = flow.text(LESSONS);
    let line = text.split('\n').nth(3).expect("there are more");
    assert!(line.contains("\"tags\":[\"\\u0061b\"]") && line.ends_with("}\r"), "{line:?}");
}

#[test]
fn extract_and_decay_touch_what_they_count() {
    let flow = odd();
    flow.extract("r1", &[finding("bug", "Cookies carry the Secure attribute")]);
    let text = flow.text(LESSONS);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (n, (old, new)) in ODD.iter().zip(&lines).enumerate() {
        assert_eq!(old == new, n != 1, "line {n}: {new}");
    }
    assert!(lines[1].contains("\"frequency\" : 3"), "{}", lines[1]);
    flow.decay();
    let after = flow.text(LESSONS);
    for (n, (old, new)) in lines.iter().zip(after.split_inclusive('\n')).enumerate() {
        // Those of which it is not known that r1 saw them, and the ones that are none.
        let is_counted = [0, 3, 6, 8].contains(&n);
        assert_eq!(*old != new, is_counted, "line {n}: {new}");
    }
    let first = after.lines().next().expect("there are lines");
    let start = ODD[0].trim_end().trim_end_matches('}');
    assert!(first.starts_with(start) && first.contains("\"runs_since_last_seen\":1"), "{first}");
}

/// A file that is replaced keeps its mode.
#[test]
fn modes_of_files_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    for mode in [0o600, 0o640, 0o664] {
        let flow = odd();
        let path = flow.path(LESSONS);
        let set = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&path, set).expect("it is ours");
        flow.ours(&["forget", "m-001"]).exits(0);
        let now = path.metadata().expect("it is there").permissions().mode();
        assert_eq!(now & 0o777, mode, "{mode:o}");
    }
}
