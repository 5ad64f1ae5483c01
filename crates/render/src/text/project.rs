//! Projects, for people.

use hardwon_core::gate::without_control;

use super::columns::{hanging, headed_table};
use crate::answer::{MergedProjects, ProjectLine, ProjectShown, Projects};
use crate::record::counted;

/// `project list`: a star before the one that the command was called in.
pub fn projects(projects: &Projects, width: usize) -> String {
    if projects.projects.is_empty() {
        return "no project has anything yet\n".to_owned();
    }
    headed_table("NAME ID >LESSONS >RUNS CHECKOUTS", projects.projects.iter().map(row), width)
}

fn row(line: &ProjectLine) -> Vec<String> {
    let star = if line.is_current { "*" } else { "" };
    vec![
        format!("{star}{}", line.name),
        line.id.to_string(),
        line.n_lessons.to_string(),
        line.n_runs.to_string(),
        line.checkouts.join(", "),
    ]
}

pub fn merged_projects(merged: &MergedProjects, width: usize) -> String {
    let MergedProjects { from, into, operation, n_lessons, n_same, n_runs, n_renamed } = merged;
    let (from, into) = (without_control(from), without_control(into));
    let Some(operation) = operation else {
        return hanging("", &format!("{from} has nothing that could come to {into}"), width);
    };
    let same = if *n_same > 0 { format!(" ({n_same} were there)") } else { String::new() };
    let renamed = if *n_renamed > 0 { format!(" ({n_renamed} renamed)") } else { String::new() };
    let done = format!(
        "{into} has all of {from}: {n_lessons} lessons{same}, {n_runs} runs{renamed}; `hardwon undo \
         {operation} --project {into}` takes it back"
    );
    hanging("", &done, width)
}

pub fn project(shown: &ProjectShown, width: usize) -> String {
    let ProjectShown { project, because, kin } = shown;
    let mut out = format!("{} ({})\n", without_control(&project.name), project.id);
    let [n_lessons, n_runs] =
        [counted(project.n_lessons, "lesson"), counted(project.n_runs, "run")];
    out += &format!("  {n_lessons} of its own, {n_runs}\n");
    for path in &project.checkouts {
        out += &format!("  checkout  {}\n", without_control(path));
    }
    if let Some(because) = because {
        out += &hanging("  here      ", because, width);
    }
    for id in kin {
        let id = without_control(id);
        let text = format!("{id}: `hardwon config project alias {id}` uses its memory here");
        out += &hanging("  clone of  ", &text, width);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> ProjectLine {
        ProjectLine {
            id: "shop-0123456789".to_owned(),
            name: "shop".into(),
            is_current: true,
            n_lessons: 3,
            n_runs: 12,
            checkouts: vec!["/home/ada/shop".into(), "/yard/\u{1b}[31mshop".into()],
        }
    }

    #[test]
    fn a_list_stars_the_project_you_are_in() {
        assert_eq!(projects(&Projects::default(), 80), "no project has anything yet\n");
        let other = ProjectLine { is_current: false, checkouts: Vec::new(), ..line() };
        let list = Projects { projects: vec![line(), other] };
        assert_eq!(
            projects(&list, 80),
            "NAME   ID               LESSONS  RUNS  CHECKOUTS\n\
             *shop  shop-0123456789        3    12  /home/ada/shop, /yard/ [31mshop\n\
             shop   shop-0123456789        3    12\n"
        );
    }
}
