//! Which command is it, whatever changes from run to run? And what sort of command:
//! one that only looks, one that tests, one that checks?

/// What stands for a number, a temporary path and a free text in a command's shape.
const NUMBER: &str = "N";
const TEMPORARY: &str = "TMP";
const FREE_TEXT: &str = "TEXT";

/// Where temporary paths begin.
const TEMPORARY_ROOTS: &[&str] = &[
    "/tmp/",
    "/var/tmp/",
    "/var/folders/",
    "/private/tmp/",
    "/private/var/folders/",
    "$tmpdir/",
    "${tmpdir}/",
    "%temp%\\",
];

/// Programs that only look, or whose failure is an answer.
const LOOKING: &[&str] = &[
    "[", "awk", "basename", "cat", "cd", "cmp", "comm", "cut", "date", "df", "diff", "dir", "du",
    "echo", "env", "false", "fd", "file", "find", "grep", "head", "id", "jq", "kill", "less", "ls",
    "more", "pgrep", "pkill", "printf", "ps", "pwd", "readlink", "realpath", "rg", "sleep", "sort",
    "stat", "tail", "tree", "true", "type", "uname", "uniq", "wc", "which", "whoami", "yq",
];

/// Subcommands of git that only look.
const GIT_LOOKING: &[&str] = &[
    "blame",
    "branch",
    "diff",
    "grep",
    "log",
    "ls-files",
    "remote",
    "rev-parse",
    "show",
    "status",
];

/// Programs that handle files or history: whatever they name, they neither test nor check.
const HANDLING: &[&str] =
    &["chmod", "cp", "docker", "git", "ln", "mkdir", "mv", "rm", "sed", "tar", "touch", "unzip"];

