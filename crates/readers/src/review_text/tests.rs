//! Messages as reviewers write them, and what is read in them.

use super::*;

const BY: Reviewer<'_> =
    Reviewer { name: "code-reviewer", is_reviewer: true, folder: Some("/home/me/app") };

/// `severity path:line text` of every finding.
fn told(message: &str, by: Reviewer<'_>) -> Vec<String> {
    let review = review_text(message, by);
    let told = |finding: &FindingStated| {
        let path = finding.path.as_deref().unwrap_or("-");
        let line = finding.line.map_or(String::new(), |line| format!(":{line}"));
        let worst = finding.severity.as_deref().unwrap_or("?");
        format!("{worst} {path}{line} {}", finding.text)
    };
    review.findings.iter().map(told).collect()
}

#[track_caller]
fn check(name: &str, message: &str, expected: &[&str]) {
    assert_eq!(told(message, BY), expected, "{name}");
}

#[test]
fn tables_in_any_order_of_columns() {
    let table = "Two problems:\n\n| File | Severity | Finding |\n|---|:-:|---|\n\
         | `src/api.rs:41` | HIGH | Query built by string concatenation |\n\
         | src/db.rs | **Low** | Connection is never closed \\| leaked |\n\nDone.";
    check(
        "place first",
        table,
        &[
            "bug src/api.rs:41 Query built by string concatenation",
            "info src/db.rs Connection is never closed | leaked",
        ],
    );
    let table = "| # | Issue | Sev | Line | Path | Status |\n|-|-|-|-|-|-|\n\
         | 1 | Lock is held over an await | 🔴 Critical | 7-9 | src/a.rs | fixed |";
    check("place last", table, &["critical src/a.rs:7 Lock is held over an await"]);
    let state = review_text(table, BY).findings[0].state;
    assert_eq!(state, Some(hardwon_core::finding::FindingState::Fixed));
    check("no severities", "| File | Change |\n|-|-|\n| src/a.rs | renamed the function |", &[]);
}

#[test]
fn list_lines_that_begin_with_a_severity() {
    let cases = [
        (
            "- [HIGH] src/api.rs:41: Query built by concatenation",
            "bug src/api.rs:41 Query built by concatenation",
        ),
        ("* **Critical**: `src/api.rs:41` — key is logged", "critical src/api.rs:41 key is logged"),
        ("1. **[Medium]** Loop has no limit (src/n.rs:7)", "warning src/n.rs:7 Loop has no limit"),
        ("- [P1] Close the file — /home/me/app/src/io.rs:10-12", "bug src/io.rs:10 Close the file"),
        ("- [ ] Major: the cache is never emptied", "bug - the cache is never emptied"),
        ("- **High severity**: the lock is not released", "bug - the lock is not released"),
    ];
    for (line, expected) in cases {
        check(line, line, &[expected]);
    }
    for line in ["- High memory use was measured", "- low on disk", "- [x] done with it", "Minor"] {
        check(line, line, &[]);
    }
}

#[test]
fn remarks_are_no_findings_of_somebody_who_does_not_review() {
    let maker = Reviewer { is_reviewer: false, ..BY };
    let message = "- Note: the tests were not run\n- Warning: the build is slow\n\
         **Important**: run db/m.sql:3 first\n- Bug: forgets to flush (src/a.rs:16)";
    assert_eq!(told(message, maker), ["bug src/a.rs:16 forgets to flush"]);
    let quoted = "I have implemented it:\n- src/a.rs:10: handles the empty list";
    assert_eq!(told(quoted, BY), [""; 0]);
}

#[test]
fn what_follows_something_else_is_not_about_the_finding() {
    let message = "- [HIGH] the lock is not released\n- also read the rest\n  - File: src/b.rs:3";
    check("another item", message, &["bug - the lock is not released"]);
    let message = "- [HIGH] the lock is not released\n  - File: src/b.rs:3";
    check("its own", message, &["bug src/b.rs:3 the lock is not released"]);
    check("numbered", "**1. [HIGH] Race in the cache**", &["bug - Race in the cache"]);
}

