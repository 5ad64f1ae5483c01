//! Does the house stand as it was planned? Which crate may know which, what the pure core
//! may use, that the crates are those that were agreed on, and that ARCHITECTURE.md and
//! docs/systems.md name things that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toml::Value;

use crate::readme::root;

/// Every crate, with the crates of ours that it may use. Nothing else may appear, neither
/// for building nor for tests: a test that needs another arrow tests another crate.
const ARROWS: &[(&str, &[&str])] = &[
    ("cli", &["faces", "hosts", "foreign", "engine", "render"]),
    ("core", &[]),
    ("engine", &["store", "readers", "render", "core"]),
    ("faces", &["hosts", "foreign", "engine", "render"]),
    ("foreign", &["engine", "store", "readers", "render", "core"]),
    ("hosts", &["engine", "render"]),
    ("readers", &["core"]),
    ("render", &["core"]),
    ("sim", &["faces", "hosts", "foreign", "engine", "store", "readers", "render", "core"]),
    ("store", &["core"]),
];

/// Crates of others that core may use: no format, database, clock or random numbers.
/// Redaction rules of users are regular expressions: their parser is pure, and needed where
/// text is admitted. What refusals say is worded by a derive, which brings no code of its own.
const CORE_MAY_USE: &[&str] = &[
    "percent-encoding",
    "regex-automata",
    "serde",
    "sha2",
    "thiserror",
    "unicode-normalization",
    "unicode-segmentation",
];

/// What core's tests may use besides; it never reaches the library.
const CORE_TESTS_MAY_USE: &[&str] = &["proptest"];

const PREFIX: &str = "hardwon-";

#[test]
fn arrows_of_the_agreed_crates_point_the_agreed_way() {
    let agreed: BTreeSet<String> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(crate_folders(), agreed, "an eleventh crate needs a reason; see ARCHITECTURE.md");
    let mut faults = Vec::new();
    for name in crate_folders() {
        let path = root().join("crates").join(&name).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).expect("every crate has a manifest");
        faults.extend(faults_of_manifest(&name, &manifest));
    }
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest exists");
    let renamed = dependencies(&workspace).into_iter().filter(|dependency| dependency.is_renamed);
    faults.extend(renamed.map(|dependency| format!("workspace: {}", dependency.name)));
    assert!(faults.is_empty(), "forbidden dependencies:\n{}", faults.join("\n"));
}

/// The rooms of engine stand on one floor: a use case calls what lies below, never another
/// room. `backtest`, `overview` and `library` lie above and may call all of them.
const ROOMS: &[&str] = &["runs", "blocks", "lessons", "history", "transfer", "care"];
const ABOVE_ROOMS: &[&str] = &["backtest", "overview", "library"];

#[test]
fn rooms_of_engine_do_not_call_each_other() {
    let source = root().join("crates/engine/src");
    let mut faults = Vec::new();
    for (path, text) in rust_files(&source) {
        let place = path.strip_prefix(&source).expect("it lies there").display().to_string();
        let own = place.split(['/', '.']).next().unwrap_or_default().to_owned();
        if own == "lib" || place.ends_with("tests.rs") {
            continue;
        }
        let named = used_modules(&text);
        let is_fault = |name: &&String| {
            let is_room = ROOMS.contains(&name.as_str()) && !ABOVE_ROOMS.contains(&own.as_str());
            **name != own && (is_room || ABOVE_ROOMS.contains(&name.as_str()))
        };
        faults.extend(named.iter().filter(is_fault).map(|name| format!("{place} uses {name}")));
    }
    assert!(faults.is_empty(), "arrows between rooms:\n{}", faults.join("\n"));
    assert_eq!(used_modules("use crate::{care, runs::Input};"), ["care", "runs"]);
}

