//! What was worked out over all lessons, kept until the next write: a process that lives long is
//! asked the same again and again, and looking at 100,000 lessons takes a while.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The answers to one question, by what it is about, each with the version of memory at which it
/// was right.
#[derive(Debug)]
pub struct Kept<K, V, T> {
    known: RefCell<BTreeMap<K, (V, T)>>,
    limit: usize,
}

impl<K, V, T> Default for Kept<K, V, T> {
    fn default() -> Self {
        Kept::at_most(usize::MAX)
    }
}

impl<K, V, T> Kept<K, V, T> {
    /// Keeps no more answers than so many: with one more it begins anew.
    pub const fn at_most(limit: usize) -> Self {
        Kept { known: RefCell::new(BTreeMap::new()), limit }
    }
}

impl<K: Ord, V: PartialEq, T: Clone> Kept<K, V, T> {
    /// The answer that is kept if nothing was written since, else a new one. `now` has to be read
    /// on the snapshot that `work` reads, or before it: then an answer is never older than it says.
    pub fn get<E>(&self, key: K, now: V, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some((at, known)) = self.known.borrow().get(&key)
            && *at == now
        {
            return Ok(known.clone());
        }
        let answer = work()?;
        let mut known = self.known.borrow_mut();
        if known.len() >= self.limit {
            known.clear();
        }
        known.insert(key, (now, answer.clone()));
        Ok(answer)
    }

    /// The answer that is kept, whether or not something was written since: for whoever knows how
    /// to bring it up to date.
    pub fn last(&self, key: &K) -> Option<T> {
        self.known.borrow().get(key).map(|(_, known)| known.clone())
    }

    pub fn clear(&self) {
        self.known.borrow_mut().clear();
    }
}
