//! A program of the user's, run with limits: its input on standard input, at most 1 MiB of
//! output, until a time, and then ended with all that it started.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

const MAX_OUTPUT: usize = 1 << 20;

const MAX_COMPLAINT: usize = 4 << 10;

/// How often is asked whether it has ended.
const TICK: Duration = Duration::from_millis(5);

/// How long the rest of its output is waited for: what left its group may keep a pipe open.
const REST: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Ended {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    /// The first of it.
    pub stderr: Vec<u8>,
}

/// Why it did not end by itself.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("cannot be started: {0}")]
    NotStarted(#[from] io::Error),
    #[error("did not end in time")]
    Late,
    #[error("printed more than 1 MiB")]
    Flood,
}

/// Runs a command in a process group of its own. Whatever is left of that group when this returns
/// has been killed.
pub(super) fn run(command: &mut Command, input: &[u8], until: Instant) -> Result<Ended, Broken> {
    command.process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group { child: command.spawn()?, is_collected: false };
    if let Some(mut stdin) = group.child.stdin.take() {
        let input = input.to_vec();
        // A program that does not read its input has its reasons.
        thread::spawn(move || stdin.write_all(&input));
    }
    let stdout = Output::of(group.child.stdout.take(), MAX_OUTPUT + 1);
    let stderr = Output::of(group.child.stderr.take(), MAX_COMPLAINT);
    while !group.has_ended() {
        if stdout.is_full() {
            return Err(Broken::Flood);
        }
        if Instant::now() >= until {
            return Err(Broken::Late);
        }
        thread::sleep(TICK);
    }
    let status = group.end()?;
    let rest = Instant::now() + REST;
    let (stdout, stderr) = (stdout.taken(rest), stderr.taken(rest));
    if stdout.len() > MAX_OUTPUT {
        Err(Broken::Flood)
    } else {
        Ok(Ended { code: status.code(), stdout, stderr })
    }
}

/// What a command of the user's settings prints. It runs in a folder without anything of a
/// checkout, and what it says besides is not told: that could be a key.
pub(super) fn printed(command: &str, input: &[u8]) -> Result<Vec<u8>, String> {
    /// Some ask the user.
    const TIME: Duration = Duration::from_secs(10);
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir("/");
    let ended =
        run(&mut shell, input, Instant::now() + TIME).map_err(|broken| broken.to_string())?;
    match ended.code {
        Some(0) => Ok(ended.stdout),
        code => Err(format!("ended with {}", code_text(code))),
    }
}

pub(super) fn code_text(code: Option<i32>) -> String {
    code.map_or("a signal".to_owned(), |code| code.to_string())
}

/// A program and what it started.
struct Group {
    child: Child,
    /// From then on its number may be another's.
    is_collected: bool,
}

impl Group {
    /// Whether the program itself has ended. It is not collected yet, so that its number, and
    /// with it that of the group, belongs to nobody else.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(pid) = self.pid() else { return true };
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None) | Err(rustix::io::Errno::INTR))
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(pid) = self.pid() {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        self.is_collected = true;
        self.child.wait()
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_collected {
            let _ = self.end();
        }
    }
}

/// What a thread reads from a pipe; beyond `max` bytes it is dropped.
struct Output {
    bytes: Arc<Mutex<Vec<u8>>>,
    max: usize,
    reader: JoinHandle<()>,
}

impl Output {
    fn of(pipe: Option<impl Read + Send + 'static>, max: usize) -> Output {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let Some(mut pipe) = pipe else { return };
            let mut chunk = [0; 16 << 10];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = (max - kept.len()).min(count);
                kept.extend_from_slice(&chunk[..room]);
            }
        });
        Output { bytes, max, reader }
    }

    fn is_full(&self) -> bool {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).len() >= self.max
    }

    /// What was read when the pipe ended, or until then.
    fn taken(self, until: Instant) -> Vec<u8> {
        while !self.reader.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
