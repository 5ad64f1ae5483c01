//! How did each call of a session end, what was it for, and which later one put it right? The
//! status alone does not tell: three in ten failures show in the text only, behind `| tail` or
//! `; echo`, and a check that checked nothing ends well.

use std::collections::BTreeSet;

use crate::command::output::{End, shows_failure};
use crate::command::parted::{Parted, parted};
use crate::command::shape::steady;
use crate::command::shell;
use crate::command::trouble::{telling_line, telling_lines};
use crate::episode::StepKind;
use crate::heard::{Called, Heard, What};
use crate::list;
use crate::observe;

const CHECKED_NOTHING: &[&str] = list!("session.txt", "checked nothing");
const WELL: &[&str] = list!("session.txt", "well");
const UNITS_OF_FAILURE: &[&str] = list!("session.txt", "units of failure");
const UNITS_OF_SUCCESS: &[&str] = list!("session.txt", "units of success");
const LOOKING: &[&str] = list!("programs.txt", "looking");

/// How many calls later a success still belongs to a failure.
const HORIZON: usize = 60;
/// Last lines of an output, where a summary stands.
const N_LAST: usize = 25;
/// Most lines of one output that are compared with others.
const MAX_LINES: usize = 400;
/// Most lines of one failure by which lessons may know it.
const N_TELLING: usize = 12;
/// Longest line that is compared.
const MAX_LINE_CHARS: usize = 160;

/// How a call is known to have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Red {
    Status,
    Printed,
    Silent,
}

pub(super) struct Judged<'a> {
    /// Place among all that was heard.
    pub at: usize,
    pub agent: Option<&'a str>,
    pub called: &'a Called,
    pub red: Option<Red>,
    pub purposes: BTreeSet<String>,
    /// It only looked.
    pub is_look: bool,
    pub is_check: bool,
    /// Of a failure: the line that tells it.
    pub line: Option<String>,
    /// The same, masked: it is compared with all others.
    masked: Option<String>,
    /// Which call put it right.
    pub ended_by: Option<usize>,
}

impl Judged<'_> {
    pub fn is_green(&self) -> bool {
        self.red.is_none() && !matches!(self.called.end, End::Refused | End::Interrupted)
    }

    /// The lines that tell what went wrong.
    pub fn telling(&self) -> impl Iterator<Item = &str> {
        let lines = telling_lines(&self.called.output).into_iter();
        lines.rev().take(N_TELLING).chain(self.line.as_deref())
    }

    /// What it failed at, and with what: the same failure has the same.
    pub fn key(&self) -> (&BTreeSet<String>, Option<&str>) {
        (&self.purposes, self.masked.as_deref())
    }
}

/// All calls of a session, in order.
pub(super) fn judge(heard: &[Heard]) -> Vec<Judged<'_>> {
    let calls = heard.iter().enumerate().filter_map(|(at, heard)| match &heard.what {
        What::Called(called) => Some(one(at, heard.agent.as_deref(), called)),
        _ => None,
    });
    let mut all: Vec<Judged<'_>> = calls.collect();
    for index in 0..all.len() {
        if all[index].red.is_none() {
            continue;
        }
        let later = all.iter().enumerate().skip(index + 1).take(HORIZON);
        let rights = |(_, other): &(usize, &Judged<'_>)| {
            let is_same = !other.purposes.is_disjoint(&all[index].purposes);
            is_same && other.is_green() && other.is_look == all[index].is_look
        };
        all[index].ended_by =
            later.filter(|(_, other)| !other.purposes.is_empty()).find(rights).map(|(at, _)| at);
    }
    all
}

