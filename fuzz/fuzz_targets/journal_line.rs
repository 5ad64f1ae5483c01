#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hardwon_fuzz::foreign::journal_line(bytes));
