//! What does a failure mean to the caller? One place maps errors to a kind, an exit
//! status and the next step to take.

use std::path::Path;

use hardwon_engine::{EngineError, StoreError, people};

/// Exit statuses that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, also when some of the input was bad.
    Done,
    /// A negative answer that was asked for.
    Negative,
    /// Usage error, missing file, unknown id, no usable input.
    Usage,
    /// The store cannot be used.
    Store,
    /// What another system's own command would have ended with.
    Foreign(u8),
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Negative => 1,
            Exit::Usage => 2,
            Exit::Store => 3,
            Exit::Foreign(code) => code,
        }
    }
}

/// A failure as a face shows it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// `Usage` if the call or its input caused it, or `Store`.
    pub exit: Exit,
    /// The file, setting or store it concerns.
    pub place: String,
    pub message: String,
    /// What to type next.
    pub hint: Option<&'static str>,
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        use EngineError::*;
        // Without a home folder it is not known where the store is.
        let is_of_store = matches!(error, Store(_) | NoHome | Folder(_));
        let exit = if is_of_store { Exit::Store } else { Exit::Usage };
        let (place, hint) = place_and_hint(&error);
        Failure { exit, place, message: error.to_string(), hint }
    }
}

impl Failure {
    /// A wrong call, with the next step.
    pub fn usage(message: impl Into<String>, hint: Option<&'static str>) -> Self {
        Failure::at("command", message, hint)
    }

    /// The same, of what stands or lies there.
    pub fn at(
        place: impl Into<String>,
        message: impl Into<String>,
        hint: Option<&'static str>,
    ) -> Self {
        Failure { exit: Exit::Usage, place: place.into(), message: message.into(), hint }
    }
}

