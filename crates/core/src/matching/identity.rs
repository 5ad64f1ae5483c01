//! Which rule of which tool is this about? A tool names what it looks for, so that its
//! messages need not be compared: two findings of one rule are one problem in perhaps other
//! words, and two rules of one tool are two problems in perhaps the same words. A test is
//! its own rule: what it prints when it fails is mostly the words of every test.
//!
//! Reviewers invent names for rules; for them only the words count.

use super::Subject;
use crate::categorize;
use crate::finding::{Finding, is_of_session, is_test};
use crate::grade;
use crate::signature::{is_of_fingerprint, of_rule, rule_parts};
use crate::trigger::Trigger;

/// All programs that run tests name them alike, so that they are one tool here.
const TEST_RUNNER: &str = "test";

/// Who says it. People and tools differ from reviewers in how much alike two wordings of one
/// problem are, and two problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Author {
    Tool,
    #[default]
    Reviewer,
    Person,
}

impl Author {
    /// Of a finding. That a person said it does not show in it.
    pub fn of(finding: &Finding, is_persons: bool) -> Self {
        match (is_persons, rule_of(finding)) {
            (true, _) => Author::Person,
            (false, Some(_)) => Author::Tool,
            (false, None) => Author::Reviewer,
        }
    }

    /// By whose measure two are compared: a person's if one of them is a person.
    pub(super) fn of_both(self, other: Author) -> Author {
        match (self, other) {
            (Author::Person, _) | (_, Author::Person) => Author::Person,
            (Author::Tool, Author::Tool) => Author::Tool,
            (Author::Reviewer, _) | (_, Author::Reviewer) => Author::Reviewer,
        }
    }
}

/// How two subjects relate by the rules they name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// One of them names none, or each names rules of its own tool: the words decide.
    Unknown,
    /// Both name one rule of one tool.
    Same,
    /// They name different rules of one tool.
    Other,
}

/// The rule that a tool's finding is about, as a signature; `None` if it is not from a tool.
///
/// A tool is known by its name, or by the fingerprint that it brings.
pub fn rule_of(finding: &Finding) -> Option<String> {
    let is_shown = finding.rule.as_deref().is_some_and(is_of_session);
    if categorize::is_suggestion(finding) || Trigger::of(finding).is_some() || is_shown {
        return None;
    }
    let rule = finding.rule.as_deref();
    let is_test = rule.is_some() && is_test(finding.category.as_deref());
    let has_own = rule.is_some() && is_of_fingerprint(&finding.signature);
    let tool = if is_test { TEST_RUNNER } else { &finding.author };
    (has_own || grade::is_tool(&finding.author)).then(|| of_rule(tool, rule))
}

/// What the rules of two subjects say. Equal words under two rules are one statement.
pub(super) fn agreement(a: &Subject, b: &Subject) -> Agreement {
    let (mut has_unnamed, mut has_other) = (a.text.trim() == b.text.trim(), false);
    for (tool, rule) in named(a) {
        for (_, other) in named(b).filter(|other| other.0 == tool) {
            match (rule == other, rule.is_empty()) {
                (true, false) => return Agreement::Same,
                // What a tool says under no rule may be anything.
                (true, true) => has_unnamed = true,
                (false, _) => has_other = true,
            }
        }
    }
    if has_other && !has_unnamed { Agreement::Other } else { Agreement::Unknown }
}

/// Tool and rule of each rule that a subject names.
fn named<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    subject.rules.iter().filter_map(|rule| rule_parts(rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::ids::RunId;
    use crate::run::Run;
    use crate::signature::{of_fingerprint, signature};
    use crate::time::Timestamp;

    fn finding(author: &str, rule: Option<&str>) -> Finding {
        let run = Run::stub(RunId::parse("r1").unwrap(), Timestamp(0));
        let text = Gate::standard().line("something is wrong");
        let signature = signature(None, rule, text.as_str(), None);
        let finding = run.new_finding(author.to_owned(), signature, text, None);
        Finding { rule: rule.map(str::to_owned), ..finding }
    }

    #[test]
    fn tools_name_rules_and_reviewers_do_not() {
        let check = |name: &str, finding: Finding, expected: Option<String>| {
            assert_eq!(rule_of(&finding), expected, "{name}");
        };
        let clippy = || finding("clippy", Some("clippy::unwrap_used"));
        check("a lint", clippy(), Some(of_rule("clippy", Some("clippy::unwrap_used"))));
        check("a tool without a rule", finding("eslint", None), Some(of_rule("eslint", None)));
        check("a reviewer", finding("guardian", Some("sql-injection")), None);
        check("a reviewer without a rule", finding("guardian", None), None);
        let suggestion = categorize::rule(crate::event::SuggestionKind::ALL[0]);
        check("a suggestion", finding("cargo", Some(&suggestion)), None);
        let trigger = Trigger::FailureClass.rule();
        check("a trigger", finding("cargo", Some(&trigger)), None);
        let signature = || of_fingerprint("4f1c");
        let unknown = || Finding { signature: signature(), ..finding("fox", Some("F1")) };
        check("a tool by its fingerprint", unknown(), Some(of_rule("fox", Some("F1"))));
        let silent = Finding { signature: signature(), ..finding("fox", None) };
        check("a fingerprint without a rule", silent, None);
        for (author, category) in [("pytest", "test"), ("junit", "flaky")] {
            let category = Some(category.to_owned());
            let test = Finding { category, ..finding(author, Some("a::b")) };
            check("a test, whoever runs it", test, Some(of_rule("test", Some("a::b"))));
        }
    }
}
