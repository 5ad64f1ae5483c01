//! A memory of its own for each test, and short ways to call the binary on it: arguments
//! in; stdout, stderr and exit status out. Nothing of the caller's environment but PATH
//! reaches the program, and its clock stands still.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};

/// Whether every case is to be played: `./test full` says so. Otherwise tables of thousands of starts
/// play some of each.
pub fn is_full() -> bool {
    std::env::var_os("HARDWON_TEST_FULL").is_some()
}

/// The moment at which every test plays.
pub const NOW: &str = "2026-04-03T14:00:00Z";

/// A finding that can become a lesson.
pub const W: &str = "Query built by string concatenation in the user search";

/// A home for one store, and a folder to work in.
pub struct Memory {
    folder: tempfile::TempDir,
    /// Variables beside the usual ones; an empty value takes one away.
    variables: Vec<(&'static str, String)>,
}

impl Memory {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir(folder.path().join("work")).expect("the folder is writable");
        Memory { folder, variables: Vec::new() }
    }

    /// The same with another value of a variable; an empty one takes it away.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// `HARDWON_HOME`.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The file that holds memory by default.
    pub fn database(&self) -> PathBuf {
        self.home().join("memory.db")
    }

    /// The folder in which commands are called.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Puts a file below the working folder.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        put(&self.work().join(name), content)
    }

    /// Puts a file below `HARDWON_HOME`.
    pub fn write_home(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        put(&self.home().join(name), content)
    }

    /// The program, ready to be started on this memory by a person.
    pub fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = self.script(args);
        if !self.variables.iter().any(|(name, _)| *name == "HARDWON_AGENT") {
            command = Command::new(env!("CARGO_BIN_EXE_hardwon"));
            command.arg("--as-user").args(args);
            self.prepare(&mut command);
        }
        command
    }

    /// The same as a script calls it.
    pub fn script<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardwon"));
        command.args(args);
        self.prepare(&mut command);
        command
    }

    /// Gives a command the environment of this memory and nothing else.
    pub fn prepare(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HARDWON_HOME", self.home())
            .env("HARDWON_PROJECT", "demo")
            .env("HARDWON_NOW", NOW)
            // Its tests have one each.
            .env("HARDWON_WORKER", "off")
            .current_dir(self.work())
            .stdin(Stdio::null());
        for (name, value) in &self.variables {
            match value.as_str() {
                "" => command.env_remove(name),
                value => command.env(name, value),
            };
        }
    }

    /// Runs a command to its end.
    #[track_caller]
    pub fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Ran {
        Ran::of(args, self.command(args).output().expect("the binary starts"))
    }

    /// The same as a script calls it.
    #[track_caller]
    pub fn run_as_script(&self, args: &[&str]) -> Ran {
        Ran::of(args, self.script(args).output().expect("the binary starts"))
    }

    /// Runs a command with something on its standard input.
    #[track_caller]
    pub fn run_with(&self, args: &[&str], input: &str) -> Ran {
        let mut child = start_piped(self.command(args));
        feed(&mut child, input);
        Ran::ended(args, child)
    }

    /// Starts all calls before any of them gets its input, and waits for them.
    #[track_caller]
    pub fn run_at_once<S: AsRef<OsStr>>(&self, calls: &[(&[S], &str)]) -> Vec<Ran> {
        let start = |(args, _): &(&[S], &str)| start_piped(self.command(args));
        let mut children: Vec<_> = calls.iter().map(start).collect();
        for (child, (_, input)) in children.iter_mut().zip(calls) {
            feed(child, input);
        }
        children.into_iter().zip(calls).map(|(child, (args, _))| Ran::ended(args, child)).collect()
    }

    /// An event of a host: whoever hooks talks to nobody but the agent.
    #[track_caller]
    pub fn hook(&self, host: &str, event: &Value) -> Ran {
        let ran = self.run_with(&["hook", host], &event.to_string()).exits(0);
        assert_eq!(ran.stderr, "", "a hook talks to nobody\n{ran}");
        ran
    }

    /// What was noted of failures.
    pub fn problems(&self) -> String {
        fs::read_to_string(self.home().join("problems.log")).unwrap_or_default()
    }

    /// What waits to be learned.
    pub fn waiting(&self) -> Vec<PathBuf> {
        json_files(&self.home().join("queue"))
    }

    /// Nobody may write to the home, or even enter it, until it is opened again.
    pub fn close_home(&self, mode: u32) {
        for file in fs::read_dir(self.home()).expect("the home is there") {
            set_mode(&file.expect("an entry").path(), 0o444);
        }
        set_mode(&self.home(), mode);
    }

    pub fn open_home(&self) {
        set_mode(&self.home(), 0o755);
    }

    /// Runs a command as a user whom permissions bind: root is bound by none, so as root the
    /// program is started as another user, from a copy that this one may start.
    pub fn run_restricted(&self, args: &[&str], input: &str) -> Ran {
        const NOBODY: u32 = 65534;
        let folder = self.folder.path();
        let mut command = self.command(args);
        if fs::metadata(folder).expect("it exists").uid() == 0 {
            // Neither the folder of the test nor that of the build need be open to others.
            set_mode(folder, 0o755);
            let program = folder.join("hardwon");
            if !program.exists() {
                fs::copy(env!("CARGO_BIN_EXE_hardwon"), &program).expect("it can be copied");
            }
            command = Command::new(program);
            command.arg("--as-user").args(args).uid(NOBODY).gid(NOBODY);
            self.prepare(&mut command);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = loop {
            match command.spawn() {
                // Another test forked while the program was being copied.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                    std::thread::yield_now();
                }
                started => break started.expect("the binary starts"),
            }
        };
        feed(&mut child, input);
        Ran::ended(args, child)
    }

    /// The answer to a command that must exit with 0.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        self.run(&[args, &["--json"]].concat()).exits(0).json()
    }

    /// Learns a record from a pipe; the answer.
    #[track_caller]
    pub fn learn(&self, record: &str) -> Value {
        self.run_with(&["learn", "-", "--json"], record).exits(0).json()
    }

    /// Learns `W` in this many runs, `r1` and so on: from two on it is a lesson.
    #[track_caller]
    pub fn learn_w(&self, n_runs: usize) {
        for n in 1..=n_runs {
            self.learn(&found(&format!("r{n}"), W));
        }
    }

    /// A memory with one lesson that may be shown, and its id.
    pub fn taught() -> (Memory, String) {
        let memory = Memory::new();
        memory.learn_w(2);
        let id = text_of(&memory.only_lesson(), "id");
        (memory, id)
    }

    /// Every lesson.
    #[track_caller]
    pub fn lessons(&self) -> Vec<Value> {
        list_of(&self.json(&["list", "--all"]), "lessons")
    }

    /// The one lesson there is.
    #[track_caller]
    pub fn only_lesson(&self) -> Value {
        let lessons = self.lessons();
        assert_eq!(lessons.len(), 1, "{lessons:#?}");
        lessons[0].clone()
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ran {
    pub args: String,
    pub stdout: String,
    pub stderr: String,
    /// None if a signal ended it.
    pub status: Option<i32>,
}

impl Ran {
    pub fn of<S: AsRef<OsStr>>(args: &[S], output: Output) -> Self {
        let words: Vec<_> = args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect();
        let text = |bytes| String::from_utf8(bytes).expect("the binary prints UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        let ran = Ran { args: words.join(" "), stdout, stderr, status: output.status.code() };
        assert!(!ran.stderr.contains("panicked"), "{ran}");
        ran
    }

    /// Waits for a child.
    pub fn ended<S: AsRef<OsStr>>(args: &[S], child: Child) -> Self {
        Ran::of(args, child.wait_with_output().expect("the binary ends"))
    }

    /// Checks the exit status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "expected exit status {status}\n{self}");
        self
    }

    /// The one JSON object on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not one JSON document: {error}\n{self}"));
        assert!(value.is_object(), "not an object\n{self}");
        value
    }

    /// A check of `doctor`, by its name.
    #[track_caller]
    pub fn check(&self, name: &str) -> Value {
        let checks = list_of(&self.json(), "checks");
        let found = checks.into_iter().find(|check| check["name"] == name);
        found.unwrap_or_else(|| panic!("no check {name}\n{self}"))
    }

    /// Reasons of all problems in the JSON, one per line.
    #[track_caller]
    pub fn reasons(&self) -> String {
        let problems = list_of(&self.json(), "problems");
        let reasons = problems.iter().map(|problem| text_of(problem, "reason"));
        reasons.collect::<Vec<String>>().join("\n")
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ran { args, stdout, stderr, status } = self;
        write!(f, "$ hardwon {args}\nexit {status:?}\n-- stdout\n{stdout}\n-- stderr\n{stderr}")
    }
}

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
}

