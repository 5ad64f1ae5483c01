//! A journal that ends anywhere: opening works, nothing that was acknowledged before is
//! lost, and the next write mends it.

use hardwon_engine::{Access, lessons, lookup};

use super::Place;

const FIRST: &str = "Retries need an upper bound";

fn texts(place: &Place) -> Vec<String> {
    let mut texts: Vec<String> =
        place.lessons().iter().map(|lesson| lesson.text.as_str().to_owned()).collect();
    texts.sort();
    texts
}

/// The journal without the line that says that the files are written.
fn cut_off(place: &Place) -> Vec<u8> {
    let journal = place.bytes("hardwon");
    let end = journal.windows(8).rposition(|window| window == b"{\"done\":");
    journal[..end.expect("the last write was finished")].to_vec()
}

#[test]
fn a_journal_cut_at_every_byte_of_its_last_line() {
    let line =
        "{\"id\":\"m-001\",\"description\":\"Retries need an upper bound\",\"frequency\":2}\n";
    let place = Place::new(line.as_bytes());
    let mut open = place.writer();
    lessons::pin(&mut open.memory, &open.call, "m-001", true).unwrap();
    let (n_before, lessons) = (place.bytes("hardwon").len(), place.bytes("lessons"));
    place.add("Cookies carry the Secure attribute");
    let journal = cut_off(&place);
    for cut in n_before..journal.len() {
        place.put("hardwon", &journal[..cut]);
        place.put("lessons", &lessons);
        let engine = place.open(Access::Read);
        assert!(
            lookup::lesson_named(&engine.memory, &engine.call, "m-001").unwrap().is_pinned,
            "cut at {cut}"
        );
        drop(engine);
        // The last byte is the line end: without it the line is whole all the same.
        let is_whole = cut == journal.len() - 1;
        assert_eq!(texts(&place).len(), if is_whole { 2 } else { 1 }, "cut at {cut}");
        place.add("Benchmarks state hardware and sample size");
        let after = texts(&place);
        assert!(after.contains(&FIRST.to_owned()), "cut at {cut}: {after:?}");
        assert_eq!(after.len(), if is_whole { 3 } else { 2 }, "cut at {cut}: {after:?}");
        place.add("Log lines never contain customer addresses");
        assert_eq!(texts(&place).len(), after.len() + 1, "cut at {cut}");
    }
}

/// Died between the journal and the files, at any of them.
#[test]
fn files_that_were_not_written_any_more_are_brought_up_once() {
    let record = |id: &str, text: &str| {
        format!("{{\"id\":\"{id}\",\"description\":\"{text}\",\"frequency\":2}}\n")
    };
    let all = record("m-001", FIRST) + &record("m-002", "Cookies carry the Secure attribute");
    for is_archived in [false, true] {
        let place = Place::new(all.as_bytes());
        let mut open = place.writer();
        lessons::forget(&mut open.memory, &open.call, "m-001").unwrap();
        let (lessons, archive) = (place.bytes("lessons"), place.bytes("archive"));
        place.put("hardwon", &cut_off(&place));
        place.put("lessons", all.as_bytes());
        if !is_archived {
            std::fs::remove_file(place.file("archive")).unwrap();
        }
        let mut open = place.writer();
        lessons::pin(&mut open.memory, &open.call, "m-002", true).unwrap();
        assert_eq!(place.bytes("lessons"), lessons, "archive written: {is_archived}");
        assert_eq!(place.bytes("archive"), archive, "archive written: {is_archived}");
    }
}
