//! How is a hidden passage written, recognized again, and joined with its neighbors?
//!
//! Also finds the `<private>` passages that people mark themselves. What is
//! secret without being marked is for the other files of this folder.

/// A passage to hide: bytes `start..end` of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span<'r> {
    pub start: usize,
    pub end: usize,
    pub family: &'r str,
    pub rank: Rank,
}

/// How telling a find is; of overlapping finds the first in this order names the replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Private,
    Block,
    /// A rule of the user's own.
    Own,
    Shape,
    Wire,
    Assigned,
    Random,
}

const OPEN: &str = "[redacted:";
const PRIVATE_MARK: &str = "[private]";
const PRIVATE: &str = "private";

/// No family name is longer; keeps the look for a mark's end short.
const MAX_FAMILY: usize = 40;

/// Spaces allowed at each place inside a private tag.
const MAX_TAG_SPACES: usize = 8;

/// The end of the mark that begins at `at`, if one does.
pub(super) fn mark_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    if rest.starts_with(PRIVATE_MARK.as_bytes()) {
        return Some(at + PRIVATE_MARK.len());
    }
    let name = rest.strip_prefix(OPEN.as_bytes())?;
    let length = name
        .iter()
        .take(MAX_FAMILY)
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-')
        .count();
    (length > 0 && name.get(length) == Some(&b']')).then(|| at + OPEN.len() + length + 1)
}

/// `text` with each span replaced by its mark. The spans are disjoint and in order.
pub(super) fn render(text: &str, spans: &[Span<'_>]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut copied = 0;
    for span in spans {
        shown.push_str(&text[copied..span.start]);
        shown.extend(mark(span));
        copied = span.end;
    }
    shown.push_str(&text[copied..]);
    shown
}

/// Overlapping spans made one, in order, on character boundaries.
pub(super) fn merge<'r>(text: &str, mut spans: Vec<Span<'r>>) -> Vec<Span<'r>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Span<'r>> = Vec::with_capacity(spans.len());
    for mut span in spans {
        span.start = text.floor_char_boundary(span.start);
        span.end = text.ceil_char_boundary(span.end);
        match merged.last_mut() {
            Some(last) if span.start < last.end => absorb(last, &span),
            Some(_) | None => merged.push(span),
        }
    }
    merged
}

fn absorb<'r>(last: &mut Span<'r>, span: &Span<'r>) {
    last.end = last.end.max(span.end);
    if span.rank < last.rank {
        last.rank = span.rank;
        last.family = span.family;
    }
}

/// Spans without the marks at their ends: no mark is hidden by half or alone.
/// Else a find next to an old mark could eat into it, and the next look into
/// what that leaves. A mark in the middle of a span is hidden with it.
pub(super) fn spare_marks<'r>(bytes: &[u8], mut spans: Vec<Span<'r>>) -> Vec<Span<'r>> {
    let marks: Vec<_> = if spans.is_empty() { Vec::new() } else { marks_of(bytes).collect() };
    let mut passed = 0;
    for span in &mut spans {
        passed += marks[passed..].iter().take_while(|mark| mark.end <= span.start).count();
        let ahead = &marks[passed..];
        let touched = &ahead[..ahead.iter().take_while(|mark| mark.start < span.end).count()];
        for mark in touched {
            if mark.start <= span.start {
                span.start = mark.end;
            }
        }
        for mark in touched.iter().rev() {
            if mark.end >= span.end {
                span.end = mark.start;
            }
        }
    }
    spans.retain(|span| span.start < span.end);
    spans
}

fn marks_of(bytes: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let starts = (0..bytes.len()).filter(|&at| bytes[at] == b'[');
    starts.filter_map(|start| mark_end(bytes, start).map(|end| start..end))
}

/// What a span is replaced by, in pieces.
fn mark<'r>(span: &Span<'r>) -> [&'r str; 3] {
    let is_private = span.rank == Rank::Private;
    if is_private { [PRIVATE_MARK, "", ""] } else { [OPEN, span.family, "]"] }
}

/// Passages between `<private>` and its `</private>`, tags included.
///
/// Tags nest and ignore case. What is never closed is hidden to the end: a
/// person who asked for silence must not lose it to a typing mistake.
pub(super) fn find_private(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut depth = 0_usize;
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let Some((is_close, end)) = tag_at(bytes, at) else {
            at += 1;
            continue;
        };
        if is_close {
            spans.extend((depth == 1).then(|| private(start, end)));
            depth = depth.saturating_sub(1);
        } else {
            start = if depth == 0 { at } else { start };
            depth += 1;
        }
        at = end;
    }
    if depth > 0 {
        spans.push(private(start, bytes.len()));
    }
}

fn private(start: usize, end: usize) -> Span<'static> {
    Span { start, end, family: PRIVATE, rank: Rank::Private }
}

/// Whether the tag that begins at `at` closes, and where it ends.
fn tag_at(bytes: &[u8], at: usize) -> Option<(bool, usize)> {
    if bytes[at] != b'<' {
        return None;
    }
    let mut end = skip_spaces(bytes, at + 1);
    let is_close = bytes.get(end) == Some(&b'/');
    if is_close {
        end = skip_spaces(bytes, end + 1);
    }
    let name = bytes.get(end..end + PRIVATE.len())?;
    if !name.eq_ignore_ascii_case(PRIVATE.as_bytes()) {
        return None;
    }
    end = skip_spaces(bytes, end + PRIVATE.len());
    (bytes.get(end) == Some(&b'>')).then_some((is_close, end + 1))
}

fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    let spaces =
        bytes[from..].iter().take(MAX_TAG_SPACES).take_while(|byte| byte.is_ascii_whitespace());
    from + spaces.count()
}
