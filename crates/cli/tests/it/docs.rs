//! Does every link of the documents lead somewhere, and is what they list complete?

use std::fs;

use crate::readme::{documents, in_clean_room, is_blessing, pages_of, root, write_if_changed};

#[test]
fn every_relative_link_leads_somewhere() {
    let mut broken = Vec::new();
    let mut pages = documents();
    pages.extend(pages_of(&root()));
    for page in pages {
        let text = fs::read_to_string(&page).expect("a document is readable");
        let folder = page.parent().expect("a page is in a folder");
        for target in relative_links(&text) {
            if !folder.join(target).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// Every command of the program that `hardwon help` lists on one of its screens, without `help`
/// itself.
pub fn every_command() -> Vec<String> {
    let mut all = Vec::new();
    for screen in ["all", "systems"] {
        let help = printed(&["help", screen]);
        let groups = help.lines().skip_while(|line| !line.starts_with("Usage:"));
        all.extend(names(groups.take_while(|line| *line != "Options:")));
    }
    all
}

fn printed(args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut command = in_clean_room(env!("CARGO_BIN_EXE_hardwon"), folder.path());
    let output = command.args(args).output().expect("the binary starts");
    assert!(output.status.success(), "hardwon {} failed", args.join(" "));
    let text = String::from_utf8(output.stdout).expect("help is UTF-8");
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// The commands that the help of one command lists, without `help` itself.
pub fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    names(listed.take_while(|line| !line.is_empty()))
}

/// What stands at the beginning of lines of a list.
fn names<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<String> {
    // Descriptions that were wrapped stand further to the right.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Targets of Markdown links that point into this repository, without their anchors.
fn relative_links(text: &str) -> Vec<&str> {
    let mut links = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        for part in line.split("](").skip(1) {
            let Some((target, _)) = part.split_once(')') else { continue };
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                links.push(path);
            }
        }
    }
    links
}

#[test]
fn every_schema_is_linked_from_the_contract() {
    let page = fs::read_to_string(root().join("docs/json.md")).expect("the contract exists");
    let entries = fs::read_dir(root().join("docs/schemas")).expect("the schemas exist");
    let names = entries.map(|entry| entry.expect("a folder entry is readable").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let is_linked = |name: &String| page.contains(&format!("(schemas/{name})"));
    let missing: Vec<String> = names.filter(|name| !is_linked(name)).collect();
    assert!(missing.is_empty(), "docs/json.md does not link {missing:?}");
}

/// The lifecycle page's table and picture are drawn from the table in code.
#[test]
fn lifecycle_is_current() {
    let path = root().join("docs").join("lifecycle.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let table = hardwon_render::lifecycle::steps_table();
    let diagram = format!("```mermaid\n{}```\n", hardwon_render::lifecycle::diagram());
    let generated = between(&between(&page, "steps", &table), "diagram", &diagram);
    if is_blessing() {
        write_if_changed(&path, &generated);
        return;
    }
    assert!(page == generated, "docs/lifecycle.md is out of date: HARDWON_BLESS=1 writes it anew");
}

/// The page with what stands between two marks replaced.
fn between(page: &str, mark: &str, text: &str) -> String {
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let (head, rest) = page.split_once(&begin).expect("the page has the mark");
    let (_, tail) = rest.split_once(&end).expect("the mark is closed");
    format!("{head}{begin}{text}{end}{tail}")
}
