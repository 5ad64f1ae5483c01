//! What does a failure mean to the caller? One place maps errors to a kind, an exit
//! status and the next step to take.

use hardwon_engine::{EngineError, StoreError};

/// Whose problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The call or its input.
    Usage,
    /// The store.
    Store,
}

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
    /// The status as the shell sees it.
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

/// A failure as a face tells it.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    /// The file, setting or store it concerns.
    pub place: String,
    pub message: String,
    /// What to type next.
    pub hint: Option<&'static str>,
}

impl Failure {
    /// The exit status of this failure.
    pub fn exit(&self) -> Exit {
        match self.kind {
            Kind::Usage => Exit::Usage,
            Kind::Store => Exit::Store,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Failure {
            kind: kind(&error),
            place: place(&error),
            hint: hint(&error),
            message: error.to_string(),
        }
    }
}

impl Failure {
    /// A wrong call, with the next step.
    pub fn usage(message: impl Into<String>, hint: Option<&'static str>) -> Self {
        Failure { kind: Kind::Usage, place: "command".to_owned(), message: message.into(), hint }
    }
}

fn kind(error: &EngineError) -> Kind {
    use EngineError::*;
    match error {
        // Without a home there is no telling where the store is.
        Store(_) | NoHome | Folder(_) => Kind::Store,
        UnknownLesson { .. } | AmbiguousLesson { .. } | UnknownRun { .. } => Kind::Usage,
        UnknownPolicy { .. } | Refused(_) | Input { .. } | File { .. } => Kind::Usage,
        NoUsableInput(_) | Setting { .. } | SettingsFile { .. } | BadClock => Kind::Usage,
        StoreUrl { .. } | UnknownOperation(_) | NothingToUndo => Kind::Usage,
        UndoRefused { .. } | WrongState { .. } | Duplicate { .. } => Kind::Usage,
        AliasTaken { .. } | DecisionRefused { .. } | NoFolder { .. } => Kind::Usage,
        NeedsPerson { .. } | OutcomeStated { .. } | TooWide { .. } => Kind::Usage,
        Erased { .. } | ForeignErasure | BadExport { .. } | NoOverwrite { .. } => Kind::Usage,
        NotExport { .. } | NotWritten { .. } => Kind::Usage,
    }
}

fn place(error: &EngineError) -> String {
    use EngineError::*;
    match error {
        Store(_) | StoreUrl { .. } | NoHome | Folder(_) => "store".to_owned(),
        Input { input, .. } => input.clone(),
        File { path, .. } | SettingsFile { path, .. } | NoFolder { path } => {
            path.display().to_string()
        }
        Setting { key, .. } => key.clone(),
        UnknownPolicy { .. } => "policy".to_owned(),
        BadClock => "HARDWON_NOW".to_owned(),
        NoUsableInput(_) => "input".to_owned(),
        UnknownLesson { .. } | AmbiguousLesson { .. } | UnknownRun { .. } => "command".to_owned(),
        Refused(_) | UnknownOperation(_) | NothingToUndo => "command".to_owned(),
        UndoRefused { .. } | WrongState { .. } | Duplicate { .. } => "command".to_owned(),
        AliasTaken { .. } | DecisionRefused { .. } => "command".to_owned(),
        NeedsPerson { .. } | OutcomeStated { .. } | TooWide { .. } => "command".to_owned(),
        Erased { .. } | ForeignErasure => "command".to_owned(),
        BadExport { path, .. } => path.clone(),
        NoOverwrite { path } | NotExport { path, .. } | NotWritten { path, .. } => {
            path.display().to_string()
        }
    }
}

fn hint(error: &EngineError) -> Option<&'static str> {
    use EngineError::*;
    match error {
        Store(error) => store_hint(error),
        UnknownLesson { .. } => Some("`hardwon list --all` shows every lesson"),
        AmbiguousLesson { .. } => Some("give more of the id"),
        UnknownRun { .. } => Some("`hardwon runs` lists them"),
        OutcomeStated { .. } => Some("if that was wrong, say it again with --correct"),
        TooWide { .. } => {
            Some("`hardwon edit LESSON --session NAME --unscope task` takes the next step")
        }
        UnknownPolicy { .. } => Some("`hardwon policy list` shows them"),
        Erased { .. } => Some("`hardwon history` tells when; `hardwon add` states it anew"),
        ForeignErasure => Some("`hardwon forget` puts it away; erase it from the folder by hand"),
        BadExport { reason, .. } if reason.contains("newer program") => {
            Some("nothing was imported; update hardwon")
        }
        BadExport { .. } => Some("nothing was imported; make the export again"),
        NotExport { .. } => Some(
            "name a file that `hardwon export` wrote, or a folder with .archeflow or .openagents in it",
        ),
        NotWritten { .. } => Some("name a file in a folder that is there and yours to write"),
        NoOverwrite { .. } => Some("name another file, or say --yes"),
        Refused(_) => None,
        Folder(_) => Some("look at the folder by hand: nothing in it was followed or changed"),
        Input { .. } => Some("`hardwon learn --help` lists the formats"),
        File { .. } => Some("check the path; `-` reads standard input"),
        NoUsableInput(_) => Some("docs/run-record.md describes what can be read"),
        Setting { .. } => Some("`hardwon config keys` lists the settings"),
        SettingsFile { .. } => Some("correct the file by hand; nothing was changed"),
        BadClock => None,
        StoreUrl { .. } => Some("for example: --store sqlite:memory.db"),
        NoHome => Some("set HARDWON_HOME to a folder of yours"),
        UnknownOperation(_) | NothingToUndo => Some("`hardwon history` lists operations"),
        UndoRefused { .. } => Some("undo the later operations first, or edit the lesson"),
        AliasTaken { .. } => Some("choose another alias"),
        NeedsPerson { .. } => Some("ask the person to call it"),
        NoFolder { .. } => {
            Some("name the .archeflow or .openagents folder, or the one that holds it")
        }
        DecisionRefused { .. } => Some("`hardwon show LESSON` tells its state and its record"),
        WrongState { .. } => Some("`hardwon show` tells its state"),
        Duplicate { .. } => Some("`hardwon edit` changes a lesson, `hardwon pin` pins it"),
    }
}

fn store_hint(error: &StoreError) -> Option<&'static str> {
    match error {
        StoreError::Conflict | StoreError::Busy { .. } => Some("try again in a moment"),
        StoreError::TooOld { .. } => Some("or move the file away to begin anew"),
        StoreError::TooNew { .. } => Some("until then, name another --store to write to"),
        StoreError::Damaged { .. } => {
            Some("restore a backup, or move the file away to begin anew (its -wal, too)")
        }
        StoreError::Mismatch(_) => Some("the store may be damaged; keep a copy of its file"),
        StoreError::Unusable { .. } => {
            Some("`hardwon doctor` tells more; look at the disk and the folder's permissions")
        }
    }
}
