//! The block that is put into a prompt: one inert line a lesson, between marks by which
//! it is recognized, replaced and never learned from. Which lessons, in which form, is
//! decided by `core`; this file only words them and can take a block apart again.

mod note;
mod snapshot;

use hardwon_core::attempt::Attempt;
use hardwon_core::budget::estimate_tokens;
use hardwon_core::finding::Finding;
use hardwon_core::gate::{BLOCK_BEGIN, BLOCK_END, as_name, first_chars};
use hardwon_core::lesson::{Lesson, Origin};
use hardwon_core::prompt::{printed, printed_path, with_repair, withheld};
use hardwon_core::{jkz, vocabulary};

use crate::record::short_record;

pub use note::note_line;
pub use snapshot::snapshot_lines;

/// Of a finding that was fixed, so many characters are shown.
const MAX_FIX_CHARS: usize = 300;

const HARDWON_HEADING: &str = include_str!("../templates/heading-hardwon.txt");
const ARCHEFLOW_HEADING: &str = include_str!("../templates/heading-archeflow.txt");
const JKZ_END: &str = include_str!("../templates/end-jkz.txt");
const JKZ_HEADING: &str = include_str!("../templates/heading-jkz.txt");
const ARCHIVIST_HEADING: &str = include_str!("../templates/heading-archivist.txt");

/// A placeholder for the number of an Archivist's line: as long as the longest number.
const NUMBER: &str = "00. ";

/// A line keeps at least this much of its text, however short it has to be.
const MIN_TEXT_CHARS: usize = 24;

/// What the last line says if not all wishes fit. Its room is part of theirs.
pub const SOME_WISHES: &str = "not all wishes of the user fit here";

/// The elision line counts no further, so that its length is known beforehand.
const MAX_COUNTED: usize = 9999;

vocabulary! {
    /// Whose headings and line shapes a block has.
    #[derive(Default)]
    Style {
        /// Marks, heading, lines with their record, elision line.
        #[default]
        Hardwon = "hardwon",
        /// ArcheFlow's own: a heading and bullets.
        Archeflow = "archeflow",
        /// The Archivist's: a section with numbered lines.
        Archivist = "archivist",
        /// jkz's: historical patterns, each with a tag.
        Jkz = "jkz",
        /// Geas's memory packet: a JSON document, made by `packet` of the bare texts.
        Packet = "packet",
    }
}

/// What a block has besides its lessons. Empty parts are not printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub begin: &'static str,
    pub heading: String,
    /// The longest elision line there can be.
    pub elision: String,
    pub end: &'static str,
}

impl Frame {
    /// An upper bound of the characters that the frame takes, newlines included.
    pub fn n_chars(&self) -> u32 {
        self.text().chars().count() as u32
    }

    /// An upper bound of the tokens that the frame takes.
    pub fn n_tokens(&self) -> u32 {
        estimate_tokens(&self.text())
    }

    fn text(&self) -> String {
        let parts = [self.begin, &self.heading, &self.elision, self.end];
        joined(parts.into_iter())
    }
}

/// The frame of a style, so that its size is known before anything is rendered. Only jkz's
/// heading names the role that reads the block.
pub fn frame(style: Style, role: Option<&str>) -> Frame {
    let heading =
        |heading: &str| Frame { heading: heading.trim_end().to_owned(), ..Frame::default() };
    match style {
        Style::Hardwon => Frame {
            begin: BLOCK_BEGIN,
            elision: elision((MAX_COUNTED + 1).into()),
            end: BLOCK_END,
            ..heading(HARDWON_HEADING)
        },
        Style::Archeflow => heading(ARCHEFLOW_HEADING),
        Style::Archivist => heading(ARCHIVIST_HEADING),
        Style::Jkz => {
            let role = role.and_then(as_name).map(|role| format!(" ({role})"));
            let heading = heading(&JKZ_HEADING.replace("{role}", &role.unwrap_or_default()));
            Frame { end: JKZ_END.trim_end(), ..heading }
        }
        // The document around the texts is outside their budget.
        Style::Packet => Frame::default(),
    }
}

/// What a line says of a lesson's place in this block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told<'a> {
    pub score: f64,
    /// The role from which it is borrowed.
    pub via: Option<&'a str>,
    /// What it comes to in a few words, where that is its short form.
    pub summary: Option<&'a str>,
}

