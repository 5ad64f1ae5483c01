//! What stands in a host's files? Read once, for all checks.

use std::fs;
use std::path::PathBuf;

use hardwon_engine::Environment;

use crate::host::{EntryState, Host, OurEntry, Shape};
use crate::install::entries;
use crate::install::places::{Place, places};
use crate::install::switches::has_plugin;
use crate::surroundings::{Surroundings, project_root};

pub struct SettingsFile {
    pub path: PathBuf,
    pub shape: Shape,
    /// What stands there, or why it is unknown.
    pub text: Result<String, String>,
    pub is_shared: bool,
}

impl SettingsFile {
    /// What stands there, as far as it is known.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

pub struct HostFiles {
    pub host: &'static Host,
    pub ours: Vec<SettingsFile>,
    /// Files of the host that we never write.
    others: Vec<SettingsFile>,
}

impl HostFiles {
    pub fn read(
        environment: &Environment,
        surroundings: &Surroundings,
        host: &'static Host,
    ) -> HostFiles {
        let file = |place: Place| SettingsFile {
            text: place.text(),
            path: place.path,
            shape: place.shape,
            is_shared: place.is_shared,
        };
        let both = [false, true].map(|is_project| {
            places(environment, surroundings, host, is_project).unwrap_or_default()
        });
        let root = project_root(environment);
        let other = |(path, is_shared)| {
            let text = fs::read_to_string(&path).unwrap_or_default();
            SettingsFile { path, shape: Shape::JsonHooks, text: Ok(text), is_shared }
        };
        HostFiles {
            host,
            ours: both.into_iter().flatten().map(file).collect(),
            others: host.also_read(&root).map(other).collect(),
        }
    }

    pub fn hook_files(&self) -> impl Iterator<Item = &SettingsFile> {
        self.ours.iter().chain(&self.others).filter(|file| file.shape == Shape::JsonHooks)
    }

    /// Files with hooks of ours, each with its commands.
    pub fn holders(&self) -> Vec<(&SettingsFile, Vec<OurEntry>)> {
        let held = |file| {
            let commands = entries::our_commands(self.host, SettingsFile::text(file));
            let commands = commands.unwrap_or_default();
            (!commands.is_empty()).then_some((file, commands))
        };
        self.hook_files().filter_map(held).collect()
    }

    pub fn has_plugin(&self) -> bool {
        self.hook_files().any(|file| has_plugin(self.host, file.text()))
    }

    /// Every command of ours that the host would start, once each.
    pub fn commands(&self) -> Vec<String> {
        let all = self.holders().into_iter().flat_map(|(_, commands)| commands);
        let mut commands: Vec<String> = all.map(|entry| entry.command).collect();
        commands.sort();
        commands.dedup();
        commands
    }

    /// The host's TOML settings, if it has such and they parse.
    pub fn toml(&self) -> Option<(&SettingsFile, toml::Table)> {
        let file = self.ours.iter().find(|file| file.shape == Shape::TomlServer)?;
        Some((file, toml::from_str(file.text()).ok()?))
    }

    /// What the host recorded about each entry of the first file that has some.
    pub fn states(&self) -> Vec<Option<EntryState>> {
        let Some(state_of) = self.host.checks.state else { return Vec::new() };
        let Some((file, commands)) = self.holders().into_iter().next() else { return Vec::new() };
        let config = self.toml().map(|(_, config)| config).unwrap_or_default();
        let state = |entry: &OurEntry| state_of(&config, &file.path, entry);
        commands.iter().map(state).collect()
    }
}
