#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hardwon_fuzz::readers::archeflow_log(bytes));
