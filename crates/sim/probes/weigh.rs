// How much memory did a program need at most? Starts the program that its arguments
// name and prints the peak in bytes.
//
// Compiled on the spot and run as a process of its own, because on Linux the peak of a
// child is at least that of the process that started it, and this one is tiny.

#[repr(C)]
struct Usage {
    times: [i64; 4],
    max_resident: i64,
    others: [i64; 13],
}

unsafe extern "C" {
    fn getrusage(who: i32, usage: *mut Usage) -> i32;
}

const CHILDREN: i32 = -1;

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().expect("a program to weigh");
    let mut command = std::process::Command::new(program);
    let status = command.args(arguments).stdout(std::process::Stdio::null()).status();
    if !status.is_ok_and(|status| status.success()) {
        std::process::exit(1);
    }
    let mut usage = Usage { times: [0; 4], max_resident: 0, others: [0; 13] };
    // SAFETY: `usage` has the layout of `struct rusage` on 64-bit Unix and lives here.
    if unsafe { getrusage(CHILDREN, &mut usage) } != 0 {
        std::process::exit(1);
    }
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    println!("{}", usage.max_resident * unit);
}
