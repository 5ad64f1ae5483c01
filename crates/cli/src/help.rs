//! The groups of commands in the help: for the first screen (`hardwon --help`), for
//! `hardwon help all`, and for the test that no command is missing.

/// Wrapped here, so that it is short on every terminal.
pub const ABOUT: &str = "\
Cross-run memory for AI agents: lessons your agents paid for once.

Three calls make the loop: `inject` before a run prints the lessons that matter,
`learn` after it reads what happened, `report` shows how much it helps.
New here? `hardwon tour` shows all of it in a temporary store.";

const FOOT: &str = "\
`hardwon help all` lists every command, `hardwon help COMMAND` explains one.";

/// How much is listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What most people need.
    FirstScreen,
    All,
}

struct Group {
    title: &'static str,
    /// On the first screen.
    first: &'static [&'static str],
    /// Only in `help all`.
    more: &'static [&'static str],
}

/// A name without a command is skipped: it may be listed before its command exists.
const GROUPS: &[Group] = &[
    Group {
        title: "Start",
        first: &["tour", "install", "doctor", "serve"],
        more: &["uninstall", "mcp", "completions", "help"],
    },
    Group {
        title: "Every run",
        first: &["inject", "learn", "outcome", "report"],
        more: &["mark", "check", "guard", "decay"],
    },
    Group {
        title: "Lessons",
        first: &["add", "list", "show", "why", "search", "forget", "undo"],
        more: &["ask", "edit", "pin", "merge", "audit", "restore", "history"],
    },
    Group { title: "Review", first: &["review", "trust"], more: &[] },
    Group { title: "Runs", first: &["runs", "reflect"], more: &["findings", "tried", "events"] },
    Group { title: "Files", first: &["import", "export"], more: &["notes"] },
    Group {
        title: "Settings",
        first: &["config"],
        more: &["policy", "project", "team", "share", "store", "model", "usage"],
    },
    Group { title: "Measure", first: &[], more: &["backtest", "replay"] },
    Group { title: "Other systems", first: &[], more: &["archeflow", "geas", "jkz"] },
    Group {
        title: "Called by programs, or kept for scripts",
        first: &[],
        more: &["hook", "worker", "init", "regressions", "stats", "simulate", "bench"],
    },
];

/// The help of the program itself.
pub fn top(tree: fn() -> clap::Command, extent: Extent) -> String {
    let command = tree();
    let groups = groups(&command, extent);
    // The commands are hidden from clap's own list, because the groups list them.
    let options = command.mut_subcommands(|subcommand| subcommand.hide(true));
    let options = options.help_template("{all-args}").render_help();
    format!("{ABOUT}\n\nUsage: hardwon [OPTIONS] <COMMAND>\n\n{groups}\n{options}\n{FOOT}\n")
}

/// What clap would print as help, with commands in groups if it is the help of the program
/// itself: that one begins with what the program is.
pub fn grouped(help: &clap::Error, tree: fn() -> clap::Command) -> String {
    let text = help.render().to_string();
    // clap takes the full stop off a summary.
    let summary = ABOUT.lines().next().unwrap_or_default().trim_end_matches('.');
    let is_of_program = text.lines().next().is_some_and(|first| first.starts_with(summary));
    if is_of_program { top(tree, Extent::FirstScreen) } else { text }
}

fn groups(command: &clap::Command, extent: Extent) -> String {
    let shown = |name: &&str| command.find_subcommand(name).filter(|found| !found.is_hide_set());
    let names = command.get_subcommands().map(|subcommand| subcommand.get_name().len());
    let width = names.max().unwrap_or_default();
    let mut out = String::new();
    for group in GROUPS {
        let more = if extent == Extent::All { group.more } else { &[] };
        let listed: Vec<_> = group.first.iter().chain(more).filter_map(shown).collect();
        if listed.is_empty() {
            continue;
        }
        out += &format!("{}:\n", group.title);
        for subcommand in listed {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            out += &format!("  {:width$}  {about}\n", subcommand.get_name());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::program::Cli;

    #[test]
    fn every_command_is_in_one_group() {
        let placed = || GROUPS.iter().flat_map(|group| group.first.iter().chain(group.more));
        for subcommand in Cli::command().get_subcommands() {
            let name = subcommand.get_name();
            let n_places = placed().filter(|placed| **placed == name).count();
            assert_eq!(n_places, 1, "{name}: put it into one group of GROUPS");
        }
    }

    #[test]
    fn the_first_screen_is_one_screen() {
        let help = top(Cli::command, Extent::FirstScreen);
        assert!(help.lines().count() <= 50, "{} lines:\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        let all = top(Cli::command, Extent::All);
        let is_there = |text: &str, name: &str| text.contains(&format!("\n  {name} "));
        assert!(is_there(&help, "inject") && !is_there(&help, "decay") && is_there(&all, "decay"));
    }
}
