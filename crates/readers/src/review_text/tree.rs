//! Which parts does a message in Markdown consist of? Headings, paragraphs with their lines, lists,
//! tables, code and quotations. Inside a line only what says something stays: what is bold, code,
//! and where a link leads to.

use hardwon_core::list;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{place, wrapped};

/// Quotations and lists inside each other: what is deeper belongs to what stands around it.
const MAX_DEPTH: usize = 24;

/// A line that its author ended, and not the width of a page.
const HARD: &str = "\u{b}\n";

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Heading { level: usize, text: String },
    Text(Vec<String>),
    List(Vec<Item>),
    Table { titles: Vec<String>, rows: Vec<Vec<String>> },
    Code(String),
    Quote(Vec<Block>),
    Rule,
}

/// One item of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// It has a box.
    pub is_box: bool,
    /// It has a box with a mark in it.
    pub is_ticked: bool,
    /// Its list is counted.
    pub is_ordered: bool,
    pub blocks: Vec<Block>,
}

impl Block {
    /// The lines of a paragraph.
    pub fn lines(&self) -> &[String] {
        match self {
            Block::Text(lines) => lines,
            _ => &[],
        }
    }

    /// The items of a list.
    pub fn items(&self) -> Option<&Vec<Item>> {
        match self {
            Block::List(items) => Some(items),
            _ => None,
        }
    }
}

impl Item {
    /// The line that it begins with.
    pub fn first_line(&self) -> Option<&str> {
        match self.blocks.first() {
            Some(Block::Text(lines)) => lines.first().map(String::as_str),
            _ => None,
        }
    }
}

/// The parts of a message, in order.
pub fn blocks(message: &str) -> Vec<Block> {
    // Dashes are written with several signs.
    let message = message.replace(['\u{2012}', '\u{2015}', '\u{2212}'], "—");
    let message = without_html(without_front_matter(&message));
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut building = Building::default();
    for event in Parser::new_ext(&message, options) {
        building.take(event);
    }
    building.finish()
}

/// Something that holds blocks and is not closed yet.
enum Open {
    Quote(Vec<Block>),
    List(bool, Vec<Item>),
    Item(Item),
    /// Too deep, or of no meaning.
    Ignored,
}

#[derive(Default)]
struct Building {
    done: Vec<Block>,
    open: Vec<Open>,
    line: String,
    /// Where the text of each open link begins, and where it leads to.
    links: Vec<(usize, String)>,
    level: usize,
    code: Option<String>,
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
    cells: Vec<String>,
}

