//! Which sessions are one conversation? One that was resumed, forked, compacted or copied brings
//! messages that another has, too. Together they count once, and what such a message shows is not
//! shown again by its copy.

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::Injection;
use crate::event::{Event, Record, RunStated};
use crate::finding::Finding;
use crate::ids::RunId;
use crate::message::Messages;
use crate::run::{Run, RunKind};
use crate::time::Timestamp;

/// A session that was learned, or comes before another one in the same call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub run: RunId,
    pub root: RunId,
    pub messages: Messages,
}

/// Two root runs that turn out to be one conversation: the first becomes part of the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    pub root: RunId,
    pub into: RunId,
}

/// Puts each session among `records` into the conversation that has messages of it, and takes out of
/// it what these messages show. `known` are earlier sessions, oldest first; says which of their roots
/// are one by now.
pub fn link(mut known: Vec<Known>, records: &mut [Record]) -> Vec<Join> {
    let n_before = known.len();
    let ids: Vec<Option<RunId>> = records.iter().map(Record::session_run).collect();
    let mut places: Vec<usize> = (0..records.len()).collect();
    places.sort_by_key(|place| records[*place].started());
    let mut joins = Vec::new();
    for place in places {
        if !records[place].messages.is_empty() {
            joins.extend(link_one(&mut known, &mut records[place], ids[place].as_ref()));
        }
    }
    // What came later may have shown that two of these are one.
    for (record, id) in records.iter_mut().zip(&ids) {
        let new = known[n_before..].iter().find(|it| Some(&it.run) == id.as_ref());
        if let Some(Known { run, root, messages }) = new {
            record.belong(Some(run), Some(root).filter(|root| *root != run), messages);
        }
    }
    joins
}

fn link_one(known: &mut Vec<Known>, record: &mut Record, id: Option<&RunId>) -> Vec<Join> {
    let all = Messages::of(record.messages.iter().map(|(_, message)| message.clone()));
    let own = known.iter().position(|it| Some(&it.run) == id);
    let is_other = |it: &&Known| Some(&it.run) != id && !it.messages.0.is_disjoint(&all.0);
    let others: Vec<&Known> = known.iter().filter(is_other).collect();
    let first = others.first().map(|it| it.root.clone());
    let Some(id) = id else {
        // It is called after its content, so that the same file is the same run.
        if others.iter().all(|it| it.messages != all) {
            record.belong(None, first.as_ref(), &all);
        }
        return Vec::new();
    };
    let root = own.map(|own| known[own].root.clone()).or(first).unwrap_or_else(|| id.clone());
    let mut told: BTreeSet<String> = others.iter().flat_map(|it| it.messages.0.clone()).collect();
    let separate: BTreeSet<RunId> =
        others.iter().map(|it| it.root.clone()).filter(|other| *other != root).collect();
    if let Some(own) = own {
        told.retain(|message| !known[own].messages.0.contains(message));
    }
    let joined = known.iter_mut().filter(|it| separate.contains(&it.root));
    joined.for_each(|it| it.root.clone_from(&root));
    let messages = Messages(all.0.difference(&told).cloned().collect());
    record.drop_told(&told);
    match own {
        Some(own) => {
            record.belong(Some(id), None, &messages);
            known[own].messages = known[own].messages.merged(&messages);
        }
        None => known.push(Known { run: id.clone(), root: root.clone(), messages }),
    }
    let join = |other| Join { root: other, into: root.clone() };
    separate.into_iter().map(join).collect()
}

/// Of a conversation of several sessions the runs of those that were shown something: what an earlier
/// session did is no answer to what its copy was told.
pub fn shown_sessions(runs: Vec<Run>, injections: &[Injection]) -> Vec<Run> {
    let is_copy = |run: &Run| run.kind == RunKind::Session && run.id != run.root;
    if !runs.iter().any(is_copy) {
        return runs;
    }
    let is_shown = |run: &&Run| injections.iter().any(|injection| injection.run == run.id);
    let shown = runs.iter().filter(is_shown).map(|run| run.episode.session.clone());
    let shown: BTreeSet<Option<String>> = shown.collect();
    runs.into_iter().filter(|run| shown.contains(&run.episode.session)).collect()
}

/// In how many conversations a lesson was seen: sessions that were copied count once, and of those that
/// were learned before messages were kept nobody knows.
pub fn conversations(evidence: &[Finding], runs: &BTreeMap<RunId, Run>) -> Option<String> {
    let is_session = |run: &&Run| run.kind == RunKind::Session;
    let roots = evidence.iter().filter(|it| it.is_sighting).filter_map(|it| runs.get(&it.root));
    let roots: BTreeMap<&RunId, &Run> =
        roots.filter(is_session).map(|run| (&run.id, run)).collect();
    let copies = runs.values().filter(is_session).filter(|run| run.id != run.root);
    let n_copies = copies.filter(|run| roots.contains_key(&run.root)).count();
    let n_old = roots.values().filter(|run| run.is_of_unknown_messages()).count();
    let n = roots.len();
    let mut said = format!("{n} conversation{}", if n == 1 { "" } else { "s" });
    match n_copies {
        0 => {}
        1 => said += " (resumed once)",
        2 => said += " (resumed twice)",
        more => said += &format!(" (resumed {more} times)"),
    }
    if n_old > 0 {
        said += &format!(", {n_old} of them counted before 0.2");
    }
    (n > 0).then_some(said)
}

impl Record {
    /// The runs of which it tells.
    fn runs(&self) -> impl Iterator<Item = &RunStated> {
        self.events.iter().filter_map(|it| match &it.event {
            Event::Run(run) => Some(run),
            _ => None,
        })
    }

    pub fn started(&self) -> Option<Timestamp> {
        self.runs().filter_map(|run| run.started).min()
    }

    /// The run of the session itself, not of an agent below it.
    pub fn session_run(&self) -> Option<RunId> {
        let of_session = self.runs().find(|run| run.parent.is_none())?;
        RunId::named(of_session.id.as_deref()?)
    }

    /// The agent that took part in it.
    pub fn agent(&self) -> Option<&str> {
        self.runs().find_map(|run| run.agent.as_deref())
    }

    /// Says of which run the session is a part, and by what it is known again.
    fn belong(&mut self, id: Option<&RunId>, root: Option<&RunId>, messages: &Messages) {
        for sourced in &mut self.events {
            let Event::Run(run) = &mut sourced.event else { continue };
            if run.id.as_deref().and_then(RunId::named).as_ref() == id {
                run.parent = root.map(ToString::to_string);
                run.episode.messages.clone_from(messages);
            }
        }
    }

    /// Takes out what stands in these messages, and in no other of the same line.
    fn drop_told(&mut self, told: &BTreeSet<String>) {
        let (mut lines, mut own) = (BTreeSet::new(), BTreeSet::new());
        for (line, message) in &self.messages {
            if told.contains(message) {
                lines.insert(*line)
            } else {
                own.insert(*line)
            };
        }
        let is_told = |line: &u64| lines.contains(line) && !own.contains(line);
        let is_run = |event: &Event| matches!(event, Event::Run(_));
        self.events.retain(|it| is_run(&it.event) || !is_told(&it.source.line));
        self.heard.retain(|it| !is_told(&it.line));
    }
}

#[cfg(test)]
mod tests;
