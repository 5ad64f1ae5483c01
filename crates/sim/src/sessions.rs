//! Does a session with a mistake teach its repair? Plays mistakes and their repairs as transcripts
//! of both hosts, learns them, and looks at what a third session is shown, at its start and when
//! the same command fails again.

mod cases;
mod played;

use hardwon_core::command::shell;
use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::need::Need;
use hardwon_core::time::Timestamp;
use hardwon_engine::blocks::FailedTool;
use hardwon_engine::{EngineError, InjectRequest, OpenMemory, blocks, policy, runs};
use hardwon_store::MemoryStore;

use crate::table::{Cell, Column, Table};
use cases::{Case, Deed};
use played::Host;

const COLUMNS: [Column; 8] = [
    Column { title: "host", key: "host" },
    Column { title: "cases", key: "cases" },
    Column { title: "with a repair", key: "with_repair" },
    Column { title: "it is named", key: "named" },
    Column { title: "what fails is advised", key: "advised_wrongly" },
    Column { title: "wrong repairs", key: "wrong_repairs" },
    Column { title: "recalled", key: "recalled" },
    Column { title: "recalled for others", key: "recalled_falsely" },
];

const AT: i64 = 1_775_224_800_000;

/// What came out of the cases of one host.
#[derive(Default)]
pub struct Count {
    n_cases: u64,
    n_with_repair: u64,
    pub n_named: u64,
    pub n_advised_wrongly: u64,
    pub n_wrong_repairs: u64,
    n_failures: u64,
    pub n_recalled: u64,
    n_others: u64,
    pub n_recalled_falsely: u64,
}

/// Plays all cases of a file, or our own.
pub fn run(file: Option<&str>, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let cases = cases::read(file.unwrap_or(cases::OWN))?;
    let mut rows = Vec::new();
    for host in [Host::Claude, Host::Codex] {
        let count = play(&cases, host, talk).map_err(|error| error.to_string())?;
        rows.push(vec![
            Cell::Text(host.name().to_owned()),
            Cell::Count(count.n_cases),
            Cell::Count(count.n_with_repair),
            Cell::Count(count.n_named),
            Cell::Count(count.n_advised_wrongly),
            Cell::Count(count.n_wrong_repairs),
            Cell::Text(format!("{} of {}", count.n_recalled, count.n_failures)),
            Cell::Text(format!("{} of {}", count.n_recalled_falsely, count.n_others)),
        ]);
    }
    let notes = [
        "Each case is a mistake with its repair in two sessions; a third one is shown a block.",
        "wrong repairs: something is advised where nothing may be.",
        "recalled: the same command fails again, and its lesson is said; for others: after the \
         failure of another case.",
    ];
    Ok(Table {
        title: "Sessions: mistakes, their repairs, and what is said about them".to_owned(),
        notes: notes.map(str::to_owned).to_vec(),
        columns: COLUMNS.to_vec(),
        rows,
    })
}

/// Plays every case in a memory of its own.
pub fn play(cases: &[Case], host: Host, talk: &mut dyn FnMut(&str)) -> Result<Count, EngineError> {
    let mut count = Count::default();
    for (index, case) in cases.iter().enumerate() {
        count.n_cases += 1;
        let mut memory = memory()?;
        for (n, session) in case.sessions.iter().enumerate() {
            let text = played::transcript(host, session, &format!("{index}-{n}"));
            let _ = runs::learn_conversation(&mut memory.memory, &memory.call, "kept", &text)?;
        }
        let lines = shown(&mut memory)?;
        judge(case, &lines, host, &mut count, talk);
        recall(cases, index, &memory, host, &mut count, talk)?;
    }
    Ok(count)
}

fn memory() -> Result<OpenMemory, EngineError> {
    let store = Box::new(MemoryStore::new());
    Ok(OpenMemory::with_store(
        store,
        ProjectId::new("shop"),
        policy::load("hardwon")?,
        Timestamp(AT),
    ))
}