/// What an error concerns, and what to type next.
fn place_and_hint(error: &EngineError) -> (String, Option<&'static str>) {
    use EngineError::*;
    let at = |place: &str, hint: &'static str| (place.to_owned(), Some(hint));
    let file = |path: &Path, hint: &'static str| (path.display().to_string(), Some(hint));
    let command = |hint: &'static str| at("command", hint);
    match error {
        Store(error) => ("store".to_owned(), store_hint(error)),
        StoreUrl { reason, .. } if reason.contains("postgres://") => {
            at("store", "for example: --store postgres://ann@db.example/memory")
        }
        StoreUrl { .. } => at("store", "for example: --store sqlite:memory.db"),
        NoCurrentFolder => at("project", "change to a folder that exists, or add --project NAME"),
        NoHome => at("store", "set HARDWON_HOME to a folder of yours"),
        Folder(_) => at("store", "check the folder: nothing in it was followed or changed"),
        UnknownLesson { .. } => command("`hardwon list --all` shows every lesson"),
        AmbiguousLesson { .. } => command("give more of the id"),
        BadCursor { .. } => command("take it from `next` of the answer before"),
        Changed { .. } => command("load it again, and look at what is there now"),
        UnknownVersion { .. } => command("`hardwon log --versions LESSON` lists them"),
        UnknownRun { .. } => command("`hardwon list runs` lists them"),
        NotFound { what: "finding", .. } => command("`hardwon list findings` lists them"),
        NotFound { what: "task" | "mission", .. } => command("look below .geas/missions"),
        NotFound { what: "note", .. } => command("`hardwon jkz list` lists them"),
        NotFound { .. } => command("`hardwon list answers` lists them"),
        UnknownProject { .. } => command("`hardwon config project list` lists them"),
        AmbiguousProject { .. } => command("give the complete id"),
        NoCheckout => command("call it without --project and HARDWON_PROJECT"),
        OutcomeStated { .. } => command("if that was wrong, state it again with --correct"),
        TooWide { .. } => {
            command("`hardwon edit LESSON --session NAME --unscope task` takes the next step")
        }
        Erased { .. } => command("`hardwon log` shows when; `hardwon add` states it again"),
        ForeignErasure => command("`hardwon forget` archives it; erase it from the folder by hand"),
        UnknownOperation(_) | NothingToUndo => command("`hardwon log` lists operations"),
        UndoRefused { .. } => command("undo the later operations first, or edit the lesson"),
        AliasTaken { .. } => command("choose another alias"),
        NotAllowed(people::Refusal::NoTeam) => command("`hardwon config team create` makes one"),
        NotAllowed(_) => command("`hardwon config team list` shows who may do what"),
        NeedsPerson { .. } => command("ask the person to call it"),
        NeedsFlag { .. } => {
            command("a person may add --as-user; an agent sets HARDWON_AGENT to its name")
        }
        DecisionRefused { .. } => command("`hardwon show LESSON` shows its state and its record"),
        NoteRefused { hint, .. } => command(hint),
        Unapproved { .. } => {
            command("`hardwon review trust FOLDER` shows what is in it and approves it")
        }
        WrongState { .. } => command("`hardwon show` shows its state"),
        Duplicate { .. } => {
            command("`hardwon edit` changes a lesson, `hardwon edit --pin` pins it")
        }
        Refused(_) => ("command".to_owned(), None),
        BadClock => ("HARDWON_NOW".to_owned(), None),
        UnknownPolicy { .. } => at("policy", "`hardwon config policy list` shows them"),
        Setting { key, .. } if key == "project" => at(key, "give it a name of at least one word"),
        Setting { key, .. } => at(key, "`hardwon config keys` lists the settings"),
        Input { input, .. } => at(input, "`hardwon learn --help` lists the formats"),
        NoUsableInput(_) => at("input", "docs/run-record.md describes what can be read"),
        BadExport { path, reason } if reason.contains("newer program") => {
            at(path, "nothing was imported; update hardwon")
        }
        BadExport { path, .. } => at(path, "nothing was imported; make the export again"),
        File { path, .. } => file(path, "check the path; `-` reads standard input"),
        SettingsFile { path, .. } => file(path, "correct the file by hand; nothing was changed"),
        NoFolder { path } => file(
            path,
            "check the path; of another system name the .archeflow, .openagents or .geas folder, or \
                 the one that contains it",
        ),
        NotExport { path, .. } => file(
            path,
            "name a file that `hardwon export` wrote, or a folder that contains .archeflow, .openagents or \
             .geas",
        ),
        NotWritten { path, .. } => file(path, "name a file in a folder that you can write to"),
        NoOverwrite { path } => file(path, "name another file, or add --yes"),
    }
}

fn store_hint(error: &StoreError) -> Option<&'static str> {
    match error {
        StoreError::Conflict | StoreError::Busy { .. } => Some("try again in a moment"),
        StoreError::TooOld { .. } => Some("or move the file away to start with an empty one"),
        StoreError::TooNew { .. } => Some("until then, name another --store to write to"),
        StoreError::Damaged { .. } => {
            Some("`hardwon doctor --fix` brings back what can be read, and keeps the damaged file")
        }
        StoreError::Mismatch(_) => Some("the store may be damaged; keep a copy of its file"),
        StoreError::Away { .. } => Some(
            "check that the server runs; `hardwon config store keep` keeps a copy at hand for such times",
        ),
        StoreError::Unusable { place, .. } if place.starts_with("postgres:") => {
            Some("check that the server runs and lets this role in; `hardwon doctor` shows more")
        }
        StoreError::Unusable { .. } => {
            Some("`hardwon doctor` shows more; check the disk and the folder's permissions")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_hints_of_its_own() {
        let unusable = |place: &str| {
            let (place, detail) = (place.to_owned(), "refused".to_owned());
            store_hint(&StoreError::Unusable { place, detail }).unwrap_or_default()
        };
        assert!(unusable("postgres://ann@db/memory").contains("server"));
        assert!(unusable("/home/ann/memory.db").contains("disk"));
    }
}
