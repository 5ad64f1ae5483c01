//! Who is speaking? What a caller may state, decide and change depends on it, and on nothing
//! that the caller says in its text.

use crate::ids::RunId;
use crate::lesson::Origin;

/// Whose words a call carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Voice {
    /// Somebody at a terminal, or who says `--as-user`.
    Person,
    /// A program that a person set up: it reports what happened, and has no wishes.
    #[default]
    Script,
    /// A model, through a shell that its host gave it, a hook or a tool.
    Agent,
}

impl Voice {
    /// The origin of what this voice states. A script speaks for the pipeline it is part of.
    pub fn origin(self) -> Origin {
        match self {
            Voice::Person => Origin::User,
            Voice::Script => Origin::Reviewer,
            Voice::Agent => Origin::Agent,
        }
    }
}

/// The variable by which anybody can say that an agent is calling, and which.
pub const AGENT_VARIABLE: &str = "HARDWON_AGENT";

/// An agent that neither its settings nor its host name.
pub const UNNAMED_AGENT: &str = "mcp";

/// Variables by which hosts mark the shells that they give to their models, and the agent's name.
/// Exact names that are set in no shell of a person: settings of a host, such as `CODEX_HOME`,
/// are in everybody's profile. docs/agents.md says how each was tried.
pub const MARKED_SHELLS: &[(&str, &str)] = &[
    ("CLAUDECODE", "claude-code"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_CI", "codex"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("GEMINI_CLI", "gemini-cli"),
    ("OPENCODE", "opencode"),
    ("QWEN_CODE", "qwen-code"),
    ("CURSOR_AGENT", "cursor"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT", "copilot"),
    ("PI_CODING_AGENT", "pi"),
    ("AUGMENT_AGENT", "auggie"),
    ("CRUSH", "crush"),
    ("GOOSE_TERMINAL", "goose"),
    ("CLINE_ACTIVE", "cline"),
    // Several hosts set it beside their own.
    ("AI_AGENT", "unnamed"),
];

/// Who calls, and what shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speaker {
    pub voice: Voice,
    /// The agent's name.
    pub agent: Option<String>,
    /// The variable that shows that it is an agent.
    pub sign: Option<&'static str>,
    /// The run of the session or connection in which an agent calls: whatever runs it names
    /// belong to this one.
    pub session: Option<RunId>,
}

impl Speaker {
    pub fn person() -> Self {
        Speaker { voice: Voice::Person, ..Speaker::default() }
    }

    /// An agent that comes by another way than a marked shell: a hook, or a tool.
    pub fn agent(name: impl Into<String>) -> Self {
        Speaker { voice: Voice::Agent, agent: Some(name.into()), sign: None, session: None }
    }
}

/// Decides who is speaking. A mark of an agent beats `--as-user`: the model writes the command
/// line, its host the environment.
pub fn who_speaks(
    variable: &dyn Fn(&str) -> Option<String>,
    is_as_user: bool,
    is_terminal: bool,
) -> Speaker {
    if let Some(name) = variable(AGENT_VARIABLE) {
        return Speaker { sign: Some(AGENT_VARIABLE), ..Speaker::agent(name) };
    }
    let marked = MARKED_SHELLS.iter().find(|(name, _)| variable(name).is_some());
    match marked {
        Some((sign, agent)) => Speaker { sign: Some(sign), ..Speaker::agent(*agent) },
        None if is_as_user || is_terminal => Speaker::person(),
        None => Speaker::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaking(set: &[(&str, &str)], is_as_user: bool, is_terminal: bool) -> Speaker {
        let variable = |name: &str| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        who_speaks(&variable, is_as_user, is_terminal)
    }

    #[test]
    fn an_agents_shell_is_not_a_person() {
        for (sign, agent) in MARKED_SHELLS {
            for (is_as_user, is_terminal) in [(false, false), (true, false), (true, true)] {
                let speaker = speaking(&[(sign, "1")], is_as_user, is_terminal);
                assert_eq!(speaker.voice, Voice::Agent, "{sign}");
                assert_eq!(speaker.agent.as_deref(), Some(*agent), "{sign}");
                assert_eq!(speaker.sign, Some(*sign));
            }
        }
    }

    #[test]
    fn the_name_that_was_given_comes_first() {
        let both = [("CLAUDECODE", "1"), (AGENT_VARIABLE, "reviewer-1")];
        let speaker = speaking(&both, true, true);
        assert_eq!(speaker.agent.as_deref(), Some("reviewer-1"));
        assert_eq!(speaker.sign, Some(AGENT_VARIABLE));
    }

    #[test]
    fn a_setting_of_a_host_marks_nobody() {
        let settings = [
            ("CODEX_HOME", "/home/ann/.codex"),
            ("CLAUDE_CONFIG_DIR", "/home/ann/.claude"),
            ("GEMINI_API_KEY", "k"),
            ("CLAUDECODE_THEME", "dark"),
            ("OPENCODE_CONFIG", "c.json"),
        ];
        assert_eq!(speaking(&settings, false, true).voice, Voice::Person);
        assert_eq!(speaking(&settings, false, false).voice, Voice::Script);
    }

    #[test]
    fn a_person_is_at_a_terminal_or_says_so() {
        use Voice::{Person, Script};
        let cases = [
            (true, false, Person),
            (false, true, Person),
            (true, true, Person),
            (false, false, Script),
        ];
        for (is_as_user, is_terminal, voice) in cases {
            assert_eq!(speaking(&[], is_as_user, is_terminal).voice, voice);
        }
    }
}
