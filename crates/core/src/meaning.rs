//! Do two words mean the same though they are spelled differently? A table of word pieces, each
//! with a vector, made once from a public model (`scripts/meaning-table`). A word is the sum of
//! its pieces; a text covers a search as far as each word of the search has one like it there.
//! Whole numbers throughout, so that every machine gives the same answer.
//!
//! Only for search and for the words of a need: for recognizing findings it gained nothing. One
//! vector for a whole text, the sum of its words, was tried and gained nothing anywhere.

pub mod encoder;
mod pieces;

use std::sync::OnceLock;

use pieces::split_word;

/// The table that comes with the program.
const BUILT_IN: &[u8] = include_bytes!("../data/meaning.bin");

/// First bytes of a table.
const MAGIC: &[u8; 4] = b"HWM1";
const HEADER_BYTES: usize = 16;
/// Length of a vector: with 12 bits a product of two fits into 32 even when all dimensions add up.
const UNIT: i64 = 1 << 12;

/// Word pieces and their vectors.
///
/// The form of the file: `HWM1`, then number of pieces, number of dimensions and length of the
/// list of pieces, each 4 bytes, little end first; the pieces in byte order, one a line; per
/// piece a factor in 2 bytes and its vector, 4 bits a dimension with 8 as zero.
pub struct Table<'a> {
    pieces: Vec<&'a str>,
    rows: &'a [u8],
    n_dims: usize,
}

/// What a word is about: a direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector(Vec<i16>);

impl Vector {
    /// Two bytes a dimension, little end first.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    pub fn of_bytes(bytes: &[u8]) -> Self {
        Vector(bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect())
    }
}

impl Table<'static> {
    /// The table of the program, read at the first use.
    pub fn built_in() -> &'static Table<'static> {
        static TABLE: OnceLock<Table<'static>> = OnceLock::new();
        TABLE.get_or_init(|| Table::parse(BUILT_IN).expect("the table of the program is whole"))
    }
}

impl<'a> Table<'a> {
    /// `None` if the bytes are not a table.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_le_bytes(bytes) as usize)
        };
        let (n_pieces, n_dims, n_list) = (number(4)?, number(8)?, number(12)?);
        let (list, rows) = bytes.get(HEADER_BYTES..)?.split_at_checked(n_list)?;
        let pieces: Vec<&str> = std::str::from_utf8(list).ok()?.lines().collect();
        let is_whole = bytes.starts_with(MAGIC)
            && pieces.len() == n_pieces
            && n_dims.is_multiple_of(2)
            && rows.len() == n_pieces * (2 + n_dims / 2)
            && pieces.is_sorted();
        is_whole.then_some(Table { pieces, rows, n_dims })
    }

    /// What a word is about, as [`spellings`](crate::words::spellings) gives it; `None` if a part
    /// of it is not known.
    pub fn word(&self, spelling: &str) -> Option<Vector> {
        let known = |piece: &str| self.pieces.binary_search(&piece).ok();
        let mut sum = vec![0i64; self.n_dims];
        split_word(spelling, &known)?.into_iter().for_each(|at| self.add(at, &mut sum));
        unit(&sum)
    }

    fn add(&self, at: usize, sum: &mut [i64]) {
        let n_bytes = 2 + self.n_dims / 2;
        let row = &self.rows[at * n_bytes..(at + 1) * n_bytes];
        let factor = i64::from(u16::from_le_bytes([row[0], row[1]]));
        for (pair, byte) in sum.chunks_exact_mut(2).zip(&row[2..]) {
            pair[0] += factor * (i64::from(byte & 15) - 8);
            pair[1] += factor * (i64::from(byte >> 4) - 8);
        }
    }
}

/// How much two words are about the same, in thousandths: 1000 for the same direction, 0 for
/// nothing in common, negative for less than that.
pub fn similarity(a: &Vector, b: &Vector) -> i32 {
    let products = a.0.iter().zip(&b.0).map(|(a, b)| i64::from(*a) * i64::from(*b));
    let sum: i64 = products.sum();
    ((sum * 1000 + UNIT * UNIT / 2).div_euclid(UNIT * UNIT)) as i32
}

/// How much of what is asked for has its like in a text, in thousandths. Each asked word comes
/// with its weight and counts by the word of the text that is nearest to it.
///
/// ```
/// use hardwon_core::meaning::{Table, cover};
///
/// let words = |text: &str| -> Vec<_> {
///     text.split(' ').filter_map(|word| Table::built_in().word(word)).collect()
/// };
/// let asked: Vec<_> = words("buy car").into_iter().map(|word| (word, 1)).collect();
/// assert!(cover(&asked, &words("purchased automobile")) > cover(&asked, &words("baked cake")));
/// ```
pub fn cover(asked: &[(Vector, u64)], text: &[Vector]) -> u32 {
    let nearest = |word: &Vector| text.iter().map(|own| similarity(word, own)).max().unwrap_or(0);
    let of_word = |(word, weight): &(Vector, u64)| nearest(word).max(0) as u64 * weight;
    let whole: u64 = asked.iter().map(|(_, weight)| weight).sum();
    asked.iter().map(of_word).sum::<u64>().checked_div(whole).unwrap_or(0) as u32
}

/// The same direction with a length of [`UNIT`]; `None` without a direction.
fn unit(sum: &[i64]) -> Option<Vector> {
    let square: u128 = sum.iter().map(|x| u128::from(x.unsigned_abs()).pow(2)).sum();
    let length = square.isqrt() as i64;
    if length == 0 {
        return None;
    }
    Some(Vector(sum.iter().map(|x| (x * UNIT / length) as i16).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(a: &str, b: &str) -> i32 {
        let table = Table::built_in();
        similarity(&table.word(a).unwrap(), &table.word(b).unwrap())
    }

    #[test]
    fn other_words_for_the_same_are_near() {
        assert!(alike("upload", "upload") >= 995);
        for (asked, near, far) in [
            ("buy", "purchased", "baked"),
            ("picture", "image", "password"),
            ("login", "authentication", "layout"),
            ("crash", "crashed", "green"),
        ] {
            assert!(alike(asked, near) > alike(asked, far) + 100, "{asked}: {near}, {far}");
        }
    }

    #[test]
    fn the_numbers_are_the_same_everywhere() {
        let all = ["car", "automobile", "cake", "retries", "größe"];
        let numbers: Vec<i32> = all.iter().map(|word| alike(word, "vehicle")).collect();
        assert_eq!(numbers, [818, 810, 63, -57, -112]);
    }

    #[test]
    fn a_word_of_unknown_letters_is_about_nothing() {
        assert_eq!(Table::built_in().word("\u{10ffff}"), None);
        assert_eq!(Table::built_in().word(""), None);
    }

    #[test]
    fn what_is_not_a_table_is_refused() {
        let own = BUILT_IN;
        assert!(Table::parse(&own[..own.len() - 1]).is_none());
        assert!(Table::parse(b"").is_none());
        assert!(Table::parse(&[b"HWM2", &own[4..]].concat()).is_none());
    }
}
