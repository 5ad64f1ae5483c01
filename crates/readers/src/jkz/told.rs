//! What a report says: the verdict of its author with what was found, the patterns to be
//! remembered, and what was tried. A report that holds a verdict for programs is taken by that
//! alone; without one, by the layouts of findings that any reviewer may use.

use hardwon_core::event::{AttemptStated, FindingStated, VerdictStated};
use hardwon_core::finding::Grade;
use serde_json::Value;

use super::diagnosis::{Known, attempt};
use super::pattern::{patterns, without_shown};
use super::role::{is_worker, of_ids, of_object, of_title};
use super::signal::{Signals, Sort, signals};
use crate::json::Object;
use crate::notes::Notes;
use crate::review_text::{Reviewer, review_text, verdict_in};

/// Who wrote a report, as far as that is known beside it.
#[derive(Clone, Debug, Default)]
pub struct Who {
    /// Beats what the report says about itself.
    pub given: Option<String>,
    /// If nothing else tells.
    pub fallback: String,
    pub issue: Option<String>,
    pub iteration: Option<u32>,
    /// The report is the whole input: its lines are those of the input.
    pub is_file: bool,
}

#[derive(Debug, Default)]
pub struct Told {
    pub author: String,
    pub findings: Vec<FindingStated>,
    pub verdicts: Vec<VerdictStated>,
    pub patterns: Vec<FindingStated>,
    pub attempts: Vec<AttemptStated>,
    /// The last verdict as a word: `pass`, `fail`, `fixed`.
    pub word: Option<String>,
}

pub fn told(text: &str, who: &Who, notes: &Notes) -> Told {
    let text = without_shown(text);
    let Signals { all, rest } = signals(&text);
    let title = of_title(&rest);
    let mut said: Vec<(Sort, Object)> = Vec::new();
    for signal in all {
        match signal.object {
            Ok(object) => said.push((signal.sort, object)),
            Err(reason) => {
                notes.go_to(if who.is_file { signal.line + 1 } else { notes.source().line });
                notes.problem(reason);
            }
        }
    }
    let title =
        title.filter(|_| said.iter().filter(|(sort, _)| *sort == Sort::Verdict).count() < 2);
    let author = |object: Option<&Object>| -> String {
        let own = || title.map(str::to_owned).or_else(|| of_ids(object?).map(str::to_owned));
        let stated = who.given.clone().or_else(|| of_object(object?));
        stated.or_else(own).unwrap_or_else(|| who.fallback.clone())
    };
    let first = said.iter().find(|(sort, _)| *sort == Sort::Verdict).map(|(_, object)| object);
    let mut told = Told { author: author(first), ..Told::default() };
    let (found, rest) = patterns(&rest, &told.author);
    told.patterns = found;
    for (_, object) in said.iter().filter(|(sort, _)| *sort == Sort::Verdict) {
        told.verdict(object, &author(Some(object)), &rest, notes);
    }
    // Who repairs, and says nothing else about itself, is a doctor.
    let is_named = who.given.is_some() || told.author != who.fallback;
    let role = if is_named { told.author.clone() } else { "doctor".to_owned() };
    let known = Known { role, issue: who.issue.clone(), iteration: who.iteration };
    told.attempts(&said, &rest, &known, notes);
    if told.word.is_none() && said.is_empty() && !is_worker(&told.author) {
        told.layouts(&rest);
    }
    told
}

impl Told {
    fn verdict(&mut self, object: &Object, author: &str, rest: &str, notes: &Notes) {
        let by = Reviewer { name: author, is_reviewer: true, folder: None };
        let Some((review, n_issues)) = verdict_in(object, &by) else {
            return notes.problem("a comment for a verdict has no \"verdict\"; it is not used");
        };
        for _ in review.findings.len()..n_issues {
            notes.put_finding_aside("an issue of a verdict that does not say what it is");
        }
        let word = object.get("verdict").and_then(Value::as_str).unwrap_or_default();
        let is_pass = review.verdict.as_ref().and_then(|verdict| verdict.is_pass);
        self.word = Some(verdict_word(word, is_pass));
        self.findings.extend(review.findings);
        if is_worker(author) || is_of_worker(word) {
            // What it says about its own work is an attempt, not a judgement.
            return;
        }
        let evidence = match object.get("evidence") {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Array(texts)) => {
                let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                Some(texts.join("\n"))
            }
            _ => Some(rest.trim().to_owned()),
        };
        let grade = object.get("grade").and_then(Value::as_str);
        let grade = grade.and_then(|word| Grade::from_word(&word.to_lowercase()));
        let evidence = evidence.filter(|text| !text.is_empty());
        self.verdicts.extend(review.verdict.map(|it| VerdictStated { evidence, grade, ..it }));
    }

    /// One attempt for each diagnosis, or for a verdict about one's own work.
    fn attempts(&mut self, said: &[(Sort, Object)], rest: &str, known: &Known, notes: &Notes) {
        let is_own = |object: &Object| {
            let word = object.get("verdict").and_then(Value::as_str).unwrap_or_default();
            self.author == "doctor" || is_of_repair(word)
        };
        let of = |wanted: Sort| said.iter().filter(move |(sort, _)| *sort == wanted);
        let verdict = of(Sort::Verdict).map(|(_, object)| object).find(|object| is_own(object));
        let diagnoses: Vec<&Object> = of(Sort::Diagnosis).map(|(_, object)| object).collect();
        let mut take = |diagnosis: Option<&Object>| match attempt(diagnosis, verdict, rest, known) {
            Ok(attempt) => self.attempts.push(attempt),
            Err(reason) => notes.problem(reason),
        };
        match (&diagnoses[..], verdict) {
            ([], None) => {}
            ([], Some(_)) => take(None),
            (all, _) => all.iter().for_each(|diagnosis| take(Some(diagnosis))),
        }
    }

    /// A report without anything for programs.
    fn layouts(&mut self, rest: &str) {
        let by = Reviewer { name: &self.author, is_reviewer: true, folder: None };
        let review = review_text(rest, by);
        let evidence = Some(rest.trim().to_owned()).filter(|text| !text.is_empty());
        if let Some(verdict) = review.verdict {
            self.word = Some(verdict_word("", verdict.is_pass));
            self.verdicts.push(VerdictStated { evidence, ..verdict });
        }
        self.findings.extend(review.findings);
    }
}

/// The word of a verdict as it counts: work that failed with nothing to be fixed has passed.
pub fn verdict_word(word: &str, is_pass: Option<bool>) -> String {
    let own = word.trim().to_lowercase();
    match is_pass {
        _ if is_of_worker(word) => own,
        Some(true) => "pass".to_owned(),
        Some(false) => "fail".to_owned(),
        None => own,
    }
}

/// Whether only somebody who repairs says this.
fn is_of_repair(word: &str) -> bool {
    matches!(word.trim().to_lowercase().as_str(), "fixed" | "partial")
}

/// Whether only somebody who does the work says this.
fn is_of_worker(word: &str) -> bool {
    let word = word.trim().to_lowercase();
    is_of_repair(&word) || matches!(word.as_str(), "blocked" | "complete" | "completed")
}
