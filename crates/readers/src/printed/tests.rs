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
        (
            "go vet ./...",
            "# shop\n# [shop]\n./cart.go:13:10: add passes lock by value: shop.Cart contains sync.Mutex\npay.go:4:2: unreachable code\npay.go:9:2: undefined: total\nvet: ./b.go:2:12: undefined: x\n",
            &[
                "go-vet copylocks cart.go:13 add passes lock by value: shop.Cart contains sync.Mutex",
                "go-vet unreachable pay.go:4 unreachable code",
            ],
        ),
        ("go build ./...", "# shop\n./cart.go:13:10: undefined: total\n", &[]),
        (
            "npm test -- --ci",
            "FAIL src/cart.test.js\n  cart\n    ✕ adds two items (4 ms)\n\n  ● cart › adds two items\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: 2\n\n    > 7 | expect(total).toBe(3)\n\n      at Object.toBe (src/cart.test.js:7:19)\n\n  ● cart › adds two items\n\nTests:       1 failed, 1 total\n",
            &["jest cart › adds two items src/cart.test.js:7 Test cart › adds two items fails"],
        ),
        (
            "npx vitest run",
            " FAIL  src/cart.test.ts > cart > adds two items\nAssertionError: expected 2 to be 3\n ❯ src/cart.test.ts:7:19\n",
            &["vitest cart > adds two items src/cart.test.ts:7 Test cart > adds two items fails"],
        ),
        (
            "mvn -q test",
            "[ERROR] shop.CartTest.total -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.2 s <<< FAILURE! -- in shop.CartTest\n",
            &["junit shop.CartTest.total :0 Test shop.CartTest.total fails"],
        ),
        (
            "./gradlew test",
            "CartTest > total() FAILED\n    org.opentest4j.AssertionFailedError at CartTest.java:12\n",
            &["junit CartTest > total() :0 Test CartTest > total() fails"],
        ),
        (
            "cargo check",
            "warning: unused import: `std::fs`\n --> src/main.rs:1:5\n  |\n  = note: `#[warn(unused_imports)]` (part of `#[warn(unused)]`) on by default\n\n",
            &["rustc unused_imports src/main.rs:1 unused import: `std::fs`"],
        ),
        (
            "python -m pytest -q",
            "FAILED tests/test_cart.py::TestCart::test_total - ValueError: no\n2 failed in 0.1s\n",
            &[
                "pytest tests/test_cart.py::TestCart::test_total tests/test_cart.py:0 Test tests/test_cart.py::TestCart::test_total fails",
            ],
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
