//! What do the manifests of a project say? Scripts, dependencies and versions of the files that
//! build tools read, each with its line. Read line by line and leniently: a field that is written
//! in an unusual way is not seen, and nothing is guessed.

use hardwon_core::notes::manifest::{FieldKind, ManifestField};

/// A larger file is a lock file or generated.
const MAX_BYTES: usize = 1 << 20;

/// Whether a file of this name is read.
pub fn is_manifest(path: &str) -> bool {
    sort_of(path).is_some()
}

/// The fields of a manifest; none for another file.
///
/// ```
/// use hardwon_readers::manifest_fields;
///
/// let text = "{\n  \"engines\": {\"node\": \">=20\"},\n  \"scripts\": {\n    \"lint\": \"eslint .\"\n  }\n}\n";
/// let fields = manifest_fields("web/package.json", text);
/// let told: Vec<String> =
///     fields.iter().map(|it| format!("{} {} {} {}", it.line, it.kind.as_str(), it.name, it.value)).collect();
/// assert_eq!(told, ["2 version node >=20", "4 script lint eslint ."]);
/// ```
pub fn manifest_fields(path: &str, text: &str) -> Vec<ManifestField> {
    let Some(sort) = sort_of(path).filter(|_| text.len() <= MAX_BYTES) else { return Vec::new() };
    let mut fields = Fields { path, found: Vec::new() };
    match sort {
        Sort::Json => fields.json(text),
        Sort::Toml => fields.toml(text),
        Sort::GoMod => fields.go_mod(text),
        Sort::Targets => fields.targets(text),
        Sort::Requirements => fields.requirements(text),
        Sort::OneVersion(name) => fields.one_version(name, text),
    }
    fields.found
}

enum Sort {
    Json,
    Toml,
    GoMod,
    Targets,
    Requirements,
    /// The whole file is the version of this.
    OneVersion(&'static str),
}

fn sort_of(path: &str) -> Option<Sort> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "package.json" | "composer.json" => Sort::Json,
        "Cargo.toml" | "pyproject.toml" | "rust-toolchain.toml" | "Pipfile" => Sort::Toml,
        "go.mod" => Sort::GoMod,
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" => Sort::Targets,
        ".nvmrc" | ".node-version" => Sort::OneVersion("node"),
        ".python-version" => Sort::OneVersion("python"),
        ".ruby-version" => Sort::OneVersion("ruby"),
        "rust-toolchain" => Sort::OneVersion("rust"),
        name if name.starts_with("requirements") && name.ends_with(".txt") => Sort::Requirements,
        _ => return None,
    })
}

/// What fields below this key are; `None` if they say nothing.
fn section_kind(section: &str) -> Option<FieldKind> {
    let last = section.rsplit('.').next().unwrap_or(section);
    match last {
        "scripts" => Some(FieldKind::Script),
        "engines" | "volta" | "toolchain" => Some(FieldKind::Version),
        "require" | "require-dev" | "packages" | "dev-packages" => Some(FieldKind::Dependency),
        name if name.to_lowercase().ends_with("dependencies") => Some(FieldKind::Dependency),
        _ => None,
    }
}

/// What the version is called that a single key gives.
fn version_key(key: &str) -> Option<&'static str> {
    Some(match key {
        "rust-version" | "channel" => "rust",
        "edition" => "edition",
        "requires-python" | "python_version" => "python",
        "packageManager" => "packageManager",
        _ => return None,
    })
}

struct Fields<'a> {
    path: &'a str,
    found: Vec<ManifestField>,
}

