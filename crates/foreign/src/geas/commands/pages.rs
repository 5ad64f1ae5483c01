//! The pages of a tree that agents are told whatever lessons there are: `rules.md`, and one
//! notebook a role. Anybody can write them, so each line passes the gate before it is told, and
//! what commands its reader is left out.

use hardwon_core::budget::estimate_tokens;
use hardwon_core::event::Problem;
use hardwon_core::gate::{Gate, Refusal};
use hardwon_core::notes::names;
use hardwon_engine::{EngineError, Result};
use hardwon_readers::page_lines;

use crate::geas::agents::role_name;
use crate::geas::{NOTEBOOKS, PAGE, RULES};
use crate::{Folder, FolderError};

pub(super) struct Page {
    /// Below `.geas`.
    pub name: String,
    /// `None` if there is no such file.
    pub text: Option<String>,
}

impl Page {
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

/// The name of a role, if it can be that of a file.
pub(super) fn checked_role(agent: &str, profile: &str) -> Result<String> {
    match names::role(agent.trim()) {
        Ok(role) => Ok(role_name(role, profile)),
        Err(fault) => {
            let reason = format!("no agent can be called \"{agent}\": {fault}");
            let hint = "an agent type such as qa_engineer: letters, digits, - and _";
            Err(EngineError::NoteRefused { reason, hint })
        }
    }
}

/// A page; an error if it is a link, no plain file, or no text.
pub(super) fn page(folder: &Folder, name: &str) -> Result<Page> {
    let bytes = folder.read(name)?;
    let no_text = |_| FolderError::NoText(folder.path(name));
    let text = bytes.map(String::from_utf8).transpose().map_err(no_text)?;
    Ok(Page { name: name.to_owned(), text })
}

/// The notebooks of a role. Where there are two, because `_` and `-` are the same, the one that is
/// written to comes first; where there is none, that one.
pub(super) fn notebooks(folder: &Folder, role: &str, profile: &str) -> Result<Vec<Page>> {
    let usual = format!("{role}{PAGE}");
    let all = folder.list(NOTEBOOKS, PAGE)?;
    let is_its =
        |file: &&String| file.strip_suffix(PAGE).is_some_and(|it| role_name(it, profile) == role);
    let mut files: Vec<&String> = all.iter().filter(is_its).collect();
    files.sort_by_key(|file| **file != usual);
    if files.is_empty() {
        files.push(&usual);
    }
    files.into_iter().map(|file| page(folder, &format!("{NOTEBOOKS}/{file}"))).collect()
}

/// What may be told of a page, in its order, and what may not.
pub(super) fn told(page: &Page, gate: &Gate) -> (Vec<String>, Vec<Problem>) {
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    for (at, said) in page_lines(page.text()) {
        let line = gate.line(&said).as_str().to_owned();
        if gives_orders(&line) || gives_orders(&said) {
            let reason = format!("{}; kept in the file, not told", Refusal::GivesOrders);
            problems.push(Problem::new(format_args!("{}:{at}", page.name), reason));
        } else if !line.trim().is_empty() {
            lines.push(line);
        }
    }
    (lines, problems)
}

/// All that agents would be told of the pages of a tree, for whoever is to approve it.
pub(crate) fn told_pages(folder: &Folder) -> Vec<String> {
    let notebooks = folder.list(NOTEBOOKS, PAGE).unwrap_or_default().into_iter();
    let notebooks = notebooks.map(|file| format!("{NOTEBOOKS}/{file}"));
    // What cannot be read is told to nobody.
    let pages = [RULES.to_owned()].into_iter().chain(notebooks);
    let pages = pages.filter_map(|name| page(folder, &name).ok());
    let gate = Gate::standard();
    let lines = |page: Page| -> Vec<String> {
        let lines = told(&page, &gate).0.into_iter();
        lines.map(|line| format!("{}: {line}", page.name)).collect()
    };
    pages.flat_map(lines).collect()
}

/// What the user wants redacted changes nothing in what is an order.
pub(super) fn gives_orders(text: &str) -> bool {
    Gate::standard().located_finding(text) == Err(Refusal::GivesOrders)
}

/// As many lines as fit into so many tokens, in their order.
pub(super) fn within(page: &str, lines: Vec<String>, n_tokens: u32) -> (Vec<String>, Vec<Problem>) {
    let (n_all, mut room) = (lines.len(), n_tokens);
    let fits = |line: &String| {
        let left = room.checked_sub(estimate_tokens(line));
        room = left.unwrap_or(0);
        left.is_some()
    };
    let fitting: Vec<String> = lines.into_iter().take_while(fits).collect();
    let n_left = n_all - fitting.len();
    let reason = || format!("{n_left} lines from its end do not fit into {n_tokens} tokens");
    let problem = (n_left > 0).then(|| Problem::new(page, reason()));
    (fitting, problem.into_iter().collect())
}

/// The words of a line as they are compared: their order counts, their case and signs do not.
pub(super) fn same_words(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    words(a) == words(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_signs_make_no_other_line() {
        assert!(same_words("Use `pnpm`, always.", "use pnpm always"));
        assert!(!same_words("Use pnpm", "Do not use pnpm"));
        assert!(!same_words("a before b", "b before a"));
    }

    #[test]
    fn names_that_are_paths_are_refused() {
        for odd in ["../x", "a/b", "", "a.b", "a b", "..", "a\0"] {
            assert!(checked_role(odd, "").is_err(), "{odd}");
        }
        assert_eq!(checked_role("qa-engineer", "").unwrap(), "qa_engineer");
        assert_eq!(checked_role("implementer", "").unwrap(), "software_engineer");
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let lines = vec!["one line of words".to_owned(); 3];
        let (fitting, problems) = within("rules.md", lines.clone(), 1000);
        assert!(fitting.len() == 3 && problems.is_empty());
        let (fitting, problems) = within("rules.md", lines, 0);
        assert!(fitting.is_empty() && problems[0].reason.starts_with("3 lines"), "{problems:?}");
    }
}
