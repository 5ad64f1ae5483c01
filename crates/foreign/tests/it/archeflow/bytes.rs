//! What nobody touched keeps its bytes, whatever they are.

use hardwon_engine::{Access, EditRequest, Stated, history, lessons};
use proptest::prelude::*;

use super::{Place, Raw, file, lines};

const NEW: &str = "Error messages name the file and the next step";

/// Lines of the one that are not in the other, each as often as it is missing.
fn missing<'a>(from: &[&'a [u8]], other: &[&[u8]]) -> Vec<&'a [u8]> {
    let mut other: Vec<&[u8]> = other.to_vec();
    let mut gone = Vec::new();
    for line in from {
        match other.iter().position(|known| known == line) {
            Some(at) => drop(other.remove(at)),
            None => gone.push(*line),
        }
    }
    gone
}

/// The bytes with a line end behind the last line.
fn ended(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes
}

/// Records that only their type, or their number, tells apart.
#[test]
fn twins_are_not_taken_for_each_other() {
    let texts = ["Retries need an upper bound", "Cookies carry the Secure attribute"];
    let twins = [
        ["\"type\":\"archetype_hint\"", "\"type\":\"pattern\""],
        ["\"type\":\"preference\"", "\"type\":\"anti_pattern\""],
        ["\"frequency\":2", "\"frequency\":7"],
        ["\"frequency\":7,\"mood\":\"calm\"", "\"frequency\":7,\"type\":\"anti_pattern\""],
    ];
    for text in texts {
        for [a, b] in twins {
            for pair in [[a, b], [b, a]] {
                let line = |more: &str| {
                    format!("{{\"id\":\"m-001\",\"description\":\"{text}\",{more}}}\n")
                };
                let bytes = pair.map(line).concat();
                let place = Place::new(bytes.as_bytes());
                place.add(NEW);
                let now = place.bytes("lessons");
                assert!(now.starts_with(bytes.as_bytes()), "{pair:?}: {:?}", Raw(now));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_makes_and_changes_nothing(bytes in file()) {
        let place = Place::new(&bytes);
        place.lessons();
        prop_assert_eq!(Raw(place.bytes("lessons")), bytes);
        let entries = std::fs::read_dir(place.path("memory")).unwrap().count();
        prop_assert_eq!(entries, 1);
        prop_assert!(!place.folder.path().join("home").exists());
    }

    #[test]
    fn an_add_keeps_the_old_bytes_in_front(bytes in file()) {
        let place = Place::new(&bytes);
        let n_before = place.lessons().len();
        place.add(NEW);
        let now = place.bytes("lessons");
        prop_assert!(now.starts_with(&bytes), "{:?}", Raw(now));
        let new = &now[bytes.len()..];
        let new = new.strip_prefix(b"\n").unwrap_or(new);
        prop_assert_eq!(lines(new).len(), 1);
        prop_assert!(new.ends_with(b"\n"), "{:?}", new);
        prop_assert_eq!(place.lessons().len(), n_before + 1);
        // Read again, it is what was written: nothing is news.
        let engine = place.open(Access::Write);
        prop_assert_eq!(engine.memory.store().check().unwrap(), []);
        drop(engine);
        place.add("Benchmarks state hardware and sample size");
        prop_assert!(place.bytes("lessons").starts_with(&now));
    }

    #[test]
    fn a_pin_touches_at_most_the_lines_of_its_lesson(bytes in file(), which in 0usize..10) {
        let place = Place::new(&bytes);
        let lessons = place.lessons();
        prop_assume!(!lessons.is_empty());
        let lesson = &lessons[which % lessons.len()];
        let mut open = place.writer();
        lessons::pin(&mut open.memory, &open.call, lesson.id.as_str(), true).unwrap();
        let (before, now) = (ended(&bytes), ended(&place.bytes("lessons")));
        prop_assert_eq!(lines(&now).len(), lines(&before).len());
        prop_assert!(missing(&lines(&before), &lines(&now)).len() <= 1);
        let after = place.lessons();
        prop_assert_eq!(after.len(), lessons.len());
        prop_assert!(after.iter().any(|l| l.id == lesson.id && l.is_pinned));
    }

    #[test]
    fn an_edit_changes_one_line(bytes in file(), which in 0usize..10) {
        let place = Place::new(&bytes);
        let lessons = place.lessons();
        prop_assume!(!lessons.is_empty());
        let lesson = &lessons[which % lessons.len()];
        let request = EditRequest { text: Some(NEW.into()), ..EditRequest::default() };
        let mut open = place.writer();
        lessons::edit(&mut open.memory, &open.call, lesson.id.as_str(), &request).unwrap();
        let (before, now) = (ended(&bytes), ended(&place.bytes("lessons")));
        prop_assert_eq!(lines(&now).len(), lines(&before).len());
        prop_assert_eq!(missing(&lines(&before), &lines(&now)).len(), 1, "{:?}", Raw(now));
        let new = missing(&lines(&now), &lines(&before)).concat();
        prop_assert!(String::from_utf8_lossy(&new).contains(NEW));
        let at = |all: &[&[u8]], line: &[u8]| all.iter().position(|known| *known == line);
        let old = missing(&lines(&before), &lines(&now)).concat();
        prop_assert_eq!(at(&lines(&now), &new), at(&lines(&before), &old));
    }

    #[test]
    fn a_forget_moves_one_line_as_it_is(bytes in file(), which in 0usize..10) {
        let place = Place::new(&bytes);
        let lessons = place.lessons();
        prop_assume!(!lessons.is_empty());
        let lesson = &lessons[which % lessons.len()];
        let mut open = place.writer();
        lessons::forget(&mut open.memory, &open.call, lesson.id.as_str()).unwrap();
        let (before, now) = (ended(&bytes), ended(&place.bytes("lessons")));
        let gone = missing(&lines(&before), &lines(&now));
        prop_assert_eq!(gone.len(), 1);
        prop_assert!(missing(&lines(&now), &lines(&before)).is_empty());
        prop_assert_eq!(place.bytes("archive"), gone.concat());
        prop_assert_eq!(place.lessons().len(), lessons.len());
        // And back again: no field is lost.
        let mut open = place.writer();
        lessons::restore(&mut open.memory, &open.call, lesson.id.as_str()).unwrap();
        let back = place.bytes("lessons");
        prop_assert_eq!(lines(&ended(&back)).len(), lines(&before).len());
        prop_assert_eq!(place.lessons().len(), lessons.len());
    }

    #[test]
    fn undo_of_an_add_gives_the_old_bytes(bytes in file()) {
        let bytes = ended(&bytes);
        let place = Place::new(&bytes);
        place.add(NEW);
        let mut open = place.writer();
        history::undo(&mut open.memory, &open.call, None).unwrap();
        prop_assert_eq!(Raw(place.bytes("lessons")), Raw(bytes));
    }

    #[test]
    fn a_tag_goes_to_one_line(bytes in file(), which in 0usize..10) {
        let place = Place::new(&bytes);
        let lessons = place.lessons();
        prop_assume!(!lessons.is_empty());
        let lesson = &lessons[which % lessons.len()];
        let stated = Stated { tags: vec!["harbour".into()], ..Stated::default() };
        let request = EditRequest { stated, ..EditRequest::default() };
        let mut open = place.writer();
        lessons::edit(&mut open.memory, &open.call, lesson.id.as_str(), &request).unwrap();
        let (before, now) = (ended(&bytes), ended(&place.bytes("lessons")));
        prop_assert_eq!(missing(&lines(&before), &lines(&now)).len(), 1, "{:?}", Raw(now));
        let tagged = place.lessons().into_iter().filter(|l| l.tags.iter().any(|t| t == "harbour"));
        prop_assert_eq!(tagged.map(|l| l.id).collect::<Vec<_>>(), vec![lesson.id.clone()]);
    }
}
