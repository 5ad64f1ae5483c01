//! What stands on a page of a tree: cells with records, and pages below it. Every number is
//! doubted: what does not fit is left out, and nothing is read outside of its page.

use rusqlite::types::Value;

use super::pages::Pages;

/// A longer record is not one of ours.
pub(super) const MAX_RECORD: u64 = 64 << 20;

/// What a page of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sort {
    /// Of a table with row numbers; else of an index, or of a table without them.
    pub has_rows: bool,
    /// Has pages below it.
    pub is_inner: bool,
}

/// A page of a tree.
pub(super) struct Node {
    pub sort: Sort,
    /// Where its cells begin.
    pub cells: Vec<usize>,
    /// Pages below it.
    pub below: Vec<u32>,
    /// Whether all of its cells have a place on it.
    pub is_whole: bool,
}

/// One record, with its row number in a table that has them.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub row: Option<i64>,
    pub cells: Vec<Value>,
}

/// The page as one of a tree, if it is.
pub(super) fn node(page: &[u8], number: u32) -> Option<Node> {
    let from = if number == 1 { 100 } else { 0 };
    let sort = match page[from] {
        2 => Sort { has_rows: false, is_inner: true },
        5 => Sort { has_rows: true, is_inner: true },
        10 => Sort { has_rows: false, is_inner: false },
        13 => Sort { has_rows: true, is_inner: false },
        _ => return None,
    };
    let short =
        |at: usize| Some(usize::from(u16::from_be_bytes([*page.get(at)?, *page.get(at + 1)?])));
    let n_cells = short(from + 3)?;
    let first = from + if sort.is_inner { 12 } else { 8 };
    let listed = (0..n_cells).map(|n| short(first + 2 * n));
    let is_cell = |at: &usize| *at >= first + 2 * n_cells && *at < page.len();
    let cells: Vec<usize> = listed.flatten().filter(is_cell).collect();
    let mut below: Vec<u32> = Vec::new();
    if sort.is_inner {
        below.extend(cells.iter().filter_map(|at| word(page, *at)));
        below.extend(word(page, from + 8));
    }
    Some(Node { sort, is_whole: cells.len() == n_cells, cells, below })
}

/// The record of a cell, also if it goes on on other pages; none that is longer than `max`.
pub(super) fn record(
    pages: &Pages,
    page: &[u8],
    at: usize,
    sort: Sort,
    max: u64,
) -> Option<Record> {
    // Inner pages of a table hold no records.
    let mut at = match (sort.has_rows, sort.is_inner) {
        (true, true) => return None,
        (false, true) => at + 4,
        (_, false) => at,
    };
    let length = varint(page, &mut at)?;
    let row = if sort.has_rows { Some(varint(page, &mut at)? as i64) } else { None };
    if length > max {
        return None;
    }
    let length = length as usize;
    let n_here = n_on_page(pages.size, length, sort.has_rows);
    let mut bytes = page.get(at..at + n_here)?.to_vec();
    let mut next = if n_here < length { word(page, at + n_here)? } else { 0 };
    while bytes.len() < length {
        let more = pages.read(next)?;
        let n_more = (length - bytes.len()).min(pages.size - 4);
        bytes.extend_from_slice(&more[4..4 + n_more]);
        next = word(&more, 0)?;
    }
    Some(Record { row, cells: values(&bytes)? })
}

/// How much of a record stands on the page itself.
fn n_on_page(size: usize, length: usize, has_rows: bool) -> usize {
    let most = if has_rows { size - 35 } else { (size - 12) * 64 / 255 - 23 };
    let least = (size - 12) * 32 / 255 - 23;
    if length <= most {
        return length;
    }
    let fitting = least + (length - least) % (size - 4);
    if fitting <= most { fitting } else { least }
}

/// The values of a record, which has to be used up by them.
fn values(bytes: &[u8]) -> Option<Vec<Value>> {
    let mut at = 0;
    let header = usize::try_from(varint(bytes, &mut at)?).ok().filter(|n| *n <= bytes.len())?;
    let mut body = header;
    let mut values = Vec::new();
    while at < header {
        let kind = varint(bytes, &mut at)?;
        values.push(value(kind, bytes, &mut body)?);
    }
    (at == header && body == bytes.len()).then_some(values)
}

fn value(kind: u64, bytes: &[u8], at: &mut usize) -> Option<Value> {
    let length = match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        _ => usize::try_from((kind - 12) / 2).ok()?,
    };
    let part = bytes.get(*at..at.checked_add(length)?)?;
    *at += length;
    let number = || {
        let sign = if part.first().is_some_and(|byte| byte & 0x80 != 0) { -1 } else { 0 };
        part.iter().fold(sign, |number: i64, byte| (number << 8) | i64::from(*byte))
    };
    Some(match kind {
        0 => Value::Null,
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        7 => Value::Real(f64::from_bits(number() as u64)),
        1..=6 => Value::Integer(number()),
        kind if kind % 2 == 1 => Value::Text(String::from_utf8(part.to_vec()).ok()?),
        _ => Value::Blob(part.to_vec()),
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let part = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes([part[0], part[1], part[2], part[3]]))
}

/// A number of one to nine bytes; seven bits in each, all eight in the last of nine.
fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0u64;
    for n in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if n == 8 {
            return Some((number << 8) | u64::from(byte));
        }
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
