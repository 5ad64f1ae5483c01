//! What sort of trouble does a failed step tell of, and which line of its output says
//! it best?

use crate::episode::ErrorClass;

/// Signs of each class, most telling first: a timeout of a test is a timeout.
const SIGNS: &[(ErrorClass, &[&str])] = &[
    (ErrorClass::Timeout, &["timed out", "timeout", "deadline exceeded", "time limit"]),
    (
        ErrorClass::Permission,
        &[
            "permission denied",
            "access denied",
            "not permitted",
            "forbidden",
            "unauthorized",
            "eacces",
            "eperm",
            "read-only file system",
        ],
    ),
    (
        ErrorClass::Network,
        &[
            "connection refused",
            "connection reset",
            "could not resolve",
            "network is unreachable",
            "econnrefused",
            // Not the one in `ModuleNotFoundError`.
            " enotfound",
            "'enotfound",
            "name resolution",
            "rate limit",
            "too many requests",
            "no route to host",
            "tls handshake",
        ],
    ),
    (
        ErrorClass::Import,
        &[
            "modulenotfounderror",
            "importerror",
            "cannot find module",
            "no module named",
            "unresolved import",
            "unresolved module",
            "module not found",
            "cannot find package",
            "could not find crate",
            "can't find crate",
        ],
    ),
    (
        ErrorClass::Syntax,
        &[
            "syntaxerror",
            "syntax error",
            "unexpected token",
            "unexpected end of",
            "parse error",
            "expected one of",
            "indentationerror",
            "unterminated",
        ],
    ),
    (
        ErrorClass::Type,
        &[
            "typeerror",
            "type error",
            "mismatched types",
            "is not assignable to",
            "type mismatch",
            "has no attribute",
            "error ts2",
            "incompatible type",
            "does not implement",
        ],
    ),
    (
        ErrorClass::Test,
        &[
            "assertion",
            "assert_eq",
            "test failed",
            "tests failed",
            "test result: failed",
            "failing test",
            " failed, ",
            "expected:",
            "--- fail",
            "✕",
        ],
    ),
    (
        ErrorClass::Build,
        &[
            "could not compile",
            "compilation failed",
            "build failed",
            "linker",
            "undefined reference",
            "cannot find -l",
            "make: ***",
            "ninja: build stopped",
            "error[e",
        ],
    ),
    (
        ErrorClass::Tool,
        &[
            "command not found",
            "not recognized as",
            "no such file or directory",
            "enoent",
            "unknown option",
            "unrecognized argument",
            "unexpected argument",
            "invalid option",
            "usage:",
            "unknown command",
            "string to replace not found",
            "is not a git repository",
        ],
    ),
    (
        ErrorClass::Runtime,
        &[
            "traceback",
            "panicked at",
            "exception",
            "segmentation fault",
            "stack overflow",
            "out of memory",
            "referenceerror",
            "null pointer",
            "nullpointer",
            "core dumped",
            "division by zero",
            "keyerror",
            "valueerror",
            "killed",
        ],
    ),
    (ErrorClass::Logic, &["invariant", "wrong result", "unexpected result", "mismatch"]),
];

/// Marks of a line that is worth showing.
const TELLING: &[&str] = &[
    "error",
    "fail",
    "denied",
    "refused",
    "timed out",
    "timeout",
    "panicked",
    "cannot",
    "not found",
    "no such",
    "invalid",
    "unexpected",
    "exception",
];

/// What hosts say when somebody stopped a step.
const REFUSALS: &[&str] = &[
    "request interrupted by user",
    "interrupted by the user",
    "user doesn't want to proceed",
    "user doesn’t want to proceed",
    "user rejected",
    "rejected by the user",
    "denied by the user",
    "aborted by user",
    "cancelled by the user",
];

/// Longest line that is kept of an error, in characters.
const MAX_LINE_CHARS: usize = 180;

/// What sort of trouble it is, by what the output says. The class whose sign stands in
/// the most telling place wins; none if no sign is known.
pub fn classify(output: &str) -> Option<ErrorClass> {
    let lower = output.to_lowercase();
    let counts_failures = |line: &str| {
        let words: Vec<&str> = line.split([' ', ',', ';', '=']).collect();
        let is_count = |word: &str| word.parse::<u32>().is_ok_and(|n| n > 0);
        words.windows(2).any(|pair| is_count(pair[0]) && pair[1] == "failed")
    };
    let has = |signs: &[&str]| signs.iter().any(|sign| lower.contains(sign));
    let by_sign = SIGNS.iter().find(|(_, signs)| has(signs)).map(|(class, _)| *class);
    by_sign.or_else(|| lower.lines().any(counts_failures).then_some(ErrorClass::Test))
}

/// Whether nobody let it run: that a person or the host said no is no failure.
pub fn is_refusal(output: &str) -> bool {
    let lower = output.to_lowercase();
    let refused = lower.contains("has been denied") && lower.contains("permission to use");
    refused || REFUSALS.iter().any(|sign| lower.contains(sign))
}

/// The line that says best what went wrong: the last one with a sign of trouble, else
/// the last that is not empty.
pub fn telling_line(output: &str) -> Option<String> {
    let mut fallback = None;
    for line in output.lines().rev().map(str::trim).filter(|line| !line.is_empty()) {
        let lower = line.to_lowercase();
        if TELLING.iter().any(|mark| lower.contains(mark)) {
            return Some(cut(line));
        }
        fallback.get_or_insert(line);
    }
    fallback.map(cut)
}

fn cut(line: &str) -> String {
    line.chars().take(MAX_LINE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_class() {
        let table = [
            ("error[E0308]: mismatched types", Some(ErrorClass::Type)),
            ("ModuleNotFoundError: No module named 'requests'", Some(ErrorClass::Import)),
            ("SyntaxError: Unexpected token '}'", Some(ErrorClass::Syntax)),
            ("thread 'main' panicked at src/main.rs:3", Some(ErrorClass::Runtime)),
            ("test result: FAILED. 3 passed; 1 failed", Some(ErrorClass::Test)),
            ("error: could not compile `shop`", Some(ErrorClass::Build)),
            ("Command timed out after 120s running tests", Some(ErrorClass::Timeout)),
            ("bash: frobnicate: command not found", Some(ErrorClass::Tool)),
            ("cp: cannot create 'x': Permission denied", Some(ErrorClass::Permission)),
            ("curl: (7) connection refused", Some(ErrorClass::Network)),
            ("wrong result: 3 instead of 4", Some(ErrorClass::Logic)),
            ("something odd", None),
            ("", None),
        ];
        for (output, class) in table {
            assert_eq!(classify(output), class, "{output}");
        }
    }

    #[test]
    fn a_refusal_is_no_failure() {
        for said in [
            "[Request interrupted by user for tool use]",
            "Permission to use Bash with command make image has been denied.",
            "The user doesn't want to proceed with this tool use.",
        ] {
            assert!(is_refusal(said), "{said}");
        }
        assert!(!is_refusal("cp: Permission denied"));
        assert_eq!(classify("3 passed, 1 failed"), Some(ErrorClass::Test));
        assert_eq!(classify("3 passed, 0 failed"), None);
    }

    #[test]
    fn the_telling_line_is_kept() {
        let output = "running\nerror: no such table: users\nnote: try again\n\n";
        assert_eq!(telling_line(output).as_deref(), Some("error: no such table: users"));
        assert_eq!(telling_line("one\ntwo\n").as_deref(), Some("two"));
        assert_eq!(telling_line("\n \n"), None);
        assert_eq!(telling_line(&"ä".repeat(500)).map(|line| line.chars().count()), Some(180));
    }
}
