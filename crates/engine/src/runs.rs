//! Runs: records come in and are learned from, runs end, are reflected on and judged.

pub(crate) mod answers;
pub(crate) mod episodes;
pub(crate) mod learn;
pub(crate) mod outcome;
mod panel;
pub mod queue;
pub(crate) mod reflect;

pub use answers::{
    DeliberationsRequest, FindingsRequest, deliberation, deliberations, findings_list,
    findings_show, tried,
};
pub use episodes::{
    RunsRequest, run_named, runs_list, runs_show, runs_tree, session_nodes, tree_nodes,
};
pub use learn::{
    ConversationStage, FromModel, LearnRequest, Pair, ReviewerMessage, Steps, advise, feedback,
    learn, learn_conversation, learn_conversations, learn_message, learn_with, take_reading,
};
pub use outcome::{
    MarkRequest, check, decay, guard_reviewed, guard_run_closed, lacks_sweep, mark, outcome,
    regressions, sweep,
};
pub use panel::{learned, learned_in_session};
pub use queue::{reflect_later, reflect_pending};
pub use reflect::{About, ReflectRequest, reflect, reflected_roots, reflection_context};
