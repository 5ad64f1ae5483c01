//! Notes in a block: told first, within their share, never in the way of lessons, never learned.

use hardwon_core::notes::shown::{NoteAtHand, NotesAtHand};
use hardwon_engine::{InjectRequest, Style};

use crate::harness::{Pipeline, W, role, run_id};

fn notes(n: usize) -> NotesAtHand {
    let note = |n: usize| NoteAtHand {
        role: Some("builder".to_owned()),
        slug: format!("fact-{n}"),
        text: format!("Fact {n} of the builder: the tests have a budget of {n} lines"),
        ..NoteAtHand::default()
    };
    NotesAtHand { notebooks: (0..n).map(note).collect(), ..NotesAtHand::default() }
}

fn request(n: usize) -> InjectRequest {
    InjectRequest { need: role("builder"), notes: notes(n), ..InjectRequest::default() }
}

#[test]
fn notes_stand_above_the_lessons_and_within_the_budget() {
    for mut p in Pipeline::on_both() {
        p.confirm(&[W]);
        let block = p.serve(&request(2)).block;
        let lines: Vec<&str> = block.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(
            lines[..2],
            [
                "- Fact 0 of the builder: the tests have a budget of 0 lines (note builder/fact-0)",
                "- Fact 1 of the builder: the tests have a budget of 1 lines (note builder/fact-1)",
            ]
        );
        assert!(lines[2].starts_with(&format!("- {W}")), "{block}");
        for budget in (0..600).step_by(25) {
            let served = p.serve(&InjectRequest { budget: Some(budget), ..request(90) });
            assert!(served.n_tokens <= budget, "{} of {budget}", served.n_tokens);
        }
        let much = p.serve(&InjectRequest { budget: Some(5_000), ..request(90) });
        let n = much.block.matches("(note builder/").count();
        assert!((2..12).contains(&n) && much.block.contains(W), "{}", much.block);
    }
}

#[test]
fn a_block_without_notes_is_what_it_was() {
    let mut p = Pipeline::confirmed();
    let before = p.serve(&InjectRequest { need: role("builder"), ..InjectRequest::default() });
    assert_eq!(p.serve(&request(0)).block, before.block);
    let other = InjectRequest { need: role("tester"), ..request(3) };
    assert!(!p.serve(&other).block.contains("Fact"), "they are the builder's");
    for style in [Style::Archeflow, Style::Archivist, Style::Packet] {
        let style = Some(style);
        let plain = p.serve(&InjectRequest { style, ..request(0) }).block;
        assert_eq!(p.serve(&InjectRequest { style, ..request(3) }).block, plain, "{style:?}");
    }
    assert!(
        p.serve(&InjectRequest { style: Some(Style::Jkz), ..request(3) }).block.contains("Fact")
    );
}

#[test]
fn what_a_run_was_told_is_told_again_and_nothing_is_learned_from_it() {
    let mut p = Pipeline::on_memory();
    let first = InjectRequest { run: Some(run_id("r1")), ..request(1) };
    let served = p.serve(&first);
    assert!(served.block.contains("Fact 0") && served.lessons.is_empty(), "{}", served.block);
    let n_entries = p.n_entries();
    let again = p.serve(&first);
    assert!(again.is_repeat && again.block == served.block);
    assert_eq!(p.n_entries(), n_entries, "nothing new is recorded");
    let changed = InjectRequest { notes: notes(2), ..first };
    assert!(p.serve(&changed).block.contains("Fact 1"));
    assert!(p.lessons().is_empty());
    p.assert_sound();
}
