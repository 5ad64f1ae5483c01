//! Scripts, dependencies and versions of manifests, each with its line. Read by lines, because the
//! line is what is quoted; a form that is not known yields nothing.

use hardwon_core::notes::manifest::{FieldKind, ManifestField};

/// What a file of this path says, if it is a manifest.
pub fn manifest_fields(path: &str, text: &str) -> Vec<ManifestField> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let read: fn(&str) -> Vec<Row> = match name {
        "package.json" | "composer.json" => json,
        "Cargo.toml" | "pyproject.toml" | "rust-toolchain.toml" => toml,
        "go.mod" => go_mod,
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" => targets,
        ".nvmrc" | ".node-version" => |text| whole(text, "node"),
        ".python-version" => |text| whole(text, "python"),
        ".ruby-version" => |text| whole(text, "ruby"),
        "rust-toolchain" => |text| whole(text, "rust"),
        ".tool-versions" => tool_versions,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => requirements,
        _ => return Vec::new(),
    };
    let field = |(line, kind, name, value): Row| ManifestField {
        file: path.to_owned(),
        line,
        kind,
        name,
        value,
    };
    read(text).into_iter().map(field).collect()
}

/// Line, kind, name and value.
type Row = (usize, FieldKind, String, String);

fn row(line: usize, kind: FieldKind, name: &str, value: &str) -> Row {
    (line, kind, name.to_owned(), value.to_owned())
}

/// `"name": "value"` inside the objects that matter.
fn json(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut section: Option<FieldKind> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let quoted: Vec<&str> = line.split('"').collect();
        let key = quoted.get(1).copied().unwrap_or_default();
        if line.ends_with('{') {
            section = match key {
                "scripts" => Some(FieldKind::Script),
                "dependencies"
                | "devDependencies"
                | "peerDependencies"
                | "require"
                | "require-dev"
                | "optionalDependencies" => Some(FieldKind::Dependency),
                "engines" | "volta" => Some(FieldKind::Version),
                _ => None,
            };
        } else if line.starts_with('}') {
            section = None;
        } else if let (Some(kind), [_, name, colon, value, ..]) = (section, &quoted[..])
            && colon.trim() == ":"
        {
            rows.push(row(number + 1, kind, name, value));
        } else if key == "packageManager"
            && let Some((name, version)) = quoted.get(3).and_then(|it| it.split_once('@'))
        {
            rows.push(row(number + 1, FieldKind::Version, name, version));
        }
    }
    rows
}

fn toml(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut section = String::new();
    let mut is_list = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').filter(|_| !is_list) {
            section = name.trim_matches(['[', ']']).to_owned();
            continue;
        }
        if is_list {
            is_list = !line.starts_with(']');
            rows.extend(requirement(line.trim_matches(['"', '\'', ',', ' ']), number + 1));
            continue;
        }
        let Some((key, value)) =
            line.split_once('=').map(|(key, value)| (key.trim(), value.trim()))
        else {
            continue;
        };
        let quoted = value.split(['"', '\'']).nth(1).unwrap_or_default();
        match key.trim_matches('"') {
            "rust-version" | "channel" => {
                rows.push(row(number + 1, FieldKind::Version, "rust", quoted));
            }
            "requires-python" => rows.push(row(number + 1, FieldKind::Version, "python", quoted)),
            "python" if section.contains("dependencies") => {
                rows.push(row(number + 1, FieldKind::Version, "python", quoted));
            }
            "dependencies" if value.starts_with('[') => is_list = !value.ends_with(']'),
            key if section.ends_with("scripts") => {
                rows.push(row(number + 1, FieldKind::Script, key, quoted));
            }
            key if section.ends_with("dependencies") => {
                let version = match value.split_once("version") {
                    Some((_, rest)) => rest.split('"').nth(1).unwrap_or_default(),
                    None if value.starts_with('{') => "",
                    None => quoted,
                };
                let key = key.strip_suffix(".workspace").unwrap_or(key);
                rows.push(row(number + 1, FieldKind::Dependency, key, version));
            }
            _ => {}
        }
    }
    rows
}

fn go_mod(text: &str) -> Vec<Row> {
    let lines = text.lines().enumerate();
    let rows = lines.filter_map(|(number, line)| {
        let line = line.trim().trim_start_matches("require ");
        let (name, version) = line.split_once(' ')?;
        let version = version.split_whitespace().next()?;
        let kind = if name == "go" { FieldKind::Version } else { FieldKind::Dependency };
        let is_field = name == "go" || name.contains('.') && version.starts_with('v');
        is_field.then(|| row(number + 1, kind, name, version.trim_start_matches('v')))
    });
    rows.collect()
}

