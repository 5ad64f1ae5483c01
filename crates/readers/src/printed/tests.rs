use super::looks;

/// Tool, rule, path, line and text of everything that is found.
fn told(command: &str, output: &str) -> Vec<String> {
    let looks = looks(command, output, Some(false));
    let all = looks.iter().flat_map(|look| &look.findings);
    let told = all.map(|found| {
        let place =
            format!("{}:{}", found.path.as_deref().unwrap_or_default(), found.line.unwrap_or(0));
        let rule = found.rule.as_deref().unwrap_or_default();
        format!("{} {rule} {place} {}", found.author.as_deref().unwrap_or_default(), found.text)
    });
    told.collect()
}

#[test]
fn every_form_is_read() {
    let table: &[(&str, &str, &[&str])] = &[
        (
            "mise run lint 2>&1 | tail -30",
            "[lint:go] cmd/a.go:12:9: error returned from external package is unwrapped: sig: func os.ReadFile(name string) ([]byte, error) (wrapcheck)\n\
             [lint:go] \t\treturn err\n[lint:go] cmd/b.go:3:1: G304: Potential file inclusion via variable (gosec)\n2 issues:\n",
            &[
                "golangci-lint wrapcheck cmd/a.go:12 error returned from external package is unwrapped",
                "golangci-lint gosec/G304 cmd/b.go:3 Potential file inclusion via variable",
            ],
        ),
        (
            "npx tsc --noEmit",
            "src/a.ts(12,5): error TS2345: Argument of type 'x' is not assignable\nsrc/b.ts:3:1 - error TS7006: Parameter 'y' implicitly has an 'any' type.\n",
            &[
                "tsc TS2345 src/a.ts:12 Argument of type 'x' is not assignable",
                "tsc TS7006 src/b.ts:3 Parameter 'y' implicitly has an 'any' type.",
            ],
        ),
        (
            "npm run lint",
            "\n/home/u/shop/src/cart.js\n  12:5  error  'x' is assigned a value but never used  no-unused-vars\n  14:1  warning  Unexpected console statement  no-console\n\n✖ 2 problems\n",
            &[
                "eslint no-unused-vars /home/u/shop/src/cart.js:12 'x' is assigned a value but never used",
                "eslint no-console /home/u/shop/src/cart.js:14 Unexpected console statement",
            ],
        ),
        (
            "cargo clippy",
            "warning: unneeded `return` statement\n  --> src/a.rs:3:5\n   |\n3  |     return 1;\n   |\n   = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#needless_return\n\nerror[E0308]: mismatched types\n --> src/b.rs:1:2\n  |\n",
            &[
                "clippy clippy::needless_return src/a.rs:3 unneeded `return` statement",
                "rustc E0308 src/b.rs:1 mismatched types",
            ],
        ),
        (
            "ruff check .",
            "a.py:1:8: F401 [*] `os` imported but unused\nE501 Line too long (120 > 88)\n --> b.py:2:89\n",
            &[
                "ruff F401 a.py:1 `os` imported but unused",
                "ruff E501 b.py:2 Line too long (120 > 88)",
            ],
        ),
        (
            "uv run mypy src",
            "src/a.py:3: error: Item \"None\" has no attribute \"x\"  [union-attr]\n",
            &["mypy union-attr src/a.py:3 Item \"None\" has no attribute \"x\""],
        ),
        (
            "go test ./... | tail -20",
            "--- FAIL: TestTotal (0.00s)\n    a_test.go:12: got 3\nFAIL\n",
            &["go-test TestTotal :0 Test TestTotal fails"],
        ),
        ("cat lint.log", "a.go:1:2: bad thing here (wrapcheck)\n", &[]),
        ("git diff", "a.go:1:2: bad thing here (wrapcheck)\n", &[]),
    ];
    for (command, output, expected) in table {
        assert_eq!(told(command, output), *expected, "{command}");
    }
}

#[test]
fn a_tool_that_found_nothing_has_looked() {
    let tools = |command: &str, output: &str| -> Vec<String> {
        looks(command, output, Some(true)).into_iter().map(|look| look.tool).collect()
    };
    assert_eq!(tools("mise run lint", "0 issues.\n"), ["golangci-lint"]);
    assert_eq!(tools("npx eslint src", ""), ["eslint"]);
    assert_eq!(tools("ls", ""), [""; 0]);
}
