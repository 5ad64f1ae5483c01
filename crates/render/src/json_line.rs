//! Lines of JSON in other systems' files. A line that is already there is patched in place, so
//! that everything in it that we do not know, or have no reason to change, keeps its bytes.

mod scan;

use std::ops::Range;

pub(crate) use scan::is_json;

/// A field's name and its value as JSON. Without a value the field is left out of a new line,
/// and becomes `null` in an existing one.
pub(crate) type Field<'a> = (&'a str, Option<String>);

pub(crate) fn object(fields: &[Field<'_>]) -> String {
    let entries = fields.iter().filter_map(|(name, value)| Some(entry(name, value.as_ref()?)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

fn entry(name: &str, value: &str) -> String {
    format!("{}:{value}", text(name))
}

/// A string as `jq` spells it: only what JSON demands is escaped, and DEL.
pub(crate) fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

pub(crate) fn texts(all: &[String]) -> String {
    let items: Vec<String> = all.iter().map(|one| text(one)).collect();
    format!("[{}]", items.join(","))
}

/// The fields of the second record that are not as in the first.
pub(crate) fn differing<'a>(from: &[Field<'_>], to: Vec<Field<'a>>) -> Vec<Field<'a>> {
    from.iter().zip(to).filter(|(old, new)| **old != *new).map(|(_, new)| new).collect()
}

/// The bytes of a top-level field's value, as it is spelled.
pub(crate) fn value_of<'a>(raw: &'a [u8], key: &str) -> Option<&'a [u8]> {
    scan::layout(raw)?.value_of(key).map(|span| &raw[span])
}

/// Every top-level field and the bytes of its value; nothing for what is not an object.
pub(crate) fn fields_of(raw: &[u8]) -> Vec<(String, &[u8])> {
    scan::layout(raw).map_or_else(Vec::new, |layout| layout.fields())
}

/// A line with these top-level fields set, and every other byte as it was. If a key occurs
/// twice, the last one is set, because that is the one that parsers use; a missing one is added
/// at the end. What is not a JSON object stays as it is.
pub(crate) fn with_fields(raw: &[u8], fields: &[Field<'_>]) -> Vec<u8> {
    let Some(layout) = scan::layout(raw) else { return raw.to_vec() };
    let (mut edits, mut added) = (Vec::new(), Vec::new());
    for (at, (key, value)) in fields.iter().enumerate() {
        if fields[at + 1..].iter().any(|(later, _)| later == key) {
            continue;
        }
        let value = value.clone().unwrap_or_else(|| "null".to_owned());
        match layout.value_of(key) {
            Some(span) => edits.push((span, value)),
            None => added.push((key, value)),
        }
    }
    edits.sort_by_key(|(span, _)| span.start);
    if !added.is_empty() {
        let end = layout.end_of_entries();
        // Where each entry has a line of its own, a new one gets one, too.
        let new = match layout.line_break() {
            Some(gap) => {
                let one = |(key, it): &(&&str, String)| format!(",{gap}{}: {it}", text(key));
                added.iter().map(one).collect()
            }
            None => {
                let comma = if layout.is_empty() { "" } else { "," };
                let new: Vec<String> = added.iter().map(|(key, it)| entry(key, it)).collect();
                format!("{comma}{}", new.join(","))
            }
        };
        edits.push((end..end, new));
    }
    edited(raw, &edits)
}

/// Replaces spans that are in order and do not overlap.
fn edited(raw: &[u8], edits: &[(Range<usize>, String)]) -> Vec<u8> {
    let (mut out, mut taken) = (Vec::with_capacity(raw.len()), 0);
    for (span, text) in edits {
        out.extend_from_slice(&raw[taken..span.start]);
        out.extend_from_slice(text.as_bytes());
        taken = span.end;
    }
    out.extend_from_slice(&raw[taken..]);
    out
}

/// The same JSON without white space between its parts; strings and numbers keep their
/// spelling. What is not JSON stays as it is.
pub(crate) fn compacted(raw: &[u8]) -> Vec<u8> {
    scan::without_space(raw).unwrap_or_else(|| raw.to_vec())
}

#[cfg(test)]
mod tests;
