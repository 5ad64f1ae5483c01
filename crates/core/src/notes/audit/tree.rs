//! What one walk of the tree found: which files there are, where the wanted names stand, and what
//! the manifests say.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Fact;
use crate::list;
use crate::notes::claims::{Claim, spellings};
use crate::notes::manifest::{FieldKind, ManifestField};

/// How many lines with a name are kept: enough to find one that gives it a value.
const MAX_LINES: usize = 40;

/// Longest line that is kept, in bytes.
const MAX_LINE_BYTES: usize = 300;

/// Files that repeat what facts say, or tell what was: a name that stands only there is gone.
const TELLING: &[&str] = list!("audit.txt", "telling");

/// Endings of what is written for people.
const PROSE: &[&str] = list!("audit.txt", "prose");

/// A line in which a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitLine {
    pub file: String,
    pub line: usize,
    pub text: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    pub n: usize,
    pub lines: Vec<HitLine>,
}

/// The tree as far as facts ask for it.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    wanted: HashSet<String>,
    /// Every file, in byte order, and every folder.
    paths: BTreeSet<String>,
    /// Last part of every path, to the paths that end in it.
    by_name: BTreeMap<String, Vec<String>>,
    pub(super) hits: BTreeMap<String, Hits>,
    pub(super) manifests: Vec<ManifestField>,
}

impl Tree {
    /// An empty tree that knows what these facts want to know.
    pub fn for_facts(facts: &[Fact]) -> Self {
        let claims = facts.iter().flat_map(|fact| &fact.claims);
        let wanted = claims.flat_map(|claimed| match &claimed.claim {
            Claim::Symbol(name) | Claim::Flag(name) => spellings(name),
            Claim::Value { name, .. } => vec![name.clone()],
            Claim::Path(_) | Claim::Script { .. } | Claim::Version { .. } => Vec::new(),
            Claim::Date(_) | Claim::RelativeDate(_) => Vec::new(),
        });
        Tree { wanted: wanted.collect(), ..Tree::default() }
    }

    /// Whether contents are asked for at all.
    pub fn wants_text(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// One file of the tree, by its path from the root with `/` between.
    pub fn take_path(&mut self, path: &str) {
        let mut rest = path;
        loop {
            if !self.paths.insert(rest.to_owned()) {
                break;
            }
            let name = rest.rsplit('/').next().unwrap_or(rest);
            self.by_name.entry(name.to_owned()).or_default().push(rest.to_owned());
            match rest.rsplit_once('/') {
                Some((folder, _)) => rest = folder,
                None => break,
            }
        }
    }

    /// The content of a file that is text.
    pub fn take_text(&mut self, path: &str, text: &str) {
        if self.wanted.is_empty() || is_telling(path) {
            return;
        }
        for (number, line) in text.lines().enumerate() {
            for token in tokens(line) {
                if !self.wanted.contains(token) {
                    continue;
                }
                let hits = self.hits.entry(token.to_owned()).or_default();
                hits.n += 1;
                if hits.lines.len() < MAX_LINES && line.len() <= MAX_LINE_BYTES {
                    let (file, text) = (path.to_owned(), line.trim().to_owned());
                    hits.lines.push(HitLine { file, line: number + 1, text });
                }
            }
        }
    }

    /// What the manifests of the tree say.
    pub fn take_manifest(&mut self, fields: impl IntoIterator<Item = ManifestField>) {
        self.manifests.extend(fields);
    }

    /// Whether a path is there, from the root or as the end of another.
    pub(super) fn has_path(&self, path: &str) -> bool {
        let end = format!("/{path}");
        let name = path.rsplit('/').next().unwrap_or(path);
        let same = self.by_name.get(name).into_iter().flatten();
        self.paths.contains(path) || same.into_iter().any(|known| known.ends_with(&end))
    }

    /// Files of this name elsewhere.
    pub(super) fn namesakes(&self, path: &str) -> &[String] {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn n_hits(&self, name: &str) -> usize {
        self.hits.get(name).map_or(0, |hits| hits.n)
    }

    pub(super) fn is_dependency(&self, name: &str) -> bool {
        let is_it = |field: &ManifestField| {
            let same = field.name.replace('-', "_").eq_ignore_ascii_case(&name.replace('-', "_"));
            field.kind == FieldKind::Dependency && same
        };
        self.manifests.iter().any(is_it)
    }

    /// Whether a script is there; `None` if no manifest of its runner is.
    pub(super) fn has_script(&self, runner: &str, name: &str) -> Option<bool> {
        let is_of = |field: &&ManifestField| {
            let is_node = field.file.ends_with("package.json");
            field.kind == FieldKind::Script
                && match runner {
                    "npm" | "pnpm" | "yarn" | "bun" => is_node,
                    "composer" => field.file.ends_with("composer.json"),
                    _ => !is_node,
                }
        };
        let mut scripts = self.manifests.iter().filter(is_of).peekable();
        scripts.peek()?;
        Some(scripts.any(|field| field.name == name))
    }
}

/// Names of a line, its flags, and words with dashes.
pub(super) fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let names = line.split(move |c: char| !is_name(c)).filter(|word| word.len() >= 3);
    let is_dashed = move |c: char| is_name(c) || c == '-';
    let dashed = line.split(move |c: char| !is_dashed(c)).flat_map(|word| {
        let bare = word.trim_matches('-');
        let is_flag = bare.len() >= 3 && word.len() - word.trim_start_matches('-').len() == 2;
        let dashed = Some(bare).filter(|bare| bare.contains('-'));
        dashed.into_iter().chain(is_flag.then(|| word.trim_end_matches('-')))
    });
    names.chain(dashed)
}

fn is_telling(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_prose = PROSE.iter().any(|end| name.ends_with(end));
    let stem = name.split('.').next().unwrap_or_default();
    is_prose && TELLING.iter().any(|word| stem.contains(word)) || path.starts_with(".claude/")
}
