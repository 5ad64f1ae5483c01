//! What keeps memory in order: stores, settings, teams, erasing, and whether a server runs.

use hardwon_core::gate::without_control;

use super::columns::{Side, hanging, table};
use crate::answer::fields::plain;
use crate::answer::settings::flat;
use crate::answer::{
    CopiedStore, Erased, Forgotten, KeptCopy, KnownCopy, MemberLine, Migrated, Policy, PolicyDiff,
    Serving, Setting, Settings, Shared, TeamShown, TokenLine, TokenMade,
};
use crate::record::counted;

pub fn migrated(migrated: &Migrated, width: usize) -> String {
    let Migrated { store, from, to } = migrated;
    let done = match from {
        0 => format!("tables made, version {to}"),
        from if from == to => format!("version {to} already, nothing to do"),
        from => format!("tables brought from version {from} to {to}"),
    };
    hanging("", &format!("{store}: {done}"), width)
}

fn entries(n: u64) -> String {
    format!("{n} journal {}", if n == 1 { "entry" } else { "entries" })
}

/// What came to the other store.
pub fn copied_store(copied: &CopiedStore, width: usize) -> String {
    let CopiedStore { from, to, n_projects, n_entries, n_known } = copied;
    let projects = counted(*n_projects, "project");
    let entries = self::entries(*n_entries);
    let done = match (n_entries, n_known) {
        (0, _) => format!("{from} has nothing that could be copied"),
        (all, known) if all == known => {
            format!("{to} has everything of {from} already: {projects}, {entries}")
        }
        (_, 0) => format!("{to} has everything of {from}: {projects}, {entries}"),
        (all, known) => {
            let new = all - known;
            format!("{to} has everything of {from}: {projects}, {entries}, {new} of them new")
        }
    };
    let used = "name it in HARDWON_STORE or with: hardwon config set store URL";
    let used = if *n_entries == 0 { String::new() } else { hanging("", used, width) };
    hanging("", &done, width) + &used
}

pub fn kept_copy(kept: &KeptCopy, width: usize) -> String {
    let new = match kept.n_new {
        0 => "nothing was new".to_owned(),
        n => format!("{} new", entries(n)),
    };
    hanging("", &format!("{}: {new}", kept.path), width)
}

pub fn serving(serving: &Serving) -> String {
    match serving {
        Serving { url: Some(url), pid: Some(pid), .. } => {
            format!("serving at {url} (process {pid})\n")
        }
        Serving { url: Some(url), .. } => format!("{url}\n"),
        Serving { token_file: Some(path), .. } => {
            format!(
                "a new token is in {path}; open pages have to come in anew: hardwon serve --code\n"
            )
        }
        Serving { .. } => "no server runs here; start one with: hardwon serve\n".to_owned(),
    }
}

/// `config list`: name, value, and where the value was set.
pub fn config(settings: &Settings, width: usize) -> String {
    let row = |setting: &Setting| {
        vec![setting.name.clone(), setting.value.clone(), format!("({})", setting.set_by)]
    };
    let rows: Vec<Vec<String>> = settings.settings.iter().map(row).collect();
    table(&rows, &[Side::Left; 3], width)
}

/// `policy show`: where the numbers come from, then every number under its name.
pub fn policy(policy: &Policy, width: usize) -> String {
    let mut out = hanging("", &format!("{}: {}", policy.name, policy.note), width) + "\n";
    for (name, value) in flat(policy.numbers.clone()) {
        if name != "name" && name != "note" {
            out += &format!("{name} = {}\n", plain(&value));
        }
    }
    out
}

pub fn policy_diff(diff: &PolicyDiff, width: usize) -> String {
    let PolicyDiff { left, right, differences } = diff;
    if differences.is_empty() {
        return format!("{left} and {right} have the same numbers\n");
    }
    let head = vec!["NAME".to_owned(), left.clone(), right.clone()];
    let rows =
        differences.iter().map(|one| vec![one.name.clone(), plain(&one.left), plain(&one.right)]);
    let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    table(&rows, &[Side::Left, Side::Right, Side::Right], width)
}