#[test]
fn headings_give_their_severity_to_what_stands_below() {
    let message = "## Critical issues\n- Password compared with == in src/auth.rs:12\n\n\
         ### Low\n- Typo in a comment\n## Summary\n- nothing else was seen here\n\
         ### 3. [HIGH] Race between check and use in src/fs.rs:9\nText.";
    check(
        "headings",
        message,
        &[
            "critical src/auth.rs:12 Password compared with == in src/auth.rs:12",
            "info - Typo in a comment",
            "bug src/fs.rs:9 Race between check and use in src/fs.rs:9",
        ],
    );
    let maker = Reviewer { is_reviewer: false, ..BY };
    assert_eq!(told(message, maker), [""; 0], "somebody else's headings are headings");
}

#[test]
fn verdicts_in_a_comment_win_over_the_prose() {
    let message = "- [HIGH] the same in words\n<!-- verdict-json\n{\"verdict\":\"FAIL\",\"issues\":[\
         {\"id\":\"J1\",\"severity\":\"CRITICAL\",\"summary\":\"Token is written to the log\",\
         \"location\":\"src/log.rs:8\"}],\"must_fix\":[\"J1\"],\"false_positives\":[\"Unused import\"]}\n-->";
    check("verdict", message, &["critical src/log.rs:8 Token is written to the log"]);
    let verdict = review_text(message, BY).verdict.unwrap();
    assert_eq!(verdict.false_positives, ["Unused import"]);
    assert_eq!(verdict.is_pass, Some(false));
    let lenient = message.replace("[\"J1\"]", "[]");
    assert_eq!(review_text(&lenient, BY).verdict.unwrap().is_pass, Some(true));
    let torn = message.replace("}\n-->", "\n-->");
    check("torn: the prose counts", &torn, &["bug - the same in words"]);
}

#[test]
fn codex_review_output() {
    let message = r#"{"findings":[{"title":"[P1] Close the file on error","body":"The handle leaks.",
        "confidence_score":0.9,"priority":1,"code_location":{"absolute_file_path":
        "/home/me/app/src/io.rs","line_range":{"start":10,"end":12}}}],
        "overall_correctness":"patch is incorrect","overall_explanation":"x"}"#;
    check("output", message, &["bug src/io.rs:10 Close the file on error"]);
    assert_eq!(review_text(message, BY).verdict.unwrap().is_pass, Some(false));
    let other = r#"{"findings":[{"title":"Not a review of code"}]}"#;
    assert!(review_text(other, BY).is_empty());
}

#[test]
fn quotes_and_our_own_block_are_nobodys_findings() {
    let item = "- [HIGH] src/api.rs:41: Query built by concatenation";
    check("fence", &format!("For example:\n```\n{item}\n```\n"), &[]);
    check("block", &format!("<hardwon-memory>\n{item}\n</hardwon-memory>\nnothing"), &[]);
    check("open block", &format!("<hardwon-memory>\n{item}\n"), &[]);
}

#[test]
fn nothing_makes_it_fail() {
    for message in
        ["", "|", "||||", "#", "- ", "<!--{-->", "{}", "- [", "**", "1.", "| a |\n| b |\n| c"]
    {
        review_text(message, BY);
    }
    let long = "- [HIGH] the same finding over and over\n".repeat(100_000);
    assert_eq!(review_text(&long, BY).findings.len(), MAX_FINDINGS);
    review_text(&"ä".repeat(1 << 20), BY);
}

#[test]
fn roles_that_review() {
    for role in ["code-reviewer", "Guardian", "security-auditor", "qa", "qa-lead"] {
        assert!(is_reviewer(role), "{role}");
    }
    for role in ["maker", "general-purpose", "Explore", "aqua"] {
        assert!(!is_reviewer(role), "{role}");
    }
}

