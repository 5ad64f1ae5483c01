//! Does an output say that its command was called in a way that cannot work?

use crate::list;

/// How many lines at each end of an output are looked at.
pub const N_ENDS: usize = 12;

pub const MISCALLED: &[&str] = list!("mistakes.txt", "miscalled");

/// Whether an output says that the call cannot work as it is.
pub fn is_miscalled(output: &str) -> bool {
    let is_sign = |line: &str| has_any(line, MISCALLED) || line.trim_end().ends_with(": not found");
    let lines = output.lines().filter(|line| !line.trim().is_empty());
    let n_lines = lines.clone().count();
    let ends = lines.enumerate().filter(|(n, _)| *n < N_ENDS || n + N_ENDS >= n_lines);
    ends.into_iter().any(|(_, line)| is_sign(line))
}

/// Whether one of these signs stands in a line, in whatever case.
pub fn has_any(line: &str, signs: &[&str]) -> bool {
    let lower = line.to_lowercase();
    signs.iter().any(|sign| lower.contains(sign))
}
