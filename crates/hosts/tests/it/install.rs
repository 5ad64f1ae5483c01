//! Installing and taking out again, on settings as people have them: every byte that is not
//! ours stays, and comes back. Everything plays below a temporary home.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hardwon_engine::Environment;
use hardwon_engine::answer::{Answer, FileStep, HealthStatus, Installation, Status};
use hardwon_engine::runs::queue::{Queued, enqueue};
use hardwon_hosts::Surroundings;
use hardwon_hosts::install::{InstallRequest, install, uninstall};
use proptest::prelude::*;

/// A home of its own.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("user/.claude")).unwrap();
        fs::create_dir_all(folder.path().join("work/.git")).unwrap();
        Home { folder }
    }

    /// With this in the user's settings of Claude Code.
    fn with(settings: &str) -> Self {
        let home = Home::new();
        fs::write(home.settings(), settings).unwrap();
        home
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn settings(&self) -> PathBuf {
        self.path("user/.claude/settings.json")
    }

    fn environment(&self) -> Environment {
        Environment {
            home: Some(self.path("data")),
            user_home: Some(self.path("user")),
            now: Some("2026-04-03T14:00:00Z".to_owned()),
            folder: self.path("work"),
            ..Environment::default()
        }
    }

    fn request(&self, host: &str, is_project: bool) -> InstallRequest {
        let surroundings = Surroundings::default();
        InstallRequest { hosts: vec![host.to_owned()], is_project, surroundings }
    }

    fn install(&self, host: &str) -> Answer<Installation> {
        self.install_with(&self.request(host, false))
    }

    fn install_with(&self, request: &InstallRequest) -> Answer<Installation> {
        let plan = install(&self.environment(), request).unwrap();
        plan.carry_out(&self.environment()).unwrap()
    }

    fn uninstall(&self, host: &str) -> Answer<Installation> {
        self.uninstall_with(&self.request(host, false))
    }

    fn uninstall_with(&self, request: &InstallRequest) -> Answer<Installation> {
        let plan = uninstall(&self.environment(), request).unwrap();
        plan.carry_out(&self.environment()).unwrap()
    }

    fn write(&self, below: &str, text: &str) {
        fs::create_dir_all(self.path(below).parent().unwrap()).unwrap();
        fs::write(self.path(below), text).unwrap();
    }

    fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    /// The user's settings of Claude Code.
    fn text(&self) -> String {
        self.read("user/.claude/settings.json")
    }

    /// What doctor finds under this name: how it is, the detail, and what fixes it.
    fn check(&self, name: &str) -> Option<(HealthStatus, String, String)> {
        self.check_in(&Surroundings::default(), name)
    }

    fn check_in(
        &self,
        surroundings: &Surroundings,
        name: &str,
    ) -> Option<(HealthStatus, String, String)> {
        let answer = hardwon_hosts::doctor_agents(&self.environment(), surroundings);
        let check = answer.body.checks.into_iter().find(|check| check.name == name)?;
        Some((check.status.0, check.detail, check.fix.unwrap_or_default()))
    }

    /// Every file below the home, with its content.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push((path.clone(), fs::read(&path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }
}

fn steps(answer: &Answer<Installation>) -> Vec<FileStep> {
    answer.body.files.iter().map(|file| file.step.0).collect()
}

/// What strict readers make of it, for files without comments and trailing commas.
fn value(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// How many events are asked for.
const N_EVENTS: usize = 8;

/// Settings as people have them.
const SETTINGS: &[&str] = &[
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "",
    " \n",
    "\u{feff}{}\r\n",
    "\u{feff}",
    r#"{"model":"opus"}"#,
    "{ \"model\": \"opus\" }\n",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n\t\"model\": \"opus\",\n\t \"env\": {\"A\": \"1\"}\n}\n",
    "{\r\n    \"model\": \"opus\"\r\n}\r\n",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  }\n}\n",
    r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}"#,
    "{\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}]}, \"a\": [1,\n 2]}",
    "{\"a\": 1  }   \n\n\n",
    "{\n\"a\": 1}",
];

