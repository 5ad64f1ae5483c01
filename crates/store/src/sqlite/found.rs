//! Faults as they are found, part by part: the first of them are named, the rest is counted, so
//! that a file in which everything is wrong needs no more memory than one in order.

use std::collections::{BTreeMap, BTreeSet};

/// How many faults of one sort are named.
pub(super) const MAX_NAMED: usize = 20;

/// Faults that come in any order and are named by the order of their keys.
#[derive(Clone, Debug)]
pub(super) struct Found<K> {
    first: BTreeMap<K, String>,
    n: usize,
}

impl<K> Default for Found<K> {
    fn default() -> Self {
        Found { first: BTreeMap::new(), n: 0 }
    }
}

impl<K: Ord> Found<K> {
    pub fn add(&mut self, key: K, text: String) {
        self.n += 1;
        self.first.insert(key, text);
        if self.first.len() > MAX_NAMED {
            self.first.pop_last();
        }
    }
}

impl Found<usize> {
    /// Adds one after all others.
    pub fn push(&mut self, text: String) {
        self.add(self.n, text);
    }
}

/// Faults of one sort, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Told {
    /// At most as many as are named.
    pub first: Vec<String>,
    pub n: usize,
}

impl Told {
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// With others after these.
    pub fn and(mut self, others: impl Into<Told>) -> Told {
        let others = others.into();
        self.first.extend(others.first);
        self.first.truncate(MAX_NAMED);
        self.n += others.n;
        self
    }
}

impl<K> From<Found<K>> for Told {
    fn from(found: Found<K>) -> Told {
        Told { first: found.first.into_values().collect(), n: found.n }
    }
}

impl From<Vec<String>> for Told {
    fn from(all: Vec<String>) -> Told {
        Told { n: all.len(), first: all.into_iter().take(MAX_NAMED).collect() }
    }
}

impl From<BTreeSet<String>> for Told {
    fn from(all: BTreeSet<String>) -> Told {
        Told { n: all.len(), first: all.into_iter().take(MAX_NAMED).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_by_order_are_named_and_all_are_counted() {
        let mut found = Found::default();
        (0..50).rev().for_each(|n| found.add(n, format!("fault {n}")));
        let told = Told::from(found).and(vec!["last".to_owned()]);
        assert_eq!((told.n, told.first.len()), (51, MAX_NAMED));
        assert_eq!((told.first[0].as_str(), told.first[19].as_str()), ("fault 0", "fault 19"));
        let few = Told::from(vec!["first".to_owned()]).and(vec!["last".to_owned()]);
        assert_eq!((few.n, few.first), (2, vec!["first".to_owned(), "last".to_owned()]));
    }
}
