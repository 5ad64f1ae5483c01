use super::*;
use crate::time::Timestamp;

#[track_caller]
fn check(text: &str, expected: &[Claim]) {
    let found: Vec<Claim> = claims(text).into_iter().map(|it| it.claim).collect();
    assert_eq!(found, expected, "{text}");
}

fn path(text: &str) -> Claim {
    Claim::Path(text.to_owned())
}

fn symbol(text: &str) -> Claim {
    Claim::Symbol(text.to_owned())
}

fn script(runner: &str, name: &str) -> Claim {
    Claim::Script { runner: runner.to_owned(), name: name.to_owned() }
}

fn version(of: &str, version: &str) -> Claim {
    Claim::Version { of: of.to_owned(), version: version.to_owned() }
}

fn value(name: &str, value: &str) -> Claim {
    Claim::Value { name: name.to_owned(), value: value.to_owned() }
}

#[test]
fn files_and_names_are_found() {
    check(
        "Edit src/auth/token.rs and `web/src`, not README.md.",
        &[path("web/src"), path("src/auth/token.rs"), path("README.md")],
    );
    check("See `src/a.rs:41` for it", &[path("src/a.rs")]);
    check(
        "`Store::apply()` is the door; `retry_limit` and `x`",
        &[symbol("apply"), symbol("retry_limit")],
    );
    check("Pass `--dry-run` to the importer", &[Claim::Flag("--dry-run".to_owned())]);
    check("Look at https://x.org/a/b.md and/or ask, e.g. in /etc/hosts or ~/.npmrc", &[]);
    check("Node.js is used", &[]);
}

#[test]
fn commands_name_scripts_and_files() {
    check("Run `npm run lint:fix` first", &[script("npm", "lint:fix")]);
    check("Run `CI=1 make -j4 seed`", &[script("make", "seed")]);
    check("Run `npm install` and `git push --force`", &[]);
    check(
        "Run `./scripts/import.sh --dry-run data/x.json`",
        &[path("scripts/import.sh"), Claim::Flag("--dry-run".to_owned()), path("data/x.json")],
    );
}

#[test]
fn versions_and_values_are_found() {
    check(
        "We are on Node 18 and Python version 3.11.",
        &[version("node", "18"), version("python", "3.11")],
    );
    check("Uses `react` v17.0.2", &[symbol("react"), version("react", "17.0.2")]);
    check("`MAX_RETRIES` is 3.", &[symbol("MAX_RETRIES"), value("MAX_RETRIES", "3")]);
    check("`POOL_SIZE=20` in staging", &[value("POOL_SIZE", "20")]);
    check(
        "`cache.mode` defaults to `lazy`",
        &[symbol("mode"), value("mode", "lazy"), symbol("lazy")],
    );
}

#[test]
fn dates_are_found() {
    let relative = |text: &str| Claim::RelativeDate(text.to_owned());
    check("We switched yesterday.", &[relative("yesterday")]);
    check("Decided on 2026-04-03.", &[Claim::Date("2026-04-03".to_owned())]);
    check("Compare with yesterday's report, every week", &[]);
    check("Run it each day, also today", &[]);
    let written = Timestamp::parse("2026-04-03T14:00:00Z").unwrap();
    assert_eq!(fixed_date("yesterday", written).as_deref(), Some("on 2026-04-02"));
    assert_eq!(fixed_date("last week", written).as_deref(), Some("in the week of 2026-03-27"));
    assert!(is_past("We migrated on 2026-04-03") && !is_past("The freeze begins on 2026-04-03"));
}

#[test]
fn what_is_denied_agrees_with_its_absence() {
    for (text, expected) in [
        ("Use `fetchJson`", false),
        ("Prefer fetch over `axios`", true),
        ("Never call `resetAll`", true),
        ("`old_api` was removed in spring", true),
        ("Use the pool, not `connect_raw`", true),
        ("Not everything is cached, so call `warm_cache`", false),
    ] {
        assert_eq!(claims(text)[0].is_denied, expected, "{text}");
    }
}