impl Fields<'_> {
    fn push(&mut self, line: usize, kind: FieldKind, name: &str, value: &str) {
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if !name.is_empty() {
            let file = self.path.to_owned();
            self.found.push(ManifestField { file, line, kind, name, value });
        }
    }

    /// Pairs of strings on one level below a known key. Also written on one line.
    fn json(&mut self, text: &str) {
        let mut below: Option<FieldKind> = None;
        for (number, line) in text.lines().enumerate() {
            let mut rest = line;
            while let Some((key, value)) = json_pair(rest) {
                match value {
                    Pair::Text(value, after) => {
                        if let Some(kind) = below {
                            self.push(number + 1, kind, key, value);
                        } else if let Some(name) = version_key(key) {
                            self.json_version(number + 1, name, value);
                        }
                        rest = after;
                    }
                    Pair::Opens(after) => {
                        below = section_kind(key);
                        rest = after;
                    }
                }
                if rest.trim_start().starts_with('}') {
                    below = None;
                }
            }
            if line.trim_start().starts_with('}') {
                below = None;
            }
        }
    }

    /// `pnpm@9.1.0` names the tool and its version.
    fn json_version(&mut self, line: usize, name: &str, value: &str) {
        match value.split_once('@').filter(|_| name == "packageManager") {
            Some((tool, version)) => self.push(line, FieldKind::Version, tool, version),
            None => self.push(line, FieldKind::Version, name, value),
        }
    }

    fn toml(&mut self, text: &str) {
        let mut section = String::new();
        let mut is_list = false;
        for (number, line) in text.lines().enumerate() {
            let (number, line) = (number + 1, line.trim());
            if is_list {
                is_list = !line.starts_with(']');
                self.requirement(number, line.trim_matches([',', '"', '\'', ' ']));
            } else if let Some(name) = line.strip_prefix('[') {
                section = name.trim_matches(['[', ']']).replace('"', "");
            } else if let Some((key, value)) = line.split_once('=') {
                let (key, value) = (key.trim().trim_matches('"'), value.trim());
                is_list = key == "dependencies" && value == "[";
                if key == "dependencies" && value.starts_with('[') && !is_list {
                    let items = value.trim_matches(['[', ']']).split(',');
                    items
                        .for_each(|it| self.requirement(number, it.trim_matches(['"', '\'', ' '])));
                } else if let Some(name) = version_key(key) {
                    self.push(number, FieldKind::Version, name, first_text(value));
                } else if let Some(kind) = section_kind(&section) {
                    // `serde.workspace = true` is a dependency without a version.
                    let name = key.split('.').next().unwrap_or(key);
                    self.push(number, kind, name, first_text(value));
                }
            }
        }
    }

    fn go_mod(&mut self, text: &str) {
        let mut is_required = false;
        for (number, line) in text.lines().enumerate() {
            let (number, line) = (number + 1, line.trim());
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["go", version] => self.push(number, FieldKind::Version, "go", version),
                ["require", "("] => is_required = true,
                [")"] => is_required = false,
                ["require", module, version, ..] => self.module(number, module, version),
                [module, version, ..] if is_required => self.module(number, module, version),
                _ => {}
            }
        }
    }

    /// A module goes by its last part, too.
    fn module(&mut self, line: usize, module: &str, version: &str) {
        self.push(line, FieldKind::Dependency, module, version);
        let mut parts = module.rsplit('/');
        let is_version = |part: &&str| part.starts_with('v') && part[1..].parse::<u32>().is_ok();
        if let Some(last) = parts.find(|part| !is_version(part)).filter(|last| *last != module) {
            self.push(line, FieldKind::Dependency, last, version);
        }
    }

    fn targets(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let Some((head, rest)) = line.split_once(':') else { continue };
            let is_plain = !line.starts_with([' ', '\t', '#', '.']) && !rest.starts_with('=');
            for name in head.split_whitespace().filter(|_| is_plain) {
                let is_name = |c: char| c.is_alphanumeric() || "-_./".contains(c);
                if name.chars().all(is_name) {
                    self.push(number + 1, FieldKind::Script, name, rest);
                }
            }
        }
    }

    fn requirements(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            self.requirement(number + 1, line.split('#').next().unwrap_or_default().trim());
        }
    }

    /// `name[extra]>=1.2; marker`
    fn requirement(&mut self, line: usize, text: &str) {
        let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
        let rest = text[end..].split(';').next().unwrap_or_default();
        let version = rest.rsplit_once(']').map_or(rest, |(_, version)| version);
        if text.starts_with(|c: char| c.is_alphabetic()) {
            self.push(line, FieldKind::Dependency, &text[..end], version.trim_start_matches("=="));
        }
    }

    fn one_version(&mut self, name: &str, text: &str) {
        let version = text.trim().trim_start_matches('v');
        if version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains('\n') {
            self.push(1, FieldKind::Version, name, version);
        }
    }
}

