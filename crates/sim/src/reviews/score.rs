//! How much of a review was read? Compares what was found in a message with what its author meant,
//! as it is labelled in the file beside it.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Severity;
use hardwon_readers::{Reviewer, review_text};

/// Of its words, a finding has to have so many.
const SHARE_OF_WORDS: f64 = 0.6;

/// One finding as labelled: `H | src/a.rs:3 | its words | words of its repair`; `*` where the
/// author gave no severity.
#[derive(Clone, Debug)]
pub struct Expected {
    class: char,
    path: Option<String>,
    /// `*` instead of a path: it names several, and none of them is the place.
    is_any_path: bool,
    line: Option<u32>,
    /// `src/a.rs:*`: the author names a line, and which of several is a matter of taste.
    is_any_line: bool,
    words: Vec<String>,
    repair: Vec<String>,
}

/// A message with its labels.
#[derive(Clone, Debug)]
pub struct Form {
    pub name: String,
    pub message: String,
    pub expected: Vec<Expected>,
    /// `~ its words`: what may be read or not, because its author says that it is done, or says it
    /// a second time.
    pub allowed: Vec<Vec<String>>,
    /// Its author looked and found nothing.
    pub is_pass: bool,
}

/// How a form was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Everything, with place, severity and repair, and nothing else.
    Whole,
    /// Nothing false, but something is missing.
    Partly,
    /// Something that nobody found.
    Wrong,
    Nothing,
}

/// How a form was read, and what differs.
#[derive(Clone, Debug)]
pub struct Score {
    pub reading: Reading,
    pub n_false: usize,
    pub faults: Vec<String>,
}

impl Form {
    /// Reads the labels of a message.
    pub fn new(name: &str, message: &str, labels: &str) -> Self {
        let lines = labels.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_pass = lines.clone().any(|line| line == "pass");
        let allowed = lines.clone().filter_map(|line| line.strip_prefix('~')).map(words).collect();
        let is_label = |line: &&str| *line != "pass" && !line.starts_with('~');
        let expected = lines.filter(is_label).map(Expected::of).collect();
        Form { name: name.to_owned(), message: message.to_owned(), expected, allowed, is_pass }
    }
}

impl Expected {
    fn of(label: &str) -> Self {
        let mut cells = label.split('|').map(str::trim);
        let mut next = || cells.next().unwrap_or_default();
        let class = next().chars().next().unwrap_or('?');
        let place = next();
        let (path, line) = place.rsplit_once(':').unwrap_or((place, ""));
        Expected {
            class,
            path: (path != "-").then(|| path.to_owned()),
            is_any_path: path == "*",
            line: line.parse().ok(),
            is_any_line: line == "*" || path == "*",
            words: words(next()),
            repair: words(next()),
        }
    }

    fn is_it(&self, found: &FindingStated) -> bool {
        (self.is_any_path || found.path == self.path) && has_words(&found.text, &self.words)
    }

    fn faults(&self, found: &FindingStated) -> Vec<String> {
        let mut faults = Vec::new();
        if found.line != self.line && !self.is_any_line {
            faults.push(format!("line {:?}, not {:?}", found.line, self.line));
        }
        let class = class(found);
        if class != self.class && self.class != '*' {
            faults.push(format!("class {class}, not {}: {}", self.class, found.text));
        }
        let repair = found.repair.as_deref().unwrap_or_default();
        if !self.repair.is_empty() && !has_words(repair, &self.repair) {
            faults.push(format!("repair {repair:?}, not {:?}", self.repair));
        }
        faults
    }
}

/// The words of a label; `-` stands for none.
fn words(cell: &str) -> Vec<String> {
    let words = cell.split_whitespace().filter(|word| *word != "-");
    words.map(str::to_lowercase).collect()
}

fn class(found: &FindingStated) -> char {
    match found.severity.as_deref().and_then(Severity::fold) {
        Some(Severity::Critical | Severity::Bug) => 'H',
        Some(Severity::Warning) => 'M',
        Some(Severity::Info | Severity::Recommendation) => 'L',
        None => '?',
    }
}

fn has_words(text: &str, words: &[String]) -> bool {
    let lower = text.to_lowercase();
    let n_found = words.iter().filter(|word| lower.contains(word.as_str())).count();
    n_found as f64 >= words.len() as f64 * SHARE_OF_WORDS
}

/// Reads a form as a reviewer's message, and compares.
pub fn score(form: &Form) -> Score {
    let by = Reviewer { name: "code-reviewer", is_reviewer: true, folder: None };
    let review = review_text(&form.message, by);
    let mut faults = Vec::new();
    let mut left: Vec<&FindingStated> = review.findings.iter().collect();
    let mut n_found = 0;
    for expected in &form.expected {
        match left.iter().position(|found| expected.is_it(found)) {
            Some(at) => {
                n_found += 1;
                faults.extend(expected.faults(left.remove(at)));
            }
            None => faults.push(format!("missing: {expected:?}")),
        }
    }
    // What is said to be fixed is no sighting: it may be read or not.
    let is_allowed = |found: &FindingStated| {
        found.is_gone || form.allowed.iter().any(|words| has_words(&found.text, words))
    };
    left.retain(|found| !is_allowed(found));
    let told = |found: &FindingStated| {
        format!("false: {:?}:{:?} {} | {:?}", found.path, found.line, found.text, found.repair)
    };
    faults.extend(left.iter().map(|found| told(found)));
    let is_pass = review.verdict.as_ref().is_some_and(|verdict| verdict.is_pass == Some(true));
    if form.is_pass && !is_pass {
        faults.push("it does not count as having looked".to_owned());
    }
    let reading = if !left.is_empty() {
        Reading::Wrong
    } else if faults.is_empty() {
        Reading::Whole
    } else if n_found > 0 {
        Reading::Partly
    } else {
        Reading::Nothing
    };
    Score { reading, n_false: left.len(), faults }
}
