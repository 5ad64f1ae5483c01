//! Columns, cuts and wraps: how many columns a text takes on a screen, and how to keep
//! within a width. East Asian wide characters and emoji take two, accents none.

use hardwon_core::gate::without_control;

/// A column keeps at least this width, however narrow the screen is.
const MIN_LAST_COLUMN: usize = 20;

pub(super) fn width_of(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x20d0..=0x20ff => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 => 2,
        0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 => 2,
        0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f900..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// At most so many columns, with an ellipsis when cut.
pub(super) fn cut(text: &str, width: usize) -> String {
    let text = without_control(text);
    if width_of(&text) <= width {
        return text;
    }
    let mut left = width.saturating_sub(1);
    let fits = |c: &char| {
        let is_fitting = char_width(*c) <= left;
        left = left.saturating_sub(char_width(*c));
        is_fitting
    };
    let head: String = text.chars().take_while(fits).collect();
    head.trim_end().to_owned() + "…"
}

/// Lines of at most so many columns, broken between words. A word that is wider than a
/// line sticks out, so that a path or an id can be copied; but scripts that put no space
/// between words are broken anywhere.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let text = without_control(text);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace().flat_map(|word| pieces(word, width)) {
        match lines.last_mut() {
            Some(line) if width_of(line) + 1 + width_of(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    let is_spaceless = word.chars().any(|c| char_width(c) == 2);
    if !is_spaceless || width_of(word) <= width {
        return vec![word.to_owned()];
    }
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let piece = pieces.last_mut().expect("there is always a piece");
        if width_of(piece) + char_width(c) <= width {
            piece.push(c)
        } else {
            pieces.push(c.to_string())
        }
    }
    pieces
}

/// A text after a label or margin, its further lines indented as far.
pub(super) fn hanging(head: &str, text: &str, width: usize) -> String {
    let indent = width_of(head);
    let lines = wrapped(text, width.saturating_sub(indent).max(MIN_LAST_COLUMN));
    let mut out = head.to_owned() + &lines.join(&format!("\n{}", " ".repeat(indent)));
    out.truncate(out.trim_end().len());
    out + "\n"
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// Rows as columns, two spaces apart, each as wide as it must be; the last one is cut to
/// the width. `rows` have as many cells as `sides`.
pub(super) fn table(rows: &[Vec<String>], sides: &[Side], width: usize) -> String {
    let n_columns = sides.len();
    let widest = |column: usize| rows.iter().map(|row| width_of(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n_columns).map(widest).collect();
    let taken: usize = widths[..n_columns - 1].iter().map(|width| width + 2).sum();
    let last = width.saturating_sub(taken).max(MIN_LAST_COLUMN);
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            if column + 1 == n_columns && sides[column] == Side::Left {
                cut(cell, last)
            } else {
                padded(cell, widths[column], sides[column])
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        line.trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Rows below a head of one-word names; a `>` before a name aligns its column to the right.
pub(super) fn headed_table(
    head: &str,
    rows: impl IntoIterator<Item = Vec<String>>,
    width: usize,
) -> String {
    let side = |name: &str| if name.starts_with('>') { Side::Right } else { Side::Left };
    let sides: Vec<Side> = head.split(' ').map(side).collect();
    let head = head.split(' ').map(|name| name.trim_start_matches('>').to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    table(&rows, &sides, width)
}

/// A heading and what belongs below it; nothing if that is empty.
pub(super) fn section(title: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("\n{title}\n{body}") }
}

/// Names on the left, each with its text; those without a text are left out.
pub(super) fn facts(all: &[(&str, String)], name_columns: usize, width: usize) -> String {
    let line = |(name, text): &(&str, String)| {
        hanging(&format!("{}  ", padded(name, name_columns, Side::Left)), text, width)
    };
    all.iter().filter(|(_, text)| !text.is_empty()).map(line).collect()
}

pub(super) fn padded(cell: &str, width: usize, side: Side) -> String {
    let cell = without_control(cell);
    let gap = " ".repeat(width.saturating_sub(width_of(&cell)));
    match side {
        Side::Left => cell + &gap,
        Side::Right => gap + &cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        for (text, width) in [("abc", 3), ("検索", 4), ("e\u{301}", 1), ("→ …", 3)] {
            assert_eq!(width_of(text), width, "{text}");
        }
    }

    #[test]
    fn cuts() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("one two three", 8), "one two…");
        assert_eq!(cut("検索でSQL", 6), "検索…");
        assert_eq!(cut("a\u{1b}[31m\nb", 9), "a [31m b");
    }

    #[test]
    fn wraps() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable x", 4), ["unbreakable", "x"]);
        assert_eq!(wrapped("検索でSQLを使う", 7), ["検索でS", "QLを使", "う"]);
        assert_eq!(
            hanging("text  ", "one two three four five", 26),
            "text  one two three four\n      five\n"
        );
    }

    #[test]
    fn tables() {
        let row = ["l-1", "12", "a text that is too long for it"].map(str::to_owned).to_vec();
        let table = headed_table("ID >N TEXT", [row], 30);
        assert_eq!(table, "ID    N  TEXT\nl-1  12  a text that is too l…\n");
    }
}
