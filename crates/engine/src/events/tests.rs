use crate::{events, history, lessons};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};

use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::State;
use hardwon_core::reflect::Scenario;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{MessageKind, Named, Reflected};

use std::path::Path;

use super::*;
use hardwon_store::files;

use crate::history::listen::{Listener, Wanted};
use crate::memory::OpenMemory;
use crate::place::Environment;
use crate::stream::{FILE, MAX_BYTES, OLDER, Stream};

fn environment(folder: &Path) -> Environment {
    Environment { home: Some(folder.to_owned()), ..Environment::default() }
}

fn engine(folder: &Path, project: &str) -> OpenMemory {
    let mut engine = OpenMemory::throwaway(project, "2026-04-03T14:00:00Z").unwrap();
    engine.memory.events = Stream::of(&environment(folder));
    engine
}

fn listener(folder: &Path, wanted: Wanted) -> Listener {
    Listener::new(&environment(folder), wanted).unwrap()
}

fn complete(n_created: usize) -> MessageBody {
    MessageBody::ReflectionComplete { scenario: Scenario::SessionFailed, n_created, n_updated: 0 }
}

fn numbers(messages: &[Message]) -> Vec<usize> {
    let number = |message: &Message| match message.body {
        MessageBody::ReflectionComplete { n_created, .. } => n_created,
        _ => usize::MAX,
    };
    messages.iter().map(number).collect()
}

/// One of each sort.
fn all() -> Vec<MessageBody> {
    let lesson = LessonId::given("l-1");
    let (from, to) = (State::Candidate, State::Provisional);
    let scenario = Scenario::PatternDetected;
    let run = RunId::parse("r7").ok();
    vec![
        MessageBody::ReflectionStart { scenario, session: Some("s\u{1b}\"9".to_owned()), run },
        MessageBody::ReflectionStart { scenario, session: None, run: None },
        complete(3),
        MessageBody::LessonHighlight { lesson: lesson.clone(), importance: 0.8 },
        MessageBody::LessonsAdded { n: 2, scenario: Some(scenario), lessons: vec![lesson.clone()] },
        MessageBody::LessonsAdded { n: 0, scenario: None, lessons: Vec::new() },
        MessageBody::Promoted { lesson: lesson.clone(), from, to },
        MessageBody::Decayed { lesson, from: to, to: State::Decayed },
    ]
}

#[test]
fn what_is_told_is_heard_by_who_wants_it() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("not/there/yet");
    let mut every = listener(&home, Wanted::default());
    assert_eq!(every.next_messages(), [], "nothing is there yet");
    let open = engine(&home, "demo");
    tell_all(&open.memory, &open.call, all());
    let open = engine(&home, "other");
    tell_all(&open.memory, &open.call, vec![complete(1)]);
    let heard = every.next_messages();
    let said: Vec<MessageBody> = heard.iter().map(|message| message.body.clone()).collect();
    let mut expected = all();
    expected.push(complete(1));
    // What would move a cursor is taken out when it is read.
    expected[0] = match expected[0].clone() {
        MessageBody::ReflectionStart { scenario, run, .. } => {
            MessageBody::ReflectionStart { scenario, session: Some("s \"9".to_owned()), run }
        }
        other => other,
    };
    assert_eq!(said, expected);
    assert_eq!(every.next_messages(), [], "told twice");
    let project = Some(ProjectId::new("other"));
    let mut one = listener(&home, Wanted { project, ..Wanted::default() });
    assert_eq!(numbers(&one.next_messages()), [1]);
    // What was said about others in between is no gap.
    assert!(!one.has_gap_after(1) && !one.has_gap_after(0));
    let since = Timestamp::parse("2026-04-03T14:00:01Z");
    assert_eq!(listener(&home, Wanted { since, ..Wanted::default() }).next_messages(), []);
}

#[test]
fn nothing_is_opened_while_nothing_happens() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let open = engine(&home, "demo");
    tell_all(&open.memory, &open.call, Vec::new());
    let open = engine(&home, "demo");
    tell_changes(&open.memory, &open.call, &[], None);
    assert!(!home.exists());
}

#[test]
fn a_full_file_is_turned_over_and_a_listener_misses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path(), "demo");
    let mut listener = listener(folder.path(), Wanted::default());
    let mut heard = Vec::new();
    let n = 12_000;
    for number in 0..n {
        events::tell_all(&engine.memory, &engine.call, vec![complete(number)]);
        if number % 700 == 0 {
            heard.extend(numbers(&listener.next_messages()));
        }
    }
    heard.extend(numbers(&listener.next_messages()));
    assert_eq!(heard, (0..n).collect::<Vec<_>>());
    let last = events::tests::listener(folder.path(), Wanted::default()).next_messages();
    assert_eq!(last.last().and_then(|message| message.number), Some(n as u64), "numbered on");
    let length = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(length(FILE) <= MAX_BYTES + 1024 && length(OLDER) <= MAX_BYTES + 1024);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "another file is left");
    let rights = fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
    assert_eq!(rights & 0o777, 0o600);
}

