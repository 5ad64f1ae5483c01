//! Everything that a store answers, as one text that can be compared and printed.

use std::fmt::Write;

use hardwon_core::deliberation::DeliberationFilter;
use hardwon_core::finding::FindingState;
use hardwon_core::ids::{LessonId, ProjectId, RunId};

use hardwon_store::{
    About, ConsultationQuery, CountQuery, FindingQuery, JournalQuery, LessonQuery, ProjectQuery,
    Search, Store,
};

/// Prints what the store answers for each of these projects and runs: the same text,
/// the same memory. The journal and the revisions are left out, because an undo adds to them.
pub fn dump(store: &dyn Store, projects: &[ProjectId], runs: &[RunId]) -> String {
    let mut out = String::new();
    for project in projects {
        dump_project(&mut out, store, project, runs);
    }
    out
}

/// Prints the journal as each project sees it, numbers and all.
pub fn dump_journal(store: &dyn Store, projects: &[ProjectId]) -> String {
    let mut out = String::new();
    for project in projects {
        for entry in store.journal(project, &JournalQuery::default()).unwrap() {
            line(&mut out, project, &entry);
        }
        line(&mut out, project, &store.status(project).unwrap().revision);
    }
    for project in store.projects(&ProjectQuery::All).unwrap() {
        line(&mut out, &project.id, &project);
    }
    out
}

fn dump_project(out: &mut String, store: &dyn Store, project: &ProjectId, runs: &[RunId]) {
    let ids = [project.clone(), project.clone()];
    let near = ProjectQuery::Near { path: String::new(), mark: None, ids };
    let described = store.projects(&near).unwrap();
    described.iter().filter(|known| !known.is_bare()).for_each(|known| line(out, project, known));
    let status = store.status(project).unwrap();
    line(out, project, &(status.run_number, status.newest_finished));
    let lessons = store.lessons(project, &LessonQuery::default()).unwrap();
    lessons.iter().for_each(|lesson| line(out, project, lesson));
    let facets = ["/src/", "/src/api.rs", "/src/db.rs"];
    for n_frequent in [0, 2, 9] {
        let query = CountQuery {
            facets: facets.map(str::to_owned).to_vec(),
            lessons: lessons.iter().take(3).map(|lesson| lesson.id.clone()).collect(),
            n_frequent,
            only_injectable: n_frequent == 2,
        };
        line(out, project, &store.counts(project, &query).unwrap());
    }
    let numbered = store.numbered_runs(project, 0, u64::MAX).unwrap();
    numbered.iter().for_each(|run| line(out, project, &run.id));
    for run in runs {
        let tree = store.tree(project, run).unwrap();
        line(out, run, &tree);
    }
    for about in [
        About::Deliberations(DeliberationFilter::default()),
        About::Deliberations(DeliberationFilter { oldest_kept: true, ..Default::default() }),
        About::Attempts("12".to_owned()),
    ] {
        let search = Search { about, limit: 40, ..Search::default() };
        let found = store.search(project, &search).unwrap();
        line(out, project, &(found.deliberations, found.attempts, found.n_bytes));
    }
    let asked = ConsultationQuery { project: Some(project.clone()), ..Default::default() };
    line(out, project, &store.consultations(&asked).unwrap());
    let in_state = FindingQuery::InState(vec![FindingState::Dismissed, FindingState::Regressed]);
    line(out, project, &store.findings(project, &in_state).unwrap());
    let mut ids: Vec<LessonId> = lessons.iter().map(|lesson| lesson.id.clone()).collect();
    ids.sort();
    for effect in store.effects(project, &ids).unwrap() {
        line(out, project, &effect);
    }
    for id in &ids {
        let findings = store.findings(project, &FindingQuery::OfLesson(id.clone()));
        line(out, id, &findings.unwrap());
        line(out, id, &store.injections(project, id).unwrap());
    }
}

fn line(out: &mut String, of: &dyn std::fmt::Display, value: &dyn std::fmt::Debug) {
    writeln!(out, "{of}: {value:?}").expect("a string takes everything");
}
