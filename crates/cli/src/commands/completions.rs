//! `hardwon install --completions`

use std::io;
use std::path::Path;

use clap::ValueEnum;
use clap_complete::{Generator, Shell};
use clap_mangen::Man;
use hardwon_engine::Environment;
use hardwon_engine::files::{Mode, NewFile, Place};
use hardwon_faces::{Exit, Failure};
use serde_json::{Value, json};

use super::{CommandResult, Context};
use crate::help;

/// The name under which people type it.
const PROGRAM: &str = "hardwon";

#[derive(Clone, Copy, ValueEnum)]
pub enum Target {
    Bash,
    Zsh,
    Fish,
    Elvish,
    Powershell,
    /// Manual pages; without --dir only the page of the program itself
    Man,
}

impl Target {
    /// `None` for manual pages, which are for every shell.
    fn shell(self) -> Option<Shell> {
        Shell::from_str(self.to_possible_value()?.get_name(), true).ok()
    }

    fn print(self, mut tree: clap::Command) -> io::Result<String> {
        let mut written = Vec::new();
        match self.shell() {
            Some(shell) => {
                clap_complete::generate(shell, &mut tree, PROGRAM, &mut written);
            }
            None => Man::new(documented(tree)).render(&mut written)?,
        }
        String::from_utf8(written).map_err(|error| io::Error::other(error.utf8_error()))
    }

    /// The files, by name.
    fn files(self, tree: clap::Command) -> io::Result<Vec<(String, String)>> {
        if let Some(shell) = self.shell() {
            return Ok(vec![(shell.file_name(PROGRAM), self.print(tree)?)]);
        }
        let mut tree = documented(tree).disable_help_subcommand(true);
        tree.build();
        let mut pages = Vec::new();
        add_pages(tree, &mut pages)?;
        pages.sort();
        Ok(pages)
    }
}

/// The page of a command, and those of the commands below it.
fn add_pages(command: clap::Command, pages: &mut Vec<(String, String)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        add_pages(below.clone(), pages)?;
    }
    let page = Man::new(command);
    let mut written = Vec::new();
    page.render(&mut written)?;
    pages.push((page.get_filename(), String::from_utf8_lossy(&written).into_owned()));
    Ok(())
}

/// Writes files into a folder that the user named; returns their paths.
fn write(
    environment: &Environment,
    dir: &Path,
    files: Vec<(String, String)>,
) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for (name, text) in files {
        let path = dir.join(name);
        let place = Place::named_in(environment.checkout(), &environment.folder.join(&path))?;
        NewFile::write_with_folder(place, text.as_bytes(), Mode::Kept(0o666))?.place()?;
        paths.push(path.display().to_string());
    }
    Ok(paths)
}

/// The program with a first page that says more than one line.
fn documented(tree: clap::Command) -> clap::Command {
    tree.long_about(help::ABOUT)
}

/// Completions for a shell, for example
/// `hardwon install --completions bash > ~/.local/share/bash-completion/completions/hardwon`, or
/// manual pages: `hardwon install --completions man --dir ~/.local/share/man/man1`.
pub fn print(context: &Context, target: Target, dir: Option<&Path>) -> CommandResult {
    let failure = |error: io::Error| {
        let place = dir.unwrap_or(Path::new("standard output")).display();
        Failure::usage(format!("cannot write to {place}: {error}"), None)
    };
    let Some(dir) = dir else {
        let text = target.print((context.tree)()).map_err(failure)?;
        return answer(context, json!({ "text": &text }), &text);
    };
    let files = target.files((context.tree)()).map_err(failure)?;
    let files = write(&context.environment, dir, files).map_err(failure)?;
    answer(context, json!({ "files": files }), &(files.join("\n") + "\n"))
}

fn answer(context: &Context, mut body: Value, text: &str) -> CommandResult {
    if context.printer.is_json() {
        body["status"] = json!("ok");
        body["problems"] = json!([]);
        context.printer.json(&body);
    } else {
        context.printer.data(text);
    }
    Ok(Exit::Done)
}
