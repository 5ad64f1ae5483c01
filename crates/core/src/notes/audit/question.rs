//! What is history asked about a fact that failed the search? One question each, as arguments of
//! one `git log`.

use super::{Fact, Tree};
use crate::notes::claims::{Claim, Claimed, is_code_name};

/// What history is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// Which commit took this file away, or renamed it?
    Path(String),
    /// Which commit took the last of these names away?
    Name(String),
    /// Which commit took this script out of its manifest?
    Script(String),
}

/// One question about one fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Which of the facts.
    pub fact: usize,
    /// Which of its claims.
    pub claim: usize,
    pub ask: Ask,
}

/// What history answered: the newest commit that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// Short, as people quote it.
    pub commit: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    pub subject: String,
    /// What the file is called since, where it was renamed.
    pub renamed_to: Option<String>,
}

impl Ask {
    /// Arguments of `git log`, behind `-C DIR` and `log`. The first line of its output has commit,
    /// date and subject with a unit separator between; lines such as `R100\told\tnew` follow.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> =
            ["-1", "--format=%h%x1f%cs%x1f%s"].iter().map(|it| (*it).to_owned()).collect();
        match self {
            Ask::Path(path) => {
                // Only with the full diff of the commit can a file that went be one that moved.
                let more = ["--diff-filter=DR", "-M", "--name-status", "--full-diff", "--"];
                arguments.extend(more.iter().map(|it| (*it).to_owned()));
                arguments.extend([
                    format!(":(top,glob){}", escaped(path)),
                    format!(":(top,glob)**/{}", escaped(path)),
                    format!(":(top,glob){}/**", escaped(path)),
                ]);
            }
            Ask::Name(name) => {
                arguments.extend(["-S".to_owned() + name, "--".to_owned(), ":(top)".to_owned()]);
                let prose = ["*.md", "*.txt", "*.rst"];
                arguments.extend(prose.iter().map(|it| format!(":(top,exclude){it}")));
            }
            Ask::Script(name) => {
                arguments.push(format!("-G(^|[\"' ]){name}[\"']?[ ]*:"));
                arguments.push("--".to_owned());
                let files = ["package.json", "Makefile", "makefile", "justfile", "composer.json"];
                arguments.extend(files.iter().map(|it| format!(":(top,glob)**/{it}")));
            }
        }
        arguments
    }

    /// The path that is asked about: one that git is told to ignore is made when it is needed, and
    /// being gone means nothing.
    pub fn path(&self) -> Option<&str> {
        match self {
            Ask::Path(path) => Some(path),
            Ask::Name(_) | Ask::Script(_) => None,
        }
    }

    /// Reads the output of that `git log`; `None` if it knows nothing.
    pub fn answer(&self, output: &str) -> Option<History> {
        let mut lines = output.lines();
        let mut head = lines.next()?.splitn(3, '\u{1f}');
        let (commit, date, subject) = (head.next()?, head.next()?, head.next()?);
        let renamed_to = match self {
            Ask::Path(path) => lines.find_map(|line| {
                let mut parts = line.split('\t');
                let is_rename = parts.next()?.starts_with('R');
                let (old, new) = (parts.next()?, parts.next()?);
                let is_it = old == path || old.ends_with(&format!("/{path}"));
                (is_rename && is_it).then(|| new.to_owned())
            }),
            Ask::Name(_) | Ask::Script(_) => None,
        };
        let (commit, date, subject) = (commit.to_owned(), date.to_owned(), subject.to_owned());
        Some(History { commit, date, subject, renamed_to })
    }
}

/// A path without the signs by which git takes it for a pattern.
fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\").replace('[', "\\[").replace('*', "\\*").replace('?', "\\?")
}

/// What history is to be asked: the first claim of each fact that the search did not find, files
/// before names.
pub fn questions(facts: &[Fact], tree: &Tree) -> Vec<Question> {
    let mut all = Vec::new();
    for (place, fact) in facts.iter().enumerate() {
        let failed = fact.claims.iter().enumerate().filter_map(|(claim, claimed)| {
            let ask = ask_for(claimed, fact, tree)?;
            Some(Question { fact: place, claim, ask })
        });
        all.extend(failed.min_by_key(|question| (question.ask.clone().rank(), question.claim)));
    }
    all
}

impl Ask {
    fn rank(&self) -> usize {
        match self {
            Ask::Path(_) => 0,
            Ask::Script(_) => 1,
            Ask::Name(_) => 2,
        }
    }
}

/// What has to be asked about a claim that the search did not find.
fn ask_for(claimed: &Claimed, fact: &Fact, tree: &Tree) -> Option<Ask> {
    if claimed.is_denied {
        return None;
    }
    match &claimed.claim {
        Claim::Path(path) => (!tree.has_path(path)).then(|| Ask::Path(path.clone())),
        Claim::Symbol(name) => {
            // A plain word in a preference is a tool or a notion, and stays what it is.
            let is_named = is_code_name(&claimed.quote) || !fact.is_preference;
            let is_gone = tree.n_hits(name) == 0
                && !tree.is_dependency(name)
                && !tree.is_dependency(&claimed.quote)
                && !tree.has_path(name);
            (is_named && is_gone).then(|| Ask::Name(name.clone()))
        }
        Claim::Flag(name) => {
            let is_gone = !fact.is_preference && tree.n_hits(name) == 0;
            is_gone.then(|| Ask::Name(name.trim_start_matches('-').to_owned()))
        }
        Claim::Script { runner, name } => {
            (tree.has_script(runner, name) == Some(false)).then(|| Ask::Script(name.clone()))
        }
        Claim::Version { .. } | Claim::Value { .. } => None,
        Claim::Date(_) | Claim::RelativeDate(_) => None,
    }
}
