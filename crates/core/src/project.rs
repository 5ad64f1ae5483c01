//! Whose memory is meant? A project is an id with a name for people and the checkouts that
//! belong to it. What joins a checkout to its project is what a clone cannot bring: where it
//! lies, and a mark inside its git directory. Which project a checkout belongs to is decided
//! in `resolve`.

mod resolve;

use serde::{Deserialize, Serialize};

use crate::digest::{base32, sha256};
use crate::ids::ProjectId;
use crate::team::Team;

pub use resolve::{KnownProjects, Reason, Resolution, Sighting, joined, resolve, with_lineage};

/// Characters of a mark after `m-`.
const MARK_CHARS: usize = 26;

/// A project as the store describes it. Every project begins with its id and nothing else,
/// and named ones stay so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub id: ProjectId,
    /// What people call it; `None` = by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What two clones of one repository have in common: a digest of first commit and remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<String>,
    /// By path; no path twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkouts: Vec<Checkout>,
    /// Who works on it; `None` = whoever has the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Team>,
}

/// A folder that belongs to a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Checkout {
    /// The folder, or the git common directory where no folder owns it.
    pub path: String,
    /// What its git directory carried; `None` if there was nothing to be read or written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

/// What a git directory carries and a clone does not copy: `m-` and 26 base32 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Mark(String);

impl Project {
    pub fn bare(id: ProjectId) -> Self {
        Project { id, name: None, lineage: None, checkouts: Vec::new(), team: None }
    }

    /// Whether nothing is known of it but its id.
    pub fn is_bare(&self) -> bool {
        let Project { id: _, name, lineage, checkouts, team } = self;
        name.is_none() && lineage.is_none() && checkouts.is_empty() && team.is_none()
    }

    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(self.id.as_str())
    }

    pub fn has_path(&self, path: &str) -> bool {
        self.checkouts.iter().any(|known| known.path == path)
    }

    /// The same with this checkout, which takes the place of one at the same path.
    pub fn with(mut self, checkout: Checkout) -> Self {
        self.checkouts.retain(|known| known.path != checkout.path);
        self.checkouts.push(checkout);
        self.checkouts.sort();
        self
    }

    /// The same without what lies at this path.
    pub fn without(mut self, path: &str) -> Self {
        self.checkouts.retain(|known| known.path != path);
        self
    }
}

impl Mark {
    /// The mark that follows from these: the first line of a reflog, or what chance gave.
    pub fn derive(parts: &[&str]) -> Self {
        let parts: Vec<&str> = std::iter::once("mark").chain(parts.iter().copied()).collect();
        Mark(format!("m-{}", &base32(&sha256(&parts))[..MARK_CHARS]))
    }

    /// Reads a mark; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("m-")?;
        let is_mark = rest.len() == MARK_CHARS && rest.bytes().all(|b| b.is_ascii_alphanumeric());
        is_mark.then(|| Mark(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id of a new project in a git repository: the folder's name for people, and a digest of
/// what tells it from every other. Deterministic, so that it is the same before anything was
/// written; where `is_taken`, another.
pub fn new_id(
    path: &str,
    mark: Option<&Mark>,
    mut is_taken: impl FnMut(&ProjectId) -> bool,
) -> ProjectId {
    let folder = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let folder: String = folder.chars().take(40).map(plain).collect();
    let mark = mark.map_or("", Mark::as_str);
    let ids = (0u32..).map(|n| {
        let digest = base32(&sha256(&["project", path, mark, &n.to_string()]));
        ProjectId::new(&format!("{folder}-{}", &digest[..10]))
    });
    ids.into_iter().find(|id| !is_taken(id)).expect("there is always another number")
}

/// What clones of one repository have in common.
pub fn lineage(first_commit: &str, remote: &str) -> String {
    format!("g-{}", &base32(&sha256(&["lineage", first_commit, plain_remote(remote)]))[..26])
}

/// A remote without what differs between people: scheme, user, password, ending.
fn plain_remote(remote: &str) -> &str {
    let remote = remote.trim().trim_end_matches('/');
    let remote = remote.strip_suffix(".git").unwrap_or(remote);
    let remote = remote.split_once("://").map_or(remote, |(_, rest)| rest);
    let host_end = remote.find('/').unwrap_or(remote.len());
    remote[..host_end].rfind('@').map_or(remote, |at| &remote[at + 1..])
}

/// Whether this is a path as it is on the disk: nothing was redacted, cut or replaced.
pub fn is_faithful(path: &str) -> bool {
    let is_digest = |tail: &str| tail.len() == 12 && tail.bytes().all(|b| b.is_ascii_hexdigit());
    let is_replaced = path.rsplit_once('#').is_some_and(|(_, tail)| is_digest(tail));
    path.starts_with('/') && !is_replaced && !path.contains(char::REPLACEMENT_CHARACTER)
}

/// The projects that are called so: by id, else by name or path of a checkout, else by prefix of
/// the id.
pub fn named<'a>(all: &'a [Project], name: &str) -> Vec<&'a Project> {
    let ways: [&dyn Fn(&Project) -> bool; 3] = [
        &|known| known.id.as_str() == name,
        &|known| known.title() == name || known.has_path(name),
        &|known| known.id.as_str().starts_with(name),
    ];
    let found = ways.into_iter().map(|fits| all.iter().filter(|known| fits(known)).collect());
    found.into_iter().find(|found: &Vec<_>| !found.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_their_grammar() {
        let mark = Mark::derive(&["0000 1234 ada"]);
        assert_eq!(Mark::parse(mark.as_str()), Some(mark.clone()));
        assert_ne!(mark, Mark::derive(&["0000 1234 bob"]));
        for bad in
            ["", "m-", "m-short", "x-0123456789abcdefghjkmnpqrs", "m-0123456789../../etc/passwd"]
        {
            assert_eq!(Mark::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn new_ids_name_the_folder_and_are_never_taken() {
        let first = new_id("/home/ada/my shop", None, |_| false);
        assert!(first.as_str().starts_with("my-shop-"), "{first}");
        assert_eq!(first, new_id("/home/ada/my shop", None, |_| false));
        assert_ne!(first, new_id("/home/ada/my shop", None, |id| *id == first));
        assert_ne!(first, new_id("/home/bob/my shop", None, |_| false));
        let mark = Mark::derive(&["line"]);
        assert_ne!(first, new_id("/home/ada/my shop", Some(&mark), |_| false));
        assert!(new_id("/", None, |_| false).as_str().starts_with('-'));
    }

    #[test]
    fn a_lineage_does_not_depend_on_who_cloned_how() {
        let of = |remote: &str| lineage("abc", remote);
        let shop = of("https://example.com/shop");
        for same in [
            "https://ada:token@example.com/shop.git",
            "ssh://git@example.com/shop.git/",
            "https://example.com/shop/",
        ] {
            assert_eq!(of(same), shop, "{same}");
        }
        assert_ne!(of("https://example.com/bakery"), shop);
        assert_ne!(lineage("abd", "https://example.com/shop"), shop);
    }
}