/// Settings that the hosts refuse as a whole: run with Claude Code 2.1.325 and Codex 0.166.0.
const REFUSED: &[&str] = &[
    "// mine\n",
    "{\n\t\"model\": \"opus\", // the large one\n\t/* all */ \"env\": {\"A\": \"1\"}\n}\n",
    "{\n  \"env\": {\"A\": \"1\",}\n}\n",
    "{ /* nothing */ }",
    "{\n  \"hooks\": {},\n}\n",
];

/// What the host would not read is not written, and nobody says that it was.
#[test]
fn settings_that_the_host_refuses_are_left_alone_and_told() {
    for settings in REFUSED {
        let home = Home::with(settings);
        home.write("user/.codex/hooks.json", settings);
        home.write("work/.mcp.json", settings);
        for request in [home.request("claude", false), home.request("codex", false)] {
            let answer = home.install_with(&request);
            assert_eq!(steps(&answer)[0], FileStep::Leave, "{settings:?}");
            assert_eq!(answer.status, Status::Degraded);
            assert!(answer.problems[0].reason.contains("refuses the whole file"), "{settings:?}");
        }
        let shared = home.install_with(&home.request("claude", true));
        assert_eq!(steps(&shared), [FileStep::Create, FileStep::Leave], "{settings:?}");
        assert_eq!([home.text(), home.read("work/.mcp.json")], [*settings; 2]);
        let (status, detail, _) = home.check("claude hooks").unwrap();
        assert_eq!(status, HealthStatus::Failed);
        assert!(detail.contains("Claude Code") && detail.contains("whole file"), "{detail}");
    }
}

#[test]
fn every_byte_comes_back() {
    for settings in SETTINGS {
        let home = Home::with(settings);
        let before = home.files();
        let installed = home.install("claude");
        assert_eq!(steps(&installed), [FileStep::Change], "{settings:?}");
        let text = home.text();
        assert_eq!(text.matches("; hardwon hook claude\"").count(), N_EVENTS, "{text}");
        assert_eq!(text.starts_with('\u{feff}'), settings.starts_with('\u{feff}'));
        if settings.contains("\r\n") {
            assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
        }
        let again = home.install("claude");
        assert_eq!((again.status, steps(&again)), (Status::Empty, vec![FileStep::Keep]));
        assert_eq!(home.text(), text, "a second call changed it");
        assert_eq!(steps(&home.uninstall("claude")), [FileStep::Restore], "{settings:?}");
        assert_eq!(home.files(), before, "{settings:?}");
    }
}

#[test]
fn entries_look_like_the_rest_of_the_file() {
    let home = Home::with("{\n\t\"model\": \"opus\"\n}\n");
    home.install("claude");
    let text = home.text();
    let head = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{\n\
                \t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with("\n\t\t]\n\t}\n}\n"), "{text}");
}

