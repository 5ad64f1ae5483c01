use super::*;

fn lesson(name: &str) -> LessonId {
    LessonId::given(name)
}

fn rule(rule: &str, path: &str) -> Seen {
    let subject = Subject::Rule { tool: "ruff".to_owned(), rule: rule.to_owned() };
    Seen { subject, lesson: Some(lesson(&format!("l-{rule}"))), path: Some(path.to_owned()) }
}

fn said(name: &str) -> Seen {
    Seen { subject: Subject::Lesson(lesson(name)), lesson: Some(lesson(name)), path: None }
}

fn of(score: &RunScore, chooser: Chooser) -> u64 {
    score.n_forewarned[Chooser::ALL.iter().position(|by| *by == chooser).unwrap()]
}

/// A past in which `A` came up often, `B` in one file, and `C` last.
fn scorer() -> Scorer {
    let mut scorer = Scorer::default();
    scorer.learn(None, &[rule("A", "src/a.py"), rule("B", "docs/x.py")]);
    scorer.learn(None, &[rule("A", "src/a.py"), rule("A", "src/b.py")]);
    scorer.learn(None, &[rule("C", "src/web/c.py")]);
    scorer
}

fn score(paths: &[&str], lines: &[&str], seen: &[Seen]) -> RunScore {
    let mut scorer = scorer();
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let asked = scorer.ask(lines.iter().map(|name| lesson(name)).collect(), 40, &paths);
    scorer.learn(Some(asked), seen);
    scorer.scores.remove(0)
}

#[test]
fn every_chooser_shows_what_its_rule_says() {
    let cases = [
        (Chooser::Frequent, "A", "elsewhere/y.py"),
        (Chooser::Place, "B", "docs/x.py"),
        (Chooser::Place, "C", "src/web/y.py"),
        (Chooser::Place, "A", "elsewhere/y.py"),
        (Chooser::Oracle, "B", "elsewhere/y.py"),
    ];
    for (chooser, name, path) in cases {
        let hit = score(&[path], &["l-unknown"], &[rule(name, path)]);
        assert_eq!(of(&hit, chooser), 1, "{chooser} should show {name} for {path}");
        let all: u64 = ["A", "B", "C"]
            .map(|other| of(&score(&[path], &["l-unknown"], &[rule(other, path)]), chooser))
            .iter()
            .sum();
        let n = if chooser == Chooser::Oracle { 3 } else { 1 };
        assert_eq!(all, n, "{chooser} has one line only");
    }
}

#[test]
fn a_rule_is_told_by_any_of_its_lessons_and_counts_once() {
    let known = Seen { lesson: Some(lesson("l-new")), ..rule("A", "src/a.py") };
    let seen = [known, rule("A", "src/b.py"), rule("D", "src/b.py")];
    let score = score(&["src/a.py"], &["l-A", "l-B"], &seen);
    assert_eq!((score.n_problems, score.n_known), (2, 1));
    assert_eq!(of(&score, Chooser::Hardwon), 1);
    assert_eq!((score.n_lines, score.n_useful, score.n_tokens), (2, 1, 40));
}

#[test]
fn a_lesson_tells_of_what_is_recognized_as_it_then() {
    let told = score(&[], &["l-1"], &[said("l-1"), said("l-2")]);
    assert_eq!((told.n_problems, told.n_known, of(&told, Chooser::Hardwon)), (2, 0, 1));
    assert_eq!(of(&told, Chooser::Oracle), 1, "never behind ours");
}

#[test]
fn figures_sum_up_and_their_intervals_hold_the_share() {
    let one = |n_problems: u64, n_told: u64, n_lines: u64| RunScore {
        n_problems,
        n_forewarned: vec![n_told; Chooser::ALL.len()],
        n_lines,
        n_useful: n_told,
        n_tokens: 10,
        ..RunScore::default()
    };
    let scores: Vec<RunScore> =
        (0..100).map(|at| if at % 4 == 0 { one(0, 0, at % 8 / 4) } else { one(2, 1, 3) }).collect();
    let summed = figures(&scores, 7);
    assert_eq!((summed.n_runs, summed.n_problems, summed.tokens_per_run()), (100, 150, 10.0));
    let ours = summed.of(Chooser::Hardwon);
    assert_eq!((ours.n, ours.of), (75, 150));
    assert_eq!((ours.low, ours.high), (0.5, 0.5), "the same share in every run");
    assert_eq!((summed.silent.n, summed.silent.of), (13, 25));
    assert!(summed.silent.low < 0.52 && 0.52 < summed.silent.high && summed.silent.low > 0.2);
    assert_eq!(summed, figures(&scores, 7));
    assert_ne!(summed, figures(&scores, 8));
    assert_eq!(figures(&[], 1).of(Chooser::Oracle), Share::default());
}
