use super::*;
use crate::matching::MatchPolicy;
use crate::notes::manifest::{FieldKind, ManifestField};
use crate::notes::policy::NotesPolicy;

const WRITTEN: &str = "2026-04-03T14:00:00Z";

fn fact(name: &str, text: &str) -> Fact {
    Fact::new(name, text, false, Timestamp::parse(WRITTEN))
}

fn field(kind: FieldKind, name: &str, value: &str) -> ManifestField {
    let (file, name, value) = ("package.json".to_owned(), name.to_owned(), value.to_owned());
    ManifestField { file, line: 4, kind, name, value }
}

/// A tree in which some things are, others were, and others never have been.
fn tree(facts: &[Fact]) -> Tree {
    let mut tree = Tree::for_facts(facts);
    for path in ["src/auth/token.rs", "src/net/pool.rs", "docs/a.md", "web/src/app.ts"] {
        tree.take_path(path);
    }
    let pool = "const MAX_RETRIES: u32 = 5;\nfn open_pool() {}\nargs.flag(\"--dry-run\");\n";
    tree.take_text("src/net/pool.rs", pool);
    tree.take_text("config.yml", "timeout: 30\npool_size: 10\n");
    tree.take_text("other.yml", "pool_size: 20\n");
    tree.take_text("CHANGELOG.md", "- removed `legacy_login`, `close_pool`\n");
    tree.take_manifest([
        field(FieldKind::Version, "node", ">=20"),
        field(FieldKind::Dependency, "react", "^18.2.0"),
        field(FieldKind::Dependency, "left-pad", "1.0.0"),
        field(FieldKind::Script, "lint", "eslint ."),
    ]);
    tree
}

/// History knows what is called so.
fn history(ask: &Ask) -> Option<History> {
    let name = match ask {
        Ask::Path(name) | Ask::Name(name) | Ask::Script(name) => name.as_str(),
    };
    let renamed_to = match name {
        "src/token.rs" => Some("src/auth/token.rs".to_owned()),
        "src/gone.rs" | "legacy_login" | "close_pool" | "seed" | "--wipe-all" | "axios" => None,
        _ => return None,
    };
    let (commit, date) = ("abc1234".to_owned(), "2026-05-01".to_owned());
    let subject = "tidy up".to_owned();
    Some(History { commit, date, subject, file: None, renamed_to })
}

fn audit(facts: &[Fact]) -> Vec<AuditFinding> {
    let tree = tree(facts);
    let questions = questions(facts, &tree);
    let answers: Vec<Option<History>> = questions.iter().map(|it| history(&it.ask)).collect();
    let (policy, matching) = (NotesPolicy::default(), MatchPolicy::default());
    judge(facts, &tree, &questions, &answers, &policy, &matching)
}

#[track_caller]
fn check(text: &str, expected: Option<(AuditKind, &str)>) {
    let found = audit(&[fact("a.md", text)]);
    let told = found.first().map(|it| (it.kind, it.evidence.last().unwrap().as_str()));
    assert!(found.len() <= 1, "{found:?}");
    match (told, expected) {
        (Some((kind, evidence)), Some((wanted, part))) => {
            assert_eq!(kind, wanted, "{text}");
            assert!(evidence.contains(part), "{text}: {evidence}");
        }
        (told, expected) => assert_eq!(told, expected, "{text}"),
    }
}

#[test]
fn what_is_gone_is_stale_if_history_knows_it() {
    use AuditKind::Stale;
    check(
        "Tokens are checked in `src/token.rs`.",
        Some((Stale, "renamed it to `src/auth/token.rs`")),
    );
    check("The parser is in src/gone.rs.", Some((Stale, "abc1234 of 2026-05-01 removed it")));
    check("Call `legacy_login()` before each test.", Some((Stale, "removed it: tidy up")));
    check("Run `npm run seed` after a pull.", Some((Stale, "removed it")));
    check("Pass `--wipe-all` to the importer.", Some((Stale, "removed it")));
    // Never there, as far as anybody knows.
    check("The parser is in src/never.rs.", None);
    check("Call `other_login()` before each test.", None);
    check("Pass `--no-verify` never to git.", None);
}

#[test]
fn what_is_there_holds() {
    check("Tokens are checked in `src/auth/token.rs`, see auth/token.rs.", None);
    check("Use `open_pool` with `--dry-run`; styles are in `web/src`.", None);
    check("Pad with `left_pad`.", None);
    check("Run `npm run lint` first, with Node 20 or `react` 18.2.", None);
    check("`MAX_RETRIES` is 5, `timeout` is 30.", None);
    check("`pool_size` is 7.", None);
}

#[test]
fn what_agrees_with_its_absence_is_not_stale() {
    check("Never call `legacy_login`.", None);
    check("`close_pool` was removed; the pool closes itself.", None);
    check("Prefer fetch over `axios`.", None);
}

