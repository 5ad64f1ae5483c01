//! What is history asked about a fact that failed the search? One question each; how history is
//! read for all of them at once is [`past`](super::past)'s.

use super::{Fact, Tree};
use crate::notes::claims::{Claim, Claimed, spellings};

/// What history is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// Which commit took this file away, or renamed it?
    Path(String),
    /// Which commit took this script out of its manifest?
    Script(String),
    /// Which commit took the last of this name or flag away?
    Name(String),
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
    /// The file that went: the one that was asked about, or one below that folder.
    pub file: Option<String>,
    /// What it is called since, where it was renamed.
    pub renamed_to: Option<String>,
}

/// What history is to be asked: the first claim of each fact that the search did not find, files
/// before names.
pub fn questions(facts: &[Fact], tree: &Tree) -> Vec<Question> {
    let mut all = Vec::new();
    // How somebody wants to work does not become untrue when a file goes.
    for (place, fact) in facts.iter().enumerate().filter(|(_, fact)| !fact.is_preference) {
        let failed = fact.claims.iter().enumerate().filter_map(|(claim, claimed)| {
            let ask = ask_for(claimed, tree)?;
            Some(Question { fact: place, claim, ask })
        });
        all.extend(failed.min_by_key(|question| (question.ask.rank(), question.claim)));
    }
    all
}

impl Ask {
    /// The path that is asked about.
    pub fn path(&self) -> Option<&str> {
        match self {
            Ask::Path(path) => Some(path),
            Ask::Script(_) | Ask::Name(_) => None,
        }
    }

    fn rank(&self) -> usize {
        match self {
            Ask::Path(_) => 0,
            Ask::Script(_) => 1,
            Ask::Name(_) => 2,
        }
    }
}

/// What has to be asked about a claim that the search did not find.
fn ask_for(claimed: &Claimed, tree: &Tree) -> Option<Ask> {
    if claimed.is_denied || claimed.is_principle {
        return None;
    }
    match &claimed.claim {
        Claim::Path(path) => (!tree.has_path(path)).then(|| Ask::Path(path.clone())),
        Claim::Symbol(name) => {
            let is_gone = tree.n_hits(name) == 0
                && !tree.is_dependency(name)
                && !tree.is_dependency(&claimed.quote)
                && !tree.has_path(name);
            is_gone.then(|| Ask::Name(name.clone()))
        }
        Claim::Flag(name) => {
            let is_gone = spellings(name).iter().all(|name| tree.n_hits(name) == 0);
            is_gone.then(|| Ask::Name(name.clone()))
        }
        Claim::Script { runner, name } => {
            (tree.has_script(runner, name) == Some(false)).then(|| Ask::Script(name.clone()))
        }
        Claim::Version { .. } | Claim::Value { .. } => None,
        Claim::Date(_) | Claim::RelativeDate(_) => None,
    }
}
