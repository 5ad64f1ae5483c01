//! Links the program so that it starts soon, where that saves time: on Linux with glibc. A block is
//! served by a process that lives for milliseconds.
//!
//! At a fixed address: a program that may be loaded anywhere has some 27,000 addresses in its
//! tables, and the loader writes every one of them before `main`, in pages that then are this
//! process's own; this was one in seven of those milliseconds. Stack, heap and libraries lie at
//! random addresses as before. Who rather wants the program there, too, builds with
//! `HARDWON_PIE=1`.
//!
//! With what a block calls side by side (`hot.ld`): it is a sixth of the program, and every page
//! of it that is touched for the first time costs some microseconds.
//!
//! Without tables for unwinding (`no_unwinding.ld`), a tenth of it, which nothing reads: a fault
//! ends the process. What is lost is the list of calls after a fault, which had no names anyway.

// The rules about I/O are about the program, not about what builds it.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

fn main() {
    for path in ["build.rs", HOT, NO_UNWINDING] {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rerun-if-env-changed=HARDWON_PIE");
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|value| value == wanted);
    let is_glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // Linked without any library, it has no loader.
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is_glibc && !is_static && !is("HARDWON_PIE", "1") {
        println!("cargo::rustc-link-arg-bin=hardwon=-no-pie");
    }
    // Where nothing is optimized, functions are other ones, and somebody may look for a fault.
    if let (true, Ok(folder)) = (is_glibc && !is("OPT_LEVEL", "0"), env::var("CARGO_MANIFEST_DIR"))
    {
        let link_args = [HOT, NO_UNWINDING].map(|script| format!("-Wl,-T,{folder}/{script}"));
        for taken in link_args.iter().filter(|link_arg| is_taken(link_arg).unwrap_or(false)) {
            println!("cargo::rustc-link-arg-bin=hardwon={taken}");
        }
    }
}

/// The functions that go side by side, written by `scripts/hot`.
const HOT: &str = "hot.ld";

/// What leaves the tables for unwinding out.
const NO_UNWINDING: &str = "no_unwinding.ld";

/// Whether the linker, which anybody may have replaced, takes this argument: tried on a program that
/// does nothing.
fn is_taken(link_arg: &str) -> io::Result<bool> {
    let variable = |name: &str| env::var(name).map_err(io::Error::other);
    let folder = variable("OUT_DIR")?;
    let (source, program) =
        (Path::new(&folder).join("nothing.rs"), Path::new(&folder).join("nothing"));
    fs::write(&source, "fn main() {}")?;
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut rustc = Command::new(variable("RUSTC")?);
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.args(["--target", &variable("TARGET")?, "-C", &format!("link-arg={link_arg}")]);
    if let Ok(linker) = variable("RUSTC_LINKER") {
        rustc.args(["-C", &format!("linker={linker}")]);
    }
    let rustc = rustc.arg("-o").arg(program).arg(source);
    Ok(rustc.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}
