#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hardwon_fuzz::show::block_parse(bytes));
