//! The entries of a digest: everything of a session that a reader could want to know, in order and
//! never merged out of it. What repeats is folded where it stands.

use std::collections::{BTreeMap, BTreeSet};

use super::digest::{Digest, Entry, PRINTED, Shows, safe, short};
use super::judged::{Judged, Red, green_lines, judge, mask};
use super::pasted;
use crate::command::output::End;
use crate::command::shell::hides_status;
use crate::command::trouble::telling_lines;
use crate::episode::StepKind;
use crate::gate::{end_of, first_chars};
use crate::heard::{Called, Heard, What};

const TYPED_CHARS: usize = 2_000;
const PUT_CHARS: usize = 900;
const SAID_CHARS: usize = 600;
const ACTION_CHARS: usize = 400;
const CHANGE_CHARS: usize = 300;
const LINE_CHARS: usize = 300;
/// Of what a failed call printed: its start, its end, and how many telling lines between.
const START_CHARS: usize = 200;
const END_BYTES: usize = 800;
const N_TELLING: usize = 10;
/// Of what went well the end says enough.
const PASSED_BYTES: usize = 300;
/// After so many looks in a row the last one has found something.
const N_LOOKS: usize = 3;
/// How far from a failure the agent's words still belong to it.
const NEAR: usize = 8;

/// Entries of a digest that is being made, with the worth of each: what is worth least is left out
/// first.
pub(super) struct Collected {
    pub digest: Digest,
    pub worth: Vec<u8>,
}

pub(super) fn collect(heard: &[Heard], about: &str) -> Collected {
    let calls = judge(heard);
    let by_place: BTreeMap<usize, usize> =
        calls.iter().enumerate().map(|(n, it)| (it.at, n)).collect();
    let mut making = Making {
        said: said_near_failures(heard, &calls),
        green: green_lines(&calls),
        made: Collected { digest: Digest::default(), worth: Vec::new() },
        entry_of: BTreeMap::new(),
        n_looks: 0,
        calls: &calls,
    };
    for (at, heard) in heard.iter().enumerate() {
        match &heard.what {
            What::Typed(turn) => making.typed(turn),
            What::Put(why, text) => {
                let head = format!("NOT TYPED ({why}){}:", lane(heard));
                making.push(Shows::Put, 3, head, &short(text, PUT_CHARS));
            }
            What::Said(text) => {
                if let Some(when) = making.said.get(&at) {
                    let (head, worth) = (
                        format!("AGENT{}, {when}:", lane(heard)),
                        if *when == LAST { 7 } else { 5 },
                    );
                    making.push(Shows::Agent, worth, head, &short(text, SAID_CHARS));
                }
            }
            What::Interrupted => {
                making.push(Shows::Interrupted, 9, "USER interrupted the agent".to_owned(), "")
            }
            What::Called(_) => making.called(by_place[&at], lane(heard)),
        }
    }
    making.finish(about)
}

const LAST: &str = "at the end";

fn lane(heard: &Heard) -> &'static str {
    if heard.agent.is_some() { " (sub-agent)" } else { "" }
}

/// What the agent said right before and after a failure, before the user spoke, and at the end; by
/// its place.
fn said_near_failures(heard: &[Heard], calls: &[Judged<'_>]) -> BTreeMap<usize, &'static str> {
    let mut said = BTreeMap::new();
    let is_said = |at: usize, agent: Option<&str>| {
        matches!(heard[at].what, What::Said(_)) && heard[at].agent.as_deref() == agent
    };
    let is_turn = |at: &usize| !matches!(heard[*at].what, What::Typed(_) | What::Interrupted);
    for failed in
        calls.iter().filter(|call| call.red.is_some() && call.called.kind != StepKind::Edit)
    {
        let before = (failed.at.saturating_sub(NEAR)..failed.at).rev().take_while(is_turn);
        let after = (failed.at + 1..heard.len().min(failed.at + NEAR)).take_while(is_turn);
        let mut find = |mut places: Box<dyn Iterator<Item = usize>>, when| {
            if let Some(at) = places.find(|at| is_said(*at, failed.agent)) {
                said.entry(at).or_insert(when);
            }
        };
        find(Box::new(before.collect::<Vec<_>>().into_iter()), "before a failure");
        find(Box::new(after.collect::<Vec<_>>().into_iter()), "after a failure");
    }
    for turn in (1..heard.len()).filter(|at| matches!(heard[*at].what, What::Typed(_))) {
        if let Some(at) = (0..turn).rev().take(NEAR).find(|at| is_said(*at, None)) {
            said.entry(at).or_insert("before the user spoke");
        }
    }
    if let Some(at) = (0..heard.len()).rev().find(|at| is_said(*at, None)) {
        said.insert(at, LAST);
    }
    said
}

struct Making<'h> {
    made: Collected,
    calls: &'h [Judged<'h>],
    said: BTreeMap<usize, &'static str>,
    green: BTreeSet<(String, String)>,
    /// The entry of a call, by places in both lists.
    entry_of: BTreeMap<usize, usize>,
    n_looks: usize,
}

