use super::*;

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_mode_is_kept_or_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    replace(&path, b"1", Mode::PRIVATE).unwrap();
    assert_eq!(mode_of(&path), 0o600);
    replace(&path, b"2", Mode::Kept(0o666)).unwrap();
    assert_eq!((mode_of(&path), fs::read(&path).unwrap()), (0o600, b"2".to_vec()));
    replace_unsynced(&path, b"3", Mode::Exact(0o646)).unwrap();
    assert_eq!((mode_of(&path), fs::read(&path).unwrap()), (0o646, b"3".to_vec()));
    assert_eq!(names(folder.path()), ["a"]);
}

#[test]
fn a_link_is_replaced_and_its_target_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    replace(&link, b"new", Mode::PRIVATE).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "old");
    assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn what_is_not_placed_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("a");
    assert!(replace(&path, b"1", Mode::PRIVATE).is_err(), "the folder is missing");
    let new = NewFile::write_with_folder(&path, b"1", Mode::PRIVATE).unwrap();
    assert_eq!(mode_of(path.parent().unwrap()), 0o700);
    assert!(is_unplaced(&names(path.parent().unwrap())[0]));
    drop(new);
    assert!(names(folder.path()).is_empty());
    // A folder cannot be replaced by a file.
    fs::create_dir_all(path.join("full")).unwrap();
    assert!(replace(&path, b"1", Mode::PRIVATE).is_err());
    assert_eq!(names(path.parent().unwrap()), ["a"]);
}

#[test]
fn only_what_was_left_of_this_file_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let left = ["a.hardwon-7", ".a.hardwon-7-0"];
    let others = ["a", ".b.hardwon-7-0", "a.hardwon", "b.a.hardwon-7"];
    left.iter().chain(&others).for_each(|name| fs::write(folder.path().join(name), "").unwrap());
    sweep(&folder.path().join("a"));
    let mut found = names(folder.path());
    found.sort();
    let mut expected = others.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert!(left.iter().all(|name| is_unplaced(name)));
    assert!(!["a", "a.hardwon-x", "a.hardwon-"].iter().any(|name| is_unplaced(name)));
}

#[test]
fn what_is_appended_stays_out_of_the_other_name_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("a"), folder.path().join("other"));
    let place = Place::below(folder.path(), &path);
    append(place.clone(), "1\n").unwrap();
    fs::hard_link(&path, &other).unwrap();
    append(place.clone(), "2\n").unwrap();
    append(place.clone(), "3\n").unwrap();
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    assert_eq!((read(&path).as_str(), read(&other).as_str()), ("1\n2\n3\n", "1\n"));
    assert!(set_mode(&Place::own(&other), 0o600).is_ok() && mode_of(&path) == 0o600);
    fs::hard_link(&path, folder.path().join("third")).unwrap();
    assert!(set_mode(&Place::own(&path), 0o644).is_err());
}

#[test]
fn only_the_first_takes_a_place_that_must_be_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let new = |text: &[u8]| NewFile::write(&path, text, Mode::PRIVATE).unwrap();
    let (first, second) = (new(b"1"), new(b"2"));
    first.place_first().unwrap();
    assert!(second.place_first().is_err());
    assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["a".into()], b"1".to_vec()));
}
