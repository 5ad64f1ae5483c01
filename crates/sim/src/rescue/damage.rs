//! What can happen to a file: somebody or a disk removes it, writes something else there, or loses
//! a page of it.

use crate::random::Random;

const PAGE: usize = 4096;

/// One way to damage a file.
pub struct Damage {
    pub name: &'static str,
    harm: Harm,
}

enum Harm {
    /// The file is gone.
    Gone,
    /// Gets all bytes.
    Whole(fn(&mut [u8])),
    /// Gets one page.
    Page(fn(&mut [u8])),
}

/// Every way.
pub const DAMAGES: &[Damage] = &[
    Damage { name: "missing", harm: Harm::Gone },
    Damage { name: "zeroed", harm: Harm::Whole(|file| file.fill(0)) },
    Damage { name: "zeroed header", harm: Harm::Whole(|file| file[..100].fill(0)) },
    Damage { name: "destroyed", harm: Harm::Whole(fill_at_random) },
    Damage { name: "one page zeroed", harm: Harm::Page(|page| page.fill(0)) },
    Damage { name: "one page destroyed", harm: Harm::Page(fill_at_random) },
];

impl Damage {
    /// How many places of a file it can strike.
    pub fn n_places(&self, whole: &[u8]) -> usize {
        match self.harm {
            Harm::Gone | Harm::Whole(_) => 1,
            Harm::Page(_) => whole.len() / PAGE,
        }
    }

    /// The file, damaged at this place.
    pub fn of(&self, whole: &[u8], place: usize) -> Option<Vec<u8>> {
        let mut bytes = whole.to_vec();
        match self.harm {
            Harm::Gone => return None,
            Harm::Whole(harm) => harm(&mut bytes),
            Harm::Page(harm) => harm(&mut bytes[place * PAGE..(place + 1) * PAGE]),
        }
        Some(bytes)
    }
}

fn fill_at_random(bytes: &mut [u8]) {
    let mut random = Random::seeded(&[bytes.len() as u64]);
    bytes.iter_mut().for_each(|byte| *byte = random.index(256) as u8);
}
