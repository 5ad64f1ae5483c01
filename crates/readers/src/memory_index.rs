//! The index of file memory, `MEMORY.md`: which lines point to notes, which of them are ours, and
//! how do ours change while every other byte stays where it is? Ours stand between two marks;
//! what a person wrote between them stays too.

use std::ops::Range;

use hardwon_core::notes::IndexLine;
use hardwon_core::notes::policy::IndexLimits;

pub const OWN_BEGIN: &str = "<!-- hardwon -->";
pub const OWN_END: &str = "<!-- /hardwon -->";

/// Longest line of ours, in characters: a hook is cut after a whole word.
const MAX_LINE_CHARS: usize = 180;

#[derive(Clone, Debug)]
pub struct MemoryIndex<'a> {
    raw: &'a str,
    lines: Vec<Range<usize>>,
    /// Every line that points to a note, in order.
    pub entries: Vec<IndexLine>,
    /// Our part in lines from 0, with its marks; the second mark may be missing.
    own: Option<Range<usize>>,
}

impl<'a> MemoryIndex<'a> {
    /// Reads an index; every text is one.
    pub fn parse(raw: &'a str) -> Self {
        let mut at = 0;
        let lines: Vec<Range<usize>> = raw
            .split_inclusive('\n')
            .map(|line| {
                at += line.len();
                at - line.len()..at
            })
            .collect();
        let line = |place: usize| raw[lines[place].clone()].trim();
        let begin = (0..lines.len()).find(|place| line(*place) == OWN_BEGIN);
        let own = begin.map(|begin| {
            let end = (begin + 1..lines.len()).find(|place| line(*place) == OWN_END);
            // Without its end our part is the lines of ours that follow each other.
            let is_ours = |place: &usize| parse_entry(line(*place)).is_some();
            let open = || begin + 1 + (begin + 1..lines.len()).take_while(is_ours).count();
            begin..end.map_or_else(open, |end| end + 1)
        });
        let is_own = |place: usize| own.as_ref().is_some_and(|own| own.contains(&place));
        let mut fence = false;
        let mut entries = Vec::new();
        for place in 0..lines.len() {
            if line(place).starts_with("```") {
                fence = !fence;
            }
            if let Some(entry) = parse_entry(line(place)).filter(|_| !fence || is_own(place)) {
                entries.push(IndexLine { is_ours: is_own(place), line: place + 1, ..entry });
            }
        }
        MemoryIndex { raw, lines, entries, own }
    }

    /// List items that point to no note, with their numbers from 1; what stands in a fence is none.
    pub fn bare_items(&self) -> Vec<(usize, &'a str)> {
        let (mut fence, mut items) = (false, Vec::new());
        for (place, range) in self.lines.iter().enumerate() {
            let line = self.raw[range.clone()].trim();
            fence ^= line.starts_with("```");
            let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            let is_entry = || self.entries.iter().any(|entry| entry.line == place + 1);
            if let Some(item) = item.filter(|item| !fence && !item.trim().is_empty())
                && !is_entry()
            {
                items.push((place + 1, item.trim()));
            }
        }
        items
    }

    pub fn n_lines(&self) -> usize {
        self.lines.len()
    }

    pub fn n_bytes(&self) -> usize {
        self.raw.len()
    }

    /// Lines and bytes of our part, with its marks.
    pub fn own_size(&self) -> (usize, usize) {
        let own = self.own.clone().unwrap_or(0..0);
        let n_bytes = self.lines[own.clone()].iter().map(|line| line.len()).sum();
        (own.len(), n_bytes)
    }

    /// The index with this line among ours: in the place of ours that points to the same file,
    /// else behind the last. A line of others that points there is left alone. The error says what
    /// would exceed how much.
    pub fn with_line(&self, entry: &IndexLine, limits: &IndexLimits) -> Result<String, String> {
        let newline = newline(self.raw);
        let new = format!("{}{newline}", line_of(entry));
        let known = self.entries.iter().find(|line| line.is_ours && line.file == entry.file);
        let text = match (known, &self.own) {
            (Some(known), _) => self.spliced(known.line - 1..known.line, &new),
            (None, Some(own)) => {
                let is_closed = self.raw[self.lines[own.end - 1].clone()].trim() == OWN_END;
                let at = own.end - usize::from(is_closed);
                let new = if is_closed { new } else { format!("{new}{OWN_END}{newline}") };
                self.spliced(at..at, &new)
            }
            (None, None) => {
                let new = format!("{OWN_BEGIN}{newline}{new}{OWN_END}{newline}");
                self.spliced(self.lines.len()..self.lines.len(), &new)
            }
        };
        self.checked(text, limits)
    }

