//! When did it go? History is read once for all files that are gone, once for scripts and once
//! for names, newest commit first, and no further than to the last answer. To ask git for each
//! of them would read all of history as often.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::tree::tokens;
use super::{Ask, History};
use crate::list;
use crate::notes::claims::spellings;

/// Files that are not searched for names that went: they repeat or pack what others say.
const UNREAD: &[&str] = list!("audit.txt", "unread");

/// Manifests with scripts.
const MANIFESTS: &[&str] = list!("audit.txt", "manifests");

/// Each commit begins with this sign, which no line of a diff begins with.
const MARK: char = '\u{1f}';

/// How the head of a commit is printed.
const HEAD: &str = "--format=%x1f%h%x1f%cs%x1f%s";

/// What history is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Files that went.
    Paths,
    /// Scripts that went out of their manifests.
    Scripts,
    /// Names of which the last went.
    Names,
}

impl Pass {
    pub const ALL: &'static [Pass] = &[Pass::Paths, Pass::Scripts, Pass::Names];

    /// Arguments of git, behind `-C DIR`.
    pub fn arguments(self) -> Vec<String> {
        let first: &[&str] = match self {
            Pass::Paths => &["log", HEAD, "--no-renames", "--diff-filter=D", "--name-only"],
            Pass::Scripts | Pass::Names => &[
                "log",
                HEAD,
                "--no-renames",
                "--diff-filter=DM",
                "--no-ext-diff",
                "--no-textconv",
                "--no-color",
                "-p",
                "-U0",
            ],
        };
        let places: Vec<String> = match self {
            Pass::Paths => vec![":(top)".to_owned()],
            Pass::Scripts => MANIFESTS.iter().map(|it| format!(":(top,glob)**/{it}")).collect(),
            Pass::Names => {
                let unread = UNREAD.iter().map(|it| format!(":(top,exclude){it}"));
                std::iter::once(":(top)".to_owned()).chain(unread).collect()
            }
        };
        let first = first.iter().chain(&["--"]).map(|it| (*it).to_owned());
        first.chain(places).collect()
    }

    fn is_for(self, ask: &Ask) -> bool {
        match ask {
            Ask::Path(_) => self == Pass::Paths,
            Ask::Script(_) => self == Pass::Scripts,
            Ask::Name(_) => self == Pass::Names,
        }
    }
}

/// One pass over history, line by line.
pub struct Reading {
    pass: Pass,
    /// Every spelling of what is still looked for, and what it means.
    open: HashMap<String, Ask>,
    n_open: usize,
    head: Option<(String, String, String)>,
    /// Whether the lines of a change follow, and not its head.
    is_change: bool,
    found: BTreeMap<Ask, History>,
}

