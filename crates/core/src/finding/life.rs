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

/// Rows that are the same finding as this one: of the same signature, or the same in every word.
pub fn is_same(one: &Finding, other: &Finding) -> bool {
    one.key == other.key || !one.signature.is_empty() && one.signature == other.signature
}

/// The life of a finding; its rows come with the oldest run first.
pub fn life(rows: &[&Finding]) -> Vec<LifeStep> {
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
        let closed = Finding {
            fixed_in: Some(RunId::parse("r2").unwrap()),
            ..row("r1", FindingState::Fixed)
        };
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