/// Checks every case, also those behind one that fails.
pub fn each<T>(cases: &[T], check: impl Fn(&T)) {
    let holds = |case: &&T| catch_unwind(AssertUnwindSafe(|| check(case))).is_ok();
    let n_failed = cases.len() - cases.iter().filter(holds).count();
    assert_eq!(n_failed, 0, "cases that failed; see above");
}

/// Starts a command with pipes on all sides.
pub fn start_piped(mut command: Command) -> Child {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary starts")
}

/// Writes to a child's standard input and closes it. A child that stopped reading has
/// its reasons, and says them.
pub fn feed(child: &mut Child, input: &str) {
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let _ = stdin.write_all(input.as_bytes());
}

/// Runs a command that must end by itself: one that waits is killed, and fails the test.
#[track_caller]
pub fn ends(mut command: Command, what: &str) -> Ran {
    command.stdin(Stdio::null());
    let child = start_piped(command);
    let (process, (sender, ended)) = (child.id(), mpsc::channel());
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match ended.recv_timeout(Duration::from_secs(60)) {
        Ok(output) => Ran::of(&[what], output.expect("the binary ends")),
        Err(_) => {
            let kill = format!("kill -9 {process}");
            let _ = Command::new("/bin/sh").args(["-c", &kill]).status();
            panic!("{what}: still waiting; killed");
        }
    }
}