impl Reading {
    /// `None` if this pass has nothing to look for.
    pub fn new<'a>(pass: Pass, asks: impl IntoIterator<Item = &'a Ask>) -> Option<Reading> {
        let asks: BTreeSet<&Ask> = asks.into_iter().filter(|ask| pass.is_for(ask)).collect();
        let mut open = HashMap::new();
        for ask in &asks {
            let names = match ask {
                Ask::Path(path) => vec![path.clone()],
                Ask::Script(name) => vec![name.clone()],
                Ask::Name(name) => {
                    spellings(name).into_iter().filter(|it| says_it(it, name)).collect()
                }
            };
            open.extend(names.into_iter().map(|name| (name, (*ask).clone())));
        }
        let n_open = asks.len();
        let (head, is_change, found) = (None, false, BTreeMap::new());
        (n_open > 0).then_some(Reading { pass, open, n_open, head, is_change, found })
    }

    /// Takes the next line; whether more has to be read.
    pub fn take(&mut self, line: &str) -> bool {
        if let Some(head) = line.strip_prefix(MARK) {
            let mut parts = head.splitn(3, MARK).map(str::to_owned);
            self.head =
                parts.next().zip(parts.next()).zip(parts.next()).map(|((a, b), c)| (a, b, c));
            self.is_change = false;
        } else if self.pass == Pass::Paths {
            self.take_path(line);
        } else if line.starts_with("diff --git ") {
            self.is_change = false;
        } else if line.starts_with("@@") {
            self.is_change = true;
        } else if let Some(removed) = line.strip_prefix('-').filter(|_| self.is_change) {
            self.take_removed(removed);
        }
        self.n_open > 0
    }

    /// The answers so far.
    pub fn found(self) -> BTreeMap<Ask, History> {
        self.found
    }

    /// A file that went answers for itself, however much of its path is named, and for every
    /// folder above it.
    fn take_path(&mut self, path: &str) {
        let cuts: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
        let ends = std::iter::once(path).chain(cuts.iter().map(|at| &path[at + 1..]));
        let folders = cuts.iter().map(|at| &path[..*at]);
        let asked: Vec<Ask> =
            ends.chain(folders).filter_map(|part| self.open.get(part).cloned()).collect();
        for ask in asked {
            self.answer(ask, Some(path.to_owned()));
        }
    }

    fn take_removed(&mut self, line: &str) {
        let asked: Vec<Ask> = match self.pass {
            Pass::Paths => Vec::new(),
            Pass::Scripts => {
                script(line).and_then(|name| self.open.get(name)).cloned().into_iter().collect()
            }
            Pass::Names => tokens(line).filter_map(|name| self.open.get(name)).cloned().collect(),
        };
        for ask in asked {
            self.answer(ask, None);
        }
    }

    fn answer(&mut self, ask: Ask, file: Option<String>) {
        let Some((commit, date, subject)) = self.head.clone() else { return };
        if let std::collections::btree_map::Entry::Vacant(place) = self.found.entry(ask) {
            place.insert(History { commit, date, subject, file, renamed_to: None });
            self.n_open -= 1;
        }
    }
}

/// Whether a spelling of a flag is enough to say that this flag went: a plain word is not.
fn says_it(spelling: &str, flag: &str) -> bool {
    spelling == flag || spelling.contains(['-', '_']) || spelling.contains(char::is_uppercase)
}

/// The script that a line of a manifest gives: `"seed": "…"`, `seed: deps`, `seed arg:`.
fn script(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches(['"', '\'', '@']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-:.".contains(c);
    let end = line.find(|c: char| !is_part(c)).unwrap_or(line.len());
    let name = line[..end].trim_end_matches(':');
    let has_colon = line[name.len()..].contains(':');
    (has_colon && !name.is_empty()).then_some(name)
}

/// Arguments of git that give what these commits renamed.
pub fn renames<'a>(found: impl IntoIterator<Item = &'a History>) -> Option<Vec<String>> {
    let with_file = found.into_iter().filter(|history| history.file.is_some());
    let mut commits: Vec<String> = with_file.map(|history| history.commit.clone()).collect();
    commits.sort();
    commits.dedup();
    let first = ["log", "--no-walk", HEAD, "-M", "--diff-filter=R", "--name-status"];
    let arguments = first.iter().map(|it| (*it).to_owned()).chain(commits.iter().cloned());
    (!commits.is_empty()).then(|| arguments.chain(["--".to_owned()]).collect())
}

