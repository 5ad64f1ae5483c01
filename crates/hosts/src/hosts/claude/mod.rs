//! Claude Code.

use crate::hook::dialect::{CLAUDE_FIELDS, Dialect, Kind};
use crate::host::{
    Checks, Elsewhere, Files, Home, Host, HostEvent, Kept, Sessions, Shape, Target, check_names,
};

pub const HOST: Host = Host {
    name: "claude",
    title: "Claude Code",
    agent: "claude-code",
    loads_notes: true,
    home: Home { folder: ".claude", variable: "CLAUDE_CONFIG_DIR", program: "claude" },
    files: Files {
        user: &[Target { file: "settings.json", shape: Shape::JsonHooks }],
        project: &[
            Target { file: ".claude/settings.json", shape: Shape::JsonHooks },
            Target { file: ".mcp.json", shape: Shape::JsonServer },
        ],
        also_read: ALSO_READ,
        // The user's list of servers is the host's own file.
        by_hand: &["for the tools in Claude Code: claude mcp add-json --scope user hardwon \
             '{\"command\":\"hardwon\",\"args\":[\"mcp\"],\
             \"env\":{\"HARDWON_AGENT\":\"claude-code\"},\"alwaysLoad\":true}'"],
        by_hand_shared: &[],
    },
    events: EVENTS,
    dialect: Dialect {
        signs: &[],
        has_bare_output: false,
        fields: CLAUDE_FIELDS,
        max_chars: 10_000,
        max_tokens: 2_500,
    },
    sessions: Sessions {
        variables: &["CLAUDE_CODE_SESSION_ID"],
        meta: &[],
        folder: "projects",
        kept: Kept::ByProject,
        places: &["cwd"],
    },
    checks: Checks {
        names: check_names!("claude"),
        off_if_true: &["disableAllHooks", "allowManagedHooksOnly"],
        off_if_false: &[],
        plugins: Some("enabledPlugins"),
        state: None,
    },
};

const ALSO_READ: &[Elsewhere] = &[
    Elsewhere::Project(".claude/settings.local.json"),
    Elsewhere::Managed("/etc/claude-code/managed-settings.json"),
    Elsewhere::Managed("/Library/Application Support/ClaudeCode/managed-settings.json"),
];

const EVENTS: &[HostEvent] = &[
    HostEvent::answered("SessionStart", Kind::Start).asked(5),
    HostEvent::answered("UserPromptSubmit", Kind::Prompt).asked(5),
    HostEvent::answered("SubagentStart", Kind::AgentStart).asked(5),
    HostEvent::answered("PostToolUseFailure", Kind::ToolFailed).asked(5),
    HostEvent::answered("PostToolUse", Kind::ToolDone),
    // An answer here makes the agent go on, which is not ours to decide.
    HostEvent::unanswered("SubagentStop", Kind::AgentStop).asked(10),
    HostEvent::unanswered("Stop", Kind::Stop).asked(10),
    HostEvent::unanswered("PreCompact", Kind::Compact).asked(5),
    HostEvent::unanswered("SessionEnd", Kind::End).asked(3),
];
