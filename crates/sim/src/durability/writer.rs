//! One of the writers: sends one command after another, kills many of the processes, and
//! records what each of them answered.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::sent::{Reply, SentWrite, Write};
use crate::random::Random;
use crate::speed::draft::Vocabulary;

/// How many of ten processes are to be killed.
const N_KILLED_OF_TEN: u64 = 7;
/// How many of ten writes without an answer are sent again.
const N_REPEATED_OF_TEN: u64 = 6;
/// Kills come up to this long after the start, in usual durations of the command.
const LATEST_KILL: f64 = 1.2;
/// What a command takes before that is known, in microseconds.
const FIRST_GUESS: u64 = 5_000;
const N_COMMANDS: usize = 5;

/// What the writers share.
pub struct Arena<'a> {
    program: &'a Path,
    home: &'a Path,
    vocabulary: Vocabulary,
    kills_wanted: u64,
    pub n_kills: AtomicU64,
    /// How long each command usually takes here and now, in microseconds.
    usual: [AtomicU64; N_COMMANDS],
}

impl<'a> Arena<'a> {
    pub fn new(program: &'a Path, home: &'a Path, kills_wanted: u64) -> Self {
        Arena {
            program,
            home,
            vocabulary: Vocabulary::new(),
            kills_wanted,
            n_kills: AtomicU64::new(0),
            usual: [const { AtomicU64::new(FIRST_GUESS) }; N_COMMANDS],
        }
    }

    fn is_done(&self) -> bool {
        self.n_kills.load(Ordering::Relaxed) >= self.kills_wanted
    }

    /// Takes a duration into the usual one, with a weight of one eighth.
    fn took(&self, command: usize, duration: Duration) {
        let usual = &self.usual[command];
        let micros = duration.as_micros() as u64;
        usual.store((usual.load(Ordering::Relaxed) * 7 + micros) / 8, Ordering::Relaxed);
    }
}

/// A writer and its book.
pub struct Writer<'a> {
    arena: &'a Arena<'a>,
    random: Random,
    number: u64,
    n_drawn: u64,
    /// Lessons it stated and did not put away.
    lessons: Vec<String>,
    /// Runs it taught whose outcome it did not state.
    runs: Vec<String>,
    pub sent: Vec<SentWrite>,
    pub n_commands: u64,
    pub n_locked: u64,
    pub n_unrecorded: u64,
    pub failures: Vec<String>,
}

impl<'a> Writer<'a> {
    pub fn new(arena: &'a Arena<'a>, seed: u64, number: u64) -> Self {
        Writer {
            arena,
            random: Random::seeded(&[seed, number]),
            number,
            n_drawn: 0,
            lessons: Vec::new(),
            runs: Vec::new(),
            sent: Vec::new(),
            n_commands: 0,
            n_locked: 0,
            n_unrecorded: 0,
            failures: Vec::new(),
        }
    }

    /// Writes until there were enough kills.
    pub fn work(&mut self) -> Result<(), String> {
        while !self.arena.is_done() {
            let write = self.draw();
            let is_acknowledged = self.send(&write)?;
            self.sent.push(SentWrite { write, is_acknowledged });
        }
        Ok(())
    }

    /// What to write next.
    fn draw(&mut self) -> Write {
        self.n_drawn += 1;
        let (writer, n) = (self.number, self.n_drawn);
        match self.random.below(100) {
            0..30 => self.learn(writer, n),
            30..55 => Write::Inject { run: format!("i{writer}-{n}") },
            55..70 if !self.lessons.is_empty() => {
                let at = self.random.below(self.lessons.len() as u64) as usize;
                Write::Forget { lesson: self.lessons.swap_remove(at) }
            }
            70..80 if !self.runs.is_empty() => {
                let at = self.random.below(self.runs.len() as u64) as usize;
                Write::Outcome { run: self.runs.swap_remove(at) }
            }
            _ => {
                let draft = self.arena.vocabulary.draft(writer, n);
                Write::Add { text: format!("{} (case {writer}-{n})", draft.text) }
            }
        }
    }

    fn learn(&mut self, writer: u64, n: u64) -> Write {
        let first = self.random.below(8) as usize;
        let second = first + 1 + self.random.below(7) as usize;
        Write::Learn { run: format!("w{writer}-{n}"), findings: [first, second] }
    }

    /// Sends a write once or, as long as there is no answer, again. Whether it was
    /// acknowledged.
    fn send(&mut self, write: &Write) -> Result<bool, String> {
        for n_before in 0.. {
            let output = self.process(write)?;
            let code = output.status.code();
            match write.reply(&output.stdout, code, n_before > 0) {
                Reply::Written(lesson) => {
                    self.keep(write, lesson);
                    return Ok(true);
                }
                Reply::Nothing if self.is_drawn(N_REPEATED_OF_TEN) => continue,
                Reply::Nothing => return Ok(false),
                Reply::Unrecorded => self.n_unrecorded += 1,
                Reply::Locked => self.n_locked += 1,
                Reply::Failed(reason) => self.failures.push(reason),
            }
            return Ok(false);
        }
        Ok(false)
    }

    fn is_drawn(&mut self, n_of_ten: u64) -> bool {
        self.random.below(10) < n_of_ten
    }

    /// Remembers what later writes can be about.
    fn keep(&mut self, write: &Write, lesson: Option<String>) {
        match write {
            Write::Add { .. } => self.lessons.extend(lesson),
            Write::Learn { run, .. } => self.runs.push(run.clone()),
            Write::Inject { .. } | Write::Forget { .. } | Write::Outcome { .. } => {}
        }
    }

    /// Starts one process, and kills it if chance says so.
    fn process(&mut self, write: &Write) -> Result<Output, String> {
        self.n_commands += 1;
        let is_killed = self.is_drawn(N_KILLED_OF_TEN);
        let share = self.random.share() * LATEST_KILL;
        let failed = |error| format!("the program cannot be started: {error}");
        let from = Instant::now();
        let mut child = self.command(write).spawn().map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A process that is gone does not read.
            let _ = stdin.write_all(write.input().as_bytes());
        }
        if is_killed {
            let usual = self.arena.usual[write.command()].load(Ordering::Relaxed);
            thread::sleep(Duration::from_micros((share * usual as f64) as u64));
            child.kill().map_err(failed)?;
        }
        let output = child.wait_with_output().map_err(failed)?;
        if !is_killed {
            self.arena.took(write.command(), from.elapsed());
        }
        if output.status.code().is_none() {
            self.arena.n_kills.fetch_add(1, Ordering::Relaxed);
        }
        Ok(output)
    }

    fn command(&self, write: &Write) -> Command {
        let mut command = Command::new(self.arena.program);
        command
            .arg("--as-user")
            .args(write.args())
            .env_clear()
            .env("HARDWON_HOME", self.arena.home)
            .env("HARDWON_PROJECT", super::found::PROJECT)
            .current_dir(self.arena.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }
}
