//! `hardwon notes`: memory in files, held against its index, the documents and the tree.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::{Memory, Ran, found, list_of};

fn git(tree: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(tree).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]);
    let ran = command.args(arguments).output().expect("git is there");
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn commit(memory: &Memory, subject: &str) {
    git(&memory.work(), &["add", "-A"]);
    git(&memory.work(), &["commit", "-q", "-m", subject]);
}

fn note(memory: &Memory, slug: &str, kind: &str, text: &str) {
    let head = format!("name: {slug}\ndescription: {slug}\ntype: {kind}");
    let modified = "modified: 2026-04-01T10:00:00Z";
    memory.write(&format!("notes/{slug}.md"), format!("---\n{head}\n{modified}\n---\n{text}\n"));
}

/// A repository whose history makes four notes stale in four ways, beside those that hold.
fn repository() -> Memory {
    let memory = Memory::new();
    git(&memory.work(), &["init", "-q"]);
    memory.write(".gitignore", "target\nout/\n");
    memory.write("src/old_cache.rs", "pub struct DiskCache;\n");
    memory.write("tools/gone.sh", "echo a\n");
    memory.write("jobs/nightly/run.sh", "echo a\n");
    let manifest = |scripts: &str| format!("{{\n  \"scripts\": {{\n{scripts}  }}\n}}\n");
    let lint = "    \"lint\": \"eslint .\"\n";
    memory.write("package.json", manifest(&format!("    \"seed\": \"node seed.js\",\n{lint}")));
    // Once committed by mistake: it is made anew when it is needed.
    memory.write("out/report.html", "a\n");
    git(&memory.work(), &["add", "-f", "out/report.html"]);
    commit(&memory, "begin");
    memory.write("package.json", manifest(lint));
    fs::create_dir_all(memory.work().join("src/cache")).expect("it is ours");
    git(&memory.work(), &["mv", "src/old_cache.rs", "src/cache/disk.rs"]);
    let gone = ["rm", "-q", "tools/gone.sh", "out/report.html", "jobs/nightly/run.sh"];
    git(&memory.work(), &gone);
    commit(&memory, "tidy up");
    for (slug, text) in [
        ("project_path", "The release is made by `tools/gone.sh` on the build machine."),
        ("project_moved", "The cache of files is in `src/old_cache.rs`, behind one lock."),
        ("project_folder", "What runs at night is in jobs/nightly, see its comments."),
        ("project_script", "Fill the database with `npm run seed` before the browser tests."),
        ("project_h2", "Disk caching is in `src/cache/disk.rs` since the split."),
        ("project_h4", "Style is checked with `npm run lint` in every pull request."),
        ("project_h5", "Nobody ever wrote `docs/plan.md`, and `make world` is not there."),
        ("project_h12", "We do not use `tools/gone.sh` any more, it was too slow."),
        ("project_h13", "The report is written to `out/report.html` by the nightly job."),
        ("feedback_h7", "Look at `tools/gone.sh` before you change the release."),
    ] {
        let kind = slug.split('_').next().expect("a kind");
        note(&memory, slug, kind, text);
    }
    memory
}

#[test]
fn the_auditor_names_what_is_gone_with_proof_and_nothing_else() {
    let memory = repository();
    let answer = memory.run(&["jkz", "audit", "--dir", "notes", "--json"]).exits(1).json();
    let findings = answer["findings"].as_array().expect("a list");
    let mut named: Vec<&str> = findings.iter().filter_map(|it| it["fact"].as_str()).collect();
    named.sort_unstable();
    let expected = ["folder", "moved", "path", "script"];
    assert_eq!(named, expected.map(|it| format!("project_{it}.md")), "{answer:#}");
    for finding in findings {
        let evidence = finding["evidence"].to_string();
        assert!(evidence.contains("0 hits") && evidence.contains("tidy up"), "{finding:#}");
    }
    assert!(findings.iter().any(|it| it["proposed"].to_string().contains("src/cache/disk.rs")));
    let text = memory.run(&["jkz", "audit", "--dir", "notes"]).exits(1).stdout;
    assert!(text.ends_with("10 notes held against 13 files: 4 findings\n"), "{text}");
    memory.run(&["jkz", "audit", "feedback_h7", "--dir", "notes"]).exits(0);
    let unknown = memory.run(&["jkz", "audit", "nobody", "--dir", "notes"]).exits(2);
    assert!(unknown.stderr.contains("no note is called nobody"), "{unknown}");
    assert!(unknown.stderr.contains("`hardwon jkz list` lists them"), "{unknown}");
    let missing = memory.run(&["jkz", "check", "--dir", "nope"]);
    assert!(missing.stderr.contains("there is no folder"), "{missing}");
}

