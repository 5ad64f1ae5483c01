//! A process that died at any point: what was acknowledged is there, and the next write
//! mends what it left.

use super::{ARCHIVE, Flow, JOURNAL, LESSONS, OTHER, W, finding, lesson};
use crate::harness::{list_of, text_of};

fn texts(flow: &Flow) -> Vec<String> {
    let lessons = list_of(&flow.json(&["list"]), "lessons");
    let mut texts: Vec<String> = lessons.iter().map(|lesson| text_of(lesson, "text")).collect();
    texts.sort();
    texts
}

/// A folder after three calls, and its files before the last.
struct Written {
    flow: Flow,
    journal: Vec<u8>,
    /// Bytes of the journal before the last call.
    n_before: usize,
    lessons_before: Vec<u8>,
}

fn written() -> Written {
    let flow = Flow::of(&[lesson("m-001", W)]);
    flow.ours(&["pin", "m-001"]).exits(0);
    flow.call(&["add", "preference", "Tabs, not spaces"]).exits(0);
    let (n_before, lessons_before) = (flow.bytes(JOURNAL).len(), flow.bytes(LESSONS));
    flow.call(&["add", "preference", "Short lines"]).exits(0);
    Written { journal: cut_off(&flow), n_before, lessons_before, flow }
}

/// The journal as it is when its writer dies before the files are written: without the
/// line that says that they are.
fn cut_off(flow: &Flow) -> Vec<u8> {
    let journal = flow.text(JOURNAL);
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let (last, batches) = lines.split_last().expect("something was written");
    assert!(last.starts_with("{\"done\":"), "{last}");
    batches.concat().into_bytes()
}

/// Killed while the journal was being written: `lessons.jsonl` is as before. Cuts at
/// every byte are cheap in the library's own tests; here the binary is called.
#[test]
fn a_journal_cut_within_its_last_line() {
    let Written { flow, journal, n_before, lessons_before } = written();
    let step = ((journal.len() - n_before) / 40).max(1);
    let cuts = (n_before..journal.len() - 1).step_by(step).chain([journal.len() - 2]);
    for cut in cuts {
        flow.put(JOURNAL, &journal[..cut]);
        flow.put(LESSONS, &lessons_before);
        let found = texts(&flow);
        assert!(!found.contains(&"Short lines".to_owned()), "cut at {cut}: {found:?}");
        assert!(found.contains(&"Tabs, not spaces".to_owned()), "cut at {cut}: {found:?}");
        assert_eq!(flow.json(&["show", "m-001"])["lesson"]["pinned"], true, "cut at {cut}");
        assert_eq!(flow.bytes(JOURNAL), &journal[..cut], "a read mended it");
        next_write_mends(&flow, "m-003");
    }
}

/// All of the line but its end: it is whole, and counts.
#[test]
fn a_journal_cut_before_its_last_line_end() {
    let Written { flow, journal, lessons_before, .. } = written();
    flow.put(JOURNAL, &journal[..journal.len() - 1]);
    flow.put(LESSONS, &lessons_before);
    assert!(texts(&flow).contains(&"Short lines".to_owned()));
    next_write_mends(&flow, "m-004");
}

/// The same when `lessons.jsonl` was already written.
#[test]
fn a_journal_without_its_last_line_end_behind_good_files() {
    let Written { flow, journal, .. } = written();
    flow.put(JOURNAL, &journal[..journal.len() - 1]);
    next_write_mends(&flow, "m-004");
    assert_eq!(flow.record("m-003")["description"], "Short lines");
}

#[track_caller]
fn next_write_mends(flow: &Flow, id: &str) {
    flow.call(&["add", "preference", "Next wish"]).exits(0);
    assert_eq!(flow.record(id)["description"], "Next wish");
    let mended = flow.text(JOURNAL);
    assert!(mended.ends_with('\n'));
    for line in mended.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    assert_eq!(texts(flow).len(), flow.records(LESSONS).len());
    flow.call(&["add", "preference", "The wish after"]).exits(0);
    flow.has_no_litter();
}

/// Killed between the journal and `lessons.jsonl`: the journal counts.
#[test]
fn a_journal_that_is_ahead_of_an_add() {
    let Written { flow, journal, lessons_before, .. } = written();
    flow.put(JOURNAL, &journal);
    flow.put(LESSONS, &lessons_before);
    assert!(texts(&flow).contains(&"Short lines".to_owned()));
    assert_eq!(flow.bytes(LESSONS), lessons_before, "a read mended it");
    flow.call(&["add", "preference", "Next wish"]).exits(0);
    let text = flow.text(LESSONS);
    assert_eq!(text.matches("\"Short lines\"").count(), 1, "{text}");
    assert_eq!(text.matches("\"Next wish\"").count(), 1, "{text}");
    assert_eq!(flow.record("m-003")["description"], "Short lines");
    assert_eq!(flow.record("m-004")["description"], "Next wish");
}

