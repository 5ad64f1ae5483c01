//! Chance that can be asked twice. Every draw is named by what it decides, not by when it
//! is made: two memories in the same world meet the same luck, so that a difference
//! between them is the memories' own.

use crate::random::{STEP, mix, share};

/// What a draw decides.
#[derive(Clone, Copy, Debug)]
pub enum Draw {
    /// How often a defect is made at all.
    Habit,
    Touched,
    Reviewed,
    Made,
    Heeded,
    Detected,
    /// Which wording comes first to mind, and whether it is used.
    Favourite,
    Favoured,
    Wording,
    SaidTwice,
    OtherWording,
    Alarmed,
    AlarmWording,
    Ruled,
    Named,
    Misblamed,
    Picked,
}

/// The luck of one world.
#[derive(Clone, Copy, Debug)]
pub struct Chance {
    pub seed: u64,
}

impl Chance {
    /// A number from 0 up to, not including, 1.
    pub fn share(&self, draw: Draw, run: usize, item: usize) -> f64 {
        let mixed = [draw as u64, run as u64, item as u64]
            .into_iter()
            .fold(mix(self.seed), |state, part| mix(state ^ mix(part.wrapping_add(STEP))));
        share(mixed)
    }

    /// Whether something of this probability happens.
    pub fn happens(&self, probability: f64, draw: Draw, run: usize, item: usize) -> bool {
        self.share(draw, run, item) < probability
    }

    /// One of `n` choices; `n` is at least 1.
    pub fn choice(&self, n: usize, draw: Draw, run: usize, item: usize) -> usize {
        ((self.share(draw, run, item) * n as f64) as usize).min(n - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_and_their_own() {
        let chance = Chance { seed: 7 };
        let n = 20_000;
        let mean = |draw| (0..n).map(|run| chance.share(draw, run, 3)).sum::<f64>() / n as f64;
        assert!((mean(Draw::Made) - 0.5).abs() < 0.01, "{}", mean(Draw::Made));
        assert_eq!(chance.share(Draw::Made, 1, 2), chance.share(Draw::Made, 1, 2));
        assert_ne!(chance.share(Draw::Made, 1, 2), chance.share(Draw::Made, 2, 1));
        assert_ne!(chance.share(Draw::Made, 1, 2), chance.share(Draw::Heeded, 1, 2));
        let other = Chance { seed: 8 };
        assert_ne!(chance.share(Draw::Made, 1, 2), other.share(Draw::Made, 1, 2));
    }
}