/// Notes in each answer what its file is called since, by what git printed for [`renames`].
pub fn take_renames(found: &mut BTreeMap<Ask, History>, output: &str) {
    let mut commit = "";
    let mut moved: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for line in output.lines() {
        if let Some(head) = line.strip_prefix(MARK) {
            commit = head.split(MARK).next().unwrap_or_default();
        } else if line.starts_with('R') {
            let mut parts = line.split('\t').skip(1);
            if let (Some(old), Some(new)) = (parts.next(), parts.next()) {
                moved.insert((commit, old), new);
            }
        }
    }
    for (ask, history) in found {
        let Ask::Path(asked) = ask else { continue };
        let Some(file) = history.file.as_deref() else { continue };
        let Some(new) = moved.get(&(history.commit.as_str(), file)) else { continue };
        // Of a folder the part behind it has to be the same.
        let behind = file.strip_prefix(asked.as_str()).filter(|rest| rest.starts_with('/'));
        history.renamed_to = match behind {
            Some(rest) => new.strip_suffix(rest).map(str::to_owned),
            None => Some((*new).to_owned()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pass: Pass, asks: &[Ask], lines: &[&str]) -> BTreeMap<Ask, History> {
        let mut reading = Reading::new(pass, asks).expect("something is asked");
        for line in lines {
            if !reading.take(line) {
                break;
            }
        }
        reading.found()
    }

    fn commit_of<'a>(found: &'a BTreeMap<Ask, History>, ask: &Ask) -> Option<&'a str> {
        found.get(ask).map(|history| history.commit.as_str())
    }

    #[test]
    fn files_that_went_are_found_by_any_part_of_their_path() {
        let path = |text: &str| Ask::Path(text.to_owned());
        let asks = [path("token.rs"), path("web/src"), path("a/b.md"), path("never.rs")];
        let lines = ["\u{1f}c2\u{1f}2026-05-02\u{1f}move: it", "", "src/token.rs", "src/x.rs"];
        let older = ["\u{1f}c1\u{1f}2026-05-01\u{1f}a\u{1f}b", "", "web/src/app.ts", "token.rs"];
        let mut found = read(Pass::Paths, &asks, &[&lines[..], &older[..]].concat());
        assert_eq!(commit_of(&found, &asks[0]), Some("c2"), "the newest counts");
        assert_eq!(commit_of(&found, &asks[1]), Some("c1"));
        assert_eq!(found.len(), 2);
        let arguments = renames(found.values()).expect("two went");
        assert!(arguments.contains(&"c1".to_owned()) && arguments.contains(&"c2".to_owned()));
        let output = "\u{1f}c2\u{1f}d\u{1f}s\n\nR100\tsrc/token.rs\tsrc/auth/token.rs\n\
                      \u{1f}c1\u{1f}d\u{1f}s\nR090\tweb/src/app.ts\tui/src/app.ts\n";
        take_renames(&mut found, output);
        assert_eq!(found[&asks[0]].renamed_to.as_deref(), Some("src/auth/token.rs"));
        assert_eq!(found[&asks[1]].renamed_to.as_deref(), Some("ui/src"));
    }

    #[test]
    fn names_are_found_where_they_were_removed() {
        let name = |text: &str| Ask::Name(text.to_owned());
        let asks = [name("legacy_login"), name("--wipe-all"), name("--force"), name("diff")];
        let lines = [
            "\u{1f}c3\u{1f}2026-05-03\u{1f}add",
            "diff --git a/x.rs b/x.rs",
            "--- a/legacy_login.rs",
            "+++ b/x.rs",
            "@@ -1 +1,2 @@",
            "+fn legacy_login() {}",
            "-fn legacy_login_all(force: bool) {}",
            "\u{1f}c2\u{1f}2026-05-02\u{1f}remove",
            "diff --git a/x.rs b/x.rs",
            "@@ -1,2 +0,0 @@",
            "-fn legacy_login() {}",
            "-    wipe_all: bool,",
        ];
        let found = read(Pass::Names, &asks, &lines);
        assert_eq!(commit_of(&found, &asks[0]), Some("c2"));
        assert_eq!(commit_of(&found, &asks[1]), Some("c2"));
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn scripts_are_found_in_their_manifests() {
        for (line, expected) in [
            ("    \"test:e2e\": \"x\",", Some("test:e2e")),
            ("seed: build", Some("seed")),
            ("seed name=\"a\":", Some("seed")),
            ("\techo seed", None),
            ("    \"version\"", None),
        ] {
            assert_eq!(script(line), expected, "{line}");
        }
        let asks = [Ask::Script("seed".to_owned())];
        let lines = ["\u{1f}c\u{1f}d\u{1f}s", "@@ -1 +0,0 @@", "-  \"seed\": \"node seed.js\","];
        assert_eq!(commit_of(&read(Pass::Scripts, &asks, &lines), &asks[0]), Some("c"));
        assert!(Reading::new(Pass::Paths, &asks).is_none());
    }
}
