//! What is known of a program that runs agents? One value a host, which stands in
//! [`crate::hosts::HOSTS`]: its names, where it lives, which of its files name us, what its
//! events mean, where its sessions lie and how `doctor` looks at it.

use std::path::{Path, PathBuf};

use crate::hook::dialect::{Answer, Dialect, Kind};

#[derive(Debug)]
pub struct Host {
    /// As it is typed, and as `hardwon hook` takes it. Run ids begin with it.
    pub name: &'static str,
    /// As people call it.
    pub title: &'static str,
    /// The name under which its agent speaks, through hooks and as a client of ours, and
    /// which lessons have in their scope.
    pub agent: &'static str,
    /// Whether it puts the project's notes before its agent by itself.
    pub loads_notes: bool,
    pub home: Home,
    pub files: Files,
    pub events: &'static [HostEvent],
    pub dialect: Dialect,
    pub sessions: Sessions,
    pub checks: Checks,
}

/// How a host is found.
#[derive(Debug)]
pub struct Home {
    /// Its folder below the user's home.
    pub folder: &'static str,
    /// The variable that moves that folder.
    pub variable: &'static str,
    pub program: &'static str,
}

/// Which files of a host name us.
#[derive(Debug)]
pub struct Files {
    /// What is written for the user alone, in the host's folder.
    pub user: &'static [Target],
    /// What is written for everybody who works in a project, below its root.
    pub project: &'static [Target],
    /// Further files in which the host looks for hooks.
    pub also_read: &'static [Elsewhere],
    /// What is left to the user after hooks were written: also how to add the server where no
    /// file is written for it.
    pub by_hand: &'static [&'static str],
    /// The same after a project's files were written.
    pub by_hand_shared: &'static [&'static str],
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
    pub fn purpose(self) -> &'static str {
        match self {
            Shape::JsonHooks => "hooks",
            Shape::JsonServer | Shape::TomlServer => "mcp",
        }
    }

    pub fn is_json(self) -> bool {
        self != Shape::TomlServer
    }
}

/// A file of the host that we never write.
#[derive(Clone, Copy, Debug)]
pub enum Elsewhere {
    /// Below a project's root.
    Project(&'static str),
    /// Somewhere on the machine, put there by those who run it.
    Managed(&'static str),
}

/// An event of a host that means something to us.
#[derive(Debug)]
pub struct HostEvent {
    pub name: &'static str,
    pub kind: Kind,
    pub answer: Answer,
    /// How we ask for it; `None` if we do not, and still understand it.
    pub entry: Option<Entry>,
}

/// How the installer asks for an event.
#[derive(Debug)]
pub struct Entry {
    /// Which tools, where the host has no event for failures alone.
    pub matcher: Option<&'static str>,
    /// In seconds.
    pub timeout: u32,
}

impl HostEvent {
    /// An event that is answered with a text for the agent.
    pub const fn answered(name: &'static str, kind: Kind) -> HostEvent {
        HostEvent { name, kind, answer: Answer::Context, entry: None }
    }

    /// An event that is never answered.
    pub const fn unanswered(name: &'static str, kind: Kind) -> HostEvent {
        HostEvent { name, kind, answer: Answer::Nothing, entry: None }
    }

    /// The same, asked for by the installer with a limit in seconds.
    pub const fn asked(self, timeout: u32) -> HostEvent {
        HostEvent { entry: Some(Entry { matcher: None, timeout }), ..self }
    }

    /// The same, for one tool alone.
    pub const fn asked_of(self, tool: &'static str, timeout: u32) -> HostEvent {
        HostEvent { entry: Some(Entry { matcher: Some(tool), timeout }), ..self }
    }
}

#[derive(Debug)]
pub struct Sessions {
    /// Variables that name the session to a program that the host starts; the first that is set
    /// counts.
    pub variables: &'static [&'static str],
    /// Under which names it says so in the `_meta` of a call of our tools; the first that is there
    /// counts.
    pub meta: &'static [&'static str],
    /// Where the conversations are, below its folder.
    pub folder: &'static str,
    pub kept: Kept,
    /// Under which names a line of a conversation says where it took place; a dot goes into
    /// an object.
    pub places: &'static [&'static str],
}

/// How a host keeps its conversations.
#[derive(Clone, Copy, Debug)]
pub enum Kept {
    /// In a folder for each project, with the name that `project_key` makes of its path.
    ByProject,
    /// In folders by date; each file says where it was.
    ByDate,
}

#[derive(Debug)]
pub struct Checks {
    pub names: CheckNames,
    /// Members of its JSON settings that keep our hooks from running when they are true.
    pub off_if_true: &'static [&'static str],
    /// Keys of its TOML settings that do when they are false, as `table.key`.
    pub off_if_false: &'static [&'static str],
    /// The member of its JSON settings that lists plugins, ours among them.
    pub plugins: Option<&'static str>,
    /// How it records that the user agreed to an entry, if it asks for that.
    pub state: Option<StateOf>,
}

#[derive(Debug)]
pub struct CheckNames {
    pub hooks: &'static str,
    pub server: &'static str,
    pub once: &'static str,
    pub enabled: &'static str,
    pub trust: &'static str,
    pub answer: &'static str,
}

macro_rules! check_names {
    ($host:literal) => {
        $crate::host::CheckNames {
            hooks: concat!($host, " hooks"),
            server: concat!($host, " mcp"),
            once: concat!($host, " once"),
            enabled: concat!($host, " enabled"),
            trust: concat!($host, " trust"),
            answer: concat!($host, " answer"),
        }
    };
}
pub(crate) use check_names;

#[derive(Clone, Debug)]
pub struct OurEntry {
    pub event: String,
    /// Which group of the event, and which handler of the group.
    pub group: usize,
    pub handler: usize,
    pub command: String,
}

/// What a host recorded about an entry.
#[derive(Clone, Copy, Debug)]
pub struct EntryState {
    pub is_enabled: bool,
    pub is_trusted: bool,
}

/// Reads that in the host's TOML settings, for an entry of this file.
pub type StateOf = fn(&toml::Table, &Path, &OurEntry) -> Option<EntryState>;

impl Host {
    /// Further files in which the host looks for hooks, and whether a project shares them.
    pub fn also_read(&self, root: &Path) -> impl Iterator<Item = (PathBuf, bool)> {
        self.files.also_read.iter().map(|file| match file {
            Elsewhere::Project(file) => (root.join(file), true),
            Elsewhere::Managed(file) => (PathBuf::from(file), false),
        })
    }

    pub fn event(&self, name: &str) -> Option<&'static HostEvent> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The events that the installer asks for, in the order of the table.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &'static Entry)> {
        self.events.iter().filter_map(|event| Some((event.name, event.entry.as_ref()?)))
    }
}
