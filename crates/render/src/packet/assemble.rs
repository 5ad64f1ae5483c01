//! What goes into a packet: the chosen texts, cautions among them, and what was left out and why.

use std::collections::BTreeMap;

use hardwon_core::digest::{hex, sha256, sha256_of_bytes};
use hardwon_core::eligible::state_exclusion;
use hardwon_core::gate::as_name;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::need::Need;
use hardwon_core::time::Timestamp;

use super::{Item, Packet, Suppressed};
use crate::answer::{Injected, InjectedLesson, LeftOut};

/// How an id looks by which the packet's own system knows a lesson.
const FOREIGN_ID: &str = "mem-";
const RISK_CATEGORY: &str = "risk_pattern";
const N_CAUTIONS: usize = 2;
/// Confidence below which a packet warns of a lesson: geas's own number, part of the format.
const UNSURE_BELOW: f64 = 0.5;
/// More than these are counted, not listed: they are of no use in a prompt.
const N_SUPPRESSED: usize = 100;

/// A short word as memory may keep it.
pub type Clean<'a> = &'a dyn Fn(&str) -> Option<String>;

/// For what a packet is assembled.
pub struct Assembly<'a> {
    pub project: &'a str,
    pub run: Option<&'a RunId>,
    pub need: &'a Need,
    /// Digests of what else the reader is told.
    pub basis: Option<&'a str>,
    /// What the packet is called if it is for no task and no run.
    pub nameless: String,
    /// The budget of the texts.
    pub tokens: u32,
    /// Its number among the packets of the run.
    pub sequence: u32,
    pub now: Timestamp,
}

/// Foreign ids, by our own.
pub type Names = BTreeMap<LessonId, String>;

/// The foreign ids of lessons that have one.
pub fn names<'a>(lessons: impl Iterator<Item = &'a Lesson>) -> Names {
    lessons.filter_map(|lesson| Some((lesson.id.clone(), foreign_id(lesson)?))).collect()
}

fn foreign_id(lesson: &Lesson) -> Option<String> {
    let is_id = |alias: &&String| {
        // An alias may be any words; in a document for a prompt only an id has a place.
        alias.starts_with(FOREIGN_ID) && !alias.contains(' ') && as_name(alias).is_some()
    };
    lesson.aliases.iter().find(is_id).cloned()
}

/// The packet of the chosen texts, which stand in the block one a line.
pub fn assemble(
    assembly: Assembly<'_>,
    injected: &Injected,
    unshowable: &[Lesson],
    names: &Names,
    clean: Clean<'_>,
) -> Packet {
    let Assembly { project, run, need, basis, nameless, tokens, sequence, now } = assembly;
    let texts = injected.block.lines().map(str::to_owned);
    let shown: Vec<(&InjectedLesson, String)> = injected.lessons.iter().zip(texts).collect();
    let (pinned, rest): (Vec<_>, Vec<_>) =
        shown.iter().partition(|(shown, _)| shown.lesson.is_pinned);
    let cautions = shown.iter().filter(|(shown, _)| is_caution(&shown.lesson));
    let suppressed = suppressed(&injected.left_out, unshowable, names);
    let task = need.task.as_deref().and_then(clean).or(run.map(RunId::to_string));
    let (n_considered, n_fitted) = (shown.len() + suppressed.len(), shown.len());
    let lessons = if n_considered == 1 { "lesson" } else { "lessons" };
    let mut packet = Packet {
        called: task.clone().unwrap_or(nameless),
        sequence,
        artifact_id: String::new(),
        created_at: now,
        agent: need.role.as_deref().and_then(clean),
        task,
        pinned: pinned.into_iter().map(|(_, text)| text.clone()).collect(),
        items: rest.into_iter().map(|(shown, text)| item(&shown.lesson, text)).collect(),
        cautions: cautions.take(N_CAUTIONS).map(|(_, text)| text.clone()).collect(),
        suppressed,
        n_unlisted: 0,
        assembly_reason: format!(
            "For {}: {n_considered} {lessons} considered, {n_fitted} fitted a budget of {tokens} \
             tokens, pinned ones outside it.",
            in_words(need, clean)
        ),
        digest: digest_of(&injected.lessons),
        basis: basis.map(str::to_owned),
    };
    packet.artifact_id = artifact_id(&packet, run, project);
    packet
}

