//! The reads of the memory store: plain filters and sorts over the tables. They say
//! most plainly what each query means; the database stores are compared with them.

use std::collections::BTreeSet;

use hardwon_core::attempt::Attempt;
use hardwon_core::change::Tables;
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::{Deliberation, DeliberationFilter};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;

use super::index::TextIndex;
use crate::query::{is_indexed, time_of};
use crate::{
    ConsultationQuery, FindingPage, FindingPlace, FindingQuery, LessonQuery, ProjectStatus,
    Proposals, Revision, RunQuery, Search, Tree,
};

pub(super) fn status(tables: &Tables, project: &ProjectId, revision: Revision) -> ProjectStatus {
    let learned = || runs_of(tables, project).filter(|run| run.is_learned);
    ProjectStatus {
        revision,
        run_number: learned().filter_map(|run| run.number).max().unwrap_or(0),
        newest_finished: learned().filter_map(|run| run.finished).max(),
    }
}

pub(super) fn lessons(tables: &Tables, project: &ProjectId, query: &LessonQuery) -> Vec<Lesson> {
    let is_visible = |lesson: &Lesson| lesson.project.as_ref().is_none_or(|owner| owner == project);
    let all = tables.lessons.values();
    let mut picked: Vec<&Lesson> =
        all.filter(|lesson| is_visible(lesson) && query.admits(lesson)).collect();
    picked.sort_by(|a, b| query.pick.order(a, b));
    picked.into_iter().take(query.limit.unwrap_or(usize::MAX)).cloned().collect()
}

pub(crate) fn tree(tables: &Tables, project: &ProjectId, run: &RunId) -> Tree {
    let known = tables.runs.get(&(project.clone(), run.clone()));
    let root = known.map_or(run, |known| &known.root);
    let runs: Vec<Run> =
        runs_of(tables, project).filter(|run| run.root == *root).cloned().collect();
    let mut ids: BTreeSet<&RunId> = runs.iter().map(|run| &run.id).collect();
    ids.extend([run, root]);
    let in_project = |owner: &ProjectId| owner == project;

    let injections = tables.injections.iter();
    let mut injections: Vec<_> = injections
        .filter(|((owner, _), injection)| in_project(owner) && ids.contains(&injection.run))
        .map(|(_, injection)| injection.clone())
        .collect();
    injections.sort_by_key(|injection| (injection.at, injection.key()));
    let findings = tables.findings.iter();
    let findings = findings
        .filter(|((owner, ..), finding)| in_project(owner) && finding.root == *root)
        .map(|(_, finding)| finding.clone())
        .collect();
    let effects = tables.effects.iter();
    let effects = effects
        .filter(|((owner, ..), effect)| in_project(owner) && effect.root == *root)
        .map(|(_, effect)| effect.clone())
        .collect();
    Tree { runs, findings, injections, effects }
}

pub(super) fn numbered_runs(tables: &Tables, project: &ProjectId, from: u64, to: u64) -> Vec<Run> {
    let is_wanted = |run: &&Run| {
        let in_range = run.number.is_some_and(|number| (from..=to).contains(&number));
        run.is_learned && in_range
    };
    let mut runs: Vec<Run> = runs_of(tables, project).filter(is_wanted).cloned().collect();
    runs.sort_by_key(|run| run.number);
    runs
}

pub(super) fn runs(tables: &Tables, project: &ProjectId, query: &RunQuery) -> Vec<Run> {
    let mut runs: Vec<&Run> = runs_of(tables, project).filter(|run| query.admits(run)).collect();
    runs.sort_by(|a, b| (time_of(b), &b.id).cmp(&(time_of(a), &a.id)));
    runs.into_iter().take(query.limit.unwrap_or(usize::MAX)).cloned().collect()
}

pub(super) fn findings(
    tables: &Tables,
    index: &TextIndex,
    project: &ProjectId,
    query: &FindingQuery,
) -> Vec<Finding> {
    let mut findings: Vec<&Finding> = match query {
        FindingQuery::OfLesson(lesson) => findings_of(tables, project)
            .filter(|finding| finding.lesson.as_ref() == Some(lesson))
            .collect(),
        FindingQuery::InState(states) => findings_of(tables, project)
            .filter(|finding| states.is_empty() || states.contains(&finding.state))
            .collect(),
        FindingQuery::Newest(page) => return newest_findings(tables, project, page),
        FindingQuery::FixedLike { signature, terms, limit } => {
            let mut found = fixed_with_signature(tables, project, signature, *limit);
            for (run, key) in index.search_findings(project, terms, *limit) {
                let finding = &tables.findings[&(project.clone(), run, key)];
                let is_known = found.iter().any(|known| std::ptr::eq(*known, finding));
                if found.len() < *limit && !is_known {
                    found.push(finding);
                }
            }
            found
        }
    };
    findings.sort_by_cached_key(|finding| age_order(tables, project, finding));
    findings.into_iter().cloned().collect()
}

fn newest_findings(tables: &Tables, project: &ProjectId, page: &FindingPage) -> Vec<Finding> {
    let own = findings_of(tables, project).filter(|finding| page.admits(finding));
    let place = |finding: &Finding| {
        let (at, run, key) = age_order(tables, project, finding);
        FindingPlace { at, run, key: FindingKey(key) }
    };
    let placed = own.map(|finding| (place(finding), finding));
    let mut placed: Vec<(FindingPlace, &Finding)> = placed
        .filter(|(place, _)| page.before.as_ref().is_none_or(|before| place < before))
        .collect();
    placed.sort_by(|(a, _), (b, _)| a.cmp(b));
    let newest = placed.split_off(placed.len().saturating_sub(page.limit));
    newest.into_iter().map(|(_, finding)| finding.clone()).collect()
}

