//! What a hostile checkout may look like. Some of it git would check out, all of it an archive
//! can contain.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use super::{LESSON, Site};

pub struct Case {
    pub name: &'static str,
    /// The name of the checkout's folder.
    pub folder: &'static [u8],
    /// Folders that turn into links and back while a command runs.
    pub swapped: &'static [&'static str],
    pub build: fn(&Site),
}

const fn case(name: &'static str, build: fn(&Site)) -> Case {
    Case { name, folder: b"work", swapped: &[], build }
}

pub const CASES: &[Case] = &[
    // `.git`
    case("git_points_into_another_checkout", |site| git_file(site, "other/.git")),
    case("git_points_into_a_worktree", |site| git_file(site, "other/.git/worktrees/x")),
    case("git_brought_its_backlink_along", |site| {
        site.put("brought/commondir", &site.outside.join("other/.git").display().to_string());
        site.put("brought/gitdir", &site.work.join(".git").display().to_string());
        site.put(".git", "gitdir: brought\n");
    }),
    case("git_is_its_own_common_folder", |site| {
        site.put("brought/commondir", ".\n");
        site.put("brought/gitdir", "../.git\n");
        site.put(".git", "gitdir: brought\n");
    }),
    case("git_is_a_module_of_another", |site| {
        site.put("brought/config", "[core]\n\tworktree = ../../outside/other\n");
        site.put(".git", "gitdir: brought\n");
    }),
    case("git_is_a_link", |site| site.link(".git", "other/.git")),
    case("git_is_a_dangling_link", |site| site.link(".git", "gone/.git")),
    case("git_is_a_pipe", |site| site.pipe(".git")),
    case("git_is_a_socket", |site| {
        // The path of a socket is short; the folder of a test need not be.
        let name = std::env::temp_dir().join(format!("hw-{}", std::process::id()));
        let _ = fs::remove_file(&name);
        if UnixListener::bind(&name).is_ok() && fs::rename(&name, site.work.join(".git")).is_err() {
            site.pipe(".git");
        }
    }),
    case("git_is_huge", |site| site.huge(".git")),
    case("git_is_a_loop", |site| symlink(".git", site.work.join(".git")).expect("a link")),
    case("git_is_a_device", |site| symlink("/dev/zero", site.work.join(".git")).expect("a link")),
    case("git_has_a_link_as_mark", |site| {
        git_folder(site);
        site.link(".git/hardwon", "target.txt");
    }),
    case("git_has_a_dangling_link_as_mark", |site| {
        git_folder(site);
        site.link(".git/hardwon", "new.txt");
    }),
    case("git_has_a_hard_link_as_mark", |site| {
        git_folder(site);
        site.hard_link(".git/hardwon", "target.txt");
    }),
    case("git_has_a_folder_as_mark", |site| {
        git_folder(site);
        site.put(".git/hardwon/full", "");
    }),
    case("git_has_linked_logs", |site| {
        site.put(".git/HEAD", "ref: refs/heads/main\n");
        site.link(".git/logs", "other/.git/logs");
    }),
    case("git_has_pipes_inside", |site| {
        for name in ["HEAD", "config", "index", "hardwon", "shallow", "logs/HEAD", "commondir"] {
            site.pipe(&format!(".git/{name}"));
        }
    }),
    case("git_has_huge_files_inside", |site| {
        for name in ["HEAD", "config", "index", "hardwon", "logs/HEAD", "packed-refs"] {
            site.huge(&format!(".git/{name}"));
        }
    }),
    case("git_is_read_only", |site| {
        git_folder(site);
        let mode = fs::Permissions::from_mode(0o555);
        fs::set_permissions(site.work.join(".git"), mode).expect("it is ours");
    }),
    // `.hardwon`
    case("hardwon_folder_is_a_link", |site| site.link(".hardwon", "dir")),
    case("hardwon_folder_is_a_dangling_link", |site| site.link(".hardwon", "new")),
    case("hardwon_folder_is_a_file", |site| site.put(".hardwon", "")),
    case("hardwon_folder_is_a_loop", |site| {
        symlink(".hardwon", site.work.join(".hardwon")).expect("a link");
    }),
    case("settings_are_a_link", |site| site.link(".hardwon/config.toml", "config.toml")),
    case("settings_are_a_dangling_link", |site| site.link(".hardwon/config.toml", "new.toml")),
    case("settings_are_a_hard_link", |site| {
        site.hard_link(".hardwon/config.toml", "config.toml");
    }),
    case("settings_are_a_pipe", |site| site.pipe(".hardwon/config.toml")),
    case("settings_are_huge", |site| site.huge(".hardwon/config.toml")),
    case("settings_are_a_folder", |site| site.put(".hardwon/config.toml/full", "")),
    case("temporary_files_are_planted", |site| {
        git_folder(site);
        site.put(".archeflow/memory/lessons.jsonl", LESSON);
        site.put(".claude/settings.json", "{}\n");
        // Processes get the next numbers.
        let mut child = Command::new("true").spawn().expect("a program starts");
        let next = child.id();
        child.wait().expect("it is our child");
        for pid in next + 1..next + 80 {
            site.link(&format!(".hardwon/.config.toml.{pid}"), "target.txt");
            site.link(&format!(".hardwon/.config.toml.hardwon-{pid}-0"), "target.txt");
            site.link(&format!(".claude/.settings.json.hardwon-{pid}-1"), "target.txt");
            site.link(&format!(".git/hardwon.{pid}.tmp"), "target.txt");
            site.link(&format!(".git/.hardwon.hardwon-{pid}-0"), "target.txt");
            site.link(&format!(".export.jsonl.hardwon-{pid}-0"), "target.txt");
            let lessons = format!(".archeflow/memory/.lessons.jsonl.hardwon-{pid}-0");
            site.link(&lessons, "target.txt");
        }
    }),
    // What settings name
    case("progress_file_is_gits", |site| {
        git_folder(site);
        progress_file(site, ".git/config");
    }),
    case("progress_file_is_gits_in_capitals", |site| {
        git_folder(site);
        progress_file(site, ".GIT/config");
    }),
    case("progress_file_is_above", |site| progress_file(site, "../outside/target.txt")),
    case("progress_file_is_absolute", |site| {
        progress_file(site, &site.outside.join("target.txt").display().to_string());
    }),
    case("progress_file_is_a_link", |site| {
        progress_file(site, "linked.md");
        site.link("linked.md", "target.txt");
    }),
    case("progress_file_has_another_name", |site| {
        progress_file(site, "linked.md");
        site.hard_link("linked.md", "target.txt");
    }),
    case("notes_are_a_link", |site| {
        fs::remove_file(site.work.join("notes.md")).expect("it is there");
        site.link("notes.md", "target.txt");
    }),
    case("notes_are_a_hard_link", |site| {
        fs::remove_file(site.work.join("notes.md")).expect("it is there");
        site.hard_link("notes.md", "target.txt");
    }),
    case("settings_name_a_store", |site| {
        site.put(".hardwon/config.toml", "store = \"sqlite:../outside/empty\"\n");
    }),
    // Other systems' folders
    case("archeflow_is_a_link", |site| site.link(".archeflow", "flow")),
    case("archeflow_is_a_dangling_link", |site| site.link(".archeflow", "new")),
    case("archeflow_memory_is_a_link", |site| site.link(".archeflow/memory", "flow/memory")),
    case("archeflow_memory_is_a_dangling_link", |site| site.link(".archeflow/memory", "new")),
    case("archeflow_events_are_a_link", |site| {
        site.put(".archeflow/memory/lessons.jsonl", LESSON);
        site.link(".archeflow/events", "dir");
    }),
    case("archeflow_lessons_are_a_link", |site| flow_link(site, "lessons.jsonl", "lessons.jsonl")),
    case("archeflow_lessons_have_another_name", |site| {
        site.hard_link(".archeflow/memory/lessons.jsonl", "lessons.jsonl");
    }),
    case("archeflow_lessons_are_open_and_have_another_name", |site| {
        site.hard_link(".archeflow/memory/lessons.jsonl", "open.jsonl");
    }),
    case("archeflow_journal_is_a_link", |site| flow_link(site, "hardwon.jsonl", "new.jsonl")),
    case("archeflow_journal_has_another_name", |site| {
        site.put(".archeflow/memory/lessons.jsonl", LESSON);
        site.hard_link(".archeflow/memory/hardwon.jsonl", "empty");
        site.hard_link(".archeflow/memory/audit.jsonl", "target.txt");
    }),
    case("archeflow_locks_are_links", |site| {
        flow_link(site, "lessons.jsonl.lock", "new.lock");
        site.link(".archeflow/memory/lessons.jsonl.lock.d", "dir");
    }),
    case("archeflow_locks_have_other_names", |site| {
        site.put(".archeflow/memory/lessons.jsonl", LESSON);
        site.hard_link(".archeflow/memory/lessons.jsonl.lock", "target.txt");
    }),
    case("archeflow_has_pipes", |site| {
        for name in ["lessons.jsonl", "audit.jsonl", "hardwon.jsonl", "lessons.jsonl.lock"] {
            site.pipe(&format!(".archeflow/memory/{name}"));
        }
    }),
    case("archeflow_is_huge", |site| {
        site.huge(".archeflow/memory/lessons.jsonl");
        site.huge(".archeflow/memory/hardwon.jsonl");
    }),
    case("openagents_is_a_link", |site| site.link(".openagents", "dir")),
    case("openagents_memory_is_a_link", |site| site.link(".openagents/memory", "dir")),
    case("openagents_lessons_have_another_name", |site| {
        site.hard_link(".openagents/memory/lessons.jsonl", "empty");
        site.hard_link(".openagents/memory/hardwon.jsonl", "target.txt");
    }),
    // Agents' files
    case("claude_folder_is_a_link", |site| site.link(".claude", "dir")),
    case("claude_folder_is_a_dangling_link", |site| site.link(".claude", "new")),
    case("claude_settings_are_a_link", |site| site.link(".claude/settings.json", "settings.json")),
    case("claude_settings_are_a_dangling_link", |site| {
        site.link(".claude/settings.json", "new.json");
    }),
    case("claude_settings_have_another_name", |site| {
        site.hard_link(".claude/settings.json", "settings.json");
    }),
    case("mcp_file_is_a_link", |site| site.link(".mcp.json", "settings.json")),
    case("mcp_file_is_a_pipe", |site| site.pipe(".mcp.json")),
    case("codex_folder_is_a_link", |site| site.link(".codex", "dir")),
    case("codex_hooks_are_a_loop", |site| {
        site.put(".codex/other", "");
        symlink("hooks.json", site.work.join(".codex/hooks.json")).expect("a link");
    }),
    // Files that a user names
    case("export_is_a_link", |site| site.link("export.jsonl", "empty")),
    case("export_is_a_dangling_link", |site| site.link("export.jsonl", "new.jsonl")),
    case("export_has_another_name", |site| site.hard_link("export.jsonl", "empty")),
    case("export_is_a_pipe", |site| site.pipe("export.jsonl")),
    case("export_is_huge", |site| site.huge("export.jsonl")),
    case("folder_is_a_link", |site| site.link("out", "dir")),
    case("folder_is_a_dangling_link", |site| site.link("out", "new")),
    case("folder_has_links", |site| {
        site.link("out/export.jsonl", "empty");
        site.link("out/hardwon.bash", "target.txt");
        site.link("out/man", "dir");
        site.link("out/notes.md", "target.txt");
        site.link("out/.archeflow", "flow");
    }),
    case("pages_are_links", |site| {
        site.link("out/man/hardwon.1", "target.txt");
        site.link("out/man/hardwon-add.1", "new.1");
        site.hard_link("out/man/hardwon-list.1", "empty");
    }),
    case("store_is_a_link", |site| site.link("store.db", "empty")),
    case("store_is_a_dangling_link", |site| site.link("store.db", "new.db")),
    case("store_has_linked_logs", |site| {
        site.link("store.db-wal", "new.wal");
        site.link("store.db-journal", "new.journal");
        site.link("store.db-shm", "new.shm");
    }),
    case("records_are_odd", |site| {
        fs::remove_file(site.work.join("events.jsonl")).expect("it is there");
        site.pipe("events.jsonl");
    }),
    // The folder itself
    Case {
        folder: b"w\xffork",
        ..case("folder_is_not_utf_8", |site| {
            git_folder(site);
            site.put(".archeflow/memory/lessons.jsonl", LESSON);
        })
    },
    Case { folder: b"work\n$(touch x)", ..case("folder_has_an_odd_name", git_folder) },
    case("names_differ_in_case", |site| {
        site.link(".GIT", "other/.git");
        site.link(".Hardwon", "dir");
        site.link(".Claude", "dir");
    }),
    case("folder_is_read_only", |site| {
        git_folder(site);
        fs::set_permissions(&site.work, fs::Permissions::from_mode(0o555)).expect("it is ours");
    }),
    case("folders_contain_themselves", |site| {
        git_folder(site);
        for name in [".hardwon", ".archeflow", ".openagents", ".claude", "out"] {
            fs::create_dir_all(site.work.join(name)).expect("a new folder");
            symlink("..", site.work.join(name).join("memory")).expect("a link");
        }
    }),
    Case {
        swapped: &[".hardwon", ".claude", ".codex", "out"],
        ..case("folders_are_swapped_for_links", |site| {
            git_folder(site);
            for name in [".hardwon/config.toml", ".claude/x", ".codex/x", "out/x"] {
                site.put(name, "");
            }
        })
    },
    Case {
        swapped: &[".archeflow/memory", ".archeflow/events", ".openagents", ".git"],
        ..case("memory_is_swapped_for_links", |site| {
            site.put(".git/HEAD", "ref: refs/heads/main\n");
            site.put(".archeflow/memory/lessons.jsonl", LESSON);
            site.put(".archeflow/events/x", "");
            site.put(".openagents/memory/x", "");
        })
    },
];

fn git_file(site: &Site, target: &str) {
    site.put(".git", &format!("gitdir: {}\n", site.outside.join(target).display()));
}

fn git_folder(site: &Site) {
    site.put(".git/HEAD", "ref: refs/heads/main\n");
    site.put(".git/config", "[core]\n\tbare = false\n");
    site.put(".git/logs/HEAD", "0000 5678 eve <eve@example.org> 1 +0000\tclone\n");
}

fn progress_file(site: &Site, name: &str) {
    let settings = "append_lessons = \"on\"\n";
    site.put(".hardwon/config.toml", &format!("[reflect]\nprogress_file = {name:?}\n{settings}"));
}

fn flow_link(site: &Site, name: &str, target: &str) {
    site.put(".archeflow/memory/archive.jsonl", "");
    if name != "lessons.jsonl" {
        site.put(".archeflow/memory/lessons.jsonl", LESSON);
    }
    site.link(&format!(".archeflow/memory/{name}"), target);
}
