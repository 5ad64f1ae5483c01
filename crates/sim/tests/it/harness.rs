//! A folder of its own for each test, and one way to call the program in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A home for memory that has to stay as it is, and a folder to work in.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        build_program();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir(folder.path().join("work")).expect("the folder is writable");
        Place { folder }
    }

    /// `HARDWON_HOME`.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The folder in which the program is called.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Every file with its bytes.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files(self.folder.path())
    }

    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardwon-sim"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HARDWON_HOME", self.home())
            .env("HARDWON_WORKER", "off")
            .current_dir(self.work())
            .stdin(Stdio::null());
        // The bench of speed compiles a probe, with the toolchain of whoever tests.
        for name in ["HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let output = command.output().expect("the program starts");
        Ran {
            call: args.join(" "),
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("it prints UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("it prints UTF-8"),
        }
    }
}

/// Builds the program that is measured, if it does not lie beside `hardwon-sim` yet:
/// `cargo test -p hardwon-sim` alone does not build it.
fn build_program() {
    let beside = Path::new(env!("CARGO_BIN_EXE_hardwon-sim")).with_file_name("hardwon");
    if beside.is_file() {
        return;
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--quiet", "--package", "hardwon-cli", "--target-dir"]);
    cargo.args(beside.ancestors().nth(2)).current_dir(env!("CARGO_MANIFEST_DIR"));
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let is_built = cargo.status().is_ok_and(|status| status.success()) && beside.is_file();
    assert!(is_built, "no program to measure: build it with `cargo build -p hardwon-cli`");
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder is readable") {
        let path = entry.expect("a folder entry is readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).expect("a file is readable");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

/// How a call ended.
pub struct Ran {
    call: String,
    status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self}");
        self
    }

    /// The rows of the table that it printed as JSON.
    #[track_caller]
    pub fn rows(&self) -> Vec<Value> {
        let answer: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not one JSON document: {error}\n{self}"));
        assert_eq!(answer["status"], "ok", "{self}");
        assert!(answer["problems"].as_array().is_some_and(Vec::is_empty), "{self}");
        answer["rows"].as_array().filter(|rows| !rows.is_empty()).expect("there are rows").clone()
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ran { call, status, stdout, stderr } = self;
        write!(f, "$ hardwon-sim {call}\nexit {status:?}\n-- stdout\n{stdout}\n-- stderr\n{stderr}")
    }
}
