//! Would memory have forewarned? Plays no history itself: says in which order one is asked for
//! and learned, what a finding is about, what simple rules would have shown in the same number of
//! lines, and how much of what came up then had been said before.

mod figures;
mod past;
mod plan;

use std::collections::{BTreeMap, BTreeSet};

use crate::find::FoundRun;
use crate::finding::{Finding, FindingState};
use crate::grade::is_tool;
use crate::ids::LessonId;
use crate::vocabulary::vocabulary;
pub use figures::{Figures, Share, figures};
use past::Past;
pub use plan::{Plan, PlannedRun, Step, plan};

vocabulary! {
    /// What chooses the lines of a block.
    Chooser {
        /// The program, as it is.
        Hardwon = "hardwon",
        /// What came up in most runs so far.
        Frequent = "most frequent",
        /// What came up in the files that the run touches, then in their folders, then most of all.
        Place = "same file, then folder",
        /// Knows what will come up, and shows what of it was ever seen.
        Oracle = "oracle",
    }
}

/// What a finding is about. Findings of a run about the same are one problem.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    Rule {
        tool: String,
        rule: String,
    },
    /// The lesson that it was recognized as.
    Lesson(LessonId),
    /// Neither a rule nor a lesson: nothing could have told of it.
    Own {
        author: String,
        text: String,
    },
}

/// One finding of a run that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub subject: Subject,
    pub lesson: Option<LessonId>,
    pub path: Option<String>,
}

/// What came up in a run: the findings as they were kept, and those that were not.
pub fn seen(runs: &[FoundRun], kept: &[Finding]) -> Vec<Seen> {
    let place = |finding: &Finding| finding.place.as_ref().map(|place| place.path.clone());
    let found = runs.iter().flat_map(|run| &run.findings).filter(|found| found.is_sighting);
    let refused = found.filter(|found| {
        let is_it = |finding: &Finding| {
            let is_there =
                (place(finding), &finding.rule) == (found.stated.path.clone(), &found.stated.rule);
            let line = finding.place.as_ref().and_then(|place| place.line);
            is_there && finding.author == found.author && line == found.stated.line
        };
        !kept.iter().any(is_it)
    });
    let refused = refused.map(|found| Seen {
        subject: subject(&found.author, found.stated.rule.as_ref(), None, &found.stated.text),
        lesson: None,
        path: found.stated.path.clone(),
    });
    // What only tells of a repair, or was ruled false, did not come up.
    let is_open = |finding: &&Finding| {
        finding.is_sighting || matches!(finding.state, FindingState::Open | FindingState::Regressed)
    };
    let kept = kept.iter().filter(is_open).map(|finding| {
        let (lesson, text) = (finding.lesson.as_ref(), finding.text.as_str());
        Seen {
            subject: subject(&finding.author, finding.rule.as_ref(), lesson, text),
            lesson: lesson.cloned(),
            path: place(finding),
        }
    });
    kept.chain(refused).collect()
}

fn subject(author: &str, rule: Option<&String>, lesson: Option<&LessonId>, text: &str) -> Subject {
    match (rule.filter(|_| is_tool(author)), lesson) {
        (Some(rule), _) => Subject::Rule { tool: author.to_owned(), rule: rule.clone() },
        (None, Some(lesson)) => Subject::Lesson(lesson.clone()),
        (None, None) => Subject::Own { author: author.to_owned(), text: text.to_owned() },
    }
}

/// A block that was asked for, with what else would have been shown.
#[derive(Clone, Debug)]
pub struct Asked {
    lines: Vec<LessonId>,
    n_tokens: u32,
    /// How many subjects were known.
    n_known: usize,
    /// What each chooser that goes by the past would show, in the order of `Chooser::ALL`.
    picks: Vec<BTreeSet<usize>>,
}

/// What one run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunScore {
    pub n_problems: u64,
    /// Problems that had come up before.
    pub n_known: u64,
    /// Problems that the lines of each chooser told of, in the order of `Chooser::ALL`.
    pub n_forewarned: Vec<u64>,
    pub n_lines: u64,
    /// Lines about a problem of this run.
    pub n_useful: u64,
    pub n_tokens: u64,
}