/// Programs that run what the next word names.
const RUNNERS: &[&str] =
    &["bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "deno", "ts-node", "tsx"];

const TESTING: &[&str] = &[
    "bats",
    "ctest",
    "cypress",
    "e2e",
    "jest",
    "karma",
    "mocha",
    "nextest",
    "nosetests",
    "phpunit",
    "playwright",
    "pytest",
    "rspec",
    "spec",
    "test",
    "tests",
    "tox",
    "unittest",
    "vitest",
];

const CHECKING: &[&str] = &[
    "biome",
    "build",
    "check",
    "ci",
    "clippy",
    "cmake",
    "compile",
    "eslint",
    "flake8",
    "fmt",
    "format",
    "gradle",
    "gradlew",
    "javac",
    "lint",
    "make",
    "mvn",
    "mypy",
    "ninja",
    "prettier",
    "pylint",
    "pyright",
    "ruff",
    "shellcheck",
    "stylelint",
    "tsc",
    "typecheck",
    "verify",
    "vet",
];

/// A command without what surrounds it: the folder it was run in, its time limit, and
/// what only shortened its output.
pub(crate) fn core(action: &str) -> String {
    let mut tokens = tokens(action);
    while let Some(n) = n_leading(&tokens) {
        tokens.drain(..n);
    }
    while let Some(n) = n_trailing(&tokens) {
        tokens.truncate(tokens.len() - n);
    }
    tokens.join(" ")
}

/// What a command is known by: the same however its numbers, temporary paths and quoted
/// texts change.
pub(crate) fn shape(core: &str) -> String {
    let steady = tokens(core).into_iter().enumerate().map(|(n, token)| match n {
        0 => token,
        _ => steady_token(&token),
    });
    steady.collect::<Vec<_>>().join(" ")
}

/// Splits at blanks outside quotes. A quote that never closes runs to the end.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let (mut token, mut open) = (String::new(), None);
    for c in text.chars() {
        match open {
            None if c.is_whitespace() => {
                if !token.is_empty() {
                    tokens.push(std::mem::take(&mut token));
                }
                continue;
            }
            None if matches!(c, '"' | '\'') => open = Some(c),
            Some(quote) if c == quote => open = None,
            None | Some(_) => {}
        }
        token.push(c);
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

/// How many tokens at the start only say where or how long.
fn n_leading(tokens: &[String]) -> Option<usize> {
    let at = |n: usize| tokens.get(n).map_or("", String::as_str);
    let is_here = |path: &str| path == "." || path.starts_with(['/', '~']) || path.contains(":\\");
    match at(0) {
        "cd" if is_here(at(1).trim_matches(['"', '\''])) && matches!(at(2), "&&" | ";") => Some(3),
        "cd" if is_here(at(1)) && at(1).ends_with(';') => Some(2),
        "time" if tokens.len() > 1 => Some(1),
        "timeout" if at(1).starts_with(|c: char| c.is_ascii_digit()) && tokens.len() > 2 => Some(2),
        _ => None,
    }
}

/// How many tokens at the end only shorten the output.
fn n_trailing(tokens: &[String]) -> Option<usize> {
    let last = tokens.last().filter(|_| tokens.len() > 1)?;
    if matches!(last.as_str(), "2>&1" | "2>/dev/null" | ";" | "&&") {
        return Some(1);
    }
    let pipe = tokens.iter().rposition(|token| token == "|")?;
    let is_short = matches!(tokens.get(pipe + 1).map(String::as_str), Some("tail" | "head"));
    let is_last = !tokens[pipe..].iter().any(|token| matches!(token.as_str(), "&&" | "||" | ";"));
    (is_short && is_last && pipe > 0).then_some(tokens.len() - pipe)
}

fn steady_token(token: &str) -> String {
    let lower = token.to_lowercase();
    let bare = lower.trim_start_matches(['"', '\'']);
    if TEMPORARY_ROOTS.iter().any(|root| bare.starts_with(root)) {
        return TEMPORARY.to_owned();
    }
    if token.contains(['"', '\'']) && token.contains(char::is_whitespace) {
        return FREE_TEXT.to_owned();
    }
    steady(token)
}

/// A text with every number that is no part of a name put aside: `--jobs=4`, `a.rs:12`
/// and `30s` lose it, `test2.py` and `e2e` do not.
pub(crate) fn steady(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(start);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (number, after) = digits.split_at(end);
        out.push_str(before);
        let is_inside = out
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
            && !is_option_end(&out);
        let is_number = !is_inside && is_end_of_number(after);
        out.push_str(if is_number { NUMBER } else { number });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `-5` and ` -5` are numbers; `python-3` is a name.
fn is_option_end(out: &str) -> bool {
    let Some(before) = out.strip_suffix('-') else { return false };
    before.is_empty() || before.ends_with(char::is_whitespace)
}

/// Whether what follows digits leaves them a number: nothing of a name, or a unit.
fn is_end_of_number(after: &str) -> bool {
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
    matches!(&after[..end], "" | "s" | "ms" | "m" | "h" | "k" | "kb" | "mb" | "gb")
}

/// The tokens after assignments, `sudo` and the like: the program first.
fn program_tokens(shape: &str) -> Vec<String> {
    let mut tokens = tokens(shape);
    // What is run in a folder below is still that command.
    if tokens.first().is_some_and(|first| first == "cd") && tokens.len() > 3 {
        tokens.drain(..3);
    }
    let is_before = |token: &String| {
        is_assignment(token) || matches!(token.as_str(), "sudo" | "env" | "command" | "nice")
    };
    let n = tokens.iter().take_while(|token| is_before(token)).count();
    tokens.split_off(n.min(tokens.len()))
}

/// `NAME=value`.
pub(crate) fn is_assignment(token: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    token.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(is_name) && !name.starts_with(|c: char| c.is_numeric())
    })
}

/// The program that is run, without its folder.
pub(crate) fn program(shape: &str) -> String {
    program_of(&program_tokens(shape))
}

fn program_of(tokens: &[String]) -> String {
    let first = tokens.first().map_or("", String::as_str);
    first.rsplit(['/', '\\']).next().unwrap_or("").to_lowercase()
}

/// What a command is for, as far as its words tell. Tests are checks as well for some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sort {
    /// It changes nothing, and that it fails is an answer.
    pub is_look: bool,
    /// It runs tests.
    pub is_test: bool,
    /// It builds, lints or checks types.
    pub is_check: bool,
}

pub(crate) fn sort(shape: &str) -> Sort {
    let tokens = program_tokens(shape);
    let program = program_of(&tokens);
    let has_more = || ["&&", "||", ";"].iter().any(|mark| shape.contains(mark));
    let is_look = match program.as_str() {
        "git" => tokens.get(1).is_some_and(|sub| GIT_LOOKING.contains(&sub.as_str())),
        program => LOOKING.contains(&program) && !has_more(),
    };
    Sort {
        is_look,
        is_test: !is_look && place_of(&program, &tokens, TESTING).is_some(),
        is_check: !is_look && place_of(&program, &tokens, CHECKING).is_some(),
    }
}

