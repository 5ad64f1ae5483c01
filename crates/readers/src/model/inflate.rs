//! Unpacks what was packed with deflate (RFC 1951). Written out because one file of one command
//! needs it; a wrong or cut-off stream gives nothing.

const N_LENGTHS: usize = 16;
/// Begin and extra bits of each length of a repetition.
const LENGTHS: [(usize, u32); 29] = steps::<29>(3, 4);
/// The same for distances.
const DISTANCES: [(usize, u32); 30] = steps::<30>(1, 2);
/// The order in which lengths of code lengths are given.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Groups of so many codes, each with one more extra bit than the group before. Of the lengths,
/// the first two groups have none.
const fn steps<const N: usize>(first: usize, group: usize) -> [(usize, u32); N] {
    let mut all = [(0, 0); N];
    let (mut at, mut begin) = (0, first);
    while at < N {
        let extra = if at < 2 * group { 0 } else { (at / group - 1) as u32 };
        all[at] = (begin, extra);
        begin += 1 << extra;
        at += 1;
    }
    all
}

/// What was packed, if it is whole and has no more than `n_bytes`.
pub fn inflate(packed: &[u8], n_bytes: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { bytes: packed, at: 0, held: 0, n_held: 0 };
    let mut out = Vec::with_capacity(n_bytes);
    loop {
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out)?,
            1 => {
                let lengths: Vec<u8> = (0..288).map(fixed_length).collect();
                block(&mut bits, &mut out, &Code::new(&lengths), &Code::new(&[5; 30]), n_bytes)?;
            }
            2 => {
                let (literals, distances) = codes(&mut bits)?;
                block(&mut bits, &mut out, &literals, &distances, n_bytes)?;
            }
            _ => return None,
        }
        if is_last || out.len() > n_bytes {
            return Some(out).filter(|out| out.len() <= n_bytes);
        }
    }
}

fn fixed_length(symbol: usize) -> u8 {
    match symbol {
        144..=255 => 9,
        256..=279 => 7,
        _ => 8,
    }
}

/// Bits, the lowest of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u64,
    n_held: u32,
}

impl Bits<'_> {
    fn fill(&mut self) {
        while self.n_held <= 48 && self.at < self.bytes.len() {
            self.held |= u64::from(self.bytes[self.at]) << self.n_held;
            self.at += 1;
            self.n_held += 8;
        }
    }

    fn take(&mut self, n: u32) -> Option<usize> {
        self.fill();
        if self.n_held < n {
            return None;
        }
        let taken = self.held & ((1 << n) - 1);
        self.held >>= n;
        self.n_held -= n;
        Some(taken as usize)
    }
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>) -> Option<()> {
    bits.take(bits.n_held % 8)?;
    let (n, complement) = (bits.take(16)?, bits.take(16)?);
    if n != !complement & 0xffff {
        return None;
    }
    for _ in 0..n {
        out.push(bits.take(8)? as u8);
    }
    Some(())
}

/// A Huffman code: how many codes have each length, and the symbols in the order of their codes.
struct Code {
    counts: [usize; N_LENGTHS],
    symbols: Vec<usize>,
}

impl Code {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; N_LENGTHS];
        let mut symbols: Vec<usize> = (0..lengths.len()).filter(|at| lengths[*at] > 0).collect();
        symbols.iter().for_each(|at| counts[usize::from(lengths[*at])] += 1);
        symbols.sort_by_key(|at| lengths[*at]);
        Code { counts, symbols }
    }

    fn read(&self, bits: &mut Bits<'_>) -> Option<usize> {
        bits.fill();
        let (mut code, mut first, mut index) = (0usize, 0usize, 0usize);
        for (length, count) in (1..).zip(&self.counts[1..]) {
            if bits.n_held < length {
                return None;
            }
            code |= (bits.held >> (length - 1) & 1) as usize;
            if code < first + count {
                bits.held >>= length;
                bits.n_held -= length;
                return self.symbols.get(index + code.checked_sub(first)?).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// The two codes at the beginning of a block.
fn codes(bits: &mut Bits<'_>) -> Option<(Code, Code)> {
    let (n_literals, n_distances) = (bits.take(5)? + 257, bits.take(5)? + 1);
    let n_orders = bits.take(4)? + 4;
    let mut lengths = [0u8; 19];
    for at in &ORDER[..n_orders] {
        lengths[*at] = bits.take(3)? as u8;
    }
    let code = Code::new(&lengths);
    let mut all: Vec<u8> = Vec::with_capacity(n_literals + n_distances);
    while all.len() < n_literals + n_distances {
        let (length, n) = match code.read(bits)? {
            length @ 0..=15 => (length as u8, 1),
            16 => (*all.last()?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            _ => (0, bits.take(7)? + 11),
        };
        all.extend(std::iter::repeat_n(length, n));
    }
    let distances = all.get(n_literals..n_literals + n_distances)?;
    Some((Code::new(&all[..n_literals]), Code::new(distances)))
}

fn block(
    bits: &mut Bits<'_>,
    out: &mut Vec<u8>,
    literals: &Code,
    distances: &Code,
    n_bytes: usize,
) -> Option<()> {
    while out.len() <= n_bytes {
        match literals.read(bits)? {
            literal @ 0..=255 => out.push(literal as u8),
            256 => return Some(()),
            // The longest one has a code of its own.
            285 => repeat(bits, out, 258, distances)?,
            symbol => {
                let (begin, extra) = *LENGTHS.get(symbol - 257)?;
                let length = begin + bits.take(extra)?;
                repeat(bits, out, length, distances)?;
            }
        }
    }
    None
}

fn repeat(bits: &mut Bits<'_>, out: &mut Vec<u8>, length: usize, distances: &Code) -> Option<()> {
    let (begin, extra) = *DISTANCES.get(distances.read(bits)?)?;
    let distance = begin + bits.take(extra)?;
    let from = out.len().checked_sub(distance)?;
    for at in from..from + length {
        out.push(out[at]);
    }
    Some(())
}
