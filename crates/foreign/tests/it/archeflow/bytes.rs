//! Untouched records keep their bytes, whatever they are.

use hardwon_engine::lesson::Lesson;
use hardwon_engine::{EditRequest, history, lessons};
use proptest::prelude::*;

use super::{Raw, file, lines};
use crate::place::Place;

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

/// A folder with this file, its lessons, and which of them is changed.
fn place_of(bytes: &[u8], which: usize) -> Option<(Place, Vec<Lesson>, Lesson)> {
    let place = Place::archeflow(bytes);
    let lessons = place.lessons();
    let lesson = lessons.get(which % lessons.len().max(1))?.clone();
    Some((place, lessons, lesson))
}

/// Lines that went and lines that came, with ends behind the last lines; none of the others
/// was added or removed.
fn changed_lines(before: &[u8], place: &Place) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (before, now) = (ended(before), ended(&place.bytes("lessons")));
    let owned = |lines: Vec<&[u8]>| lines.into_iter().map(<[u8]>::to_vec).collect();
    let gone = owned(missing(&lines(&before), &lines(&now)));
    (gone, owned(missing(&lines(&now), &lines(&before))))
}

fn edit(place: &Place, lesson: &Lesson, request: &EditRequest) {
    place.write(|memory, call| lessons::edit(memory, call, lesson.id.as_str(), request));
}

/// Records that only their type, or their number, tells apart.
#[test]
fn similar_records_are_told_apart() {
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
                let place = Place::archeflow(&bytes);
                place.add(NEW);
                let now = place.bytes("lessons");
                assert!(now.starts_with(bytes.as_bytes()), "{pair:?}: {:?}", Raw(now));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_makes_and_changes_nothing(bytes in file()) {
        let place = Place::archeflow(&*bytes);
        place.lessons();
        prop_assert_eq!(Raw(place.bytes("lessons")), bytes);
        let entries = std::fs::read_dir(place.file("lessons").parent().unwrap()).unwrap().count();
        prop_assert_eq!(entries, 1);
        prop_assert!(!place.folder.path().join("home").exists());
    }

    #[test]
    fn an_add_keeps_the_old_bytes_in_front(bytes in file()) {
        let place = Place::archeflow(&*bytes);
        let n_before = place.lessons().len();
        place.add(NEW);
        let now = place.bytes("lessons");
        prop_assert!(now.starts_with(&bytes), "{:?}", Raw(now));
        let new = &now[bytes.len()..];
        let new = new.strip_prefix(b"\n").unwrap_or(new);
        prop_assert_eq!(lines(new).len(), 1);
        prop_assert!(new.ends_with(b"\n"), "{:?}", new);
        // Read again, it is what was written: nothing is news.
        prop_assert_eq!(place.lessons().len(), n_before + 1);
        place.add("Benchmarks state hardware and sample size");
        prop_assert!(place.bytes("lessons").starts_with(&now));
    }

    #[test]
    fn a_pin_touches_at_most_the_lines_of_its_lesson(bytes in file(), which in 0usize..10) {
        let found = place_of(&bytes, which);
        prop_assume!(found.is_some());
        let (place, lessons, lesson) = found.unwrap();
        place.pin(lesson.id.as_str(), true);
        let (gone, come) = changed_lines(&bytes, &place);
        prop_assert!(gone.len() <= 1 && gone.len() == come.len());
        let after = place.lessons();
        prop_assert_eq!(after.len(), lessons.len());
        prop_assert!(after.iter().any(|l| l.id == lesson.id && l.is_pinned));
    }

    #[test]
    fn an_edit_changes_one_line_in_its_place(bytes in file(), which in 0usize..10) {
        let found = place_of(&bytes, which);
        prop_assume!(found.is_some());
        let (place, _, lesson) = found.unwrap();
        edit(&place, &lesson, &EditRequest { text: Some(NEW.into()), ..EditRequest::default() });
        let (gone, come) = changed_lines(&bytes, &place);
        prop_assert_eq!((gone.len(), come.len()), (1, 1));
        prop_assert!(String::from_utf8_lossy(&come[0]).contains(NEW));
        let at = |all: &[u8], line: &[u8]| lines(&ended(all)).iter().position(|known| *known == line);
        prop_assert_eq!(at(&place.bytes("lessons"), &come[0]), at(&bytes, &gone[0]));
    }

    #[test]
    fn a_forget_moves_one_line_as_it_is(bytes in file(), which in 0usize..10) {
        let found = place_of(&bytes, which);
        prop_assume!(found.is_some());
        let (place, lessons, lesson) = found.unwrap();
        place.forget(lesson.id.as_str());
        let (gone, come) = changed_lines(&bytes, &place);
        prop_assert_eq!((gone.len(), come.len()), (1, 0));
        prop_assert_eq!(place.bytes("archive"), gone.concat());
        prop_assert_eq!(place.lessons().len(), lessons.len());
        // And back again: no field is lost.
        place.write(|memory, call| lessons::restore(memory, call, lesson.id.as_str()));
        let back = ended(&place.bytes("lessons"));
        prop_assert_eq!(lines(&back).len(), lines(&ended(&bytes)).len());
        prop_assert_eq!(place.lessons().len(), lessons.len());
    }

    #[test]
    fn undo_of_an_add_gives_the_old_bytes(bytes in file()) {
        let bytes = ended(&bytes);
        let place = Place::archeflow(&bytes);
        place.add(NEW);
        place.write(|memory, call| history::undo(memory, call, None));
        prop_assert_eq!(Raw(place.bytes("lessons")), Raw(bytes));
        prop_assert!(place.bytes("archive").is_empty(), "it has never existed");
    }
}