fn shown(memory: &mut OpenMemory) -> Result<Vec<String>, EngineError> {
    let run = RunId::parse("third").ok();
    let request = InjectRequest { run, ..InjectRequest::default() };
    let block = blocks::inject(&mut memory.memory, &memory.call, &request)?.body.block;
    Ok(lesson_lines(&block))
}

fn lesson_lines(block: &str) -> Vec<String> {
    block.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect()
}

fn judge(case: &Case, lines: &[String], host: Host, count: &mut Count, talk: &mut dyn FnMut(&str)) {
    let failing: Vec<&str> = case.failing().collect();
    let advised = |line: &str| -> Option<String> {
        let rest = line.strip_prefix("- Use `");
        let rest = rest.or_else(|| line.split_once(" run `").map(|(_, rest)| rest))?;
        rest.split('`').next().map(str::to_owned)
    };
    let advised: Vec<String> = lines.iter().filter_map(|line| advised(line)).collect();
    let is_failing = |command: &String| failing.contains(&command.as_str());
    if advised.iter().any(is_failing) {
        count.n_advised_wrongly += 1;
        talk(&format!("{} {}: advises what fails: {lines:?}", host.name(), case.name));
    }
    match &case.expected {
        Some(expected) => {
            count.n_with_repair += 1;
            if advised.iter().any(|command| command.contains(expected.as_str())) {
                count.n_named += 1;
            } else {
                talk(&format!("{} {}: not named: {lines:?}", host.name(), case.name));
            }
        }
        None if !advised.is_empty() => {
            count.n_wrong_repairs += 1;
            talk(&format!("{} {}: advised: {lines:?}", host.name(), case.name));
        }
        None => {}
    }
}

/// The failure of the case itself, and those of others.
fn recall(
    cases: &[Case],
    index: usize,
    memory: &OpenMemory,
    host: Host,
    count: &mut Count,
    talk: &mut dyn FnMut(&str),
) -> Result<(), EngineError> {
    let recalled = |deed: &Deed| -> Result<String, EngineError> {
        let failed = FailedTool {
            run: None,
            need: Need::default(),
            command: Some(deed.command.clone()),
            error: deed.output.clone(),
        };
        Ok(blocks::recall(&memory.memory, &memory.call, &failed)?.injected.block)
    };
    let own = cases[index].sessions.last().and_then(|session| session.iter().find(|d| d.fails));
    if let Some(deed) = own.filter(|_| cases[index].expected.is_some()) {
        count.n_failures += 1;
        let block = recalled(deed)?;
        if block.is_empty() {
            talk(&format!("{} {}: not recalled", host.name(), cases[index].name));
        } else {
            count.n_recalled += 1;
        }
    }
    let name = |deed: &Deed| shell::program(&deed.command);
    let own_name = own.map(name);
    for other in [1, 5, 11].iter().map(|step| &cases[(index + step) % cases.len()]) {
        let deed = other.sessions.first().and_then(|session| session.iter().find(|d| d.fails));
        let Some(deed) = deed.filter(|deed| Some(name(deed)) != own_name) else { continue };
        count.n_others += 1;
        let block = recalled(deed)?;
        if !block.is_empty() {
            count.n_recalled_falsely += 1;
            talk(&format!(
                "{} {}: recalled at {}: {block}",
                host.name(),
                cases[index].name,
                other.name
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_teach_their_repairs_and_nothing_else() {
        let cases = cases::read(cases::OWN).unwrap();
        for host in [Host::Claude, Host::Codex] {
            let mut told = Vec::new();
            let count = play(&cases, host, &mut |line| told.push(line.to_owned())).unwrap();
            assert_eq!((count.n_advised_wrongly, count.n_wrong_repairs), (0, 0), "{told:#?}");
            assert!(count.n_named * 10 >= count.n_with_repair * 9, "{told:#?}");
            assert!(count.n_recalled * 10 >= count.n_failures * 9, "{told:#?}");
            assert!(count.n_recalled_falsely * 50 <= count.n_others, "{told:#?}");
        }
    }
}
