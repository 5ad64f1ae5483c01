//! Which commands write, and how each is called in a hostile checkout. Calls of one group are
//! made one after the other in the same checkout; each group begins with a fresh one.

/// One call of the program.
pub struct Call {
    pub args: &'static str,
    /// What stands on standard input; `CWD` is the checkout.
    pub input: &'static str,
    /// It writes to the files of the user's agents, as it is asked to.
    pub is_for_user: bool,
}

impl Call {
    /// Whether a word of the call belongs to an option before the command.
    pub fn is_option(&self, word: &str) -> bool {
        word.starts_with("--") || self.args.starts_with(&format!("--store {word} "))
    }
}

const fn call(args: &'static str) -> Call {
    Call { args, input: "", is_for_user: false }
}

const fn with_input(args: &'static str, input: &'static str) -> Call {
    Call { args, input, is_for_user: false }
}

const fn for_user(args: &'static str) -> Call {
    Call { args, input: "", is_for_user: true }
}

/// Commands that only read.
pub const READS: &[&str] = &["tour", "report", "show", "why", "log", "backtest"];

pub const GROUPS: &[&[Call]] = &[
    &[
        call("learn run.jsonl again.jsonl"),
        call("inject --run r3 --task search"),
        call("outcome r3 success"),
        call("add Prefer-small-commits-in-this-project --alias t1"),
        call("add Name-the-next-step-in-every-error --alias t2"),
        call("mark t1 helped --run r3 --because seen"),
        call("edit --pin t1"),
        call("edit t1 --tag hostile"),
        call("edit t2 --into t1"),
        call("review keep t1 --because fine"),
        call("learn --decay"),
        call("forget t1"),
        call("edit t1 --restore"),
        call("undo"),
        call("forget t1 --hard --yes"),
        call("config project rename . shop"),
        call("doctor --fix"),
        call("config model use openai --base-url http://127.0.0.1:9/v1 --yes"),
        call("list --answer how-is-the-search-escaped"),
        call("review merges --ask"),
        call("config model use heuristic"),
    ],
    &[
        with_input(
            "hook claude",
            "{\"session_id\":\"s1\",\"hook_event_name\":\"SessionStart\",\
                                    \"cwd\":\"CWD\",\"transcript_path\":\"CWD/run.jsonl\"}",
        ),
        with_input(
            "hook claude",
            "{\"session_id\":\"s1\",\"hook_event_name\":\"SessionEnd\",\
                                    \"cwd\":\"CWD\",\"transcript_path\":\"CWD/run.jsonl\"}",
        ),
        call("learn --pending"),
        with_input(
            "mcp",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\
                           \"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\
                           \"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}\n",
        ),
    ],
    &[call("serve --new-token")],
    // Nothing is served there: it is refused before anything is made.
    &[call("config store migrate")],
    &[call("config project merge one two --as-user")],
    &[call("config store keep")],
    &[call("share l-1 --as-user"), call("share --fetch --as-user")],
    &[
        call("config team create --admin ann --as-user"),
        call("config team member add ben --role writer --as-user"),
        call("config team role ben reviewer --as-user"),
        call("config team token create ben --as-user"),
        call("config team token revoke ben --as-user"),
        call("config team member remove ben --as-user"),
        call("config team list"),
    ],
    &[call("config store copy sqlite: sqlite:other/memory.db --as-user")],
    &[
        call("config set budget 5 --in-project"),
        call("config set reflect.progress_file notes.md --in-project"),
        call("config unset budget --in-project"),
        call("config set budget 7"),
    ],
    &[
        call("learn run.jsonl again.jsonl"),
        call("export export.jsonl"),
        call("export export.jsonl --yes"),
        call("export out/export.jsonl --yes"),
        call("export out --to archeflow"),
        call("export out --to openagents"),
        call("export . --to archeflow"),
        call("export . --to openagents"),
        call("export out --to geas"),
        call("export . --to geas"),
    ],
    &[
        call("install claude --project --yes"),
        call("install codex --project --yes"),
        call("uninstall claude codex --project --yes"),
        for_user("install claude --yes"),
        for_user("init --yes"),
    ],
    &[
        call("learn run.jsonl again.jsonl"),
        call("reflect --run r1 --append"),
        call("reflect --run r1 --progress notes.md --append"),
        call("reflect --run r1 --progress out/notes.md --append"),
    ],
    &[
        call(
            "jkz add Run-the-migrations-before-tests-of-the-shop --type project --force --role tester",
        ),
        call(
            "jkz promote project_run-the-migrations-before-tests-of-the-shop --role tester --apply",
        ),
        call("jkz forget project_run-the-migrations-before-tests-of-the-shop --role tester"),
    ],
    &[
        call("geas extract"),
        call("geas review mem-stated-1 --decision keep --rationale fine"),
        call("geas review --collect"),
        call("geas packet --task task-001 --agent qa_engineer"),
        call("geas notebook qa_engineer --add Ask-for-the-sample-first"),
        call("geas rules --apply"),
        call("geas log"),
        call("geas decay"),
        call("geas index"),
        call("geas evolve"),
    ],
    &[
        call("archeflow add pattern Escape-what-users-type"),
        call("archeflow event r7 run.start plan _"),
        call("archeflow extract events.jsonl"),
        call("archeflow inject code guardian --audit r8"),
        call("archeflow audit-check r8"),
        call("archeflow decay"),
        call("archeflow forget m-001"),
    ],
    &[
        call("jkz store-pattern --role judge --text Escape-what-users-type-in-the-search"),
        call("jkz query-patterns --role judge"),
        call("jkz increment-ignore --role judge --text Escape-what-users-type-in-the-search"),
        call("jkz reinforce-patterns --role judge --ids 1"),
        call("jkz format-patterns --role judge"),
        call("jkz outcome-score --run r7 --result pass"),
        for_user("jkz versions --action set --key tone --value short"),
    ],
    &[
        call("--store archeflow:. add Escape-what-users-type-in-the-search"),
        call("--store archeflow:. learn run.jsonl"),
        call("--store archeflow:. doctor --fix"),
        call("--store openagents:. add Escape-what-users-type-in-the-search"),
        call("--store openagents:. doctor --fix"),
        call("--store geas:. add Escape-what-users-type-in-the-search"),
        call("--store geas:. doctor --fix"),
        call("--store sqlite:store.db add Escape-what-users-type-in-the-search"),
        call("--store sqlite:out/store.db add Escape-what-users-type-in-the-search"),
    ],
    &[
        call("review trust . --yes"),
        call("import ."),
        call("review trust export.jsonl --yes"),
        call("import export.jsonl"),
        call("review trust . --revoke"),
    ],
];
