//! What a person reads about `init`, `install` and `uninstall`: the diffs before, one line
//! a file after.

use hardwon_core::gate::without_control;

use crate::answer::{Conversations, FileStep, HostFile, HostSeen, Installation, Named};
use crate::record::{after, counted};

/// Which hosts are here.
pub fn hosts(hosts: &[HostSeen]) -> String {
    let line = |host: &HostSeen| {
        let sign = host.sign.as_deref().map_or_else(|| "not found".to_owned(), without_control);
        let kept = match host.n_transcripts {
            0 => String::new(),
            n => format!("; it kept {}", counted(n, "conversation")),
        };
        format!("{}: {sign}{kept}\n", host.title)
    };
    hosts.iter().map(line).collect()
}

/// What is done, or would be: with the diffs if it is not done yet.
pub fn install(installation: &Installation) -> String {
    let Installation { files, is_done, by_hand, .. } = installation;
    let mut out = String::new();
    if !is_done {
        out.extend(files.iter().map(|file| file.diff.as_str()));
    }
    if !out.is_empty() {
        out += "\n";
    }
    out.extend(files.iter().map(|file| line(file, *is_done)));
    if installation.n_writes() == 0 {
        out += "nothing to change\n";
    } else if *is_done {
        out.extend(by_hand.iter().map(|line| format!("left to you: {}\n", without_control(line))));
    }
    out
}

/// Which conversations would be read.
pub fn conversations_offered(conversations: &Conversations) -> String {
    let Conversations { n_found, n_read, .. } = conversations;
    let all = counted(*n_found, "conversation");
    if n_found > n_read {
        format!("the newest {n_read} of {all} of this project")
    } else {
        format!("{all} of this project")
    }
}

/// What was learned from the conversations of a project.
pub fn conversations(conversations: &Conversations) -> String {
    let Conversations { n_found, n_read, n_runs, n_known, n_findings, new, promoted, .. } =
        conversations;
    let of_all =
        if n_found > n_read { format!(", the newest of {n_found}") } else { String::new() };
    let known = match *n_known {
        0 => String::new(),
        n => format!(" ({n} known already)"),
    };
    let mut out = format!(
        "read {}{of_all}: {}{known}, {}, {}\n",
        counted(*n_read, "conversation"),
        counted(*n_runs, "run"),
        counted(*n_findings, "finding"),
        counted(new.len() as u64, "new lesson"),
    );
    let line = |named: &Named| {
        format!("shown to later runs: {}  {}\n", named.id, without_control(&named.text))
    };
    out.extend(promoted.iter().map(line));
    if promoted.is_empty() && !new.is_empty() {
        out += "none is shown yet: each waits to be seen again, or for `hardwon review`\n";
    }
    if let Some(operation) = conversations.operation {
        out += &format!("operation {operation}: `hardwon undo {operation}` reverses it\n");
    }
    out
}

fn line(file: &HostFile, is_done: bool) -> String {
    let (done, would) = match file.step.0 {
        FileStep::Create => ("created", "would create"),
        FileStep::Change => ("changed", "would change"),
        FileStep::Restore => ("restored to the byte", "would restore to the byte"),
        FileStep::Delete => ("deleted", "would delete"),
        FileStep::Keep => ("unchanged", "unchanged"),
        FileStep::Leave => ("left alone", "left alone"),
    };
    let step = if is_done { done } else { would };
    let reason = after(": ", file.reason.as_deref().map(without_control));
    format!("{step} {} ({} {}){reason}\n", without_control(&file.path), file.host, file.purpose)
}
