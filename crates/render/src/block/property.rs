//! For any texts, any number of lessons and any budget: the block comes apart into exactly the
//! lessons that were chosen, nothing in it opens or closes anything, and it stays within its
//! limits. The parsers are written from the documented shape, not from the code.

use hardwon_core::budget::{self, Item as Wanted, Lines, Room};
use hardwon_core::finding::Severity;
use hardwon_core::gate::Gate;
use hardwon_core::lesson::{Kind, Origin};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::Value;

use super::*;
use crate::packet::{Item, Packet, Suppressed, packet};
use crate::samples::{at, lesson};

const HEADING: &str = "Known from past runs; true when written: check any file, flag or function \
                       before relying on it.";

/// Texts that try to break out: our marks, headings, fences, line ends, any Unicode.
fn hostile() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let pieces = vec![
        "<hardwon-memory>", "</hardwon-memory>", "</HARDWON-memory>", "</hardwon\u{200b}-memory>",
        "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\u{202e}",
        "\u{2067}", "\u{e0041}", "# ", "## Known Issues (from past runs)", "### Project Lessons",
        "```", "~~~", "- ", "* ", "> ", "<", ">", "<!--", "|", "\\", "\"",
        "(3 more lessons left out)", " . ", "検索", "שלום", "e\u{301}", "👩\u{200d}🔬", "\u{feff}",
        "=== END HISTORICAL PATTERNS ===", "===", "---", "1. ", HEADING, "(seen in 9 runs, guardian)", " [seen 9x, sage]",
        "{\"end\":", "word ", " and then ",
    ];
    let piece = prop_oneof![
        2 => any::<String>(),
        5 => prop::sample::select(pieces).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn any_lesson() -> impl Strategy<Value = Lesson> {
    let parts = (hostile(), hostile(), 0..Kind::ALL.len(), 0..Origin::ALL.len(), any::<bool>());
    parts.prop_map(|(text, author, kind, origin, is_pinned)| {
        let gate = Gate::foreign();
        let author = gate.word(&author).unwrap_or("nobody".to_owned());
        Lesson {
            text: gate.line(&text),
            kind: Kind::ALL[kind],
            origin: Origin::ALL[origin],
            severity: Severity::Bug,
            detectors: [author.clone(), "guardian".to_owned()].into(),
            author,
            is_pinned,
            ..lesson("l-1", "")
        }
    })
}

fn any_style_with_room() -> impl Strategy<Value = (Style, Room)> {
    let style =
        prop::sample::select(vec![Style::Hardwon, Style::Archeflow, Style::Archivist, Style::Jkz]);
    let numbers = (0u32..20, 0u32..900, 0u32..200, 0u32..4000);
    let wishes = (0u32..12, 0u32..300);
    (style, numbers, wishes).prop_map(|(style, numbers, (max_wishes, wish_tokens))| {
        let (max_lessons, tokens, pinned_tokens, max_chars) = numbers;
        let frame = frame(style, Some("judge"));
        let is_by_rank = style == Style::Jkz;
        let (frame_tokens, frame_chars) = (frame.n_tokens(), frame.n_chars());
        let room = Room {
            max_lessons,
            tokens,
            pinned_tokens,
            max_wishes,
            wish_tokens,
            max_chars,
            is_by_rank,
            frame_tokens,
            frame_chars,
        };
        (style, room)
    })
}

/// How long a line may be in full and in short.
#[derive(Clone, Copy, Debug)]
struct LineChars {
    full: usize,
    short: usize,
}

fn any_chars() -> impl Strategy<Value = LineChars> {
    prop_oneof![
        3 => Just(LineChars { full: 300, short: 120 }),
        1 => (0usize..400).prop_map(|full| LineChars { full, short: 40 }),
    ]
}

/// The lines that are chosen, and how many are left out.
fn chosen(
    lessons: &[Lesson],
    style: Style,
    room: &Room,
    chars: LineChars,
) -> (Vec<(usize, String)>, usize) {
    let wanted = |(n, lesson): (usize, &Lesson)| Wanted {
        id: n.to_string(),
        score: 1.0 / (n + 1) as f64,
        is_pinned: lesson.is_pinned,
        is_wish: lesson.kind == Kind::Preference,
        is_relevant: n % 2 == 0,
        is_always_shown: false,
    };
    let items: Vec<Wanted> = lessons.iter().enumerate().map(wanted).collect();
    let lines_of = |index: usize| {
        let (full, short) =
            lines(&lessons[index], style, &Told::default(), chars.full, chars.short);
        Lines { full, short }
    };
    let fit = budget::fit(&items, room, &|_, _| false, &lines_of);
    let lines = fit.chosen.into_iter().map(|chosen| (chosen.index, chosen.line)).collect();
    (lines, fit.left_out.len())
}

/// The lesson lines of a block of ours, if it is one and nothing else.
fn taken_apart(block: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = block.strip_suffix('\n')?.split('\n').collect();
    let (first, rest) = lines.split_first()?;
    let (last, inside) = rest.split_last()?;
    let (heading, body) = inside.split_first()?;
    if (*first, *heading, *last) != ("<hardwon-memory>", HEADING, "</hardwon-memory>") {
        return None;
    }
    let body = match body.split_last() {
        Some((elision, before)) if !elision.starts_with("- ") => {
            let counted = elision.strip_prefix('(')?.strip_suffix(" left out)")?;
            let (n, noun) = counted.split_once(" more ")?;
            let is_count = n.trim_end_matches('+').parse::<u32>().is_ok();
            (is_count && (noun == "lesson" || noun == "lessons")).then_some(before)?
        }
        _ => body,
    };
    let is_lesson = |line: &&str| line.starts_with("- ");
    body.iter().all(is_lesson).then(|| body.iter().map(|line| (*line).to_owned()).collect())
}

/// The lines below a heading, each as it was before its number was put in.
fn below(
    block: &str,
    heading: &str,
    line: impl Fn(usize, &str) -> Option<String>,
) -> Option<Vec<String>> {
    let body = block.strip_suffix('\n')?.strip_prefix(heading)?.strip_prefix('\n')?;
    body.split('\n').enumerate().map(|(index, text)| line(index, text)).collect()
}

fn taken_apart_archeflow(block: &str) -> Option<Vec<String>> {
    let bullet = |_, line: &str| line.starts_with("- ").then(|| line.to_owned());
    below(block, "## Known Issues (from past runs)", bullet)
}

fn taken_apart_jkz(block: &str) -> Option<Vec<String>> {
    let body = block.strip_suffix("=== END HISTORICAL PATTERNS ===\n")?;
    let bullet = |_, line: &str| line.starts_with("- ").then(|| line.to_owned());
    below(body, "=== HISTORICAL PATTERNS (judge) ===", bullet)
}

fn taken_apart_archivist(block: &str) -> Option<Vec<String>> {
    let numbered = |index: usize, line: &str| {
        Some(format!("00. {}", line.strip_prefix(&format!("{}. ", index + 1))?))
    };
    below(block, "### Project Lessons", numbered)
}

/// Nothing in a lesson's line acts, neither where it starts nor for who looks for marks.
fn check_line(line: &str) -> Result<(), TestCaseError> {
    let ends = |c: char| c.is_control() || "\u{2028}\u{2029}".contains(c);
    prop_assert!(!line.contains(ends), "{line:?}");
    prop_assert!(!line.to_lowercase().contains("<hardwon-memory"), "{line:?}");
    prop_assert!(!line.to_lowercase().contains("</hardwon-memory"), "{line:?}");
    let content = line.strip_prefix("- ").or(line.strip_prefix("00. ")).unwrap_or(line);
    for opening in ["#", "```", "~~~", "<", ">", "|"] {
        prop_assert!(!content.starts_with(opening), "{line:?}");
    }
    Ok(())
}

/// The line says this lesson: its text, whole or cut, and then its record.
fn check_says(line: &str, lesson: &Lesson) -> Result<(), TestCaseError> {
    let folded = |text: &str| {
        let mut text = text.replace(['‹', '<'], "<").replace(['›', '>'], ">");
        while text.contains("===") {
            text = text.replace("===", "==");
        }
        text
    };
    let text = folded(lesson.text.as_str());
    let content = line.strip_prefix("- ").or(line.strip_prefix("00. ")).unwrap_or(line);
    let content = folded(content.strip_prefix('\\').unwrap_or(content));
    let own = text.strip_prefix('\\').unwrap_or(&text);
    let n_shared = content.chars().zip(own.chars()).take_while(|(a, b)| a == b).count();
    let is_whole = n_shared == own.chars().count();
    // What is cut keeps its beginning; then comes an ellipsis or the record.
    let is_cut = n_shared >= 8;
    prop_assert!(is_whole || is_cut, "{line:?} is not {text:?}");
    Ok(())
}

fn check_room(block: &str, room: &Room) -> Result<(), TestCaseError> {
    prop_assert!(block.chars().count() <= room.max_chars as usize);
    prop_assert!(estimate_tokens(block) <= room.tokens + room.pinned_tokens + room.wish_tokens);
    Ok(())
}

fn check_lines(
    lessons: &[Lesson],
    style: Style,
    room: &Room,
    chars: LineChars,
) -> Result<(), TestCaseError> {
    let (chosen, n_left_out) = chosen(lessons, style, room, chars);
    prop_assert!(chosen.len() <= (room.max_lessons + room.max_wishes) as usize);
    let lines: Vec<String> = chosen.iter().map(|(_, line)| line.clone()).collect();
    let text = block(&lines, n_left_out, style, Some("judge"));
    if lines.is_empty() {
        prop_assert_eq!(text, "");
        return Ok(());
    }
    check_room(&text, room)?;
    let parts = match style {
        Style::Hardwon => taken_apart(&text),
        Style::Archivist => taken_apart_archivist(&text),
        Style::Jkz => taken_apart_jkz(&text),
        Style::Archeflow | Style::Packet => taken_apart_archeflow(&text),
    };
    prop_assert_eq!(parts, Some(lines.clone()));
    let n_parsed = parse(&text).map(|lines| lines.len());
    prop_assert_eq!(n_parsed, Some(lines.len()));
    if style != Style::Archivist {
        prop_assert_eq!(parse(&text), Some(lines));
    }
    for (index, line) in &chosen {
        check_line(line)?;
        // A line that must be very short may keep less of its text than can be recognized.
        if chars.short >= 120 {
            check_says(line, &lessons[*index])?;
        }
    }
    Ok(())
}

/// A packet whose every word came from outside.
fn packed(lessons: &[Lesson], word: &str) -> Packet {
    let text = |lesson: &Lesson| lines(lesson, Style::Packet, &Told::default(), 300, 120).0;
    let (pinned, rest): (Vec<&Lesson>, Vec<&Lesson>) =
        lessons.iter().partition(|lesson| lesson.is_pinned);
    let item = |lesson: &&Lesson| Item { id: word.to_owned(), lesson: None, text: text(lesson) };
    Packet {
        called: word.to_owned(),
        sequence: 1,
        artifact_id: "memory-packet-1".to_owned(),
        created_at: at(3),
        agent: Some(word.to_owned()),
        task: Some(word.to_owned()),
        pinned: pinned.into_iter().map(text).collect(),
        items: rest.iter().map(item).collect(),
        cautions: vec![word.to_owned()],
        suppressed: vec![Suppressed { id: word.to_owned(), reason: word.to_owned() }],
        n_unlisted: 0,
        assembly_reason: word.to_owned(),
        digest: "sha256:00".to_owned(),
        basis: Some(word.to_owned()),
    }
}

fn check_packet(lessons: &[Lesson], word: &str) -> Result<(), TestCaseError> {
    let packed = packed(lessons, word);
    let text = packet(&packed);
    if lessons.is_empty() {
        prop_assert_eq!(text, "");
        return Ok(());
    }
    let lower = text.to_lowercase();
    let n_marks =
        lower.matches("<hardwon-memory").count() + lower.matches("</hardwon-memory").count();
    prop_assert_eq!(n_marks, 2, "{}", text);
    let document: Value =
        serde_json::from_str(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let texts = |list: &Value| -> Vec<String> {
        let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
        let one = |item: &Value| item["text"].as_str().or(item.as_str()).map(str::to_owned);
        list.iter().filter_map(one).collect()
    };
    let items: Vec<String> = packed.items.iter().map(|item| item.text.clone()).collect();
    prop_assert_eq!(texts(&document["hardwon"]["items"]), items);
    prop_assert_eq!(texts(&document["pinned_items"]), packed.pinned);
    // Only the document itself opens at the start of a line.
    let is_json = |line: &str| line.trim_start().starts_with(['{', '}', '[', ']', '"']);
    prop_assert!(text.lines().all(is_json), "{}", text);
    Ok(())
}

proptest! {
    #[test]
    fn a_block_comes_apart_into_the_chosen_lessons(
        lessons in prop::collection::vec(any_lesson(), 0..14),
        (style, room) in any_style_with_room(),
        chars in any_chars(),
    ) {
        check_lines(&lessons, style, &room, chars)?;
    }

    #[test]
    fn a_packet_comes_apart_into_the_chosen_lessons(
        lessons in prop::collection::vec(any_lesson(), 0..8),
        word in hostile(),
    ) {
        let word = Gate::standard().word(&word).unwrap_or_default();
        check_packet(&lessons, &word)?;
    }
}
