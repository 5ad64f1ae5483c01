//! The sentences of a Markdown document, each with its line and the heading above it: paragraphs
//! come apart at full stops, list items and rows of tables stand by themselves, and so does every
//! line of code.

use hardwon_core::notes::documents::DocumentSentence;

/// Longest sentence that is kept whole, in bytes; more of it is a table or data.
const MAX_BYTES: usize = 2_000;

/// The sentences of a document, in order. A head between `---` lines and HTML comments are
/// left out.
pub fn document_sentences(file: &str, text: &str) -> Vec<DocumentSentence> {
    let mut reader = Reader { file, found: Vec::new(), section: String::new(), open: None };
    let (mut fence, mut comment) = (false, false);
    let is_head = text.starts_with("---\n") || text.starts_with("---\r\n");
    let mut head = is_head;
    for (number, line) in text.lines().enumerate() {
        let (number, trimmed) = (number + 1, line.trim());
        if head {
            head = number == 1 || trimmed != "---";
            continue;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            reader.close();
            fence = !fence;
        } else if fence {
            reader.push(number, trimmed);
        } else if comment || trimmed.starts_with("<!--") {
            comment = !trimmed.contains("-->");
        } else if let Some(title) = heading(trimmed) {
            reader.close();
            reader.section = title.to_owned();
        } else if trimmed.is_empty() {
            reader.close();
        } else if let Some(item) = item(trimmed) {
            reader.close();
            reader.open = Some((number, item.to_owned()));
        } else {
            reader.go_on(number, trimmed);
        }
    }
    reader.close();
    reader.found
}

struct Reader<'a> {
    file: &'a str,
    found: Vec<DocumentSentence>,
    section: String,
    /// The paragraph that is being read, and where it began.
    open: Option<(usize, String)>,
}

impl Reader<'_> {
    fn go_on(&mut self, line: usize, text: &str) {
        match &mut self.open {
            Some((_, paragraph)) if paragraph.len() < MAX_BYTES => {
                paragraph.push(' ');
                paragraph.push_str(text);
            }
            Some(_) => self.close(),
            None => self.open = Some((line, text.to_owned())),
        }
    }

    fn close(&mut self) {
        let Some((line, paragraph)) = self.open.take() else { return };
        let mut start = 0;
        for (at, c) in paragraph.char_indices() {
            let after = at + c.len_utf8();
            let rest = &paragraph[after..];
            let is_next = rest.starts_with(' ')
                && rest.trim_start().starts_with(|c: char| c.is_uppercase() || c == '`');
            let is_end = matches!(c, '.' | '!' | '?') && is_next || matches!(c, '。' | '！' | '？');
            if is_end {
                self.push(line, &paragraph[start..after]);
                start = after;
            }
        }
        self.push(line, &paragraph[start..]);
    }

    fn push(&mut self, line: usize, text: &str) {
        let text = text.trim();
        if text.chars().any(char::is_alphanumeric) && text.len() <= 2 * MAX_BYTES {
            let (file, section) = (self.file.to_owned(), self.section.clone());
            self.found.push(DocumentSentence { file, line, section, text: text.to_owned() });
        }
    }
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
}

/// What stands behind the mark of a list item, or in a row of a table.
fn item(line: &str) -> Option<&str> {
    let marks = ["- ", "* ", "+ ", "| ", "> "];
    if let Some(rest) = marks.iter().find_map(|mark| line.strip_prefix(mark)) {
        return Some(rest.trim_start_matches("[ ] ").trim_start_matches("[x] "));
    }
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = digits.len() < line.len() && line.len() - digits.len() <= 3;
    digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") ")).filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stand_with_their_line_and_section() {
        let text = "---\npaths: x\n---\n# Guide\n\nUse pnpm. Never\nuse npm, e.g. here.\n\n## Tests\n\
                    - run them\n  all\n1. first\n```sh\nmake seed\n```\n| a | b |\n<!-- no\nno -->\nend";
        let found = document_sentences("CLAUDE.md", text);
        let told: Vec<(usize, &str, &str)> =
            found.iter().map(|it| (it.line, it.section.as_str(), it.text.as_str())).collect();
        let expected = [
            (6, "Guide", "Use pnpm."),
            (6, "Guide", "Never use npm, e.g. here."),
            (10, "Tests", "run them all"),
            (12, "Tests", "first"),
            (14, "Tests", "make seed"),
            (16, "Tests", "a | b | end"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn no_text_is_too_odd() {
        for text in ["", "---", "```", "<!--", "#", "- ", "\r\n\r\n", "。！"] {
            assert!(document_sentences("a.md", text).len() <= 1, "{text:?}");
        }
    }
}