pub fn team(team: &TeamShown, width: usize) -> String {
    if team.members.is_empty() {
        let none = "nobody is named: whoever has the store may do everything";
        return hanging("", &format!("{}: {none}", team.project), width);
    }
    team.members.iter().map(|member| lines(member, width)).collect()
}

fn lines(member: &MemberLine, width: usize) -> String {
    let mut text = hanging("", &format!("{}  {}", member.name, member.role.0), width);
    for token in &member.tokens {
        text += &hanging("    ", &of_token(token), width);
    }
    text
}

fn of_token(token: &TokenLine) -> String {
    let voice = if token.is_person { "as the person" } else { "as a script" };
    let until = token.until.0.date();
    let good = if token.is_expired { "expired on" } else { "good until" };
    format!("token {} {voice}, {good} {until}", token.id)
}

/// `team token create`.
pub fn token_made(made: &TokenMade, width: usize) -> String {
    let voice = match made.is_person {
        true => format!("speaks as {}", made.member),
        false => format!("speaks as a script of {}", made.member),
    };
    let until = made.until.0.date();
    let told = format!(
        "It {voice} until {until}. It is shown this once and not kept; `hardwon config team token revoke {}` \
         ends it.",
        made.id
    );
    format!("{}\n{}", made.token, hanging("", &told, width))
}

pub fn shared(shared: &Shared, width: usize) -> String {
    let told = match (shared.n_new, shared.n_known) {
        (0, 0) => "nothing was taken".to_owned(),
        (0, n) => format!("{n} known there already"),
        (n, 0) => format!("{n} proposed; a reviewer decides there"),
        (n, known) => {
            format!("{n} proposed, {known} known there already; a reviewer decides there")
        }
    };
    hanging("", &format!("{}: {told}", shared.to), width)
}

/// What is gone, what is left and what to do about it.
pub fn forget_hard(forgotten: &Forgotten) -> String {
    let Forgotten { lesson, erased } = forgotten;
    erased.as_ref().map_or(String::new(), |erased| proof(lesson.id.as_str(), erased))
}

fn proof(id: &str, erased: &Erased) -> String {
    let n_files = counted(erased.n_files_scanned, "file");
    let n_rows = counted(erased.n_rows, "row");
    let mut out = if erased.is_again {
        format!("{id} was forgotten for good before\n")
    } else {
        format!("{id} is forgotten for good: erased from {n_rows}, {n_files} looked through\n")
    };
    match (erased.is_again, erased.is_proved()) {
        (true, true) => {
            out += "the store's files were written anew and its log is empty; its words are gone, \
                    so files were not searched for them\n";
        }
        (false, true) => out += "proved: nothing of its text is left in them\n",
        (_, false) => {}
    }
    for residue in &erased.residues {
        out += &format!("left: {} in {}\n", residue.what, without_control(&residue.place));
    }
    for reason in &erased.not_proved {
        out += &format!("not proved: {}\n", without_control(reason));
    }
    out += &copies("backup", &erased.backups);
    out += &copies("export", &erased.exports);
    let kept = erased.kept.iter().map(|kept| format!("kept: {kept}\n"));
    out.extend(kept);
    out + "not looked at: what was printed or copied elsewhere, other machines, git history\n"
}

fn copies(noun: &str, copies: &[KnownCopy]) -> String {
    let line = |copy: &KnownCopy| {
        let path = without_control(&copy.path);
        if copy.has_text {
            format!("{noun} with the text: {path} (remove it: rm '{path}')\n")
        } else {
            format!("{noun} without it: {path}\n")
        }
    };
    copies.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_told() {
        let told = |from, to| {
            let store = "postgres://ada@db/team".to_owned();
            migrated(&Migrated { store, from, to }, 80)
        };
        assert_eq!(told(0, 2), "postgres://ada@db/team: tables made, version 2\n");
        assert_eq!(told(1, 2), "postgres://ada@db/team: tables brought from version 1 to 2\n");
        assert_eq!(told(2, 2), "postgres://ada@db/team: version 2 already, nothing to do\n");
    }
}