/// Issue 18: "preferences and principles are never stale".
#[test]
fn how_somebody_wants_to_work_is_never_stale() {
    for text in [
        "We like `axios` for its errors.",
        "Ask before you touch `src/gone.rs`.",
        "Call `legacy_login()` before each test, with `--wipe-all`.",
        "Run `npm run seed` after a pull.",
        "Tokens are checked in `src/token.rs`.",
    ] {
        assert_eq!(audit(&[Fact::new("a.md", text, true, None)]), [], "{text}");
        assert_eq!(audit(&[Fact::new("a.md", text, false, None)]).len(), 1, "{text}");
    }
    check("Always call `legacy_login()` before each test.", None);
    check("As a rule, look at src/gone.rs first.", None);
    check("The flag `always` of src/gone.rs is on.", Some((AuditKind::Stale, "removed it")));
    for kind in NoteKind::ALL.iter().copied() {
        let text = "Call `legacy_login()` first.".to_owned();
        let note = Note { kind: Some(kind), text, ..Note::default() };
        let may_be_stale = matches!(kind, NoteKind::Project | NoteKind::Reference);
        let found = audit(&[Fact::of_note(&note, None)]);
        assert_eq!(!found.is_empty(), may_be_stale, "{kind}");
    }
}

#[test]
fn another_version_or_value_contradicts() {
    use AuditKind::Contradict;
    check("We are on Node 18.", Some((Contradict, "package.json:4: node >=20")));
    check("The client uses React 17.", Some((Contradict, "package.json:4: react ^18.2.0")));
    check(
        "`MAX_RETRIES` is 3.",
        Some((Contradict, "src/net/pool.rs:1: const MAX_RETRIES: u32 = 5;")),
    );
    check("The bug in Node 18 is worked around.", None);
    check("Chapter 18 explains it.", None);
    let found = audit(&[fact("a.md", "We are on Node 18.")]);
    let to = "We are on Node 20.".to_owned();
    let from = "We are on Node 18.".to_owned();
    assert_eq!(found[0].edit, Edit::Replace { from, to });
}

#[test]
fn dates_are_put_right() {
    use AuditKind::DateFix;
    check("We switched to pnpm yesterday.", Some((DateFix, "meant on 2026-04-02")));
    check("Decided on 2026-05-09 to keep it.", Some((DateFix, "after 2026-04-03")));
    check("The freeze begins on 2026-05-09.", None);
    check("Decided on 2026-04-01 to keep it.", None);
    check("Compare with yesterday's numbers.", None);
}

#[test]
fn the_later_of_two_equal_facts_is_redundant() {
    let facts = [
        fact("a.md", "Billing jobs must not be restarted at night, settlement is not resumable."),
        fact("b.md", "Never restart billing jobs at night because settlement cannot be resumed."),
        fact("c.md", "Billing jobs log to the settlement bucket."),
        // As they stand in public files: alike, and about something else each.
        fact("d.md", "`npm run lint` checks the style of all packages with the cache"),
        fact("e.md", "`npm run lint:fix` checks the style of all packages with the cache"),
        fact("f.md", "Build-time configuration"),
        fact("g.md", "Modify build configuration"),
        fact("h.md", "**Pricing**: Cost calculations depend on the pricing database of the vendor"),
        fact(
            "i.md",
            "Model names in tests must exactly match the vendor's pricing database entries",
        ),
        fact("j.md", "**Pricing of the vendor's database:**"),
    ];
    let found = audit(&facts);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].fact.as_str(), found[0].kind), ("b.md", AuditKind::Redundant));
    assert_eq!(found[0].edit, Edit::MergeInto { name: "a.md".to_owned() });
    assert!(found[0].evidence[0].starts_with("a.md says: Billing jobs must not"));
}

#[test]
fn a_wish_is_not_redundant_beside_a_fact_about_the_same() {
    let wish = "Never restart billing jobs at night because settlement cannot be resumed.";
    let known = "Billing jobs must not be restarted at night, settlement is not resumable.";
    let facts = [fact("a.md", known), Fact::new("b.md", wish, true, None)];
    assert_eq!(audit(&facts), []);
}

#[test]
fn history_is_asked_once_a_fact() {
    let facts = [
        fact("a.md", "Call `x_one` and `x_two` in src/never.rs."),
        fact("b.md", "`open_pool` is fine."),
        fact("c.md", "Call `x_three`."),
    ];
    let asked: Vec<(usize, Ask)> =
        questions(&facts, &tree(&facts)).into_iter().map(|it| (it.fact, it.ask)).collect();
    let expected =
        [(0, Ask::Path("src/never.rs".to_owned())), (2, Ask::Name("x_three".to_owned()))];
    assert_eq!(asked, expected);
}
