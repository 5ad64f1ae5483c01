//! The body of a topic file: where do the fact, its reason, what to do and the links stand?

use std::ops::Range;

/// What begins the reason, and what to do about it.
const WHY: &[&str] = &["**why:**", "**why**:"];
const HOW: &[&str] = &["**how to apply:**", "**how to apply**:"];

/// Longest link, in bytes; anything longer is text in brackets.
const MAX_LINK_BYTES: usize = 160;

/// A part with what leads it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// With its marker.
    pub whole: Range<usize>,
    pub content: Range<usize>,
}

/// Where everything stands, in bytes of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub text: Range<usize>,
    pub why: Option<Part>,
    pub how: Option<Part>,
    /// The last line, if it only names other notes.
    pub related: Option<Range<usize>>,
    /// Each link with its brackets, and its slug.
    pub links: Vec<(Range<usize>, String)>,
}

pub(super) fn parse(file: &str, start: usize) -> Body {
    let code = code_ranges(file, start);
    let related = related_line(file, start);
    let end = related.as_ref().map_or(file.len(), |line| line.start);
    let lower = file[start..end].to_ascii_lowercase();
    let is_code = |at: usize| code.iter().any(|range| range.contains(&at));
    let find = |markers: &[&str]| {
        let places = markers.iter().flat_map(|marker| {
            lower.match_indices(marker).map(|(at, found)| (start + at, found.len()))
        });
        places.filter(|(at, _)| !is_code(*at)).min()
    };
    let (why, how) = (find(WHY), find(HOW));
    let ends = |at: usize| {
        let markers = [why, how].into_iter().flatten().map(|(at, _)| at);
        let next = markers.filter(|next| *next > at).min().unwrap_or(end);
        let heading = headings(file, at, next, &code);
        heading.unwrap_or(next)
    };
    let part = |(at, length): (usize, usize)| {
        let content = trimmed(file, at + length..ends(at));
        Part { whole: at..content.end.max(at + length), content }
    };
    let first = [why, how].into_iter().flatten().map(|(at, _)| at).min().unwrap_or(end);
    let text = trimmed(file, start..first);
    Body { text, why: why.map(part), how: how.map(part), related, links: links(file, start, &code) }
}

fn headings(file: &str, from: usize, to: usize, code: &[Range<usize>]) -> Option<usize> {
    let found = file[from..to].match_indices("\n#").map(|(at, _)| from + at + 1);
    found.into_iter().find(|at| {
        let line = &file[*at..];
        let is_heading = line.trim_start_matches('#').starts_with(' ');
        is_heading && !code.iter().any(|range| range.contains(at))
    })
}

fn trimmed(file: &str, range: Range<usize>) -> Range<usize> {
    let text = &file[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    let end = range.start + text.trim_end().len();
    if start >= end { range.start..range.start } else { start..end }
}

/// Fenced blocks and what stands in back quotes.
fn code_ranges(file: &str, start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut fence) = (start, None);
    for line in file[start..].split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        match fence {
            Some(open) if is_fence => {
                found.push(open..at + line.len());
                fence = None;
            }
            None if is_fence => fence = Some(at),
            Some(_) => {}
            None => inline_code(line, at, &mut found),
        }
        at += line.len();
    }
    found.extend(fence.map(|open| open..file.len()));
    found
}

fn inline_code(line: &str, at: usize, found: &mut Vec<Range<usize>>) {
    let mut ticks = line.match_indices('`').map(|(place, _)| at + place);
    while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
        found.push(open..close + 1);
    }
}

fn links(file: &str, start: usize, code: &[Range<usize>]) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = start;
    while let Some(open) = file[at..].find("[[").map(|place| at + place) {
        at = open + 2;
        let Some(length) = file[at..].find("]]") else { break };
        let inner = &file[at..at + length];
        let slug = inner.split('|').next().unwrap_or_default();
        let is_link = length <= MAX_LINK_BYTES
            && !slug.is_empty()
            && slug.trim() == slug
            && !inner.contains(['\n', '[', ']'])
            && !code.iter().any(|range| range.contains(&open));
        if is_link {
            found.push((open..at + length + 2, slug.to_owned()));
            at += length + 2;
        }
    }
    found
}

/// The last line of a file, if it names notes and says nothing else.
fn related_line(file: &str, start: usize) -> Option<Range<usize>> {
    let body = file[start..].trim_end();
    let line_start = start + body.rfind('\n').map_or(0, |at| at + 1);
    let line = &file[line_start..start + body.len()];
    let mut rest = String::new();
    let mut at = line;
    while let Some((before, behind)) = at.split_once("[[") {
        rest.push_str(before);
        at = behind.split_once("]]")?.1;
    }
    rest.push_str(at);
    let n_words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_only = line.contains("[[") && n_words.count() <= 2 && !line.starts_with("**");
    is_only.then_some(line_start..start + body.len())
}
