//! Our lines in a document of rules that a person writes, such as CLAUDE.md: they stand between
//! two marks, in a section if one is named, and every other byte stays.

use std::ops::Range;

const BEGIN: &str = "<!-- hardwon:rules -->";
const END: &str = "<!-- /hardwon:rules -->";

/// A document, and where our lines stand in it or would.
#[derive(Clone, Debug)]
pub struct RuleBlock<'a> {
    raw: &'a str,
    /// Between the marks, in bytes.
    inner: Option<Range<usize>>,
    /// Where a new block goes.
    end: usize,
}

impl<'a> RuleBlock<'a> {
    /// Looks in the section of this heading, or in all of it; `None` if it has no such section.
    pub fn parse(raw: &'a str, section: Option<&str>) -> Option<Self> {
        let part = match section {
            Some(heading) => section_of(raw, heading)?,
            None => 0..raw.len(),
        };
        let inner = marked(&raw[part.clone()]);
        let inner = inner.map(|inner| part.start + inner.start..part.start + inner.end);
        // Blank lines before the next heading stay before it.
        let end = part.start + raw[part].trim_end().len();
        Some(RuleBlock { raw, inner, end })
    }

    /// The lines between the marks that say something.
    pub fn lines(&self) -> Vec<&'a str> {
        let inner = self.inner.clone().map_or("", |inner| &self.raw[inner]);
        inner.lines().filter(|line| !line.trim().is_empty()).collect()
    }

    /// The document with this rule as the last of our lines; as it is if it has that line.
    pub fn with(&self, rule: &str) -> String {
        let newline = if self.raw.contains("\r\n") { "\r\n" } else { "\n" };
        let line = format!("- {rule}");
        if self.lines().iter().any(|known| known.trim() == line) {
            return self.raw.to_owned();
        }
        if let Some(inner) = &self.inner {
            let (before, after) = self.raw.split_at(inner.end);
            let joint = if before.ends_with('\n') { "" } else { newline };
            return format!("{before}{joint}{line}{newline}{after}");
        }
        let (before, after) = self.raw.split_at(self.end);
        let gap = if before.is_empty() { String::new() } else { newline.repeat(2) };
        let block = format!("{BEGIN}{newline}{line}{newline}{END}");
        let after = if after.is_empty() { newline } else { after };
        format!("{before}{gap}{block}{after}")
    }
}

/// Where the lines between the marks stand; without an end there is no block.
fn marked(text: &str) -> Option<Range<usize>> {
    let begin = text.find(BEGIN)? + BEGIN.len();
    let begin = begin + text[begin..].find('\n').map_or(0, |at| at + 1);
    let end = begin + text.get(begin..)?.find(END)?;
    Some(begin..end)
}

/// From a heading to the next one that is not below it.
fn section_of(raw: &str, heading: &str) -> Option<Range<usize>> {
    let wanted = heading.trim().trim_start_matches('#').trim();
    let (mut found, mut is_code, mut at) = (None, false, 0);
    for line in raw.split_inclusive('\n') {
        let start = at;
        at += line.len();
        is_code ^= line.trim_start().starts_with("```");
        let Some((level, title)) = heading_in(line).filter(|_| !is_code) else { continue };
        match found {
            None if title.eq_ignore_ascii_case(wanted) => found = Some((at, level)),
            Some((begin, own)) if level <= own => return Some(begin..start),
            None | Some(_) => {}
        }
    }
    found.map(|(begin, _)| begin..raw.len())
}

fn heading_in(line: &str) -> Option<(usize, &str)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let title = line[level..].strip_prefix(' ')?.trim();
    (1..=6).contains(&level).then_some((level, title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, section: Option<&str>, wanted: &str) {
        assert_eq!(RuleBlock::parse(raw, section).unwrap().with("Use pnpm."), wanted);
    }

    #[test]
    fn a_new_block_goes_to_the_end() {
        let block = "<!-- hardwon:rules -->\n- Use pnpm.\n<!-- /hardwon:rules -->\n";
        check("", None, block);
        check("# Rules\n\nText.\n", None, &format!("# Rules\n\nText.\n\n{block}"));
    }

    #[test]
    fn a_section_ends_before_the_next_heading() {
        let raw = "# A\nx\n\n```\n# B\n```\n\n## Below\ny\n\n# B\nz\n";
        let wanted = "# A\nx\n\n```\n# B\n```\n\n## Below\ny\n\n<!-- hardwon:rules -->\n\
                      - Use pnpm.\n<!-- /hardwon:rules -->\n\n# B\nz\n";
        check(raw, Some("a"), wanted);
        assert!(RuleBlock::parse(raw, Some("C")).is_none());
    }

    #[test]
    fn lines_of_a_person_between_the_marks_stay() {
        let raw = "<!-- hardwon:rules -->\r\n- mine\r\n<!-- /hardwon:rules -->\r\nrest";
        let wanted =
            "<!-- hardwon:rules -->\r\n- mine\r\n- Use pnpm.\r\n<!-- /hardwon:rules -->\r\nrest";
        check(raw, None, wanted);
        assert_eq!(RuleBlock::parse(raw, None).unwrap().lines(), ["- mine"]);
        check(wanted, None, wanted);
    }
}
