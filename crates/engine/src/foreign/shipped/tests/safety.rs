//! What a checkout, a secret, a crash or another process must not be able to do.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

#[test]
fn linked_folders_are_refused() {
    let outside = TempDir::new().unwrap();
    for name in [".archeflow", ".archeflow/memory", ".archeflow/events", ".archeflow/progress"] {
        let project = Project::with(&[]);
        let path = project.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(outside.path(), path).unwrap();
        let link = format!(
            "ERROR: refusing to use {name}: it is a symlink (a repository can point it anywhere)."
        );
        for args in [&["add", "pattern", "words"][..], &["list"], &["inject"], &["lern"]] {
            project.says(args, 1, &[&link]);
        }
    }
    for name in [".archeflow", ".archeflow/memory"] {
        let project = Project::with(&[(name, &["words"])]);
        let talk = format!("ERROR: refusing to use {name}: not a directory.");
        project.says(&["decay"], 1, &[&talk]);
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn linked_files_are_refused() {
    let outside = TempDir::new().unwrap();
    let target = outside.path().join("target");
    let known = lesson("m-001", "2", "words");
    let link = |act: &str, name: &str| {
        format!(
            "Error: refusing to {act} through symlink: .archeflow/{name} (in .archeflow/{name})"
        )
    };
    for (name, args, act) in [
        (LESSONS, &["add", "pattern", "words"][..], "write"),
        (LESSONS, &["list"], "read"),
        (ARCHIVE, &["decay"], "write"),
        (ARCHIVE, &["forget", "m-001"], "write"),
        (AUDIT, &["inject", "", "", "--audit", "r1"], "write"),
    ] {
        let project = Project::with(&[]);
        project.put(LESSONS, &format!("{known}\n"));
        let _ = fs::remove_file(project.path(name));
        symlink(&target, project.path(name)).unwrap();
        project.says(args, 1, &[&link(act, name)]);
        assert!(fs::symlink_metadata(project.path(name)).unwrap().is_symlink());
    }
    let project = Project::with(&[(LESSONS, &[&known])]);
    symlink(&target, project.path("memory/lessons.jsonl.lock")).unwrap();
    let talk = [
        "Error: refusing to use symlinked lock file: .archeflow/memory/lessons.jsonl.lock",
        "Error: could not lock .archeflow/memory/lessons.jsonl",
    ];
    project.says(&["decay"], 1, &talk);
    assert!(!target.exists());
}

#[test]
fn a_pipe_or_a_folder_is_no_file() {
    for make in ["mkfifo", "mkdir"] {
        let project = Project::with(&[("events/r1.jsonl", &["{}"])]);
        let made = |name: &str| {
            fs::create_dir_all(project.path(name).parent().unwrap()).unwrap();
            Command::new(make).arg(project.path(name)).status().unwrap().success()
        };
        assert!(made(LESSONS) && made(AUDIT) && made("log"));
        let kept = format!(".archeflow/{LESSONS}: not a plain file");
        for args in [&["list"][..], &["inject"]] {
            project.says(args, 1, &[&format!("Error: refusing to read {kept}")]);
        }
        for args in [&["add", "pattern", "words"][..], &["decay"], &["forget", "m-001"]] {
            project.says(args, 1, &[&format!("Error: refusing to write {kept}")]);
        }
        let audit = format!("Error: refusing to read .archeflow/{AUDIT}: not a plain file");
        project.says(&["audit-check", "r1"], 1, &[&audit]);
        project.says(&["regression-check", "log"], 1, &["Error: events file not found: log"]);
    }
}

#[test]
fn no_text_is_ever_run() {
    let project = Project::with(&[]);
    let marker = project.0.path().join("marker");
    let touch = format!("touch {}", marker.display());
    let payloads = [
        format!("$({touch})"),
        format!("`{touch}`"),
        format!("; {touch} #"),
        format!("a[$({touch})]"),
        format!("m-1+a[$({touch})]"),
        format!("' || {touch} || '"),
    ];
    for payload in &payloads {
        let fields = [
            "id",
            "type",
            "source",
            "description",
            "frequency",
            "domain",
            "archetype",
            "severity",
            "run_id",
            "category",
            "finding",
            "runs_since_last_seen",
            "last_seen_run",
        ];
        let entries: Vec<String> =
            fields.iter().map(|field| format!(r#""{field}":"{payload}""#)).collect();
        let record = format!("{{{}}}", entries.join(","));
        let log = verdict(payload, &[&record]).replace("sage", payload);
        let preference = record.replacen(payload, "m-001", 1);
        for (name, line) in [
            (LESSONS, &preference),
            (AUDIT, &format!(r#"{{"run_id":"r1","lessons_injected":["{payload}"]}}"#)),
            (INDEX, &record),
            ("events/r1.jsonl", &log),
            ("log.jsonl", &log),
        ] {
            project.put(name, &format!("{line}\n"));
        }
        for args in [
            &["list"][..],
            &["inject", payload, payload, "--audit", payload],
            &["extract", "log.jsonl"],
            &["extract", payload],
            &["regression-check", "log.jsonl"],
            &["regression-check", payload],
            &["audit-check", "r1"],
            &["audit-check", payload],
            &["add", payload, payload],
            &["decay"],
            &["forget", payload],
            &["forget", "m-001"],
            &[payload],
        ] {
            project.run(args);
            assert!(!marker.exists(), "{args:?}");
        }
    }
}

#[test]
fn secrets_are_not_written() {
    let secret = format!("AKIA{}", "IOSFODNN7QWERTYU");
    let findings = [format!("the key {secret} stands\\nin the log of it")];
    let log = verdict("r1", &[&finding("bug", &findings[0])]);
    let project = Project::with(&[("log.jsonl", &[&log])]);
    project.run(&["add", "preference", &format!("Use {secret}\nhere")]);
    for updated in ["0 updated, 1 new candidates", "1 updated, 0 new candidates"] {
        let said = project.run(&["extract", "log.jsonl"]);
        assert!(said.talk[1].ends_with(updated), "{said:?}");
        assert!(!said.talk.concat().contains(&secret));
    }
    let kept = project.get(LESSONS).to_lowercase();
    assert!(!kept.contains(&secret.to_lowercase()), "not even among the tags: {kept}");
    assert!(kept.contains(r"\nhere") && kept.contains(r"stands\nin the log"));
}

#[test]
fn an_unfinished_last_line_is_neither_lost_nor_glued() {
    let last = lesson("m-001", "2", "words");
    let project = Project::with(&[]);
    project.put(LESSONS, &last);
    project.run(&["add", "pattern", "others"]);
    assert_eq!(project.lessons().len(), 2);
    project.put(LESSONS, &last);
    project.run(&["decay"]);
    assert_eq!(project.lessons().len(), 1);
    let log = verdict("r1", &[&finding("bug", "new subject")]);
    project.put("log.jsonl", &log);
    project.put(LESSONS, &last);
    project.run(&["extract", "log.jsonl"]);
    assert_eq!(project.lessons().len(), 2);
    assert_eq!(project.lessons()[0], last);
}

#[test]
fn writers_wait_for_each_other() {
    let project = Project::with(&[]);
    std::thread::scope(|scope| {
        for number in 0..10 {
            let project = &project;
            let text = format!("lesson number {number}");
            scope.spawn(move || assert_eq!(project.run(&["add", "pattern", &text]).code, 0));
        }
    });
    let lessons = hardwon_readers::shipped_lessons(project.get(LESSONS).as_bytes());
    let ids: BTreeSet<String> = lessons.usable().map(|lesson| lesson.id.printed()).collect();
    assert_eq!(ids.len(), 10);
    assert_eq!(ids.last().map(String::as_str), Some("m-010"));
    assert_eq!(project.kept_files(), ["lessons.jsonl"]);
}
