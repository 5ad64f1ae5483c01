//! A program of the user's, run with limits: its input on standard input, at most 1 MiB of
//! output, until a time, and then ended with all that it started. One loop serves all three
//! pipes, so that no thread is left behind where something keeps a pipe open.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// More output ends the program.
const MAX_OUTPUT: usize = 1 << 20;

/// What is kept of its complaints.
const MAX_COMPLAINT: usize = 4 << 10;

/// How often is asked whether it has ended, where no pipe tells.
const TICK: Duration = Duration::from_millis(20);

/// How a program ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    /// The first of it.
    pub stderr: Vec<u8>,
}

/// Why it did not end by itself.
#[derive(Debug)]
pub(super) enum Broken {
    NotStarted(io::Error),
    Late,
    Flood,
}

/// Runs a command in a process group of its own. Whatever is left of that group when this returns
/// has been killed.
pub(super) fn run(command: &mut Command, input: &[u8], until: Instant) -> Result<Ended, Broken> {
    command.process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(Broken::NotStarted)?;
    let mut group = Group { child, is_collected: false };
    let (stdout, stderr) = group.talk(input, until)?;
    let status = group.end().map_err(Broken::NotStarted)?;
    Ok(Ended { code: status.code(), stdout, stderr })
}

/// A program and what it started.
struct Group {
    child: Child,
    /// From then on its number may be another's.
    is_collected: bool,
}

impl Group {
    /// Gives it its input and takes its output until it has ended.
    fn talk(&mut self, input: &[u8], until: Instant) -> Result<(Vec<u8>, Vec<u8>), Broken> {
        let mut input = Input { pipe: self.child.stdin.take(), rest: input };
        let mut stdout = Output::new(self.child.stdout.take(), MAX_OUTPUT + 1);
        let mut stderr = Output::new(self.child.stderr.take(), MAX_COMPLAINT);
        input.pipe.as_ref().map(ioctl_fionbio_on).transpose().map_err(Broken::NotStarted)?;
        for pipe in [stdout.fd(), stderr.fd()].into_iter().flatten() {
            ioctl_fionbio_on(&pipe).map_err(Broken::NotStarted)?;
        }
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Broken::Late);
            }
            wait(&input, &stdout, &stderr, left.min(TICK));
            // Asked before the pipes are read: what it wrote before it ended is in them.
            let has_ended = self.has_ended();
            input.write();
            stdout.read();
            stderr.read();
            if stdout.bytes.len() > MAX_OUTPUT {
                return Err(Broken::Flood);
            }
            if has_ended {
                return Ok((stdout.bytes, stderr.bytes));
            }
        }
    }

    /// Whether the program itself has ended. It is not collected yet, so that its number, and
    /// with it that of the group, belongs to nobody else.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(pid) = self.pid() else { return true };
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None) | Err(rustix::io::Errno::INTR))
    }

    fn end(&mut self) -> io::Result<std::process::ExitStatus> {
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

fn ioctl_fionbio_on(pipe: &impl AsFd) -> io::Result<()> {
    Ok(ioctl_fionbio(pipe, true)?)
}

/// Waits until a pipe has something to do, but not for long.
fn wait(
    input: &Input,
    stdout: &Output<impl Read + AsFd>,
    stderr: &Output<impl Read + AsFd>,
    time: Duration,
) {
    let write = input.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT));
    let read = [stdout.fd(), stderr.fd()].into_iter().flatten();
    let read = read.map(|pipe| PollFd::from_borrowed_fd(pipe, PollFlags::IN));
    let mut pipes: Vec<PollFd> = write.into_iter().chain(read).collect();
    let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    // A signal ends the wait early, and the loop goes on.
    let _ = poll(&mut pipes, Some(&time));
}

/// What is still to be written.
struct Input<'a> {
    pipe: Option<ChildStdin>,
    rest: &'a [u8],
}

impl Input<'_> {
    fn write(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        while !self.rest.is_empty() {
            match pipe.write(self.rest) {
                Ok(count) => self.rest = &self.rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // A program that does not read its input has its reasons.
                Err(_) => break,
            }
        }
        self.pipe = None;
    }
}

/// What was read so far.
struct Output<P> {
    pipe: Option<P>,
    bytes: Vec<u8>,
    max: usize,
}

impl<P: Read + AsFd> Output<P> {
    fn new(pipe: Option<P>, max: usize) -> Self {
        Output { pipe, bytes: Vec::new(), max }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Takes what is there; at most so much at a time that the clock is looked at in between.
    fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        let mut chunk = [0; 16 << 10];
        for _ in 0..2 * MAX_OUTPUT / chunk.len() {
            match pipe.read(&mut chunk) {
                Ok(0) => {
                    self.pipe = None;
                    return;
                }
                Ok(count) => {
                    let room = self.max.saturating_sub(self.bytes.len()).min(count);
                    self.bytes.extend_from_slice(&chunk[..room]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.pipe = None;
                    return;
                }
            }
        }
    }
}
