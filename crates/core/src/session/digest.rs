//! A digest and its entries, as they are kept and told.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::gate::{first_chars, without_control};

/// Stand around a digest, and nowhere else in a question.
pub const BEGIN: &str = "<session>";
pub const END: &str = "</session>";

/// How a line that a tool printed begins.
pub const PRINTED: &str = "| ";

/// What an entry shows, and so what it is evidence of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// What a person typed.
    Typed,
    /// What stands under the user's name and was not typed.
    Put,
    /// What the agent said.
    Agent,
    Refused,
    Interrupted,
    Failed,
    /// What put failures right.
    Worked,
    /// A check that passed.
    Check,
    /// What ended a search.
    Found,
    Edits,
    /// Pages, and answers of other servers.
    Foreign,
}

/// One entry of a digest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub shows: Shows,
    /// What stands behind its number.
    pub head: String,
    /// The command, the file, or what was looked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// What was typed or said, or what a tool printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// How often it came in a row.
    pub times: u32,
    /// What a call was for: two of one purpose can put each other right.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub purposes: BTreeSet<String>,
    /// Of a failure: its lines, masked, that no success of the session printed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub lines: BTreeSet<String>,
    /// The failures that it put right, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<usize>,
    /// Whether a test, a build or a linter ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_check: bool,
    /// Whether how it ended is hidden: `make test | tail`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_hidden: bool,
}

/// What is told of one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    /// Which host, when, and how much of everything.
    pub head: String,
    /// Numbered from 1 in this order.
    pub entries: Vec<Entry>,
    /// What was left out to keep it short, by its name.
    pub left_out: BTreeMap<String, u32>,
    /// Whether pages were fetched or other servers asked.
    pub is_foreign: bool,
    pub n_failed: u32,
    pub n_refused: u32,
    pub n_typed: u32,
}

impl Digest {
    /// Whether there may be something to learn: it failed, was refused, or was corrected.
    pub fn is_worth_reading(&self) -> bool {
        self.n_failed > 0 || self.n_refused > 0 || self.n_typed > 1
    }

    /// An entry by its number.
    pub fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// What is sent, marks and all.
    pub fn text(&self) -> String {
        let entries = self.entries.iter().enumerate();
        let told = entries.map(|(index, entry)| format!("[{}] {}\n", index + 1, entry.text()));
        let left = self.left_out.iter().map(|(what, n)| format!("{n} {what}"));
        let left: Vec<String> = left.collect();
        let left = match left.is_empty() {
            true => String::new(),
            false => format!("(left out for length: {})\n", left.join(", ")),
        };
        let told: String = told.collect();
        format!("{BEGIN}\n({})\n{told}{left}{END}", self.head)
    }

    /// Visits every text that came from outside.
    pub fn for_each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(&mut self.head);
        for entry in &mut self.entries {
            [&mut entry.head, &mut entry.action, &mut entry.body].into_iter().for_each(&mut *visit);
        }
    }
}

impl Entry {
    /// The entry as it is told, without its number.
    pub fn text(&self) -> String {
        let times = if self.times > 1 { format!(" ×{}", self.times) } else { String::new() };
        let rest = [&self.action, &self.body].into_iter().filter(|part| !part.is_empty());
        let rest = rest.flat_map(|part| part.lines()).map(|line| format!("\n  {line}"));
        format!("{}{times}{}", self.head, rest.collect::<String>())
    }

    /// What a tool printed, line by line.
    pub fn printed(&self) -> impl Iterator<Item = &str> {
        self.body.lines().filter_map(|line| line.strip_prefix(PRINTED))
    }
}

/// At most so many characters of a text, with a sign where it goes on.
pub(super) fn short(text: &str, n: usize) -> String {
    let text = text.trim();
    let cut = first_chars(text, n);
    if cut.len() == text.len() { text.to_owned() } else { format!("{} …", cut.trim_end()) }
}

/// A text without what could end the digest or steer a terminal.
pub(super) fn safe(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(without_control).collect();
    lines.join("\n").replace(BEGIN, "<_session>").replace(END, "</_session>")
}
