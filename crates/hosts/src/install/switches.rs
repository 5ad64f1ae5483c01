//! Do a host's settings let hooks of ours run at all, and does a plugin bring them already?

use std::fs;
use std::path::PathBuf;

use hardwon_engine::Environment;

use super::entries;
use super::entry::SERVER;
use super::jsonc::{Kind, Node};
use super::places::places;
use crate::host::{Host, Shape};
use crate::surroundings::{Surroundings, project_root};

/// The file in which all hooks of a host are switched off, and by which switch.
pub fn switched_off(
    environment: &Environment,
    surroundings: &Surroundings,
    host: &'static Host,
) -> Option<(PathBuf, &'static str)> {
    let own = [false, true].map(|is_project| places(environment, surroundings, host, is_project));
    let own = own.into_iter().flatten().flatten();
    let hooks = own.filter(|place| place.shape == Shape::JsonHooks).map(|place| place.path);
    let root = project_root(environment);
    let others = host.also_read(&root).map(|(path, _)| path);
    hooks.chain(others).find_map(|path| {
        let switch = off_switch(host, &fs::read_to_string(&path).ok()?)?;
        Some((path, switch))
    })
}

/// By what a settings file keeps our hooks from running; nothing in a file that does not parse.
pub fn off_switch(host: &Host, text: &str) -> Option<&'static str> {
    let root = entries::json_root(text).ok()??;
    host.checks.off_if_true.iter().copied().find(|switch| is_on(root.get(switch)))
}

/// Whether our plugin is switched on there, which brings hooks of its own.
pub fn has_plugin(host: &Host, text: &str) -> bool {
    let Some(list) = host.checks.plugins else { return false };
    let Ok(Some(root)) = entries::json_root(text) else { return false };
    let plugins = root.get(list).map_or(&[][..], Node::items);
    let is_ours = |name: &str| name.split('@').next() == Some(SERVER);
    plugins.iter().any(|item| is_ours(&item.key) && is_on(Some(&item.value)))
}

fn is_on(node: Option<&Node>) -> bool {
    node.is_some_and(|node| node.kind == Kind::Bool(true))
}
