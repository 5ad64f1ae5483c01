//! What do our entries look like in a file's text, are they there, and how do they get in
//! and out? Pure: text in, text out, or the reason why the file is left alone.

use serde::{Serialize, Serializer};

use super::entry::{Group, SERVER, Server, is_our_program};
use super::jsonc::{self, Node};
use super::launch::{Launch, is_gone};
use super::splice::{Draft, Style, cuts};
use crate::host::{Host, OurEntry, Shape};

/// Why a server of our name that is not ours is left alone.
const OTHER_SERVER: &str = "a server called hardwon is there already and starts something else";

/// Puts in what is missing, and repairs entries whose program is gone. Nothing is inserted if
/// nothing is missing or gone.
pub fn put_in(host: &Host, shape: Shape, launch: &Launch, text: &str) -> Result<Draft, String> {
    let mut draft = Draft::of(text);
    let server = Server::of(host, &launch.program);
    match shape {
        Shape::JsonHooks => {
            repair_hooks(host, launch, &mut draft)?;
            put_hooks(host, &launch.command(host), &mut draft)?;
        }
        Shape::JsonServer | Shape::TomlServer => {
            if let Some((span, _)) = gone_server(shape, text)? {
                draft.replace(span, serde_json::Value::from(server.command).to_string());
            }
            match shape {
                Shape::TomlServer => put_toml_server(&server, &mut draft)?,
                Shape::JsonServer | Shape::JsonHooks => put_server(&server, &mut draft)?,
            }
        }
    }
    match n_ours(host, shape, &draft.text)? {
        0 => Err("the entries could not be put in".to_owned()),
        _ => Ok(draft),
    }
}

/// Takes out what is ours, by its first words. `None` if nothing is.
pub fn take_out(host: &Host, shape: Shape, text: &str) -> Result<Option<String>, String> {
    let mut text = text.to_owned();
    let mut is_changed = false;
    while let Some(less) = match shape {
        Shape::JsonHooks => without_one_handler(host, &text)?,
        Shape::JsonServer => without_server(&text)?,
        Shape::TomlServer => without_toml_server(&text)?,
    } {
        if less.len() >= text.len() {
            return Err("the entries could not be taken out".to_owned());
        }
        text = less;
        is_changed = true;
    }
    Ok(is_changed.then_some(text))
}

pub fn n_ours(host: &Host, shape: Shape, text: &str) -> Result<usize, String> {
    Ok(match shape {
        Shape::JsonHooks => our_commands(host, text)?.len(),
        Shape::JsonServer => usize::from(json_root(text)?.is_some_and(|root| has_server(&root))),
        Shape::TomlServer => {
            usize::from(toml_server(document(text)?.as_table()).is_some_and(is_our_table))
        }
    })
}

/// The program of our server, if it is gone, and where it is named.
pub fn gone_server(
    shape: Shape,
    text: &str,
) -> Result<Option<(std::ops::Range<usize>, String)>, String> {
    let named = match shape {
        Shape::JsonHooks => None,
        Shape::JsonServer => json_root(text)?.filter(has_server).and_then(|root| {
            let command = root.get("mcpServers")?.get(SERVER)?.get("command")?;
            Some((command.span.clone(), command.text()?.to_owned()))
        }),
        Shape::TomlServer => {
            document(text)?;
            // Only this form of a document knows places.
            let parsed = toml_edit::Document::parse(text).ok();
            parsed.as_ref().and_then(|parsed| {
                let server = toml_server(parsed.as_table()).filter(|server| is_our_table(server));
                let command = server?.get("command")?;
                Some((command.span()?, command.as_str()?.to_owned()))
            })
        }
    };
    Ok(named.filter(|(_, program)| is_gone(program)))
}

pub fn our_commands(host: &Host, text: &str) -> Result<Vec<OurEntry>, String> {
    let mut found = Vec::new();
    let root = json_root(text)?;
    let Some(hooks) = root.as_ref().and_then(|root| root.get("hooks")) else { return Ok(found) };
    for event in hooks.items() {
        for (group_number, group) in event.value.items().iter().enumerate() {
            let handlers = group.value.get("hooks").map_or(&[][..], Node::items);
            for (number, handler) in handlers.iter().enumerate() {
                let command = handler.value.get("command").and_then(Node::text);
                found.extend(command.filter(|command| host.is_ours(command)).map(|command| {
                    let (event, command) = (event.key.clone(), command.to_owned());
                    OurEntry { event, group: group_number, handler: number, command }
                }));
            }
        }
    }
    Ok(found)
}

/// The file's object; `None` if there is nothing in it.
pub fn json_root(text: &str) -> Result<Option<Node>, String> {
    match jsonc::parse(text)? {
        Some(root) if !root.is_object() => Err("it holds no object".to_owned()),
        root => Ok(root),
    }
}