impl Building {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.line.push_str(&text),
            },
            Event::Code(code) => {
                self.line.push('`');
                self.line.push_str(&code);
                self.line.push('`');
            }
            Event::SoftBreak => self.line.push('\n'),
            Event::HardBreak => self.line.push_str(HARD),
            Event::Rule => {
                self.flush();
                self.add(Block::Rule);
            }
            Event::TaskListMarker(is_ticked) => {
                if let Some(Open::Item(item)) = self.open.last_mut() {
                    (item.is_box, item.is_ticked) = (true, is_ticked);
                }
            }
            Event::Html(_) | Event::InlineHtml(_) => self.line.push(' '),
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let container = match &tag {
            Tag::BlockQuote(_) => Some(Open::Quote(Vec::new())),
            Tag::List(first) => Some(Open::List(first.is_some(), Vec::new())),
            Tag::Item => {
                let is_ordered = matches!(self.open.last(), Some(Open::List(true, _)));
                Some(Open::Item(Item { is_ordered, ..Item::default() }))
            }
            _ => None,
        };
        if let Some(container) = container {
            self.flush();
            let is_deep = self.open.len() >= MAX_DEPTH;
            self.open.push(if is_deep { Open::Ignored } else { container });
            return;
        }
        match tag {
            Tag::Heading { level, .. } => self.level = level as usize,
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.flush();
                self.code = Some(String::new());
            }
            Tag::Strong => self.line.push_str("**"),
            Tag::Strikethrough => self.line.push_str("~~"),
            Tag::Link { dest_url, .. } => self.links.push((self.line.len(), dest_url.to_string())),
            Tag::Image { .. } => self.line.push('['),
            Tag::Paragraph | Tag::Table(_) => self.flush(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let text = std::mem::take(&mut self.line).replace(['\u{b}', '\n'], " ");
                self.add(Block::Heading { level: self.level, text: text.trim().to_owned() });
            }
            TagEnd::Paragraph => self.flush(),
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.add(Block::Code(code));
            }
            TagEnd::Strong => self.line.push_str("**"),
            TagEnd::Strikethrough => self.line.push_str("~~"),
            TagEnd::Image => self.line.push_str("] "),
            TagEnd::Link => self.link(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                self.cells.push(cell.trim().to_owned());
            }
            TagEnd::TableHead => self.titles = std::mem::take(&mut self.cells),
            TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.cells)),
            TagEnd::Table => {
                let titles = std::mem::take(&mut self.titles);
                let rows = std::mem::take(&mut self.rows);
                self.add(Block::Table { titles, rows });
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.flush();
                self.close();
            }
            _ => {}
        }
    }

    /// A link to a line of a file says where; any other says its words only.
    fn link(&mut self) {
        let Some((from, leads_to)) = self.links.pop() else { return };
        let from = from.min(self.line.len());
        let named = || place::named_in_file(&leads_to, &self.line[from..]);
        let Some((path, line)) = place::of_address(&leads_to).or_else(named) else { return };
        let words = self.line.split_off(from);
        let at = line.map_or(path.clone(), |line| format!("{path}:{line}"));
        let is_name = place::first_place(&words).is_some() || words.trim().is_empty();
        self.line += &if is_name { format!("`{at}`") } else { format!("{words} (`{at}`)") };
    }

    /// Ends the paragraph, or the text of an item, that is being read.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.line);
        let lines = wrapped::whole_lines(&text, HARD);
        if !lines.is_empty() {
            self.add(Block::Text(lines));
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::Quote(blocks)) => self.add(Block::Quote(blocks)),
            Some(Open::List(_, items)) => self.add(Block::List(items)),
            Some(Open::Item(item)) => match self.open.last_mut() {
                Some(Open::List(_, items)) => items.push(item),
                _ => item.blocks.into_iter().for_each(|block| self.add(block)),
            },
            Some(Open::Ignored) | None => {}
        }
    }

    fn add(&mut self, block: Block) {
        let holder = self.open.iter_mut().rev().find_map(|open| match open {
            Open::Quote(blocks) => Some(blocks),
            Open::Item(item) => Some(&mut item.blocks),
            Open::List(..) | Open::Ignored => None,
        });
        holder.unwrap_or(&mut self.done).push(block);
    }

    fn finish(mut self) -> Vec<Block> {
        self.flush();
        while !self.open.is_empty() {
            self.close();
        }
        self.done
    }
}

/// The message without the fields that some files begin with, between two rules.
fn without_front_matter(message: &str) -> &str {
    let Some(inside) = message.trim_start().strip_prefix("---\n") else { return message };
    match inside.split_once("\n---\n") {
        Some((fields, rest)) if is_front_matter(fields) => rest,
        _ => message,
    }
}

fn is_front_matter(fields: &str) -> bool {
    let is_field = |line: &str| {
        let is_below = line.starts_with([' ', '-', '#']) || line.is_empty();
        let name = line.split_once(':').map(|(name, _)| name);
        is_below || name.is_some_and(|name| !name.contains([' ', '*', '`']))
    };
    fields.lines().next().is_some_and(|line| line.contains(':')) && fields.lines().all(is_field)
}

/// The message with the parts that fold out as headings, which is what their titles are, and
/// without other tags. What stands in a fence stays as it is.
fn without_html(message: &str) -> String {
    const TAGS: &[&str] = list!("reviews.txt", "tags");
    let mut out = String::with_capacity(message.len());
    let (mut is_fenced, mut depth) = (false, 0usize);
    for line in message.lines() {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_fenced ^= is_fence;
        if !is_fenced && !is_fence && is_numbered(line) {
            // A number that is not the first would belong to the line before.
            out.push('\n');
        }
        if is_fenced || is_fence || !line.contains('<') {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        depth += line.matches("<details").count();
        let mut text = line.to_owned();
        for tag in TAGS {
            text = text.replace(tag, " ");
        }
        let level = "#".repeat((2 + depth).min(6));
        text = text.replace("<summary>", &format!("\n\n{level} ")).replace("</summary>", "\n\n");
        let n_closed = text.matches("</details>").count();
        // An empty heading ends what the title began.
        text = text.replace("</details>", &format!("\n\n{level}\n\n"));
        depth = depth.saturating_sub(n_closed);
        out.push_str(if text.contains('\n') { text.trim() } else { &text });
        out.push('\n');
        if text.contains('\n') {
            out.push('\n');
        }
    }
    out
}

/// Whether a line begins with the number of an item.
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let n_digits = line.len() - rest.len();
    (1..=2).contains(&n_digits) && (rest.starts_with(". ") || rest.starts_with(") "))
}
