//! What happened in a run? Readers turn the records that others write into core events,
//! with a problem for everything that could not be used. They judge nothing: cleaning,
//! redaction, run ids and severities are checked by `core`.
//!
//! No input makes a reader panic, recurse deeply or hold more than one line, or one document,
//! in memory besides the events themselves; see [`Limits`].
#![forbid(unsafe_code)]

pub mod advice;
mod archeflow;
mod archeflow_memory;
mod atif;
mod cargo_json;
mod detect;
mod documents;
mod eslint;
mod export;
mod fields;
mod geas;
mod geas_memory;
mod geas_pages;
mod geas_schema;
mod generic;
mod github;
mod guard;
mod input;
mod inputs;
mod jkz;
mod json;
mod junit;
mod kinds;
mod knowledge_graph;
mod lines;
mod looks;
mod memory_index;
mod misfit;
mod notes;
mod one_run;
mod openagents;
mod openagents_memory;
mod printed;
mod progress;
mod rdjson;
mod read_error;
mod report;
mod report_head;
mod review_text;
mod rule_block;
mod run_log;
mod run_record;
mod sarif;
mod steps;
mod stream;
mod terminal;
mod topic_file;
mod transcript;
mod xml;

pub use archeflow_memory::{
    archeflow_audit, archeflow_id, archeflow_index, archeflow_lesson, archeflow_lessons,
    archeflow_line_id, archeflow_number, archeflow_run_name, archeflow_tags,
    archeflow_unknown_fields, is_json,
};
pub use detect::Format;
pub use documents::document_sentences;
pub use export::{Export, Raw, is_export, read_export};
pub use geas::place_of as geas_place_of;
pub use geas_memory::{geas_index, geas_log, geas_memory, geas_review, geas_unknown_fields};
pub use geas_pages::{GeasContract, geas_contract, geas_rule_candidates, page_lines};
pub use geas_schema::geas_faults;
pub use input::{read, read_within};
pub use inputs::{Input, InputError, files_in, read_all};
pub use json::lean_object;
pub use kinds::{System, from_foreign, to_foreign};
pub use knowledge_graph::{
    GraphFile, GraphRecord, GraphStatement, graph_statement, graph_unknown_fields,
    is_knowledge_graph,
};
pub use lines::Limits;
pub use memory_index::{MemoryIndex, line_of};
pub use one_run::{agree, name_reports, relative_to};
pub use openagents_memory::{
    OpenagentsMemory, openagents_episodes, openagents_lesson, openagents_lessons,
    openagents_memories, openagents_shipped_lessons, openagents_unknown_fields,
};
pub use printed::signatures_of_failure;
pub use progress::{Progress, progress};
pub use read_error::ReadError;
pub use review_text::{Review, Reviewer, first_place, is_reviewer, places, review_text};
pub use rule_block::RuleBlock;
pub use topic_file::{BrokenHead, TopicFile, new_topic_file};
pub use transcript::{session_run, transcript, transcript_file};