/// A test command up to the word that says so: what follows selects tests.
pub(crate) fn test_stem(shape: &str) -> Option<String> {
    let program_tokens = program_tokens(shape);
    let place = place_of(&program_of(&program_tokens), &program_tokens, TESTING)?;
    let tokens = tokens(shape);
    let n_before = tokens.len() - program_tokens.len();
    Some(tokens[..=n_before + place].join(" "))
}

/// Which token of the program says one of these words.
fn place_of(program: &str, tokens: &[String], known: &[&str]) -> Option<usize> {
    if HANDLING.contains(&program) {
        return None;
    }
    let is_runner = RUNNERS.contains(&program);
    tokens.iter().take(5).enumerate().position(|(n, token)| {
        let is_path = token.contains(['/', '.', '\\']);
        let may_be_path = n == 0 || n == 1 && is_runner;
        let name = token.rsplit(['/', '\\']).next().unwrap_or("").to_lowercase();
        let is_file_of_it = !is_path || may_be_path;
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        // What makes something is not make.
        let is_known = |word: &str| known.contains(&word) && (word != "make" || name == word);
        !token.starts_with('-') && is_file_of_it && words.any(is_known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surrounds_a_command_is_put_aside() {
        let table = [
            ("make test", "make test"),
            ("cd /home/u/shop && make test", "make test"),
            ("cd web && npm test", "cd web && npm test"),
            ("timeout 300 cargo test 2>&1 | tail -20", "cargo test"),
            ("cd . && time make 2>/dev/null", "make"),
            ("make | tee log", "make | tee log"),
            ("make | tail -5 && ls", "make | tail -5 && ls"),
            ("  make   test ", "make test"),
            ("cd", "cd"),
            ("| tail", "| tail"),
            ("", ""),
        ];
        for (action, expected) in table {
            assert_eq!(core(action), expected, "{action}");
        }
    }

    #[test]
    fn what_changes_from_run_to_run_is_no_part_of_the_shape() {
        let table = [
            ("pytest -n 4 --timeout=30", "pytest -n N --timeout=N"),
            ("pytest tests/test_a1.py", "pytest tests/test_a1.py"),
            ("python3 /tmp/x81/run.py", "python3 TMP"),
            ("git commit -m \"fix the total\"", "git commit -m TEXT"),
            ("npm run e2e", "npm run e2e"),
            ("sleep 30s", "sleep Ns"),
            ("head -5 a", "head -N a"),
            ("python-3 x", "python-3 x"),
            ("7z x", "7z x"),
            ("echo \"unclosed text", "echo TEXT"),
            ("größe 5ä 5", "größe 5ä N"),
            ("", ""),
        ];
        for (core, expected) in table {
            assert_eq!(shape(core), expected, "{core}");
        }
    }

    #[test]
    fn commands_are_of_a_sort() {
        let word = |shape: &str| match sort(shape) {
            Sort { is_look: true, .. } => "look",
            Sort { is_test: true, .. } => "test",
            Sort { is_check: true, .. } => "check",
            Sort { .. } => "other",
        };
        let table = [
            ("cargo test", "test"),
            ("python -m pytest tests/a.py", "test"),
            ("./scripts/run_tests.sh", "test"),
            ("bash scripts/test.sh --fast", "test"),
            ("CI=1 npm run test:unit", "test"),
            ("cd web && npm test", "test"),
            ("git add tests/a.py", "other"),
            ("python tests/make_data.py", "other"),
            ("cargo clippy -- -D warnings", "check"),
            ("npx tsc --noEmit", "check"),
            ("make", "check"),
            ("grep test src", "look"),
            ("git diff", "look"),
            ("cat a && make", "check"),
            ("rm -rf build", "other"),
            ("", "other"),
        ];
        for (shape, expected) in table {
            assert_eq!(word(shape), expected, "{shape}");
        }
    }

    #[test]
    fn what_selects_tests_is_no_part_of_the_stem() {
        let table = [
            ("cargo test -p shop total", Some("cargo test")),
            ("python -m pytest tests/a.py -q", Some("python -m pytest")),
            ("CI=1 npm run test:unit -- --watch", Some("CI=1 npm run test:unit")),
            ("cd web && npm test -- -u", Some("cd web && npm test")),
            ("make", None),
        ];
        for (shape, expected) in table {
            assert_eq!(test_stem(shape).as_deref(), expected, "{shape}");
        }
    }
}