/// A terminal with so many columns: our end of it, and what opens the other one.
pub fn terminal(columns: u16) -> (fs::File, impl Fn() -> Stdio) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal can be made");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("it is ours");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).expect("a terminal has a size");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let theirs = move || {
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        rustix::fs::open(&name, flags, Mode::empty()).expect("it can be opened").into()
    };
    (fs::File::from(ours), theirs)
}

/// What a command prints on a terminal with so many columns; if something is typed, it reads
/// that and complains there, too.
pub fn on_terminal(mut command: Command, columns: u16, typed: Option<&str>) -> String {
    let (mut ours, theirs) = terminal(columns);
    command.stdout(theirs());
    if let Some(typed) = typed {
        command.stdin(theirs()).stderr(theirs());
        ours.write_all(typed.as_bytes()).expect("a terminal takes what is typed");
    }
    let child = command.spawn().expect("the binary starts");
    // The command holds the other end as long as it is there.
    drop(command);
    rest_of(ours, child)
}

/// What a terminal shows until its command has ended.
pub fn rest_of(mut ours: fs::File, mut child: Child) -> String {
    let mut printed = Vec::new();
    // On Linux the end of a terminal is an error.
    let _ = ours.read_to_end(&mut printed);
    assert!(child.wait().expect("it ends").success());
    String::from_utf8(printed).expect("it is text")
}

/// A `run` line in which guardian looked.
pub fn run_line(id: &str) -> String {
    line(json!({"type": "run", "id": id, "detectors": ["guardian"]}))
}

/// A warning by guardian.
pub fn warning(text: &str) -> String {
    let author = "guardian";
    line(json!({"type": "finding", "author": author, "severity": "warning", "text": text}))
}

/// A record of a run in which guardian found this.
pub fn found(run: &str, text: &str) -> String {
    run_line(run) + &warning(text)
}

/// Files of jobs in a folder.
pub fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}

/// Everything below a folder: files with their content, but for SQLite's shared memory, which
/// readers use.
pub fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("an entry").path();
        let kind = path.symlink_metadata().expect("it is there").file_type();
        if kind.is_dir() {
            all.extend(files_below(&path));
        }
        let content = match (kind.is_dir(), kind.is_file()) {
            (true, _) => b"a folder".to_vec(),
            (_, true) => fs::read(&path).expect("files are readable"),
            // A pipe would not end.
            _ => b"something else".to_vec(),
        };
        if !path.to_string_lossy().ends_with("-shm") {
            all.insert(path, content);
        }
    }
    all
}

/// The last message of a reviewer who found one thing.
pub const REVIEW: &str = "| Severity | File | Finding |\n|-|-|-|\n\
    | HIGH | src/auth.rs:12 | Password compared with a function that returns early |\n";

/// What Claude Code keeps of a session in which a sub-agent says that.
pub fn transcript(session: &str) -> String {
    let said = |kind: &str, content: Value| json!({"type": kind, "sessionId": session, "message": {"content": [content]}});
    let call = json!({"type": "tool_use", "id": "t1", "input": {"subagent_type": "code-reviewer"}});
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": REVIEW});
    let mut answer = said("user", result);
    answer["toolUseResult"] = json!({"agentId": "a1"});
    line(said("assistant", call)) + &line(answer)
}

/// An event of a host.
pub fn event(session: &str, name: &str, more: Value) -> Value {
    let mut event = json!({"session_id": session, "hook_event_name": name, "cwd": "/nowhere"});
    let fields = more.as_object().expect("an object").clone();
    event.as_object_mut().expect("an object").extend(fields);
    event
}

/// A line of a record.
pub fn line(value: Value) -> String {
    format!("{value}\n")
}

/// A field that is a list.
#[track_caller]
pub fn list_of(value: &Value, field: &str) -> Vec<Value> {
    let list = value[field].as_array();
    list.unwrap_or_else(|| panic!("{field} is not a list in {value:#}")).clone()
}

/// A field that is a text.
#[track_caller]
pub fn text_of(value: &Value, field: &str) -> String {
    let text = value[field].as_str();
    text.unwrap_or_else(|| panic!("{field} is not a text in {value:#}")).to_owned()
}

pub fn put(path: &Path, content: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().expect("it is below a folder")).expect("folders can be made");
    fs::write(path, content).expect("files can be written");
    path.to_owned()
}
