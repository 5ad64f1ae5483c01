//! Claude Code and Codex, played by scripts that do what the real ones may do. What the real
//! ones print was recorded from them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use hardwon_engine::model::{Completion, NoAnswer, Took};
use hardwon_foreign::backend::{Backend, Setup, open};
use serde_json::json;
use tempfile::TempDir;

use super::{FREE, KEY, PAID, SAID, check_failure, request, took, within};

const BOTH: [Backend; 2] = [Backend::ClaudeCli, Backend::CodexCli];

const CLAUDE_SAYS: &str = r#"{"type":"result","subtype":"success","is_error":false,
"api_error_status":null,"num_turns":2,"result":"{\"summary\":\"fine\"}",
"structured_output":{"summary":"fine"},"total_cost_usd":0.0000205,"permission_denials":[],
"usage":{"input_tokens":90,"cache_creation_input_tokens":7,"cache_read_input_tokens":3,
"output_tokens":20},"modelUsage":{"claude-haiku-5-5":{"outputTokens":20},"other":{"outputTokens":1}}}"#;

const CODEX_SAYS: &str = r#"{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found."}}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"{\"summary\": \"fine\"}"}}
{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":50,"output_tokens":30}}"#;

/// A script in a folder of its own, which it knows as `$here`.
struct Program {
    folder: TempDir,
}

impl Program {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        let here = folder.path().display();
        fs::write(&path, format!("#!/bin/sh\nhere='{here}'\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it can be started");
        Program { folder }
    }

    fn setup(&self, backend: Backend) -> Setup {
        Setup { program: Some(self.folder.path().join("program")), ..Setup::of(backend) }
    }

    fn ask(&self, backend: Backend) -> Result<Completion, NoAnswer> {
        open(&self.setup(backend))?.complete(&request())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

/// Prints a text, whatever is in it.
fn says(text: &str) -> String {
    format!("cat > /dev/null\ncat <<'END'\n{text}\nEND")
}

/// Notes how it was started.
const NOTES: &str = r#"cat > "$here/stdin"
printf '%s\n' "$@" > "$here/arguments"
env > "$here/environment"
pwd > "$here/folder"; ls -a | wc -l >> "$here/folder"
ps -o pgid= -p $$ > "$here/group" 2> /dev/null; echo $$ >> "$here/group"
for argument; do
    case $before in
        --system-prompt-file) cat "$argument" > "$here/system" ;;
        --output-schema) cat "$argument" > "$here/schema" ;;
    esac
    before=$argument
done
"#;

#[track_caller]
fn check_surroundings(program: &Program) {
    let arguments = program.read("arguments");
    let environment = program.read("environment");
    for text in [&arguments, &environment] {
        assert!(!text.contains(&SAID[..40]) && !text.contains(KEY), "{text}");
    }
    assert!(!arguments.contains("You are the Archivist."), "{arguments}");
    assert!(environment.lines().any(|line| line == "HARDWON_REFLECTING=1"), "{environment}");
    let is_marked = environment.lines().any(|line| line.starts_with("CLAUDECODE="));
    assert!(!is_marked, "it takes itself for a part of this session: {environment}");
    let folder = program.read("folder");
    let (path, files) = folder.trim().split_once('\n').expect("a folder and a count");
    assert_eq!(files.trim(), "2", "only . and .. are there");
    assert!(!Path::new(path).exists(), "{path} is left behind");
    let group = program.read("group");
    let numbers: Vec<&str> = group.split_whitespace().collect();
    // Where there is no `ps`, one number is all there is.
    assert!(numbers.iter().all(|number| *number == numbers[0]), "{group}: not its own group");
}

#[test]
fn claude_answers_in_an_empty_folder() {
    let program = Program::new(&format!("{NOTES}{}", says(CLAUDE_SAYS)));
    let model = open(&program.setup(Backend::ClaudeCli)).expect("it opens");
    assert_eq!((model.backend(), model.model(), model.is_free()), ("claude-cli", "haiku", true));
    let done = model.complete(&request()).expect("an answer");
    assert_eq!(done.value, json!({"summary": "fine"}));
    assert_eq!(done.model, "claude-haiku-5-5");
    let expected = Took { tokens_in: 100, tokens_out: 20, micro_usd: Some(21) };
    assert_eq!(done.took, Some(expected));
    assert_eq!(program.read("stdin"), SAID);
    assert_eq!(program.read("system"), "You are the Archivist.");
    let arguments = program.read("arguments");
    let flags = "-p --safe-mode --strict-mcp-config --no-session-persistence \
        --disable-slash-commands --json-schema --max-turns --tools\n\n --max-budget-usd\n0.050000 \
        --model\nhaiku --output-format\njson";
    for flag in flags.split(' ') {
        assert!(arguments.contains(flag), "{flag}");
    }
    assert!(arguments.contains(r#""deny":["Read"]"#), "a path in a text is a file that is read");
    let environment = program.read("environment");
    assert!(environment.contains("CLAUDE_CODE_DISABLE_FILE_MENTIONS=1"));
    assert!(environment.contains("CLAUDE_CODE_MAX_OUTPUT_TOKENS=500"));
    check_surroundings(&program);
}

#[test]
fn codex_answers_in_an_empty_folder() {
    let program = Program::new(&format!("{NOTES}{}", says(CODEX_SAYS)));
    let model = open(&program.setup(Backend::CodexCli)).expect("it opens");
    assert_eq!((model.backend(), model.model(), model.is_free()), ("codex-cli", "default", true));
    let done = model.complete(&request()).expect("an answer");
    assert_eq!(done.value, json!({"summary": "fine"}));
    assert_eq!(done.took, took(200, 30));
    assert_eq!(program.read("stdin"), format!("You are the Archivist.\n\n{SAID}"));
    assert_eq!(program.read("schema"), request().shape.schema.to_string());
    let arguments = program.read("arguments");
    let flags = "exec --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check \
        --sandbox\nread-only features.shell_tool=false features.hooks=false --json\n-";
    for flag in flags.split(' ') {
        assert!(arguments.contains(flag), "{flag}");
    }
    assert!(!arguments.contains("--model"), "{arguments}");
    check_surroundings(&program);

    // The file counts where there is one, and a model that is set is asked for.
    let writes = r#"for it; do
    test "$before" = --output-last-message && echo '{"summary": "written"}' > "$it"
    before=$it
done"#;
    let program = Program::new(&format!("{NOTES}{writes}\n{}", says(CODEX_SAYS)));
    let setup = Setup { model: Some("gpt-9".to_owned()), ..program.setup(Backend::CodexCli) };
    let done = open(&setup).and_then(|model| model.complete(&request())).expect("an answer");
    assert_eq!((done.value, done.model.as_str()), (json!({"summary": "written"}), "gpt-9"));
    assert!(program.read("arguments").contains("--model\ngpt-9\n"));
}

#[test]
fn what_claude_says_is_told() {
    let result = |more: serde_json::Value| {
        let mut result = json!({"type": "result", "subtype": "success", "is_error": true,
            "api_error_status": null, "usage": {"input_tokens": 10, "output_tokens": 5}});
        let more = more.as_object().cloned().unwrap_or_default();
        more.into_iter().for_each(|(name, value)| result[name] = value);
        result.to_string()
    };
    let empty = json!({"input_tokens": 0, "output_tokens": 0});
    for (said, kind, sign) in [
        (result(json!({"subtype": "error_max_budget_usd"})), PAID, "error_max_budget_usd"),
        (result(json!({"subtype": "error_max_turns"})), PAID, "error_max_turns"),
        (result(json!({"api_error_status": 401, "result": "API Error: 401"})), FREE, "401"),
        (result(json!({"api_error_status": 529, "result": "Overloaded"})), FREE, "Overloaded"),
        (result(json!({"api_error_status": 500, "result": "API Error: 500"})), PAID, "500"),
        (result(json!({"result": "Not logged in", "usage": empty})), FREE, "Not logged in"),
        (result(json!({"is_error": false, "result": "done"})), PAID, "shape"),
        (
            result(json!({"is_error": false, "structured_output": {"summary": "fine"},
            "permission_denials": [{"tool_name": "Bash"}]})),
            PAID,
            "another tool",
        ),
        ("[]".to_owned(), PAID, "ended with 1"),
    ] {
        let program = Program::new(&format!("{}\nexit 1", says(&said)));
        check_failure(program.ask(Backend::ClaudeCli), kind, sign);
    }
}

#[test]
fn what_codex_says_is_told() {
    let failed = |message: &str| {
        format!(
            "{}\nexit 1",
            says(&json!({"type": "turn.failed", "error": {"message": message}}).to_string())
        )
    };
    let item = |kind: &str| {
        let item = json!({"type": "item.completed", "item": {"type": kind, "text": "{}"}});
        says(&format!("{item}\n{CODEX_SAYS}"))
    };
    for (script, kind, sign) in [
        (failed("unexpected status 401 Unauthorized: no"), FREE, "401"),
        (failed("high demand"), PAID, "high demand"),
        (item("command_execution"), PAID, "another tool"),
        (item("mcp_tool_call"), PAID, "another tool"),
        (item("file_change"), PAID, "another tool"),
        (item("web_search"), PAID, "another tool"),
        (says("{\"type\": \"turn.started\"}"), PAID, "no JSON object"),
    ] {
        check_failure(Program::new(&script).ask(Backend::CodexCli), kind, sign);
    }
}

#[test]
fn a_program_that_fails_says_why() {
    let echo = format!("cat >&2\necho ' {KEY}'\nexit 1");
    for backend in BOTH {
        check_failure(Program::new("echo oh >&2; exit 1").ask(backend), PAID, "ended with 1: oh");
        check_failure(Program::new("kill -9 $$").ask(backend), PAID, "a signal");
        check_failure(Program::new(&echo).ask(backend), PAID, "ended with 1");
        let old = Program::new("echo \"error: unknown option '--safe-mode'\" >&2; exit 1");
        check_failure(old.ask(backend), FREE, "unknown option");
        let missing = Setup { program: Some("/nowhere/at/all".into()), ..Setup::of(backend) };
        let done = open(&missing).and_then(|model| model.complete(&request()));
        check_failure(done, FREE, "not installed");
    }
}

#[test]
fn a_flood_ends_the_program() {
    for backend in BOTH {
        check_failure(Program::new("yes").ask(backend), PAID, "more than 1 MiB");
        // What it says besides is passed over, however much it is.
        let noisy = "head -c 3000000 /dev/zero | tr '\\0' x >&2";
        let says_fine = if backend == Backend::ClaudeCli { CLAUDE_SAYS } else { CODEX_SAYS };
        let program = Program::new(&format!("{noisy}\n{}", says(says_fine)));
        assert!(program.ask(backend).is_ok());
    }
}

#[test]
fn a_question_of_any_size_goes_in() {
    let mut request = request();
    request.text = "0123456789".repeat(100_000);
    for script in
        [format!("{NOTES}{}", says(CLAUDE_SAYS)), format!("cat <<'END'\n{CLAUDE_SAYS}\nEND")]
    {
        let program = Program::new(&script);
        let model = open(&program.setup(Backend::ClaudeCli)).expect("it opens");
        assert!(model.complete(&request).is_ok(), "whether it reads or not");
    }
}

/// Whether something still writes to a file.
fn grows(path: &Path) -> bool {
    let size = || fs::metadata(path).map_or(0, |meta| meta.len());
    let before = size();
    thread::sleep(Duration::from_millis(400));
    size() > before
}

const CHILDREN: &str = r#"(while :; do echo x >> "$here/beats"; sleep 0.05; done) &
(trap '' TERM HUP INT; while :; do echo x >> "$here/beats2"; sleep 0.05; done) &
"#;

#[test]
fn a_program_that_hangs_is_ended_with_its_children() {
    for backend in BOTH {
        let program = Program::new(&format!("trap '' TERM\n{CHILDREN}\nwhile :; do sleep 1; done"));
        let started = Instant::now();
        let model = open(&program.setup(backend)).expect("it opens");
        check_failure(model.complete(&within(Duration::from_secs(1))), PAID, "in time");
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        for name in ["beats", "beats2"] {
            let path = program.folder.path().join(name);
            assert!(path.exists(), "the child was there");
            assert!(!grows(&path), "{name} is alive");
        }
    }
}

#[test]
fn children_that_keep_the_pipes_open_are_not_waited_for() {
    let program = Program::new(&format!("{CHILDREN}\nsleep 0.2\n{}", says(CLAUDE_SAYS)));
    let started = Instant::now();
    assert!(program.ask(Backend::ClaudeCli).is_ok());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(!grows(&program.folder.path().join("beats")), "what it left behind is ended as well");
}
