//! The fuzz targets as ordinary tests: every target over all of its seeds, and over what
//! is left of them when they are cut or one bit of them is turned.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn seeds(target: &str) -> Vec<PathBuf> {
    let folder = root().join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut seeds: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    seeds
}

/// Of each seed so many cuts and turned bits.
const N_DAMAGED: usize = 24;

#[test]
fn every_target_holds_on_its_seeds() {
    for (name, target) in targets::TARGETS {
        let seeds = seeds(name);
        assert!(seeds.len() > 1, "{name} has no seeds to speak of");
        for seed in seeds {
            let bytes = fs::read(&seed).unwrap();
            // Said only if the target panics.
            println!("{name}: {}", seed.display());
            target(&bytes);
            for n in 0..N_DAMAGED.min(bytes.len()) {
                let at = n * bytes.len() / N_DAMAGED.min(bytes.len());
                target(&bytes[..at]);
                let mut turned = bytes.clone();
                turned[at] ^= 1 << (n % 8);
                target(&turned);
            }
        }
    }
}

/// A target that is nowhere in the manifest is never run.
#[test]
fn every_target_can_be_run() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut names: Vec<String> = fs::read_dir(root().join("fuzz_targets"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut listed: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    listed.sort();
    assert_eq!(names, listed);
    for name in listed {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