/// A lesson's line in full and in short: at most so many characters each, unless the
/// record alone is too long for the beginning of the text.
///
/// Always exactly one line that holds none of our marks. It starts with `- `, or with the
/// place of a number, and opens no heading, fence, quote or tag, except in a packet: there
/// it stands within a string.
pub fn lines(
    lesson: &Lesson,
    style: Style,
    told: &Told<'_>,
    full_chars: usize,
    short_chars: usize,
) -> (String, String) {
    let tail = tail(lesson, style, told);
    let line = |text: &str, repair: Option<&str>, max_chars: usize| {
        let text = printed(text);
        let (bullet, text) = match style {
            Style::Hardwon | Style::Archeflow => ("- ", unopened(&text)),
            Style::Jkz => ("- ", unopened(&without_jkz_marks(&text))),
            Style::Archivist => (NUMBER, unopened(&text)),
            Style::Packet => ("", text),
        };
        let left = max_chars.saturating_sub(bullet.len() + tail.chars().count());
        let text_chars = left.max(MIN_TEXT_CHARS);
        printed(&format!("{bullet}{}{tail}", with_repair(&text, repair, text_chars)))
    };
    let (text, repair) = (wording(lesson, style), repair(lesson, style));
    let full = line(&text, repair, full_chars);
    let short = match told.summary {
        Some(summary) => line(summary, None, short_chars.max(full_chars)),
        // What is short anyway is not worded twice.
        None if full.chars().count() <= short_chars => full.clone(),
        None => line(&text, repair, short_chars),
    };
    (full, short)
}

/// ArcheFlow's and jkz's lines hold a description and nothing else.
fn says_what_to_do(style: Style) -> bool {
    !matches!(style, Style::Archeflow | Style::Jkz)
}

/// What a line says to do about it.
fn repair(lesson: &Lesson, style: Style) -> Option<&str> {
    lesson.guidance.repair.as_deref().filter(|_| says_what_to_do(style))
}

/// What a line says about its lesson's past.
fn tail(lesson: &Lesson, style: Style, told: &Told<'_>) -> String {
    let via = told.via.and_then(as_name).map(|role| format!(", via:{role}")).unwrap_or_default();
    match style {
        Style::Hardwon => format!(" ({}{via})", short_record(lesson)),
        Style::Jkz => format!(" [{}{via}]", jkz_record(lesson, told.score)),
        // ArcheFlow's number falls with decay, so it is our standing.
        Style::Archeflow => {
            let source = match lesson.origin {
                Origin::User => "user_feedback",
                Origin::Reviewer | Origin::Agent | Origin::Import | Origin::Team => {
                    as_name(&lesson.author).unwrap_or("unknown")
                }
            };
            format!(" [seen {}x, {source}]", lesson.standing.max(1))
        }
        Style::Archivist | Style::Packet => String::new(),
    }
}

/// How a pattern fared: rulings against it go before what stands for it, and without either its
/// score says where it stands.
fn jkz_record(lesson: &Lesson, score: f64) -> String {
    let n_ignored = jkz::n_ignored(lesson);
    let net = i64::from(jkz::n_success(lesson)) - i64::from(n_ignored);
    match (n_ignored, lesson.effects.n_helped) {
        (0, 0) => format!("score:{score:.2}"),
        (0, n_validated) => format!("{n_validated}x validated"),
        (n_ignored, _) => format!("{net} net, {n_ignored}x ignored"),
    }
}

/// A text that looks like none of the lines around jkz's block.
fn without_jkz_marks(text: &str) -> String {
    let is_like_mark = text.to_ascii_uppercase().contains("HISTORICAL PATTERNS");
    let mut text = text.to_owned();
    // A longer row of signs holds the mark also when one is taken away.
    while is_like_mark && text.contains("===") {
        text = text.replace("===", "==");
    }
    text
}

/// What would have deserved its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elided {
    pub n_lessons: usize,
    /// Nobody's wish is left out in silence.
    pub has_wishes: bool,
}

impl From<usize> for Elided {
    fn from(n_lessons: usize) -> Self {
        Elided { n_lessons, has_wishes: false }
    }
}

/// The whole block. No lines, no block: zero bytes, whatever was left out. Of a packet
/// only its texts, one a line.
pub fn block(
    lines: &[String],
    left_out: impl Into<Elided>,
    style: Style,
    role: Option<&str>,
) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let frame = frame(style, role);
    let is_told = style == Style::Hardwon;
    let elision = if is_told { elision(left_out.into()) } else { String::new() };
    let head = [frame.begin, frame.heading.as_str()].into_iter();
    let lines = if style == Style::Archivist { numbered(lines) } else { lines.to_vec() };
    let body = lines.iter().map(String::as_str);
    joined(head.chain(body).chain([elision.as_str(), frame.end]))
}

/// Lines with their numbers in place.
fn numbered(lines: &[String]) -> Vec<String> {
    let number = |(index, line): (usize, &String)| {
        format!("{}. {}", index + 1, line.strip_prefix(NUMBER).unwrap_or(line))
    };
    lines.iter().enumerate().map(number).collect()
}

