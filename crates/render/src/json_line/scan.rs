//! Finds where each entry of a line of JSON is, without changing the spelling of anything, which
//! a parser would. Never recurses, however deep the nesting.

use std::ops::Range;

use serde::de::IgnoredAny;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The entries of a JSON object, as places in its bytes.
pub(super) struct Layout<'a> {
    raw: &'a [u8],
    entries: Vec<Entry>,
    /// Behind the last entry, or behind the opening brace of an empty object.
    end_of_entries: usize,
}

struct Entry {
    /// With its quotes.
    key: Range<usize>,
    value: Range<usize>,
}

impl<'a> Layout<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn end_of_entries(&self) -> usize {
        self.end_of_entries
    }

    /// What stands before the last key, if a line begins there.
    pub(super) fn line_break(&self) -> Option<&'a str> {
        let key = self.entries.last()?.key.start;
        let n_space = self.raw[..key].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
        let gap = std::str::from_utf8(&self.raw[key - n_space..key]).ok()?;
        gap.contains('\n').then_some(gap)
    }

    /// Names and values in their order; of several with one name the last.
    pub(super) fn fields(&self) -> Vec<(String, &'a [u8])> {
        let field = |entry: &Entry| {
            let name: String = serde_json::from_slice(&self.raw[entry.key.clone()]).ok()?;
            Some((name, &self.raw[entry.value.clone()]))
        };
        let mut fields: Vec<(String, &[u8])> = Vec::new();
        for (name, value) in self.entries.iter().filter_map(field) {
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some(known) => known.1 = value,
                None => fields.push((name, value)),
            }
        }
        fields
    }

    /// The value that counts: of several with this key the last one.
    pub(super) fn value_of(&self, key: &str) -> Option<Range<usize>> {
        let entry = self.entries.iter().rfind(|entry| self.is_named(entry, key))?;
        Some(entry.value.clone())
    }

    /// Keys are compared as what they mean: `"\u0069d"` is `id` too.
    fn is_named(&self, entry: &Entry, key: &str) -> bool {
        let spelled = &self.raw[entry.key.clone()];
        let inner = &spelled[1..spelled.len() - 1];
        inner == key.as_bytes()
            || (inner.contains(&b'\\')
                && serde_json::from_slice::<String>(spelled).is_ok_and(|name| name == key))
    }
}

/// Whether a text is one JSON value.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The layout of a line that is a JSON object, white space and a byte order mark around
/// it allowed; `None` for everything else.
pub(super) fn layout(raw: &[u8]) -> Option<Layout<'_>> {
    let mut at = json_start(raw)?;
    at = skip_space(raw, at);
    if raw.get(at) != Some(&b'{') {
        return None;
    }
    let mut layout = Layout { raw, entries: Vec::new(), end_of_entries: at + 1 };
    at = skip_space(raw, at + 1);
    while raw.get(at) == Some(&b'"') {
        let key = at..value_end(raw, at)?;
        // White space, the colon, white space.
        at = skip_space(raw, skip_space(raw, key.end) + 1);
        let value = at..value_end(raw, at)?;
        layout.end_of_entries = value.end;
        at = skip_space(raw, value.end);
        layout.entries.push(Entry { key, value });
        if raw.get(at) == Some(&b',') {
            at = skip_space(raw, at + 1);
        }
    }
    Some(layout)
}

/// The JSON without white space between its parts; `None` if it is not JSON.
pub(super) fn without_space(raw: &[u8]) -> Option<Vec<u8>> {
    let start = json_start(raw)?;
    let mut out = Vec::with_capacity(raw.len());
    let mut at = skip_space(raw, start);
    while let Some(&byte) = raw.get(at) {
        let end = if byte == b'"' { value_end(raw, at)? } else { at + 1 };
        out.extend_from_slice(&raw[at..end]);
        at = skip_space(raw, end);
    }
    Some(out)
}

/// Where the JSON begins if these bytes are JSON at all. Everything else in this file
/// relies on that.
fn json_start(raw: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(raw).ok()?;
    let json = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    is_json(json).then_some(text.len() - json.len())
}

fn skip_space(raw: &[u8], at: usize) -> usize {
    let rest = raw.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// Behind the value that begins at `at`.
fn value_end(raw: &[u8], at: usize) -> Option<usize> {
    let values = serde_json::Deserializer::from_slice(raw.get(at..)?);
    let mut values = values.into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(at + values.byte_offset())
}