impl Making<'_> {
    fn push(&mut self, shows: Shows, worth: u8, head: String, body: &str) {
        self.add(Entry { shows, head, body: safe(body), ..blank() }, worth);
    }

    fn add(&mut self, entry: Entry, worth: u8) {
        let entries = &mut self.made.digest.entries;
        // The same once more, where it stands.
        let is_same = |last: &Entry| {
            (last.shows, &last.head, &last.action, &last.body)
                == (entry.shows, &entry.head, &entry.action, &entry.body)
        };
        match entries.last_mut().filter(|last| is_same(last)) {
            Some(last) => last.times += 1,
            None => {
                entries.push(entry);
                self.made.worth.push(worth);
            }
        }
    }

    fn typed(&mut self, turn: &str) {
        for (is_typed, text) in pasted::parts(turn) {
            if is_typed {
                self.made.digest.n_typed += 1;
                self.push(Shows::Typed, 10, "USER, typed:".to_owned(), &short(&text, TYPED_CHARS));
            } else {
                self.push(
                    Shows::Put,
                    4,
                    "USER, not typed (pasted):".to_owned(),
                    &short(&text, PUT_CHARS),
                );
            }
        }
    }

    fn called(&mut self, index: usize, lane: &str) {
        let call = &self.calls[index];
        let called = call.called;
        let n_before = std::mem::take(&mut self.n_looks);
        if matches!(called.end, End::Refused) {
            self.made.digest.n_refused += 1;
            let head = format!("CALL REFUSED by the user{lane}: {}", called.tool);
            self.add(self.of_call(call, Shows::Refused, head, String::new()), 9);
        } else if let Some(red) = call.red {
            self.failed(index, call, red, lane);
        } else if self.calls[..index].iter().any(|it| it.ended_by == Some(index)) {
            self.worked(index, call, lane);
        } else if called.is_foreign() {
            self.made.digest.is_foreign = true;
            let head = format!("FETCHED{lane} ({})", called.tool);
            self.add(self.of_call(call, Shows::Foreign, head, String::new()), 2);
        } else if called.kind == StepKind::Edit {
            self.edited(index, call, lane);
        } else if call.is_check {
            let head = format!("CHECK passed{lane}:");
            self.add(self.of_call(call, Shows::Check, head, ending(&called.output)), 4);
        } else if call.is_look {
            self.n_looks = n_before + 1;
            // The last look of a search is what it found.
            let is_last =
                self.calls.get(index + 1).is_none_or(|next| !next.is_look || next.red.is_some());
            if self.n_looks >= N_LOOKS && is_last {
                let head = format!("FOUND{lane}, after {} looks:", self.n_looks);
                let found = printed(first_chars(&called.output, CHANGE_CHARS));
                self.add(self.of_call(call, Shows::Found, head, found), 3);
            }
        }
    }

    fn of_call(&self, call: &Judged<'_>, shows: Shows, head: String, body: String) -> Entry {
        let called = call.called;
        let is_run = matches!(called.kind, StepKind::Command | StepKind::Test);
        let sign = if is_run { "$ " } else { "" };
        Entry {
            shows,
            head,
            action: safe(&format!("{sign}{}", short(&called.action, ACTION_CHARS))),
            body: safe(&body),
            purposes: call.purposes.clone(),
            is_check: call.is_check,
            is_hidden: is_run && hides_status(&called.action),
            ..blank()
        }
    }

    fn failed(&mut self, index: usize, call: &Judged<'_>, red: Red, lane: &str) {
        self.made.digest.n_failed += 1;
        let how = match red {
            Red::Status => "by status",
            Red::Printed => "status ok, but it printed a failure",
            Red::Silent => "status ok, but it checked nothing",
        };
        let earlier =
            self.calls[..index].iter().position(|it| it.red.is_some() && it.key() == call.key());
        let earlier = earlier.and_then(|it| self.entry_of.get(&it)).copied();
        let line = || printed(&short(call.line.as_deref().unwrap_or_default(), LINE_CHARS));
        let (body, again) = match earlier {
            Some(entry) => (line(), format!(", the same error as [{}]", entry + 1)),
            None => (failure(&call.called.output), String::new()),
        };
        let head = format!("CALL FAILED{lane} ({how}{again}): {}", call.called.tool);
        let entry = self.of_call(call, Shows::Failed, head, body);
        let is_own = |line: &String| {
            !entry.purposes.iter().any(|it| self.green.contains(&(it.clone(), line.clone())))
        };
        let lines = entry.printed().map(mask).filter(|line| !line.is_empty()).filter(is_own);
        let lines = lines.collect();
        self.add(Entry { lines, ..entry }, if earlier.is_some() { 4 } else { 8 });
        self.entry_of.insert(index, self.made.digest.entries.len() - 1);
    }

    fn worked(&mut self, index: usize, call: &Judged<'_>, lane: &str) {
        let ended =
            self.calls[..index].iter().enumerate().filter(|(_, it)| it.ended_by == Some(index));
        let ends: BTreeSet<usize> =
            ended.filter_map(|(at, _)| Some(self.entry_of.get(&at)? + 1)).collect();
        let ends: Vec<usize> = ends.into_iter().collect();
        let numbers: Vec<String> = ends.iter().map(|n| format!("[{n}]")).collect();
        let head = format!("CALL WORKED{lane}, after {}: {}", numbers.join(", "), call.called.tool);
        let is_edit = call.called.kind == StepKind::Edit;
        let body = if is_edit { changed(call.called) } else { ending(&call.called.output) };
        let entry = self.of_call(call, Shows::Worked, head, body);
        self.add(Entry { ends, ..entry }, if is_edit { 4 } else { 8 });
    }

    /// Edits in a row are one entry, with what changed if a check turned green behind them.
    fn edited(&mut self, index: usize, call: &Judged<'_>, lane: &str) {
        let is_between = |failed: &&Judged<'_>| {
            let end = failed.ended_by.map(|end| &self.calls[end]);
            failed.is_check && failed.at < call.at && end.is_some_and(|end| end.at > call.at)
        };
        let is_telling = self.calls[..index].iter().rev().take(NEAR * 4).any(|it| is_between(&it));
        let change = if is_telling { changed(call.called) } else { String::new() };
        let head = format!("EDITED{lane}:");
        let entry = self.of_call(call, Shows::Edits, head, change);
        let last = self.made.digest.entries.last_mut();
        match last.filter(|last| (last.shows, &last.head) == (Shows::Edits, &entry.head)) {
            Some(last) => {
                if !last.action.lines().any(|path| path == entry.action) {
                    last.action = format!("{}\n{}", last.action, entry.action);
                }
                if last.body.len() < CHANGE_CHARS && !entry.body.is_empty() {
                    last.body = format!("{}\n{}", last.body, entry.body).trim().to_owned();
                }
                last.purposes.extend(entry.purposes);
            }
            None => self.add(entry, if is_telling { 5 } else { 1 }),
        }
    }

    fn finish(mut self, about: &str) -> Collected {
        let (failed, digest) =
            (self.calls.iter().filter(|it| it.red.is_some()), &mut self.made.digest);
        let by = |red: Red| failed.clone().filter(|it| it.red == Some(red)).count();
        digest.head = safe(&format!(
            "{about}; {} calls, {} failed ({} by status, {} only printed, {} checked nothing), {} refused; {} typed passages",
            self.calls.len(),
            digest.n_failed,
            by(Red::Status),
            by(Red::Printed),
            by(Red::Silent),
            digest.n_refused,
            digest.n_typed,
        ));
        self.made
    }
}