#[test]
fn without_git_nothing_is_called_stale() {
    let memory = repository();
    fs::remove_dir_all(memory.work().join(".git")).expect("it is ours");
    memory.run(&["jkz", "audit", "--dir", "notes"]).exits(0);
}

/// Issue 18: a script's word counts when two runs say the same.
#[test]
fn two_runs_speak_for_what_a_script_adds() {
    let memory = Memory::new();
    fs::create_dir(memory.work().join("notes")).expect("it is ours");
    let text = "Bind parameters instead of building queries by string concatenation";
    let words = ["jkz", "add", text, "--type", "project", "--dir", "notes"];
    let refused = memory.run_as_script(&words).exits(2);
    assert!(refused.stderr.contains("not recurrent"), "{refused}");
    for run in ["r1", "r2"] {
        memory.learn(&found(run, text));
    }
    memory.run_as_script(&words).exits(0);
}

/// What `remember:` or `add` taught, and what runs found again: proposed with diffs, and written
/// only when a person says so.
#[test]
fn lessons_are_proposed_as_notes_with_their_diffs() {
    let memory = Memory::new();
    note(&memory, "project_a", "project", "Batch the inserts of the import into one transaction.");
    memory.write("CLAUDE.md", "# Style\n\nWrite the changelog entry in the past tense.\n");
    for text in [
        "Batch the inserts of the import into one transaction",
        "Write the changelog entry in the past tense",
        "Start the Kafka fixture before the broker tests",
    ] {
        memory.run(&["add", text, "--as-user"]).exits(0);
    }
    let learn = || memory.run(&["jkz", "learn", "--dir", "notes", "--json"]).exits(0).json();
    let listed = learn();
    let proposals = list_of(&listed, "proposals");
    let [proposal] = &proposals[..] else { panic!("{listed:#}") };
    assert_eq!(proposal["because"], "a person said it");
    assert!(proposal["files"].to_string().contains("+Start the Kafka fixture"), "{listed:#}");
    assert!(!memory.work().join("notes/MEMORY.md").exists(), "nothing is written");
    let id = proposal["lesson"].as_str().expect("an id");
    let words = ["jkz", "lesson", id, "--dir", "notes"];
    let mut agent = memory.script(&words);
    agent.env("CLAUDECODE", "1");
    Ran::of(&words, agent.output().expect("it starts")).exits(2);
    memory.run(&[&words[..], &["--as-user"][..]].concat()).exits(0);
    assert_eq!(learn()["proposals"].as_array().map(Vec::len), Some(0));
}

#[test]
fn notes_are_where_the_host_keeps_them() {
    let memory = Memory::new();
    let home = memory.work().join("user");
    let memory = memory.with("HOME", home.display().to_string());
    git(&memory.work(), &["init", "-q"]);
    let key: String = fs::canonicalize(memory.work()).expect("it is there").display().to_string();
    let key: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let place = home.join(format!(".claude/projects/{key}/memory"));
    let told =
        |memory: &Memory| memory.run(&["jkz", "list", "--json"]).exits(0).json()["folder"].clone();
    assert_eq!(told(&memory), place.display().to_string());
    memory.write("user/.claude/settings.json", "{\"autoMemoryDirectory\": \"~/mine\"}");
    assert_eq!(told(&memory), home.join("mine").display().to_string());
    memory.write("elsewhere/MEMORY.md", "");
    let memory = memory.with("HARDWON_NOTES", "elsewhere");
    assert!(told(&memory).as_str().is_some_and(|path| path.ends_with("/elsewhere")));
}
