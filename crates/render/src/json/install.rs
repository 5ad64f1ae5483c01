//! What is plugged into which program: `init`, `install`, `uninstall`.

use crate::answer::{Answer, Conversations, FileStep, HostFile, HostSeen, Installation, Named};
use hardwon_core::gate::without_control;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::value::Word;

#[derive(Serialize, JsonSchema)]
pub(super) struct InstallWire {
    hosts: Vec<HostWire>,
    files: Vec<FileWire>,
    /// Whether `files` were written; else it is what would be done.
    done: bool,
    /// What is left to do by hand, one sentence each.
    by_hand: Vec<String>,
    /// Conversations of this project that hosts kept; null if nobody looked for them.
    conversations: Option<ConversationsWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Conversations")]
struct ConversationsWire {
    found: u64,
    /// The newest, which are read.
    read: u64,
    /// Whether they were read; else they could be.
    done: bool,
    /// Runs with something in them.
    runs: u64,
    /// Runs in which nothing new was.
    already_known: u64,
    findings: u64,
    /// Lessons that were started.
    new: Vec<String>,
    /// Lessons that are shown to later runs from now on.
    promoted: Vec<String>,
    /// What `undo` takes back; null if nothing was written.
    operation: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Host")]
struct HostWire {
    /// As it is typed, e.g. `claude`.
    name: String,
    title: String,
    /// What shows that it is here; null if nothing does.
    sign: Option<String>,
    /// Conversations that it kept.
    transcripts: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "File")]
struct FileWire {
    host: String,
    /// `hooks` or `mcp`.
    purpose: String,
    path: String,
    step: Word<FileStep>,
    /// Why it is left alone, or what to know about the step.
    reason: Option<String>,
    /// As a unified diff; empty if nothing changes.
    diff: String,
}

/// `init`, `install` and `uninstall`.
pub fn install(said: &Answer<Installation>) -> Value {
    let Installation { hosts, files, is_done, by_hand, conversations } = &said.body;
    let body = InstallWire {
        hosts: hosts.iter().map(host).collect(),
        files: files.iter().map(file).collect(),
        done: *is_done,
        by_hand: by_hand.iter().map(|line| without_control(line)).collect(),
        conversations: conversations.as_ref().map(conversations_wire),
    };
    answer(said, body)
}

fn conversations_wire(conversations: &Conversations) -> ConversationsWire {
    let ids = |lessons: &[Named]| lessons.iter().map(|named| named.id.to_string()).collect();
    ConversationsWire {
        found: conversations.n_found as u64,
        read: conversations.n_read as u64,
        done: conversations.is_done,
        runs: conversations.n_runs as u64,
        already_known: conversations.n_known as u64,
        findings: conversations.n_findings,
        new: ids(&conversations.new),
        promoted: ids(&conversations.promoted),
        operation: conversations.operation.map(|operation| operation.0),
    }
}

fn host(host: &HostSeen) -> HostWire {
    HostWire {
        name: host.name.to_owned(),
        title: host.title.to_owned(),
        sign: host.sign.as_deref().map(without_control),
        transcripts: host.n_transcripts as u64,
    }
}

fn file(file: &HostFile) -> FileWire {
    FileWire {
        host: file.host.to_owned(),
        purpose: file.purpose.to_owned(),
        path: without_control(&file.path),
        step: Word(file.step),
        reason: file.reason.as_deref().map(without_control),
        diff: file.diff.clone(),
    }
}