/// A history that was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Root runs, those included that were only learned.
    pub n_runs: u64,
    /// Scored runs of which nothing was known beforehand, neither a task nor a file.
    pub n_blind: u64,
    pub scores: Vec<RunScore>,
}

/// Keeps what came up so far, and the scores.
#[derive(Default)]
pub struct Scorer {
    past: Past,
    /// The rules of tools that a lesson stands for.
    rules: BTreeMap<LessonId, BTreeSet<usize>>,
    scores: Vec<RunScore>,
}

impl Scorer {
    /// A block of these lines was shown to a run that touches these paths.
    pub fn ask(&self, lines: Vec<LessonId>, n_tokens: u32, paths: &[String]) -> Asked {
        let pick = |chooser: &Chooser| self.past.pick(*chooser, paths, lines.len());
        let picks = Chooser::ALL.iter().map(pick).collect();
        Asked { lines, n_tokens, n_known: self.past.n_subjects(), picks }
    }

    /// What came up in a run, and what had been shown to it; nothing had if it is only learned.
    pub fn learn(&mut self, asked: Option<Asked>, seen: &[Seen]) {
        let indices: Vec<usize> = seen.iter().map(|one| self.past.index(&one.subject)).collect();
        if let Some(asked) = asked {
            let score = self.score(&asked, seen, &indices);
            self.scores.push(score);
        }
        for (one, index) in seen.iter().zip(&indices) {
            if let (Some(lesson), Subject::Rule { .. }) = (&one.lesson, &one.subject) {
                self.rules.entry(lesson.clone()).or_default().insert(*index);
            }
        }
        let places = seen.iter().map(|one| one.path.as_deref());
        self.past.add(indices.iter().copied().zip(places));
    }

    fn score(&self, asked: &Asked, seen: &[Seen], indices: &[usize]) -> RunScore {
        let problems: BTreeSet<usize> = indices.iter().copied().collect();
        let tells = |line: &LessonId, one: &Seen, index: &usize| {
            let is_rule = self.rules.get(line).is_some_and(|rules| rules.contains(index));
            is_rule || one.lesson.as_ref() == Some(line)
        };
        let is_told = |one: &Seen, index: &usize| {
            asked.lines.iter().any(|line| tells(line, one, index)).then_some(*index)
        };
        let pairs = || seen.iter().zip(indices);
        let told: BTreeSet<usize> =
            pairs().filter_map(|(one, index)| is_told(one, index)).collect();
        let is_useful = |line: &&LessonId| pairs().any(|(one, index)| tells(line, one, index));
        let n_known = problems.range(..asked.n_known).count();
        let n_of = |(chooser, picked): (&Chooser, &BTreeSet<usize>)| match chooser {
            Chooser::Hardwon => told.len() as u64,
            // It could have shown the very same lines.
            Chooser::Oracle => n_known.min(asked.lines.len()).max(told.len()) as u64,
            Chooser::Frequent | Chooser::Place => picked.intersection(&problems).count() as u64,
        };
        RunScore {
            n_problems: problems.len() as u64,
            n_known: n_known as u64,
            n_forewarned: Chooser::ALL.iter().zip(&asked.picks).map(n_of).collect(),
            n_lines: asked.lines.len() as u64,
            n_useful: asked.lines.iter().filter(is_useful).count() as u64,
            n_tokens: u64::from(asked.n_tokens),
        }
    }

    /// What the runs of a plan came to, in the order in which they were learned.
    pub fn finish(self, plan: &Plan) -> Played {
        let n_learned_only = plan.runs.len() - self.scores.len();
        let blind = plan.runs.iter().skip(n_learned_only).filter(|run| !run.need.has_topic());
        let n_blind = blind.count() as u64;
        Played { n_runs: plan.runs.len() as u64, n_blind, scores: self.scores }
    }
}

#[cfg(test)]
mod tests;
