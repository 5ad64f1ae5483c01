//! What a person reads about `init`, `install` and `uninstall`: the diffs before, one line
//! a file after.

use hardwon_core::answer::{FileStep, HostFile, HostSeen, Installation};
use hardwon_core::gate::without_control;

use crate::record::counted;

/// Which hosts are here.
pub fn hosts(hosts: &[HostSeen]) -> String {
    let line = |host: &HostSeen| {
        let sign = host.sign.as_deref().map_or_else(|| "not found".to_owned(), without_control);
        let kept = match host.n_transcripts {
            0 => String::new(),
            n => format!("; it kept {}", counted(n as u64, "conversation")),
        };
        format!("{}: {sign}{kept}\n", host.title)
    };
    hosts.iter().map(line).collect()
}

/// What is done, or would be: with the diffs if it is not done yet.
pub fn install(said: &Installation) -> String {
    let is_done = said.is_done;
    let mut out = String::new();
    for file in &said.files {
        if !is_done && !file.diff.is_empty() {
            out += &file.diff;
        }
    }
    if !out.is_empty() {
        out += "\n";
    }
    out.extend(said.files.iter().map(|file| line(file, is_done)));
    if said.n_writes() == 0 {
        out += "nothing to change\n";
        return out;
    }
    if is_done {
        out.extend(
            said.by_hand.iter().map(|line| format!("left to you: {}\n", without_control(line))),
        );
    }
    out
}

fn line(file: &HostFile, is_done: bool) -> String {
    let step = match (file.step, is_done) {
        (FileStep::Create, true) => "created",
        (FileStep::Create, false) => "would create",
        (FileStep::Change, true) => "changed",
        (FileStep::Change, false) => "would change",
        (FileStep::Restore, true) => "restored to the byte",
        (FileStep::Restore, false) => "would restore to the byte",
        (FileStep::Delete, true) => "deleted",
        (FileStep::Delete, false) => "would delete",
        (FileStep::Keep, _) => "unchanged",
        (FileStep::Leave, _) => "left alone",
    };
    let reason = file.reason.as_deref().map(without_control);
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{step} {} ({} {}){reason}\n", without_control(&file.path), file.host, file.purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(step: FileStep, reason: Option<&str>, diff: &str) -> HostFile {
        HostFile {
            host: "claude",
            purpose: "hooks",
            path: "/h/settings.json".to_owned(),
            step,
            reason: reason.map(str::to_owned),
            diff: diff.to_owned(),
        }
    }

    #[test]
    fn before_with_the_diff_and_after_with_what_is_left() {
        let mut said = Installation {
            files: vec![
                file(FileStep::Create, None, "--- /dev/null\n+++ a\n"),
                file(FileStep::Leave, Some("it is no file"), ""),
            ],
            by_hand: vec!["open /hooks".to_owned()],
            ..Installation::default()
        };
        let before = "--- /dev/null\n+++ a\n\nwould create /h/settings.json (claude hooks)\n\
                      left alone /h/settings.json (claude hooks): it is no file\n";
        assert_eq!(install(&said), before);
        said.is_done = true;
        let after = "created /h/settings.json (claude hooks)\n\
                     left alone /h/settings.json (claude hooks): it is no file\n\
                     left to you: open /hooks\n";
        assert_eq!(install(&said), after);
    }

    #[test]
    fn nothing_to_change_is_said() {
        let files = vec![file(FileStep::Keep, None, "")];
        let said = Installation { files, ..Installation::default() };
        let expected = "unchanged /h/settings.json (claude hooks)\nnothing to change\n";
        assert_eq!(install(&said), expected);
    }

    #[test]
    fn hosts_are_told_with_their_sign() {
        let seen = |sign: Option<&str>, n_transcripts| HostSeen {
            name: "claude",
            title: "Claude Code",
            sign: sign.map(str::to_owned),
            n_transcripts,
        };
        let told = hosts(&[seen(Some("/h/.claude is there"), 2), seen(None, 0)]);
        let expected = "Claude Code: /h/.claude is there; it kept 2 conversations\n\
                        Claude Code: not found\n";
        assert_eq!(told, expected);
    }
}
