//! The memory packet: the chosen texts as a document that also says what was left out, and
//! that is assembled anew as soon as a lesson in it is no longer what it was.

use std::collections::BTreeMap;

use hardwon_core::budget::estimate_tokens;
use hardwon_core::digest::{hex, sha256, sha256_of_bytes};
use hardwon_core::eligible::state_exclusion;
use hardwon_core::gate::as_name;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::need::Need;
use hardwon_render::answer::{Injected, InjectedLesson, LeftOut};
use hardwon_render::block::Style;
use hardwon_render::packet::{self, Item, Packet, Suppressed};
use hardwon_store::Tree;

use crate::blocks::inject;
use crate::call::Call;
use crate::memory::Memory;

use super::InjectRequest;
use super::again::number_of;
use super::said::excluded;

/// How an id looks by which the packet's own system knows a lesson.
const FOREIGN_ID: &str = "mem-";
const RISK_CATEGORY: &str = "risk_pattern";
const N_CAUTIONS: usize = 2;
/// More than these are counted, not listed: nobody reads them in a prompt.
const N_SUPPRESSED: usize = 100;

/// Foreign ids, by our own.
pub(super) type Names = BTreeMap<LessonId, String>;

pub(super) fn names<'a>(lessons: impl Iterator<Item = &'a Lesson>) -> Names {
    lessons.filter_map(|lesson| Some((lesson.id.clone(), foreign_id(lesson)?))).collect()
}

fn foreign_id(lesson: &Lesson) -> Option<String> {
    let is_id = |alias: &&String| {
        // An alias may be any words; in a document for a prompt only an id has a place.
        alias.starts_with(FOREIGN_ID) && !alias.contains(' ') && as_name(alias).is_some()
    };
    lesson.aliases.iter().find(is_id).cloned()
}

/// What is kept free for everything but the texts.
pub(super) fn chars_around(max_chars: u32) -> u32 {
    max_chars / 2
}

/// What a packet is recorded under. Numbers of packets go through a run.
pub(super) fn numbered(need: &str, block: &str) -> String {
    format!("{need}-{}", packet::sequence_of(block).unwrap_or_default())
}

/// The number of the next packet of a run, whoever it is for.
fn next_number(tree: Option<&Tree>, run: Option<&RunId>) -> u32 {
    let injections = tree.map_or(&[][..], |tree| &tree.injections);
    let of_run = injections.iter().filter(|injection| Some(&injection.run) == run);
    let packets =
        of_run.filter(|injection| packet::sequence_of(injection.block.as_str()).is_some());
    packets.map(|packet| number_of(packet).1).max().unwrap_or_default() + 1
}

/// Makes the document of the chosen texts, which stand in the block one a line.
pub(crate) fn pack(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    injected: &mut Injected,
    unshowable: &[Lesson],
    names: &Names,
    tree: Option<&Tree>,
) {
    let mut assembled = assembled(memory, call, request, injected, unshowable, names);
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    assembled.sequence = next_number(tree, run.as_ref());
    assembled.artifact_id = artifact_id(&assembled, run.as_ref(), &call.project.to_string());
    injected.block = within(assembled, memory.policy.budget.max_chars as usize);
    injected.n_tokens = estimate_tokens(&injected.block);
    injected.digest = sha256_of_bytes(injected.block.as_bytes());
}

fn assembled(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    injected: &Injected,
    unshowable: &[Lesson],
    names: &Names,
) -> Packet {
    let texts = injected.block.lines().map(str::to_owned);
    let shown: Vec<(&InjectedLesson, String)> = injected.lessons.iter().zip(texts).collect();
    let (pinned, rest): (Vec<_>, Vec<_>) =
        shown.iter().partition(|(shown, _)| shown.lesson.is_pinned);
    let cautions = shown.iter().filter(|(shown, _)| is_caution(&shown.lesson));
    let suppressed = suppressed(&injected.left_out, unshowable, names);
    let run = request.run.as_ref().map(|run| memory.safe_run(run).to_string());
    let task = request.need.task.as_deref().and_then(|task| memory.gate.word(task)).or(run);
    let n_considered = shown.len() + suppressed.len();
    Packet {
        called: task.clone().unwrap_or_else(|| nameless(memory, request)),
        sequence: 0,
        artifact_id: String::new(),
        created_at: call.now,
        agent: request.need.role.as_deref().and_then(|role| memory.gate.word(role)),
        task,
        pinned: pinned.into_iter().map(|(_, text)| text.clone()).collect(),
        items: rest.into_iter().map(|(shown, text)| item(&shown.lesson, text)).collect(),
        cautions: cautions.take(N_CAUTIONS).map(|(_, text)| text.clone()).collect(),
        suppressed,
        n_unlisted: 0,
        assembly_reason: assembly_reason(memory, request, n_considered, shown.len()),
        digest: digest_of(&injected.lessons),
    }
}

/// What a packet is called that is for no task and no run.
fn nameless(memory: &Memory, request: &InjectRequest) -> String {
    let room = inject::room(memory, request, Style::Packet);
    let (_, need) = inject::injection_key(memory, request, Style::Packet, &room);
    format!("need-{}", &need[..8])
}

fn assembly_reason(
    memory: &Memory,
    request: &InjectRequest,
    n_considered: usize,
    n_fitted: usize,
) -> String {
    let tokens = inject::room(memory, request, Style::Packet).tokens;
    let need = in_words(memory, &request.need);
    let lessons = if n_considered == 1 { "lesson" } else { "lessons" };
    format!(
        "For {need}: {n_considered} {lessons} considered, {n_fitted} fitted a budget of \
         {tokens} tokens, pinned ones outside it."
    )
}

fn in_words(memory: &Memory, need: &Need) -> String {
    let word = |name: &str, value: &Option<String>| {
        Some(format!("{name} {}", memory.gate.word(value.as_deref()?)?))
    };
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

fn is_caution(lesson: &Lesson) -> bool {
    lesson.kind == Kind::AntiPattern || lesson.category.as_deref() == Some(RISK_CATEGORY)
}

/// What was considered and left out, then what its state keeps out. A candidate was never
/// confirmed: it is not yet memory that could be suppressed.
fn suppressed(left_out: &[LeftOut], unshowable: &[Lesson], names: &Names) -> Vec<Suppressed> {
    let confirmed = unshowable.iter().filter(|lesson| lesson.state != State::Candidate);
    let by_state = confirmed.filter_map(|lesson| Some(excluded(lesson, &state_exclusion(lesson)?)));
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

/// The document, with as many suppressed lessons as there is room for.
fn within(mut packet: Packet, max_chars: usize) -> String {
    let n_all = packet.suppressed.len();
    packet.suppressed.truncate(N_SUPPRESSED);
    loop {
        packet.n_unlisted = n_all - packet.suppressed.len();
        let text = packet::packet(&packet);
        if text.chars().count() <= max_chars || packet.suppressed.pop().is_none() {
            return text;
        }
    }
}
