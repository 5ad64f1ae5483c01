//! Where does the run of one set of bytes end that stands at a place?
//!
//! Many shapes ask this at many places of one run. What was read is remembered, so that a run
//! is read once per set.

use super::shapes::Set;

/// A shape has at most five runs, and none looks further ahead than its own parts; what is
/// remembered may be as many again.
const N_REMEMBERED: usize = 10;

/// Shorter runs are read again: that is faster than to look them up.
const SHORT: usize = 16;

/// The runs that were read last, of each set.
#[derive(Default)]
pub(super) struct Runs {
    sets: [Recent; Set::N],
    #[cfg(test)]
    n_read: usize,
}

#[derive(Clone, Copy, Default)]
struct Recent {
    /// `(start, end)`: all bytes between are of the set, that at `end` is not.
    runs: [(usize, usize); N_REMEMBERED],
    /// Which is overwritten next.
    next: usize,
}

impl Runs {
    /// The end of the run of `set` at `from`; `from` itself if there is none.
    pub(super) fn end(&mut self, bytes: &[u8], from: usize, set: Set) -> usize {
        let of_set = |byte: &&u8| set.has(**byte);
        let rest = bytes.get(from..).unwrap_or_default();
        let n_first = rest.iter().take(SHORT).take_while(of_set).count();
        self.count(n_first);
        if n_first < SHORT {
            return from + n_first;
        }
        let recent = &mut self.sets[set as usize];
        let known = recent.runs.iter().find(|(start, end)| (*start..*end).contains(&from));
        if let Some((_, end)) = known {
            return *end;
        }
        let n = n_first + rest[n_first..].iter().take_while(of_set).count();
        recent.runs[recent.next] = (from, from + n);
        recent.next = (recent.next + 1) % N_REMEMBERED;
        self.count(n - n_first);
        from + n
    }

    #[cfg(not(test))]
    fn count(&mut self, _n: usize) {}

    #[cfg(test)]
    fn count(&mut self, n: usize) {
        self.n_read += n;
    }

    /// How many bytes were read so far.
    #[cfg(test)]
    pub(super) fn n_read(&self) -> usize {
        self.n_read
    }
}
