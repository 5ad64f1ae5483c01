//! What was counted about lessons, for the chance that they come up: asked of the store once,
//! for a need before a run, and for a run when it is judged.

use hardwon_core::ids::LessonId;
use hardwon_core::policy::RankOrder;
use hardwon_core::rank::Counted;
use hardwon_core::tally::NeedFacets;
use hardwon_store::{CountQuery, StoreError};

use crate::memory::{Call, Memory};

/// How many lessons are considered because they came up most of late.
const N_FREQUENT: usize = 24;

/// What bears on these facets: about these lessons, those that came up most, and those that
/// came up there. Nothing where another order decides.
pub(crate) fn counted(
    memory: &Memory,
    call: &Call,
    facets: NeedFacets,
    lessons: Vec<LessonId>,
) -> Result<Counted, StoreError> {
    let RankOrder::Chance(_) = &memory.policy.ranking.order else {
        return Ok(Counted::default());
    };
    let query = CountQuery {
        facets: facets.facets.clone(),
        lessons,
        n_frequent: N_FREQUENT,
        only_injectable: true,
    };
    let counts = memory.store.counts(&call.project, &query)?;
    Ok(Counted { facets, counts })
}
