use super::*;

#[test]
fn a_line_comes_apart_into_tokens() {
    // Words stand as they are, operators in angle brackets, redirections in round ones.
    let shown = |line: &str| {
        let show = |token: &Token<'_>| match token.kind {
            TokenKind::Word => token.text.to_owned(),
            TokenKind::Operator(operator) => format!("<{operator:?}>"),
            TokenKind::Redirection { .. } => format!("({})", token.text),
        };
        tokens(line).iter().map(show).collect::<Vec<_>>().join(" ¦ ")
    };
    let table = [
        ("make test", "make ¦ test"),
        ("  make \t test ", "make ¦ test"),
        ("a&&b||c;d|e&", "a ¦ <And> ¦ b ¦ <Or> ¦ c ¦ <Then> ¦ d ¦ <Pipe> ¦ e ¦ <Background>"),
        ("a |& b", "a ¦ <Pipe> ¦ b"),
        ("(a; b)", "<Open> ¦ a ¦ <Then> ¦ b ¦ <Close>"),
        ("echo 'a && b' \"c | d\"", "echo ¦ 'a && b' ¦ \"c | d\""),
        ("echo \"a \\\" b\" c", "echo ¦ \"a \\\" b\" ¦ c"),
        ("echo 'a \\' b", "echo ¦ 'a \\' ¦ b"),
        ("a\\ b \\; c", "a\\ b ¦ \\; ¦ c"),
        ("--name='a b'c d", "--name='a b'c ¦ d"),
        ("echo \"unclosed text", "echo ¦ \"unclosed text"),
        ("echo $(ls | wc -l) x", "echo ¦ $(ls | wc -l) ¦ x"),
        ("echo $(a \")\" $(b)) `c d` ${e:-f g}", "echo ¦ $(a \")\" $(b)) ¦ `c d` ¦ ${e:-f g}"),
        ("make 2>&1", "make ¦ (2>&1)"),
        ("make >log 2>/dev/null", "make ¦ (>log) ¦ (2>/dev/null)"),
        ("make > log", "make ¦ (>) ¦ log"),
        ("make &>> log<in", "make ¦ (&>>) ¦ log ¦ (<in)"),
        ("diff <(a b) <(c)", "diff ¦ <(a b) ¦ <(c)"),
        ("python3.11 2x>y", "python3.11 ¦ 2x ¦ (>y)"),
        ("a\nb\n\n", "a ¦ <Then> ¦ b"),
        ("a &&\n b \\\n c", "a ¦ <And> ¦ b ¦ c"),
        ("cat <<'E' >x\nls; rm\nE\nmake", "cat ¦ (<<'E') ¦ (>x) ¦ <Then> ¦ make"),
        ("cat << E\nls\nE\nmake\nls", "cat ¦ (<<) ¦ E ¦ <Then> ¦ make ¦ <Then> ¦ ls"),
        ("cat <<E\nnever ends", "cat ¦ (<<E)"),
        ("größe 'ä ö' ü|ß", "größe ¦ 'ä ö' ¦ ü ¦ <Pipe> ¦ ß"),
        ("$", "$"),
        ("\\", "\\"),
        (" \n ", ""),
        ("", ""),
    ];
    for (line, expected) in table {
        assert_eq!(shown(line), expected, "{line}");
    }
}

#[test]
fn a_line_is_put_together_again() {
    let table = [
        ("  make   test ", "make test"),
        ("a; b&&c  >  x", "a; b&&c > x"),
        ("a\nb", "a; b"),
        ("echo 'two  blanks'", "echo 'two  blanks'"),
    ];
    for (line, expected) in table {
        assert_eq!(join(&tokens(line)), expected, "{line}");
    }
}

#[test]
fn a_line_is_about_one_program() {
    let table = [
        ("make test", "make"),
        ("/usr/bin/Make test", "make"),
        ("cd web && npm test", "npm"),
        ("cd a && cd b; CI=1 sudo npm test", "npm"),
        ("cd web", "cd"),
        ("poetry run pytest", "pytest"),
        ("(cd a; make) && ls", "make"),
        ("sudo -u ci -E make", "make"),
        ("timeout -k 5 300 cargo test 2>&1", "cargo"),
        ("npx --package typescript tsc", "tsc"),
        ("uv sync", "uv"),
        ("command -v node", "command"),
        ("env A=1 make", "make"),
        ("timeout 30", "timeout"),
        ("A=1", ""),
        ("&& ls", "ls"),
        ("| ;", ""),
        ("\"/opt/my tools/run\" x", "run"),
        ("C:\\tools\\cargo.exe test", "cargo.exe"),
        ("", ""),
    ];
    for (line, expected) in table {
        assert_eq!(program(line), expected, "{line}");
    }
}

#[test]
fn every_line_of_the_wrappers_is_read() {
    for line in WRAPPERS {
        let mut parts = line.split(' ');
        let name = parts.next().unwrap_or_default();
        let n_own: usize = parts.next().and_then(|n| n.parse().ok()).expect(line);
        let called = format!("{}{} make", name.replace('+', " "), " own".repeat(n_own));
        assert_eq!(program(&called), "make", "{line}");
        assert!(parts.all(|flag| flag.trim_start_matches('!').starts_with('-')), "{line}");
    }
}

#[test]
fn parts_are_a_line() {
    assert_eq!(from_parts(&["bash", "-lc", "make test"]), "make test");
    assert_eq!(from_parts(&["/bin/sh", "-c", "a | b"]), "a | b");
    assert_eq!(from_parts(&["push", "-c", "x"]), "push -c x");
    assert_eq!(from_parts(&["make", "test"]), "make test");
    assert_eq!(from_parts(&[]), "");
}

#[test]
fn rules_of_safety_see_into_quotes() {
    let words = |line| loose_words(line).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    assert_eq!(words("a 'b|c' (d)"), ["a", "b", "c", "d"]);
    let fed = |line| loosely_fed(line).collect::<Vec<_>>();
    assert_eq!(fed("don't |& /bin/sh -x | 'tee"), ["sh", "tee"]);
}

#[test]
fn what_stands_behind_a_command_hides_how_it_ended() {
    for line in ["make | tail -5", "make; echo done", "make || true", "cd a && make | tee log"] {
        assert!(hides_status(line), "{line}");
    }
    for line in ["make", "make;", "cd a; make", "make && ls", "make 2>&1", ""] {
        assert!(!hides_status(line), "{line}");
    }
}