/// What prints the words of lessons into prompts. Each asks `core::prompt` what may be printed
/// and in which form; another one has to be named here, and to ask as well.
const PRINTERS: &[(&str, &str)] = &[
    ("render/src/advice.rs", "what a model is told when it is asked"),
    ("render/src/block.rs", "blocks, what was tried, and what is recalled when a tool fails"),
    ("render/src/answer/lesson.rs", "notes that were found"),
    ("render/src/block/note.rs", "what a role is told of notes"),
    ("render/src/block/snapshot.rs", "what a compacted session was about"),
    ("render/src/geas/section.rs", "what a task of geas is told"),
    ("render/src/packet.rs", "packets of geas"),
    ("render/src/reflect.rs", "progress files"),
    ("render/src/text/geas.rs", "notebooks and rules of geas"),
    ("render/src/text/review.rs", "requests for a reviewing agent"),
    ("faces/src/mcp/wire.rs", "answers to a model"),
];

/// Files that know our marks and print no lesson with them.
const KNOW_MARKS: &[&str] = &[
    "core/src/gate.rs",
    "core/src/gate/clean.rs",
    "readers/src/jkz/pattern.rs",
    "readers/src/review_text.rs",
    "core/src/wish.rs",
    "render/src/block/property.rs",
    "sim/src/poison/memory.rs",
];

#[test]
fn every_printer_of_prompts_asks_one_function() {
    let crates = root().join("crates");
    let sources = crate_folders();
    let sources = sources.iter().flat_map(|name| rust_files(&crates.join(name).join("src")));
    let mut marking = BTreeSet::new();
    for (path, text) in sources {
        let place = path.strip_prefix(&crates).expect("it lies there").display().to_string();
        let marks = ["BLOCK_BEGIN", "LESSONS_BEGIN", "prompt::printed"];
        if marks.iter().any(|mark| text.contains(mark)) && !place.ends_with("tests.rs") {
            marking.insert(place.clone());
        }
        if PRINTERS.iter().any(|(printer, _)| *printer == place) {
            let asks = text.contains("prompt::") && text.contains("printed");
            assert!(asks, "{place} prints into prompts and does not ask core::prompt");
        }
    }
    for place in &marking {
        let is_printer = PRINTERS.iter().any(|(printer, _)| printer == place);
        let is_known = is_printer || KNOW_MARKS.contains(&place.as_str());
        assert!(is_known || place == "core/src/prompt.rs", "{place} prints into prompts?");
    }
}

/// Rows of `docs/systems.md` that no test shows; a removal adds none.
const SHOWN_BY_NOTHING: [&str; 6] = ["48", "92", "94", "95", "116", "133"];

/// Else a removal could take away what one of the four systems does, unseen.
#[test]
fn every_row_names_tests_that_exist() {
    let page = fs::read_to_string(root().join("docs/systems.md")).expect("the page is there");
    let rows: Vec<(&str, &str)> = page.lines().filter_map(row_of_systems).collect();
    let numbers: Vec<String> = rows.iter().map(|(number, _)| (*number).to_owned()).collect();
    assert_eq!(numbers, (1..=140).map(|n| n.to_string()).collect::<Vec<String>>());
    let tests: BTreeSet<String> = crate_folders().iter().flat_map(|it| tests_of(it)).collect();
    let named = |shown: &str| shown.split('`').skip(1).step_by(2).count();
    let empty: Vec<&str> =
        rows.iter().filter(|row| named(row.1) == 0).map(|(number, _)| *number).collect();
    assert_eq!(empty, SHOWN_BY_NOTHING, "rows without a test");
    let all = rows.iter().flat_map(|row| row.1.split('`').skip(1).step_by(2).map(|it| (row.0, it)));
    let is_there = |shown: &str| match shown.strip_prefix("golden/") {
        Some(case) => root().join(format!("crates/cli/tests/golden/{case}.golden")).exists(),
        None => tests.contains(shown),
    };
    let gone: Vec<(&str, &str)> = all.filter(|(_, shown)| !is_there(shown)).collect();
    assert!(gone.is_empty(), "docs/systems.md names tests that are gone: {gone:#?}");
}

/// Number and last cell of a row.
fn row_of_systems(line: &str) -> Option<(&str, &str)> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [_, number, _, shown, _] = cells[..] else { return None };
    number.parse::<u16>().is_ok().then_some((number, shown))
}

