//! How long does one cold process take, and how much memory? Starts programs in an
//! environment of their own, so that nothing of the user's is read or written.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How quiet is found out: rounds in a row in which nine of ten starts take at most twice as long
/// as the median of the best round.
const QUIET_ROUNDS: u32 = 3;
const STARTS_A_ROUND: usize = 20;
const BETWEEN_ROUNDS: Duration = Duration::from_millis(300);

/// The two small programs that every measurement is held against.
pub struct Probes {
    /// Does nothing.
    pub empty: PathBuf,
    /// Starts another and prints its peak memory.
    weigh: PathBuf,
}

impl Probes {
    /// Compiles them into a folder, with the compiler that is on this machine.
    pub fn compile(folder: &Path) -> Result<Self, String> {
        Ok(Probes {
            empty: compile(folder, "empty", include_str!("../../probes/empty.rs"))?,
            weigh: compile(folder, "weigh", include_str!("../../probes/weigh.rs"))?,
        })
    }

    /// Waits, at most so long, until starts of the empty program all take about the same: what
    /// filling a large store left to the disk disturbs the first minutes. Whether they did.
    pub fn wait_for_quiet(&self, home: &Path, at_most: Duration) -> Result<bool, String> {
        let (from, start) = (Instant::now(), Start::new(&self.empty, home));
        let (mut shortest, mut n_quiet) = (Duration::MAX, 0);
        while n_quiet < QUIET_ROUNDS && from.elapsed() < at_most {
            let times = (0..STARTS_A_ROUND).map(|_| start.time());
            let mut times = times.collect::<Result<Vec<Duration>, String>>()?;
            times.sort_unstable();
            shortest = shortest.min(times[times.len() / 2]);
            let is_quiet = times[times.len() * 9 / 10] <= shortest * 2;
            n_quiet = if is_quiet { n_quiet + 1 } else { 0 };
            std::thread::sleep(BETWEEN_ROUNDS);
        }
        Ok(n_quiet >= QUIET_ROUNDS)
    }

    /// Peak resident memory of a program, in bytes.
    pub fn weigh(&self, start: &Start) -> Result<u64, String> {
        let mut weighing = start.clone();
        weighing.arguments.insert(0, start.program.clone().into());
        weighing.program = self.weigh.clone();
        let text = weighing.output()?;
        text.trim().parse().map_err(|_| format!("{} could not be weighed", start.name()))
    }
}

fn compile(folder: &Path, name: &str, source: &str) -> Result<PathBuf, String> {
    let (input, output) = (folder.join(format!("{name}.rs")), folder.join(name));
    fs::write(&input, source)
        .map_err(|error| format!("cannot write {}: {error}", input.display()))?;
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(&compiler);
    let compiled = command
        .args(["-O", "--edition", "2024", "-o"])
        .args([&output, &input])
        .output()
        .map_err(|error| {
            let compiler = compiler.display();
            format!(
                "cannot run {compiler} ({error}): the bench compares with an empty program that \
                 it compiles here; install Rust (https://rustup.rs) or set RUSTC"
            )
        })?;
    if compiled.status.success() {
        return Ok(output);
    }
    let stderr = String::from_utf8_lossy(&compiled.stderr);
    Err(format!("rustc did not compile {name}.rs: {}", stderr.trim()))
}

/// A program with its arguments, to be started any number of times.
#[derive(Clone)]
pub struct Start {
    program: PathBuf,
    arguments: Vec<std::ffi::OsString>,
    home: PathBuf,
    environment: Vec<(&'static str, String)>,
    /// The file on standard input; empty without one.
    input: Option<PathBuf>,
}

impl Start {
    /// Starts in `home`, which is also `HARDWON_HOME`.
    pub fn new(program: &Path, home: &Path) -> Self {
        let (program, home) = (program.to_owned(), home.to_owned());
        Start { program, home, arguments: Vec::new(), environment: Vec::new(), input: None }
    }

    pub fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    pub fn args(mut self, arguments: &[impl AsRef<OsStr>]) -> Self {
        self.arguments.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Reads this file as its standard input.
    pub fn input(self, file: PathBuf) -> Self {
        Start { input: Some(file), ..self }
    }

    /// From before the process exists until it is gone.
    pub fn time(&self) -> Result<Duration, String> {
        let mut command = self.command();
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let from = Instant::now();
        let status = command.status();
        let took = from.elapsed();
        match status {
            Ok(status) if status.success() => Ok(took),
            Ok(status) => Err(format!("{} ended with {status}", self.name())),
            Err(error) => Err(format!("{} did not start: {error}", self.name())),
        }
    }

    /// What it prints.
    pub fn output(&self) -> Result<String, String> {
        let output = self.command().output();
        let output = output.map_err(|error| format!("{} did not start: {error}", self.name()))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} ended with {}: {}", self.name(), output.status, stderr.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().env("HARDWON_HOME", &self.home);
        command.env("HARDWON_WORKER", "off");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let input = self.input.as_ref().and_then(|path| fs::File::open(path).ok());
        let input = input.map_or_else(Stdio::null, Stdio::from);
        command.current_dir(&self.home).stdin(input);
        command
    }

    fn name(&self) -> String {
        let program = self.program.file_name().unwrap_or_default().to_string_lossy();
        let argument = self.arguments.first().map(|argument| argument.to_string_lossy());
        format!("{program} {}", argument.unwrap_or_default())
    }
}
