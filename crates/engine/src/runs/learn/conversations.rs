//! What do the conversations teach that hosts kept before anybody thought of memory? Learns
//! from them as from any other agent's word.

use std::path::PathBuf;

use hardwon_core::event::{Event, Record};
use hardwon_core::voice::Voice;
use hardwon_render::answer::{Answer, Learned};

use super::reviewer;
use crate::memory::{OpenMemory, Result};
use crate::open::{Access, Options};
use crate::place::Environment;

/// What is being done, for progress messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationStage {
    /// Conversations.
    Reading,
    /// Runs in them.
    Learning,
}

/// Reads these and learns what is in them. What cannot be read is reported and hides nothing
/// else; what is known already changes nothing.
pub fn learn_conversations(
    environment: &Environment,
    options: &Options,
    files: &[PathBuf],
    progress: &mut dyn FnMut(ConversationStage, usize, usize),
) -> Result<Answer<Learned>> {
    let mut records: Vec<Record> = Vec::new();
    let mut problems = Vec::new();
    for (n_read, file) in files.iter().enumerate() {
        progress(ConversationStage::Reading, n_read, files.len());
        match hardwon_readers::transcript_file(file) {
            Ok(record) => {
                problems.extend(record.problems.iter().cloned());
                records.push(Record { problems: Vec::new(), ..record });
            }
            Err(problem) => problems.push(problem),
        }
    }
    records.retain(|record| !record.events.is_empty());
    if environment.speaker.voice == Voice::Agent {
        records.iter_mut().for_each(in_one_voice);
    }
    let mut learned = Learned::default();
    if !records.is_empty() {
        let mut open = OpenMemory::open(environment, options, Access::Write)?;
        let mut on_run = |done, all| progress(ConversationStage::Learning, done, all);
        // An agent that hands them in may have written them.
        let is_witnessed = environment.speaker.voice != Voice::Agent;
        let answer = reviewer::learn_claims(
            &mut open.memory,
            &open.call,
            records,
            is_witnessed,
            &mut on_run,
        )?;
        problems.extend(answer.problems);
        learned = answer.body;
    }
    Ok(Answer::of(learned, problems).empty_if(|it| it.runs.is_empty()))
}

/// An agent that hands conversations in could have written them: they
/// are the word of that one agent, whoever speaks in them.
fn in_one_voice(record: &mut Record) {
    let mut agent = None;
    for sourced in &mut record.events {
        match &mut sourced.event {
            Event::Run(run) => agent.clone_from(&run.agent),
            Event::Finding(finding) => finding.author.clone_from(&agent),
            Event::Verdict(verdict) => verdict.author = agent.clone().unwrap_or_default(),
            Event::Fix(_) | Event::Step(_) | Event::Effect(_) | Event::Suggestion(_) => {}
            Event::Deliberation(_) | Event::Attempt(_) => {}
        }
    }
}
