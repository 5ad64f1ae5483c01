//! Where was a finding opened, closed, and did it come back? Told from its rows in all runs.

use super::{Finding, FindingState};
use crate::ids::RunId;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What happened to a finding in a run.
    LifeEvent {
        Opened = "opened",
        /// Reported again while it was open.
        Again = "again",
        Closed = "closed",
        CameBack = "came_back",
        Dismissed = "dismissed",
    }
}

/// One step in the life of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LifeStep {
    pub event: LifeEvent,
    pub run: RunId,
    /// Who reported or dismissed it; nobody is known to have closed it.
    pub by: Option<String>,
}

/// Which findings to list. An open field excludes nothing.
#[derive(Clone, Debug, Default)]
pub struct FindingsRequest {
    pub state: Option<FindingState>,
    /// A file, or a folder with all below it.
    pub path: Option<String>,
    pub author: Option<String>,
    /// A run, or a root run with all below it.
    pub run: Option<RunId>,
    /// `None` = a page.
    pub limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before.
    pub after: Option<String>,
}

impl FindingsRequest {
    pub fn admits(&self, it: &Finding) -> bool {
        let path = it.place.as_ref().map(|place| place.path.as_str());
        self.state.is_none_or(|state| state == it.state)
            && self.path.as_deref().is_none_or(|asked| path.is_some_and(|own| is_below(own, asked)))
            && self.author.as_ref().is_none_or(|author| *author == it.author)
            && self.run.as_ref().is_none_or(|run| *run == it.run || *run == it.root)
    }
}

fn is_below(path: &str, asked: &str) -> bool {
    let asked = asked.trim_start_matches("./").trim_end_matches('/');
    path.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The finding that a name means, as it was reported last, and its life: the name is a beginning of
/// its id. `None` if it means none, or different ones. The oldest run comes first.
pub fn named<'a>(all: &'a [Finding], name: &str) -> Option<(&'a Finding, Vec<LifeStep>)> {
    let named: Vec<&Finding> = all.iter().filter(|it| it.key.0.starts_with(name)).collect();
    let newest = *named.last().filter(|_| !name.is_empty())?;
    let rows: Vec<&Finding> = all.iter().filter(|it| is_same(newest, it)).collect();
    let is_one = named.iter().all(|it| is_same(newest, it));
    is_one.then(|| (rows.last().copied().unwrap_or(newest), life(&rows)))
}

/// Rows that are the same finding as this one: of the same signature, or the same in every word.
fn is_same(one: &Finding, other: &Finding) -> bool {
    one.key == other.key || !one.signature.is_empty() && one.signature == other.signature
}

/// The life of a finding; its rows come with the oldest run first.
fn life(rows: &[&Finding]) -> Vec<LifeStep> {
    let mut steps: Vec<LifeStep> = Vec::new();
    for row in rows {
        let mut step = |event, run: &RunId, by: Option<&String>| {
            let step = LifeStep { event, run: run.clone(), by: by.cloned() };
            if !steps.contains(&step) {
                steps.push(step);
            }
        };
        if row.state == FindingState::Regressed {
            step(LifeEvent::CameBack, &row.run, Some(&row.author));
        } else if row.is_sighting || row.state == FindingState::Dismissed {
            let is_first = std::ptr::eq(*row, rows[0]);
            let event = if is_first { LifeEvent::Opened } else { LifeEvent::Again };
            step(event, &row.run, Some(&row.author));
        }
        match row.state {
            FindingState::Fixed => {
                step(LifeEvent::Closed, row.fixed_in.as_ref().unwrap_or(&row.run), None);
            }
            FindingState::Dismissed => step(LifeEvent::Dismissed, &row.run, row.ruled_by.as_ref()),
            FindingState::Open | FindingState::Regressed => {}
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::run::Run;
    use crate::time::Timestamp;

    fn row(run: &str, state: FindingState) -> Finding {
        let run = Run::stub(RunId::parse(run).unwrap(), Timestamp(0));
        let text = Gate::standard().line("Socket left open");
        Finding { state, ..run.new_finding("judge".into(), "s-1".into(), text, None) }
    }

    #[test]
    fn a_finding_is_opened_closed_and_comes_back() {
        let closed =
            Finding { fixed_in: RunId::parse("r2").ok(), ..row("r1", FindingState::Fixed) };
        let back = row("r3", FindingState::Regressed);
        let ruled_by = Some("inspector".to_owned());
        let ruled = Finding { ruled_by, ..row("r4", FindingState::Dismissed) };
        let told: Vec<String> = life(&[&closed, &back, &ruled])
            .iter()
            .map(|step| {
                format!("{} {} {}", step.event, step.run, step.by.as_deref().unwrap_or("-"))
            })
            .collect();
        let expected = ["opened r1 judge", "closed r2 -", "came_back r3 judge"];
        assert_eq!(told[..3], expected);
        assert_eq!(told[3..], ["again r4 judge", "dismissed r4 inspector"]);
        assert!(is_same(&closed, &back));
    }
}
