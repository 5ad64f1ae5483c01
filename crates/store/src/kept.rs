//! What was worked out over all lessons, kept until the next write: a process that lives long is
//! asked the same again and again, and looking at 100,000 lessons takes a while.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The answers to one question, by what it is about, each with the version of memory at which it
/// was right.
#[derive(Debug)]
pub struct Kept<K, V, T>(RefCell<BTreeMap<K, (V, T)>>);

impl<K, V, T> Default for Kept<K, V, T> {
    fn default() -> Self {
        Kept(RefCell::default())
    }
}

impl<K: Ord, V: PartialEq, T: Clone> Kept<K, V, T> {
    /// The answer that is kept if nothing was written since, else a new one. `now` has to be read
    /// on the snapshot that `work` reads, or before it: then an answer is never older than it says.
    pub fn get<E>(&self, key: K, now: V, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some((at, known)) = self.0.borrow().get(&key)
            && *at == now
        {
            return Ok(known.clone());
        }
        let answer = work()?;
        self.0.borrow_mut().insert(key, (now, answer.clone()));
        Ok(answer)
    }

    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}