    /// A change that makes nothing longer is never too long.
    fn checked(&self, text: String, limits: &IndexLimits) -> Result<String, String> {
        let new = MemoryIndex::parse(&text);
        let ((own_lines, own_bytes), (old_lines, old_bytes)) = (new.own_size(), self.own_size());
        let (own, all) = ("our part of the index", "the index");
        let sizes = [
            (own, "lines", own_lines, old_lines, limits.own_lines),
            (own, "bytes", own_bytes, old_bytes, limits.own_bytes),
            (all, "lines", new.n_lines(), self.n_lines(), limits.all_lines),
            (all, "bytes", new.n_bytes(), self.n_bytes(), limits.all_bytes),
        ];
        let over = sizes.into_iter().find(|(.., new, old, limit)| new > limit && new > old);
        match over {
            Some((what, unit, .., limit)) => Err(format!("{what} would exceed {limit} {unit}")),
            None => Ok(text),
        }
    }

    /// The index without these lines, whosever they are. Marks with nothing between go too.
    pub fn without_lines(&self, numbers: &[usize]) -> String {
        let own = self.own.clone().unwrap_or(0..0);
        let is_going = |at: usize| numbers.contains(&(at + 1));
        let is_emptied =
            !numbers.is_empty() && own.clone().all(|at| self.is_mark(at) || is_going(at));
        let stay = (0..self.lines.len()).filter(|at| {
            let is_empty_mark = is_emptied && self.is_mark(*at);
            !is_going(*at) && !is_empty_mark
        });
        stay.map(|place| &self.raw[self.lines[place].clone()]).collect()
    }

    fn is_mark(&self, place: usize) -> bool {
        let line = self.raw[self.lines[place].clone()].trim();
        let is_inside = self.own.as_ref().is_some_and(|own| own.contains(&place));
        is_inside && (line == OWN_BEGIN || line == OWN_END)
    }

    /// The text with other lines in the place of these.
    fn spliced(&self, lines: Range<usize>, new: &str) -> String {
        let start = self.lines.get(lines.start).map_or(self.raw.len(), |line| line.start);
        let end = if lines.is_empty() { start } else { self.lines[lines.end - 1].end };
        let before = &self.raw[..start];
        let joint =
            if before.is_empty() || before.ends_with('\n') { "" } else { newline(self.raw) };
        format!("{before}{joint}{new}{}", &self.raw[end..])
    }
}

pub fn line_of(entry: &IndexLine) -> String {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = plain(&entry.title).replace(['[', ']'], "");
    let is_odd = entry.file.contains([' ', '(', ')']);
    let file = if is_odd { format!("<{}>", entry.file) } else { entry.file.clone() };
    let head = format!("- [{title}]({file})");
    let hook = plain(&entry.hook.replace("<!--", "").replace("-->", ""));
    let n_left = MAX_LINE_CHARS.saturating_sub(head.chars().count() + 3);
    let hook = match hook.char_indices().nth(n_left) {
        Some((end, _)) => {
            let cut = &hook[..end];
            format!("{}…", cut.rsplit_once(' ').map_or(cut, |(whole, _)| whole).trim_end())
        }
        None => hook,
    };
    if hook.trim().is_empty() { head } else { format!("{head} — {hook}") }
}

/// `- [Title](file.md) — hook`, also with `*`, and with `-`, `–` or `:` for the dash.
fn parse_entry(line: &str) -> Option<IndexLine> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?.trim_start();
    let rest = rest.strip_prefix('[')?;
    let (title, rest) = rest.split_once("](")?;
    let (file, rest) = match rest.strip_prefix('<') {
        Some(rest) => rest.split_once(">)")?,
        None => rest.split_once(')')?,
    };
    let rest = rest.trim_start();
    let dashes = ["—", "–", "--", "-", ":"];
    let hook = dashes.iter().find_map(|dash| rest.strip_prefix(dash)).unwrap_or(rest);
    let file = file.trim();
    let is_note = !file.is_empty() && !hardwon_core::notes::names::is_address(file);
    is_note.then(|| IndexLine {
        title: title.trim().to_owned(),
        file: file.to_owned(),
        hook: hook.trim().to_owned(),
        ..IndexLine::default()
    })
}

fn newline(raw: &str) -> &'static str {
    if raw.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests;