fn one<'a>(at: usize, agent: Option<&'a str>, called: &'a Called) -> Judged<'a> {
    let is_run = matches!(called.kind, StepKind::Command | StepKind::Test);
    let parts = if is_run { parted(&called.action) } else { Vec::new() };
    let is_own_look = |part: &Parted| part.sort.is_look || LOOKING.contains(&&*part.program());
    let is_look = if is_run {
        !parts.is_empty() && parts.iter().all(is_own_look)
    } else {
        called.kind == StepKind::Look
    };
    let is_check = called.kind == StepKind::Test
        || parts.iter().any(|part| part.sort.is_test || part.sort.is_check);
    let output = called.output.as_str();
    let printed = || {
        let end = summary(output);
        end == Some(false) && is_check || end.is_none() && shows_failure(output, true)
    };
    let red = match called.end {
        End::Refused | End::Interrupted => None,
        // That a search finds nothing is an answer.
        End::Failed => (!is_run || !is_look).then_some(Red::Status),
        _ if !is_run || is_look => None,
        _ if is_check && checked_nothing(output) => Some(Red::Silent),
        _ => printed().then_some(Red::Printed),
    };
    let line = match red {
        None => None,
        Some(Red::Silent) => nothing_line(output),
        Some(Red::Status | Red::Printed) => telling_line(output),
    };
    let purposes = match is_run {
        true => parts.iter().filter(|part| !is_own_look(part)).map(purpose).collect(),
        false => BTreeSet::from([format!("{} {}", called.tool, called.action)]),
    };
    let masked = line.as_deref().map(mask);
    Judged { at, agent, called, red, purposes, is_look, is_check, line, masked, ended_by: None }
}

/// What a command is for: tests are tests, whatever they select and whoever runs them.
fn purpose(part: &Parted) -> String {
    if part.sort.is_test {
        return "test".to_owned();
    }
    let family = observe::family(part).unwrap_or_else(|| part.text());
    let script = family.ends_with(" run").then(|| part.arguments().get(1)).flatten();
    script.map_or(family.clone(), |script| format!("{family} {}", shell::name(script)))
}

/// The number before one of these words: of `3 failed`.
fn counted(line: &str, units: &[&str]) -> u64 {
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
    let count = |pair: &[&str]| pair[0].parse().ok().filter(|_| units.contains(&pair[1]));
    words.windows(2).filter_map(count).max().unwrap_or(0)
}

/// Whether all is well, as the summary says with which an output ends. What stands above it may
/// well have "error" in it.
fn summary(output: &str) -> Option<bool> {
    let last: Vec<String> = output.lines().rev().take(N_LAST).map(str::to_lowercase).collect();
    let has_failed = |line: &String| {
        let status = line.split_once("exited with code ").map(|(_, status)| status);
        counted(line, UNITS_OF_FAILURE) > 0 || status.is_some_and(|status| !status.starts_with('0'))
    };
    if last.iter().any(has_failed) {
        return Some(false);
    }
    let is_well = |line: &String| {
        WELL.iter().any(|sign| line.contains(sign)) || counted(line, UNITS_OF_SUCCESS) > 0
    };
    last.iter().any(is_well).then_some(true)
}

fn nothing_line(output: &str) -> Option<String> {
    let says = |line: &&str| {
        let line = line.to_lowercase();
        CHECKED_NOTHING.iter().any(|sign| line.contains(sign))
    };
    output.lines().find(says).map(|line| line.trim().to_owned())
}

/// Whether a check says that there was nothing to check, and nothing else was checked either.
fn checked_nothing(output: &str) -> bool {
    let n_checked =
        || output.lines().map(|line| counted(&line.to_lowercase(), UNITS_OF_SUCCESS)).max();
    nothing_line(output).is_some() && n_checked().unwrap_or(0) == 0
}

/// A printed line without what changes from time to time: numbers, folders, hashes.
pub fn mask(line: &str) -> String {
    let word = |word: &str| {
        let name = word.rsplit('/').next().filter(|name| !name.is_empty());
        let is_hash = word.len() >= 7
            && word.chars().all(|c| c.is_ascii_hexdigit())
            && word.contains(|c: char| c.is_ascii_digit());
        match name {
            _ if is_hash => "H".to_owned(),
            Some(name) if word.contains('/') && !word.contains("://") => format!("P/{name}"),
            _ => word.to_owned(),
        }
    };
    let words: Vec<String> = line.split_whitespace().map(word).collect();
    steady(&words.join(" ")).chars().take(MAX_LINE_CHARS).collect()
}

/// What the calls that went well printed, masked, each with what it was for.
pub(super) fn green_lines(all: &[Judged<'_>]) -> BTreeSet<(String, String)> {
    let green = all.iter().filter(|it| it.is_green() && !it.is_look);
    let lines = |it: &Judged<'_>| -> BTreeSet<String> {
        it.called.output.lines().take(MAX_LINES).map(mask).collect()
    };
    let of = |it: &Judged<'_>| {
        let lines = lines(it);
        let purposes = it.purposes.clone();
        purposes.into_iter().flat_map(move |purpose| {
            lines.clone().into_iter().map(move |line| (purpose.clone(), line))
        })
    };
    green.flat_map(of).collect()
}