/// Members of an object in this order, which serde's own map would not keep.
struct Members<'a, T>(Vec<(&'a str, T)>);

impl<T: Serialize> Serialize for Members<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Our events by name, each with its one group.
fn all_hooks(host: &Host, command: &str) -> Members<'static, [Group; 1]> {
    Members(host.entries().map(|(event, entry)| (event, [entry.group(command)])).collect())
}

/// Entries whose program is gone start one that is there. From the back to the front, so that
/// the places of those before stay.
fn repair_hooks(host: &Host, launch: &Launch, draft: &mut Draft) -> Result<(), String> {
    let Some(root) = json_root(&draft.text)? else { return Ok(()) };
    for entry in our_commands(host, &draft.text)?.iter().rev() {
        let Some(repaired) = launch.repaired(&entry.command) else { continue };
        let groups = root.get("hooks").and_then(|hooks| hooks.get(&entry.event));
        let group = groups.and_then(|groups| groups.items().get(entry.group));
        let handler = group.and_then(|group| group.value.get("hooks")?.items().get(entry.handler));
        if let Some(command) = handler.and_then(|handler| handler.value.get("command")) {
            draft.replace(command.span.clone(), serde_json::Value::from(repaired).to_string());
        }
    }
    Ok(())
}

fn put_hooks(host: &Host, command: &str, draft: &mut Draft) -> Result<(), String> {
    let root = json_root(&draft.text)?;
    let style = Style::of(&draft.text, root.as_ref());
    let Some(root) = root else {
        style.document(draft, &Members(vec![("hooks", all_hooks(host, command))]));
        return Ok(());
    };
    match root.get("hooks") {
        None => {
            style.child(draft, &root, "hooks", &all_hooks(host, command));
            return Ok(());
        }
        Some(hooks) if !hooks.is_object() => return Err("`hooks` is no object".to_owned()),
        Some(hooks) => {
            let is_wrong = |event: &&jsonc::Item| !event.value.is_array();
            if let Some(event) = hooks.items().iter().find(is_wrong) {
                return Err(format!("`hooks.{}` is no list", event.key));
            }
        }
    }
    for (event, entry) in host.entries() {
        let has_event = our_commands(host, &draft.text)?.iter().any(|ours| ours.event == event);
        if !has_event {
            put_event(draft, &style, event, entry.group(command))?;
        }
    }
    Ok(())
}

/// One event more, among hooks that are there.
fn put_event(draft: &mut Draft, style: &Style, name: &str, group: Group) -> Result<(), String> {
    let root = json_root(&draft.text)?;
    let hooks = root.as_ref().and_then(|root| root.get("hooks"));
    let hooks = hooks.ok_or_else(|| "`hooks` is gone".to_owned())?;
    match hooks.get(name) {
        Some(groups) => style.child(draft, groups, "", &group),
        None => style.child(draft, hooks, name, &[group]),
    }
    Ok(())
}

fn put_server(ours: &Server<'_>, draft: &mut Draft) -> Result<(), String> {
    let root = json_root(&draft.text)?;
    let style = Style::of(&draft.text, root.as_ref());
    let Some(root) = root else {
        style.document(draft, &Members(vec![("mcpServers", Members(vec![(SERVER, ours)]))]));
        return Ok(());
    };
    match root.get("mcpServers") {
        None => style.child(draft, &root, "mcpServers", &Members(vec![(SERVER, ours)])),
        Some(servers) if !servers.is_object() => {
            return Err("`mcpServers` is no object".to_owned());
        }
        Some(_) if has_server(&root) => {}
        Some(servers) if servers.get(SERVER).is_some() => return Err(OTHER_SERVER.to_owned()),
        Some(servers) => style.child(draft, servers, SERVER, ours),
    }
    Ok(())
}

fn has_server(root: &Node) -> bool {
    let server = root.get("mcpServers").and_then(|servers| servers.get(SERVER));
    let is_server = |server: &Node| {
        let first = server.get("args")?.items().first()?.value.text()?;
        Some(is_our_program(server.get("command")?.text()?) && first == "mcp")
    };
    server.and_then(is_server) == Some(true)
}

fn put_toml_server(ours: &Server<'_>, draft: &mut Draft) -> Result<(), String> {
    let before = document(&draft.text)?;
    match toml_server(before.as_table()) {
        Some(table) if is_our_table(table) => return Ok(()),
        Some(_) => return Err(OTHER_SERVER.to_owned()),
        None => {}
    }
    let newline = if draft.text.contains("\r\n") { "\r\n" } else { "\n" };
    let has_end = draft.text.is_empty() || draft.text.ends_with(['\n', '\u{feff}']);
    let blank = match (draft.text.trim().is_empty(), has_end) {
        (true, _) => "",
        (false, true) => "\n",
        (false, false) => "\n\n",
    };
    let text = format!("{blank}{}", ours.toml()).replace('\n', newline);
    draft.insert(draft.text.len(), text);
    document(&draft.text)
        .map(|_| ())
        .map_err(|_| "`mcp_servers` is written in a way that nothing can be added to".to_owned())
}

