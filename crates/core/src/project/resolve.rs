//! Which project does a checkout belong to? Decided from what the checkout shows and what the
//! store knows, with the reason. Nothing is joined on a guess: a mark alone counts only where
//! no known checkout carries it any more, because an unpacked archive brings its git directory
//! along.

use super::{Checkout, Mark, Project, new_id};
use crate::ids::ProjectId;

/// What the folder shows in which a command was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The folder that owns the repository, or the folder itself where there is none.
    pub path: String,
    /// Whether it is a git repository.
    pub is_git: bool,
    pub mark: Option<Mark>,
}

/// What the store and the disk know about it.
#[derive(Clone, Debug, Default)]
pub struct KnownProjects {
    /// Projects with a checkout at this path or with this mark, and those whose id is the path
    /// or [`Sighting::new_id`].
    pub projects: Vec<Project>,
    /// Paths of their checkouts at which the mark is still found, or which cannot be looked at.
    pub still_marked: Vec<String>,
}

/// Which project it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    pub project: ProjectId,
    pub reason: Reason,
}

/// Why it is that project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// By the user.
    #[error("it was named")]
    Named,
    #[error("not a git repository: the path is the project")]
    Folder,
    /// Its checkout lies where it lay and carries its mark.
    #[error("this checkout belongs to it")]
    Same,
    /// Its checkout lies where it lay; no mark is known of it yet.
    #[error("it is known at this path")]
    SamePath,
    /// It carries the project's mark, and its former place no longer does.
    #[error("it was moved here from {from}")]
    Moved { from: String },
    #[error("new: nothing is known of this checkout")]
    Unknown,
    /// It carries the mark of another checkout.
    #[error("new: a copy of a checkout of {of}, which is still there")]
    Copy { of: ProjectId },
    /// That one had another mark.
    #[error("new: what was known at this path, {other}, was another repository")]
    Replaced { other: ProjectId },
    #[error("new: copies of it belong to several projects")]
    Ambiguous,
}

impl Sighting {
    /// The id that older releases gave it, and that a folder without git has.
    pub fn path_id(&self) -> ProjectId {
        ProjectId::new(&self.path)
    }

    /// The id of a new project here.
    pub fn new_id(&self) -> ProjectId {
        new_id(&self.path, self.mark.as_ref(), |_| false)
    }

    /// As a checkout of a project.
    pub fn checkout(&self) -> Checkout {
        Checkout { path: self.path.clone(), mark: self.mark.clone() }
    }
}

impl Reason {
    /// Whether this is a project that nothing was known of.
    pub fn is_new(&self) -> bool {
        use Reason::*;
        matches!(self, Unknown | Copy { .. } | Replaced { .. } | Ambiguous)
    }
}

/// The project that this very checkout was joined to, by path and mark: what is asked for on
/// the hot path, and needs no look at other folders.
pub fn joined<'a>(sighting: &Sighting, projects: &'a [Project]) -> Option<&'a Project> {
    let checkout = sighting.checkout();
    checkout.mark.as_ref()?;
    projects.iter().find(|project| project.checkouts.contains(&checkout))
}

pub fn resolve(sighting: &Sighting, known: &KnownProjects) -> Resolution {
    let projects = &known.projects;
    if let Some(project) = joined(sighting, projects) {
        return Resolution { project: project.id.clone(), reason: Reason::Same };
    }
    if let Some(project) = unmarked_here(sighting, projects) {
        let is_path = !sighting.is_git && project.id == sighting.path_id();
        let reason = if is_path { Reason::Folder } else { Reason::SamePath };
        return Resolution { project: project.id.clone(), reason };
    }
    if let Some(found) = by_mark(sighting, known) {
        return found;
    }
    let reason = match projects.iter().find(|project| project.has_path(&sighting.path)) {
        Some(other) => Reason::Replaced { other: other.id.clone() },
        None if sighting.is_git => Reason::Unknown,
        None => Reason::Folder,
    };
    Resolution { project: free_id(sighting, projects), reason }
}

/// The project known at this path of which no mark is known: joined when there was no git
/// repository, or by a release that knew paths only.
fn unmarked_here<'a>(sighting: &Sighting, projects: &'a [Project]) -> Option<&'a Project> {
    let here = Checkout { path: sighting.path.clone(), mark: None };
    let is_path =
        |project: &&Project| project.checkouts.is_empty() && project.id == sighting.path_id();
    let by_checkout = projects.iter().find(|project| project.checkouts.contains(&here));
    by_checkout.or_else(|| projects.iter().find(is_path))
}

/// What the mark says about a checkout that is not known at its path.
fn by_mark(sighting: &Sighting, known: &KnownProjects) -> Option<Resolution> {
    let mark = sighting.mark.as_ref()?;
    let marked: Vec<(&Project, &Checkout)> = known
        .projects
        .iter()
        .flat_map(|project| project.checkouts.iter().map(move |checkout| (project, checkout)))
        .filter(|(_, checkout)| checkout.mark.as_ref() == Some(mark))
        .collect();
    let (first, from) = *marked.first()?;
    let still = marked.iter().find(|(_, checkout)| known.still_marked.contains(&checkout.path));
    let new = |reason| Resolution { project: free_id(sighting, &known.projects), reason };
    Some(match still {
        Some((project, _)) => new(Reason::Copy { of: project.id.clone() }),
        None if marked.iter().any(|(project, _)| project.id != first.id) => new(Reason::Ambiguous),
        None => Resolution {
            project: first.id.clone(),
            reason: Reason::Moved { from: from.path.clone() },
        },
    })
}

