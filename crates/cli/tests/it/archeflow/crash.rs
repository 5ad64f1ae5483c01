//! A process that died between the journal and the files: the next command brings the files
//! up. Journals that end or are damaged anywhere are tested in the library.

use super::{ARCHIVE, Flow, JOURNAL, LESSONS, OTHER, W, finding, lesson};

#[test]
fn a_journal_that_is_ahead_of_the_files_is_right() {
    let calls: &[&[&str]] = &[
        &["extract", ".archeflow/events/r1.jsonl"],
        &["forget", "m-001"],
        &["decay"],
        &["add", "preference", "Short lines"],
    ];
    for args in calls {
        let flow = Flow::of(&[lesson("m-001", W), lesson("m-002", OTHER)]);
        flow.log("r1", &[finding("bug", W)]);
        flow.add("Tabs, not spaces");
        let before = flow.bytes(LESSONS);
        flow.call(args).exits(0);
        let (after, archive) = (flow.records(LESSONS), flow.records(ARCHIVE));
        // Died before it came to the lessons; the archive comes before them.
        for has_archive in [true, false] {
            flow.put(LESSONS, &before);
            if !has_archive {
                let _ = std::fs::remove_file(flow.path(ARCHIVE));
            }
            let journal = flow.text(JOURNAL);
            let end = journal.rfind("{\"done\":").expect("the last write was finished");
            flow.put(JOURNAL, &journal[..end]);
            flow.ours(&["pin", "m-003"]).exits(0);
            assert_eq!(flow.records(LESSONS), after, "{args:?}, archive written: {has_archive}");
            assert_eq!(flow.records(ARCHIVE), archive, "{args:?}, archive: {has_archive}");
            flow.put(JOURNAL, journal);
        }
        flow.has_no_litter();
    }
}