/// `name: …` at the beginning of a line; a recipe of `just` may have parameters.
fn targets(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((names, rest)) = line.split_once(':') else { continue };
        let is_assignment = rest.starts_with('=') || names.contains('=');
        if line.starts_with(['\t', ' ', '#', '.']) || is_assignment {
            continue;
        }
        let mut names = names.split_whitespace();
        if let Some(name) = names.next().map(|name| name.trim_start_matches('@')) {
            rows.push(row(number + 1, FieldKind::Script, name, rest.trim()));
        }
    }
    rows
}

fn whole(text: &str, name: &str) -> Vec<Row> {
    let line = text.lines().next().unwrap_or_default().trim().trim_start_matches('v');
    let is_version = line.starts_with(|c: char| c.is_ascii_digit());
    is_version.then(|| row(1, FieldKind::Version, name, line)).into_iter().collect()
}

fn tool_versions(text: &str) -> Vec<Row> {
    let lines = text.lines().enumerate();
    let rows = lines.filter_map(|(number, line)| {
        let (name, version) = line.trim().split_once(' ')?;
        let name =
            if name == "nodejs" || name == "golang" { &name[..name.len() - 4] } else { name };
        let name = if name == "no" { "node" } else { name };
        Some(row(number + 1, FieldKind::Version, name, version.trim()))
    });
    rows.filter(|(_, _, name, _)| !name.starts_with('#')).collect()
}

fn requirements(text: &str) -> Vec<Row> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(number, line)| requirement(line.trim(), number + 1)).collect()
}

/// `name>=1.2`.
fn requirement(text: &str, line: usize) -> Option<Row> {
    let is_name = |c: char| c.is_alphanumeric() || "-_.[]".contains(c);
    let end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
    let name = text[..end].split('[').next().unwrap_or_default();
    let is_it = name.starts_with(char::is_alphabetic);
    is_it.then(|| {
        row(line, FieldKind::Dependency, name, text[end..].trim().trim_start_matches("=="))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[(usize, &str, &str, &str)]) {
        let found = manifest_fields(path, text);
        let told: Vec<(usize, &str, &str, &str)> = found
            .iter()
            .map(|it| (it.line, it.kind.as_str(), it.name.as_str(), it.value.as_str()))
            .collect();
        assert_eq!(told, expected, "{path}");
    }

    #[test]
    fn manifests_are_read_with_their_lines() {
        check(
            "web/package.json",
            "{\n \"packageManager\": \"pnpm@9.1.0\",\n \"scripts\": {\n  \"lint\": \"eslint .\"\n },\n \
             \"engines\": {\n  \"node\": \">=20\"\n },\n \"files\": {\n \"a\": \"b\"\n},\n\
             \"dependencies\": {\n  \"react\": \"^18.2.0\"\n }\n}",
            &[
                (2, "version", "pnpm", "9.1.0"),
                (4, "script", "lint", "eslint ."),
                (7, "version", "node", ">=20"),
                (13, "dependency", "react", "^18.2.0"),
            ],
        );
        check(
            "Cargo.toml",
            "[package]\nrust-version = \"1.78\"\n[dependencies]\nserde = { version = \"1.0\" }\n\
             tokio = \"1.36\"\nown.workspace = true\n",
            &[
                (2, "version", "rust", "1.78"),
                (4, "dependency", "serde", "1.0"),
                (5, "dependency", "tokio", "1.36"),
                (6, "dependency", "own", ""),
            ],
        );
        check(
            "pyproject.toml",
            "[project]\nrequires-python = \">=3.11\"\ndependencies = [\n  \"httpx>=0.27\",\n]\n",
            &[(2, "version", "python", ">=3.11"), (4, "dependency", "httpx", ">=0.27")],
        );
        let go = "go 1.22\nrequire (\n\tgithub.com/x/y v1.2.3\n)\n";
        let expected = [(1, "version", "go", "1.22"), (3, "dependency", "github.com/x/y", "1.2.3")];
        check("go.mod", go, &expected);
        let make = ".PHONY: seed\nX := 1\nseed: db\n\tpsql\nup *args:\n";
        check("Makefile", make, &[(3, "script", "seed", "db"), (5, "script", "up", "")]);
        check(".nvmrc", "v20.1\n", &[(1, "version", "node", "20.1")]);
        let tools = "nodejs 20.1\n# x y\ngolang 1.22\n";
        check(
            ".tool-versions",
            tools,
            &[(1, "version", "node", "20.1"), (3, "version", "go", "1.22")],
        );
        let pins = "requests==2.31\n# no\n-r other\n";
        check("requirements.txt", pins, &[(1, "dependency", "requests", "2.31")]);
        check("notes.txt", "requests==2.31\n", &[]);
    }
}