/// The same for what rewrites the file.
#[test]
fn a_journal_that_is_ahead_of_an_extract_a_forget_and_an_edit() {
    let edit = ["--store", "archeflow:.", "edit", "m-002", "--text", "Upload needs a size limit"];
    let calls: &[&[&str]] = &[
        &["archeflow", "extract", ".archeflow/events/r1.jsonl"],
        &["archeflow", "forget", "m-001"],
        &["archeflow", "decay"],
        &edit,
    ];
    for args in calls {
        let flow = Flow::of(&[lesson("m-001", W), lesson("m-002", OTHER)]);
        flow.log("r1", &[finding("bug", W)]);
        flow.call(&["add", "preference", "Tabs, not spaces"]).exits(0);
        let before = flow.bytes(LESSONS);
        flow.memory.run(args).exits(0);
        let (after, archive) = (flow.records(LESSONS), flow.records(ARCHIVE));
        // Died before it came to the lessons; the archive comes before them.
        for has_archive in [true, false] {
            flow.put(LESSONS, &before);
            if !has_archive {
                let _ = std::fs::remove_file(flow.path(ARCHIVE));
            }
            let journal = flow.bytes(JOURNAL);
            flow.put(JOURNAL, cut_off(&flow));
            flow.ours(&["pin", "m-003"]).exits(0);
            let now = flow.records(LESSONS);
            assert_eq!(now, after, "{args:?}, archive written: {has_archive}");
            assert_eq!(flow.records(ARCHIVE), archive, "{args:?}, archive: {has_archive}");
            flow.put(JOURNAL, journal);
        }
    }
}

/// Whoever has no journal any more still has every lesson.
#[test]
fn without_the_journal_the_files_are_enough() {
    let Written { flow, .. } = written();
    let before = flow.bytes(LESSONS);
    std::fs::remove_file(flow.path(JOURNAL)).expect("it is there");
    assert_eq!(texts(&flow).len(), 3);
    flow.call(&["add", "preference", "Next wish"]).exits(0);
    assert!(flow.bytes(LESSONS).starts_with(&before));
    assert_eq!(flow.record("m-004")["description"], "Next wish");
}

/// What a killed process left of a file that was to be replaced is swept away.
#[test]
fn left_over_temporary_files_are_swept() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    for n in [1, 99_999_999] {
        flow.put(&format!("{LESSONS}.hardwon-{n}"), "half a fi");
    }
    flow.call(&["add", "preference", "Tabs, not spaces"]).exits(0);
    assert_eq!(flow.records(LESSONS).len(), 2);
    flow.has_no_litter();
}

/// Who puts the files back as they were before our last call wrote last: they are right.
#[test]
fn what_somebody_put_back_stays_back() {
    let Written { flow, lessons_before, .. } = written();
    flow.put(LESSONS, &lessons_before);
    assert!(!texts(&flow).contains(&"Short lines".to_owned()));
    flow.call(&["add", "preference", "Next wish"]).exits(0);
    assert!(!flow.text(LESSONS).contains("Short lines"));
    assert_eq!(flow.record("m-004")["description"], "Next wish", "no id is given twice");
}

/// A journal that makes no sense in the middle costs history, not lessons; it is put aside
/// by the next write, and what stands above the damage is still of use.
#[test]
fn a_journal_damaged_in_the_middle_costs_no_lesson() {
    let Written { flow, journal, .. } = written();
    let text = String::from_utf8(journal).expect("the journal is text");
    type Damage = fn(&str) -> String;
    let kinds: [(&str, Damage); 3] = [
        ("torn", |line| format!("{}\n", &line[..line.len() / 2])),
        ("merged", |line| format!("<<<<<<< ours\n{line}\n")),
        ("gone", |_| String::new()),
    ];
    for (kind, damage) in kinds {
        let lines = text.lines().zip(1..);
        let lines = lines.map(|(line, n)| if n == 4 { damage(line) } else { format!("{line}\n") });
        let damaged: String = lines.collect();
        let (lessons, archive) = (flow.bytes(LESSONS), flow.path(ARCHIVE));
        flow.put(JOURNAL, &damaged);
        let before = flow.everything();
        assert_eq!(texts(&flow).len(), flow.records(LESSONS).len(), "{kind}");
        let inject = flow.ours(&["inject"]).exits(0);
        assert!(inject.stdout.contains("Tabs, not spaces"), "{kind}: {inject}");
        assert!(inject.stderr.contains("hardwon.jsonl:"), "{kind}: {inject}");
        assert_eq!(flow.everything(), before, "{kind}: reading wrote");
        flow.call(&["add", "preference", "Next wish"]).exits(0);
        assert!(flow.text(LESSONS).contains("Next wish"), "{kind}");
        assert_eq!(flow.json(&["show", "m-001"])["lesson"]["pinned"], true, "{kind}");
        let aside =
            flow.everything().keys().filter(|p| p.to_string_lossy().contains("damaged")).count();
        assert_eq!(aside, 1, "{kind}: it was not kept");
        flow.put(LESSONS, lessons);
        let _ = std::fs::remove_file(archive);
        for path in flow.everything().keys().filter(|p| p.to_string_lossy().contains("damaged")) {
            std::fs::remove_file(flow.path(&path.to_string_lossy())).expect("it is there");
        }
    }
}

/// A journal whose text was edited by hand cannot put a placeholder into the file.
#[test]
fn a_text_that_was_edited_in_the_journal_is_taken_from_the_file() {
    let Written { flow, .. } = written();
    let journal = flow.text(JOURNAL).replace("Tabs, not spaces", "Tabs, NOT spaces");
    flow.put(JOURNAL, journal);
    let shown = flow.call(&["inject", "", ""]).exits(0);
    assert!(shown.stdout.contains("- Tabs, not spaces "), "{shown}");
    flow.call(&["decay"]).exits(0);
    assert_eq!(flow.record("m-002")["description"], "Tabs, not spaces");
}