fn in_words(need: &Need, clean: Clean<'_>) -> String {
    let word =
        |name: &str, value: &Option<String>| Some(format!("{name} {}", clean(value.as_deref()?)?));
    let count = |n: usize, one: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {one}s")),
    };
    let parts = [
        word("role", &need.role),
        word("domain", &need.domain),
        word("tool", &need.tool),
        word("provider", &need.provider),
        word("session", &need.session),
        word("task", &need.task),
        count(need.paths.len(), "file"),
        count(need.tags.len(), "tag"),
        need.text.as_ref().map(|_| "a task in words".to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "any work".to_owned() } else { parts.join(", ") }
}

fn item(lesson: &Lesson, text: &str) -> Item {
    let ours = lesson.id.to_string();
    let (id, lesson) = match foreign_id(lesson) {
        Some(foreign) => (foreign, Some(ours)),
        None => (ours, None),
    };
    Item { id, lesson, text: text.to_owned() }
}

/// What is unsure, was contradicted, or tells of a risk.
fn is_caution(lesson: &Lesson) -> bool {
    let is_risk =
        lesson.kind == Kind::AntiPattern || lesson.category.as_deref() == Some(RISK_CATEGORY);
    let forgiven = lesson.upkeep.n_contradicted_forgiven;
    let is_contradicted = lesson.effects.n_contradicted > forgiven;
    is_risk || is_contradicted || lesson.confidence < UNSURE_BELOW
}

/// What was considered and left out, then what its state keeps out. A candidate was never
/// confirmed: it is not yet memory that could be suppressed.
fn suppressed(left_out: &[LeftOut], unshowable: &[Lesson], names: &Names) -> Vec<Suppressed> {
    let confirmed = unshowable.iter().filter(|lesson| lesson.state != State::Candidate);
    let by_state =
        confirmed.filter_map(|lesson| Some(LeftOut::of(lesson, &state_exclusion(lesson)?)));
    let id = |id: &LessonId| names.get(id).cloned().unwrap_or_else(|| id.to_string());
    let all = left_out.iter().cloned().chain(by_state);
    all.map(|out| Suppressed { id: id(&out.id), reason: out.reason }).collect()
}

fn digest_of(lessons: &[InjectedLesson]) -> String {
    let one = |shown: &InjectedLesson| format!("{} {}\n", shown.lesson.id, shown.lesson.digest());
    sha256_of_bytes(lessons.iter().map(one).collect::<String>().as_bytes())
}

/// Two packets of one name may be of different projects, or for different roles or needs.
fn artifact_id(packet: &Packet, run: Option<&RunId>, project: &str) -> String {
    let agent = packet.agent.as_deref().unwrap_or_default();
    let run = run.map_or("", RunId::as_str);
    let number = packet.sequence.to_string();
    let Packet { called, assembly_reason, digest, .. } = packet;
    let of = [project, called, run, agent, &number, assembly_reason, digest];
    format!("memory-packet-{}", hex(&sha256(&of)[..8]))
}

/// The document, with as many suppressed lessons as fit.
pub fn within(mut packet: Packet, max_chars: usize) -> String {
    let n_all = packet.suppressed.len();
    packet.suppressed.truncate(N_SUPPRESSED);
    loop {
        packet.n_unlisted = n_all - packet.suppressed.len();
        let text = super::packet(&packet);
        if text.chars().count() <= max_chars || packet.suppressed.pop().is_none() {
            return text;
        }
    }
}
