//! What do we write into a host's file? The command that its hooks start, the group around it,
//! and our server.

use serde::Serialize;

use crate::host::{Entry, Host};

pub const SERVER: &str = "hardwon";

/// What makes an entry harmless where the program is not, before and after its name: hosts show an
/// error at each event that starts something that is not there.
const GUARD: (&str, &str) = ("command -v ", " >/dev/null 2>&1 || exit 0; ");

/// The command that starts a program of ours, if it is there.
pub fn guarded(program: &str, arguments: &str) -> String {
    format!("{}{program}{}{program} {arguments}", GUARD.0, GUARD.1)
}

impl Host {
    /// What the host starts. Never changes: a host that trusts commands by their text
    /// would ask again.
    pub fn command(&self) -> String {
        guarded("hardwon", &self.arguments())
    }

    /// The same as earlier versions wrote it into files of the user's own.
    pub fn earlier_command(&self) -> String {
        format!("hardwon {}", self.arguments())
    }

    pub fn arguments(&self) -> String {
        format!("hook {}", self.name)
    }

    /// Whether a command is an entry of ours: by its first words, whatever the path to it.
    pub fn is_ours(&self, command: &str) -> bool {
        let mut words = without_guard(command).split_whitespace();
        words.next().is_some_and(is_our_program) && words.next() == Some("hook")
    }
}

pub fn without_guard(command: &str) -> &str {
    let command = command.trim();
    let guard = command.strip_prefix(GUARD.0).and_then(|rest| rest.split_once(GUARD.1));
    // Of the same program, and nothing else before it.
    let is_of = |(program, rest): &(&str, &str)| {
        rest.strip_prefix(program).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    };
    guard.filter(is_of).map_or(command, |(_, rest)| rest)
}

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
    /// Else Claude Code names our tools to its model only when it searches for tools.
    #[serde(rename = "alwaysLoad")]
    always_load: bool,
}

#[derive(Serialize)]
struct ServerEnvironment {
    #[serde(rename = "HARDWON_AGENT")]
    agent: &'static str,
}

impl<'a> Server<'a> {
    pub const fn of(host: &Host, program: &'a str) -> Server<'a> {
        let env = ServerEnvironment { agent: host.agent };
        Server { command: program, args: ["mcp"], env, always_load: true }
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
            "command -v /opt/hardwon >/dev/null 2>&1 || exit 0; /opt/hardwon hook claude",
        ] {
            assert!(claude.is_ours(ours), "{ours}");
        }
        let other = "command -v touch >/dev/null 2>&1 || exit 0; hardwon hook claude";
        for foreign in
            ["", "hardwon", "hardwon learn -", "echo hardwon hook", "hardwonx hook c", other]
        {
            assert!(!claude.is_ours(foreign), "{foreign}");
        }
    }

    #[test]
    fn what_hosts_start_never_changes() {
        let commands: Vec<String> = HOSTS.iter().map(Host::earlier_command).collect();
        assert_eq!(commands, ["hardwon hook claude", "hardwon hook codex"]);
        let guarded = "command -v hardwon >/dev/null 2>&1 || exit 0; hardwon hook codex";
        assert_eq!(HOSTS[1].command(), guarded);
        // What Codex trusts is a digest of all of it: event, matcher, command, timeout.
        let codex = HOSTS[1].entries().map(|(name, entry)| (name, entry.matcher, entry.timeout));
        let trusted = [
            ("SessionStart", None, 5),
            ("UserPromptSubmit", None, 5),
            ("SubagentStart", None, 5),
            ("PostToolUse", Some("Bash"), 5),
            ("SubagentStop", None, 10),
            ("Stop", None, 10),
            ("PreCompact", None, 5),
            ("SessionEnd", None, 3),
        ];
        assert_eq!(codex.collect::<Vec<_>>(), trusted);
        let has_pre = |host: &Host| host.entries().any(|(name, _)| name == "PreToolUse");
        assert!(!HOSTS.iter().any(has_pre), "a tool call would wait for us every time");
    }
}
