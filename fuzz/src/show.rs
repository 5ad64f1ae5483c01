//! The block: it parses back to exactly the lines it was made of, and no text opens
//! anything in it.

use hardwon_core::gate::{BLOCK_BEGIN, BLOCK_END, Gate};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Kind, Lesson};
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;
use hardwon_render::block::{self, Style};

const FULL_CHARS: usize = 300;
const SHORT_CHARS: usize = 80;

/// Texts, one a line, as lessons of a block.
pub fn block(bytes: &[u8]) {
    let raw = String::from_utf8_lossy(bytes);
    thread_local! {
        static GATE: Gate = Gate::foreign();
    }
    // `\x1e` parts texts, so that one may hold line ends.
    let texts = raw.split('\u{1e}').take(8);
    let texts: Vec<Text> = GATE.with(|gate| texts.map(|text| gate.line(text)).collect());
    for style in [Style::Hardwon, Style::Archeflow] {
        check(&texts, style);
    }
}

fn check(texts: &[Text], style: Style) {
    let kinds = [Kind::Pattern, Kind::AntiPattern];
    let mut lines = Vec::new();
    for (text, kind) in texts.iter().zip(kinds.into_iter().cycle()) {
        let id = LessonId::given("l-any0001");
        let lesson = Lesson::stub(id, None, kind, text.clone(), Timestamp(0));
        let (full, short) =
            block::lines(&lesson, style, &block::Told::default(), FULL_CHARS, SHORT_CHARS);
        assert!(full.chars().count() <= FULL_CHARS, "{full}");
        lines.extend([full, short]);
    }
    let rendered = block::block(&lines, 3, style, None);
    assert_eq!(block::parse(&rendered).unwrap_or_default(), lines, "{rendered}");
    for line in &lines {
        let content = line.strip_prefix("- ").expect("a bullet");
        let opens = ["#", ">", "<", "```", "~~~"].iter().any(|mark| content.starts_with(mark));
        assert!(!opens && !line.contains(['\n', '\r']), "{line}");
        assert!(!line.contains(BLOCK_BEGIN) && !line.contains(BLOCK_END), "{line}");
    }
}

/// Any text that is taken for one with a block in it.
pub fn block_parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in block::parse(&text).unwrap_or_default() {
        assert!(line.starts_with("- ") && text.contains(&line), "{line}");
    }
}
