//! What a record says, as memory may keep it: runs, findings, suggestions and the candidates of a
//! reflection, every word passed through the gate.

use std::collections::BTreeSet;

pub use super::account::account;
use super::{Gate, Refusal, account};
use crate::categorize;
use crate::event::{Problem, SuggestionStated};
use crate::find::{FoundFinding, FoundRun};
use crate::finding::{Finding, Place, is_of_session};
use crate::ids::RunId;
use crate::lesson::{Guidance, Origin};
use crate::reflect::{AUTHOR, Candidate};
use crate::run::{Run, RunKind};
use crate::scope::Scope;
use crate::signature::{of_fingerprint, signature};
use crate::time::Timestamp;

/// A run that ends this much after the present has a wrong clock: a day, for those who
/// only differ by their time zone.
const MAX_AHEAD_MS: i64 = 86_400_000;

/// Longest rule or nuance, in characters.
const MAX_GUIDANCE_CHARS: usize = 400;

/// Where a run stands, and how it is taken.
pub struct RunPlace {
    pub parent: Option<RunId>,
    pub root: RunId,
    pub now: Timestamp,
    /// An agent hands the record in.
    pub is_agents_word: bool,
    /// Runs with a trail are reflected on.
    pub is_reflected_on: bool,
}

/// A run with every word passed through the gate.
pub fn run(gate: &Gate, found: &FoundRun, place: RunPlace, problems: &mut Vec<Problem>) -> Run {
    let stated = &found.stated;
    let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
    let set = |raw: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
        raw.filter_map(|raw| gate.word(raw)).collect()
    };
    let judgements = found.judgements.iter();
    let episode = account::episode(gate, found, problems);
    let mut detectors = set(&mut found.detectors.iter());
    let is_believed = !place.is_agents_word || episode.is_witnessed;
    if place.is_reflected_on && is_believed && !episode.trail.is_empty() {
        // Reflection looks at every run that has a trail.
        detectors.insert(AUTHOR.to_owned());
    }
    Run {
        parent: place.parent,
        root: place.root,
        is_learned: true,
        kind: stated.kind.unwrap_or(RunKind::Other),
        role: word(&stated.role),
        agent: word(&stated.agent),
        task: word(&stated.task),
        domain: word(&stated.domain),
        started: stated.started,
        finished: end(found, place.now, problems),
        outcome: stated.outcome,
        detectors,
        reasoned_only: set(&mut found.reasoned_only.iter()),
        judgements: judgements.filter_map(|(by, judged)| Some((gate.word(by)?, *judged))).collect(),
        paths: set(&mut stated.paths.iter()),
        tools: set(&mut stated.tools.iter()),
        tags: gate.tags(stated.tags.iter().map(String::as_str)).into_iter().collect(),
        episode,
        ..Run::stub(found.id.clone(), place.now)
    }
}

/// When the run ended, unless that is still to come: one such run would make every later one
/// a backfill.
fn end(found: &FoundRun, now: Timestamp, problems: &mut Vec<Problem>) -> Option<Timestamp> {
    let finished = found.stated.finished?;
    if finished.0.saturating_sub(now.0) <= MAX_AHEAD_MS {
        return Some(finished);
    }
    let reason = "the run ends in the future; its end is not used";
    problems.push(Problem::new(&found.source, reason));
    None
}

/// A finding of this run, or why it is not taken.
pub fn finding(gate: &Gate, found: &FoundFinding, run: &Run) -> Result<Finding, Refusal> {
    let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
    let is_shown = found.stated.rule.as_deref().is_some_and(is_of_session);
    // Whoever makes an agent run something may choose what looks like a tool's words.
    let is_tools = found.stated.rule.is_some() && found.stated.path.is_some();
    let is_located = is_tools && run.episode.told_by != Some(Origin::Agent) || is_shown;
    let text = if !found.is_sighting {
        // A fix or a dismissed finding teaches nothing by itself.
        gate.line(&found.stated.text)
    } else if is_located {
        gate.located_finding(&found.stated.text)?
    } else {
        gate.finding(&found.stated.text)?
    };
    let author = gate.word(&found.author).unwrap_or_else(|| "unknown".to_owned());
    let rule = word(&found.stated.rule);
    let path = word(&found.stated.path);
    let signature = match &found.stated.fingerprint {
        Some(fingerprint) => of_fingerprint(fingerprint),
        None => signature(None, rule.as_deref(), text.as_str(), path.as_deref()),
    };
    let place = path.map(|path| Place { path, line: found.stated.line });
    Ok(Finding {
        severity: found.severity,
        category: word(&found.stated.category),
        rule,
        grade: found.stated.grade,
        state: found.state,
        is_sighting: found.is_sighting,
        fixed_in: found.stated.fixed_in.clone(),
        repair: found.stated.repair.as_deref().and_then(|raw| gate.repair(raw)),
        ruled_by: word(&found.ruled_by),
        ..run.new_finding(author, signature, text, place)
    })
}

/// A suggestion of this run as a finding, or why it is not taken. Whoever hands it in, an agent
/// thought of it.
pub fn suggestion(gate: &Gate, stated: &SuggestionStated, run: &Run) -> Result<Finding, Refusal> {
    let text = gate.statement(&stated.text, Origin::Agent)?;
    let author = gate.word(&stated.author).unwrap_or_else(|| "unknown".to_owned());
    let rule = categorize::rule(stated.kind);
    let signature = signature(None, Some(&rule), text.as_str(), None);
    Ok(Finding { rule: Some(rule), ..run.new_finding(author, signature, text, None) })
}

/// The candidate of a reflection. Whether its text says enough is decided when it is taken.
pub fn candidate(gate: &Gate, candidate: &Candidate) -> Candidate {
    let prose = |raw: &Option<String>| -> Option<String> {
        let clean = gate.line(raw.as_deref()?);
        Some(clean.as_str().chars().take(MAX_GUIDANCE_CHARS).collect())
    };
    let pairs = candidate.scope.0.iter();
    let pairs = pairs.filter_map(|(side, value)| Some((*side, gate.word(value)?)));
    Candidate {
        text: gate.line(&candidate.text).as_str().to_owned(),
        scope: Scope(pairs.collect()),
        tags: gate.tags(candidate.tags.iter().map(String::as_str)),
        paths: candidate.paths.iter().filter_map(|path| gate.word(path)).collect(),
        quote: prose(&candidate.quote),
        importance: candidate.importance.clamp(0.0, 1.0),
        guidance: Guidance {
            rule: prose(&candidate.guidance.rule),
            detail: prose(&candidate.guidance.detail),
            applies_when: prose(&candidate.guidance.applies_when),
            about: None,
            wordings: Vec::new(),
            summary: None,
            repair: candidate.guidance.repair.as_deref().and_then(|raw| gate.repair(raw)),
        },
        ..candidate.clone()
    }
}
