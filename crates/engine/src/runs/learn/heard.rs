//! What of a session is not told by its findings: failures that known lessons warn of, however they
//! ended, and a digest for the model that reads it.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::event::{Event, Record, Source, Sourced};
use hardwon_core::ids::RunId;
use hardwon_core::observe::{recurrence, signature_of_advised};
use hardwon_core::propose::signature_term;
use hardwon_core::session::{self, Digest, failures};

use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// Tokens of a digest where no setting says otherwise.
const TOKENS: usize = 8_000;

/// Most lessons that are known by failures of one session.
const N_KNOWN: usize = 60;

/// Adds to each session what it shows of failures that lessons know.
pub(super) fn recur(memory: &Memory, call: &Call, records: &mut [Record]) -> Result<()> {
    for record in records.iter_mut().filter(|record| !record.heard.is_empty()) {
        let failures = failures(&record.heard);
        let keys: BTreeSet<&String> = failures.iter().flat_map(|it| &it.keys).collect();
        if keys.is_empty() {
            continue;
        }
        let signatures: BTreeMap<String, &String> =
            keys.into_iter().map(|key| (signature_of_advised(key), key)).collect();
        let terms = signatures.keys().map(|signature| signature_term(signature)).collect();
        let lessons = lookup::proposals(memory, call, terms, false, N_KNOWN)?.lessons;
        let known = lessons.iter().flat_map(|lesson| &lesson.signatures);
        let known: BTreeSet<&String> = known.filter_map(|it| signatures.get(it).copied()).collect();
        let input = record.events.first().map_or(String::new(), |it| it.source.input.clone());
        let mut told = BTreeSet::new();
        let recurrences = failures.iter().filter_map(|failure| {
            let key = failure.keys.iter().find(|key| known.contains(key))?;
            let (_, line) = key.split_once(": ")?;
            let finding = Event::Finding(recurrence(key, &failure.command, line));
            let source = Source { input: input.clone(), line: failure.line };
            told.insert(key.clone()).then_some(Sourced { source, event: finding })
        });
        let recurrences: Vec<Sourced> = recurrences.collect();
        record.events.extend(recurrences);
    }
    Ok(())
}

/// The digest of each session that is worth reading, without secrets.
pub(super) fn digests(memory: &Memory, records: &[Record]) -> Vec<(RunId, Digest)> {
    let tokens = memory.settings.get("reflect.digest_tokens");
    let tokens = tokens.and_then(|set| set.value.parse().ok()).unwrap_or(TOKENS);
    let of = |record: &Record| {
        let run = memory.safe_run(&record.session_run().filter(|_| !record.heard.is_empty())?);
        let (host, when) = (record.agent().unwrap_or("an agent"), record.started());
        let about = when.map_or(host.to_owned(), |at| format!("{host}, {}", at.date()));
        let mut digest = session::digest(&record.heard, &about, tokens);
        digest.for_each_text(&mut |text| *text = memory.gate.redacted(text));
        digest.is_worth_reading().then_some((run, digest))
    };
    let wanted = records.iter().filter(|_| memory.policy.reflection.is_enabled);
    wanted.filter_map(of).collect()
}