/// Every test of a crate, as `crate::module::test`: modules are files here, and the one file
/// that a folder of tests begins with is none.
fn tests_of(owner: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (kind, n_above) in [("src", 0), ("tests", 1)] {
        let folder = root().join("crates").join(owner).join(kind);
        let files = if folder.is_dir() { rust_files(&folder) } else { Vec::new() };
        for (path, text) in files {
            let place = path.strip_prefix(&folder).expect("it lies there").with_extension("");
            let parts = place.iter().skip(n_above).map(|part| part.to_string_lossy());
            let module = parts.filter(|part| !["lib", "main", "mod"].contains(&&**part));
            let module: String = module.map(|part| format!("{part}::")).collect();
            let declared = text.split("#[test]").skip(1).filter_map(|rest| {
                let (_, after) = rest.split_once("fn ")?;
                after.split_once('(').map(|(name, _)| name)
            });
            names.extend(declared.map(|name| format!("{owner}::{module}{name}")));
        }
    }
    names
}

/// First modules that a file names behind `crate::`.
fn used_modules(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in text.split("crate::").skip(1) {
        let list = rest.strip_prefix('{').and_then(|list| list.split('}').next());
        let items = list.map_or_else(|| vec![rest], |list| list.split(',').collect());
        let word = |item: &str| {
            let item = item.trim_start();
            let end = item.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(item.len());
            item[..end].to_owned()
        };
        names.extend(items.into_iter().map(word));
    }
    names
}

/// Every Rust file below a folder, with its text.
fn rust_files(folder: &Path) -> Vec<(std::path::PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("source is UTF-8");
            files.push((path, text));
        }
    }
    files
}

/// The sources of what is installed, by their place in the repository, without files of tests.
fn code_files() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for name in crate_folders().iter().filter(|name| *name != "sim") {
        for (path, text) in rust_files(&root().join("crates").join(name).join("src")) {
            let place = path.strip_prefix(root()).expect("below the root").display().to_string();
            if !place.ends_with("tests.rs") && !place.contains("/tests/") {
                all.push((place, text));
            }
        }
    }
    all
}

/// Who reads the environment: the engine once, hosts for what belongs to a coding agent,
/// backends for keys and certificates, and the program for its terminal.
const MAY_READ_ENVIRONMENT: &[&str] = &[
    "crates/cli/src/commands.rs",
    "crates/cli/src/commands/archeflow.rs",
    "crates/cli/src/commands/jkz/versions.rs",
    "crates/store/src/history.rs",
    "crates/engine/src/place.rs",
    "crates/foreign/src/backend/world.rs",
    "crates/foreign/src/folder.rs",
    "crates/hosts/src/surroundings.rs",
];

/// Threads of ours: the one that keeps the time of `inject` and `hook`, the one that works
/// off the queue behind `mcp`, those that write to a model's program and read what it says, and
/// `doctor`'s own, which reads what a tried hook prints.
const MAY_START_THREADS: &[&str] = &[
    "crates/faces/src/deadline.rs",
    "crates/faces/src/hands.rs",
    "crates/faces/src/mcp/pending.rs",
    "crates/foreign/src/backend/process.rs",
    "crates/hosts/src/doctor/sample.rs",
];

#[test]
fn environment_and_threads_are_where_architecture_says() {
    let reads = ["env::var(", "env::var_os(", "env::vars_os(", "env::current_dir("];
    let starts = ["thread::spawn(", "thread::Builder", "spawn_blocking("];
    let cases: [(&[&str], &[&str]); 2] =
        [(&reads, MAY_READ_ENVIRONMENT), (&starts, MAY_START_THREADS)];
    let mut faults = Vec::new();
    for (place, text) in code_files() {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (signs, allowed) in &cases {
            let is_there = signs.iter().any(|sign| code.contains(sign));
            if is_there && !allowed.contains(&place.as_str()) {
                faults.push(place.clone());
            }
        }
    }
    assert!(faults.is_empty(), "not named in ARCHITECTURE.md: {faults:?}");
}

/// Who makes, opens for writing, renames or changes files; everybody else calls it.
const MAY_WRITE_FILES: &[&str] = &["crates/store/src/files.rs", "crates/store/src/files/place.rs"];

