//! Cases about projects: how they are described, and by what they are found.

use hardwon_core::ids::ProjectId;
use hardwon_core::project::{Mark, Project};

use super::Make;
use super::sample::*;
use hardwon_store::{ProjectQuery, Store};

fn near(store: &dyn Store, path: &str, mark: Option<&str>, ids: [&str; 2]) -> Vec<Project> {
    let mark = mark.map(|line| Mark::derive(&[line]));
    let ids = ids.map(ProjectId::new);
    let query = ProjectQuery::Near { path: path.into(), mark, ids };
    store.projects(&query).unwrap()
}

fn every(store: &dyn Store) -> Vec<Project> {
    store.projects(&ProjectQuery::All).unwrap()
}

pub fn a_project_is_found_by_path_mark_or_id(make: Make<'_>) {
    let mut store = make();
    let shop = project_at("shop", "/home/ada/shop", Some("one"))
        .with(project_at("shop", "/yard/shop", Some("two")).checkouts[0].clone());
    let bakery = with_team(project_at("bakery", "/home/ada/bakery", None));
    write(&mut *store, vec![describe(&shop), describe(&bakery)]);
    let shop = [shop];
    assert_eq!(near(&*store, "/yard/shop", None, ["x", "x"]), shop);
    assert_eq!(near(&*store, "/elsewhere", Some("one"), ["x", "x"]), shop);
    assert_eq!(near(&*store, "/elsewhere", None, ["x", "shop"]), shop);
    assert_eq!(near(&*store, "/elsewhere", Some("three"), ["x", "x"]), []);
    // Neither has a mark: that is nothing in common.
    assert_eq!(near(&*store, "/elsewhere", None, ["x", "x"]), []);
    let both = near(&*store, "/home/ada/bakery", Some("two"), ["x", "x"]);
    assert_eq!(both, [bakery, shop[0].clone()]);
    assert_eq!(every(&*store), both);
    assert_eq!(store.check().unwrap(), []);
}

pub fn what_nobody_described_is_bare(make: Make<'_>) {
    let mut store = make();
    assert_eq!(every(&*store), []);
    write(&mut *store, vec![add_lesson(&lesson("one")), add_lesson(&lesson_of(None, "two"))]);
    let bare = [Project::bare(project())];
    assert_eq!(every(&*store), bare);
    assert_eq!(near(&*store, "/x", None, ["shop", "bakery"]), bare);
}

pub fn a_description_that_does_not_fit_is_refused(make: Make<'_>) {
    let mut store = make();
    let here = project_at("shop", "/a", Some("one"));
    let there = project_at("shop", "/b", Some("one"));
    let moved = edit_project(&here, &there);
    let unknown = batch(&project(), vec![moved.clone()]);
    assert_eq!(mismatch(store.apply(&unknown, None)), "content");
    write(&mut *store, vec![describe(&here)]);
    assert_eq!(mismatch(store.apply(&batch(&project(), vec![describe(&there)]), None)), "content");
    let renamed = edit_project(&here, &project_at("bakery", "/a", Some("one")));
    assert_eq!(mismatch(store.apply(&batch(&project(), vec![renamed]), None)), "key");
    assert_eq!(every(&*store)[0], here);
    write(&mut *store, vec![moved.clone()]);
    assert_eq!(every(&*store), [there]);
    write(&mut *store, vec![moved.inverse(), describe(&here).inverse()]);
    assert_eq!(every(&*store), [Project::bare(project())]);
    assert_eq!(store.check().unwrap(), []);
}

/// One batch, of one of the two.
pub fn checkouts_go_from_project_to_project(make: Make<'_>) {
    let mut store = make();
    let clone = project_at("clone", "/b", Some("two"));
    let shop = project_at("shop", "/a", Some("one"));
    let shop = with_team(shop);
    write(&mut *store, vec![describe(&clone), describe(&shop)]);
    let emptied = clone.clone().without("/b");
    let joined = shop.clone().with(clone.checkouts[0].clone());
    write(&mut *store, vec![edit_project(&clone, &emptied), edit_project(&shop, &joined)]);
    assert_eq!(near(&*store, "/b", None, ["x", "x"])[0], joined);
    assert_eq!(every(&*store), [emptied, joined]);
    store.rebuild().unwrap();
    assert_eq!(near(&*store, "/x", Some("two"), ["x", "x"])[0].id, project());
    assert_eq!(store.check().unwrap(), []);
}
