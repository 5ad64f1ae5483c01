//! What do we write into a host's file? The command that its hooks start, the group around it,
//! and our server.

use serde::Serialize;

use crate::host::{Entry, Host};

/// The name under which we stand in lists of servers.
pub const SERVER: &str = "hardwon";

/// What makes a shared file harmless for those who do not have the program.
pub const GUARD: &str = "command -v hardwon >/dev/null 2>&1 || exit 0; ";

impl Host {
    /// What the host starts. Never changes: a host that trusts commands by their text
    /// would ask again.
    pub fn command(&self, is_shared: bool) -> String {
        let guard = if is_shared { GUARD } else { "" };
        format!("{guard}hardwon hook {}", self.name)
    }

    /// Whether a command is an entry of ours: by its first words, whatever the path to it.
    pub fn is_ours(&self, command: &str) -> bool {
        let mut words = without_guard(command).split_whitespace();
        words.next().is_some_and(is_our_program) && words.next() == Some("hook")
    }
}

pub fn without_guard(command: &str) -> &str {
    let command = command.trim();
    command.strip_prefix(GUARD).unwrap_or(command)
}

/// Whether a program is ours, by its name.
pub fn is_our_program(program: &str) -> bool {
    program.rsplit('/').next() == Some("hardwon")
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

impl Entry {
    pub fn group(&self, command: &str) -> Group {
        let command = command.to_owned();
        let handler = Handler { r#type: "command", command, timeout: self.timeout };
        Group { matcher: self.matcher, hooks: [handler] }
    }
}

/// Our server, as hosts start it: it learns which agent speaks, so that its hooks and its
/// tools are one voice.
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
    use crate::hosts::{HOSTS, named};

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
        let codex = HOSTS[1].entries().map(|(name, entry)| (name, entry.matcher, entry.timeout));
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
        let has_pre = |host: &Host| host.entries().any(|(name, _)| name == "PreToolUse");
        assert!(!HOSTS.iter().any(has_pre), "a tool call would wait for us every time");
    }
}
