//! What can happen to a page of a file: a disk that lost it, wrote something else there, or was
//! interrupted in the middle of it.

pub const PAGE: usize = 4096;

/// One way to damage a page.
pub struct Damage {
    pub name: &'static str,
    /// Gets the page and its number.
    apply: fn(&mut [u8], u64),
}

/// Every way.
pub const DAMAGES: &[Damage] = &[
    Damage { name: "zeros", apply: |page, _| page.fill(0) },
    Damage { name: "random bytes", apply: |page, seed| fill_at_random(page, seed) },
    Damage { name: "flipped bits", apply: flip },
    Damage { name: "first half torn", apply: |page, _| page[..PAGE / 2].fill(0) },
    Damage { name: "second half torn", apply: |page, _| page[PAGE / 2..].fill(0) },
];

impl Damage {
    /// The file with this page damaged.
    pub fn of(&self, whole: &[u8], page: usize) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        (self.apply)(&mut bytes[page * PAGE..(page + 1) * PAGE], page as u64);
        bytes
    }
}

fn fill_at_random(page: &mut [u8], seed: u64) {
    let mut state = seed;
    page.iter_mut().for_each(|byte| *byte = next(&mut state) as u8);
}

/// Eight bits, anywhere on the page.
fn flip(page: &mut [u8], seed: u64) {
    let mut state = seed;
    for _ in 0..8 {
        let place = next(&mut state) as usize % page.len();
        page[place] ^= 1 << (next(&mut state) % 8);
    }
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}
