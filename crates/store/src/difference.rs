//! In which rows do two states differ? What a write has to do to a database.

use std::collections::BTreeMap;

/// A key, what stood there, and what is to stand there.
pub(crate) type Difference<'a, K, V> = (&'a K, Option<&'a V>, Option<&'a V>);

/// Keys whose rows differ, with both versions.
pub(crate) fn differing<'a, K: Ord, V: PartialEq>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> Vec<Difference<'a, K, V>> {
    let added = after.iter().filter(|(key, _)| !before.contains_key(key));
    let added = added.map(|(key, row)| (key, None, Some(row)));
    let others = before.iter().map(|(key, row)| (key, Some(row), after.get(key)));
    others.filter(|(_, was, is)| was != is).chain(added).collect()
}
