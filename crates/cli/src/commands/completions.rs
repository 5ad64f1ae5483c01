//! `hardwon completions`

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;
use hardwon_faces::{Exit, Failure};
use serde_json::{Value, json};

use super::{CommandResult, Context};
use crate::help;

/// The name under which people type it.
const PROGRAM: &str = "hardwon";

/// Print completions for your shell, or write the manual pages
///
/// For bash: `hardwon completions bash > ~/.local/share/bash-completion/completions/hardwon`.
/// For man: `hardwon completions man --dir ~/.local/share/man/man1`.
#[derive(Args)]
pub struct Completions {
    #[arg(value_name = "SHELL", value_enum)]
    target: Target,
    /// Write files with their usual names to this folder, instead of printing
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
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

    /// Returns the files that are there now.
    fn write(self, mut tree: clap::Command, dir: &Path) -> io::Result<Vec<PathBuf>> {
        std::fs::create_dir_all(dir)?;
        if let Some(shell) = self.shell() {
            return Ok(vec![clap_complete::generate_to(shell, &mut tree, PROGRAM, dir)?]);
        }
        clap_mangen::generate_to(documented(tree), dir)?;
        let entries: io::Result<Vec<_>> = std::fs::read_dir(dir)?.collect();
        let mut pages: Vec<PathBuf> = entries?.iter().map(|entry| entry.path()).collect();
        pages.retain(|page| {
            let name = page.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(PROGRAM) && name.ends_with(".1")
        });
        pages.sort();
        Ok(pages)
    }
}

/// The program with a first page that says more than one line.
fn documented(tree: clap::Command) -> clap::Command {
    tree.long_about(help::ABOUT)
}

impl Completions {
    pub fn run(self, context: &Context) -> CommandResult {
        let failure = |error: io::Error| {
            let place = self.dir.as_deref().unwrap_or(Path::new("standard output")).display();
            Failure::usage(format!("cannot write to {place}: {error}"), None)
        };
        let Some(dir) = &self.dir else {
            let text = self.target.print((context.tree)()).map_err(failure)?;
            return print(context, json!({ "text": &text }), &text);
        };
        let files = self.target.write((context.tree)(), dir).map_err(failure)?;
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        print(context, json!({ "files": files }), &(files.join("\n") + "\n"))
    }
}

fn print(context: &Context, mut body: Value, text: &str) -> CommandResult {
    if context.printer.is_json() {
        body["status"] = json!("ok");
        body["problems"] = json!([]);
        context.printer.json(&body);
    } else {
        context.printer.data(text);
    }
    Ok(Exit::Done)
}