/// An id that none of the known projects has: the path for a folder without git.
fn free_id(sighting: &Sighting, projects: &[Project]) -> ProjectId {
    // One without a checkout is what was written here before anything was joined.
    let is_taken = |id: &ProjectId| {
        projects.iter().any(|known| known.id == *id && !known.checkouts.is_empty())
    };
    let path_id = sighting.path_id();
    if !sighting.is_git && !is_taken(&path_id) {
        return path_id;
    }
    new_id(&sighting.path, sighting.mark.as_ref(), is_taken)
}

/// The projects of which a new checkout is a clone, as far as first commit and remote tell.
pub fn with_lineage<'a>(
    lineage: &str,
    of: &ProjectId,
    projects: &'a [Project],
) -> Vec<&'a Project> {
    let is_clone =
        |project: &&Project| project.lineage.as_deref() == Some(lineage) && project.id != *of;
    projects.iter().filter(is_clone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: &str) -> Mark {
        Mark::derive(&[text])
    }

    fn git(path: &str, line: &str) -> Sighting {
        Sighting { path: path.into(), is_git: true, mark: Some(mark(line)) }
    }

    fn shop(path: &str, line: &str) -> Project {
        let checkout = Checkout { path: path.into(), mark: Some(mark(line)) };
        Project::bare(ProjectId::new("shop")).with(checkout)
    }

    fn known(projects: &[Project], still_marked: &[&str]) -> KnownProjects {
        KnownProjects {
            projects: projects.to_vec(),
            still_marked: still_marked.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    #[track_caller]
    fn check(sighting: &Sighting, known: &KnownProjects, project: &str, reason: &Reason) {
        let found = resolve(sighting, known);
        assert_eq!((found.project.as_str(), &found.reason), (project, reason));
    }

    #[test]
    fn a_checkout_is_known_by_its_path_and_its_mark() {
        let there = |still_marked: &[&str]| known(&[shop("/a", "1")], still_marked);
        check(&git("/a", "1"), &there(&["/a"]), "shop", &Reason::Same);
        let moved = Reason::Moved { from: "/a".into() };
        check(&git("/b", "1"), &there(&[]), "shop", &moved);
        let copy = Reason::Copy { of: ProjectId::new("shop") };
        let (here, id) = (git("/b", "1"), git("/b", "1").new_id());
        check(&here, &there(&["/a"]), id.as_str(), &copy);
        let other = Project { id: ProjectId::new("other"), ..shop("/c", "1") };
        let both = known(&[shop("/a", "1"), other], &[]);
        check(&here, &both, id.as_str(), &Reason::Ambiguous);
        check(&here, &known(&[], &[]), id.as_str(), &Reason::Unknown);
    }

    #[test]
    fn another_repository_at_the_same_path_is_another_project() {
        let reason = Reason::Replaced { other: ProjectId::new("shop") };
        for here in [git("/a", "2"), Sighting { mark: None, ..git("/a", "") }] {
            let id = here.new_id();
            check(&here, &known(&[shop("/a", "1")], &["/a"]), id.as_str(), &reason);
        }
    }

    #[test]
    fn an_id_that_is_taken_is_not_given_again() {
        let here = Sighting { mark: None, ..git("/a", "") };
        let taken = Project { id: here.new_id(), ..shop("/a", "1") };
        let found = resolve(&here, &known(std::slice::from_ref(&taken), &[]));
        assert_ne!(found.project, taken.id);
        assert_eq!(found.reason, Reason::Replaced { other: taken.id });
    }

    #[test]
    fn a_path_that_is_an_id_keeps_its_memory_and_learns_a_mark() {
        let old = Project::bare(ProjectId::new("/a"));
        check(&git("/a", "1"), &known(&[old], &[]), "/a", &Reason::SamePath);
        let marked = Project { id: ProjectId::new("/a"), ..shop("/a", "1") };
        check(&git("/a", "1"), &known(&[marked], &[]), "/a", &Reason::Same);
    }

    #[test]
    fn a_folder_without_git_is_its_path() {
        let folder = Sighting { path: "/a".into(), is_git: false, mark: None };
        check(&folder, &known(&[], &[]), "/a", &Reason::Folder);
        let own = Project::bare(ProjectId::new("/a"));
        check(&folder, &known(std::slice::from_ref(&own), &[]), "/a", &Reason::Folder);
        // What somebody joined counts more than the memory of its own that it had before.
        let here = Checkout { path: "/a".into(), mark: None };
        let shop = Project::bare(ProjectId::new("shop")).with(here);
        check(&folder, &known(&[own, shop], &[]), "shop", &Reason::SamePath);
    }

    #[test]
    fn a_folder_that_lost_its_repository_is_not_the_project_it_was() {
        let folder = Sighting { path: "/a".into(), is_git: false, mark: None };
        let gone = Project { id: ProjectId::new("/a"), ..shop("/a", "1") };
        let found = resolve(&folder, &known(&[gone], &[]));
        assert_ne!(found.project.as_str(), "/a");
        assert!(found.reason.is_new());
    }

    #[test]
    fn what_was_written_before_it_was_joined_is_its_own() {
        let here = git("/b", "2");
        let bare = Project::bare(here.new_id());
        let id = bare.id.clone();
        check(&here, &known(&[bare], &[]), id.as_str(), &Reason::Unknown);
    }

    #[test]
    fn clones_have_the_same_lineage() {
        let lineage = crate::project::lineage("abc", "https://example.com/shop");
        let shop = Project { lineage: Some(lineage.clone()), ..shop("/a", "1") };
        let other = Project::bare(ProjectId::new("other"));
        let projects = [shop.clone(), other];
        assert_eq!(with_lineage(&lineage, &ProjectId::new("new"), &projects), [&shop]);
        assert!(with_lineage(&lineage, &shop.id, &projects).is_empty());
    }
}
