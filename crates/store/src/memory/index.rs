//! The text index of the memory store: which lessons and which fixed findings hold a
//! term, per owner. Kept up to date change by change, like the database's.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use hardwon_core::deliberation::Deliberation;
use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::Corpus;
use hardwon_core::propose::{propose, terms_of_finding, terms_of_lesson};
use hardwon_core::time::Timestamp;

use crate::Search;
use crate::query::is_indexed;

/// Whose text it is; `None` = global.
type Owner = Option<ProjectId>;

/// A finding within its project.
pub(super) type FindingRef = (RunId, FindingKey);

/// A deliberation within its project, the newest first.
type DeliberationRef = (Reverse<Timestamp>, String);

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TextIndex {
    /// Per owner and term: the lessons, each with whether it is injectable.
    lessons: BTreeMap<Owner, Postings<LessonId, bool>>,
    findings: BTreeMap<ProjectId, Postings<FindingRef, ()>>,
    deliberations: BTreeMap<ProjectId, Postings<DeliberationRef, ()>>,
}

/// Which texts hold a term.
#[derive(Clone, Debug, PartialEq)]
struct Postings<K, V> {
    texts: BTreeSet<K>,
    terms: BTreeMap<String, BTreeMap<K, V>>,
}

impl<K, V> Default for Postings<K, V> {
    fn default() -> Self {
        Postings { texts: BTreeSet::new(), terms: BTreeMap::new() }
    }
}

impl<K: Ord + Clone, V: Copy> Postings<K, V> {
    fn add(&mut self, key: &K, terms: Vec<String>, value: V) {
        self.texts.insert(key.clone());
        for term in terms {
            self.terms.entry(term).or_default().insert(key.clone(), value);
        }
    }

    fn remove(&mut self, key: &K, terms: Vec<String>) {
        self.texts.remove(key);
        for term in terms {
            let Some(keys) = self.terms.get_mut(&term) else { continue };
            keys.remove(key);
            if keys.is_empty() {
                self.terms.remove(&term);
            }
        }
    }

    fn n_with(&self, term: &str) -> u64 {
        self.terms.get(term).map_or(0, |keys| keys.len() as u64)
    }
}

impl TextIndex {
    pub(super) fn replace_lesson(&mut self, before: Option<&Lesson>, after: Option<&Lesson>) {
        if let Some(lesson) = before {
            let postings = self.lessons.entry(lesson.project.clone()).or_default();
            postings.remove(&lesson.id, terms_of_lesson(lesson));
        }
        if let Some(lesson) = after {
            let postings = self.lessons.entry(lesson.project.clone()).or_default();
            postings.add(&lesson.id, terms_of_lesson(lesson), lesson.is_injectable());
        }
        self.lessons.retain(|_, postings| !postings.texts.is_empty());
    }

    pub(super) fn replace_finding(
        &mut self,
        project: &ProjectId,
        before: Option<&Finding>,
        after: Option<&Finding>,
    ) {
        let postings = self.findings.entry(project.clone()).or_default();
        let key = |finding: &Finding| (finding.run.clone(), finding.key.clone());
        if let Some(finding) = before.filter(|finding| is_indexed(finding)) {
            postings.remove(&key(finding), terms_of_finding(finding));
        }
        if let Some(finding) = after.filter(|finding| is_indexed(finding)) {
            postings.add(&key(finding), terms_of_finding(finding), ());
        }
        self.findings.retain(|_, postings| !postings.texts.is_empty());
    }

    pub(super) fn replace_deliberation(
        &mut self,
        project: &ProjectId,
        before: Option<&Deliberation>,
        after: Option<&Deliberation>,
    ) {
        let postings = self.deliberations.entry(project.clone()).or_default();
        let key = |it: &Deliberation| (Reverse(it.at), it.id.clone());
        if let Some(it) = before {
            postings.remove(&key(it), it.terms());
        }
        if let Some(it) = after {
            postings.add(&key(it), it.terms(), ());
        }
        self.deliberations.retain(|_, postings| !postings.texts.is_empty());
    }

    /// Ids of deliberations that share terms and are asked for, and how common the terms are.
    pub(super) fn search_deliberations(
        &self,
        project: &ProjectId,
        search: &Search,
        is_asked: &dyn Fn(&str) -> bool,
    ) -> (Vec<String>, Corpus) {
        let Some(postings) = self.deliberations.get(project) else { return Default::default() };
        let corpus = corpus(&[postings], &search.terms);
        let found = propose(&corpus, search.limit, |term, at_most| {
            let keys = postings.terms.get(term).into_iter().flat_map(BTreeMap::keys);
            let keys = keys.filter(|(_, id)| is_asked(id)).take(at_most);
            Ok::<_, Infallible>(keys.cloned().collect())
        });
        let Ok(found) = found;
        (found.into_iter().map(|(_, id)| id).collect(), corpus)
    }

    /// Lessons that share terms, best first, and how common the terms are.
    pub(super) fn search_lessons(
        &self,
        project: &ProjectId,
        search: &Search,
    ) -> (Vec<LessonId>, Corpus) {
        let owners = [Some(project.clone()), None];
        let owners: Vec<_> = owners.iter().filter_map(|owner| self.lessons.get(owner)).collect();
        let corpus = corpus(&owners, &search.terms);
        let found = propose(&corpus, search.limit, |term, at_most| {
            let lists = owners.iter().filter_map(|postings| postings.terms.get(term));
            let mut ids: Vec<LessonId> = lists
                .flatten()
                .filter(|(_, is_injectable)| **is_injectable || !search.only_injectable)
                .map(|(id, _)| id.clone())
                .collect();
            ids.sort_unstable();
            ids.truncate(at_most);
            Ok::<_, Infallible>(ids)
        });
        let Ok(found) = found;
        (found, corpus)
    }

    /// Fixed findings of the project that share terms, best first.
    pub(super) fn search_findings(
        &self,
        project: &ProjectId,
        terms: &[String],
        limit: usize,
    ) -> Vec<FindingRef> {
        let Some(postings) = self.findings.get(project) else { return Vec::new() };
        let corpus = corpus(&[postings], terms);
        let found = propose(&corpus, limit, |term, at_most| {
            let keys = postings.terms.get(term).into_iter().flat_map(BTreeMap::keys);
            Ok::<_, Infallible>(keys.take(at_most).cloned().collect())
        });
        let Ok(found) = found;
        found
    }
}

/// How common the searched terms are; terms that nowhere occur are left out.
fn corpus<K: Ord + Clone, V: Copy>(owners: &[&Postings<K, V>], terms: &[String]) -> Corpus {
    let n_texts = owners.iter().map(|postings| postings.texts.len() as u64).sum();
    let n_with = |term: &String| owners.iter().map(|postings| postings.n_with(term)).sum();
    let df = terms.iter().map(|term| (term.clone(), n_with(term)));
    Corpus { n_texts, df: df.filter(|(_, n_texts)| *n_texts > 0).collect() }
}
