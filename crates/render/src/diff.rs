//! What changes in a text, as a unified diff that people and `patch` can read.

/// Lines around a change.
const CONTEXT: usize = 3;

/// Beyond this many pairs of lines, what differs is shown as one piece.
const MAX_PAIRS: usize = 4_000_000;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Same,
    Out,
    In,
}

/// The difference; empty if there is none. No old text means a new file, no new one a file
/// that goes.
pub fn unified(path: &str, old: Option<&str>, new: Option<&str>) -> String {
    let (before, after) = (lines(old), lines(new));
    let marked = marked(&before, &after);
    if old.is_some() == new.is_some() && marked.iter().all(|(mark, _)| *mark == Mark::Same) {
        return String::new();
    }
    let name = |text: Option<&str>| if text.is_some() { path } else { "/dev/null" };
    let mut out = format!("--- {}\n+++ {}\n", name(old), name(new));
    for (start, end) in hunks(&marked) {
        hunk(&marked, start, end, &mut out);
    }
    out
}

fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

/// Every line of both, in order.
fn marked<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<(Mark, &'a str)> {
    let n_head = before.iter().zip(after).take_while(|(left, right)| left == right).count();
    let tails = before[n_head..].iter().rev().zip(after[n_head..].iter().rev());
    let n_tail = tails.take_while(|(left, right)| left == right).count();
    let old = &before[n_head..before.len() - n_tail];
    let new = &after[n_head..after.len() - n_tail];
    let same = |line: &&'a str| (Mark::Same, *line);
    let mut out: Vec<_> = before[..n_head].iter().map(same).collect();
    out.extend(middle(old, new));
    out.extend(before[before.len() - n_tail..].iter().map(same));
    out
}

/// By the longest run of lines that both have.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Mark, &'a str)> {
    let (n, m) = (old.len(), new.len());
    let is_large = n.saturating_mul(m) > MAX_PAIRS;
    let width = m + 1;
    let mut best = vec![0u32; if is_large { 0 } else { (n + 1) * width }];
    if !is_large {
        for i in (0..n).rev() {
            for j in (0..m).rev() {
                best[i * width + j] = match old[i] == new[j] {
                    true => best[(i + 1) * width + j + 1] + 1,
                    false => best[(i + 1) * width + j].max(best[i * width + j + 1]),
                };
            }
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < n || j < m {
        let is_same = !is_large && i < n && j < m && old[i] == new[j];
        let drops =
            i < n && (j == m || is_large || best[(i + 1) * width + j] >= best[i * width + j + 1]);
        match (is_same, drops) {
            (true, _) => out.push((Mark::Same, old[i])),
            (false, true) => out.push((Mark::Out, old[i])),
            (false, false) => out.push((Mark::In, new[j])),
        }
        i += usize::from(is_same || drops);
        j += usize::from(is_same || !drops);
    }
    out
}

/// Where pieces begin and end that are worth showing.
fn hunks(marked: &[(Mark, &str)]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (at, _) in marked.iter().enumerate().filter(|(_, (mark, _))| *mark != Mark::Same) {
        let (start, end) = (at.saturating_sub(CONTEXT), (at + 1 + CONTEXT).min(marked.len()));
        match hunks.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            Some(_) | None => hunks.push((start, end)),
        }
    }
    hunks
}

fn hunk(marked: &[(Mark, &str)], start: usize, end: usize, out: &mut String) {
    let count =
        |lines: &[(Mark, &str)], not: Mark| lines.iter().filter(|(mark, _)| *mark != not).count();
    let side = |not| {
        let n = count(&marked[start..end], not);
        let first = count(&marked[..start], not) + usize::from(n > 0);
        format!("{first},{n}")
    };
    out.push_str(&format!("@@ -{} +{} @@\n", side(Mark::In), side(Mark::Out)));
    for (mark, line) in &marked[start..end] {
        let sign = match mark {
            Mark::Same => ' ',
            Mark::Out => '-',
            Mark::In => '+',
        };
        out.push(sign);
        out.push_str(line.trim_end_matches(['\n', '\r']));
        out.push('\n');
        if !line.ends_with('\n') {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn what_is_inserted_stands_between_what_was_there() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let new = "a\nb\nc\nd\nX\ne\nf\n";
        let expected = "--- p\n+++ p\n@@ -2,5 +2,6 @@\n b\n c\n d\n+X\n e\n f\n";
        assert_eq!(unified("p", Some(old), Some(new)), expected);
    }

    #[test]
    fn a_line_without_an_end_is_told() {
        let expected = "--- p\n+++ p\n@@ -1,1 +1,2 @@\n-{}\n\\ No newline at end of file\n+{\n+}\n";
        assert_eq!(unified("p", Some("{}"), Some("{\n}\n")), expected);
    }

    #[test]
    fn files_come_and_go() {
        let made = unified("p", None, Some("a\n"));
        assert_eq!(made, "--- /dev/null\n+++ p\n@@ -0,0 +1,1 @@\n+a\n");
        let gone = unified("p", Some("a\n"), None);
        assert_eq!(gone, "--- p\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
        assert_eq!(unified("p", Some("a\n"), Some("a\n")), "");
    }

    #[test]
    fn changes_far_apart_are_pieces_of_their_own() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new = old.replace("\n5\n", "\n").replace("\n30\n", "\nX\n30\n");
        let diff = unified("p", Some(&old), Some(&new));
        assert_eq!(diff.matches("@@ -").count(), 2, "{diff}");
        assert!(diff.contains("\n-5\n") && diff.contains("\n+X\n"), "{diff}");
    }
}
