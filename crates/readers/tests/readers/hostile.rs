//! Inputs that nobody should send: whatever can be used is used, the rest is named.

use std::io::{self, Read};

use hardwon_core::event::Event;
use hardwon_readers::{Format, Limits, ReadError, read, read_within};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{problems, record, texts};

const GOOD: &str = "{\"type\":\"finding\",\"text\":\"good\"}\n";

/// A bad line between two good ones costs itself and gives this problem.
fn check(name: &str, bad: &[u8], reason: &str) {
    let input = [GOOD.as_bytes(), bad, b"\n", GOOD.as_bytes()].concat();
    let record = record(input);
    assert_eq!(texts(&record), ["good", "good"], "{name}");
    assert_eq!(problems(&record), [format!("x:2: {reason}")], "{name}");
}

#[test]
fn a_bad_line_costs_only_itself() {
    check("torn", b"{\"type\":\"fin", "the JSON ends too early, at byte 12 of the line");
    check("words", b"oops", "not a JSON object");
    check("a list", b"[1,2]", "not a JSON object");
    check("NaN", b"{\"type\":\"finding\",\"line\":NaN}", "not valid JSON at byte 26 of the line");
    check("huge", b"{\"line\":1e999}", "not valid JSON at byte 13 of the line");
    check("not UTF-8", b"{\"type\":\"\xFF\"}", "not valid UTF-8 at byte 10 of the line");
    check("no type", b"{\"text\":\"x\"}", "no field \"type\": the line is skipped");
    check("odd type", b"{\"type\":7}", "field \"type\" is not a string");
    check("no text", b"{\"type\":\"finding\"}", "a finding without \"text\"");
    check("blank text", b"{\"type\":\"finding\",\"text\":\" \"}", "a finding without \"text\"");
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    check("deep", deep.as_bytes(), "JSON nested deeper than 64");
    let long = vec![b'x'; (1 << 20) + 1];
    check("long", &long, "the line is longer than 1 MiB");
    let lone = br#"{"type":"finding","text":"\ud800"}"#;
    check("lone surrogate", lone, "not valid JSON at byte 33 of the line");
}

#[test]
fn findings_without_text_are_counted() {
    let record = record("{\"type\":\"finding\"}\n{\"type\":\"finding\",\"text\":7}\n");
    assert_eq!(record.n_put_aside, 2);
}

#[test]
fn harmless_oddities_are_no_problem() {
    let cases: [(&str, Vec<u8>); 5] = [
        ("byte order mark", [b"\xEF\xBB\xBF", GOOD.as_bytes()].concat()),
        ("carriage returns", GOOD.replace('\n', "\r\n").into()),
        ("no last line end", GOOD.trim_end().into()),
        ("blank lines", format!("\n \n{GOOD}\n").into()),
        ("unknown first", format!("{{\"type\":\"mood\"}}\n{GOOD}").into()),
    ];
    for (name, input) in cases {
        let record = record(input);
        assert_eq!((texts(&record).len(), record.problems.len()), (1, 0), "{name}");
    }
}