/// What stands behind a key of JSON.
enum Pair<'a> {
    /// A text, and what follows it.
    Text(&'a str, &'a str),
    /// An object, and what follows its brace.
    Opens(&'a str),
}

/// The next key of a line whose value is a text or an object.
fn json_pair(line: &str) -> Option<(&str, Pair<'_>)> {
    let mut rest = line;
    loop {
        let (_, behind) = rest.split_once('"')?;
        let (key, after) = behind.split_once('"')?;
        let Some(value) = after.trim_start().strip_prefix(':') else {
            rest = after;
            continue;
        };
        let value = value.trim_start();
        if let Some(inside) = value.strip_prefix('{') {
            return Some((key, Pair::Opens(inside)));
        }
        if let Some(text) = value.strip_prefix('"') {
            let end = text_end(text);
            return Some((key, Pair::Text(&text[..end], text.get(end + 1..).unwrap_or_default())));
        }
        rest = value;
    }
}

/// Where a text of JSON ends.
fn text_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !is_escaped => return at,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// The first text of a TOML value: the version of `"1.2"` and of `{ version = "1.2" }`.
fn first_text(value: &str) -> &str {
    let from = value.find("version").map_or(value, |at| &value[at..]);
    let quote = |c: char| c == '"' || c == '\'';
    let Some(start) = from.find(quote) else { return "" };
    from[start + 1..].split(quote).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> Vec<String> {
        let fields = manifest_fields(path, text).into_iter();
        fields.map(|it| format!("{} {}={}", it.kind.as_str(), it.name, it.value)).collect()
    }

    #[test]
    fn every_sort_of_manifest_is_read() {
        let cases: &[(&str, &str, &[&str])] = &[
            (
                "package.json",
                "{\"packageManager\": \"pnpm@9.1.0\",\n \"scripts\": {\"a\": \"b \\\"c\\\"\"},\n \
                 \"devDependencies\": {\n \"left-pad\": \"^1\"\n },\n \"name\": \"x\"}",
                &["version pnpm=9.1.0", "script a=b \\\"c\\\"", "dependency left-pad=^1"],
            ),
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\nrust-version = \"1.85\"\n[dependencies]\n\
                 serde = { version = \"1.0\", features = [] }\nlibc.workspace = true\n",
                &["version rust=1.85", "dependency serde=1.0", "dependency libc="],
            ),
            (
                "pyproject.toml",
                "[project]\nrequires-python = \">=3.11\"\ndependencies = [\n \"httpx[http2]>=0.27\",\n]\n",
                &["version python=>=3.11", "dependency httpx=>=0.27"],
            ),
            (
                "go.mod",
                "module x\ngo 1.22\nrequire (\n\tgithub.com/a/cobra/v2 v2.1.0 // indirect\n)\n",
                &[
                    "version go=1.22",
                    "dependency github.com/a/cobra/v2=v2.1.0",
                    "dependency cobra=v2.1.0",
                ],
            ),
            (
                "Makefile",
                "X := 1\n.PHONY: t\ntest lint: build\n\tgo test\n",
                &["script test=build", "script lint=build"],
            ),
            (
                "requirements-dev.txt",
                "# a\nruff==0.4.1 # b\n-r x.txt\n",
                &["dependency ruff=0.4.1"],
            ),
            (".nvmrc", "v20.11\n", &["version node=20.11"]),
            ("src/main.rs", "fn main() {}", &[]),
        ];
        for (path, text, expected) in cases {
            assert_eq!(told(path, text), *expected, "{path}");
        }
    }

    #[test]
    fn what_is_torn_says_what_it_can() {
        assert_eq!(told("package.json", "{\"scripts\": {\"a\": \"unclosed"), ["script a=unclosed"]);
        assert_eq!(told("package.json", "\"\":{\"\\"), Vec::<String>::new());
        assert_eq!(told("go.mod", "require ("), Vec::<String>::new());
    }
}