pub(super) fn effects(
    tables: &Tables,
    project: &ProjectId,
    lessons: &[LessonId],
) -> Vec<(ProjectId, Effect)> {
    let wanted: BTreeSet<&LessonId> = lessons.iter().collect();
    let is_global = |id: &LessonId| tables.lessons.get(id).is_some_and(|l| l.project.is_none());
    let effects = tables.effects.iter();
    let mut effects: Vec<(ProjectId, Effect)> = effects
        .filter(|((owner, ..), effect)| {
            wanted.contains(&effect.lesson) && (owner == project || is_global(&effect.lesson))
        })
        .map(|((owner, ..), effect)| (owner.clone(), effect.clone()))
        .collect();
    effects.sort_by(|(p, a), (q, b)| {
        (&a.lesson, a.run_number, &a.root, p).cmp(&(&b.lesson, b.run_number, &b.root, q))
    });
    effects
}

pub(super) fn injections(
    tables: &Tables,
    project: &ProjectId,
    lesson: &LessonId,
) -> Vec<Injection> {
    let has_lesson = |injection: &Injection| injection.shown.iter().any(|s| s.lesson == *lesson);
    let own = tables.injections.iter().filter(|((owner, _), _)| owner == project);
    let mut injections: Vec<Injection> =
        own.map(|(_, injection)| injection).filter(|i| has_lesson(i)).cloned().collect();
    injections.sort_by_key(|injection| (injection.at, injection.key()));
    injections
}

pub(super) fn deliberations(
    tables: &Tables,
    index: &TextIndex,
    project: &ProjectId,
    search: &Search,
    filter: &DeliberationFilter,
) -> Proposals {
    let own = || tables.deliberations.iter().filter(|((owner, _), _)| owner == project);
    let n_bytes = own().map(|(_, it)| it.n_bytes()).sum();
    let get = |id: &str| &tables.deliberations[&(project.clone(), id.to_owned())];
    if !search.terms.is_empty() {
        let is_asked = |id: &str| filter.admits(get(id));
        let (ids, corpus) = index.search_deliberations(project, search, &is_asked);
        let deliberations = ids.iter().map(|id| get(id).clone()).collect();
        return Proposals { deliberations, corpus, n_bytes, ..Proposals::default() };
    }
    let mut found: Vec<&Deliberation> =
        own().map(|(_, it)| it).filter(|it| filter.admits(it)).collect();
    match filter.oldest_kept {
        true => found.sort_by_key(|it| (it.at, &it.id)),
        false => found.sort_by(|a, b| (b.at, &a.id).cmp(&(a.at, &b.id))),
    }
    let deliberations = found.into_iter().take(search.limit).cloned().collect();
    Proposals { deliberations, n_bytes, ..Proposals::default() }
}

pub(super) fn consultations(
    tables: &Tables,
    query: &ConsultationQuery,
) -> Vec<(ProjectId, Consultation)> {
    let mut found: Vec<(ProjectId, Consultation)> = tables
        .consultations
        .iter()
        .filter(|((owner, _), _)| query.project.as_ref().is_none_or(|project| project == owner))
        .filter(|(_, it)| query.since.is_none_or(|since| it.at >= since))
        .filter(|(_, it)| query.evidence.as_ref().is_none_or(|evidence| *evidence == it.evidence))
        .map(|((owner, _), it)| (owner.clone(), it.clone()))
        .collect();
    found.sort_by_key(|(_, it)| std::cmp::Reverse(it.at));
    found.truncate(query.limit.unwrap_or(usize::MAX));
    found
}

pub(super) fn attempts(
    tables: &Tables,
    project: &ProjectId,
    issue: &str,
    limit: usize,
) -> Vec<Attempt> {
    let own = tables.attempts.iter().filter(|((owner, _), _)| owner == project);
    let mut found: Vec<&Attempt> = own.map(|(_, it)| it).filter(|it| it.issue == *issue).collect();
    found.sort_by(|a, b| (b.at, &a.id).cmp(&(a.at, &b.id)));
    found.into_iter().take(limit).cloned().collect()
}

/// The newest fixed findings with this signature.
fn fixed_with_signature<'a>(
    tables: &'a Tables,
    project: &ProjectId,
    signature: &str,
    limit: usize,
) -> Vec<&'a Finding> {
    let is_wanted = |finding: &&Finding| {
        is_indexed(finding) && !signature.is_empty() && finding.signature == signature
    };
    let mut findings: Vec<_> = findings_of(tables, project).filter(is_wanted).collect();
    findings.sort_by_cached_key(|finding| age_order(tables, project, finding));
    findings.split_off(findings.len().saturating_sub(limit))
}

fn age_order(
    tables: &Tables,
    project: &ProjectId,
    finding: &Finding,
) -> (Option<Timestamp>, RunId, String) {
    let run = tables.runs.get(&(project.clone(), finding.run.clone()));
    (run.map(time_of), finding.run.clone(), finding.key.0.clone())
}

fn runs_of<'a>(tables: &'a Tables, project: &ProjectId) -> impl Iterator<Item = &'a Run> {
    let runs = tables.runs.iter();
    runs.filter(move |((owner, _), _)| owner == project).map(|(_, run)| run)
}

fn findings_of<'a>(tables: &'a Tables, project: &ProjectId) -> impl Iterator<Item = &'a Finding> {
    let findings = tables.findings.iter();
    findings.filter(move |((owner, ..), _)| owner == project).map(|(_, finding)| finding)
}