#[test]
fn of_duplicate_keys_the_last_wins_with_a_problem() {
    let record = record(r#"{"type":"finding","text":"first","text":"last"}"#);
    assert_eq!(texts(&record), ["last"]);
    assert_eq!(problems(&record), ["x:1: a key stands twice in an object; the last one is used"]);
}

#[test]
fn the_last_line_may_be_torn() {
    let record = record(format!("{GOOD}{{\"type\":\"finding\",\"te"));
    assert_eq!(texts(&record), ["good"]);
    assert_eq!(problems(&record), ["x:2: the last line is torn: it has no end"]);
}

#[test]
fn a_strange_run_id_is_passed_on_for_core_to_judge() {
    for (id, passed_on) in [("\"../x\"", "../x"), ("77", "77"), ("\"\"", ""), ("{}", "")] {
        let record = record(format!("{{\"type\":\"run\",\"id\":{id}}}"));
        let Event::Run(run) = &record.events[0].event else { panic!("{id}") };
        assert_eq!(run.id.as_deref(), Some(passed_on), "{id}");
    }
}

#[test]
fn inputs_of_no_use_say_so_in_a_sentence() {
    let error = |input: &[u8]| read("x", input, None).unwrap_err().to_string();
    let utf_16: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(error(b"").starts_with("x is empty."));
    assert!(error(b"\xEF\xBB\xBF \n\n").starts_with("x is empty."));
    assert_eq!(error(b"\x1F\x8B\x08\0\0"), "x is not text but gzip: unpack it first (gunzip).");
    assert!(error(b"abc\0").starts_with("x is not text: it has a NUL byte at byte 4."));
    assert!(error(&utf_16).starts_with("x is not text"));
    let unknown = "x is in none of the formats that are read";
    for document in [&b"[{\"type\":\"run\"}]"[..], b"{\n  \"runs\": []\n}\n", b"{\"runs\":[]}"] {
        assert!(error(document).starts_with(unknown), "{}", error(document));
    }
    let first = " (first problem: x:1: not a JSON object). If";
    assert!(error(b"hello\nworld\n").starts_with(&format!("{unknown}{first}")));
    for input in [&b"[1]"[..], b"hello", b"{}"] {
        let error = error(input);
        assert!(error.contains("--format") || error.contains("It looks like"), "{error}");
    }
}

#[test]
fn utf_16_is_read_as_the_text_that_it_is() {
    let text = format!("\u{feff}{}", GOOD.replace("good", "größe, 漢字, 🦀").repeat(1000));
    let low: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let high: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [low, high] {
        let record = record(bytes);
        assert_eq!((texts(&record).len(), record.problems.len()), (1000, 0));
        assert!(texts(&record).iter().all(|text| *text == "größe, 漢字, 🦀"));
    }
    let torn = [&b"\xFF\xFE"[..], &[b' ', 0, 0, 0xD8], b"\n\0{\0\"\0t"].concat();
    assert!(read("x", &torn[..], None).is_err());
}

#[test]
fn a_mark_of_utf_16_before_plain_lines_is_a_broken_line() {
    let record = record([b"\xFF\xFE\n", GOOD.as_bytes()].concat());
    assert_eq!(texts(&record), ["good"]);
    assert_eq!(problems(&record), ["x:1: not valid UTF-8 at byte 1 of the line"]);
}

#[test]
fn nul_bytes_in_a_good_log_cost_only_their_line() {
    let record = record([GOOD.as_bytes(), &[0; 512], b"\n", GOOD.as_bytes()].concat());
    assert_eq!((texts(&record).len(), record.problems.len()), (2, 1));
    let forced = read("x", &b"\0\0\0\0"[..], Some(Format::Run));
    assert!(matches!(forced, Err(ReadError::Binary { byte: 1, .. })));
}

#[test]
fn an_endless_input_of_no_format_is_given_up() {
    let error = read("x", endless(b"{\"a\":1}\n"), None).unwrap_err();
    assert!(matches!(error, ReadError::Unknown { .. }));
}

#[test]
fn a_large_input_is_cut_and_kept() {
    let limits = Limits { input_bytes: 10_000, ..Limits::default() };
    let record = read_within(limits, "-", endless(GOOD.as_bytes()), None).unwrap();
    assert!(record.is_cut);
    assert_eq!(texts(&record).len(), 10_000 / GOOD.len());
    let told = problems(&record);
    assert_eq!(told, ["-: the input is larger than 10000 bytes; the rest was not read"]);
}

#[test]
fn many_events_are_cut_and_kept() {
    let limits = Limits { n_events: 7, ..Limits::default() };
    let exact = read_within(limits, "-", GOOD.repeat(7).as_bytes(), None).unwrap();
    assert_eq!((texts(&exact).len(), exact.is_cut), (7, false));
    let record = read_within(limits, "-", endless(GOOD.as_bytes()), None).unwrap();
    assert_eq!((texts(&record).len(), record.is_cut), (7, true));
    assert_eq!(problems(&record), ["-: the input is larger than 7 events; the rest was not read"]);
}

#[test]
fn problems_are_counted_when_there_are_too_many() {
    let record = record(format!("{GOOD}{}", "oops\n".repeat(5000)));
    assert_eq!(record.problems.len(), 1001);
    let last = record.problems.last().unwrap();
    assert_eq!(last.reason, "4000 more problems were found and are not listed");
}

#[test]
fn problems_never_repeat_the_input() {
    let secret = "hunter2hunter2";
    let lines = [
        format!("{{\"type\":\"finding\",\"{secret}\":1,\"{secret}\":2}}"),
        format!("{{\"type\":\"run\",\"id\":[\"{secret}\"],\"outcome\":\"{secret}\"}}"),
        format!("{{\"type\":\"effect\",\"lesson\":\"l\",\"effect\":\"{secret}\"}}"),
        format!("{{\"type\":\"finding\",\"text\":{secret}}}"),
        secret.to_owned(),
    ];
    for line in lines {
        let record = record(format!("{GOOD}{line}\n"));
        assert!(!record.problems.is_empty(), "{line}");
        assert!(!problems(&record).concat().contains(secret), "{line}");
    }
}

#[test]
fn a_failing_input_is_an_error_with_its_cause() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk gone"))
        }
    }
    let error = read("x", GOOD.as_bytes().chain(Broken), None).unwrap_err();
    assert!(error.to_string().starts_with("x could not be read: disk gone."));
}

/// The same bytes again and again, without an end.
fn endless(bytes: &'static [u8]) -> Endless {
    Endless { bytes, at: 0 }
}

struct Endless {
    bytes: &'static [u8],
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = (&self.bytes[self.at..]).read(into)?;
        self.at = (self.at + n) % self.bytes.len();
        Ok(n)
    }
}

/// Pieces of records, and bytes that mean nothing, with blanks between them.
const PIECES: &[u8] = b"{\"type\":\"run\",\"id\": {\"type\":\"finding\",\"text\": \
    {\"run_id\":\"a\",\"type\":\"review.verdict\",\"data\": {\"archetype\":\"g\",\"findings\":[ \
    {\"description\":\"d\",\"location\":\"a:1\"} {\"type\":\"run.complete\",\"run_id\":\"b\",\"seq\":1} \
    \"x\" } ] [ { , : \n \r\n null -1 1e5 \\u \"\\ud83d\" \xEF\xBB\xBF \xFF \0 \"line\": \"a:1:2:3\"";

fn pieces() -> Vec<&'static [u8]> {
    PIECES.split(|byte| *byte == b' ').collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(pieces in vec(select(pieces()), 0..40), other in any::<u8>()) {
        let input = [pieces.concat(), vec![other], pieces.concat()].concat();
        for format in [None, Some(Format::Run), Some(Format::Archeflow), Some(Format::Geas)] {
            let _ = read("x", &input[..], format);
        }
    }
}
