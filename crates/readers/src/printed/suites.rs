//! Findings of test programs that name the file once and the tests below it: Jest and Vitest, and
//! what Maven and Gradle print of JUnit. And what `go vet` says.

use hardwon_core::command::parted::Parted;
use hardwon_core::event::FindingStated;
use hardwon_core::list;

use super::lines::{found, is_path};

const MAX_NAME_BYTES: usize = 200;

/// How many lines below a test say why it failed and where.
const MAX_BELOW: usize = 40;

/// Checks, each with words of its messages: `copylocks=passes lock by value`.
const CHECKS: &[&str] = list!("printed.txt", "vet");
/// How the compiler's messages begin.
const COMPILER: &[&str] = list!("printed.txt", "go compiler");

pub fn findings(lines: &[&str]) -> Vec<FindingStated> {
    let mut file: Option<&str> = None;
    let mut all: Vec<FindingStated> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let failed = line.trim_start().strip_prefix("FAIL ").map(str::trim);
        if let Some(path) = failed.map(|rest| rest.split(' ').next().unwrap_or_default())
            && is_path(path)
        {
            file = Some(path);
        }
        let one = vitest(failed, &lines[at + 1..])
            .or_else(|| jest(line, file?, &lines[at + 1..]))
            .or_else(|| junit(line));
        // Jest tells it a second time at its end.
        all.extend(
            one.filter(|one| !all.iter().any(|it| it.rule == one.rule && it.path == one.path)),
        );
    }
    all
}

/// `  ● cart › adds two items`, below `FAIL src/cart.test.js`.
fn jest(line: &str, file: &str, below: &[&str]) -> Option<FindingStated> {
    let name = line.trim_start().strip_prefix("● ")?.trim();
    if matches!(name, "Console") || name.ends_with(':') {
        return None;
    }
    Some(failed_test("jest", name, file, below)).filter(|_| is_name(name))
}

/// ` FAIL  src/cart.test.ts > cart > adds two items`.
fn vitest(failed: Option<&str>, below: &[&str]) -> Option<FindingStated> {
    let (path, name) = failed?.split_once(" > ")?;
    let is_test = is_path(path.trim()) && is_name(name);
    is_test.then(|| failed_test("vitest", name, path.trim(), below))
}

/// `shop.CartTest.total -- Time elapsed: 0.01 s <<< FAILURE!`, `CartTest > total() FAILED`.
fn junit(line: &str) -> Option<FindingStated> {
    let line = line.trim().trim_start_matches("[ERROR]").trim_start();
    let maven = || {
        let rest = line.strip_suffix("<<< FAILURE!").or_else(|| line.strip_suffix("<<< ERROR!"))?;
        let (name, time) = rest.split_once(" -- ").or_else(|| rest.split_once("  Time "))?;
        time.contains("elapsed").then_some(name.trim())
    };
    let gradle = || line.strip_suffix(" FAILED").filter(|name| name.contains(" > "));
    // A class is told as well as its tests.
    let name =
        maven().or_else(gradle).filter(|name| is_name(name) && !name.starts_with("Tests "))?;
    Some(FindingStated {
        path: None,
        category: Some("test".to_owned()),
        ..found("junit", name, &format!("Test {name} fails"), ("", None))
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.contains(char::is_control)
}

/// A test that failed: where in its file, and what it expected and received.
fn failed_test(tool: &str, name: &str, file: &str, below: &[&str]) -> FindingStated {
    let is_next = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("● ") || line.starts_with("FAIL ") || line.starts_with("Test Suites:")
    };
    let told: Vec<&str> =
        below.iter().take(MAX_BELOW).copied().take_while(|line| !is_next(line)).collect();
    let number = told.iter().find_map(|line| line_in(line, file));
    let is_reason = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("Expected") || line.starts_with("Received") || line.contains("Error: ")
    };
    let reasons: Vec<&str> =
        told.iter().filter(is_reason).take(2).map(|line| line.trim()).collect();
    let text = match name {
        "Test suite failed to run" => format!("Test suite {file} fails to run"),
        name => format!("Test {name} fails"),
    };
    let evidence = match reasons.is_empty() {
        true => format!("error: {text}"),
        false => format!("error: {text}: {}", reasons.join(", ")),
    };
    FindingStated {
        category: Some("test".to_owned()),
        evidence: Some(evidence),
        ..found(tool, name, &text, (file, number))
    }
}

/// The line of the file that a line of a trace names: `at Object.toBe (src/a.test.js:3:54)`.
fn line_in(line: &str, file: &str) -> Option<u32> {
    let (_, rest) = line.split_once(file)?;
    let digits = rest.strip_prefix(':')?;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// What `go vet` reports, if it is one of the commands, or `go test` shows what it said: a place and
/// a message without the name of the check. The check is known by the words of its message. What
/// the compiler says of unfinished code is none of it.
pub fn vetted(parts: &[Parted], lines: &[&str]) -> Vec<FindingStated> {
    let runs = |name: &str| {
        parts.iter().any(|part| {
            let words: Vec<&str> =
                part.words.iter().skip(part.n_wrapping).take(2).map(String::as_str).collect();
            words == ["go", name]
        })
    };
    // `# [shop/cart]` stands above what was found while testing.
    let is_headed = || lines.iter().any(|line| line.starts_with("# [") && line.ends_with(']'));
    if !(runs("vet") || runs("test") && is_headed()) {
        return Vec::new();
    }
    lines.iter().filter_map(|line| vetted_line(line)).collect()
}

fn vetted_line(line: &str) -> Option<FindingStated> {
    let (path, rest) = line.split_once(".go:")?;
    let path = format!("{path}.go");
    let (number, rest) = rest.split_once(':')?;
    let (column, message) = rest.split_once(": ")?;
    let n: u32 = number.parse().ok()?;
    let _: u32 = column.parse().ok()?;
    let is_vet = is_path(&path) && !COMPILER.iter().any(|begin| message.starts_with(begin));
    // `(govet)` behind it is golangci-lint's.
    if !is_vet || message.ends_with(')') && message.contains(" (") {
        return None;
    }
    let checks = CHECKS.iter().filter_map(|row| row.split_once('='));
    let check = checks.into_iter().find(|(_, words)| message.contains(words));
    let rule = check.map_or("vet", |(check, _)| check);
    Some(found("go-vet", rule, message, (&path, Some(n))))
}
