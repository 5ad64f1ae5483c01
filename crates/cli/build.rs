//! Links the program at a fixed address where that saves time: on Linux with glibc.
//!
//! A program that may be loaded anywhere has some 27,000 addresses in its tables, and the
//! loader writes every one of them before `main`, in pages that then are this process's own. A
//! block is served by a process that lives for milliseconds, and this was one in seven of them.
//! Stack, heap and libraries lie at random addresses as before. Who rather wants the program
//! there, too, builds with `HARDWON_PIE=1`.

// The rules about I/O are about the program, not about what builds it.
#![allow(clippy::disallowed_methods)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HARDWON_PIE");
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|value| value == wanted);
    let is_glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // Linked without any library, it has no loader.
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is_glibc && !is_static && !is("HARDWON_PIE", "1") {
        println!("cargo::rustc-link-arg-bin=hardwon=-no-pie");
    }
}
