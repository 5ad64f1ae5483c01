//! A journal that ends anywhere: opening works, nothing that was acknowledged before is
//! lost, and the next write repairs it. The same in every layout.

use hardwon_engine::ids::RunId;
use hardwon_engine::{Access, InjectRequest, OpenMemory, blocks, lookup};
use serde_json::{Value, json};

use crate::openagents;
use crate::place::Place;

pub const FIRST: &str = "Retries need an upper bound";
pub const SECOND: &str = "Cookies carry the Secure attribute";

pub fn archeflow_record(id: &str, text: &str) -> String {
    format!("{}\n", json!({"id": id, "description": text, "frequency": 2}))
}

/// Each byte of the last line is where its writer may have died.
#[test]
fn a_journal_cut_at_every_byte_of_its_last_line() {
    let place = Place::archeflow(archeflow_record("m-001", FIRST));
    place.pin("m-001", true);
    let (n_before, lessons) = (place.bytes("hardwon").len(), place.bytes("lessons"));
    place.add(SECOND);
    let journal = place.cut_off();
    for cut in n_before..journal.len() {
        place.put("hardwon", &journal[..cut]);
        place.put("lessons", &lessons);
        let OpenMemory { memory, call } = place.open(Access::Read);
        assert!(lookup::lesson_named(&memory, &call, "m-001").unwrap().is_pinned, "cut at {cut}");
        // The last byte is the line end: without it the line is complete all the same.
        let n_here = if cut == journal.len() - 1 { 2 } else { 1 };
        assert_eq!(place.texts().len(), n_here, "cut at {cut}");
        assert_eq!(place.bytes("hardwon"), &journal[..cut], "a read repaired it");
        let added = place.add("Benchmarks state hardware and sample size");
        assert_eq!(added.aliases, [format!("m-00{}", n_here + 1)], "cut at {cut}");
        let after = place.texts();
        assert!(after.contains(&FIRST.to_owned()), "cut at {cut}: {after:?}");
        assert_eq!(after.len(), n_here + 1, "cut at {cut}: {after:?}");
        let repaired = place.text("hardwon");
        let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
        assert!(repaired.ends_with('\n') && repaired.lines().all(is_json), "{repaired}");
        place.add("Log lines never contain customer addresses");
        assert_eq!(place.texts().len(), after.len() + 1, "cut at {cut}");
    }
}

/// Died between the journal and the files, before or after the archive was written.
#[test]
fn files_that_were_not_written_any_more_are_brought_up_once() {
    let archeflow = archeflow_record("m-001", FIRST) + &archeflow_record("m-002", SECOND);
    let openagents = openagents::record("a", FIRST) + &openagents::record("b", SECOND);
    for is_archived in [false, true] {
        for (place, all, archive_name, [id, other]) in [
            (Place::archeflow(&archeflow), &archeflow, "archive", ["m-001", "m-002"]),
            (Place::openagents(&openagents), &openagents, "lessons-archive", ["a", "b"]),
        ] {
            place.forget(id);
            let (lessons, archive) = (place.bytes("lessons"), place.bytes(archive_name));
            for is_pinned in [true, false] {
                place.put("hardwon", place.cut_off());
                place.put("lessons", all);
                if !is_archived {
                    place.remove(archive_name);
                }
                place.pin(other, is_pinned);
                assert_eq!(place.bytes("lessons"), lessons, "{id}, archive written: {is_archived}");
                assert_eq!(place.bytes(archive_name), archive, "{id}, archive: {is_archived}");
            }
        }
    }
}

#[test]
fn a_showing_that_was_cut_off_is_counted_once() {
    let all = openagents::record("a", FIRST);
    let place = Place::openagents(&all);
    let request = InjectRequest { run: RunId::parse("r1").ok(), ..InjectRequest::default() };
    place.write(|memory, call| blocks::inject(memory, call, &request));
    let shown = place.text("lessons");
    assert!(shown.contains("\"usageCount\":1"), "{shown}");
    place.put("hardwon", place.cut_off());
    place.put("lessons", &all);
    for is_pinned in [true, false] {
        place.pin("a", is_pinned);
        assert_eq!(place.text("lessons"), shown);
    }
}
