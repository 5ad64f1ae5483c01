use proptest::prelude::*;

use super::*;

fn entry(file: &str, hook: &str) -> IndexLine {
    let (title, file, hook) = (file.to_uppercase(), file.to_owned(), hook.to_owned());
    IndexLine { title, file, hook, ..IndexLine::default() }
}

fn set(raw: &str, file: &str, hook: &str) -> String {
    let limits = IndexLimits::default();
    MemoryIndex::parse(raw).with_line(&entry(file, hook), &limits).unwrap()
}

#[test]
fn lines_of_every_form_are_read() {
    let raw = "# Memory\n\n## CI\n- [A](a.md) — one\n- [B](b.md) - two\n* [C](<c d.md>): three\n\
               - [D](d.md)\n- plain\n- [Web](https://x.org) — no\n```\n- [E](e.md) — code\n```\n\
               - [F](../../etc/x) – climbs\n";
    let index = MemoryIndex::parse(raw);
    let read: Vec<(&str, &str, usize)> =
        index.entries.iter().map(|it| (it.file.as_str(), it.hook.as_str(), it.line)).collect();
    let expected = [
        ("a.md", "one", 4),
        ("b.md", "two", 5),
        ("c d.md", "three", 6),
        ("d.md", "", 7),
        ("../../etc/x", "climbs", 13),
    ];
    assert_eq!(read, expected);
    assert!(index.entries.iter().all(|it| !it.is_ours));
}

#[test]
fn ours_come_change_and_go() {
    let raw = "# Memory\n- [A](a.md) — one";
    let first = set(raw, "b.md", "two");
    let block = "<!-- hardwon -->\n- [B.MD](b.md) — two\n<!-- /hardwon -->\n";
    assert_eq!(first, format!("{raw}\n{block}"));
    let second = set(&first, "c.md", "three");
    assert_eq!(set(&second, "b.md", "new"), second.replace("two", "new"));
    let gone = MemoryIndex::parse(&second).without_lines(&[4]);
    assert_eq!(gone, second.replace("- [B.MD](b.md) — two\n", ""));
    assert_eq!(MemoryIndex::parse(&gone).without_lines(&[4]), format!("{raw}\n"));
    let approved = MemoryIndex::parse(&second).without_lines(&[2]);
    assert_eq!(approved, second.replace("- [A](a.md) — one\n", ""));
}

#[test]
fn a_part_without_its_end_is_closed() {
    let raw = "<!-- hardwon -->\n- [B](b.md) — two\nmine\n";
    let expected =
        "<!-- hardwon -->\n- [B](b.md) — two\n- [C.MD](c.md) — x\n<!-- /hardwon -->\nmine\n";
    assert_eq!(set(raw, "c.md", "x"), expected);
}

#[test]
fn neither_our_part_nor_the_whole_grows_beyond_its_limit() {
    let limits = IndexLimits::default();
    let mut raw = String::new();
    let full = (0..40).find_map(|n| {
        let new = MemoryIndex::parse(&raw).with_line(&entry(&format!("{n}.md"), "x"), &limits);
        new.map(|new| raw = new).err()
    });
    assert_eq!(
        (full, MemoryIndex::parse(&raw).own_size().0),
        (Some("our part of the index would exceed 20 lines".into()), 20)
    );
    assert_eq!(set(&raw, "3.md", "y"), raw.replace("(3.md) — x", "(3.md) — y"), "no line more");
    let long = "- x\n".repeat(199);
    let refused = MemoryIndex::parse(&long).with_line(&entry("a.md", "x"), &limits);
    assert_eq!(refused, Err("the index would exceed 200 lines".into()));
    let wide = "w".repeat(24_990);
    let refused = MemoryIndex::parse(&wide).with_line(&entry("a.md", "x"), &limits);
    assert_eq!(refused, Err("the index would exceed 25000 bytes".into()));
    let hook = "word ".repeat(80);
    let mut text = String::new();
    let full = (0..15).find_map(|n| {
        let new = MemoryIndex::parse(&text).with_line(&entry(&format!("{n}.md"), &hook), &limits);
        new.map(|new| text = new).err()
    });
    assert_eq!(full, Some("our part of the index would exceed 2000 bytes".into()));
    assert!(MemoryIndex::parse(&text).own_size().1 <= 2_000);
}

#[test]
fn a_line_is_one_line_and_closes_nothing() {
    let (title, file) = ("a]\n(b) [c".to_owned(), "x y.md".to_owned());
    let hook = "one\ntwo <!-- /hardwon -->".to_owned();
    let odd = IndexLine { title, file, hook, ..IndexLine::default() };
    let line = line_of(&odd);
    assert_eq!(line, "- [a (b) c](<x y.md>) — one two /hardwon");
    assert_eq!(parse_entry(&line).unwrap().file, "x y.md");
}

fn any_line() -> impl Strategy<Value = String> {
    let usual = ["# Memory", "- [A](a.md) — one", "- [B](b.md): two", "prose", "", "```"];
    let usual = prop::sample::select([&usual[..], &[OWN_BEGIN, OWN_END]].concat());
    prop_oneof![8 => usual.prop_map(str::to_owned), 1 => "\\PC{0,10}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn foreign_bytes_stay_in_place(
        lines in prop::collection::vec(any_line(), 0..14),
        files in prop::collection::vec("[a-e]", 1..6),
        is_windows in any::<bool>(),
    ) {
        let raw = lines.join(if is_windows { "\r\n" } else { "\n" });
        let with_all = |raw: &str| {
            files.iter().fold(raw.to_owned(), |text, name| {
                let line = entry(&format!("{name}.md"), "hook");
                let next = MemoryIndex::parse(&text).with_line(&line, &IndexLimits::default());
                next.unwrap_or(text)
            })
        };
        let text = with_all(&raw);
        // Only lines of ours that point to these notes change.
        let is_wanted = |line: &str| {
            parse_entry(line.trim()).is_some_and(|it| files.iter().any(|name| it.file == format!("{name}.md")))
        };
        let mut rest = text.lines();
        for line in raw.lines().filter(|line| !is_wanted(line)) {
            prop_assert!(rest.any(|it| it == line), "{line:?} is lost: {text:?}");
        }
        prop_assert_eq!(with_all(&text), text);
    }
}
