//! Codex.

use std::fs;
use std::path::Path;

use crate::hook::dialect::{CLAUDE_FIELDS, Dialect, Kind, Sign};
use crate::host::{
    Checks, EntryState, Files, Home, Host, HostEvent, Kept, OurEntry, Sessions, Shape, Target,
    check_names,
};

const TRUST: &str = "in Codex: open /hooks and trust the new entries; until then they do not run";

pub const HOST: Host = Host {
    name: "codex",
    title: "Codex",
    agent: "codex",
    loads_notes: false,
    home: Home { folder: ".codex", variable: "CODEX_HOME", program: "codex" },
    files: Files {
        user: &[
            Target { file: "hooks.json", shape: Shape::JsonHooks },
            Target { file: "config.toml", shape: Shape::TomlServer },
        ],
        project: &[Target { file: ".codex/hooks.json", shape: Shape::JsonHooks }],
        also_read: &[],
        by_hand: &[TRUST],
        by_hand_shared: &[TRUST],
    },
    events: EVENTS,
    // Output with an unknown field is refused.
    dialect: Dialect {
        signs: &[
            Sign::Has("turn_id"),
            Sign::Null("transcript_path"),
            Sign::File("transcript_path", "rollout-"),
        ],
        has_bare_output: true,
        fields: CLAUDE_FIELDS,
        max_chars: 10_000,
        max_tokens: 2_500,
    },
    sessions: Sessions {
        variables: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
        meta: &["sessionId", "threadId"],
        folder: "sessions",
        kept: Kept::ByDate,
        places: &["cwd", "payload.cwd"],
    },
    checks: Checks {
        names: check_names!("codex"),
        off_if_true: &[],
        off_if_false: &["features.hooks", "features.codex_hooks"],
        plugins: None,
        state: Some(state),
    },
};

/// What Codex trusts is a digest of all that the installer writes of a row.
const EVENTS: &[HostEvent] = &[
    HostEvent::answered("SessionStart", Kind::Start).asked(5),
    HostEvent::answered("UserPromptSubmit", Kind::Prompt).asked(5),
    HostEvent::answered("SubagentStart", Kind::AgentStart).asked(5),
    // There is no event for failed tools alone.
    HostEvent::answered("PostToolUse", Kind::ToolDone).asked_of("Bash", 5),
    HostEvent::unanswered("SubagentStop", Kind::AgentStop).asked(10),
    HostEvent::unanswered("Stop", Kind::Stop).asked(10),
    HostEvent::unanswered("PreCompact", Kind::Compact).asked(5),
    HostEvent::unanswered("SessionEnd", Kind::End).asked(3),
];

/// What `[hooks.state]` says of an entry, under `FILE:event_name:GROUP:HANDLER`. What Codex compares
/// is a digest that only it can make.
pub fn state(config: &toml::Table, file: &Path, entry: &OurEntry) -> Option<EntryState> {
    let states = config.get("hooks")?.get("state")?.as_table()?;
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let place = format!("{}:{}:{}", snake(&entry.event), entry.group, entry.handler);
    let key = |file: &Path| format!("{}:{place}", file.display());
    let state = [file, &real].into_iter().find_map(|file| states.get(&key(file)))?;
    Some(EntryState {
        is_enabled: state.get("enabled") != Some(&toml::Value::Boolean(false)),
        is_trusted: state.get("trusted_hash").is_some(),
    })
}

/// `SessionStart` as `session_start`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