fn blank() -> Entry {
    Entry {
        shows: Shows::Put,
        head: String::new(),
        action: String::new(),
        body: String::new(),
        times: 1,
        purposes: BTreeSet::new(),
        lines: BTreeSet::new(),
        ends: Vec::new(),
        is_check: false,
        is_hidden: false,
    }
}

/// Lines with the mark of what a tool printed.
fn printed(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<String> =
        lines.map(|line| format!("{PRINTED}{}", short(line, LINE_CHARS))).collect();
    lines.join("\n")
}

fn ending(output: &str) -> String {
    printed(end_of(output.trim_end(), PASSED_BYTES))
}

/// What a failed call printed: its start, its end, and between them what tells, with a line around.
fn failure(output: &str) -> String {
    let output = output.trim();
    let start = first_chars(output, START_CHARS);
    let rest = &output[start.len()..];
    if rest.len() <= END_BYTES + 100 {
        return printed(output);
    }
    let end = end_of(rest, END_BYTES);
    let middle = &rest[..rest.len() - end.len()];
    let telling: BTreeSet<&str> = telling_lines(middle).into_iter().collect();
    let lines: Vec<&str> = middle.lines().collect();
    let hits = (0..lines.len()).filter(|at| telling.contains(lines[*at].trim())).take(N_TELLING);
    let near: BTreeSet<usize> =
        hits.flat_map(|at| at.saturating_sub(1)..(at + 2).min(lines.len())).collect();
    let middle: Vec<&str> = near.iter().map(|at| lines[*at]).collect();
    format!(
        "{}\n{PRINTED}…\n{}\n{PRINTED}…\n{}",
        printed(start),
        printed(&middle.join("\n")),
        printed(end)
    )
}

/// What an edit took away and put there.
fn changed(called: &Called) -> String {
    let Some((went, came)) = &called.change else { return String::new() };
    let half = CHANGE_CHARS / 2;
    let signed = |sign: &str, text: &str| {
        let lines: Vec<String> =
            short(text, half).lines().map(|line| format!("{sign} {line}")).collect();
        lines.join("\n")
    };
    format!("{}\n{}", signed("-", went), signed("+", came)).trim().to_owned()
}