#[test]
fn a_torn_line_spoils_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path(), "demo");
    let mut listener = listener(folder.path(), Wanted::default());
    events::tell_all(&engine.memory, &engine.call, vec![complete(1)]);
    assert_eq!(numbers(&listener.next_messages()), [1]);
    let mut file = files::open_to_add(&folder.path().join(FILE)).unwrap();
    file.write_all(b"{\"type\":\"promo\xff").unwrap();
    assert_eq!(listener.next_messages(), [], "half a line is waited for");
    events::tell_all(&engine.memory, &engine.call, vec![complete(2)]);
    assert_eq!(numbers(&listener.next_messages()), [2]);
}

#[test]
fn writers_at_once_lose_nothing_and_mix_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // As much as turns the file over once.
    let (n_writers, n_each) = (4, 1600);
    std::thread::scope(|scope| {
        for writer in 0..n_writers {
            let stream = Stream::of(&environment(folder.path())).unwrap();
            scope.spawn(move || {
                for n in 0..n_each {
                    let at = Timestamp(0);
                    let (project, body) = (ProjectId::new("demo"), complete(writer * n_each + n));
                    stream.append(vec![Message { number: None, at, project, body }]).unwrap();
                }
            });
        }
        let mut listener = listener(folder.path(), Wanted::default());
        let mut heard = Vec::new();
        let mut in_order = Vec::new();
        while heard.len() < n_writers * n_each {
            let messages = listener.next_messages();
            in_order.extend(messages.iter().filter_map(|message| message.number));
            heard.extend(numbers(&messages));
        }
        assert!(in_order.is_sorted_by(|left, right| left < right), "a number came twice");
        heard.sort_unstable();
        assert_eq!(heard, (0..n_writers * n_each).collect::<Vec<_>>());
    });
}

#[test]
fn nowhere_to_tell_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let open = engine(&file, "demo");
    tell_all(&open.memory, &open.call, vec![complete(1)]);
    symlink(&file, folder.path().join(FILE)).unwrap();
    let open = engine(folder.path(), "demo");
    tell_all(&open.memory, &open.call, vec![complete(1)]);
    assert!(fs::read(&file).unwrap().is_empty(), "a link was followed");
    assert_eq!(listener(folder.path(), Wanted::default()).next_messages(), []);
}

#[test]
fn an_erased_lesson_has_no_words() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path(), "demo");
    let lesson = LessonId::given("l-gone");
    let body = vec![MessageBody::LessonHighlight { lesson, importance: 0.5 }];
    events::tell_all(&engine.memory, &engine.call, body);
    let messages = listener(folder.path(), Wanted::default()).next_messages();
    assert_eq!(
        history::with_lessons(&engine.memory, messages).unwrap()[0].lessons[0].text,
        "[erased]"
    );
}

#[test]
fn a_reflection_is_told_with_the_lessons_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = engine(folder.path(), "demo");
    let text = "Retry loops need an upper bound".to_owned();
    let request = crate::AddRequest { text, ..crate::AddRequest::default() };
    let lesson = lessons::add(&mut engine.memory, &engine.call, &request).unwrap().body;
    let mut listener = listener(folder.path(), Wanted::default());
    let added = listener.next_messages();
    assert_eq!(added[0].body.kind(), MessageKind::LessonsAdded, "a person added one");
    let scenario = Scenario::SessionComplete;
    let mut reflected = Reflected::skipped(scenario, "nothing");
    let tell = |it: &Reflected| {
        let n_updated = it.updated.len();
        tell_complete(&engine.memory, &engine.call, it.scenario.0, &it.created, n_updated);
    };
    tell(&reflected);
    let told: Vec<MessageBody> = listener.next_messages().into_iter().map(|m| m.body).collect();
    let ended = MessageBody::ReflectionComplete { scenario, n_created: 0, n_updated: 0 };
    assert_eq!(told, [ended], "what begins also ends");
    reflected.skipped = None;
    reflected.created = vec![Named::new(lesson.id.clone(), "")];
    events::tell_start(&engine.memory, &engine.call, scenario, Some("s-9"), None);
    tell(&reflected);
    let said: Vec<MessageBody> = listener.next_messages().into_iter().map(|m| m.body).collect();
    let session = Some("s-9".to_owned());
    assert_eq!(
        said,
        [
            MessageBody::ReflectionStart { scenario, session, run: None },
            MessageBody::ReflectionComplete { scenario, n_created: 1, n_updated: 0 },
            MessageBody::LessonHighlight { lesson: lesson.id, importance: lesson.importance },
        ]
    );
}

/// What was done stands in the first run of the tree, and the last one ends it.
#[test]
fn a_tree_whose_last_run_has_no_steps_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = engine(folder.path(), "demo");
    let mut listener = listener(folder.path(), Wanted::default());
    let record = r#"{"type":"run","id":"r1","kind":"orchestrator","session":"s-1","outcome":"failed"}
{"type":"step","kind":"command","tool":"bash","action":"make test","ok":false,"output":"1 test failed"}
{"type":"run","id":"r2","parent":"r1","kind":"subagent","outcome":"failed"}
"#;
    let inputs = vec![crate::Input::text("x", record)];
    let request = crate::LearnRequest { inputs, ..crate::LearnRequest::default() };
    crate::runs::learn(&mut engine.memory, &engine.call, request).unwrap();
    let told: Vec<MessageKind> =
        listener.next_messages().iter().map(|message| message.body.kind()).collect();
    assert_eq!(told, [MessageKind::ReflectionStart, MessageKind::ReflectionComplete]);
}
