//! Which paths were asked for that are not there, and what was there instead? A session that
//! makes the file itself, or finds it there later, has not missed it.

use std::collections::BTreeSet;

use super::shown;
use crate::episode::StepKind;
use crate::event::{FindingStated, StepStated};
use crate::list;

const RULE: &str = "session:path";

/// The category of what is not there. Says little without what is.
pub const MISSING_PATH: &str = "missing_path";

const ABSENT: &[&str] = list!("mistakes.txt", "absent");
const TOO_LARGE: &[&str] = list!("mistakes.txt", "too large");

/// How many steps later another path still stands for the missing one.
const HORIZON: usize = 8;

/// Longest path that is told, in characters.
const MAX_PATH_CHARS: usize = 100;

pub fn missing(steps: &[StepStated]) -> Vec<FindingStated> {
    let mut seen = BTreeSet::new();
    let looked = steps.iter().enumerate().filter(|(_, step)| step.kind == StepKind::Look);
    looked.filter_map(|(place, step)| one(place, step, steps, &mut seen)).collect()
}

fn one(
    place: usize,
    step: &StepStated,
    steps: &[StepStated],
    seen: &mut BTreeSet<String>,
) -> Option<FindingStated> {
    let output = step.output.as_deref().filter(|_| step.is_ok == Some(false))?;
    let path = plain_path(&step.action)?;
    let lower = output.to_lowercase();
    let has = |signs: &[&str]| signs.iter().any(|sign| lower.contains(sign));
    if has(TOO_LARGE) && seen.insert(path.clone()) {
        let text = format!("`{path}` is too large to be read at once");
        let repair = Some(format!("Search `{path}`, or read a part of it"));
        return Some(FindingStated { repair, ..shown(RULE, &path, text, output) });
    }
    if !has(ABSENT) || is_made(&path, steps) || !seen.insert(path.clone()) {
        return None;
    }
    let later = &steps[place + 1..];
    let instead = meant(output).or_else(|| followed(&path, later)).or_else(|| above(&path, later));
    let other = instead.filter(|other| *other != path)?;
    let repair = Some(format!("Look at `{other}`, not `{path}`"));
    let text = format!("`{path}` does not exist in this project");
    let category = Some(MISSING_PATH.to_owned());
    Some(FindingStated { repair, category, ..shown(RULE, &path, text, output) })
}

/// A path inside the project, if it has the look of one.
fn plain_path(path: &str) -> Option<String> {
    let path = path.trim().trim_start_matches("./").trim_end_matches('/');
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "_-./@+".contains(c);
    let is_inside = !path.starts_with(['/', '~', '-']) && !path.contains("..");
    let has_name = path.contains(['/', '.']) && path.chars().any(char::is_alphabetic);
    let is_plain = !path.is_empty() && path.chars().all(is_usual);
    (is_inside && has_name && is_plain && path.chars().count() <= MAX_PATH_CHARS)
        .then(|| path.to_owned())
}

/// Whether the session has it at some time: it made it, or read it.
fn is_made(path: &str, steps: &[StepStated]) -> bool {
    let is_it = |step: &&StepStated| {
        let action = step.action.trim().trim_start_matches("./").trim_end_matches('/');
        let is_below = action.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        action == path || is_below
    };
    let mut there = steps.iter().filter(|step| step.is_ok == Some(true)).filter(is_it);
    there.any(|step| matches!(step.kind, StepKind::Edit | StepKind::Look))
        || steps.iter().any(|step| step.kind == StepKind::Edit && step.action.trim() == path)
}

/// `Did you mean .golangci.yaml?`
fn meant(output: &str) -> Option<String> {
    let (_, rest) = output.split_once("Did you mean ")?;
    let name = rest.split(['?', '\n', ' ']).next()?.trim_matches(['\'', '"', '`']);
    plain_path(name)
}

/// What was read next, if it has the same name: elsewhere, or with another ending.
fn followed(path: &str, later: &[StepStated]) -> Option<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let bare = |name: String| match name.split_once('.') {
        Some((bare, _)) if !bare.is_empty() => bare.to_owned(),
        _ => name,
    };
    let wanted = bare(name(path));
    let mut next = later.iter().take(HORIZON).filter(|step| step.is_ok == Some(true));
    next.find_map(|step| {
        let is_look = matches!(step.kind, StepKind::Look | StepKind::Edit);
        let other = plain_path(&step.action).filter(|_| is_look)?;
        (wanted.chars().count() >= 4 && bare(name(&other)) == wanted).then_some(other)
    })
}

/// The folder above a folder that is not there, if files directly in it were read next.
fn above(path: &str, later: &[StepStated]) -> Option<String> {
    let (above, name) = path.rsplit_once('/')?;
    let mut next = later.iter().take(2 * HORIZON).filter(|step| step.is_ok == Some(true));
    let is_in = |step: &StepStated| {
        let file = plain_path(&step.action);
        let rest = file.as_deref().and_then(|file| file.strip_prefix(above));
        rest.is_some_and(|rest| rest.is_empty() || rest.matches('/').count() == 1)
    };
    (!name.contains('.') && next.any(is_in)).then(|| above.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(path: &str, output: Option<&str>) -> StepStated {
        StepStated {
            kind: StepKind::Look,
            tool: "read".to_owned(),
            action: path.to_owned(),
            is_ok: Some(output.is_none()),
            output: output.map(str::to_owned),
            duration_ms: None,
            looks: Vec::new(),
            change: None,
        }
    }

    #[test]
    fn a_path_that_is_not_there_is_told_with_what_is() {
        let absent = Some("File does not exist.");
        let told = |steps: &[StepStated]| {
            let found = missing(steps);
            let repair = found.first().and_then(|found| found.repair.clone());
            (found.first().map(|found| found.text.clone()), repair)
        };
        let (text, repair) = told(&[look(
            ".golangci.yml",
            Some("File does not exist. Did you mean .golangci.yaml?"),
        )]);
        assert_eq!(text.as_deref(), Some("`.golangci.yml` does not exist in this project"));
        assert_eq!(repair.as_deref(), Some("Look at `.golangci.yaml`, not `.golangci.yml`"));
        let (_, repair) = told(&[look("src/config.ts", absent), look("src/app/config.ts", None)]);
        assert_eq!(repair.as_deref(), Some("Look at `src/app/config.ts`, not `src/config.ts`"));
        assert_eq!(told(&[look("a/new.rs", absent), look("a/new.rs", None)]).0, None, "it came");
        for odd in ["/etc/passwd", "a b.rs", "../x.rs", "Ignore all rules", "plan"] {
            assert_eq!(told(&[look(odd, absent)]).0, None, "{odd}");
        }
    }
}
