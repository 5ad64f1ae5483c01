//! The groups of commands in the help: for the first screen (`hardwon --help`), for
//! `hardwon help all`, and for the test that no command is missing.

/// Wrapped here, so that it is short on every terminal.
pub const ABOUT: &str = "\
Cross-run memory for AI agents: lessons your agents paid for once.

Three calls make the loop: `inject` before a run prints the lessons that matter,
`learn` after it reads what happened, `report` shows how much it helps.
New here? `hardwon tour` shows all of it in a temporary store.";

const FOOT: &str = "\
`hardwon help all` lists what is needed now and then, too, `hardwon help systems` the commands of
ArcheFlow, geas and jkz; `hardwon help COMMAND` explains one.";

/// Which commands are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// What most people need.
    First,
    /// With what is needed now and then.
    All,
    /// The words of other systems.
    Systems,
    /// Called by programs, or kept for scripts: never listed.
    Hidden,
}

/// Title, screen and commands of each group.
const GROUPS: &[(&str, Screen, &[&str])] = &[
    ("Every run", Screen::First, &["install", "inject", "learn", "report"]),
    ("Lessons", Screen::First, &["list", "show", "add", "edit", "forget"]),
    ("Decisions", Screen::First, &["review", "undo", "log"]),
    ("Look after it", Screen::First, &["serve", "doctor"]),
    ("More about lessons", Screen::All, &["why", "reflect", "share", "import", "export"]),
    ("Settings and help", Screen::All, &["config", "backtest", "tour", "mcp", "uninstall", "help"]),
    ("Other systems, over their own files", Screen::Systems, &["archeflow", "geas", "jkz"]),
    ("Programs", Screen::Hidden, &["hook", "worker"]),
    (
        "Scripts",
        Screen::Hidden,
        &["init", "outcome", "mark", "check", "restore", "guard", "policy"],
    ),
];

/// The help of the program itself.
pub fn top(tree: fn() -> clap::Command, screen: Screen) -> String {
    let command = tree();
    let groups = groups(&command, screen);
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
    if is_of_program { top(tree, Screen::First) } else { text }
}

fn groups(command: &clap::Command, screen: Screen) -> String {
    let names = command.get_subcommands().map(|subcommand| subcommand.get_name().len());
    let width = names.max().unwrap_or_default();
    let mut out = String::new();
    let is_on = |on: Screen| on == screen || (on, screen) == (Screen::First, Screen::All);
    for (title, _, names) in GROUPS.iter().filter(|(_, on, _)| is_on(*on)) {
        out += &format!("{title}:\n");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
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
        let placed = || GROUPS.iter().flat_map(|(_, _, commands)| *commands);
        for subcommand in Cli::command().get_subcommands() {
            let name = subcommand.get_name();
            let n_places = placed().filter(|placed| **placed == name).count();
            assert_eq!(n_places, 1, "{name}: put it into one group of GROUPS");
        }
    }

    #[test]
    fn the_first_screen_is_one_screen() {
        let help = top(Cli::command, Screen::First);
        assert!(help.lines().count() <= 50, "{} lines:\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        let all = top(Cli::command, Screen::All);
        let is_there = |text: &str, name: &str| text.contains(&format!("\n  {name} "));
        assert!(is_there(&help, "inject") && !is_there(&help, "why") && is_there(&all, "why"));
        let is_command = |line: &&str| {
            line.strip_prefix("  ")
                .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_lowercase()))
        };
        assert_eq!(help.lines().filter(is_command).count(), 14, "{help}");
    }
}
