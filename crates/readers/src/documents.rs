//! What do the documents of a project say, sentence by sentence? Markdown taken apart into
//! sentences and list items, each with its line and the heading above it. Code is left out: it
//! shows, and does not say.

use hardwon_core::notes::documents::DocumentSentence;

/// The longest piece that is taken for one sentence, in characters: a table or a paste is none.
const MAX_CHARS: usize = 600;

/// The sentences and list items of a document.
///
/// ```
/// use hardwon_readers::document_sentences;
///
/// let page = "# Tests\n\nRun `make test` first. It takes\na minute.\n\n- Never skip one\n";
/// let said = document_sentences("CLAUDE.md", page);
/// let texts: Vec<&str> = said.iter().map(|it| it.text.as_str()).collect();
/// assert_eq!(texts, ["Run `make test` first.", "It takes a minute.", "Never skip one"]);
/// assert_eq!((said[1].section.as_str(), said[2].line), ("Tests", 6));
/// ```
pub fn document_sentences(file: &str, text: &str) -> Vec<DocumentSentence> {
    let mut reading = Reading { file, section: String::new(), found: Vec::new(), paragraph: None };
    let mut fence: Option<&str> = None;
    let body = without_head(text);
    let n_before = text.lines().count() - body.lines().count();
    for (number, line) in body.lines().enumerate() {
        let (number, trimmed) = (n_before + number + 1, line.trim());
        if let Some(mark) = fence {
            fence = Some(mark).filter(|mark| !trimmed.starts_with(mark));
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if fence.is_some() || trimmed.is_empty() || trimmed.starts_with("<!--") {
            reading.end_paragraph();
        } else if trimmed.starts_with('#') {
            reading.end_paragraph();
            trimmed.trim_matches(['#', ' ']).clone_into(&mut reading.section);
        } else if trimmed.starts_with('|') {
            reading.end_paragraph();
            let cells = trimmed.split('|').map(str::trim).filter(|cell| !is_rule(cell));
            reading.begin(number, &cells.collect::<Vec<_>>().join(" "));
            reading.end_paragraph();
        } else if let Some(item) = list_item(trimmed) {
            reading.end_paragraph();
            reading.begin(number, item);
        } else {
            reading.go_on(number, trimmed);
        }
    }
    reading.end_paragraph();
    reading.found
}

struct Reading<'a> {
    file: &'a str,
    section: String,
    found: Vec<DocumentSentence>,
    /// Lines of a paragraph or an item, each with its number.
    paragraph: Option<Vec<(usize, String)>>,
}

impl Reading<'_> {
    fn begin(&mut self, line: usize, text: &str) {
        self.paragraph = Some(vec![(line, text.to_owned())]);
    }

    fn go_on(&mut self, line: usize, text: &str) {
        self.paragraph.get_or_insert_default().push((line, text.to_owned()));
    }

    fn end_paragraph(&mut self) {
        let lines = self.paragraph.take().unwrap_or_default();
        let mut starts = Vec::new();
        let mut whole = String::new();
        for (line, text) in lines {
            if !whole.is_empty() {
                whole.push(' ');
            }
            starts.push((whole.len(), line));
            whole.push_str(&text);
        }
        for (at, text) in split(&whole) {
            let before = starts.iter().rev().find(|(start, _)| *start <= at);
            let line = before.map_or(0, |(_, line)| *line);
            if text.chars().count() <= MAX_CHARS {
                let (file, section) = (self.file.to_owned(), self.section.clone());
                self.found.push(DocumentSentence { file, line, section, text: text.to_owned() });
            }
        }
    }
}

/// The text behind the YAML that some documents begin with.
fn without_head(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    rest.split_once("\n---\n").map_or(text, |(_, body)| body)
}

fn is_rule(cell: &str) -> bool {
    cell.is_empty() || cell.chars().all(|c| matches!(c, '-' | ':'))
}

fn list_item(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = bare.strip_prefix(". ").or(bare.strip_prefix(") ")).filter(|_| bare != line);
    let item = ["- ", "* ", "+ ", "> "].iter().find_map(|mark| line.strip_prefix(mark));
    let item = item.or(numbered)?.trim_start();
    Some(["[ ] ", "[x] "].iter().find_map(|mark| item.strip_prefix(mark)).unwrap_or(item))
}

/// Sentences, each with where it begins.
fn split(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(". ").chain(text.match_indices("! ")) {
        let next = text[at + 2..].chars().next();
        let begins = next.is_some_and(|c| !c.is_lowercase() && c != ')');
        let is_short = ["e.g", "i.e", "etc", "vs"].iter().any(|it| text[..at].ends_with(it));
        if begins && !is_short && at + 1 > from {
            found.push((from, text[from..=at].trim()));
            from = at + 2;
        }
    }
    found.push((from, text[from..].trim()));
    found.retain(|(_, text)| !text.is_empty());
    found
}
