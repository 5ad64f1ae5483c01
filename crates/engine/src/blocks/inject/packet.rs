//! The memory packet: the chosen texts as a document that also says what was left out, and
//! that is assembled anew as soon as a lesson in it is no longer what it was.

use hardwon_core::budget::estimate_tokens;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Lesson;
use hardwon_render::answer::Injected;
use hardwon_render::block::Style;
use hardwon_render::packet::{self, Assembly, Names};
use hardwon_store::Tree;

use crate::blocks::inject;
use crate::memory::{Call, Memory};

use super::InjectRequest;
use super::again::number_of;

/// What a packet is recorded under. Numbers of packets go through a run.
pub(super) fn numbered(need: &str, block: &str) -> String {
    format!("{need}-{}", packet::sequence_of(block).unwrap_or_default())
}

/// The number of the next packet of a run, for any role.
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
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    let assembly = Assembly {
        project: call.project.as_str(),
        run: run.as_ref(),
        need: &request.need,
        basis: request.basis.as_deref(),
        nameless: nameless(memory, request),
        tokens: inject::room(memory, request, Style::Packet).tokens,
        sequence: next_number(tree, run.as_ref()),
        now: call.now,
    };
    let clean = |word: &str| memory.gate.word(word);
    let assembled = packet::assemble(assembly, injected, unshowable, names, &clean);
    injected.block = packet::within(assembled, memory.policy.budget.max_chars as usize);
    injected.n_tokens = estimate_tokens(&injected.block);
    injected.digest = sha256_of_bytes(injected.block.as_bytes());
}

/// What a packet is called that is for no task and no run.
fn nameless(memory: &Memory, request: &InjectRequest) -> String {
    let room = inject::room(memory, request, Style::Packet);
    let (_, need) = inject::injection_key(memory, request, Style::Packet, &room);
    format!("need-{}", &need[..8])
}
