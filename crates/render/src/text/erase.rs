//! What `forget --hard` tells a person: what it proved, and what it could not.

use hardwon_core::gate::without_control;

use crate::answer::{Erased, Forgotten, KnownCopy};
use crate::record::counted;

/// What is gone, what is left and what to do about it.
pub fn forget_hard(forgotten: &Forgotten) -> String {
    let Forgotten { lesson, erased } = forgotten;
    erased.as_ref().map_or(String::new(), |erased| proof(lesson.id.as_str(), erased))
}

fn proof(id: &str, erased: &Erased) -> String {
    let n_files = counted(erased.n_files_scanned, "file");
    let n_rows = counted(erased.n_rows, "row");
    let mut out = if erased.is_again {
        format!("{id} was forgotten for good before\n")
    } else {
        format!("{id} is forgotten for good: erased from {n_rows}, {n_files} looked through\n")
    };
    match (erased.is_again, erased.is_proved()) {
        (true, true) => {
            out += "the store's files were written anew and its log is empty; its words are gone, \
                    so files were not searched for them\n";
        }
        (false, true) => out += "proved: nothing of its text is left in them\n",
        (_, false) => {}
    }
    for residue in &erased.residues {
        out += &format!("left: {} in {}\n", residue.what, without_control(&residue.place));
    }
    for reason in &erased.not_proved {
        out += &format!("not proved: {}\n", without_control(reason));
    }
    out += &copies("backup", &erased.backups);
    out += &copies("export", &erased.exports);
    let kept = erased.kept.iter().map(|kept| format!("kept: {kept}\n"));
    out.extend(kept);
    out + "not looked at: what was printed or copied elsewhere, other machines, git history\n"
}

fn copies(noun: &str, copies: &[KnownCopy]) -> String {
    let line = |copy: &KnownCopy| {
        let path = without_control(&copy.path);
        if copy.has_text {
            format!("{noun} with the text: {path} (remove it: rm '{path}')\n")
        } else {
            format!("{noun} without it: {path}\n")
        }
    };
    copies.iter().map(line).collect()
}