/// A second way to make a file would be one that follows links.
#[test]
fn files_are_made_in_one_place() {
    let signs = "File::create File::options OpenOptions fs::write( fs::copy( fs::rename( \
        create_dir DirBuilder hard_link( fs::symlink( set_permissions( generate_to( set_modified( \
        openat( renameat( mkdirat( linkat(";
    // Opens to read only, and leaves a job that it has opened as it was.
    let reads = "crates/store/src/files/read.rs";
    let mut faults = Vec::new();
    for (place, text) in code_files() {
        if MAY_WRITE_FILES.contains(&place.as_str()) {
            continue;
        }
        // Of a file with tests inside, what stands before them.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let found = signs.split(' ').filter(|sign| code.contains(*sign));
        let found = found.filter(|sign| place != reads || *sign != "OpenOptions");
        faults.extend(found.map(|sign| format!("{place}: {sign}")));
    }
    assert!(faults.is_empty(), "call hardwon_store::files instead:\n{}", faults.join("\n"));
    let reader = fs::read_to_string(root().join(reads)).expect("the file is there");
    let writes = [".write(", ".append(", ".create(", ".truncate("];
    assert!(!writes.iter().any(|sign| reader.contains(sign)), "{reads} opens for writing");
}

#[test]
fn architecture_names_what_exists_and_every_crate() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md exists");
    let named = paths_in(&page);
    let missing: Vec<&&str> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what does not exist: {missing:?}");
    for name in crate_folders() {
        assert!(named.contains(&&*format!("crates/{name}")), "ARCHITECTURE.md: no crates/{name}");
    }
}

fn crate_folders() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("crates")).expect("the crates exist");
    let entries = entries.map(|entry| entry.expect("a folder entry is readable"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// One dependency of a manifest.
struct Dependency {
    name: String,
    is_for_tests: bool,
    /// Under another name, which would hide an arrow.
    is_renamed: bool,
}

/// What is wrong with the dependencies of a crate; empty if nothing is.
fn faults_of_manifest(name: &str, manifest: &str) -> Vec<String> {
    let arrows = ARROWS.iter().find(|(known, _)| *known == name);
    let Some((_, allowed)) = arrows else { return vec![format!("{name}: not one of our crates")] };
    let mut faults = Vec::new();
    for dependency in dependencies(manifest) {
        let is_allowed = match dependency.name.strip_prefix(PREFIX) {
            // A crate's tests may ask for what a feature of its own keeps for tests.
            Some(ours) => allowed.contains(&ours) || (ours == name && dependency.is_for_tests),
            None => name != "core" || core_may_use(&dependency),
        };
        if dependency.is_renamed {
            faults.push(format!("{name}: {} has another name", dependency.name));
        } else if !is_allowed {
            faults.push(format!("{name} must not use {}", dependency.name));
        }
    }
    faults
}

fn core_may_use(dependency: &Dependency) -> bool {
    let name = dependency.name.as_str();
    CORE_MAY_USE.contains(&name) || (dependency.is_for_tests && CORE_TESTS_MAY_USE.contains(&name))
}

/// The dependencies of a manifest: its own and those of the workspace, for tests, for build
/// scripts, for one platform.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let manifest: Value = toml::from_str(manifest).expect("a manifest is TOML");
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let places = [Some(&manifest), manifest.get("workspace")].into_iter().flatten();
    let mut found = Vec::new();
    for place in places.chain(platforms.map(|(_, platform)| platform)) {
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let listed = place.get(kind).and_then(Value::as_table).into_iter().flatten();
            found.extend(listed.map(|(name, about)| Dependency {
                name: name.clone(),
                is_for_tests: kind == "dev-dependencies",
                is_renamed: about.get("package").is_some(),
            }));
        }
    }
    found
}

/// What a page names in backticks and looks like a path: with a slash or the ending of a
/// file, and nothing in it that no path of ours has.
fn paths_in(page: &str) -> Vec<&str> {
    let mut is_code = false;
    let prose = page.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    let quoted = prose.flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted.filter(|text| looks_like_path(text)).map(|path| path.trim_end_matches('/')).collect()
}

fn looks_like_path(text: &str) -> bool {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let has_ending = [".md", ".rs", ".toml", ".json", ".sql"].iter().any(|e| text.ends_with(e));
    is_plain && !text.starts_with('/') && (text.contains('/') || has_ending)
}