/// The lesson lines of the first block in a text, of any style that has lines. `None`
/// if there is no block, or it is not closed.
pub fn parse(text: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let position = |wanted: &str| lines.iter().position(|line| *line == wanted);
    let inside = match position(BLOCK_BEGIN) {
        Some(begin) => {
            let rest = &lines[begin + 1..];
            &rest[..rest.iter().position(|line| *line == BLOCK_END)?]
        }
        None => {
            let headings = [ARCHEFLOW_HEADING, ARCHIVIST_HEADING];
            let heading = headings.iter().find_map(|heading| position(heading.trim_end()));
            let heading = heading.or_else(|| lines.iter().position(|line| is_jkz_heading(line)));
            let rest = &lines[heading? + 1..];
            let is_over = |line: &&str| !is_lesson(line);
            &rest[..rest.iter().position(is_over).unwrap_or(rest.len())]
        }
    };
    let bullets = inside.iter().filter(|line| is_lesson(line));
    Some(bullets.map(|line| (*line).to_owned()).collect())
}

/// Whether a line begins a block of jkz's, for whatever role.
fn is_jkz_heading(line: &str) -> bool {
    let (before, after) = JKZ_HEADING.trim_end().split_once("{role}").unwrap_or_default();
    line.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))
}

/// Whether a line of a block is a lesson's: a bullet, or a number.
fn is_lesson(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || after_number.len() < line.len() && after_number.starts_with(". ")
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.filter(|part| !part.is_empty()).fold(String::new(), |text, part| text + part + "\n")
}

fn elision(Elided { n_lessons, has_wishes }: Elided) -> String {
    let wishes = has_wishes.then(|| SOME_WISHES.to_owned());
    let lessons = match n_lessons {
        0 => None,
        1 => Some("1 more lesson left out".to_owned()),
        n if n > MAX_COUNTED => Some(format!("{MAX_COUNTED}+ more lessons left out")),
        n => Some(format!("{n} more lessons left out")),
    };
    let parts: Vec<String> = wishes.into_iter().chain(lessons).collect();
    if parts.is_empty() { String::new() } else { format!("({})", parts.join("; ")) }
}

/// The tool and the rule that a lesson is about, unless its text names the rule.
fn rule(lesson: &Lesson, style: Style) -> Option<String> {
    let about = lesson.guidance.about.as_deref().filter(|_| style == Style::Hardwon)?;
    let (tool, rule) = about.rsplit_once(' ')?;
    let is_plain = as_name(tool).is_some() && printed_path(&rule.replace(':', "/")).is_some();
    let is_named = lesson.text.as_str().contains(rule);
    (is_plain && !is_named).then(|| format!("{about}: "))
}

fn wording(lesson: &Lesson, style: Style) -> String {
    rule(lesson, style).unwrap_or_default() + lesson.text.as_str()
}

/// A text that opens nothing in Markdown, even as the content of a list item.
fn unopened(text: &str) -> String {
    let opens = ["#", ">", "<", "|", "```", "~~~"].iter().any(|mark| text.starts_with(mark));
    if opens { format!("\\{text}") } else { text.to_owned() }
}

/// The lines of a block with a line for each finding that was fixed, in the words of its lesson:
/// whoever reported the finding may be believed less.
pub fn with_fixes(block: &str, fixes: &[(Finding, Lesson)]) -> String {
    let mut lines = parse(block).unwrap_or_default();
    let shown = fixes.iter().filter(|(_, lesson)| withheld(lesson).is_none());
    lines.extend(shown.map(|(fix, lesson)| fix_line(fix, lesson)));
    self::block(&lines, 0, Style::Hardwon, None)
}

/// `- was fixed in run r7: text (src/api.rs, guardian)`
fn fix_line(fix: &Finding, lesson: &Lesson) -> String {
    let path = fix.place.as_ref().and_then(|place| printed_path(&place.path));
    let at = path.map(|path| format!("{path}, ")).unwrap_or_default();
    let repair = lesson.guidance.repair.as_deref();
    let text = with_repair(lesson.text.as_str(), repair, MAX_FIX_CHARS);
    let author = as_name(&fix.author).unwrap_or("a reviewer");
    let run = as_name(fix.run.as_str()).map(|run| format!(" in run {run}")).unwrap_or_default();
    let line = format!("- was fixed{run}: {text} ({at}{author})");
    printed(&line)
}

#[cfg(test)]
mod property;
#[cfg(test)]
mod tests;

/// Of an attempt so many characters are shown, and of the reason why it failed.
const MAX_TRIED_CHARS: usize = 240;
const MAX_WHY_CHARS: usize = 160;

/// Whether a block of this style has a place for what was tried: other systems' forms have none.
pub fn tells_tried(style: Style) -> bool {
    matches!(style, Style::Hardwon | Style::Jkz)
}

/// What was tried at an issue and did not work: quotations, since nobody is to follow them.
pub fn tried_line(it: &Attempt) -> String {
    let why =
        it.why.as_deref().map_or(String::new(), |why| format!(": {}", quoted(why, MAX_WHY_CHARS)));
    let approach = quoted(it.approach.as_str(), MAX_TRIED_CHARS);
    printed(&format!("- Tried before on {}: {approach} failed{why}", it.issue))
}

/// So many characters of a text as a quotation of one line.
fn quoted(text: &str, n: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'");
    let cut = if line.chars().count() > n { "…" } else { "" };
    format!("\"{}{cut}\"", first_chars(&line, n))
}
