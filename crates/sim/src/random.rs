//! Chance that can be asked again: same seed, same numbers, on every machine.

pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64: every bit of the input moves every bit of the output.
pub fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(STEP);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// From 0 to below 1.
pub fn share(number: u64) -> f64 {
    (number >> 11) as f64 / (1u64 << 53) as f64
}

/// A reproducible row of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn seeded(parts: &[u64]) -> Self {
        let mut random = Random(0x4861_7264_776f_6e21);
        for part in parts {
            random.0 ^= part.wrapping_add(1).wrapping_mul(STEP);
            random.0 = random.next();
        }
        random
    }

    /// The row of a seed and a name: those of two names have nothing to do with each other.
    pub fn named(seed: u64, name: &str) -> Self {
        let parts: Vec<u64> = [seed].into_iter().chain(name.bytes().map(u64::from)).collect();
        Random::seeded(&parts)
    }

    fn next(&mut self) -> u64 {
        let mixed = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        mixed
    }

    /// From 0 to below 1.
    pub fn share(&mut self) -> f64 {
        share(self.next())
    }

    /// From 0 to below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        (self.share() * n as f64) as u64
    }

    /// An index of `n` items.
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// `length` characters of an ASCII alphabet.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(self.pick(alphabet.as_bytes()))).collect()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).rev().for_each(|at| items.swap(at, self.index(at + 1)));
    }
}
