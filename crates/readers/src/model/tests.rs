//! Archives and streams that others packed, and what is none.

use super::inflate::inflate;
use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks_exact(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

const FIXED: &str = "4b54c8492d2ececfd35148c4600100";
const STORED: &str = "010600f9ff73746f726564";
/// `N is N*N%97; ` for 0 to 59, with codes of its own.
const DYNAMIC: &str = "\
    3591c97140210c435ba184ef8d65a828e7f43f1349c42734b6d193e11b3fbfe3bbc378da1dce33ef089ee78e\
    547dde51145e774c8a40656914339b62e2d2a1d870b14f4310f275f4ec392f28792f87923b85dc8337653f59\
    93ff01d10408da89b090d74530ccb91085ae0b7110cd8548605d88c3cdc448ce8971d815a3e827c686106202\
    1b42381287101bdd10a2f84042380284101b0f11424cc0e2bd125d8430d61e02f1e231a0528c84738a11f04b\
    318c353138f6b640f61462c3388558fc2321166b422cce9d56f575b7ac6f94b74b453b57fec3aa9a5fb333d5\
    ea9cb53b7b9ddee70f";

#[test]
fn every_sort_of_block_is_unpacked() {
    assert_eq!(inflate(&bytes(FIXED), 28).unwrap(), b"a lesson, a lesson, a lesson");
    assert_eq!(inflate(&bytes(STORED), 6).unwrap(), b"stored");
    let expected: String = (0..60).map(|n| format!("{n} is {}; ", n * n % 97)).collect();
    let found = inflate(&bytes(DYNAMIC), expected.len()).unwrap();
    assert_eq!(String::from_utf8(found).unwrap(), expected);
}

#[test]
fn a_stream_that_is_cut_or_too_long_is_refused() {
    let whole = bytes(DYNAMIC);
    assert_eq!(inflate(&whole[..whole.len() - 1], 1000), None);
    assert_eq!(inflate(&bytes(FIXED), 27), None);
    assert_eq!(inflate(&[7], 10), None);
    assert_eq!(inflate(&[], 10), None);
}

/// An archive with one member, not packed.
fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let field = |n: usize, n_bytes: usize| n.to_le_bytes()[..n_bytes].to_vec();
    let sizes = [field(content.len(), 4), field(content.len(), 4), field(name.len(), 2)].concat();
    let local = [&b"PK\x03\x04"[..], &[0; 14], &sizes, &[0; 2], name.as_bytes(), content].concat();
    let head = [&b"PK\x01\x02"[..], &[0; 16], &sizes, &[0; 16], name.as_bytes()].concat();
    let end = [&b"PK\x05\x06"[..], &[0; 6], &field(1, 2), &[0; 4], &field(local.len(), 4)];
    [local, head, end.concat(), vec![0; 2]].concat()
}

#[test]
fn a_wrong_file_is_told_apart() {
    let told = |file: &[u8]| Published::read(file, None).err().unwrap();
    assert_eq!(told(b"#!/bin/sh"), "neither a wheel nor a safetensors file");
    assert_eq!(told(b"PK\x03\x04 and no directory"), "no zip archive that can be read");
    assert_eq!(told(&archive("a/other.txt", b"")), "there is no vocab.txt in it");
    assert_eq!(told(&archive("a/vocab.txt", b"[CLS]")), "there is no model.safetensors in it");
    assert_eq!(told(&weights()), "there is no vocab.txt beside it");
    assert_eq!(member(&archive("a/vocab.txt", b"[CLS]"), "/vocab.txt").unwrap(), b"[CLS]");
}

#[test]
fn what_is_installed_is_what_was_published() {
    let published = Published::read(&weights(), Some(b"[CLS]\n".to_vec())).unwrap();
    assert_eq!(Published::installed(published.bytes().to_vec()), Ok(published.clone()));
    assert!(published.digest().starts_with("sha256:"));
    assert_eq!(published.model().err().unwrap(), "[SEP] is missing: not a BERT with word pieces");
    assert!(Published::installed(published.bytes()[..15].to_vec()).is_err());
    assert!(Published::installed(b"other".to_vec()).is_err());
}

fn weights() -> Vec<u8> {
    let head =
        br#"{"bert.a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"I64"}}"#;
    let numbers = [1.5f32, -2.0].map(f32::to_le_bytes).concat();
    [&(head.len() as u64).to_le_bytes()[..], head, &numbers].concat()
}

#[test]
fn weights_are_read_by_name() {
    let file = weights();
    let found = tensors(&file).unwrap();
    assert_eq!((found.len(), &found["a"]), (1, &vec![1.5, -2.0]));
    assert!(tensors(&file[..file.len() - 1]).is_err());
    assert!(tensors(b"short").is_err());
}
