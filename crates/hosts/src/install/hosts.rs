//! Which programs can be plugged into, and how? One row a host: where it keeps what, in
//! which shape, and which of its events are asked for. Another host with the same shapes
//! is another row.

use serde::Serialize;

/// The name under which we stand in lists of servers.
pub const SERVER: &str = "hardwon";

/// What makes a shared file harmless for those who do not have the program.
pub const GUARD: &str = "command -v hardwon >/dev/null 2>&1 || exit 0; ";

/// A program that runs agents.
#[derive(Debug)]
pub struct Host {
    /// As it is typed, and as `hardwon hook` takes it.
    pub name: &'static str,
    /// As people call it.
    pub title: &'static str,
    /// The name under which its agent speaks, through hooks and as a client of ours.
    pub agent: &'static str,
    /// What it calls itself as a client.
    pub client: &'static str,
    /// The variable by which it tells a program that it starts in which session that is.
    pub session: Option<&'static str>,
    /// Its folder below the user's home or a project.
    pub folder: &'static str,
    /// The variable that moves the user's folder.
    pub variable: &'static str,
    pub program: &'static str,
    /// What is written for the user alone, in the host's folder.
    pub user: &'static [Target],
    /// What is written for everybody who works in a project, below its root.
    pub project: &'static [Target],
    pub events: &'static [Event],
    /// What the user has to do himself: after hooks were written for him, and to get the
    /// server where no file of his is written for it.
    pub by_hand: &'static [&'static str],
    /// The same after a project's files were written.
    pub by_hand_shared: &'static [&'static str],
    /// Further files in which the host looks for hooks.
    pub also_read: &'static [Elsewhere],
    /// Where its conversations are, below its folder, and in which order.
    pub transcripts: &'static str,
    pub kept: Kept,
    pub checks: CheckNames,
}

/// One file and what we put into it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub file: &'static str,
    pub shape: Shape,
}

/// What an entry of ours looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `hooks` → event → groups → handlers.
    JsonHooks,
    /// `mcpServers` → our server.
    JsonServer,
    /// `[mcp_servers.hardwon]`.
    TomlServer,
}

impl Shape {
    /// What the entry is for.
    pub fn purpose(self) -> &'static str {
        match self {
            Shape::JsonHooks => "hooks",
            Shape::JsonServer | Shape::TomlServer => "mcp",
        }
    }
}

/// How a host keeps its conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In a folder for each project, which is named after the project's path.
    ByProject,
    /// In folders by date; each file says where it was.
    ByDate,
}

/// A file of the host that we never write.
#[derive(Clone, Copy, Debug)]
pub enum Elsewhere {
    /// Below a project's root.
    Project(&'static str),
    /// Somewhere on the machine, put there by those who run it.
    Managed(&'static str),
}

/// An event that we ask for.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub name: &'static str,
    /// Which tools, where the host has no event for failures alone.
    pub matcher: Option<&'static str>,
    /// In seconds.
    pub timeout: u32,
}

/// What `doctor` calls its checks of a host.
#[derive(Debug)]
pub struct CheckNames {
    pub hooks: &'static str,
    pub server: &'static str,
    pub once: &'static str,
    pub enabled: &'static str,
    pub trust: Option<&'static str>,
    pub answer: &'static str,
}

const fn event(name: &'static str, timeout: u32) -> Event {
    Event { name, matcher: None, timeout }
}

const fn target(file: &'static str, shape: Shape) -> Target {
    Target { file, shape }
}

/// The agents' names, which lessons also have in their scope.
pub const CLAUDE_AGENT: &str = "claude-code";
pub const CODEX_AGENT: &str = "codex";

const TRUST: &str = "in Codex: open /hooks and trust the new entries; until then they do not run";

/// Every host.
pub const HOSTS: &[Host] = &[
    Host {
        name: "claude",
        title: "Claude Code",
        agent: CLAUDE_AGENT,
        client: "claude-code",
        session: Some("CLAUDE_CODE_SESSION_ID"),
        folder: ".claude",
        variable: "CLAUDE_CONFIG_DIR",
        program: "claude",
        user: &[target("settings.json", Shape::JsonHooks)],
        project: &[
            target(".claude/settings.json", Shape::JsonHooks),
            target(".mcp.json", Shape::JsonServer),
        ],
        events: &[
            event("SessionStart", 5),
            event("UserPromptSubmit", 5),
            event("SubagentStart", 5),
            event("PostToolUseFailure", 5),
            event("SubagentStop", 10),
            event("Stop", 10),
            event("SessionEnd", 3),
        ],
        by_hand: &["for the tools in Claude Code: claude mcp add-json --scope user hardwon \
             '{\"command\":\"hardwon\",\"args\":[\"mcp\"],\
             \"env\":{\"HARDWON_AGENT\":\"claude-code\"}}'"],
        by_hand_shared: &[],
        also_read: &[
            Elsewhere::Project(".claude/settings.local.json"),
            Elsewhere::Managed("/etc/claude-code/managed-settings.json"),
            Elsewhere::Managed("/Library/Application Support/ClaudeCode/managed-settings.json"),
        ],
        transcripts: "projects",
        kept: Kept::ByProject,
        checks: CheckNames {
            hooks: "claude hooks",
            server: "claude mcp",
            once: "claude once",
            enabled: "claude enabled",
            trust: None,
            answer: "claude answer",
        },
    },
    Host {
        name: "codex",
        title: "Codex",
        agent: CODEX_AGENT,
        client: "codex-mcp-client",
        session: None,
        folder: ".codex",
        variable: "CODEX_HOME",
        program: "codex",
        user: &[target("hooks.json", Shape::JsonHooks), target("config.toml", Shape::TomlServer)],
        project: &[target(".codex/hooks.json", Shape::JsonHooks)],
        events: &[
            event("SessionStart", 5),
            event("UserPromptSubmit", 5),
            event("SubagentStart", 5),
            // Codex has no event for failed tools alone.
            Event { name: "PostToolUse", matcher: Some("Bash"), timeout: 5 },
            event("SubagentStop", 10),
            event("Stop", 10),
            event("SessionEnd", 3),
        ],
        by_hand: &[TRUST],
        by_hand_shared: &[TRUST],
        also_read: &[],
        transcripts: "sessions",
        kept: Kept::ByDate,
        checks: CheckNames {
            hooks: "codex hooks",
            server: "codex mcp",
            once: "codex once",
            enabled: "codex enabled",
            trust: Some("codex trust"),
            answer: "codex answer",
        },
    },
];

/// The host that calls itself so as a client of ours.
pub fn of_client(client: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.client == client)
}