#[test]
fn a_removed_event_is_put_back_and_everything_still_comes_out_to_the_byte() {
    let settings = "{\n  \"model\": \"opus\"\n}\n";
    let home = Home::with(settings);
    home.install("claude");
    let with_all = home.text();
    let changed = with_all.replace(r#""SessionEnd""#, r#""SomethingElse""#);
    fs::write(home.settings(), &changed).unwrap();
    assert_eq!(steps(&home.install("claude")), [FileStep::Change]);
    assert!(home.text().contains(r#""SessionEnd""#));
    home.uninstall("claude");
    assert!(!home.text().contains("hardwon"));
    assert_eq!(value(&home.settings()), serde_json::json!({"model": "opus"}));
}

#[test]
fn what_cannot_be_used_is_left_alone_with_the_reason() {
    for (settings, reason) in [
        (r#"{"a": }"#, "line 1: unexpected close brace"),
        ("{\n\"env\": {\"TOKEN\": \"x\"\n", "line 2: unterminated object"),
        ("[]", "it holds no object"),
        (r#"{"hooks": []}"#, "`hooks` is no object"),
        (r#"{"hooks": {"Stop": {}}}"#, "`hooks.Stop` is no list"),
        ("{'a': 1}", "line 1: single-quoted strings are not allowed"),
    ] {
        let home = Home::with(settings);
        let answer = home.install("claude");
        assert_eq!(steps(&answer), [FileStep::Leave], "{settings}");
        assert_eq!(answer.status, Status::Degraded);
        let told = &answer.problems[0].reason;
        assert!(told.contains(reason), "{told}");
        assert!(!told.contains("TOKEN"), "{told}");
        assert_eq!(home.text(), settings);
        assert!(!home.path("data").exists(), "a manifest of nothing");
    }
    let home = Home::new();
    fs::write(home.settings(), b"{\"a\": \"\xff\"}").unwrap();
    assert_eq!(steps(&home.install("claude")), [FileStep::Leave]);
    fs::remove_file(home.settings()).unwrap();
    fs::create_dir(home.settings()).unwrap();
    assert_eq!(steps(&home.install("claude")), [FileStep::Leave]);
    let home = Home::with("{}");
    fs::set_permissions(home.settings(), fs::Permissions::from_mode(0o444)).unwrap();
    let answer = home.install("claude");
    assert!(answer.problems[0].reason.contains("read-only"), "{:?}", answer.problems);
}

#[test]
fn files_that_we_made_go_again_with_their_folder() {
    let home = Home::new();
    fs::remove_dir(home.path("user/.claude")).unwrap();
    let before = home.files();
    assert_eq!(steps(&home.install("claude")), [FileStep::Create]);
    assert_eq!(steps(&home.uninstall("claude")), [FileStep::Delete]);
    assert_eq!(home.files(), before);
    assert!(!home.path("user/.claude").exists());
    // Not if the user has put something else into them.
    home.install("claude");
    let text = home.text();
    fs::write(home.settings(), text.replacen('{', "{\n  \"model\": \"opus\",", 1)).unwrap();
    home.uninstall("claude");
    assert_eq!(value(&home.settings()), serde_json::json!({"model": "opus"}));
}

#[test]
fn codex_gets_hooks_and_a_server() {
    for config in [
        "",
        "model = \"o5\"\n",
        "# mine\n[mcp_servers.other]\ncommand = \"x\" # why",
        "[mcp_servers]\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n",
    ] {
        let home = Home::new();
        let path = "user/.codex/config.toml";
        home.write(path, config);
        let before = home.files();
        let answer = home.install("codex");
        assert_eq!(steps(&answer), [FileStep::Create, FileStep::Change], "{config}");
        assert!(answer.body.by_hand[0].contains("/hooks"), "{:?}", answer.body.by_hand);
        let hooks = value(&home.path("user/.codex/hooks.json"));
        assert_eq!(hooks.as_object().unwrap().keys().collect::<Vec<_>>(), ["hooks"]);
        assert_eq!(
            hooks["hooks"]["Stop"][0]["hooks"][0]["command"],
            "command -v hardwon >/dev/null 2>&1 || exit 0; hardwon hook codex"
        );
        let text = home.read(path);
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["mcp_servers"]["hardwon"]["args"][0].as_str(), Some("mcp"), "{text}");
        assert!(text.starts_with(config), "{text}");
        assert_eq!(steps(&home.install("codex")), [FileStep::Keep, FileStep::Keep]);
        home.uninstall("codex");
        assert_eq!(home.files(), before, "{config}");
        // The same with a file that was edited: only our lines go.
        home.install("codex");
        home.write(path, &format!("# new\n{}\n# below\n[later]\na = 1\n", home.read(path)));
        home.uninstall("codex");
        let left = home.read(path);
        assert!(left.starts_with("# new\n") && left.contains("# below\n[later]"), "{left}");
        assert!(!left.contains("hardwon"), "{left}");
        assert_eq!(left.contains("# why"), config.contains("# why"), "{left}");
    }
}

#[test]
fn a_codex_file_that_cannot_be_added_to_is_left_alone() {
    for config in ["mcp_servers = { other = { command = \"x\" } }\n", "a = = 1\n"] {
        let home = Home::new();
        home.write("user/.codex/config.toml", config);
        let answer = home.install("codex");
        assert_eq!(steps(&answer), [FileStep::Create, FileStep::Leave], "{config}");
        assert_eq!(home.read("user/.codex/config.toml"), config);
    }
}

/// What the name does not lead to is started by its path, where the file is the user's own.
#[test]
fn a_program_that_is_not_on_path_is_written_with_its_path() {
    let home = Home::new();
    let own = home.path("bin/hardwon");
    let path = Some("/nowhere".into());
    let surroundings = Surroundings { path, own: Some(own.clone()), ..Surroundings::default() };
    let request = |host: &str, is_project| InstallRequest {
        surroundings: surroundings.clone(),
        ..home.request(host, is_project)
    };
    let before = home.files();
    let answer = home.install_with(&request("claude", false));
    assert_eq!(answer.problems, [], "it runs");
    let said = &answer.body.by_hand;
    assert!(said[0].contains("not on PATH") && said[0].contains(own.to_str().unwrap()), "{said:?}");
    assert!(said[1].contains(&format!(r#""command":"{}""#, own.display())), "{said:?}");
    let settings = value(&home.settings());
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    let own_command = format!("exit 0; {} hook claude", own.display());
    assert!(command.ends_with(&own_command), "{command}");
    home.install_with(&request("codex", false));
    let config = home.read("user/.codex/config.toml");
    assert!(config.contains(&format!(r#"command = "{}""#, own.display())), "{config}");
    // What others share names no path of one user's.
    let answer = home.install_with(&request("codex", true));
    let hooks = value(&home.path("work/.codex/hooks.json"));
    let guarded = "command -v hardwon >/dev/null 2>&1 || exit 0; hardwon hook codex";
    assert_eq!(hooks["hooks"]["Stop"][0]["hooks"][0]["command"], guarded);
    assert_eq!(answer.status, Status::Degraded);
    let told = &answer.problems[0].reason;
    assert!(told.contains("not on PATH") && told.contains("/bin to PATH"), "{told}");
    assert!(answer.body.by_hand[0].contains("/hooks"), "{:?}", answer.body.by_hand);
    for request in [request("claude", false), request("codex", false), request("codex", true)] {
        home.uninstall_with(&request);
    }
    assert_eq!(home.files(), before);
}

#[test]
fn an_entry_whose_program_is_gone_is_repaired_and_restored() {
    let settings = "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [\n      \
                    {\"type\": \"command\", \"command\": \"\\/opt/old/hardwon hook claude\", \
                    \"timeout\": 7}]}]\n  }\n}\n";
    let home = Home::with(settings);
    let config =
        "[mcp_servers.hardwon] # mine\ncommand = '/opt/old/hardwon' # old\nargs = [\"mcp\"]\n";
    home.write("user/.codex/config.toml", config);
    let servers = r#"{"mcpServers":{"hardwon":{"command":"/opt/old/hardwon","args":["mcp"]}}}"#;
    home.write("work/.mcp.json", servers);
    let check = |name: &str| home.check(name).unwrap();
    let (status, detail, fix) = check("claude hooks");
    assert_eq!((status, fix.as_str()), (HealthStatus::Failed, "hardwon install claude"));
    assert!(detail.contains("Stop starts /opt/old/hardwon, which is not there"), "{detail}");
    let (status, _, fix) = check("claude mcp");
    assert_eq!((status, fix.as_str()), (HealthStatus::Failed, "hardwon install claude --project"));
    let (status, _, fix) = check("codex mcp");
    assert_eq!((status, fix.as_str()), (HealthStatus::Failed, "hardwon install codex"));
    let before = home.files();
    home.install("claude");
    home.install("codex");
    let shared = home.request("claude", true);
    home.install_with(&shared);
    let text = home.text();
    assert!(!text.contains("/opt/old"), "{text}");
    assert_eq!(text.matches("; hardwon hook claude\"").count(), N_EVENTS, "{text}");
    assert!(text.contains(r#""timeout": 7"#), "{text}");
    let text = home.read("user/.codex/config.toml");
    assert_eq!(text, config.replace("'/opt/old/hardwon'", r#""hardwon""#));
    for name in ["claude hooks", "claude mcp", "codex mcp"] {
        assert_eq!(check(name).0, HealthStatus::Ok, "{:?}", check(name));
    }
    assert_eq!(steps(&home.install("claude")), [FileStep::Keep]);
    home.uninstall_with(&shared);
    home.uninstall("codex");
    assert_eq!(steps(&home.uninstall("claude")), [FileStep::Restore]);
    assert_eq!(home.files(), before);
}

/// Whatever is registered twice, what doctor says leaves one of it.
#[test]
fn what_doctor_says_against_two_entries_helps() {
    let entry = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \
                 \"command\": \"hardwon hook claude\"}]}]}, \"model\": \"m\"}\n";
    let doubled = entry.replace(
        "}]}]}",
        r#"}]}, {"hooks": [{"type": "command", "command": "hardwon hook claude"}]}]}"#,
    );
    let (user, local) = ("user/.claude/settings.json", "work/.claude/settings.local.json");
    let shared = "work/.claude/settings.json";
    for files in [
        vec![(user, entry), (local, entry)],
        vec![(shared, entry), (local, entry)],
        vec![(user, entry), (shared, entry), (local, entry)],
        vec![(user, &doubled)],
        vec![(local, &doubled)],
    ] {
        let home = Home::new();
        for (path, text) in &files {
            home.write(path, text);
        }
        let (before, _, fix) = home.check("claude once").unwrap();
        assert_eq!(before, HealthStatus::Warning, "{files:?}");
        for call in fix.split(" && ") {
            let words: Vec<&str> = call.split(' ').collect();
            let request = home.request(words[2], words.get(3) == Some(&"--project"));
            match words[1] {
                "install" => home.install_with(&request),
                _ => home.uninstall_with(&request),
            };
        }
        assert_eq!(home.check("claude once").unwrap().0, HealthStatus::Ok, "{files:?}: {fix}");
        let mut left = vec![user, shared, local];
        left.retain(|path| home.read(path).contains("hardwon hook"));
        assert_eq!(left.len(), 1, "{files:?}: {fix} left {left:?}");
        assert!(files.iter().all(|(path, _)| home.read(path).contains(r#""model": "m""#)));
    }
}

#[test]
fn hooks_that_are_switched_off_are_reported_at_once() {
    let home = Home::new();
    let local = "work/.claude/settings.local.json";
    home.write(local, r#"{"disableAllHooks": true}"#);
    for _ in 0..2 {
        let answer = home.install("claude");
        let told = &answer.problems[0];
        assert_eq!(told.at, home.path(local).display().to_string());
        assert!(told.reason.starts_with("disableAllHooks is set"), "{}", told.reason);
    }
    home.write(local, r#"{"disableAllHooks": false}"#);
    assert_eq!(home.install("claude").problems, []);
}

#[test]
fn a_third_party_server_of_our_name_stays() {
    let home = Home::new();
    let text = r#"{"mcpServers": {"hardwon": {"command": "other"}}}"#;
    home.write("work/.mcp.json", text);
    let request = home.request("claude", true);
    let answer = home.install_with(&request);
    assert_eq!(steps(&answer), [FileStep::Create, FileStep::Leave]);
    home.uninstall_with(&request);
    assert_eq!(home.read("work/.mcp.json"), text);
}

#[test]
fn links_are_followed_within_the_home_only() {
    let home = Home::new();
    fs::create_dir(home.path("user/dotfiles")).unwrap();
    let real = home.path("user/dotfiles/claude.json");
    fs::write(&real, "{}\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, home.settings()).unwrap();
    assert_eq!(steps(&home.install("claude")), [FileStep::Change]);
    assert!(fs::symlink_metadata(home.settings()).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    home.uninstall("claude");
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");

    let outside = home.path("outside.json");
    fs::write(&outside, "{}\n").unwrap();
    for target in [outside.as_path(), Path::new("/nowhere/at/all.json")] {
        fs::remove_file(home.settings()).unwrap();
        std::os::unix::fs::symlink(target, home.settings()).unwrap();
        let answer = home.install("claude");
        assert_eq!(steps(&answer), [FileStep::Leave], "{}", target.display());
        let told = &answer.problems[0].reason;
        let next = ["put a copy of that file", "remove the link"];
        assert!(told.contains("a link") && next.iter().any(|next| told.contains(next)), "{told}");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "{}\n");
}

#[test]
fn a_checkout_cannot_lead_out_of_itself() {
    let home = Home::with("{}\n");
    std::os::unix::fs::symlink(home.path("user/.claude"), home.path("work/.claude")).unwrap();
    let environment = home.environment();
    let plan = install(&environment, &home.request("claude", true)).unwrap();
    assert_eq!(plan.answer().body.files[0].step, FileStep::Leave);
    plan.carry_out(&environment).unwrap();
    assert_eq!(home.text(), "{}\n");
}

#[test]
fn nothing_is_half_done() {
    // No manifest can be written: its folder is a file.
    let home = Home::with("{}\n");
    fs::write(home.path("data"), "").unwrap();
    let before = home.files();
    let environment = Environment { home: Some(home.path("data/below")), ..home.environment() };
    let plan = install(&environment, &home.request("claude", false))
        .unwrap_or_else(|_| panic!("planning needs no manifest"));
    let error = plan.carry_out(&environment).unwrap_err().to_string();
    assert!(error.contains("nothing was changed"), "{error}");
    assert_eq!(home.files(), before);

    // Another process writes between planning and writing.
    let home = Home::with("{}\n");
    let plan = install(&home.environment(), &home.request("claude", false)).unwrap();
    fs::write(home.settings(), "{ }\n").unwrap();
    let before = home.files();
    let error = plan.carry_out(&home.environment()).unwrap_err().to_string();
    assert!(error.contains("changed by another process"), "{error}");
    assert_eq!(home.files(), before);
}

#[test]
fn the_plugin_is_enough() {
    let settings = r#"{"enabledPlugins": {"hardwon@hardwon": true}}"#;
    let home = Home::with(settings);
    assert_eq!(steps(&home.install("claude")), [FileStep::Keep]);
    assert_eq!(home.text(), settings);
}

/// No copy of the settings is kept: they hold keys.
#[test]
fn the_manifest_keeps_nothing_of_others() {
    let home = Home::with(r#"{"env": {"TOKEN": "very-private-word"}}"#);
    home.install("claude");
    let manifest = fs::read_to_string(home.path("data/install.json")).unwrap();
    assert!(manifest.contains("hardwon hook claude") && !manifest.contains("private"));
    let mode = fs::metadata(home.path("data/install.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn doctor_reports_what_keeps_memory_from_the_agents() {
    let home = Home::with(r#"{"disableAllHooks": true}"#);
    let path = Some("/nowhere".into());
    let surroundings = Surroundings { path, ..Surroundings::default() };
    let status = |name: &str| home.check_in(&surroundings, name);
    assert_eq!(status("program").unwrap().0, HealthStatus::Failed);
    assert_eq!(status("claude hooks").unwrap().0, HealthStatus::Warning);
    assert_eq!(status("claude answer"), None);
    assert!(status("codex hooks").unwrap().1.contains("not here"));
    home.install("claude");
    assert_eq!(status("claude hooks").unwrap().0, HealthStatus::Ok);
    assert!(status("claude enabled").unwrap().1.contains("disableAllHooks"));
    assert_eq!(status("claude once").unwrap().0, HealthStatus::Ok);
    home.install_with(&home.request("claude", true));
    let (found, detail, _) = status("claude once").unwrap();
    assert_eq!(found, HealthStatus::Warning, "{detail}");
    home.install("codex");
    assert!(status("codex trust").unwrap().1.starts_with("0 of 8"));
    let hooks = home.path("user/.codex/hooks.json");
    let config = "user/.codex/config.toml";
    let mut text = home.read(config);
    let events = "session_start user_prompt_submit subagent_start post_tool_use subagent_stop stop pre_compact session_end";
    for event in events.split(' ') {
        let key = format!("{}:{event}:0:0", hooks.display());
        text += &format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:00\"\n");
    }
    home.write(config, &text);
    assert_eq!(status("codex trust").unwrap().0, HealthStatus::Ok);
    let stop = format!("[hooks.state.\"{}:stop:0:0\"]\n", hooks.display());
    home.write(config, &text.replace(&stop, &format!("{stop}enabled = false\n")));
    let (found, detail, _) = status("codex enabled").unwrap();
    assert_eq!(found, HealthStatus::Warning, "{detail}");
    assert!(detail.starts_with("1 of our entries"), "{detail}");
    home.write(config, &(text + "[features]\nhooks = false\n"));
    assert_eq!(status("codex enabled").unwrap().0, HealthStatus::Warning);
}

#[test]
fn doctor_reports_sessions_that_wait() {
    let home = Home::new();
    assert_eq!(home.check("sessions").unwrap().0, HealthStatus::Ok);
    for waits in ["1 session or message waits", "2 sessions or messages wait"] {
        enqueue(&home.environment(), &Queued::default()).unwrap();
        let (status, detail, fix) = home.check("sessions").unwrap();
        assert_eq!((status, fix.as_str()), (HealthStatus::Warning, "hardwon learn --pending"));
        assert_eq!(detail, format!("{waits} to be read, and nobody does it"));
    }
    // Somebody does.
    let worker = fs::File::create(home.path("data/queue/.worker")).unwrap();
    worker.lock().unwrap();
    assert_eq!(home.check("sessions").unwrap().0, HealthStatus::Ok);
}

#[test]
fn doctor_notices_a_data_folder_that_is_a_file() {
    for file in ["data", "data/below"] {
        let home = Home::new();
        assert_eq!(home.check("data folder"), None);
        let mut environment = home.environment();
        environment.home = Some(home.path(file));
        fs::write(home.path("data"), "").unwrap();
        let checks =
            hardwon_hosts::doctor_agents(&environment, &Surroundings::default()).body.checks;
        let check = checks.iter().find(|check| check.name == "data folder").expect("it is told");
        assert_eq!(check.status, HealthStatus::Failed);
        assert!(check.detail.contains("data is a file"), "{}", check.detail);
    }
}

/// A command that a checkout brings is not started, whatever its first words are.
#[test]
fn doctor_starts_only_what_install_writes() {
    let home = Home::new();
    let mark = home.path("started");
    let command = format!("hardwon hook claude; touch {}", mark.display());
    let group = serde_json::json!([{"hooks": [{"type": "command", "command": command}]}]);
    let settings = serde_json::json!({"hooks": {"Stop": group}});
    home.write("work/.claude/settings.json", &settings.to_string());
    let path = std::env::var_os("PATH");
    let surroundings = Surroundings { path, ..Surroundings::default() };
    let (_, detail, _) = home.check_in(&surroundings, "claude answer").unwrap();
    assert!(detail.starts_with("not tried"), "{detail}");
    assert!(!mark.exists());
}

/// Blanks as people scatter them.
fn trivia() -> BoxedStrategy<String> {
    let blanks = vec!["", "", "", "", " ", " ", "\n  ", "\n  ", "\r\n\t"];
    prop::sample::select(blanks).prop_map(str::to_owned).boxed()
}

fn scalar() -> BoxedStrategy<String> {
    let scalars = vec!["1", "-2.5e3", "true", "null", "\"// é \\\" }\""];
    prop::sample::select(scalars).prop_map(str::to_owned).boxed()
}

/// A value with trivia everywhere.
fn json() -> BoxedStrategy<String> {
    let inside = |inner: BoxedStrategy<String>| {
        prop_oneof![container(inner.clone(), '[', ']'), container(named(inner), '{', '}')]
    };
    scalar().prop_recursive(3, 24, 4, inside).boxed()
}

fn named(value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let keys = prop_oneof![Just("a"), Just("env"), Just("é // \\u0022"), Just("Stop")];
    (keys, trivia(), trivia(), value).prop_map(|(k, a, b, v)| format!(r#""{k}"{a}:{b}{v}"#)).boxed()
}

fn container(child: BoxedStrategy<String>, open: char, close: char) -> BoxedStrategy<String> {
    let children = prop::collection::vec((trivia(), child, trivia()), 0..4);
    let all = (children, trivia());
    all.prop_map(move |(children, end)| {
        let texts: Vec<String> = children
            .iter()
            .map(|(before, child, after)| format!("{before}{child}{after}"))
            .collect();
        format!("{open}{}{end}{close}", texts.join(","))
    })
    .boxed()
}

/// Settings with anything in them, and often hooks of others.
fn settings() -> BoxedStrategy<String> {
    let event = (prop_oneof![Just("Stop"), Just("SessionStart"), Just("Other")], trivia(), {
        container(container(named(json()), '{', '}'), '[', ']')
    });
    let event = event.prop_map(|(name, a, groups)| format!(r#""{name}":{a}{groups}"#)).boxed();
    let hooks = container(event, '{', '}').prop_map(|hooks| format!(r#""hooks": {hooks}"#));
    let member = prop_oneof![3 => named(json()), 1 => hooks].boxed();
    let all = (trivia(), container(member, '{', '}'), trivia(), any::<bool>());
    all.prop_map(|(before, root, after, has_bom)| {
        let bom = if has_bom { "\u{feff}" } else { "" };
        format!("{bom}{before}{root}{after}")
    })
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back_to_the_byte(settings in settings()) {
        let home = Home::with(&settings);
        let before = home.files();
        let installed = home.install("claude");
        prop_assert_eq!(steps(&installed), [FileStep::Change], "{:?}", installed.problems);
        let text = home.text();
        prop_assert_eq!(text.matches("; hardwon hook claude\"").count(), N_EVENTS);
        prop_assert_eq!(steps(&home.install("claude")), [FileStep::Keep]);
        prop_assert_eq!(steps(&home.uninstall("claude")), [FileStep::Restore]);
        prop_assert_eq!(home.files(), before);
    }

    /// By their first words alone: what is left holds everything that was there.
    #[test]
    fn any_settings_lose_only_our_entries(settings in settings()) {
        let home = Home::with(&settings);
        home.install("claude");
        fs::remove_dir_all(home.path("data")).unwrap();
        // Comments that somebody added since.
        let commented = home.text().replacen('{', "{ /* } ] \" */", 1) + " // , { \"hooks\"\n";
        fs::write(home.settings(), commented).unwrap();
        home.uninstall("claude");
        let left = home.text();
        prop_assert!(left.contains(" /* } ] \" */") && left.ends_with(" // , { \"hooks\"\n"), "{}", left);
        let left = left.replacen(" /* } ] \" */", "", 1).replace(" // , { \"hooks\"\n", "");
        fs::write(home.settings(), &left).unwrap();
        prop_assert!(!left.contains("hardwon"), "{}", left);
        // Only blanks and commas may have gone; an emptied object of others' may go, too.
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect::<String>();
        let emptied = |text: &str| {
            let mut text = bare(text);
            for empty in [r#""Stop":[]"#, r#""SessionStart":[]"#, r#""hooks":{}"#] {
                text = text.replace(empty, "");
            }
            text
        };
        prop_assert_eq!(emptied(&left), emptied(&settings), "from\n{}\nto\n{}", settings, left);
        prop_assert_eq!(steps(&home.install("claude")), [FileStep::Change]);
    }
}
