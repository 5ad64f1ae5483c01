//! Sessions at a prompt, with everything that the program prints: every page of
//! `tests/sessions` is run and must print what it shows. `HARDWON_BLESS=1` writes what was
//! printed into the page instead; look at the diff.
//!
//! A page is checked like a document, but every section begins in an empty folder of its own,
//! with the functions of `prelude.sh`, and a command may fail: `[exit 2]` ends its output.

use std::fs;

use crate::readme::{Step, compare, pages_of, root, run_to_end, steps};

#[test]
fn sessions_print_what_they_show() {
    let folder = root().join("crates/cli/tests/sessions");
    let prelude = fs::read_to_string(folder.join("prelude.sh")).expect("the prelude is readable");
    let prelude = format!("ROOT={}\n{prelude}", root().display());
    let pages = pages_of(&folder);
    assert!(pages.len() > 5, "{pages:?}");
    let check = |path: &std::path::PathBuf| {
        let page = fs::read_to_string(path).expect("a page is readable");
        let steps = steps(&page).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        let printed: Vec<Vec<String>> =
            sections(&page, &steps).into_iter().flat_map(|steps| play(steps, &prelude)).collect();
        compare(path, &steps, &printed)
    };
    // Pages wait for processes most of the time.
    let faults: Vec<String> = std::thread::scope(|scope| {
        let started: Vec<_> = pages.iter().map(|path| scope.spawn(|| check(path))).collect();
        started.into_iter().map(|page| page.join().expect("the page was played")).collect()
    });
    assert!(
        faults.concat().is_empty(),
        "sessions show other output than the program gives (- page, + program):\n\n{}\
         HARDWON_BLESS=1 cargo test -p hardwon-cli --test it writes it into the pages",
        faults.concat()
    );
}

/// The steps below each heading.
fn sections<'s>(page: &str, steps: &'s [Step]) -> Vec<&'s [Step]> {
    let mut is_block = false;
    let mut headings = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        is_block ^= line.starts_with("```");
        if line.starts_with("## ") && !is_block {
            headings.push(number);
        }
    }
    let section = |step: &Step| headings.iter().take_while(|line| **line < step.line).count();
    steps.chunk_by(|one, other| section(one) == section(other)).collect()
}

/// What the steps of one section print.
fn play(steps: &[Step], prelude: &str) -> Vec<Vec<String>> {
    let ended = run_to_end(steps, prelude).unwrap_or_else(|fault| panic!("{fault}"));
    let with_status = |ended: crate::readme::Ended| {
        let mut lines = ended.printed;
        if ended.status != "0" {
            lines.push(format!("[exit {}]", ended.status));
        }
        lines
    };
    ended.into_iter().map(with_status).collect()
}
