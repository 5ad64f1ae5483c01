//! Which of the lessons that would be shown are left to chance, and what it decides. A
//! lesson that is held out gives its place to the next one.

use hardwon_core::budget::{Room, is_near};
use hardwon_core::effect::Arm;
use hardwon_core::holdout::{self, Draw, Drawn, chance};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::compare;
use hardwon_core::rank::Ranked;
use hardwon_render::block::Style;
use hardwon_store::Tree;

use super::InjectRequest;
use crate::blocks::inject;
use crate::fitting;
use crate::memory::Memory;

/// The run by which chance decides: the root run, as far as it is known, because that
/// is what is judged. `None` = nothing is left to chance.
pub(crate) fn draws_by(
    memory: &Memory,
    request: &InjectRequest,
    tree: Option<&Tree>,
) -> Option<RunId> {
    let is_off = memory.settings.get("holdout").is_some_and(|setting| setting.value == "off");
    let run = request.run.as_ref().filter(|_| !is_off).map(|run| memory.safe_run(run))?;
    let known = tree.and_then(|tree| tree.runs.iter().find(|known| known.id == run));
    Some(known.map_or(run.clone(), |known| known.root.clone()))
}

/// What chance decides about a lesson that would be shown.
pub(crate) fn arm(memory: &Memory, lesson: &Lesson, run: Option<&RunId>) -> Option<Arm> {
    chance(lesson, run?, &memory.policy.holdout)
}

/// Fits the ranked lessons, without those that are held out.
pub(crate) fn draw(
    memory: &Memory,
    eligible: &[Lesson],
    ranked: Vec<Ranked>,
    run: Option<&RunId>,
    style: Style,
    room: &Room,
) -> Drawn {
    let bar = memory.policy.budget.near_duplicate;
    let wordings = compare::Wordings::default();
    holdout::draw(Draw {
        eligible,
        ranked,
        is_held_out: &|lesson| arm(memory, lesson, run) == Some(Arm::HeldOut),
        is_copy: &|held_out, other| {
            !inject::is_kept(memory, other) && is_near(held_out, other, &wordings, bar)
        },
        fit: &|ranked| fitting::fit(memory, eligible, ranked, style, room),
    })
}