/// The host of this name.
pub fn named(name: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.name == name)
}

impl Host {
    /// What the host starts. Never changes: a host that trusts commands by their text
    /// would ask again.
    pub fn command(&self, is_shared: bool) -> String {
        let guard = if is_shared { GUARD } else { "" };
        format!("{guard}hardwon hook {}", self.name)
    }

    /// Whether a command is an entry of ours: by its first words, whatever the path to it.
    pub fn is_ours(&self, command: &str) -> bool {
        let command = command.trim();
        let command = command.strip_prefix(GUARD).unwrap_or(command);
        let mut words = command.split_whitespace();
        let program = words.next().and_then(|word| word.rsplit('/').next());
        program == Some("hardwon") && words.next() == Some("hook")
    }
}

/// A group of handlers for one event, as hosts read it.
#[derive(Serialize)]
pub struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Handler; 1],
}

#[derive(Serialize)]
struct Handler {
    r#type: &'static str,
    command: String,
    timeout: u32,
}

impl Event {
    pub fn group(&self, command: &str) -> Group {
        let command = command.to_owned();
        let handler = Handler { r#type: "command", command, timeout: self.timeout };
        Group { matcher: self.matcher, hooks: [handler] }
    }
}

/// Our server, as hosts start it: told who is speaking, so that its hooks and its tools
/// are one voice.
#[derive(Serialize)]
pub struct Server<'a> {
    pub command: &'a str,
    args: [&'static str; 1],
    env: ServerEnvironment,
}

#[derive(Serialize)]
struct ServerEnvironment {
    #[serde(rename = "HARDWON_AGENT")]
    agent: &'static str,
}

impl<'a> Server<'a> {
    pub const fn of(host: &Host, program: &'a str) -> Server<'a> {
        let env = ServerEnvironment { agent: host.agent };
        Server { command: program, args: ["mcp"], env }
    }

    /// The same for hosts that are set up in TOML.
    pub fn toml(&self) -> String {
        format!(
            "[mcp_servers.hardwon]\ncommand = \"{}\"\nargs = [\"{}\"]\n\
             env = {{ HARDWON_AGENT = \"{}\" }}\nstartup_timeout_sec = 10\n",
            self.command, self.args[0], self.env.agent
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_known_by_their_first_words() {
        let claude = named("claude").unwrap();
        for ours in [
            "hardwon hook claude",
            "  /usr/local/bin/hardwon hook claude --x",
            "command -v hardwon >/dev/null 2>&1 || exit 0; hardwon hook claude",
        ] {
            assert!(claude.is_ours(ours), "{ours}");
        }
        for foreign in ["", "hardwon", "hardwon learn -", "echo hardwon hook", "hardwonx hook c"] {
            assert!(!claude.is_ours(foreign), "{foreign}");
        }
    }

    #[test]
    fn what_hosts_start_never_changes() {
        let commands: Vec<String> = HOSTS.iter().map(|host| host.command(false)).collect();
        assert_eq!(commands, ["hardwon hook claude", "hardwon hook codex"]);
        let guarded = "command -v hardwon >/dev/null 2>&1 || exit 0; hardwon hook codex";
        assert_eq!(HOSTS[1].command(true), guarded);
        // What Codex trusts is a digest of all of it: event, matcher, command, timeout.
        let codex = HOSTS[1].events.iter().map(|event| (event.name, event.matcher, event.timeout));
        let trusted = [
            ("SessionStart", None, 5),
            ("UserPromptSubmit", None, 5),
            ("SubagentStart", None, 5),
            ("PostToolUse", Some("Bash"), 5),
            ("SubagentStop", None, 10),
            ("Stop", None, 10),
            ("SessionEnd", None, 3),
        ];
        assert_eq!(codex.collect::<Vec<_>>(), trusted);
        let has_pre = |host: &Host| host.events.iter().any(|event| event.name == "PreToolUse");
        assert!(!HOSTS.iter().any(has_pre), "a tool call would wait for us every time");
    }
}
