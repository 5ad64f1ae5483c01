//! Findings of test programs that name the file once and the tests below it: Jest and Vitest, and
//! what Maven and Gradle print of JUnit.

use hardwon_core::event::FindingStated;

use super::lines::{found, is_path};

/// Longest name of a test, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// How many lines below a test say why it failed and where.
const MAX_BELOW: usize = 40;

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
