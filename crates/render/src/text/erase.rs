//! What `forget --hard` tells a person: what it proved, and what it could not.

use hardwon_core::answer::{Forgotten, KnownCopy};
use hardwon_core::gate::without_control;

use crate::record::counted;

/// What is gone, what is left and what to do about it.
pub fn forget_hard(forgotten: &Forgotten) -> String {
    let Forgotten { lesson, erased } = forgotten;
    let mut out = format!(
        "{} is forgotten for good: erased from {}, {} looked through\n",
        lesson.id,
        counted(erased.n_rows, "row"),
        counted(erased.n_files_scanned, "file"),
    );
    if erased.is_proved() {
        out += "proved: nothing of its text is left in them\n";
    }
    for residue in &erased.residues {
        out += &format!("left: {} in {}\n", residue.what, without_control(&residue.place));
    }
    for reason in &erased.not_proved {
        out += &format!("not proved: {}\n", without_control(reason));
    }
    out += &copies("backup", &erased.backups);
    out += &copies("export", &erased.exports);
    out + "not looked at: what was printed or copied elsewhere, other machines, git history\n"
}

fn copies(noun: &str, copies: &[KnownCopy]) -> String {
    let line = |copy: &KnownCopy| {
        let path = without_control(&copy.path);
        match copy.has_text {
            true => format!("{noun} with the text: {path} (remove it: rm '{path}')\n"),
            false => format!("{noun} without it: {path}\n"),
        }
    };
    copies.iter().map(line).collect()
}
