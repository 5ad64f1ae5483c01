//! Runs: records come in and are learned from, runs end, are looked back upon and judged.

pub(crate) mod episodes;
pub(crate) mod guard;
pub(crate) mod input;
pub(crate) mod learn;
pub(crate) mod mark;
pub(crate) mod outcome;
pub mod queue;
pub(crate) mod reflect;
pub(crate) mod reviewer;

pub use episodes::RunsRequest;
pub use input::Input;
pub use learn::{ConversationStage, LearnRequest, Steps, learn_conversations};
pub use mark::MarkRequest;
pub use reflect::{About, ReflectOutcome, ReflectRequest, Trigger, reflect_pending};
pub use reviewer::{Kept, Said};