#[test]
fn what_stands_about_a_finding_is_told_with_it() {
    let message = "## Critical: Token compared with ==\nIt leaks time.\n```\n$ run\n```\n## Notes\nother\n\
        - [HIGH] first\n  more of it\n- [LOW] second thing\n\n\
        | Severity | Finding | Evidence |\n|-|-|-|\n| HIGH | Third thing | exit code 1 |\nafter";
    let review = review_text(message, BY);
    let prose: Vec<&str> = review.findings.iter().filter_map(|f| f.prose.as_deref()).collect();
    assert_eq!(
        prose,
        [
            "Critical: Token compared with ==\nIt leaks time.\n```\n$ run\n```\n",
            "[HIGH] first\nmore of it\n",
            "[LOW] second thing\n",
            "HIGH | Third thing | exit code 1\n",
        ]
    );
}

/// What was found, each with its repair.
fn repairs(message: &str) -> Vec<(String, Option<String>)> {
    let findings = review_text(message, BY).findings.into_iter();
    findings.map(|finding| (finding.text, finding.repair)).collect()
}

#[test]
fn a_repair_stays_with_its_finding() {
    for message in [
        "### [HIGH] Query is concatenated\n**Location:** src/db.rs:4\n**Fix:** Bind the value.",
        "- [HIGH] src/db.rs:4: Query is concatenated\n  - Fix: Bind the value. It is safe.",
        "| Fix | Where | Issue | Severity |\n|-|-|-|-|\n| Bind the value | src/db.rs:4 | Query is concatenated | 🔴 |",
        "```json\n[{\"file\":\"src/db.rs\",\"line\":4,\"message\":\"Query is concatenated\",\"fix\":\"Bind the value\"}]\n```",
    ] {
        let expected = ("Query is concatenated".to_owned(), Some("Bind the value".to_owned()));
        assert_eq!(repairs(message), [expected], "{message}");
    }
}

#[test]
fn a_verdict_is_a_labelled_line_or_an_empty_list() {
    let of = |message: &str, by| review_text(message, by).verdict.and_then(|it| it.is_pass);
    let maker = Reviewer { is_reviewer: false, ..BY };
    for (message, expected) in [
        ("**Verdict:** PASS", Some(true)),
        ("## Verdict\n\nrejected, see above", Some(false)),
        ("{\"findings\": []}", Some(true)),
        ("Verdict: PASS | FAIL", None),
        ("No problems found, LGTM.", None),
    ] {
        assert_eq!(of(message, BY), expected, "{message}");
        assert_eq!(of(message, maker), None, "of one's own work: {message}");
    }
}

/// ArcheFlow's gate reads these three.
#[test]
fn the_same_findings_in_three_layouts() {
    let expected =
        ["critical src/auth.rs:12 Token is logged", "warning src/db.rs:4 No limit on rows"];
    let table = "| Severity | File | Issue |\n|---|---|---|\n\
        | CRITICAL | src/auth.rs:12 | Token is logged |\n| WARNING | src/db.rs:4 | No limit on rows |";
    let headings = "### CRITICAL: Token is logged\nLocation: src/auth.rs:12\n\n\
        ### No limit on rows\n**Severity:** WARNING\n**Location:** src/db.rs:4\n";
    let lines =
        "CRITICAL: src/auth.rs:12 - Token is logged\nWARNING src/db.rs:4 No limit on rows\n";
    check("table", table, &expected);
    check("impact", &table.replace("Severity", "Impact"), &expected);
    check("headings", headings, &expected);
    check("lines", lines, &expected);
}

#[test]
fn prose_gives_nothing() {
    for message in [
        "In src/db.rs:4 the query is concatenated. Please bind the value.",
        "### Strengths\n- src/a.rs:3 has a clear name",
        "1. **Missing check** (src/a.rs:3): anybody can delete",
        "src/b.rs:22:5: error: the lock is taken twice on this path",
        "Error: Process completed with exit code 1.\nwarning: unused variable: `x`",
        "## High memory use\n- src/a.rs:3: measure it",
        "- High memory use was measured\n- low on disk\n- [x] done with it",
    ] {
        check(message, message, &[]);
    }
}