fn document(text: &str) -> Result<toml_edit::DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: not valid TOML")
    })
}

fn toml_server(document: &toml_edit::Table) -> Option<&toml_edit::Item> {
    document.get("mcp_servers")?.as_table_like()?.get(SERVER)
}

fn is_our_table(table: &toml_edit::Item) -> bool {
    let is_server = |table: &toml_edit::Item| {
        let first = table.get("args")?.as_array()?.get(0)?.as_str()?;
        Some(is_our_program(table.get("command")?.as_str()?) && first == "mcp")
    };
    is_server(table) == Some(true)
}

/// Without one of our handlers, and without what is empty then.
fn without_one_handler(host: &Host, text: &str) -> Result<Option<String>, String> {
    let (Some(entry), Some(root)) = (our_commands(host, text)?.pop(), json_root(text)?) else {
        return Ok(None);
    };
    let (mut way, groups) = way_to(&root, &["hooks", &entry.event]);
    way.push((groups, entry.group));
    let (in_group, handlers) = way_to(&groups.items()[entry.group].value, &["hooks"]);
    way.extend(in_group);
    way.push((handlers, entry.handler));
    Ok(Some(pruned(text, &way)))
}

fn without_server(text: &str) -> Result<Option<String>, String> {
    let root = json_root(text)?.filter(has_server);
    Ok(root.map(|root| pruned(text, &way_to(&root, &["mcpServers", SERVER]).0)))
}

/// The way from an object down these members, as parents with the number of the child, and
/// the value at its end.
fn way_to<'n>(root: &'n Node, names: &[&str]) -> (Vec<(&'n Node, usize)>, &'n Node) {
    let mut way = Vec::new();
    let mut node = root;
    for name in names {
        let Some(index) = node.items().iter().rposition(|item| item.key == *name) else { break };
        way.push((node, index));
        node = &node.items()[index].value;
    }
    (way, node)
}

/// Cuts the last child of the way, or the outermost one that would be empty then. A group
/// that has more than its handlers (a matcher) is empty without them all the same.
fn pruned(text: &str, way: &[(&Node, usize)]) -> String {
    let mut depth = way.len() - 1;
    while depth > 0 {
        let (parent, index) = &way[depth];
        let item = &parent.items()[*index];
        let is_group = parent.is_object() && item.key == "hooks" && depth > 1;
        let (outer, outer_index) = &way[depth - 1];
        let outer = &outer.items()[*outer_index].span;
        let around = [&text[outer.start..item.span.start], &text[item.span.end..outer.end]];
        // A comment belongs to the user, even in what is empty otherwise.
        let has_comment = around.iter().any(|text| text.contains("//") || text.contains("/*"));
        if has_comment || (parent.items().len() > 1 && !is_group) {
            break;
        }
        depth -= 1;
    }
    let (parent, index) = &way[depth];
    let mut text = text.to_owned();
    for cut in cuts(&text.clone(), parent, *index) {
        text.replace_range(cut, "");
    }
    text
}

fn without_toml_server(text: &str) -> Result<Option<String>, String> {
    let mut document = document(text)?;
    if !toml_server(document.as_table()).is_some_and(is_our_table) {
        return Ok(None);
    }
    let servers = document.get_mut("mcp_servers").and_then(|item| item.as_table_like_mut());
    let is_empty = servers.is_some_and(|servers| {
        servers.remove(SERVER);
        servers.is_empty()
    });
    if is_empty {
        document.remove("mcp_servers");
    }
    let rest = document.to_string();
    // As long as the table is what we wrote, its lines can go and no other byte changes.
    let cut = without_lines(text);
    if is_same_toml(&cut, &rest) { Ok(Some(cut)) } else { Ok(Some(rest)) }
}

/// Without the lines of our table and the empty one above them.
fn without_lines(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_header = |line: &&str| line.trim() == "[mcp_servers.hardwon]";
    let Some(mut start) = lines.iter().position(is_header) else { return text.to_owned() };
    let is_inside = |line: &&&str| !line.trim().is_empty() && !line.trim().starts_with(['[', '#']);
    let end = start + 1 + lines[start + 1..].iter().take_while(is_inside).count();
    if start > 0 && lines[start - 1].trim().is_empty() {
        start -= 1;
    }
    [&lines[..start], &lines[end..]].concat().concat()
}

fn is_same_toml(left: &str, right: &str) -> bool {
    let parsed = |text: &str| toml::from_str::<toml::Table>(text).ok();
    parsed(left).is_some() && parsed(left) == parsed(right)
}
