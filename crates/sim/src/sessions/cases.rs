//! The cases of a file: what was done in each session, and what a line has to name afterwards.

/// Our own cases.
pub const OWN: &str = include_str!("../../cases/mistakes.txt");

/// One thing that was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deed {
    /// The command, or the file of an edit.
    pub command: String,
    pub output: String,
    pub fails: bool,
    /// Whether the host sees that it fails.
    pub is_told: bool,
    pub is_edit: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Case {
    pub name: String,
    pub sessions: Vec<Vec<Deed>>,
    /// What has to be named; nothing if nothing may be advised.
    pub expected: Option<String>,
}

impl Case {
    /// The commands that fail and never work.
    pub fn failing(&self) -> impl Iterator<Item = &str> {
        let all = || self.sessions.iter().flatten();
        let works = move |command: &str| all().any(|deed| !deed.fails && deed.command == command);
        let failing = self.sessions.iter().flatten().filter(|deed| deed.fails);
        failing.map(|deed| deed.command.as_str()).filter(move |command| !works(command))
    }
}

/// Reads a file of cases.
pub fn read(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if mark == "=" {
            let (name, sessions) = (rest.to_owned(), vec![Vec::new()]);
            cases.push(Case { name, sessions, expected: None });
            continue;
        }
        if mark.is_empty() || mark == "#" {
            continue;
        }
        let case = cases.last_mut().ok_or_else(|| format!("line {}: no case yet", n + 1))?;
        take(case, mark, rest).ok_or_else(|| format!("line {}: not understood", n + 1))?;
    }
    for case in cases.iter_mut().filter(|case| case.sessions.len() == 1) {
        let again = case.sessions[0].clone();
        case.sessions.push(again);
    }
    Ok(cases)
}

fn take(case: &mut Case, mark: &str, rest: &str) -> Option<()> {
    let session = case.sessions.last_mut()?;
    let deed = Deed { command: rest.to_owned(), ..Deed::default() };
    match mark {
        "!" => session.push(Deed { fails: true, is_told: true, ..deed }),
        "?" => session.push(Deed { fails: true, ..deed }),
        "+" => session.push(deed),
        "~" => session.push(Deed { is_edit: true, ..deed }),
        "|" => {
            let last = session.last_mut()?;
            last.output += rest;
            last.output += "\n";
        }
        "--" => case.sessions.push(Vec::new()),
        ">" => case.expected = (rest != "none").then(|| rest.to_owned()),
        _ => return None,
    }
    Some(())
}
